// Before and after the game: words for dice that can be verified.

import { $$, UNREACHED, board, find, inputs, names, refresh, root, stored } from "./board.js";
import { notice, stream } from "./live.js";
import { goesOn, startsItself } from "./rematch.js";
import * as words from "./words.js";

/** Send a move; what the server says of it: the `number` of its event, or a `message`. @param {object} move @returns {Promise<{ number?: number, code?: string, message?: string }>} */
async function submit(move) {
  const answer = await fetch(`${root}g/${board().dataset.game}/moves`, {
    method: "POST", headers: { "accept": "application/json", "content-type": "application/json" }, body: JSON.stringify({ move }),
  }).catch(() => null);
  return await answer?.json().catch(() => null) ?? { message: UNREACHED };
}

/** @param {number} seat */
const wordAt = (seat) => `farkel-word-${board().dataset.game}-${seat}`;

/** @param {number} seat @returns {words.Word | null} */
function ownWord(seat) {
  try { return JSON.parse(stored(wordAt(seat)) ?? "null"); } catch { return null; }
}

/** @param {number} seat @param {string} word @param {number} number */
function keepWord(seat, word, number) { stored(wordAt(seat), JSON.stringify(words.later(ownWord(seat), word, number))); }

/** @param {number} seat @param {string} word */
async function give(seat, word) {
  const said = await submit({ do: "word", seat, word });
  if (said.number) keepWord(seat, word, said.number);
  return said;
}

/** What this page has done by itself: the seats with a word from it, and the start. @type {Set<number>} */
const mixed = new Set();
let starting = false;
const again = location.hash === "#again"; // this is the next game of the same seats
const before = board().dataset.again ?? "";
let going = false;
/** @type {Promise<void>} */
let giving = Promise.resolve();
/** @param {() => Promise<void>} work */
const afterwards = (work) => { giving = giving.then(work, work); };

/** Go on to the next game of the same seats. */
function goOn() {
  const way = find("#to-next");
  going = true;
  if (way instanceof HTMLAnchorElement) location.assign(way.href);
  else if (way instanceof HTMLButtonElement) way.form?.requestSubmit();
}

/** Give a word for each seat here that has none, and start a game that waits for nobody else. */
async function mixIn() {
  const without = () => inputs("input[data-given='0']").map((one) => Number(one.dataset.seat));
  for (let seat; (seat = words.nextWithout(without(), mixed)) !== undefined;) {
    mixed.add(seat);
    const { word, number: before } = ownWord(seat) ?? { word: newWord(seat), number: 0 };
    keepWord(seat, word, before); // so that the page gives the same after a reload
    const { number, code } = await give(seat, word);
    if (number) continue;
    if (code !== "started") mixed.delete(seat); // the next board tries again
    return;
  }
  if (!startsItself(find("#begin")?.dataset ?? {}, again) || starting) return;
  starting = true;
  if (!(await submit({ do: "start" })).number) starting = false;
  refresh();
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("form.word")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const { seat, word } = Object.fromEntries(new FormData(form));
  afterwards(async () => {
    const { number, message = UNREACHED } = await give(Number(seat), String(word));
    if (number) form.reset();
    notice(number ? "" : `${message[0]?.toUpperCase()}${message.slice(1)}.`);
    refresh();
  });
}, true);

/** Keep the fingerprint that was promised first, before any word was given. */
function promise() {
  const name = `farkel-commitment-${board().dataset.game}`;
  const commitment = find("#commitment")?.dataset.commitment;
  if (commitment) stored(name, stored(name) ?? commitment);
}

/** Show what a new board of a lobby or of a finished game asks for. */
export function attend() {
  if ("share" in navigator) for (const button of $$("[data-share]")) button.hidden = false;
  if (board().classList.contains("lobby")) {
    promise();
    afterwards(mixIn);
  }
  if (!going && goesOn(before, board().dataset.again ?? "", Boolean(find("#review:not([hidden])")))) goOn();
  const [slips, said] = [find("#slips"), find("#slips-said")];
  if (slips && said) said.textContent = slips.textContent;
  const verify = find("#verify:not([data-begun])");
  if (verify) {
    verify.dataset.begun = "";
    import("../verify.js").then((module) => module.show(verify, board().dataset.game, words.given(names().map((_, seat) => ownWord(seat)))));
  }
}

// The game that is played now is the one that the start page offers next.
if (board().dataset.held === "1" && stream.dataset.rules) {
  stored("farkel-last", JSON.stringify({ rules: stream.dataset.rules, title: stream.dataset.title }));
}

// A word that was given on the start page is the first event of the game which that opened, in the same tab.
if (location.hash === "#word") {
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    const word = sessionStorage.getItem("farkel-word");
    if (word) keepWord(0, word, 1);
  } catch { /* nothing was kept */ }
}
