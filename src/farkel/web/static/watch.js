// A game that is watched again. Every step is a link; this replaces only the board, listens to keys, and plays by itself.

const { feel = () => {}, setting = () => undefined, setSetting = () => {} } = globalThis.Feel ?? {};
const { root } = document.documentElement.dataset;
const $ = (selector) => document.querySelector(selector);
const board = () => $("#board");
const address = `${root}g/${board().dataset.game}/watch`;

let wanted = null; // the event to go to; only the latest counts
let loading = false;
let playing = false;
let step; // the next one, while it plays
let dragging = false; // the slider is held
let pace = setting("pace") ?? "1200"; // milliseconds between two steps

/** Show the table after an event. It leaps there, or goes on as the game went. */
async function go(at, leaps = true) {
  wanted = at;
  if (loading) return;
  loading = true;
  const before = $(".roll")?.id;
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

/** After every new board: what script alone has set, and what is heard of it. */
function shown(leaps, before) {
  const at = board().dataset.number;
  history.replaceState(history.state, "", `${address}?at=${at}`);
  if (!dragging) $("#seek").value = at;
  if ($("#pace")) $("#pace").value = pace;
  if (leaps) return;
  const dice = $(".roll");
  if (board().dataset.over === "1") feel("win");
  else if (dice && dice.id !== before) feel($(".band:not([hidden])") ? "farkle" : "throw", dice.querySelectorAll(".cube").length);
}

const atEnd = () => $("#on").dataset.at === board().dataset.number;

function plays(yes) {
  clearTimeout(step);
  playing = yes;
  $("#play").classList.toggle("playing", yes);
  $("#play b").textContent = yes ? "Pause" : "Play";
}

async function play() {
  plays(true);
  if (atEnd()) await go(0);
  else await go($("#on").dataset.at, false);
  if (!playing) return;
  if (atEnd()) plays(false);
  else step = setTimeout(play, Number(pace));
}

document.addEventListener("click", (event) => {
  const pressed = event.target.closest("a, button");
  if (!pressed || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (pressed.id === "play") return playing ? plays(false) : play();
  if (pressed.dataset.at === undefined) return;
  event.preventDefault();
  pressed.closest("[popover]")?.hidePopover();
  plays(false);
  if (pressed.dataset.at !== board().dataset.number) go(pressed.dataset.at, pressed.id !== "on");
});

document.addEventListener("input", ({ target }) => {
  if (target.id !== "seek") return;
  dragging = true;
  plays(false);
  go(target.value);
});
document.addEventListener("change", ({ target }) => {
  if (target.id === "seek") dragging = false;
  if (target.id === "pace") setSetting("pace", pace = target.value);
});
document.addEventListener("submit", (event) => event.preventDefault()); // the slider has no need of its button

const KEYS = { ArrowLeft: "#back", ArrowRight: "#on", Home: "#first", End: "#last", " ": "#play" };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || $("[popover]:popover-open")) return;
  if (event.target.matches("select, input, textarea") || (event.key === " " && event.target.matches("button"))) return;
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  $(KEYS[event.key]).click();
});

document.addEventListener("visibilitychange", () => { if (document.hidden) plays(false); });
document.addEventListener("htmx:error", () => {
  plays(false);
  const line = Object.assign(document.createElement("p"), { className: "wrong", textContent: `${"alone" in document.documentElement.dataset ? "There was no answer" : "The server was not reached"}. Press again in a moment.` });
  $("#notice").replaceChildren(line);
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => { if (ctx?.target?.id === "board") $("#notice").replaceChildren(); });

if ($("#pace")) $("#pace").value = pace;
