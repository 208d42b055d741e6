// The page of a game. The server makes the board and knows the rules; this shows at once what it has said about a choice.

import { $, find, whenHtmx } from "./board.js";
import { ring, weigh } from "./choosing.js";
import { tick, wind } from "./clock.js";
import "./deciding.js";
import { remember, restore } from "./focusing.js";
import "./live.js";
import { attend } from "./lobby.js";
import { look } from "./seeing.js";
import "./settings_panel.js";
import { think } from "./thinking.js";
import { markAgain } from "./together.js";

whenHtmx("htmx:before:swap", ({ response, target, text }, event) => {
  remember();
  // Answers may overtake each other: a board that is older than the one shown is of no use.
  const number = /<div id="board"[^>]* data-number="(\d+)"/.exec(text)?.[1];
  if (target?.id === "board" && Number(number) < Number(target.dataset.number)) event.preventDefault();
  if (response?.status >= 500 && $("#notice").textContent?.trim() === new DOMParser().parseFromString(text, "text/html").body.textContent?.trim()) {
    event.preventDefault(); // it is said already, and would be read aloud once more
  }
});
whenHtmx("htmx:after:swap", ({ request, sourceElement, target }) => {
  if (request?.method === "POST") {
    document.querySelectorAll("dialog").forEach((one) => one.close());
    const over = sourceElement?.closest("[popover]");
    if (over instanceof HTMLElement) over.hidePopover();
    find("#board > .wrong")?.scrollIntoView({ block: "nearest" });
  }
  if (target?.id === "correction") /** @type {HTMLDialogElement} */ ($("#correcting")).showModal();
  if (target?.matches?.(".hint")) ring(); // a stream that ends swaps nothing, in the document
  if (target?.id === "review") {
    target.hidden = false;
    target.scrollIntoView({ block: "start" });
  }
  prepare();
});

/** After every new board. */
function prepare() {
  weigh();
  look();
  attend();
  markAgain();
  wind();
  think();
  restore();
}
prepare();
setInterval(tick, 1_000);
