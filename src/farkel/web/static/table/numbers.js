// Numbers as people read them.

/** @param {number} number */
export const points = (number) => number.toLocaleString("en");

/** @param {number} chance */
export const percent = (chance) => `${(100 * chance).toFixed(chance < 0.0995 ? 1 : 0)}%`;

/** @param {number} number */
export const diceWord = (number) => `${number} ${number === 1 ? "die" : "dice"}`;

/** How many of a hundred rolls have that chance. @param {number} chance */
export const often = (chance) => Math.round(100 * chance) ? `${Math.round(100 * chance)} of 100` : "Fewer than 1 of 100";
