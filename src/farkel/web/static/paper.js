// The pad of the score sheet: keys write the number, and what it makes of the score stands beside it at once.

const $ = (selector) => document.querySelector(selector);
const MOST = 7; // digits
const points = (number) => number.toLocaleString("en");
const field = () => $("#do-note [name=points]");
const game = () => $("#board").dataset.game;
const turn = () => Number($("#board").dataset.turn);
const roll = () => Number($("#board").dataset.roll);
const faces = () => $("form.throw [name=faces]");
const number = () => Typed.number(field().value);
const digits = () => String(number() ?? "").slice(0, MOST);

function show() {
  const input = field();
  if (!input) return;
  const [said, score, target] = [number(), Number(input.dataset.score), Number(input.dataset.target)];
  $(".entering output").textContent = said ? points(said) : "";
  $("#bank b").textContent = said ? `Bank ${points(said)}` : "Bank";
  const left = target - score - said;
  const becomes = said ? `${points(score)} → ${points(score + said)}\n${!target ? "" : left > 0 ? `${points(left)} to go` : "at the target"}` : "";
  $("#becomes").textContent = input.value.trim() && said === null ? "Unclear:\ntype digits alone" : becomes;
}

function keep(value = field().value) { Typed.write(game(), "turn", turn(), { points: value, dice: field().form.elements.dice?.value ?? "" }); }

function write(digits) {
  const value = digits ? points(Number(digits.slice(0, MOST))) : "";
  keep(value);
  field().value = value;
  show();
}

/** What was typed of this turn and of this roll stands there again. */
function restore() {
  if (field()) {
    const { points: typed = "", dice = "" } = Typed.read(game(), "turn", turn());
    field().value = typed;
    if (dice) field().form.elements.dice.value = dice;
  }
  if (faces()) faces().value = Typed.read(game(), "roll", roll()).faces ?? "";
}

function keepFaces() { Typed.write(game(), "roll", roll(), { faces: faces().value }); }

/** After every new board: the latest round is in view, and the keyboard of a phone stays away from the pad. */
function look() {
  const paper = $("#paper");
  if (!paper) return;
  paper.scrollTop = paper.scrollHeight;
  $("#paper .on-turn")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (matchMedia("(pointer: coarse)").matches) field()?.setAttribute("inputmode", "none");
  restore();
  show();
}

document.addEventListener("click", ({ target }) => {
  const key = target.closest("[data-digits], [data-add], [data-entry]:not(html)");
  if (!key) return;
  if (key.dataset.entry) globalThis.Feel.setSetting("entry", key.dataset.entry);
  else if (key.dataset.add) write(String(number() + Number(key.dataset.add)));
  else write(key.dataset.digits ? digits() + key.dataset.digits : digits().slice(0, -1));
});
document.addEventListener("click", ({ target }) => { if (target.closest("[data-face]") && faces()) keepFaces(); });
document.addEventListener("input", ({ target }) => {
  if (target === faces()) keepFaces();
  if (target.form?.id !== "do-note") return;
  keep();
  show();
});
document.addEventListener("htmx:after:swap", look);
// What was typed before this script was there is stored as well.
for (const [input, store] of [[field(), keep], [faces(), keepFaces]]) if (input && input.value !== input.defaultValue) store();
look();
