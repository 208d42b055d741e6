// The dice of a finished game, thrown again in this browser from the secret that was revealed and the words of the seats.
// The derivation is that of farkel/dice.py; `farkel verify` does the same with the record.

import { hmac } from "/static/vendor/noble-hashes/hmac.js";
import { sha256 } from "/static/vendor/noble-hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "/static/vendor/noble-hashes/utils.js";

/** JSON as Python writes it: every character beyond ASCII escaped. */
function json(value) {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The faces of a throw, in ascending order. */
export function derive(key, words, index, dice) {
  const faces = [];
  for (let block = 0; faces.length < dice; block++) {
    const message = utf8ToBytes(json(["farkel-dice-1", words, index, block]));
    faces.push(...[...hmac(sha256, key, message)].filter((byte) => byte < 252).map((byte) => (byte % 6) + 1));
  }
  return faces.slice(0, dice).sort().join("");
}

/** What is wrong with the words: those of `own`, by seat, were given by this browser and have to be in their places. */
function checkWords(given, words, own) {
  if (given.length !== words.length) return [`${given.length} seats gave a word, and ${words.length} words are mixed in.`];
  return Object.entries(own).flatMap(([seat, word]) => {
    const place = given.indexOf(Number(seat));
    if (words[place] === word) return [];
    const instead = place < 0 ? "no word of that seat is" : `“${words[place]}” is`;
    return [`This browser gave the word “${word}” for seat ${Number(seat) + 1}, and ${instead} mixed into the dice. If nobody changed it on another device, these dice are not to be trusted.`];
  });
}

/** What the events of a game say of its dice: how many throws, and what is wrong with them. */
export function check(events, commitment, promised, own = {}) {
  const wrong = [];
  const given = new Set();
  let words = [];
  const rolls = [];
  let secret = "";
  for (const event of events) {
    if (event.kind === "word") given.add(event.seat);
    if (event.kind === "start") {
      words = event.words;
      wrong.push(...checkWords([...given].sort(), words, own));
    }
    if (event.kind !== "move") continue;
    if (event.text.startsWith("secret ")) secret = event.text.slice(7).trim();
    const rolled = /^[^:]+: (?:throws|rolls) ([1-6](?: [1-6])*)/.exec(event.text);
    if (rolled) rolls.push(rolled[1].replaceAll(" ", ""));
  }
  if (!secret) return { rolls: rolls.length, wrong: [...wrong, "The secret has not been revealed."] };
  const key = hexToBytes(secret);
  const found = bytesToHex(sha256(key));
  if (found !== commitment) wrong.push(`The secret does not fit the fingerprint: its own is ${found}.`);
  if (promised && promised !== commitment) wrong.push("The fingerprint is not the one that this browser saw before the game.");
  rolls.forEach((roll, index) => {
    const due = derive(key, words, index, roll.length);
    if (due !== roll) wrong.push(`Roll ${index + 1} should have been ${due} but was ${roll}.`);
  });
  return { rolls: rolls.length, wrong };
}

/** Check the game and show what was found. `own`: the words that this browser gave, by seat. */
export async function show(place, game, own) {
  place.textContent = "Rolling all dice again …";
  try {
    const answer = await fetch(`/api/v1/games/${game}/events`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    let promised = null;
    try { promised = localStorage.getItem(`farkel-commitment-${game}`); } catch { /* then there is nothing to compare */ }
    const { rolls, wrong } = check(await answer.json(), place.dataset.commitment, promised, own);
    const words = Object.values(own).map((word) => `“${word}”`).join(" and ");
    const mixed = words && `What this browser gave for the dice is among them, in its place: ${words}.`;
    const text = wrong.length
      ? [`Something is wrong with the dice of this game:`, ...wrong.slice(0, 8)]
      : [`Verified in this browser: all ${rolls} rolls follow from the secret that was fixed before the game${promised ? ", whose fingerprint this browser had seen then," : ""} and the words of the seats. ${mixed}`.trim()];
    place.className = wrong.length ? "wrong" : "verified";
    place.replaceChildren(...text.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
  } catch (error) {
    place.textContent = `The dice could not be checked: ${error.message}. Reload the page.`;
  }
}
