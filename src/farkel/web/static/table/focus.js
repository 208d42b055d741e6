// Where the keyboard stands after the board has changed: on the same control, or on the one that takes its place.

/**
 * A control of the board, as far as it can be known again: its id, the name of a field, its key, the part of the board that
 * it is in, and its place there.
 * @typedef {{ id: string, name: string, key: string, part: string, place: number }} Control
 */

/** The side of the bar on which the turn goes on. */
export const ONWARD = 1;

/** Say whether a control is still what it was. @param {Control} one @param {Control} other */
export const isSame = (one, other) => one.id === other.id && one.name === other.name && one.key === other.key;

/** Return the place of the control that takes the place of one that has gone; -1 if there is none. @param {Control} gone @param {Control[]} controls */
export function heir(gone, controls) {
  /** @type {((one: Control) => boolean)[]} */
  const ways = [
    (one) => one.id !== "" && one.id === gone.id,
    (one) => one.name !== "" && one.name === gone.name && one.part === gone.part,
    (one) => one.key !== "" && one.key === gone.key,
    (one) => one.part === gone.part && one.place === gone.place,
    (one) => one.part === "bar" && one.place === ONWARD,
    (one) => one.part === "bar",
  ];
  return ways.map((way) => controls.findIndex(way)).find((at) => at >= 0) ?? -1;
}
