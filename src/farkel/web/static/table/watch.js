// A game that is watched again. Every step is a link; this replaces only the board, listens to keys, and plays by itself.

import { $, $$, UNREACHED, board, find, root, whenHtmx } from "./board.js";
import { feel, setSetting, setting } from "./feel.js";

const address = `${root}g/${board().dataset.game}/watch`;
const seek = () => /** @type {HTMLInputElement} */ ($("#seek"));
const paces = () => /** @type {HTMLSelectElement | null} */ (find("#pace"));

/** @type {string | null} */
let wanted = null; // the event to go to; only the latest counts
let loading = false;
let playing = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let step; // the next one, while it plays
let dragging = false; // the slider is held
let pace = setting("pace") || "1200"; // milliseconds between two steps

/** Show the table after an event. It leaps there, or goes on as the game went. @param {string} at */
async function go(at, leaps = true) {
  wanted = at;
  if (loading) return;
  loading = true;
  const before = find(".roll")?.id;
  try {
    while (wanted !== null) {
      const next = wanted;
      wanted = null;
      document.body.toggleAttribute("data-leap", leaps);
      await htmx.ajax("GET", `${address}?at=${next}`, { target: "#board", swap: "outerMorph" });
    }
  } finally {
    loading = false;
  }
  shown(leaps, before);
}

/** After every new board: what script alone has set, and what is heard of it. @param {boolean} leaps @param {string | undefined} before */
function shown(leaps, before) {
  const at = board().dataset.number ?? "0";
  history.replaceState(history.state, "", `${address}?at=${at}`);
  if (!dragging) seek().value = at;
  showPace();
  if (leaps) return;
  const dice = find(".roll");
  if (board().dataset.over === "1") feel("win");
  else if (dice && dice.id !== before) feel(find(".band:not([hidden])") ? "farkle" : "throw", $$(".cube", dice).length);
}

function showPace() {
  const choice = paces();
  if (choice) choice.value = pace;
}

const atEnd = () => $("#on").dataset.at === board().dataset.number;

/** @param {boolean} yes */
function plays(yes) {
  clearTimeout(step);
  playing = yes;
  $("#play").classList.toggle("playing", yes);
  $("#play b").textContent = yes ? "Pause" : "Play";
}

async function play() {
  plays(true);
  if (atEnd()) await go("0");
  else await go($("#on").dataset.at ?? "0", false);
  if (!playing) return;
  if (atEnd()) plays(false);
  else step = setTimeout(play, Number(pace));
}

document.addEventListener("click", (event) => {
  const pressed = event.target instanceof Element ? event.target.closest("a, button") : null;
  if (!(pressed instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (pressed.id === "play") return playing ? plays(false) : play();
  if (pressed.dataset.at === undefined) return;
  event.preventDefault();
  const over = pressed.closest("[popover]");
  if (over instanceof HTMLElement) over.hidePopover();
  plays(false);
  if (pressed.dataset.at !== board().dataset.number) go(pressed.dataset.at, pressed.id !== "on");
});

document.addEventListener("input", ({ target }) => {
  if (target !== seek()) return;
  dragging = true;
  plays(false);
  go(seek().value);
});
document.addEventListener("change", ({ target }) => {
  if (target === seek()) dragging = false;
  if (target instanceof HTMLSelectElement && target === paces()) setSetting("pace", pace = target.value);
});
document.addEventListener("submit", (event) => event.preventDefault()); // the slider has no need of its button

/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "#back", ArrowRight: "#on", Home: "#first", End: "#last", " ": "#play" };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || find("[popover]:popover-open")) return;
  const to = /** @type {Element} */ (event.target);
  if (to.matches("select, input, textarea") || (event.key === " " && to.matches("button"))) return;
  const button = KEYS[event.key];
  if (!button) return;
  event.preventDefault();
  $(button).click();
});

document.addEventListener("visibilitychange", () => { if (document.hidden) plays(false); });
whenHtmx("htmx:error", () => {
  plays(false);
  const line = Object.assign(document.createElement("p"), { className: "wrong", textContent: `${UNREACHED}.` });
  $("#notice").replaceChildren(line);
});
whenHtmx("htmx:after:swap", ({ target }) => { if (target?.id === "board") $("#notice").replaceChildren(); });

showPace();
