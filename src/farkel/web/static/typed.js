// What is typed into a score sheet is stored with every key before it is shown, so that neither a reload nor a lost
// connection loses it: for each game the points of a turn, and the faces of a roll, with the number of that turn or roll.
// Points are read by one rule, whatever signs people group thousands with.

globalThis.Typed = (() => {
/** @typedef {Record<string, { at: number, fields: Record<string, string> }>} Entries by what is typed */

/** @type {Map<string, Entries>} */
const unstored = new Map(); // by game, where the browser can't store anything: it holds until the page is left
/** @param {string} game */
const name = (game) => `farkel-typed-${game}`;

/** @param {string} game @returns {Entries} */
function all(game) {
  const held = unstored.get(game);
  if (held) return held;
  try { return JSON.parse(localStorage.getItem(name(game)) ?? "{}"); } catch { return {}; }
}

/** Keep what is typed of turn or roll number `at`, in the place of what was typed of another one. @param {string} game @param {string} what @param {number} at @param {Record<string, string>} fields */
function write(game, what, at, fields) {
  const { [what]: _, ...entries } = all(game);
  if (Object.values(fields).some(Boolean)) entries[what] = { at, fields };
  try {
    if (Object.keys(entries).length) localStorage.setItem(name(game), JSON.stringify(entries));
    else localStorage.removeItem(name(game));
    unstored.delete(game);
  } catch { unstored.set(game, entries); }
}

/** Return what was typed of turn or roll number `at`. What is left of an earlier one has been entered meanwhile. @param {string} game @param {string} what @param {number} at @returns {Record<string, string>} */
function read(game, what, at) {
  const typed = all(game)[what];
  if (typed && typed.at < at) write(game, what, at, {});
  return typed?.at === at ? typed.fields : {};
}

const ZEROS = [0x660, 0x6f0, 0x966, 0xff10]; // of Arabic, Persian, Devanagari and wide digits
const WHOLE = /^\d+$|^\d{1,3}([.,'\u066c ])\d{3}(?:\1\d{3})*$/;

/** Return a typed number, null if it is unclear: what stands before exactly three digits groups thousands. It is the rule
    of `points_of` in pages/forms.py. @param {string} text */
function number(text) {
  const digits = text.trim().replace(/\p{Nd}/gu, (digit) => {
    const code = Number(digit.codePointAt(0));
    const zero = ZEROS.find((one) => one <= code && code < one + 10);
    return zero ? String(code - zero) : digit;
  });
  const said = digits.replace(/[\u00a0\u2009\u202f]/g, " ").replace(/\u2019/g, "'");
  return WHOLE.test(said) ? Number(said.replace(/\D/g, "")) : null;
}

return { number, read, write };
})();
