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
  kept(list, [one, ...kept(list).filter((other) => other[same] !== one[same])].slice(0, MOST));
}

function line(address, text, about) {
  const item = document.createElement("li");
  const link = Object.assign(document.createElement("a"), { href: address, textContent: text });
  item.append(link, " ", Object.assign(document.createElement("span"), { className: "soft", textContent: about }));
  return item;
}

function about(game) {
  const scores = game.names.map((name, seat) => `${name} ${game.scores[seat].toLocaleString("en")}`).join(", ");
  if (game.over) return `${game.winners.join(" and ") || "Nobody"} won. ${scores}`;
  if (!game.started) return `Not started yet. ${game.names.join(", ")}`;
  return `${game.yours ? "Your turn" : `${game.turn}’s turn`}. ${scores}`;
}

async function standing({ game }) {
  const answer = await fetch(`${root}g/${game}/standing`).catch(() => null);
  if (answer?.status === 404) return { game, gone: true };
  return answer?.ok ? { game, ...await answer.json() } : null;
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
    const item = line(`${root}g/${one.game}`, one.title, about(one));
    item.dataset.state = ["yours", "running", "over"][order(one)];
    return item;
  }));
  section.hidden = !groups.length && !games.length;
}

const board = document.getElementById("board");
if (board?.dataset.held === "1") remember("farkel-games", { game: board.dataset.game }, "game");
const group = document.getElementById("group-title");
if (group) remember("farkel-groups", { at: group.dataset.at, title: group.textContent }, "at");
const section = document.getElementById("mine");
if (section) list(section);
