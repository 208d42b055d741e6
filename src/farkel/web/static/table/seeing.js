// The bar of a new board, and what is to be seen and heard of it.

import { $, $$, board, find, refresh, tellNews } from "./board.js";
import { chosenOf, roll } from "./choosing.js";
import { feel, still, tip } from "./feel.js";
import { keeping } from "./focusing.js";
import { stream } from "./live.js";
import * as moment from "./moment.js";
import { points } from "./numbers.js";
import { SETTLING } from "./presses.js";

let before = moment.NOTHING;
let handed = 0; // when the bar changed hands
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let passing;

/** Whether presses were meant for what was there before. */
export const settling = () => Date.now() - handed < SETTLING;

/** The bar has changed hands. */
function settle() {
  handed = Date.now();
  $("#bar").dataset.settling = "";
  setTimeout(() => delete find("#bar")?.dataset.settling, SETTLING);
}

/** One's own farkle has been seen: the bar hands on to the next seat, by a press or by itself. */
export function pass() {
  clearTimeout(passing);
  before = { ...before, until: 0 };
  const bar = find("#pass");
  if (!bar || bar.hidden) return;
  keeping(() => { bar.hidden = true; });
  settle();
  if (next) refreshSoon();
}

function refreshSoon() {
  clearTimeout(next);
  next = setTimeout(() => {
    next = undefined;
    refresh();
  }, moment.waits(before.until, Date.now()));
}
if (!board().getAttribute("hx-trigger")?.includes("move")) stream.addEventListener("move", refreshSoon);

/** @returns {moment.Shown} */
function shown() {
  const dice = find(".felt .roll");
  return {
    felt: Boolean(find("#board.felt")),
    over: Boolean(find("#board.over")),
    decides: !find("#waits"),
    moment: find("[data-moment]")?.id ?? "",
    passes: Boolean(find("#pass")),
    roll: dice?.id ?? "",
    dice: dice ? $$(".cube", dice).length : 0,
  };
}

/** Show and feel what a new board has brought. */
export function look() {
  const board = shown();
  const time = Date.now();
  if (board.felt) count();
  const follows = moment.after(before, board, time);
  before = follows.now;
  if (follows.hands) settle();
  for (const event of follows.feels) feel(event, board.dice);
  if (!board.felt) return;
  if (settling()) $("#bar").dataset.settling = ""; // which a new board takes away
  if (follows.passes !== null) $("#pass").hidden = !follows.passes;
  if (follows.passes) {
    clearTimeout(passing);
    passing = setTimeout(pass, before.until - time);
  }
  tips(board);
  follow();
  tellNews();
}

/** @param {moment.Shown} board */
function tips(board) {
  const button = find("#throw");
  const seen = button instanceof HTMLButtonElement && button.form?.elements.namedItem("seen");
  if (seen instanceof HTMLInputElement && !board.moment && find(".score-sheet")) tip("scores", seen.value);
  const dice = roll();
  if (dice && !chosenOf(dice).length) tip("choose", dice.id);
}

/** @type {number[]} */
let scores = [];

/** Points that are banked count into the score. */
function count() {
  const seats = $$(".strip .score");
  const were = scores;
  scores = seats.map((one) => Number(one.dataset.score));
  if (were.length !== seats.length || still()) return;
  for (const [seat, place] of seats.entries()) {
    const [from, to] = [were[seat] ?? 0, scores[seat] ?? 0];
    if (from === to) continue;
    const began = performance.now();
    /** @param {number} time */
    const step = (time) => {
      const part = Math.min(1, Math.max(0, (time - began) / 300));
      place.textContent = points(Math.round(from + part * (to - from)));
      if (part < 1 && place.isConnected && Number(place.dataset.score) === to) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}

let turn = "";

/** The seat on turn comes into the middle of a strip that scrolls: it sticks to the edge only while it is beyond it. */
function follow() {
  const seat = find(".strip.crowded .on-turn");
  const now = board().dataset.turn ?? "";
  if (!seat || turn === now) return;
  turn = now;
  seat.style.position = "static";
  seat.scrollIntoView({ block: "nearest", inline: "center" });
  seat.style.position = "";
}
