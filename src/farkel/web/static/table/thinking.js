// A bot whose decision is not there after its usual pause is thinking: pips move beside its name, and it is said once.

import { $, board, find, show } from "./board.js";

let about = ""; // the event after which a decision is waited for
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/** After every new board: wait for the decision anew, or go on showing that it takes its time. */
export function think() {
  const waits = find("[data-thinks]");
  const now = waits ? board().dataset.number ?? "" : "";
  if (now && now === about && !waiting) return tell();
  if (now === about) return;
  clearTimeout(waiting);
  waiting = undefined;
  about = now;
  show($("#thinking"), true, "");
  if (waits) {
    waiting = setTimeout(() => {
      waiting = undefined;
      tell();
    }, Number(waits.dataset.thinks));
  }
}

function tell() {
  const waits = find("[data-thinks]");
  const pips = find("[data-thinks] .pips");
  if (!waits || !pips) return;
  pips.hidden = false;
  const said = `${waits.dataset.who} is thinking.`;
  if ($("#thinking").textContent !== said) show($("#thinking"), true, said);
}
