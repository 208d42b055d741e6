// The stream of news, and the connection: one line at a time says what is wrong, the server's own words, or else that
// there is none.

import { $, UNREACHED, alone, board, names, refresh, whenHtmx } from "./board.js";
import * as connection from "./connection.js";
import { mark } from "./together.js";

export const stream = $("#stream");

const said = JSON.parse(stream.dataset.reactions ?? "{}");
const onLine = () => alone || navigator.onLine;

/** @param {string} name @param {(detail: any) => void} listener */
const whenTold = (name, listener) => stream.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));

// News -----------------------------------------------------------------------------------------------------------------

let latest = Number(board().dataset.number); // event that the stream has told, or the page was made with
whenTold("move", ({ id, data }) => {
  latest = Number(id) || latest;
  const { kind, rules } = JSON.parse(data);
  if (kind === "plan" && rules) location.reload(); // the sheet of the rules stands beside the board
});
whenTold("passing", ({ data }) => {
  const message = JSON.parse(data);
  if (message.kind === "presence") refresh();
  if (message.kind === "reaction") showReaction(message);
  if (message.kind === "choosing") mark(message);
});

/** @param {{ what: string, seat: number | null }} reaction */
function showReaction({ what, seat }) {
  const bubble = document.createElement("p");
  bubble.textContent = seat === null ? said[what] : `${names()[seat]}: ${said[what]}`;
  $("#reactions").append(bubble);
  setTimeout(() => bubble.remove(), 5000);
}

/** Say what is wrong; nothing is. @param {string} text */
export function notice(text) {
  const line = Object.assign(document.createElement("p"), { className: "wrong", textContent: text });
  $("#notice").replaceChildren(...(text ? [line] : []));
  showConnection();
}

// The connection -------------------------------------------------------------------------------------------------------

let now = connection.NEW;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let trying;
/** @type {{ abortController: AbortController } | undefined} */
let opened; // the stream, as htmx has it

/** @param {connection.Now} next */
function become(next) {
  now = next;
  showConnection();
  const pause = connection.pause(now, Math.random());
  if (pause === null) stopTrying();
  else trying ??= setTimeout(tryAgain, pause);
}

function showConnection() { $("#offline").hidden = !now.lost || $("#notice").hasChildNodes(); }

function stopTrying() {
  clearTimeout(trying);
  trying = undefined;
}

function tryAgain() {
  trying = undefined;
  const asks = connection.asksFor(now);
  if (asks.board) refresh();
  if (asks.stream) htmx.trigger(stream, "reconnect");
  become(now);
}

const closed = () => become(connection.streamClosed(now, Date.now()));

const me = crypto.getRandomValues(new Uint32Array(2)).join();
const pages = globalThis.BroadcastChannel ? new BroadcastChannel("farkel-streams") : null;
/** @param {boolean} takes */
const tellPages = (takes) => pages?.postMessage({ page: me, takes });

function letGo() {
  if (!connection.isToLetGo(now, document.hidden)) return;
  now = connection.letGo(now);
  trying ??= setTimeout(tryAgain, 1_000); // the server hears at once that the stream has gone, and then that the page has not
  opened?.abortController.abort();
}

pages?.addEventListener("message", ({ data: { page, takes } }) => {
  now = connection.heardOf(now, page, takes);
  letGo();
});
window.addEventListener("beforeunload", () => { now = connection.leaving(now, Date.now()); });
window.addEventListener("pagehide", () => tellPages(false));
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return letGo();
  now = connection.taken(now);
  tellPages(true);
  if (now.open) return;
  stopTrying();
  tryAgain();
});
stream.addEventListener("htmx:sse:before:connection", (event) => { if (now.aside) event.preventDefault(); });
whenTold("htmx:sse:after:connection", (detail) => {
  opened = detail.connection;
  if (now.aside) return opened?.abortController.abort();
  if (now.lost) refresh();
  become(connection.streamOpened(now));
});
for (const name of ["htmx:sse:error", "htmx:sse:close"]) stream.addEventListener(name, closed);
window.addEventListener("offline", () => { if (!alone) become(connection.networkGone(now, Date.now())); });
window.addEventListener("online", refresh);

whenHtmx("htmx:before:request", ({ sourceElement }) => {
  if (sourceElement === stream) {
    now = connection.streamAsked(now);
    tellPages(true);
  }
  if (sourceElement.id === "board") now = connection.boardAsked(now, Date.now());
});
whenHtmx("htmx:finally:request", ({ sourceElement }) => { if (sourceElement.id === "board") now = connection.boardAnswered(now); });
whenHtmx("htmx:error", ({ request, sourceElement }) => {
  if (request?.method === "POST") notice(`${UNREACHED}.`);
  if (sourceElement === stream) closed();
  if (sourceElement) become(connection.missed(now, Date.now()));
});
whenHtmx("htmx:response:error", ({ response, sourceElement }) => {
  const { status } = response;
  if (sourceElement === stream) closed();
  else if (status >= 500 || (status === 429 && sourceElement.id === "board")) become(connection.missed(now, Date.now()));
});
whenHtmx("htmx:config:request", ({ request, sourceElement }) => {
  // Another process may answer than the one whose news this follows: it says how far it has to be.
  if (sourceElement === stream) request.action = request.action.replace(/after=\d+/, `after=${latest}`);
  if (sourceElement.id === "board") request.action += `?since=${latest}${now.open ? "" : "&there=1"}`;
  else if (sourceElement !== stream) notice("");
});
whenHtmx("htmx:before:swap", ({ sourceElement }, event) => {
  if (sourceElement === stream) event.preventDefault(); // boards come all the same, or say themselves what is wrong
});
whenHtmx("htmx:after:swap", ({ target }) => {
  if (target?.id === "board") {
    notice("");
    become(connection.boardCame(now, Date.now(), onLine()));
  }
  showConnection();
});

become({ ...now, lost: !onLine() });
setTimeout(() => { if (!now.open) become(connection.missed(now, Date.now())); }, connection.LATE);
