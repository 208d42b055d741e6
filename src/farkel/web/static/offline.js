// The score sheet for real dice without a network. Turns are kept on this device and sent in order once it is back, each
// under the name it got when it was entered, so that it counts once. Until the server has taken them they stand as not
// yet confirmed: the server alone knows the rules.

const root = document.documentElement.dataset.root; // the path under which everything lies
const game = /^g\/([a-z0-9]{12})$/.exec(location.pathname.slice(root.length))?.[1];
const $ = (id) => document.getElementById(id);
const board = () => $("board");
const panel = $("unconfirmed");
const SHEET = "farkel-sheet-", QUEUE = "farkel-queue-";
const MOST_SHEETS = 10;
const MOST_WAITING = 200;
const AGAIN = 5_000; // milliseconds between two tries to reach the server
const PATIENCE = 10_000; // milliseconds that it has to answer
const PLAYED = ["move", "start", "again"]; // kinds of events after which an entry may no longer fit

function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, JSON.stringify(value));
    return JSON.parse(localStorage.getItem(name));
  } catch { return null; }
}

const waits = () => kept(QUEUE + game) ?? [];
let queue = waits();
let down = !board() || !navigator.onLine;
let trouble = null; // what the server says of the first entry, and what may be done about it
let changing = false;
let sending = false;

// The sheet as the server has it ----------------------------------------------------------------------------------------

function look() {
  const said = board()?.dataset.sheet;
  if (!said) return;
  kept(SHEET + game, { ...JSON.parse(said), at: Date.now() });
  const sheets = Object.keys(localStorage).filter((name) => name.startsWith(SHEET));
  const old = sheets.sort((one, two) => kept(two).at - kept(one).at).slice(MOST_SHEETS);
  for (const name of old) if (!kept(QUEUE + name.slice(SHEET.length))?.length) localStorage.removeItem(name);
}

const sheet = () => kept(SHEET + game);
const enters = () => Boolean(sheet()?.open);

function following(seat) {
  const { playing } = sheet();
  for (let step = 1; step <= playing.length; step++) {
    const next = (seat + step) % playing.length;
    if (playing[next]) return next;
  }
  return seat;
}

/** The entries, each with the seat that it is of, and the seat whose turn comes after them. */
function waiting() {
  let { seat } = sheet();
  const entries = queue.map((one) => {
    const entry = { ...one, seat };
    seat = following(seat);
    return entry;
  });
  return { entries, seat };
}

/** The turns of a seat, in rounds: one more is written down. */
function noted(rounds, seat, entry) {
  const last = rounds.at(-1);
  const row = last && !last[seat] ? last : sheet().names.map(() => "");
  return [...rounds.filter((one) => one !== row), row.map((one, index) => (index === seat ? text(entry) : one))];
}

function save() {
  if (kept(QUEUE + game, queue) === null) say("This browser can’t store anything: write the turns on paper.");
}

// What is shown ---------------------------------------------------------------------------------------------------------

const points = (number) => number.toLocaleString("en");
const text = (one) => (one.farkle ? sheet().farkle : `+${points(one.points)}`);
const form = $("unconfirmed-form");
const turn = () => sheet().turn + (changing ? 0 : queue.length); // number of the turn that is being entered
let typing = null; // the turn whose entry is shown
function element(name, words, className = "") { return Object.assign(document.createElement(name), { textContent: words, className }); }
function say(words) { $("unconfirmed-said").textContent = words; }

function show() {
  const shown = Boolean(game) && enters() && (down || queue.length > 0);
  panel.hidden = !shown;
  document.body.dataset.unconfirmed = shown ? "1" : "0";
  if ($("needs-server")) $("needs-server").hidden = shown;
  if (!shown) {
    typing = null; // it goes on on the board
    return;
  }
  const { names, scores, dice, title, rounds } = sheet();
  const { entries, seat } = waiting();
  $("unconfirmed-title").textContent = title;
  $("unconfirmed-scores").replaceChildren(...names.map((name, index) => {
    const more = entries.filter((one) => one.seat === index && !one.farkle).reduce((sum, one) => sum + one.points, 0);
    const row = element("div", "");
    row.append(element("dt", name), element("dd", points(scores[index]) + (more ? ` + ${points(more)}` : "")));
    return row;
  }));
  $("unconfirmed-names").replaceChildren(...names.map((name) => Object.assign(element("th", name), { scope: "col" })));
  $("unconfirmed-rounds").replaceChildren(...rounds.map((round) => {
    const row = element("tr", "");
    row.append(...round.map((one) => element("td", one)));
    return row;
  }));
  $("unconfirmed-sheet").hidden = !rounds.length;
  $("unconfirmed-turns").replaceChildren(...entries.map((one) => {
    const item = element("li", `${names[one.seat]}: ${text(one)} `);
    item.append(element("span", "not yet confirmed", "soft"));
    return item;
  }));
  $("unconfirmed-last").hidden = !queue.length || Boolean(trouble);
  $("unconfirmed-trouble").hidden = !trouble;
  $("unconfirmed-form").hidden = Boolean(trouble) && !changing;
  $("unconfirmed-why").textContent = trouble ? `${names[entries[0].seat]}, ${text(entries[0])}: ${trouble.message}.` : "";
  $("unconfirmed-anyway").hidden = !trouble?.anyway;
  const whose = names[changing ? entries[0].seat : seat];
  $("unconfirmed-whose").textContent = changing ? `${whose}’s turn, corrected` : `${whose}’s turn`;
  form.querySelector("[value=on]").textContent = sheet().farkle;
  const choices = $("unconfirmed-dice");
  choices.hidden = choices.previousElementSibling.hidden = !sheet().asks_dice;
  if (choices.options.length !== dice + 2) {
    choices.replaceChildren(new Option("choose", ""), ...Array.from({ length: dice + 1 }, (_, left) => new Option(left, left)));
  }
  if (typing !== turn()) {
    typing = turn();
    const typed = Typed.read(game, "turn", typing);
    form.elements.points.value = typed.points ?? "";
    choices.value = typed.dice ?? "";
  }
}

// Entering --------------------------------------------------------------------------------------------------------------

/** Keep an entry, in the place of the first one if that is being changed. */
function enter(entry) {
  queue = waits(); // another tab may have entered a turn too
  Typed.write(game, "turn", turn(), {});
  queue = changing ? [entry, ...queue.slice(1)] : [...queue, entry];
  changing = false;
  trouble = null;
  save();
  show();
  send();
}

function entered(form, farkle) {
  const typed = form.elements.points.value.trim();
  const said = typed ? Typed.number(typed) : 0;
  const left = form.elements.dice?.value ?? "";
  if (!farkle && !typed) return say(`Enter the points you banked, or choose ${sheet().farkle}.`);
  if (said === null) return say(`“${typed}” is unclear: type the points with digits alone, such as 1500.`);
  const most = Number(form.elements.points.dataset.most);
  if (said > most) return say(`A turn brings ${points(most)} points at most.`);
  if (!farkle && left === "" && sheet().asks_dice) return say("Enter how many dice were left, 0 for none.");
  if (!changing && queue.length >= MOST_WAITING) return say(`At most ${MOST_WAITING} turns can wait for the server.`);
  return { points: said, dice: left === "" ? null : Number(left), farkle };
}

function name() { return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join(""); }

form.addEventListener("input", () => Typed.write(game, "turn", turn(), { points: form.elements.points.value, dice: form.elements.dice.value }));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  say("");
  const entry = entered(form, event.submitter?.value === "on");
  if (!entry) return;
  enter({ ...entry, request: name(), sure: false });
  say("Kept on this device.");
});
$("unconfirmed-last").addEventListener("click", () => {
  if (sending) return say("It’s being sent right now.");
  queue = waits().slice(0, -1);
  save();
  show();
});
$("unconfirmed-anyway").addEventListener("click", () => {
  const { number, sure } = trouble.anyway;
  if (number) kept(SHEET + game, { ...sheet(), number });
  if (sure) queue[0] = { ...queue[0], sure: true, request: name() };
  trouble = null;
  save();
  show();
  send();
});
$("unconfirmed-change").addEventListener("click", () => { changing = true; show(); });
$("unconfirmed-drop").addEventListener("click", () => {
  if (!confirm(`Discard all ${queue.length} turns that are not confirmed?`)) return;
  queue = [];
  trouble = null;
  changing = false;
  save();
  settle();
});

// A turn entered on the board while the server was out of reach. Perhaps it got there: its name says so.
let tried = null;
document.addEventListener("submit", ({ target, submitter }) => {
  if (target.matches("form.entry")) tried = { farkle: submitter?.value === "on", form: target };
}, true);
document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
  if (!ctx?.sourceElement?.matches?.("form.entry") || !tried || !enters() || queue.length) return;
  const entry = tried.form.elements.do.value === "note" && entered(tried.form, tried.farkle);
  if (!entry) return;
  down = true;
  enter({ ...entry, request: tried.form.elements.request.value, sure: false });
});

// Sending ---------------------------------------------------------------------------------------------------------------

async function send() {
  if (sending || trouble || !queue.length) return;
  sending = true;
  const all = () => { queue = waits(); return sendAll(); };
  try {
    if (navigator.locks) await navigator.locks.request(QUEUE + game, all); // another tab may be sending the same
    else await all();
  } finally { sending = false; }
  show();
}

async function sendAll() {
  while (queue.length && !trouble) {
    const { request, ...entry } = queue[0];
    const answer = await fetch(`${root}g/${game}/moves`, {
      method: "POST", signal: AbortSignal.timeout(PATIENCE),
      headers: { "accept": "application/json", "content-type": "application/json" },
      body: JSON.stringify({ move: { do: "note", ...entry }, seen: sheet().number, request }),
    }).catch(() => null);
    const body = await answer?.json().catch(() => null);
    if (!body || answer.status >= 500 || answer.status === 429) {
      down = true;
      return;
    }
    if (answer.ok) {
      const before = sheet();
      const scores = before.scores.map((score, seat) => (seat === before.seat && !entry.farkle ? score + entry.points : score));
      const rounds = noted(before.rounds, before.seat, entry);
      kept(SHEET + game, { ...before, scores, rounds, number: body.number, seat: following(before.seat), turn: before.turn + 1 });
      queue = waits().filter((one) => one.request !== request); // more may have been entered meanwhile
      save();
    } else if (answer.status === 409 && !body.missed.some(({ kind }) => PLAYED.includes(kind))) {
      kept(SHEET + game, { ...sheet(), number: body.number });
    } else if (answer.status === 409) {
      trouble = { message: "the game has moved on without this device; open it on another one to compare", anyway: { number: body.number } };
    } else {
      trouble = { message: body.message, anyway: body.code === "doubtful" ? { sure: true } : null };
    }
    show();
  }
  if (!queue.length) settle();
}

/** All is confirmed, and the server answers: its own page goes on. */
function settle() {
  down = false;
  show();
  if (board()) htmx.trigger(board(), "refresh");
  else location.reload();
}

async function again() {
  if (queue.length) return send();
  if (!down) return;
  const answer = await fetch(game ? `${root}g/${game}/standing` : `${root}offline`, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) }).catch(() => null);
  if (answer && answer.status < 500) settle();
}

window.addEventListener("offline", () => { down = true; show(); });
window.addEventListener("online", again);
window.addEventListener("storage", ({ key }) => { // another tab has entered a turn, or sent one
  if (key !== QUEUE + game && key !== SHEET + game) return;
  queue = waits();
  show();
});
setInterval(() => { if (navigator.onLine) again(); }, AGAIN);
document.addEventListener("htmx:after:swap", () => { look(); show(); });

// The page that stands for all others without a network names the sheets that go on.
const list = $("kept-sheets");
if (list) {
  const sheets = Object.keys(localStorage).filter((one) => one.startsWith(SHEET) && kept(one)?.open);
  list.replaceChildren(...sheets.map((one) => {
    const item = element("li", "");
    item.append(Object.assign(element("a", `${kept(one).title}: ${kept(one).names.join(", ")}`), { href: `${root}g/${one.slice(SHEET.length)}` }));
    return item;
  }));
  $("kept").hidden = !sheets.length;
  $("try-again").addEventListener("click", () => location.reload());
}

look();
show();
send();
