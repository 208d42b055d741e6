// The shell: it stays while its frame goes from page to page. In one tab it owns the worker in which Python runs; the
// service worker passes the requests of all tabs on to that.
const root = new URL("./", import.meta.url).pathname;
const $ = (id) => document.getElementById(id);
const frame = $("page");
const channel = new BroadcastChannel(`farkel ${root}`);
let answers = false;
let held; // what was pressed last before anything could answer it
const marks = (globalThis.farkelMarks = { begun: performance.now() });
/** Note that something is done, and when: for tests, which wait for it, and for measuring. */
function note(what) {
  marks[what] = performance.now();
  document.documentElement.dataset[what] = "";
}

/** Show what is going on, below the page; nothing hides it. */
function say(text, progress) {
  $("note").hidden = !text;
  $("again").hidden = true;
  if ($("said").textContent !== text) $("said").textContent = text;
  $("bar").hidden = progress === undefined;
  if (progress !== undefined) $("bar").value = progress;
}

/** Show how far it is, with more words for who waits for it. */
function progress(text, value) { say(held ? `One moment. ${text}` : text, value); }

let failed = false;
/** Say why nothing goes on here, and offer to try again. */
function fail(text, again = true) {
  failed = true;
  $("note").setAttribute("role", "alert");
  say(text);
  $("again").hidden = !again;
}

/** Load everything again. A newer version that waits takes over first: nothing goes on here that it could disturb. */
$("again").addEventListener("click", async () => {
  const waiting = (await navigator.serviceWorker.getRegistration(root))?.waiting;
  if (waiting) {
    const over = new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
    waiting.postMessage({ now: true });
    await over;
  }
  location.reload();
});

// The worker -----------------------------------------------------------------------------------------------------------

const DOWNLOADING = "Downloading Farkel, this once.";
const STARTING = "Starting Farkel.";

/** Start Python in this tab. `end` lets another tab start it. */
function start(end) {
  const worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  const stop = (text) => {
    worker.terminate();
    end();
    fail(text);
  };
  worker.onmessage = ({ data }) => {
    if (data.progress !== undefined && !marks.ready) progress(data.fetched ? DOWNLOADING : STARTING, data.progress);
    if (data.marks) {
      Object.assign(marks, data.marks);
      note("ready");
    }
    if (data.kept) control.then(keepLater);
    if (data.prepared !== undefined) note(data.prepared ? "prepared" : "unprepared"); // for the next start
    if (data.failed) stop(data.failed);
  };
  worker.onerror = ({ message }) => stop(`Farkel couldn’t start here: ${message ?? "a file may be missing"}. Try again, or use another browser.`);
}

/** Have the rest kept that is needed without a network, once Python has what it needs. */
async function keepLater() {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => note("kept");
  navigator.serviceWorker.controller.postMessage({ later: true }, [port2]);
}

/** Resolves when the service worker answers this tab. */
async function controlled() {
  const workers = navigator.serviceWorker;
  const taken = new Promise((done) => workers.addEventListener("controllerchange", done, { once: true }));
  const registration = await workers.register(`${root}service.js`, { scope: root });
  const { installing } = registration;
  const refused = new Promise((_, failed) => installing?.addEventListener("statechange", () => {
    if (installing.state === "redundant" && !registration.active) failed(new Error("a file is missing, or there is no room left"));
  }));
  await Promise.race([workers.ready, refused]);
  if (workers.controller) return;
  registration.active.postMessage({ claim: true }); // it does not take a page by itself that was loaded past it
  await taken;
}

// The frame ------------------------------------------------------------------------------------------------------------

/** Hold what is pressed until then. */
function hold(event) {
  const link = event.type === "click" ? event.target.closest?.("a[href]") : null;
  if (answers || (event.type === "click" && !link)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (failed) return;
  const { target, submitter } = event;
  held = () => (link ? link.click() : target.requestSubmit(submitter));
  progress($("said").textContent.replace("One moment. ", "") || STARTING, $("bar").value);
}

frame.addEventListener("load", () => {
  const at = frame.contentWindow.location;
  if (at.href === "about:blank") return;
  for (const kind of ["submit", "click"]) frame.contentDocument.addEventListener(kind, hold, true);
  marks.shown ??= performance.now();
  frame.hidden = false;
  $("wait").hidden = true;
  document.title = frame.title = frame.contentDocument.title || "Farkel";
  const path = at.pathname === `${root}start.html` ? root : at.pathname;
  history.replaceState(null, "", path + (at.search === "?" ? "" : at.search) + at.hash);
});

const can = "serviceWorker" in navigator && "locks" in navigator && "DecompressionStream" in globalThis;
const here = new Promise((done) => { channel.onmessage = ({ data }) => { if (data.here) done(); }; }); // Python, in some tab
channel.postMessage({ hello: true });
const control = can ? controlled() : new Promise(() => {});
control.then(() => { note("controlled"); return here; }).then(
  () => {
    answers = true;
    failed = false; // it may be another tab that could start it
    say("");
    held?.();
  },
  (error) => fail(`Farkel couldn’t be stored in this browser: ${error.message}. Try again, or use another browser.`),
);
/** The page to begin with; null for the start page. What a link carries after the # is for one of the game's pages. */
function first() {
  const linked = new URLSearchParams(location.hash.slice(1));
  if (location.pathname !== root) return location.pathname + (location.search || "?") + location.hash;
  if (linked.has("rules")) return `${root}?${new URLSearchParams({ rules: linked.get("rules") })}`;
  if (linked.has("record")) return `${root}watch?#${new URLSearchParams({ record: linked.get("record") })}`;
  return location.search ? root + location.search : null;
}
const begins = first();
if (begins === null) frame.src = `${root}start.html`; // the same for everybody, and there before Python
else control.then(() => { frame.src = begins; }, () => {});
if (can) navigator.locks.request(`farkel ${root}`, () => new Promise(start)); // until this tab is closed
else if (isSecureContext) fail("This browser is too old for Farkel. Update it, or open this page in another one.", false);
else fail("Farkel plays only at an address that begins with https:// (or at localhost). Open it there.", false);
