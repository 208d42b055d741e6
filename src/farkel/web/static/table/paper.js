// The pad of the score sheet: keys write the number, and what it makes of the score stands beside it at once.

import { $, board, find, inputs } from "./board.js";
import { setSetting } from "./feel.js";
import { points } from "./numbers.js";

const MOST = 7; // digits
const field = () => inputs("#do-note [name=points]")[0];
const left = () => /** @type {RadioNodeList | null} */ (field()?.form?.elements.namedItem("dice") ?? null);
const faces = () => inputs("form.throw [name=faces]")[0];
const game = () => board().dataset.game ?? "";
const turn = () => Number(board().dataset.turn);
const roll = () => Number(board().dataset.roll);
const number = () => Typed.number(field()?.value ?? "");
const digits = () => String(number() ?? "").slice(0, MOST);

function show() {
  const input = field();
  if (!input) return;
  const [said, score, target] = [number(), Number(input.dataset.score), Number(input.dataset.target)];
  $(".entering output").textContent = said ? points(said) : "";
  $("#bank b").textContent = said ? `Bank ${points(said)}` : "Bank";
  const toGo = target - score - (said ?? 0);
  const becomes = said ? `${points(score)} → ${points(score + said)}\n${!target ? "" : toGo > 0 ? `${points(toGo)} to go` : "at the target"}` : "";
  $("#becomes").textContent = input.value.trim() && said === null ? "Unclear:\ntype digits alone" : becomes;
}

function keep(value = field()?.value ?? "") { Typed.write(game(), "turn", turn(), { points: value, dice: left()?.value ?? "" }); }

/** @param {string} digits */
function write(digits) {
  const input = field();
  if (!input) return;
  const value = digits ? points(Number(digits.slice(0, MOST))) : "";
  keep(value);
  input.value = value;
  show();
}

/** What was typed of this turn and of this roll stands there again. */
function restore() {
  const [turnField, rollField, dice] = [field(), faces(), left()];
  if (turnField) {
    const typed = Typed.read(game(), "turn", turn());
    turnField.value = typed.points ?? "";
    if (dice && typed.dice) dice.value = typed.dice;
  }
  if (rollField) rollField.value = Typed.read(game(), "roll", roll()).faces ?? "";
}

function keepFaces() { Typed.write(game(), "roll", roll(), { faces: faces()?.value ?? "" }); }

/** The sheet shows its head alone where there is no room for a whole row, and its latest round where there is. */
function fit() {
  const [paper, head, row] = [find("#paper"), find("#paper thead"), find("#paper tbody tr:last-child")];
  if (!paper || !head || !row) return;
  paper.classList.remove("brief");
  paper.classList.toggle("brief", paper.clientHeight < head.offsetHeight + row.offsetHeight);
  paper.scrollTop = paper.scrollHeight;
}

/** After every new board: the latest round is in view, and the keyboard of a phone stays away from the pad. */
function look() {
  if (!find("#paper")) return;
  fit();
  find("#paper .on-turn")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (matchMedia("(pointer: coarse)").matches) field()?.setAttribute("inputmode", "none");
  restore();
  show();
}

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element)) return;
  if (target.closest("[data-face]") && faces()) keepFaces();
  const key = target.closest("[data-digits], [data-add], [data-entry]:not(html)");
  if (!(key instanceof HTMLElement)) return;
  if (key.dataset.entry) setSetting("entry", key.dataset.entry);
  else if (key.dataset.add) write(String((number() ?? 0) + Number(key.dataset.add)));
  else write(key.dataset.digits ? digits() + key.dataset.digits : digits().slice(0, -1));
});
document.addEventListener("input", ({ target }) => {
  if (target === faces()) keepFaces();
  if (!(target instanceof HTMLInputElement) || target.form?.id !== "do-note") return;
  keep();
  show();
});
document.addEventListener("htmx:after:swap", look);
addEventListener("resize", fit);
// What was typed before this script was there is stored as well.
for (const { input, store } of [{ input: field(), store: keep }, { input: faces(), store: keepFaces }]) if (input && input.value !== input.defaultValue) store();
look();
