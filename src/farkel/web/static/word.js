// A word that this browser mixes into the dice of a seat: it can be read aloud, and has 31 bits of chance.

globalThis.newWord ??= () => {
  const some = crypto.getRandomValues(new Uint8Array(5));
  return [...some].map((byte) => `${"bdfghklmnprstvwz"[byte & 15]}${"aeiou"[(byte >> 4) % 5]}`).join("");
};
