// The board, which the server makes: where its parts are, and what is asked of htmx.

/** The path under which everything lies. */
export const { root = "" } = document.documentElement.dataset;

/** Whether the game is in this browser, and needs no network. */
export const alone = "alone" in document.documentElement.dataset;

export const UNREACHED = `${alone ? "There was no answer" : "The server was not reached"}. Nothing is lost; press again in a moment`;

/** Return a part that may be missing. @param {string} selector @returns {HTMLElement | null} */
export const find = (selector) => document.querySelector(selector);

/** Return a part that is there. @param {string} selector @returns {HTMLElement} */
export function $(selector) {
  const found = find(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** @param {string} selector @param {ParentNode} within @returns {HTMLElement[]} */
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)].filter((one) => one instanceof HTMLElement);

/** @param {string} selector @param {ParentNode} within @returns {HTMLInputElement[]} */
export const inputs = (selector, within = document) => $$(selector, within).filter((one) => one instanceof HTMLInputElement);

export const board = () => $("#board");

/** The names of the seats, which change as friends take them. @returns {string[]} */
export const names = () => JSON.parse(board().dataset.names ?? find("#stream")?.dataset.names ?? "[]");

/** Ask for the board again. */
export const refresh = () => htmx.trigger(board(), "refresh");

/** Listen to htmx. @param {string} name @param {(ctx: HtmxContext, event: Event) => void} listener */
export const whenHtmx = (name, listener) => document.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail?.ctx ?? {}, event));

/** Return what the browser keeps under a name, or null; a value is kept there first. @param {string} name @param {string} [value] */
export function stored(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch { return null; }
}

/** Show an element or not, and what it says. @param {HTMLElement} element @param {boolean} yes @param {string} text */
export function show(element, yes, text) {
  element.hidden = !yes;
  element.textContent = text;
}

/** A button that is refused stays where it is, and says why. @param {HTMLElement} button @param {string} why */
export function allow(button, why) {
  button.setAttribute("aria-disabled", why ? "true" : "false");
  button.dataset.why = why;
}

/** Label a button of the bar. @param {HTMLElement} button @param {import("./keeps.js").Label} label */
export function label(button, { what, small, why }) {
  for (const [part, text] of Object.entries({ b: what, small })) {
    const place = button.querySelector(part);
    if (place) place.textContent = text;
  }
  allow(button, why);
}

let told = "";

/** Say something in the line of news. On a phone on its side that lies over the tray, for as long as it takes to read. @param {string} text */
export function tell(text) {
  const line = $("#news");
  line.textContent = text;
  told = text;
  line.getAnimations().forEach((one) => one.cancel());
  line.animate({ opacity: [1, 1] }, 1_500 + 60 * text.length);
}

/** The news of a new board. */
export function tellNews() {
  const text = $("#news").textContent ?? "";
  if (text !== told) tell(text);
}
