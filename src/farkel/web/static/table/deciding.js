// A decision is answered at once and cannot be made twice; keys press the buttons.

import { $, find, inputs, tell, whenHtmx } from "./board.js";
import { takeAll, toggle } from "./choosing.js";
import { feel, setting } from "./feel.js";
import { notice } from "./live.js";
import { does, faceOf, facesWith, shortcut } from "./presses.js";
import { pass, settling } from "./seeing.js";

/** @type {HTMLElement | null} */
let busy = null; // the button whose answer is under way

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.action.endsWith("/move") || form.matches("form.word")) return;
  if (busy) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  const button = event.submitter;
  busy = button ?? form;
  busy.setAttribute("aria-busy", "true");
  if (form.id === "do-keep" && button instanceof HTMLButtonElement && button.value === "bank") feel("bank");
}, true);
whenHtmx("htmx:finally:request", ({ request }) => {
  if (request?.method !== "POST") return;
  busy?.removeAttribute("aria-busy");
  busy = null;
});

/** @param {HTMLElement} pressed @returns {import("./presses.js").Pressed} */
const described = (pressed) => ({
  id: pressed.id,
  decides: Boolean(pressed.closest("#bar") || (pressed instanceof HTMLButtonElement && pressed.form?.action.endsWith("/move"))),
  refused: pressed.getAttribute("aria-disabled") === "true",
  dialog: pressed.dataset.dialog,
  face: pressed.dataset.face,
  shares: "share" in pressed.dataset,
});

document.addEventListener("click", (event) => {
  const pressed = event.target instanceof Element ? event.target.closest("button, a") : null;
  if (!(pressed instanceof HTMLElement)) return;
  const what = does(described(pressed), Boolean(busy) || settling());
  if (["nothing", "say why", "dialog"].includes(what)) event.preventDefault();
  if (["nothing", "say why"].includes(what)) event.stopPropagation();
  if (what === "say why") sayWhy(pressed.dataset.why ?? "");
  else if (what === "take all") takeAll();
  else if (what === "pass") pass();
  else if (what === "dialog") /** @type {HTMLDialogElement} */ ($(`#${pressed.dataset.dialog}`)).showModal();
  else if (what === "face") typeFace(pressed.dataset.face ?? "");
  else if (what === "share") share(pressed);
}, true);

/** @param {string} why */
function sayWhy(why) {
  const worth = find("#worth");
  if (find("#news")) tell(why);
  else if (worth) worth.textContent = why;
  else notice(why);
}

/** @param {string} face */
function typeFace(face) {
  for (const field of inputs("form.throw input[name=faces]")) field.value = facesWith(field.value, face, Number(field.dataset.most));
}

/** @param {HTMLElement} button */
function share(button) {
  const url = button.closest(".link")?.querySelector("input")?.value ?? location.href;
  navigator.share({ title: document.title, text: "Play a game of Farkle with me.", url }).catch(() => { /* closed without sharing */ });
}

document.addEventListener("keydown", (event) => {
  const to = /** @type {Element} */ (event.target);
  const key = shortcut(event, setting("keys") === "off" || Boolean(find("dialog[open]")) || to.matches("input:not([type=checkbox]), select, textarea"));
  if (!key) return;
  if (faceOf(key) && toggle(faceOf(key))) return event.preventDefault();
  const again = key === "a" ? find("#take-all") : null; // hidden once dice are chosen
  const meant = find(`:not([hidden]) > [data-key="${CSS.escape(key)}"]`) ?? again;
  if (!meant) return;
  event.preventDefault();
  meant.click();
});
