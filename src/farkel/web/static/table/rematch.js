// The same seats once more: everyone goes on to the next game, and it starts once all are there.

/** Say whether a page goes on by itself: the next game was opened while it looked on, and nothing is being read there. @param {string} before the next game when the page was opened @param {string} next @param {boolean} reading */
export const goesOn = (before, next, reading) => !before && Boolean(next) && !reading;

/** Say whether a lobby starts the game by itself. @param {{ alone?: string | undefined, ready?: string | undefined }} begin whether nobody is far away, and whether those who are have come @param {boolean} again */
export const startsItself = ({ alone, ready }, again) => alone === "1" || (again && ready === "1");
