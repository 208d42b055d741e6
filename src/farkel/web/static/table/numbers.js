// Numbers as people read them.

/** @param {number} number */
export const points = (number) => number.toLocaleString("en");

/** @param {number} number */
export const diceWord = (number) => `${number} ${number === 1 ? "die" : "dice"}`;
