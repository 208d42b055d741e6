// What is heard and felt, the settings of this device, and three tips for the first game. The page works without it.

globalThis.Feel = (() => {
const KEY = "farkel-settings";
const DEFAULTS = { scheme: "device", hand: "right", motion: "on", sound: "off", vibration: "off", entry: "turns" };

function all() {
  try { return JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { return {}; }
}

function setting(name) { return all()[name] ?? DEFAULTS[name]; }

/** Change a setting and remember it; null means its other value. */
function setSetting(name, value) {
  const settings = { ...all(), [name]: value ?? (name === "motion" ? "off" : DEFAULTS[name]) };
  try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* then it holds until the page is left */ }
  if (name in document.documentElement.dataset) document.documentElement.dataset[name] = settings[name];
}

const still = () => setting("motion") === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches;

let audio;
/** A short note: pitch in hertz, start and length in seconds. */
function note(pitch, at, length, shape = "sine", loud = 0.2, to = pitch) {
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

const knock = (at, loud = 0.25) => note(210, at, 0.06, "triangle", loud, 90);
const SOUNDS = {
  throw: (dice) => { for (let one = 0; one < Math.min(dice, 6); one++) knock(0.05 + 0.055 * one, 0.15 + 0.1 * (one % 2)); },
  choose: () => note(900, 0, 0.03, "triangle", 0.12),
  bank: () => { note(500, 0, 0.1, "sawtooth", 0.03, 700); knock(0.12, 0.35); },
  farkle: () => note(190, 0, 0.35, "sine", 0.3, 80),
  hot: () => { note(660, 0, 0.14); note(880, 0.14, 0.2); },
  turn: () => knock(0, 0.3),
  win: () => { for (const [place, pitch] of [523, 659, 784].entries()) note(pitch, 0.11 * place, 0.18); },
};
const BUZZES = { throw: 20, choose: 10, bank: 15, farkle: [40, 40, 40], hot: [15, 30, 15], turn: 30, win: [20, 40, 60] };

/** Let an event be heard and felt, if this device wants it. */
function feel(event, dice = 1) {
  if (!event || still()) return;
  if (setting("vibration") === "on") navigator.vibrate?.(BUZZES[event]);
  if (setting("sound") !== "on") return;
  audio ??= new AudioContext();
  SOUNDS[event](dice);
}

const TIPS = {
  choose: "Tap the dice you want to keep. Grey dice score nothing.",
  decide: "Bank keeps the points. Roll risks them for more.",
  scores: "Tap the scores above to open the score sheet.",
};
const TOLD = "farkel-tips";

let showing = "";

/** Show a tip where it is wanted for the first time, as long as the same dice lie there; each one once on this device. */
function tip(name, dice) {
  const line = document.getElementById("tip");
  if (!line) return;
  let told;
  try { told = JSON.parse(localStorage.getItem(TOLD)) ?? []; } catch { return; }
  line.hidden = told.includes(name) && showing !== name + dice;
  line.textContent = line.hidden ? "" : TIPS[name];
  if (told.includes(name)) return;
  showing = name + dice;
  localStorage.setItem(TOLD, JSON.stringify([...told, name]));
}

return { feel, setting, setSetting, tip };
})();
