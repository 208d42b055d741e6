// What is heard and felt, the settings of this device, and three tips for the first game.

const KEY = "farkel-settings";
/** @type {Record<string, string>} */
const DEFAULTS = { scheme: "device", hand: "right", motion: "on", sound: "off", vibration: "off", keys: "on", entry: "turns" };

/** @returns {Record<string, string>} */
function all() {
  try { return JSON.parse(localStorage.getItem(KEY) ?? "{}"); } catch { return {}; }
}

/** @param {string} name */
export const setting = (name) => all()[name] ?? DEFAULTS[name] ?? "";

/** Change a setting and remember it; null means its other value, which is "off" for what is on at first. @param {string} name @param {string | null} value */
export function setSetting(name, value) {
  const chosen = value ?? (DEFAULTS[name] === "on" ? "off" : DEFAULTS[name] ?? "");
  const settings = { ...all(), [name]: chosen };
  try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* then it holds until the page is left */ }
  if (name in document.documentElement.dataset) document.documentElement.dataset[name] = chosen;
}

/** Whether nothing is to move. */
export const still = () => setting("motion") === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @type {AudioContext | undefined} */
let audio;

/**
 * A short note: pitch in hertz, start and length in seconds.
 * @param {number} pitch @param {number} at @param {number} length @param {OscillatorType} shape @param {number} loud @param {number} to
 */
function note(pitch, at, length, shape = "sine", loud = 0.2, to = pitch) {
  audio ??= new AudioContext();
  const start = audio.currentTime + at;
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.type = shape;
  tone.frequency.setValueAtTime(pitch, start);
  tone.frequency.exponentialRampToValueAtTime(to, start + length);
  volume.gain.setValueAtTime(loud, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + length);
}

/** @param {number} at */
const knock = (at, loud = 0.25) => note(210, at, 0.06, "triangle", loud, 90);
/** @typedef {"throw" | "choose" | "bank" | "farkle" | "hot" | "turn" | "win"} Felt */

/** @type {Record<Felt, (dice: number) => void>} */
const SOUNDS = {
  throw: (dice) => { for (let one = 0; one < Math.min(dice, 6); one++) knock(0.05 + 0.055 * one, 0.15 + 0.1 * (one % 2)); },
  choose: () => note(900, 0, 0.03, "triangle", 0.12),
  bank: () => { note(500, 0, 0.1, "sawtooth", 0.03, 700); knock(0.12, 0.35); },
  farkle: () => note(190, 0, 0.35, "sine", 0.3, 80),
  hot: () => { note(660, 0, 0.14); note(880, 0.14, 0.2); },
  turn: () => knock(0, 0.3),
  win: () => { for (const [place, pitch] of [523, 659, 784].entries()) note(pitch, 0.11 * place, 0.18); },
};

/** @type {Record<Felt, number | number[]>} */
const BUZZES = { throw: 20, choose: 10, bank: 15, farkle: [40, 40, 40], hot: [15, 30, 15], turn: 30, win: [20, 40, 60] };

/** Let an event be heard and felt, if this device wants it. @param {Felt} event */
export function feel(event, dice = 1) {
  if (setting("vibration") === "on") navigator.vibrate?.(BUZZES[event]);
  if (setting("sound") === "on") SOUNDS[event](dice);
}

const TIPS = {
  choose: "Tap the dice you want to keep. Grey dice score nothing.",
  decide: "Bank keeps the points. Roll risks them for more.",
  scores: "Tap the scores above to open the score sheet.",
};
const TOLD = "farkel-tips";

let showing = "";

/** Show a tip where it is wanted for the first time, as long as the same dice lie there; each one once on this device. @param {keyof typeof TIPS} name @param {string} dice */
export function tip(name, dice) {
  const line = document.getElementById("tip");
  if (!line) return;
  /** @type {string[]} */
  let told;
  try { told = JSON.parse(localStorage.getItem(TOLD) ?? "[]"); } catch { return; }
  line.hidden = told.includes(name) && showing !== name + dice;
  line.textContent = line.hidden ? "" : TIPS[name];
  if (told.includes(name)) return;
  showing = name + dice;
  localStorage.setItem(TOLD, JSON.stringify([...told, name]));
}
