// The service worker. Before this text the server puts ROOT, the path under which everything lies, and VERSION and ASSETS:
// what has to be there without a network.
// Nothing that holds a token is kept: a game that goes on without a network is drawn from what its page has noted.

const NAME = `farkel-${VERSION}`;
const OFFLINE = `${ROOT}offline`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll([OFFLINE, ...ASSETS])).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("farkel-") && name !== NAME;
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match(OFFLINE)));
  } else if (request.method === "GET" && url.pathname.startsWith(`${ROOT}static/`)) {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  }
});

self.addEventListener("notificationclick", (event) => {
  const { address } = event.notification.data ?? {};
  event.notification.close();
  event.waitUntil((async () => {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const open = pages.find((page) => new URL(page.url).pathname === address);
    return open ? open.focus() : self.clients.openWindow(address ?? ROOT);
  })());
});
