// Words go into the dice one after the other, and each is kept with the number of its event: so the end can be held
// against it, and a word that another device gave later, or a seat that has moved, is not taken for a wrong.

/** A word as the server takes it; the number is 0 until it has said that it did. @typedef {{ word: string, number: number }} Word */

/** Return a word as the server takes it. @param {string} typed */
export const plain = (typed) => typed.split(/[\s\x1c-\x1f\x85]+/).filter(Boolean).join(" ");

/** Return the word to keep of a seat: answers may overtake each other. @param {Word | null} before @param {string} typed @param {number} number @returns {Word} */
export const later = (before, typed, number) => (before && number < before.number ? before : { word: plain(typed), number });

/** Return the next seat here that needs a word from this page. @param {number[]} without seats that have none @param {ReadonlySet<number>} given seats for which the page has given one */
export const nextWithout = (without, given) => without.find((seat) => !given.has(seat));

/** Return the words that this browser gave, by seat. @param {(Word | null)[]} kept by seat */
export const given = (kept) => Object.fromEntries(kept.flatMap((one, seat) => (one?.word ? [[seat, one]] : [])));
