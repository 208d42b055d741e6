// Whether the page hears of the game, and when it asks again.
//
// Whatever was missed before the script listened shows itself: until the stream is open and a board has come, the page
// asks for the board again and again, and for the stream where htmx has given up.
//
// A browser has six connections to a server over plain http, for all its pages together. So only the pages that were
// looked at last keep a stream. A hidden one with that many after it lets its own go, and asks for its board now and
// then, until it is looked at again. The pages tell each other when they take one; only https has locks for that.

export const LATE = 5_000; // milliseconds that the stream has to open
const AGAIN = 3_000; // milliseconds between two tries
const ASIDE = 10_000; // and between two boards of a hidden page that has let its stream go
const STREAMS = 3;

/**
 * @typedef {object} Connection
 * @property {boolean} opening whether the stream is being opened
 * @property {boolean} open
 * @property {boolean} aside whether the page has let its stream go
 * @property {boolean} lost
 * @property {number} loading boards that are under way
 * @property {number} came when the last board came without the stream
 * @property {number} asked when the last board was asked for
 * @property {number} wentOff when the browser last said that there is no network
 * @property {number} left when the browser last began to leave the page
 * @property {readonly string[]} after the pages that have taken a stream since this one did
 */

/** Of a new page: htmx opens the stream once it is there. @type {Readonly<Connection>} */
export const NEW = { opening: true, open: false, aside: false, lost: false, loading: 0, came: 0, asked: 0, wentOff: 0, left: 0, after: [] };

/** @typedef {Readonly<Connection>} Now */

/** This page is looked at, and has a right to a stream before the others. @param {Now} now @returns {Now} */
export const taken = (now) => ({ ...now, aside: false, after: [] });

/** @param {Now} now @returns {Now} */
export const streamAsked = (now) => ({ ...taken(now), opening: true });

/** @param {Now} now @returns {Now} */
export const streamOpened = (now) => ({ ...now, opening: false, open: true, lost: false });

/** A link is followed: Firefox ends what is under way then, and shows the page until the other one comes. @param {Now} now @param {number} time @returns {Now} */
export const leaving = (now, time) => ({ ...now, left: time });

/** While boards come, the game goes on without the stream. @param {Now} now @param {number} time @returns {Now} */
export function streamClosed(now, time) {
  const fine = (now.aside || time - Math.max(now.came, now.left) < 2 * AGAIN) && !now.lost;
  return { ...now, opening: false, open: false, lost: !fine };
}

/** @param {Now} now @param {number} time @returns {Now} */
export const boardAsked = (now, time) => ({ ...now, loading: now.loading + 1, asked: time });

/** @param {Now} now @returns {Now} */
export const boardAnswered = (now) => ({ ...now, loading: now.loading - 1 });

/** A board that was under way while the network went says nothing of it now. @param {Now} now @param {number} time @param {boolean} onLine @returns {Now} */
export const boardCame = (now, time, onLine) => ({ ...now, came: now.open ? now.came : time, lost: !onLine && now.asked <= now.wentOff });

/** @param {Now} now @param {number} time @returns {Now} */
export const missed = (now, time) => ({ ...now, lost: now.lost || time - now.left >= 2 * AGAIN });

/** @param {Now} now @param {number} time @returns {Now} */
export const networkGone = (now, time) => ({ ...now, lost: true, wentOff: time });

/** Another page has taken a stream, or is closed. @param {Now} now @param {string} page @param {boolean} takes @returns {Now} */
export const heardOf = (now, page, takes) => ({ ...now, after: [...now.after.filter((one) => one !== page), ...(takes ? [page] : [])] });

/** Say whether a page is to let its stream go. @param {Now} now @param {boolean} hidden */
export const isToLetGo = (now, hidden) => !now.aside && hidden && now.after.length >= STREAMS;

/** @param {Now} now @returns {Now} */
export const letGo = (now) => ({ ...now, aside: true });

/** Return the milliseconds until the next try; null if none is needed. @param {Now} now @param {number} chance so that pages do not ask all together */
export const pause = (now, chance) => (now.open && !now.lost ? null : (now.aside ? ASIDE : AGAIN) * (0.8 + 0.4 * chance));

/** Say what a try asks for. @param {Now} now */
export const asksFor = (now) => ({ board: !now.loading, stream: !now.open && !now.opening && !now.aside });
