// What becomes of the dice that are chosen. The server knows the rules and has said what each keep brings; this finds the
// keep that was chosen, and says it.

import { diceWord, often, percent, points } from "./numbers.js";

/**
 * A keep of this roll, as the server says it; `bank` and `roll` say why that is refused, or nothing.
 * @typedef {{ dice: number[], adds: number, total: number, banked: number, next_dice: number, farkle: number, hot: boolean,
 *   tries: string, bank: string, bank_code: string, roll: string, roll_code: string }} Keep
 *
 * A roll, and what a turn has brought before it.
 * @typedef {{ keeps: Keep[], points: number, score: number, needs: number, multiple: number, brief: Record<string, string> }} Roll
 *
 * What a button says, and why it does nothing, if so.
 * @typedef {{ what: string, small: string, why: string }} Label
 *
 * @typedef {string | { strong: string }} Words
 */

/** Return the keep of the chosen dice, if they can be kept. @param {Keep[]} keeps @param {number[]} chosen in ascending order */
export const keepOf = (keeps, chosen) => keeps.find((one) => one.dice.join() === chosen.join());

/** Return the dice that remain chosen when all that scores is asked for: once more puts it back. @param {Keep[]} keeps @param {number[]} chosen */
export const takingAll = (keeps, chosen) => chosen.join() === keeps[0]?.dice.join() ? [] : keeps[0]?.dice ?? [];

/** Return which dice of a row are meant by these faces: for each whether it is. @param {number[]} row @param {number[]} faces */
export function marked(row, faces) {
  const left = [...faces];
  return row.map((face) => {
    const place = left.indexOf(face);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

/**
 * Choose one more die of a face, or put all of them back; null if the roll has none.
 * @param {number[]} row @param {boolean[]} chosen @param {number} face
 */
export function toggled(row, chosen, face) {
  const same = row.flatMap((one, at) => (one === face ? [at] : []));
  if (!same.length) return null;
  const next = same.find((at) => !chosen[at]);
  return chosen.map((was, at) => (next === undefined ? was && !same.includes(at) : was || at === next));
}

/** A refusal in as few words as a button has room for. @param {Roll} roll @param {string} code */
function brief(roll, code) {
  const text = roll.brief[code] ?? "not with these dice";
  return text.replace("{needs}", points(roll.needs)).replace("{multiple}", points(roll.multiple));
}

/** Say what the chosen dice bring. @param {Roll} roll @param {number[]} chosen */
export function weighed(roll, chosen) {
  const keep = keepOf(roll.keeps, chosen);
  if (!keep) {
    const [small, why] = chosen.length ? ["not these dice", "not these dice"] : ["choose dice first", "Choose the dice you keep first."];
    return {
      bank: { what: "Bank", small, why }, roll: { what: "Roll", small, why }, kept: false, total: roll.points, adds: null, hot: "", risk: null,
      worth: /** @type {Words[]} */ (chosen.length ? ["These dice can’t be kept together."] : []),
    };
  }
  const hot = keep.hot && !keep.roll;
  const all = keep.next_dice === 1 ? "the die" : `all ${keep.next_dice} dice`;
  return {
    bank: {
      what: `Bank ${points(keep.total)}`, why: keep.bank,
      small: keep.bank_code ? brief(roll, keep.bank_code) : `${points(roll.score)} → ${points(keep.banked)}`,
    },
    roll: {
      what: `Roll ${diceWord(keep.next_dice)}`, why: keep.roll,
      small: keep.roll_code ? brief(roll, keep.roll_code) : `${percent(keep.farkle)} farkle`,
    },
    kept: true, total: keep.total,
    adds: keep.tries ? null : keep.adds,
    hot: !hot ? "" : keep.bank ? `Roll ${all} again.` : `Roll ${all} again, or bank what you have.`,
    risk: keep.roll ? null : keep.farkle,
    worth: worth(keep),
  };
}

/** @param {Keep} keep @returns {Words[]} */
function worth(keep) {
  if (keep.roll) return [keep.roll];
  const rolls = `rolls of ${diceWord(keep.next_dice)}`;
  if (keep.tries) return ["The next roll must complete: ", { strong: keep.tries }, `. ${often(keep.farkle)} ${rolls} don’t.`];
  return [{ strong: often(keep.farkle) }, ` ${rolls} lose the ${points(keep.total)}.`];
}

/** Say the same at a real table, whose dice are rolled by hand. @param {Keep[]} keeps @param {number[]} chosen */
export function weighedReal(keeps, chosen) {
  const keep = keepOf(keeps, chosen);
  const none = chosen.length ? "These dice can’t be kept together." : "Choose the dice you keep.";
  return {
    roll: { what: keep && !keep.roll ? `Roll ${diceWord(keep.next_dice)} ` : "Keep and roll ", why: keep ? keep.roll : none },
    bank: { what: keep && !keep.bank ? `Bank ${points(keep.total)} ` : "Keep and bank ", why: keep ? keep.bank : none },
    worth: keep ? worthReal(keep) : none,
    kept: Boolean(keep),
  };
}

/** @param {Keep} keep */
function worthReal(keep) {
  const risk = keep.roll || `Rolling ${diceWord(keep.next_dice)} risks ${points(keep.total)} with a farkle in ${percent(keep.farkle)}.`;
  if (keep.tries) return `The next roll must complete: ${keep.tries}. ${risk}`;
  return [`Adds ${points(keep.adds)}: turn total ${points(keep.total)}.`, risk, keep.bank].filter(Boolean).join(" ");
}
