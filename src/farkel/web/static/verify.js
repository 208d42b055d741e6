// The dice of a finished game, thrown again in this browser from the secret that was revealed and the words of the seats.
// The derivation is that of farkel/dice.py; `farkel verify` does the same with the record.

import { hmac } from "./vendor/noble-hashes/hmac.js";
import { sha256 } from "./vendor/noble-hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "./vendor/noble-hashes/utils.js";

/** An event of a game, as the server gives it. @typedef {{ kind: string, number: number, text: string, seat: number, first?: number, words?: string[], record?: string }} Told */
/** The words that this browser gave, each with the number of its event, by seat. @typedef {Record<string, { word: string, number: number }>} Own */
/** @typedef {{ mixed: string[], wrong: string[], asks: string[] }} Words */

/** JSON as Python writes it: every character beyond ASCII escaped. @param {unknown} value */
function json(value) {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The faces of a throw, in ascending order. @param {Uint8Array} key @param {string[]} words @param {number} index @param {number} dice */
export function derive(key, words, index, dice) {
  /** @type {number[]} */
  const faces = [];
  for (let block = 0; faces.length < dice; block++) {
    const message = utf8ToBytes(json(["farkel-dice-1", words, index, block]));
    faces.push(...[...hmac(sha256, key, message)].filter((byte) => byte < 252).map((byte) => (byte % 6) + 1));
  }
  return faces.slice(0, dice).sort().join("");
}

/** What became of the words that this browser gave: those that are in their places, what is wrong, and what to ask. @param {Told[]} events @param {string[]} words @param {Own} own @param {boolean} opened @returns {Words} */
function checkWords(events, words, own, opened) {
  const given = new Map(); // by seat, the event in which its word was given last
  const moved = []; // events after which the seats from `first` on are others, and give their words again
  for (const { kind, seat, first, number } of events) {
    if (kind === "word") given.set(seat, number);
    if (kind !== "plan" || first === undefined) continue;
    moved.push({ first, number });
    for (const one of [...given.keys()].filter((one) => one >= first)) given.delete(one);
  }
  const seats = [...given.keys()].sort((one, other) => one - other);
  /** @type {Words} */
  const found = { mixed: [], wrong: [], asks: [] };
  if (seats.length !== words.length && !opened) found.wrong.push(`${seats.length} seats gave a word, and ${words.length} words are mixed in.`);
  for (const [at, { word, number }] of Object.entries(own)) {
    const seat = Number(at);
    const place = seats.indexOf(seat);
    if (place >= 0 && words[place] === word) found.mixed.push(word);
    else if (!number || moved.some((one) => one.first <= seat && one.number > number)) continue; // not of this seat, as far as is known
    else if (given.get(seat) > number) found.asks.push(`After this browser gave the word “${word}” for seat ${seat + 1}, another device changed it to “${words[place]}”. If nobody at your table did that, don’t trust these dice.`);
    else found.wrong.push(`This browser gave the word “${word}” for seat ${seat + 1}, and ${place < 0 ? "no word of that seat is" : `“${words[place]}” is`} mixed into the dice: these dice are not to be trusted.`);
  }
  return found;
}

/** What the events of a game say of its dice: how many rolls, the words of `own` among them, what is wrong, what to ask. @param {Told[]} events @param {string | undefined} commitment @param {string | null} promised @param {Own} own */
export function check(events, commitment, promised, own = {}) {
  const start = events.findIndex((event) => event.kind === "start");
  const words = events[start]?.words ?? [];
  const opened = "record" in (events[start] ?? {}); // which seats gave the words, a record that was opened does not say
  const { mixed, wrong, asks } = checkWords(events.slice(0, Math.max(start, 0)), words, own, opened);
  /** @type {string[]} */
  const rolls = [];
  let secret = "";
  for (const event of events) {
    if (event.kind !== "move") continue;
    if (event.text.startsWith("secret ")) secret = event.text.slice(7).trim();
    const rolled = /^[^:]+: (?:throws|rolls) ([1-6](?: [1-6])*)/.exec(event.text);
    if (rolled?.[1]) rolls.push(rolled[1].replaceAll(" ", ""));
  }
  const found = { rolls: rolls.length, mixed, asks };
  if (!secret) return { ...found, wrong: [...wrong, "The secret has not been revealed."] };
  const key = hexToBytes(secret);
  const fixed = bytesToHex(sha256(key));
  if (fixed !== commitment) wrong.push(`The secret does not fit the fingerprint: its own is ${fixed}.`);
  if (promised && promised !== commitment) wrong.push("The fingerprint is not the one that this browser saw before the game.");
  rolls.forEach((roll, index) => {
    const due = derive(key, words, index, roll.length);
    if (due !== roll) wrong.push(`Roll ${index + 1} should have been ${due} but was ${roll}.`);
  });
  return { ...found, wrong };
}

/** Check the game and show what was found. `own`: the words that this browser gave, each with the number of its event, by seat. @param {HTMLElement} place @param {string | undefined} game @param {Own} own */
export async function show(place, game, own) {
  place.textContent = "Rolling all dice again …";
  try {
    const answer = await fetch(`${document.documentElement.dataset.root}api/v1/games/${game}/events`);
    if (!answer.ok) throw new Error(`the answer was ${answer.status}`);
    let promised = null;
    try { promised = localStorage.getItem(`farkel-commitment-${game}`); } catch { /* then there is nothing to compare */ }
    const { rolls, mixed, wrong, asks } = check(await answer.json(), place.dataset.commitment, promised, own);
    const words = mixed.map((word) => `“${word}”`).join(" and ");
    const among = words && `What this browser gave for the dice is among them, in its place: ${words}.`;
    const text = wrong.length
      ? [`Something is wrong with the dice of this game:`, ...wrong.slice(0, 8)]
      : [`Verified in this browser: all ${rolls} rolls follow from the secret that was fixed before the game${promised ? ", whose fingerprint this browser had seen then," : ""} and the words of the seats. ${among}`.trim(), ...asks];
    place.className = wrong.length ? "wrong" : "verified";
    place.replaceChildren(...text.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
  } catch (error) {
    place.textContent = `The dice could not be checked: ${/** @type {Error} */ (error).message}. Reload the page.`;
  }
}
