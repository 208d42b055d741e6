// Python, and in it the server's application, which answers what the service worker passes on.
import { Database } from "./database.mjs";
import { Trouble, python, reason, refuseSnapshot, rest, root, snapshot, tidy } from "./python.mjs";
import { Damaged } from "./snapshot.mjs";

const channel = new BroadcastChannel(`farkel ${root}`);
const marks = {};
const mark = (name) => { marks[name] = performance.timeOrigin + performance.now(); };
mark("worker");

// Questions wait in the order in which they were asked until Python can answer them.
const early = new Map();
let here = false;
let ask = (question) => {
  early.set(question.ask, question);
  channel.postMessage({ to: question.ask, coming: true });
};
const streams = new Map();
channel.onmessage = ({ data }) => {
  if (data.ask !== undefined) ask(data);
  else if (data.gone !== undefined) streams.get(data.gone)?.leave();
  else if (data.read !== undefined && streams.has(data.read)) streams.get(data.read).unread = 0;
  else if (data.hello && here) channel.postMessage({ here });
};

/** Say why nothing is answered here any more. The shell ends this worker, and another tab may start Python. */
function stop(text) { self.postMessage({ failed: text }); }

const replaced = () => stop("A newer Farkel was opened in another tab. Try again to get it here too; nothing is lost.");
const coach = () => new Worker(new URL("coach_worker.mjs", import.meta.url), { type: "module" });

/** Start the application, from a snapshot of an earlier visit if there is one that works. */
async function begin() {
  const told = (progress, fetched) => self.postMessage({ progress, fetched });
  let wanted = true;
  try {
    const stored = await snapshot();
    wanted = stored === undefined;
    if (stored) return await opened(await python({ told, stored }), "restored");
  } catch (error) {
    if (error instanceof Trouble) throw error;
    console.warn("Starting without a snapshot:", error);
    wanted = error instanceof Damaged;
    await refuseSnapshot(wanted);
  }
  return { ...await opened(await python({ told }), "loaded"), wanted };
}

/** The application over the games of this browser, and what brings the modules that a first visit does not need. */
async function opened(py, how) {
  mark(how);
  const serving = py.pyimport("farkel.page.serving");
  mark("imported");
  let coming;
  const more = () => (coming ??= rest(py).catch((error) => { coming = undefined; throw error; }));
  const server = await serving.begin(new Database({ name: `farkel ${root}`, replaced }), root, coach, more);
  if (typeof server === "string") throw new Trouble(server);
  mark("ready");
  return { server, more };
}

let asked = 0; // when something was asked last

/** Wait until nothing was asked for some time, in milliseconds. */
async function quiet(time) {
  for (let since = 0; since < time; since = performance.now() - asked) await new Promise((done) => setTimeout(done, time - since));
}

/** Have a snapshot made for the next start, while nobody waits for anything else. */
async function prepare({ server }) {
  if (navigator.deviceMemory < ENOUGH) return; // two Pythons may be too much; not every browser tells
  do await quiet(THINKS); while (server.busy());
  const maker = new Worker(new URL("snapshot_worker.mjs", import.meta.url), { type: "module" });
  const calculates = new BroadcastChannel("farkel-coach");
  const end = () => { maker.terminate(); calculates.close(); };
  maker.onmessage = ({ data }) => {
    end();
    self.postMessage({ prepared: data.made });
  };
  calculates.onmessage = () => { // three Pythons would be too much for a phone
    if (!server.busy()) return;
    end();
    prepare({ server });
  };
}

const PAUSE = 500; // milliseconds without a question after which one that follows another has been asked
const ENOUGH = 2; // GiB of memory for a second Python
const THINKS = 3_000; // after which somebody seems to think
const UNREAD = 60_000; // milliseconds after which nobody reads a stream any more
const MOST_TAKEN = 1_000;
const taken = new Set(); // the last questions, as each may come several times

async function answer(server, question) {
  const to = question.ask;
  asked = performance.now();
  channel.postMessage({ to, taken: true });
  if (taken.has(to)) return;
  taken.add(to);
  if (taken.size > MOST_TAKEN) taken.delete(taken.values().next().value);
  let leave;
  const gone = new Promise((done) => { leave = done; });
  const stream = {
    begin(status, headers) { streams.set(to, { leave, unread: 0 }); channel.postMessage({ to, status, headers, streams: true }); },
    more(piece) {
      const one = streams.get(to);
      if (one.unread && performance.now() - one.unread > UNREAD) leave();
      one.unread ||= performance.now();
      channel.postMessage({ to, piece });
    },
    gone: () => gone,
  };
  try {
    const found = await server.answer(to, question.method, question.origin, question.target, question.headers, question.body, stream);
    if (found === undefined) channel.postMessage({ to, end: true });
    else channel.postMessage({ to, status: found[0], headers: found[1], body: found[2] });
  } catch (error) {
    console.error(error);
    const headers = [["content-type", "text/plain; charset=utf-8"]];
    channel.postMessage({ to, status: 500, headers, body: "Something went wrong in this page. Your games are safe: go back, and try again." });
    if (error?.pyodide_fatal_error) stop("Farkel stopped, perhaps for lack of memory. Your games are safe: close other tabs, and try again.");
  } finally {
    streams.delete(to);
  }
}

const begun = await begin().catch(async (error) => stop(await reason(error)));
if (begun) {
  here = true;
  ask = (question) => answer(begun.server, question);
  for (const question of early.values()) ask(question);
  early.clear();
  channel.postMessage({ here, begun: true });
  self.postMessage({ marks });
  try {
    await quiet(PAUSE);
    await begun.more();
    await tidy();
    self.postMessage({ kept: true });
    if (begun.wanted) await prepare(begun);
  } catch (error) {
    console.warn(error); // it comes when it is needed
  }
}
