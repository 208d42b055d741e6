// A hint goes when it has been read: by its button, or by Escape. The dice that it names stay ringed.

import { $$, find } from "./board.js";

/** Take the words of the hint away. */
export function closeHint() {
  for (const said of $$(".hint > :not(.busy)")) said.remove();
}

function close() {
  closeHint();
  find(".tray-tools [data-key=h]")?.focus({ preventScroll: true });
}

document.addEventListener("click", ({ target }) => { if (target instanceof Element && target.closest(".hint [data-close]")) close(); });
document.addEventListener("keydown", ({ key }) => { if (key === "Escape" && find(".hint [data-close]")) close(); });
