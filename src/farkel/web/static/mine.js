// The games and groups of this device. The browser keeps their names and nobody else does; the start page asks the
// server how each of them stands.

const root = document.documentElement.dataset.root; // the path under which everything lies
const MOST = 40; // games that are remembered
const ASKED = 12; // games that the start page asks about

function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, JSON.stringify(value));
    return JSON.parse(localStorage.getItem(name)) ?? [];
  } catch { return []; }
}

/** Put one in front of those that are remembered. */
function remember(list, one, same) {
  const before = kept(list).find((other) => other[same] === one[same]);
  kept(list, [{ ...before, ...one }, ...kept(list).filter((other) => other[same] !== one[same])].slice(0, MOST));
}

function line(address, text, about, badge = "") {
  const item = document.createElement("li");
  const link = Object.assign(document.createElement("a"), { href: address, textContent: text });
  const mark = Object.assign(document.createElement("b"), { className: "badge", textContent: badge });
  item.append(link, " ", ...(badge ? [mark, " "] : []), Object.assign(document.createElement("span"), { className: "soft", textContent: about }));
  return item;
}

function about(game) {
  const scores = game.names.map((name, seat) => `${name} ${game.scores[seat].toLocaleString("en")}`).join(", ");
  const who = game.over ? `${game.winners.join(" and ") || "Nobody"} won. ` : game.yours || !game.started ? "" : `${game.turn}’s turn. `;
  return `${who}${game.started ? scores : "Not started yet"}. ${game.title}`;
}

async function standing({ game, given }) {
  const answer = await fetch(`${root}g/${game}/standing`).catch(() => null);
  if (answer?.status === 404) return { game, gone: true };
  return answer?.ok ? { game, given, ...await answer.json() } : null;
}

const whole = (number) => Math.round(number).toLocaleString("en");

/** What all finished games come to, as rows of a table. */
function total(games) {
  const sum = (name) => games.reduce((all, one) => all + one.figures[name], 0);
  const [turns, farkles] = [sum("turns"), sum("farkles")];
  const rows = [
    ["Games finished", whole(games.length)],
    ["Games won", Number(sum("won").toFixed(1)).toLocaleString("en")],
    ["Average turn", whole(sum("banked") / Math.max(1, turns))],
    ["Best turn", whole(Math.max(...games.map((one) => one.figures.best)))],
    ["Farkles", `${whole(farkles)}, in ${whole(100 * farkles / Math.max(1, turns))}% of turns`],
  ];
  const reviewed = games.filter((one) => one.given !== undefined);
  if (reviewed.length) {
    const lost = 100 * reviewed.reduce((all, one) => all + one.given, 0) / reviewed.length;
    rows.push(["Lost by decisions", `${lost.toFixed(1)} percentage points per game (${whole(reviewed.length)} reviewed)`]);
  }
  return rows;
}

async function count(figures) {
  const found = (await Promise.all(kept("farkel-games").map(standing))).filter((one) => one?.figures);
  figures.querySelector("tbody").replaceChildren(...(found.length ? total(found) : []).map(([what, number]) => {
    const row = document.createElement("tr");
    row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: what }), Object.assign(document.createElement("td"), { className: "number", textContent: number }));
    return row;
  }));
  figures.querySelector("[role=status]").textContent = found.length ? "" : "No game with one seat of yours is finished yet.";
}

async function list(section) {
  const groups = kept("farkel-groups");
  document.getElementById("my-groups").replaceChildren(...groups.map((one) => line(one.at, one.title, "Group")));
  section.hidden = !groups.length;
  const found = (await Promise.all(kept("farkel-games").slice(0, ASKED).map(standing))).filter(Boolean);
  const gone = new Set(found.filter((one) => one.gone).map((one) => one.game));
  if (gone.size) kept("farkel-games", kept("farkel-games").filter((one) => !gone.has(one.game)));
  const order = (one) => (one.yours ? 0 : one.over ? 2 : 1);
  const games = found.filter((one) => !one.gone).sort((one, two) => order(one) - order(two) || two.moved - one.moved);
  document.getElementById("my-games").replaceChildren(...games.map((one) => {
    const item = line(`${root}g/${one.game}`, one.players, about(one), one.yours ? "Your turn" : "");
    item.dataset.state = ["yours", "running", "over"][order(one)];
    return item;
  }));
  section.hidden = !groups.length && !games.length;
  document.getElementById("my-figures").hidden = !games.some((one) => one.over);
}

const board = document.getElementById("board");
if (board?.dataset.held === "1") remember("farkel-games", { game: board.dataset.game }, "game");
// What a review says of the decisions is kept with the game, as the server does not keep it.
document.addEventListener("htmx:after:swap", () => {
  const given = document.getElementById("slips")?.dataset.given;
  if (given !== undefined) remember("farkel-games", { game: board.dataset.game, given: Number(given) }, "game");
});
const group = document.getElementById("group-title");
if (group) remember("farkel-groups", { at: group.dataset.at, title: group.textContent }, "at");
const section = document.getElementById("mine");
if (section) list(section);
document.getElementById("my-figures")?.addEventListener("toggle", ({ target }) => { if (target.open) count(target); });
