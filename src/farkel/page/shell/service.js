// Files come from the cache of this version; requests of the game's pages go to the worker in which Python runs.
// It holds no state, as a browser may stop it at any time.
const ROOT = new URL(self.registration.scope).pathname;
const CACHE = `farkel ${ROOT} ${VERSION}`;
const PYTHON = `farkel ${ROOT} py`; // which the worker keeps in order
const AGAIN = 300; // milliseconds until a question that nobody took is asked again
const LOST = 3_000; // until one that somebody has taken is asked again, as that tab may have been closed
const PATIENCE = 120_000; // until it is given up, if nobody says that an answer comes
const NOBODY = "Farkel has not started in any tab. Open its start page.";
const channel = new BroadcastChannel(`farkel ${ROOT}`);
const asked = new Map(); // what waits for an answer, by its number

self.addEventListener("install", (event) => event.waitUntil(install()));

async function install() {
  await keep(FILES);
  const { version } = await (await fetch(`${ROOT}farkel.json`, { cache: "no-cache" })).json();
  if (version !== VERSION) throw new Error("the folder was replaced meanwhile"); // the browser tries again
}

// A new version waits until no page of the old one is open, and so never takes over in the middle of a game.
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  const old = (name) => name.startsWith(`farkel ${ROOT} `) && name !== CACHE && name !== PYTHON;
  for (const name of await caches.keys()) if (old(name)) await caches.delete(name);
  await self.clients.claim();
})()));

self.addEventListener("message", (event) => {
  if (event.data.later) event.waitUntil(keep(LATER).then(() => event.ports[0].postMessage(true)));
  if (event.data.claim) event.waitUntil(self.clients.claim());
  if (event.data.now) event.waitUntil(self.skipWaiting());
});

/** Keep files that are not kept yet. */
async function keep(names) {
  const cache = await caches.open(CACHE);
  const had = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname));
  const missing = names.map((name) => ROOT + name).filter((name) => !had.has(name));
  await cache.addAll(missing.map((name) => new Request(name, { cache: "no-cache" })));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(ROOT)) return;
  const path = url.pathname.slice(ROOT.length);
  const page = request.mode === "navigate" && request.destination !== "document";
  if (request.mode === "navigate" && !page) event.respondWith(shell());
  else if (page && request.method === "GET" && path === "" && url.search.length < 2) event.respondWith(file("start.html"));
  else if (FILES.includes(path) || LATER.includes(path)) event.respondWith(file(path));
  else if (path.startsWith("values/")) event.respondWith(values(request));
  else if (!path.startsWith("py/")) event.respondWith(answer(request, url, path));
});

async function file(path) {
  return (await (await caches.open(CACHE)).match(ROOT + path)) ?? fetch(ROOT + path);
}

/** Values of a rule set, which are kept once somebody has asked for them. */
async function values(request) {
  const cache = await caches.open(PYTHON);
  const found = await cache.match(request.url);
  if (found) return found;
  const got = await fetch(request);
  if (got.ok) await cache.put(request.url, got.clone()).catch(() => {}); // without room they are fetched again
  return got;
}

/** The shell, for whatever address below the root. */
async function shell() {
  const found = await file("index.html");
  const text = (await found.text()).replace('<base href="./">', `<base href="${ROOT}">`);
  return new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
}

async function answer(request, url, path) {
  const to = crypto.randomUUID();
  const body = ["GET", "HEAD"].includes(request.method) ? null : new Uint8Array(await request.arrayBuffer());
  const ask = { ask: to, method: request.method, origin: url.origin, target: `/${path}${url.search}`, headers: [...request.headers], body };
  const one = { origin: url.origin, ask: () => channel.postMessage(ask), nobody: () => answered(to, new Response(NOBODY, { status: 503 })) };
  asked.set(to, one);
  const found = new Promise((done) => { one.done = done; });
  wait(one, AGAIN);
  one.ask();
  return found;
}

/** Ask again after that time, and give up at last if nobody is about to answer. */
function wait(one, time, patience = PATIENCE) {
  clearInterval(one.repeat);
  clearTimeout(one.end);
  one.repeat = setInterval(one.ask, time);
  if (patience) one.end = setTimeout(one.nobody, patience);
}

function answered(to, found) {
  const one = asked.get(to);
  clearInterval(one.repeat);
  clearTimeout(one.end);
  if (!one.stream) asked.delete(to);
  one.done(found);
}

/** Python has started in another tab: what the one before it had taken is asked again, and streams are opened anew. */
function begun() {
  for (const [to, one] of asked) {
    if (one.stream) {
      asked.delete(to);
      one.stream.close();
    } else {
      one.ask();
    }
  }
}

channel.onmessage = ({ data }) => {
  if (data.begun) return begun();
  const one = asked.get(data.to);
  if (one === undefined) {
    if (data.piece !== undefined) channel.postMessage({ gone: data.to });
  } else if (data.coming) {
    wait(one, LOST);
  } else if (data.taken) {
    wait(one, LOST, 0);
  } else if (data.status !== undefined) {
    answered(data.to, response(data, one));
  } else if (data.piece !== undefined) {
    channel.postMessage({ read: data.to });
    one.stream.enqueue(data.piece);
  } else if (data.end) {
    asked.delete(data.to);
    one.stream.close();
  }
};

function response(data, one) {
  const headers = new Headers(data.headers.filter(([name]) => name !== "content-length"));
  if (data.status >= 300 && data.status < 400 && headers.has("location")) {
    const to = new URL(headers.get("location"), one.origin);
    return Response.redirect(new URL(ROOT + to.pathname.slice(1) + to.search + to.hash, one.origin), data.status);
  }
  let body = data.body;
  if (data.streams) {
    body = new ReadableStream({
      start: (controller) => { one.stream = controller; },
      cancel: () => { asked.delete(data.to); channel.postMessage({ gone: data.to }); },
    });
  }
  return new Response([204, 205, 304].includes(data.status) ? null : body, { status: data.status, headers });
}
