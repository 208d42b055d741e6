// What a press means, of a button or of a key.

export const SETTLING = 250; // milliseconds after the bar changed hands in which a press was meant for what was there before

/**
 * A button or a link: whether it decides something in the game, why it does nothing now, and what script does for it.
 * @typedef {{ id: string, decides: boolean, refused: boolean, dialog?: string | undefined, face?: string | undefined, shares: boolean }} Pressed
 *
 * @typedef {"nothing" | "say why" | "take all" | "pass" | "dialog" | "face" | "share" | "its own"} Does
 */

/** Say what a press does; "its own" is what the page does without script. @param {Pressed} pressed @param {boolean} busy whether an answer is under way, or the bar settles @returns {Does} */
export function does(pressed, busy) {
  if (pressed.decides && busy) return "nothing";
  if (pressed.refused) return "say why";
  if (pressed.id === "take-all") return "take all";
  if (pressed.id === "on") return "pass";
  if (pressed.dialog) return "dialog";
  if (pressed.face) return "face";
  if (pressed.shares) return "share";
  return "its own";
}

/** Return the faces of a real roll with one more, or without the last one. @param {string} typed @param {string} face or "back" @param {number} most */
export function facesWith(typed, face, most) {
  const kept = typed.replace(/\D/g, "");
  return face === "back" ? kept.slice(0, -1) : (kept + face).slice(0, most);
}

/** @typedef {{ key: string, code: string, ctrlKey: boolean, altKey: boolean, metaKey: boolean, repeat: boolean }} Key */

/** Return what a key types on an English keyboard: the same as here, or what is in its place if that is of another alphabet. @param {Pick<Key, "key" | "code">} event */
export const keyOf = ({ key, code }) => (/^[!-~]$/.test(key) ? key : code.replace(/^(Key|Digit)/, "")).toLowerCase();

/** Return the shortcut that a key is; "" if it is none. @param {Key} event @param {boolean} elsewhere whether it goes to a field, or to what lies over the table, or keys are off */
export const shortcut = (event, elsewhere) => (event.ctrlKey || event.altKey || event.metaKey || event.repeat || elsewhere ? "" : keyOf(event));

/** Return the face that a key chooses, of which the key 0 is the tenth; 0 if it chooses none. @param {string} key */
export const faceOf = (key) => (/^[0-9]$/.test(key) ? Number(key) || 10 : 0);
