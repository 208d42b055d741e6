// What is typed into a score sheet is stored with every key before it is shown, so that neither a reload nor a lost
// connection loses it: for each game the points of a turn, and the faces of a roll, with the number of that turn or roll.

globalThis.Typed = (() => {
const unstored = new Map(); // by game, where the browser can't store anything: it holds until the page is left
const name = (game) => `farkel-typed-${game}`;

function all(game) {
  if (unstored.has(game)) return unstored.get(game);
  try { return JSON.parse(localStorage.getItem(name(game))) ?? {}; } catch { return {}; }
}

/** Keep what is typed of turn or roll number `at`, in the place of what was typed of another one. */
function write(game, what, at, fields) {
  const { [what]: _, ...entries } = all(game);
  if (Object.values(fields).some(Boolean)) entries[what] = { at, fields };
  try {
    if (Object.keys(entries).length) localStorage.setItem(name(game), JSON.stringify(entries));
    else localStorage.removeItem(name(game));
    unstored.delete(game);
  } catch { unstored.set(game, entries); }
}

/** Return what was typed of turn or roll number `at`. What is left of an earlier one has been entered meanwhile. */
function read(game, what, at) {
  const typed = all(game)[what];
  if (typed?.at < at) write(game, what, at, {});
  return typed?.at === at ? typed.fields : {};
}

return { read, write };
})();
