// The pad of the score sheet: keys write the number, and what it makes of the score stands beside it at once.

const $ = (selector) => document.querySelector(selector);
const MOST = 7; // digits
const points = (number) => number.toLocaleString("en");
const field = () => $("#do-note [name=points]");
const typed = () => field().value.replace(/\D/g, "").slice(0, MOST);

function show() {
  const input = field();
  if (!input) return;
  const [number, score, target] = [Number(typed()), Number(input.dataset.score), Number(input.dataset.target)];
  $(".entering output").textContent = number ? points(number) : "";
  $("#bank b").textContent = number ? `Bank ${points(number)}` : "Bank";
  const left = target - score - number;
  $("#becomes").textContent = number ? `${points(score)} → ${points(score + number)}\n${!target ? "" : left > 0 ? `${points(left)} to go` : "at the target"}` : "";
}

function write(digits) {
  field().value = digits ? points(Number(digits.slice(0, MOST))) : "";
  show();
}

/** After every new board: the latest round is in view, and the keyboard of a phone stays away from the pad. */
function look() {
  const paper = $("#paper");
  if (!paper) return;
  paper.scrollTop = paper.scrollHeight;
  $("#paper .on-turn")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (matchMedia("(pointer: coarse)").matches) field()?.setAttribute("inputmode", "none");
  show();
}

document.addEventListener("click", ({ target }) => {
  const key = target.closest("[data-digits], [data-add], [data-entry]:not(html)");
  if (!key) return;
  if (key.dataset.entry) globalThis.Feel.setSetting("entry", key.dataset.entry);
  else if (key.dataset.add) write(String(Number(typed()) + Number(key.dataset.add)));
  else write(key.dataset.digits ? typed() + key.dataset.digits : typed().slice(0, -1));
});
document.addEventListener("input", ({ target }) => { if (target === field()) show(); });
document.addEventListener("htmx:after:swap", look);
look();
