// Choosing dice: shows at once what the server has said about a choice.

import { $, $$, allow, board, find, inputs, label, root, show, tell } from "./board.js";
import { feel, tip } from "./feel.js";
import { keeping } from "./focusing.js";
import { closeHint } from "./hint.js";
import { marked, takingAll, toggled, weighed, weighedReal } from "./keeps.js";
import { diceWord, points } from "./numbers.js";
import { showOthers } from "./together.js";

export const roll = () => find("fieldset.roll");

/** @param {HTMLElement} dice @returns {number[]} */
export const chosenOf = (dice) => inputs("input:checked", dice).map((die) => Number(die.value)).sort((one, other) => one - other);

/** @param {HTMLElement} dice @returns {import("./keeps.js").Keep[]} */
const keepsOf = (dice) => JSON.parse(dice.dataset.keeps ?? "[]");

/** @param {HTMLElement} dice @returns {import("./keeps.js").Roll} */
function rollOf(dice) {
  const { points: before, score, needs, multiple, brief } = dice.dataset;
  return {
    keeps: keepsOf(dice), points: Number(before), score: Number(score), needs: Number(needs), multiple: Number(multiple),
    brief: JSON.parse(brief ?? "{}"),
  };
}

/** Show what becomes of the dice that are chosen. */
export function weigh() {
  const dice = roll();
  if (!dice) return;
  asking?.abort();
  showOthers(dice, () => chosenOf(dice));
  if (board().classList.contains("felt")) weighFelt(dice);
  else weighReal(dice);
}

/** @param {HTMLElement} dice */
function weighFelt(dice) {
  const chosen = chosenOf(dice);
  const said = weighed(rollOf(dice), chosen);
  label($("#bank"), said.bank);
  label($("#roll"), said.roll);
  $("#total").textContent = points(said.total);
  show($("#adds"), said.adds !== null, `+${points(said.adds ?? 0)}`);
  const hot = $("#hot");
  hot.hidden = !said.hot;
  if (said.hot) {
    $("#hot span").textContent = said.hot;
    feel("hot");
  }
  lineUp(dice, Boolean(said.hot));
  $("#weighed").hidden = !chosen.length;
  $("#asked").hidden = chosen.length > 0;
  const risk = /** @type {HTMLProgressElement} */ ($("#weighed progress"));
  risk.hidden = said.risk === null;
  risk.value = said.risk ?? risk.value;
  $("#worth").replaceChildren(...said.worth.map((one) => (typeof one === "string" ? one : strong(one.strong))));
  if (said.kept) tip("decide", dice.id);
  else ask(chosen);
}

/** @param {string} textContent */
const strong = (textContent) => Object.assign(document.createElement("b"), { textContent });

/** The sheet of a real table, whose dice are rolled by hand. @param {HTMLElement} dice */
function weighReal(dice) {
  const chosen = chosenOf(dice);
  const said = weighedReal(keepsOf(dice), chosen);
  for (const then of /** @type {const} */ (["roll", "bank"])) {
    const button = $(`.play button[name=then][value=${then}]`);
    allow(button, said[then].why);
    if (button.firstChild) button.firstChild.textContent = said[then].what;
  }
  $("#worth").textContent = said.worth;
  if (!said.kept) ask(chosen);
}

/** @type {AbortController | undefined} */
let asking;

/** Ask why dice cannot be kept together. @param {number[]} chosen */
async function ask(chosen) {
  if (!chosen.length) return;
  asking = new AbortController();
  try {
    const answer = await fetch(`${root}g/${board().dataset.game}/why?dice=${chosen.join("")}`, { signal: asking.signal });
    const why = answer.ok && await answer.text();
    if (why) $("#worth").textContent = why;
  } catch { /* another choice was made meanwhile, or nobody answers */ }
}

/** Hot dice stand in a line, with those that were kept before; only transforms move, so nothing else does. @param {HTMLElement} dice @param {boolean} hot */
function lineUp(dice, hot) {
  for (const one of $$(".beside", dice)) one.remove();
  for (const die of $$(".die", dice)) die.style.transform = "";
  dice.classList.toggle("lined", hot);
  if (!hot) return;
  const rolled = $$(".die:has(.cube)", dice);
  const edge = $$(".cube", dice)[0]?.offsetWidth ?? 0;
  for (const face of document.querySelectorAll("#rail .part:not(:has(~ .fold)) .face")) {
    const cube = Object.assign(document.createElement("span"), { className: "cube" });
    const die = Object.assign(document.createElement("span"), { className: "die beside" });
    cube.append(face.cloneNode(true));
    die.append(cube);
    dice.append(die);
  }
  const all = [...$$(".beside", dice), ...rolled];
  const step = Math.min(edge + 24, (dice.clientWidth - 28) / all.length);
  const scale = Math.min(1, (step - 10) / edge);
  for (const [at, die] of all.entries()) {
    const x = dice.clientWidth / 2 + (at - (all.length - 1) / 2) * step - die.offsetLeft - die.offsetWidth / 2;
    const y = (dice.clientHeight - $("#hot").offsetHeight) / 2 - die.offsetTop - die.offsetHeight / 2;
    die.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  }
}

/** @param {HTMLElement} dice @param {(faces: number[], chosen: boolean[]) => boolean[] | null} choose @returns {boolean} whether anything was chosen */
function choose(dice, choose) {
  const boxes = inputs("input", dice);
  const chosen = choose(boxes.map((one) => Number(one.value)), boxes.map((one) => one.checked));
  if (!chosen) return false;
  for (const [at, box] of boxes.entries()) box.checked = chosen[at] ?? false;
  feel("choose");
  keeping(weigh);
  return true;
}

/** Take all that scores; once more puts it back. */
export function takeAll() {
  const dice = roll();
  if (dice) choose(dice, (faces) => marked(faces, takingAll(keepsOf(dice), chosenOf(dice))));
}

/** Choose a die with this face, or put it back; false if there is none. @param {number} face */
export function toggle(face) {
  const dice = roll();
  return dice !== null && choose(dice, (faces, chosen) => toggled(faces, chosen, face));
}

/** The dice that a hint keeps are ringed. */
export function ring() {
  const faces = find(".hint [data-dice]")?.dataset.dice?.split(" ").map(Number) ?? [];
  const boxes = inputs("fieldset.roll .die input");
  for (const [at, hinted] of marked(boxes.map((one) => Number(one.value)), faces).entries()) boxes[at]?.closest(".die")?.classList.toggle("hinted", hinted);
}

/** How many dice are bought or taken over: the button says so. @param {HTMLInputElement} radio */
function weighTake(radio) {
  const button = $("#take");
  const number = Number(radio.value);
  const lives = `pay ${number} ${number === 1 ? "life" : "lives"}`;
  label(button, {
    what: `${button.dataset.verb} ${diceWord(number)}`,
    small: radio.dataset.brief ?? (button.dataset.buys ? lives : `roll ${diceWord(number)}`),
    why: radio.dataset.why ?? "",
  });
}

window.addEventListener("resize", () => {
  const lined = find(".lined");
  if (lined) lineUp(lined, true);
});

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.closest("fieldset.roll")) {
    feel("choose");
    weigh();
    closeHint();
    if (target.closest(".dull") && target.checked && find("#board.felt")) tell(`A ${target.value} alone scores nothing.`);
  }
  if (target.matches(".felt .numbers input")) weighTake(target);
});
