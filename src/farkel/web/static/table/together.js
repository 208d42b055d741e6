// Dice as they are chosen: one's own go to the others at the table, and theirs are marked here. Nothing of it is kept.

import { $$, board, find, root } from "./board.js";
import { marked } from "./keeps.js";

const PAUSE = 200; // milliseconds between two choices that are sent; what was chosen meanwhile is sent once

let sent = ""; // the roll and the dice of it that the others have been shown
let sending = false;
/** @type {HTMLElement | null} */
let rolled = null;
/** @type {() => number[]} */
let chosen = () => [];

/** Show the others the dice that are chosen of a roll, once the last ones have arrived. @param {HTMLElement} dice @param {() => number[]} now */
export function showOthers(dice, now) {
  if (dice.dataset.shown !== "1") return;
  rolled = dice;
  chosen = now;
  if (!sent.startsWith(`${dice.id} `)) sent = `${dice.id} `; // nothing of a new roll is chosen
  if (!sending) send();
}

async function send() {
  const faces = chosen();
  const said = `${rolled?.id} ${faces.join("")}`;
  if (said === sent || !rolled?.isConnected) return;
  sent = said;
  sending = true;
  const { game, number } = board().dataset;
  await fetch(`${root}g/${game}/choosing`, {
    method: "POST", headers: { "accept": "application/json", "content-type": "application/json" }, body: JSON.stringify({ dice: faces, seen: Number(number) }),
  }).catch(() => { /* then the others do without it */ });
  setTimeout(() => {
    sending = false;
    send();
  }, PAUSE);
}

/** @typedef {{ number: number, dice: number[] }} Choice dice that another player is about to keep, after that event */

/** @type {Choice} */
let last = { number: 0, dice: [] };

/** Mark the dice that another player is about to keep. @param {Choice} choice */
export function mark(choice) {
  last = choice;
  const tray = find(".felt div.roll");
  if (!tray || Number(board().dataset.number) !== choice.number) return;
  const there = $$(".die[data-face]", tray);
  const picked = marked(there.map((die) => Number(die.dataset.face)), choice.dice);
  for (const [at, die] of there.entries()) die.classList.toggle("picked", picked[at]);
}

/** Mark them on a new board of the same roll. */
export const markAgain = () => mark(last);
