// Keeps the focus on the board, whose parts come and go.

import { $$, find, inputs } from "./board.js";
import { ONWARD, heir, isSame } from "./focus.js";

const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
const TYPED = "input:not([type=checkbox], [type=radio]), select, textarea";
const DECIDES = ".play .actions :is(.primary, .good)"; // roll by roll at a real table, where there is no bar

/** @param {HTMLElement} control @returns {import("./focus.js").Control} */
function described(control) {
  const { id, dataset: { key = "" } } = control;
  const name = control.matches(TYPED) ? control.getAttribute("name") ?? "" : "";
  if (control.closest(".decide") || control.matches(DECIDES)) return { id, name, key, part: "bar", place: control.matches(".good, :first-child:not(.primary, .panel)") ? 1 - ONWARD : ONWARD };
  const dice = control.closest("fieldset.roll");
  if (dice && control instanceof HTMLInputElement) return { id, name, key, part: "dice", place: inputs("input", dice).indexOf(control) };
  const part = control.parentElement?.closest("[id]");
  return { id, name, key, part: part?.id ?? "", place: part ? $$(CONTROLS, part).indexOf(control) : 0 };
}

const onBoard = () => $$(CONTROLS, find("#board") ?? document.body).filter((one) => one.checkVisibility() && !one.matches(":disabled"));

/** @param {Element | null} element @returns {element is HTMLElement} */
const isOnBoard = (element) => element instanceof HTMLElement && Boolean(element.closest("#board"));

/** @typedef {import("./focus.js").Control | null} Place */

/** @type {Place} */
let last = null; // the control of the board that had the focus last
/** @type {Place} */
let pressed = null; // the one that has sent something, perhaps by a key, without the focus
/** @type {Place} */
let stood = null; // the one to come back to
/** @type {Element | null} */
let node = null; // what it was, which may be another control afterwards

document.addEventListener("focusin", ({ target }) => { if (target instanceof HTMLElement && isOnBoard(target)) last = described(target); });
document.addEventListener("submit", ({ submitter }) => { pressed = submitter && isOnBoard(submitter) ? described(submitter) : null; }, true);

/** Remember where the focus is, before the board changes. Nobody who reads without it is moved. */
export function remember() {
  const at = node = document.activeElement;
  stood = isOnBoard(at) ? described(at) : at && at !== document.body ? last : pressed;
}

/** Put the focus back, if the change has taken it. */
export function restore() {
  const at = document.activeElement;
  pressed = null;
  if (!stood) return;
  const isThere = at instanceof HTMLElement && at !== document.body && at.checkVisibility();
  const isAnother = at === node && isOnBoard(at) && !isSame(stood, described(at));
  if (isThere && !isAnother) return;
  const controls = onBoard();
  controls[heir(stood, controls.map(described))]?.focus({ preventScroll: true });
}

/** Change the board, and keep the focus on it. @param {() => void} change */
export function keeping(change) {
  remember();
  change();
  restore();
}
