// What becomes of the dice that are chosen. The server knows the rules and has said what each keep brings; this finds the
// keep that was chosen, and says it.

import { diceWord, points } from "./numbers.js";

/**
 * @typedef {string | { strong: string }} Words
 *
 * A keep of this roll, as the server says it; `bank` and `roll` say why that is refused, or nothing, and `small` and `risk`
 * what the next roll risks: on a button, and as a sentence.
 * @typedef {{ dice: number[], adds: number, total: number, banked: number, next_dice: number, farkle: number, hot: boolean,
 *   tries: string, bank: string, bank_code: string, roll: string, roll_code: string, small: string, risk: Words[] }} Keep
 *
 * A roll, and what a turn has brought before it.
 * @typedef {{ keeps: Keep[], points: number, score: number, needs: number, multiple: number, brief: Record<string, string> }} Roll
 *
 * What a button says, and why it does nothing, if so.
 * @typedef {{ what: string, small: string, why: string }} Label
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
      small: keep.roll_code ? brief(roll, keep.roll_code) : keep.small,
    },
    kept: true, total: keep.total,
    adds: keep.tries ? null : keep.adds,
    hot: !hot ? "" : keep.bank ? `Roll ${all} again.` : `Roll ${all} again, or bank what you have.`,
    risk: keep.roll ? null : keep.farkle,
    worth: keep.roll ? [keep.roll] : keep.risk,
  };
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
  const risk = keep.roll || keep.risk.map((one) => (typeof one === "string" ? one : one.strong)).join("");
  if (keep.tries) return risk;
  return [`Adds ${points(keep.adds)}: turn total ${points(keep.total)}.`, risk, keep.bank].filter(Boolean).join(" ");
}
