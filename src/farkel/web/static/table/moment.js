// What happened is seen before the next thing is shown: a farkle holds the board for a moment, the game waits for nobody.

const WATCHED = 1_800; // milliseconds that somebody else's farkle is looked at
export const OWN = 3_000; // and one's own, unless it is passed on before
const SOON = 40; // milliseconds in which several events make one board

/**
 * What a board shows: a moment and the dice by their names, or "".
 * @typedef {{ felt: boolean, over: boolean, decides: boolean, moment: string, passes: boolean, roll: string, dice: number }} Shown
 *
 * What is remembered of the board before, and until when the next one waits.
 * @typedef {{ shown: string, decides: boolean | null, until: number }} Before
 *
 * What follows from a new board: what is felt, whether the bar changed hands, and whether the button that passes on is there.
 * @typedef {{ now: Before, feels: import("./feel.js").Felt[], hands: boolean, passes: boolean | null }} Follows
 */

/** @type {Before} */
export const NOTHING = { shown: "", decides: null, until: 0 };

/** Say what follows from a new board. @param {Before} before @param {Shown} board @param {number} time @returns {Follows} */
export function after(before, board, time) {
  if (!board.felt) {
    const won = before.shown && board.over;
    return { now: { ...before, shown: "" }, feels: won ? ["win"] : [], hands: false, passes: null };
  }
  const hands = before.decides === false && board.decides;
  const shown = board.moment || board.roll;
  const isNew = Boolean(before.shown) && shown !== before.shown;
  const until = isNew && board.moment ? time + (board.passes ? OWN : WATCHED) : before.until;
  /** @type {Follows["feels"]} */
  const feels = hands ? ["turn"] : [];
  if (isNew && (board.moment || board.dice)) feels.push(board.moment ? "farkle" : "throw");
  return { now: { shown, decides: board.decides, until }, feels, hands, passes: board.moment && board.passes ? time < until : null };
}

/** Return the milliseconds that the next board waits. @param {number} until @param {number} time */
export const waits = (until, time) => Math.max(SOON, until - time);
