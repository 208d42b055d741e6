// The page of a game. The server makes the board and knows the rules; this shows at once what it has said about a choice.

const idle = () => {};
const { feel = idle, setSetting = idle, setting = idle, tip = idle } = globalThis.Feel ?? {};
const stream = document.getElementById("stream");
const said = JSON.parse(stream.dataset.reactions);
const root = document.documentElement.dataset.root; // the path under which everything lies
const $ = (selector) => document.querySelector(selector);
const board = () => $("#board");
const names = () => JSON.parse(board().dataset.names); // which change as friends take their seats
const percent = (chance) => `${(100 * chance).toFixed(chance < 0.0995 ? 1 : 0)}%`;
const points = (number) => number.toLocaleString("en");
const alone = "alone" in document.documentElement.dataset; // the game is in this browser, and needs no network
const onLine = () => alone || navigator.onLine;
const UNREACHED = `${alone ? "There was no answer" : "The server was not reached"}. Nothing is lost; press again in a moment`;
const diceWord = (number) => `${number} ${number === 1 ? "die" : "dice"}`;

function stored(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch { return null; }
}

// News -----------------------------------------------------------------------------------------------------------------

let latest = Number(board().dataset.number); // event that the stream has told, or the page was made with
stream.addEventListener("move", (event) => {
  latest = Number(event.detail.id) || latest;
  const { kind, rules } = JSON.parse(event.detail.data);
  if (kind === "plan" && rules) location.reload(); // the sheet of the rules stands beside the board
});
stream.addEventListener("passing", (event) => {
  const message = JSON.parse(event.detail.data);
  if (message.kind === "presence") htmx.trigger(board(), "refresh");
  if (message.kind === "reaction") showReaction(message);
});

// The connection -------------------------------------------------------------------------------------------------------

// Whatever was missed before this script listened shows itself: until the stream is open and a board has come, the page
// asks for the board again and again, and for the stream where htmx has given up. One line at a time says what is wrong:
// the server's own words, or else that there is no connection.
const LATE = 5_000; // milliseconds that the stream has to open
const AGAIN = 3_000; // milliseconds between two tries
const ASIDE = 10_000; // and between two boards of a hidden page that has let its stream go
let opening = true; // htmx opens the stream once the page is there
let open = false;
let loading = 0; // boards that are under way
let lost = false;
let came = 0; // when the last board came without the stream
let asked = 0; // when the last board was asked for
let wentOff = 0; // when the browser last said that there is no network
let trying;

function connected(yes) {
  lost = !yes;
  showConnection();
  if (open && !lost) trying = clearTimeout(trying);
  else trying ??= setTimeout(tryAgain, (aside ? ASIDE : AGAIN) * (0.8 + 0.4 * Math.random()));
}

function showConnection() { $("#offline").hidden = !lost || $("#notice").hasChildNodes(); }

function tryAgain() {
  trying = undefined;
  if (!loading) htmx.trigger(board(), "refresh");
  if (!open && !opening && !aside) htmx.trigger(stream, "reconnect");
  connected(!lost);
}

function closed() {
  open = opening = false;
  connected((aside || Date.now() - came < 2 * AGAIN) && !lost); // while boards come, the game goes on without the stream
}

// A browser has six connections to a server over plain http, for all its pages together. So only the pages that were
// looked at last keep a stream. A hidden one with that many after it lets its own go, and asks for its board now and
// then, until it is looked at again. The pages tell each other when they take one; only https has locks for that.
const STREAMS = 3;
const me = crypto.getRandomValues(new Uint32Array(2)).join();
const after = new Set(); // the pages that have taken a stream since this one did
const pages = globalThis.BroadcastChannel ? new BroadcastChannel("farkel-streams") : null;
let aside = false; // this page has let its stream go
let connection;

function take() {
  aside = false;
  after.clear();
  pages?.postMessage({ page: me, takes: true });
}

function letGo() {
  if (aside || !document.hidden || after.size < STREAMS) return;
  aside = true;
  trying ??= setTimeout(tryAgain, 1_000); // the server hears at once that the stream has gone, and then that the page has not
  connection?.abortController.abort();
}

pages?.addEventListener("message", ({ data: { page, takes } }) => {
  if (takes) after.add(page);
  else after.delete(page);
  letGo();
});
window.addEventListener("pagehide", () => pages?.postMessage({ page: me, takes: false }));
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return letGo();
  take();
  if (open) return;
  trying = clearTimeout(trying);
  tryAgain();
});
stream.addEventListener("htmx:sse:before:connection", (event) => { if (aside) event.preventDefault(); });

stream.addEventListener("htmx:sse:after:connection", (event) => {
  connection = event.detail.connection;
  if (aside) return connection.abortController.abort();
  open = true;
  opening = false;
  if (lost) htmx.trigger(board(), "refresh");
  connected(true);
});
for (const name of ["htmx:sse:error", "htmx:sse:close"]) stream.addEventListener(name, closed);
window.addEventListener("offline", () => {
  if (alone) return;
  wentOff = Date.now();
  connected(false);
});
window.addEventListener("online", () => htmx.trigger(board(), "refresh"));
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx.sourceElement === stream) {
    opening = true;
    take();
  }
  if (ctx.sourceElement.id === "board") {
    loading += 1;
    asked = Date.now();
  }
});
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => { if (ctx.sourceElement.id === "board") loading -= 1; });
document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
  if (ctx?.request?.method === "POST") notice(`${UNREACHED}.`);
  if (ctx?.sourceElement === stream) closed();
  if (ctx?.sourceElement) connected(false);
});
document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  const { status } = ctx.response;
  if (ctx.sourceElement === stream) closed();
  else if (status >= 500 || (status === 429 && ctx.sourceElement.id === "board")) connected(false);
});

function showReaction({ what, seat }) {
  const bubble = document.createElement("p");
  bubble.textContent = seat === null ? said[what] : `${names()[seat]}: ${said[what]}`;
  $("#reactions").append(bubble);
  setTimeout(() => bubble.remove(), 5000);
}

document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  // Another process may answer than the one whose news this follows: it says how far it has to be.
  if (ctx.sourceElement === stream) ctx.request.action = ctx.request.action.replace(/after=\d+/, `after=${latest}`);
  if (ctx.sourceElement.id === "board") ctx.request.action += `?since=${latest}${open ? "" : "&there=1"}`;
  else if (ctx.sourceElement !== stream) notice("");
});
document.addEventListener("htmx:before:swap", (event) => {
  // Answers may overtake each other: a board that is older than the one shown is of no use.
  const { response, sourceElement, target, text } = event.detail.ctx;
  if (sourceElement === stream) event.preventDefault(); // boards come all the same, or say themselves what is wrong
  if (response?.status >= 500 && $("#notice").textContent.trim() === new DOMParser().parseFromString(text, "text/html").body.textContent.trim()) {
    event.preventDefault(); // it is said already, and would be read aloud once more
  }
  const number = /<div id="board"[^>]* data-number="(\d+)"/.exec(text);
  if (target?.id === "board" && Number(number?.[1]) < Number(target.dataset.number)) event.preventDefault();
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx?.request?.method === "POST") {
    document.querySelectorAll("dialog[open]").forEach((one) => one.close());
    ctx.sourceElement?.closest?.("[popover]")?.hidePopover();
    $("#board > .wrong")?.scrollIntoView({ block: "nearest" });
  }
  if (ctx?.target?.id === "board") {
    if (!open) came = Date.now();
    notice("");
    connected(onLine() || asked > wentOff); // a board that was under way says nothing of the network now
  }
  showConnection();
  if (ctx?.target?.id === "correction") $("#correcting").showModal();
  if (ctx?.target?.matches?.(".hint")) ring();
  if (ctx?.target?.id === "review") {
    ctx.target.hidden = false;
    ctx.target.scrollIntoView({ block: "start" });
  }
  prepare();
});

function notice(text) {
  const line = Object.assign(document.createElement("p"), { className: "wrong", textContent: text });
  $("#notice").replaceChildren(...(text ? [line] : []));
  showConnection();
}

// Choosing dice --------------------------------------------------------------------------------------------------------

const roll = () => $("fieldset.roll");
const chosenOf = (dice) => [...dice.querySelectorAll("input:checked")].map((die) => Number(die.value)).sort((one, other) => one - other);
const keepsOf = (dice) => JSON.parse(dice.dataset.keeps);

let asking;
async function weigh() {
  const dice = roll();
  if (!dice) return;
  if (!$("#board").classList.contains("felt")) return weighReal(dice);
  const chosen = chosenOf(dice);
  const keeps = keepsOf(dice);
  const keep = keeps.find((one) => one.dice.join() === chosen.join());
  const { points: before, score } = dice.dataset;
  label($("#bank"), keep ? `Bank ${points(keep.total)}` : "Bank", keep ? brief(dice, keep.bank_code, keep) || `${points(Number(score))} → ${points(keep.banked)}` : none(chosen), keep ? keep.bank : none(chosen));
  label($("#roll"), keep ? `Roll ${diceWord(keep.next_dice)}` : "Roll", keep ? brief(dice, keep.roll_code, keep) || `${percent(keep.farkle)} farkle` : none(chosen), keep ? keep.roll : none(chosen));
  $("#total").textContent = points(keep ? keep.total : Number(before));
  show($("#adds"), keep && !keep.tries, `+${points(keep?.adds ?? 0)}`);
  const hot = keep?.hot && !keep.roll;
  show($("#hot"), hot);
  const all = keep?.next_dice === 1 ? "the die" : `all ${keep?.next_dice} dice`;
  if (hot) $("#hot span").textContent = keep.bank ? `Roll ${all} again.` : `Roll ${all} again, or bank what you have.`;
  if (hot) feel("hot");
  lineUp(dice, hot);
  $("#weighed").hidden = !chosen.length;
  $("#asked").hidden = chosen.length > 0;
  $("#weighed progress").hidden = !keep || Boolean(keep.roll);
  asking?.abort();
  if (keep) {
    $("#weighed progress").value = keep.farkle;
    if (keep.tries && !keep.roll) $("#worth").innerHTML = `The next roll must complete: <b>${escaped(keep.tries)}</b>. ${often(keep.farkle)} rolls of ${diceWord(keep.next_dice)} don’t.`;
    else $("#worth").innerHTML = keep.roll ? escaped(keep.roll) : `<b>${often(keep.farkle)}</b> rolls of ${diceWord(keep.next_dice)} lose the ${points(keep.total)}.`;
    tip("decide", dice.id);
    return;
  }
  $("#worth").textContent = chosen.length ? "These dice can’t be kept together." : "";
  if (!chosen.length) return;
  asking = new AbortController();
  try {
    const answer = await fetch(`${root}g/${board().dataset.game}/why?dice=${chosen.join("")}`, { signal: asking.signal });
    if (answer.ok) $("#worth").textContent = await answer.text() || $("#worth").textContent;
  } catch { /* another choice was made meanwhile, or nobody answers */ }
}

/** Hot dice stand in a line, with those that were kept before; only transforms move, so nothing else does. */
function lineUp(dice, hot) {
  for (const one of dice.querySelectorAll(".beside")) one.remove();
  for (const die of dice.querySelectorAll(".die")) die.style.transform = "";
  dice.classList.toggle("lined", Boolean(hot));
  if (!hot) return;
  const rolled = [...dice.querySelectorAll(".die:has(.cube)")];
  const edge = rolled[0].querySelector(".cube").offsetWidth;
  for (const face of document.querySelectorAll("#rail .part:not(:has(~ .fold)) .face")) {
    const cube = Object.assign(document.createElement("span"), { className: "cube" });
    const die = Object.assign(document.createElement("span"), { className: "die beside" });
    cube.append(face.cloneNode(true));
    die.append(cube);
    dice.append(die);
  }
  const all = [...dice.querySelectorAll(".beside"), ...rolled];
  const step = Math.min(edge + 24, (dice.clientWidth - 28) / all.length);
  const scale = Math.min(1, (step - 10) / edge);
  for (const [at, die] of all.entries()) {
    const x = dice.clientWidth / 2 + (at - (all.length - 1) / 2) * step - die.offsetLeft - die.offsetWidth / 2;
    const y = (dice.clientHeight - $("#hot").offsetHeight) / 2 - die.offsetTop - die.offsetHeight / 2;
    die.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  }
}

const none = (chosen) => chosen.length ? "not these dice" : "choose dice first";
const often = (chance) => Math.round(100 * chance) ? `${Math.round(100 * chance)} of 100` : "Fewer than 1 of 100";
const escaped = (text) => Object.assign(document.createElement("i"), { textContent: text }).innerHTML;
function show(element, yes, text) {
  element.hidden = !yes;
  if (text !== undefined) element.textContent = text;
}

/** A refusal in as few words as a button has room for. */
function brief(dice, code, keep) {
  if (!code) return "";
  const { needs, multiple } = dice.dataset;
  const text = JSON.parse(dice.dataset.brief)[code] ?? "not with these dice";
  return text.replace("{needs}", points(Number(needs))).replace("{multiple}", points(Number(multiple)));
}

function label(button, what, small, why) {
  button.querySelector("b").textContent = what;
  button.querySelector("small").textContent = small;
  allow(button, why === "choose dice first" ? "Choose the dice you keep first." : why);
}

/** Take all that scores; once more puts it back. */
function takeAll() {
  const dice = roll();
  const most = keepsOf(dice)[0].dice;
  const left = chosenOf(dice).join() === most.join() ? [] : [...most];
  for (const die of dice.querySelectorAll("input")) {
    const place = left.indexOf(Number(die.value));
    die.checked = place >= 0;
    if (place >= 0) left.splice(place, 1);
  }
  feel("choose");
  weigh();
}

addEventListener("resize", () => { if ($(".lined")) lineUp($(".lined"), true); });

/** The dice that a hint keeps are ringed. */
function ring() {
  const left = $(".hint [data-dice]")?.dataset.dice.split(" ") ?? [];
  for (const die of document.querySelectorAll("fieldset.roll .die:has(input)")) {
    const place = left.indexOf(die.querySelector("input").value);
    die.classList.toggle("hinted", place >= 0);
    if (place >= 0) left.splice(place, 1);
  }
}

/** The sheet of a real table, whose dice are rolled by hand. */
async function weighReal(dice) {
  const chosen = chosenOf(dice);
  const keep = keepsOf(dice).find((one) => one.dice.join() === chosen.join());
  const worth = $("#worth");
  const [onward, bank] = dice.form.querySelectorAll("button[name=then]");
  const why = chosen.length ? "These dice can’t be kept together." : "Choose the dice you keep.";
  allow(onward, keep ? keep.roll : why);
  allow(bank, keep ? keep.bank : why);
  onward.firstChild.data = keep && !keep.roll ? `Roll ${diceWord(keep.next_dice)} ` : "Keep and roll ";
  bank.firstChild.data = keep && !keep.bank ? `Bank ${points(keep.total)} ` : "Keep and bank ";
  asking?.abort();
  if (keep) {
    const risk = keep.roll || `Rolling ${diceWord(keep.next_dice)} risks ${points(keep.total)} with a farkle in ${percent(keep.farkle)}.`;
    if (keep.tries) worth.textContent = `The next roll must complete: ${keep.tries}. ${risk}`;
    else worth.textContent = [`Adds ${points(keep.adds)}: turn total ${points(keep.total)}.`, risk, keep.bank].filter(Boolean).join(" ");
    return;
  }
  worth.textContent = why;
  if (!chosen.length) return;
  asking = new AbortController();
  try {
    const answer = await fetch(`${root}g/${board().dataset.game}/why?dice=${chosen.join("")}`, { signal: asking.signal });
    if (answer.ok) worth.textContent = await answer.text() || why;
  } catch { /* another choice was made meanwhile, or nobody answers */ }
}

function allow(button, why) {
  button.setAttribute("aria-disabled", why ? "true" : "false");
  button.dataset.why = why;
}

/** How many dice are bought or taken over: the button says so. */
function weighTake(radio) {
  const button = $("#take");
  const number = Number(radio.value);
  const buys = button.dataset.buys;
  const lives = `pay ${number} ${number === 1 ? "life" : "lives"}`;
  button.querySelector("b").textContent = `${button.dataset.verb} ${diceWord(number)}`;
  button.querySelector("small").textContent = radio.dataset.brief ?? (buys ? lives : `roll ${diceWord(number)}`);
  allow(button, radio.dataset.why ?? "");
}

document.addEventListener("change", ({ target }) => {
  if (target.closest("fieldset.roll")) {
    feel("choose");
    weigh();
    for (const said of document.querySelectorAll(".hint > :not(.busy)")) said.remove(); // the rings stay
    const die = target.closest(".dull");
    if (die && target.checked && $("#board.felt")) tell(`A ${target.value} alone scores nothing.`);
  }
  if (target.matches(".felt .numbers input")) weighTake(target);
  if (target.dataset.setting) setSetting(target.dataset.setting, target.checked || target.matches("select") ? target.value : null);
});

function toggle(face) {
  const same = [...document.querySelectorAll(`fieldset.roll input[value="${face}"]`)];
  if (!same.length) return false;
  const next = same.find((one) => !one.checked);
  if (next) next.checked = true;
  else same.forEach((one) => { one.checked = false; });
  feel("choose");
  weigh();
  return true;
}

// A decision is answered at once and cannot be made twice ----------------------------------------------------------------

const SETTLING = 250; // milliseconds after the bar changed hands in which a press was meant for what was there before
let busy = null; // the button whose answer is under way
let handed = 0;

document.addEventListener("submit", (event) => {
  if (!event.target.action.endsWith("/move") || event.target.matches("form.word")) return;
  if (busy) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  busy = event.submitter ?? event.target;
  busy.setAttribute("aria-busy", "true");
  if (busy.form?.id === "do-keep" && busy.value === "bank") feel("bank");
}, true);
function answered() {
  busy?.removeAttribute("aria-busy");
  busy = null;
}
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => { if (ctx.request?.method === "POST") answered(); });

// What happened is seen before the next thing is shown: a farkle holds the board for a moment, the game waits for nobody.
const WATCHED = 1_800; // milliseconds that somebody else's farkle is looked at
const OWN = 3_000; // and one's own, unless it is passed on before
let until = 0;
let later;
let passing;

/** One's own farkle: the bar hands on to the next seat, by a press or by itself. */
function passSoon() {
  $("#pass").hidden = false;
  clearTimeout(passing);
  passing = setTimeout(pass, OWN);
}

function pass() {
  clearTimeout(passing);
  until = 0;
  if ($("#pass")?.hidden !== false) return;
  $("#pass").hidden = true;
  settle();
  if (later) refreshSoon();
}

/** The bar has changed hands: presses that were meant for what was there before do nothing. */
function settle() {
  handed = Date.now();
  $("#bar").dataset.settling = "";
  setTimeout(() => delete $("#bar")?.dataset.settling, SETTLING);
}

function refreshSoon() {
  clearTimeout(later);
  later = setTimeout(() => {
    later = undefined;
    htmx.trigger(board(), "refresh");
  }, Math.max(40, until - Date.now()));
}
if (!board().getAttribute("hx-trigger").includes("move")) stream.addEventListener("move", refreshSoon);

/** The bar of a new board, and what is to be seen and heard of it. */
let shown = "";
let mine = null;
let scores = [];

/** Points that are banked count into the score. */
function count() {
  const seats = [...document.querySelectorAll(".strip .score")];
  const were = scores;
  scores = seats.map((one) => Number(one.dataset.score));
  if (were.length !== seats.length || setting("motion") === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [seat, score] of scores.entries()) {
    if (score === were[seat]) continue;
    const began = performance.now();
    const step = (now) => {
      const part = Math.min(1, Math.max(0, (now - began) / 300));
      seats[seat].textContent = points(Math.round(were[seat] + part * (score - were[seat])));
      if (part < 1 && seats[seat].isConnected && Number(seats[seat].dataset.score) === score) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}

/** On a phone on its side the news lies over the tray, for as long as it takes to read. */
let told = "";
function tell(text) {
  const line = $("#news");
  line.textContent = text;
  told = text;
  line.getAnimations().forEach((one) => one.cancel());
  line.animate({ opacity: [1, 1] }, 1_500 + 60 * text.length);
}

/** The seat on turn comes into the middle of a strip that scrolls: it sticks to the edge only while it is beyond it. */
let turn = "";
function follow() {
  const seat = $(".strip.crowded .on-turn");
  if (!seat || turn === board().dataset.turn) return;
  turn = board().dataset.turn;
  seat.style.position = "static";
  seat.scrollIntoView({ block: "nearest", inline: "center" });
  seat.style.position = "";
}

function look() {
  const felt = $("#board.felt");
  if (!felt) {
    if (shown && $("#board.over")) feel("win");
    shown = "";
    return;
  }
  count();
  const decides = !$("#waits");
  if (mine === false && decides) {
    settle();
    feel("turn");
  }
  mine = decides;
  if (Date.now() - handed < SETTLING) $("#bar").dataset.settling = ""; // which a new board takes away
  const moment = $("[data-moment]");
  const dice = $(".felt .roll");
  const now = moment?.id ?? dice?.id ?? "";
  if (now !== shown && shown) {
    if (moment) until = Date.now() + ($("#pass") ? OWN : WATCHED);
    if (moment && $("#pass")) passSoon();
    feel(moment ? "farkle" : dice?.querySelector(".cube") ? "throw" : "", dice?.querySelectorAll(".cube").length);
  } else if (moment && $("#pass")) $("#pass").hidden = Date.now() >= until;
  shown = now;
  if ($("#throw") && !moment && $(".score-sheet")) tip("scores", $("#throw").form.elements.seen.value);
  if (roll() && !chosenOf(roll()).length) tip("choose", roll().id);
  follow();
  if ($("#news").textContent !== told) tell($("#news").textContent);
}

// Taps and keys --------------------------------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  const pressed = event.target.closest("button, a");
  if (!pressed) return;
  const decides = pressed.closest("#bar") || pressed.form?.action.endsWith("/move");
  if (decides && (busy || Date.now() - handed < SETTLING)) {
    event.preventDefault();
    event.stopPropagation();
  } else if (pressed.getAttribute("aria-disabled") === "true") {
    event.preventDefault();
    event.stopPropagation();
    if ($("#news")) tell(pressed.dataset.why);
    else if ($("#worth")) $("#worth").textContent = pressed.dataset.why;
    else notice(pressed.dataset.why);
  } else if (pressed.id === "take-all") {
    takeAll();
  } else if (pressed.id === "on") {
    pass();
  } else if (pressed.dataset.dialog) {
    event.preventDefault();
    document.getElementById(pressed.dataset.dialog).showModal();
  } else if (pressed.dataset.face) {
    const faces = $("form.throw input[name=faces]");
    const kept = faces.value.replace(/\D/g, "");
    faces.value = pressed.dataset.face === "back" ? kept.slice(0, -1) : (kept + pressed.dataset.face).slice(0, Number(faces.dataset.most));
  } else if ("share" in pressed.dataset) {
    const url = pressed.closest(".link").querySelector("input").value;
    navigator.share({ title: document.title, text: "Play a game of Farkle with me.", url }).catch(() => { /* closed without sharing */ });
  }
}, true);

/** What a key types on an English keyboard: the same as here, or what is in its place if that is of another alphabet. */
const keyOf = (event) => (/^[!-~]$/.test(event.key) ? event.key : event.code.replace(/^(Key|Digit)/, "")).toLowerCase();

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || $("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  const key = keyOf(event);
  if (/^[0-9]$/.test(key) && toggle(Number(key) || 10)) return event.preventDefault();
  const again = key === "a" ? $("#take-all") : null; // hidden once dice are chosen
  const meant = document.querySelector(`:not([hidden]) > [data-key="${CSS.escape(key)}"]`) ?? again;
  if (!meant) return;
  event.preventDefault();
  meant.click();
});

for (const box of document.querySelectorAll("[data-setting]")) {
  if (box.matches("select")) box.value = setting(box.dataset.setting);
  else box.checked = setting(box.dataset.setting) === box.value;
}

// Before and after the game --------------------------------------------------------------------------------------------

/** Send a move; what the server says of it: the `number` of its event, or a `message`. */
async function submit(move) {
  const answer = await fetch(`${root}g/${board().dataset.game}/moves`, {
    method: "POST", headers: { "accept": "application/json", "content-type": "application/json" }, body: JSON.stringify({ move }),
  }).catch(() => null);
  return await answer?.json().catch(() => null) ?? { message: UNREACHED };
}

// Words go into the dice one after the other, and each is kept with the number of its event: so the end can be held
// against it, and a word that another device gave later, or a seat that has moved, is not taken for a wrong.
const wordAt = (seat) => `farkel-word-${board().dataset.game}-${seat}`;
function ownWord(seat) {
  try { return JSON.parse(stored(wordAt(seat))); } catch { return null; }
}

/** Keep a word as the server takes it; `number` is 0 until it has said that it did. */
function keepWord(seat, word, number) {
  if (number < (ownWord(seat)?.number ?? 0)) return; // answers may overtake each other
  stored(wordAt(seat), JSON.stringify({ word: word.split(/[\s\x1c-\x1f\x85]+/).filter(Boolean).join(" "), number }));
}

async function give(seat, word) {
  const said = await submit({ do: "word", seat, word });
  if (said.number) keepWord(seat, word, said.number);
  return said;
}

const mixed = new Set(); // what this page has done by itself: the seats with a word from it, and the start
let giving = Promise.resolve();
const afterwards = (work) => { giving = giving.then(work, work); };

/** Give a word for each seat here that has none, and start a game that waits for nobody else. */
async function mixIn() {
  const without = () => [...document.querySelectorAll("input[data-given='0']")].map((input) => Number(input.dataset.seat));
  for (let seat; (seat = without().find((one) => !mixed.has(one))) !== undefined;) {
    mixed.add(seat);
    const { word = newWord(seat), number: before = 0 } = ownWord(seat) ?? {};
    keepWord(seat, word, before); // so that the page gives the same after a reload
    const { number, code } = await give(seat, word);
    if (number) continue;
    if (code !== "started") mixed.delete(seat); // the next board tries again
    return;
  }
  if ($("#begin")?.dataset.alone !== "1" || mixed.has("start")) return;
  mixed.add("start");
  if (!(await submit({ do: "start" })).number) mixed.delete("start");
  htmx.trigger(board(), "refresh");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form.word")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const { seat, word } = Object.fromEntries(new FormData(form));
  afterwards(async () => {
    const { number, message } = await give(Number(seat), word);
    if (number) form.reset();
    notice(number ? "" : `${message[0].toUpperCase()}${message.slice(1)}.`);
    htmx.trigger(board(), "refresh");
  });
}, true);

/** Keep the fingerprint that was promised first, before any word was given. */
function promise() {
  const name = `farkel-commitment-${board().dataset.game}`;
  if ($("#commitment")) stored(name, stored(name) ?? $("#commitment").dataset.commitment);
}

/** The words that this browser gave, by seat. */
function ownWords() {
  const words = names().map((_, seat) => [seat, ownWord(seat)]);
  return Object.fromEntries(words.filter(([, kept]) => kept?.word));
}

// The game that is played now is the one that the start page offers next.
if (board().dataset.held === "1" && stream.dataset.rules) {
  stored("farkel-last", JSON.stringify({ rules: stream.dataset.rules, title: stream.dataset.title }));
}

// A word that was given on the start page is the first event of the game which that opened, in the same tab.
if (location.hash === "#word") {
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    keepWord(0, sessionStorage.getItem("farkel-word"), 1);
  } catch { /* nothing was kept */ }
}

let acted = false;
document.addEventListener("submit", () => { acted = true; }, true);

/** After every new board. */
function prepare() {
  weigh();
  look();
  if (navigator.share) for (const button of document.querySelectorAll("[data-share]")) button.hidden = false;
  if (board().classList.contains("lobby")) {
    promise();
    afterwards(mixIn);
  }
  if ($("#slips") && $("#slips-said")) $("#slips-said").textContent = $("#slips").textContent;
  const verify = $("#verify:not([data-begun])");
  if (verify) {
    verify.dataset.begun = "";
    import("./verify.js").then((module) => module.show(verify, board().dataset.game, ownWords()));
  }
  if (acted && document.activeElement === document.body) {
    $("fieldset.roll input, #bar .primary, .play .actions .primary, .play .actions .good")?.focus({ preventScroll: true });
  }
  acted = false;
}
prepare();
connected(onLine());
setTimeout(() => { if (!open) connected(false); }, LATE);
