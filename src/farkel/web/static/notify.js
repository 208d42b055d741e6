// Tells the owner of a seat that their turn has begun while the page is in the background: once per turn, which the
// board names by its number, so that a reload, a move taken back or a second tab says nothing twice.

const root = document.documentElement.dataset.root; // the path under which everything lies
const board = () => /** @type {HTMLElement} */ (document.getElementById("board"));
const title = document.title;

/** @param {string} name @param {string} [value] */
function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch { return null; }
}

const can = "Notification" in window && isSecureContext;
const wanted = () => can && Notification.permission === "granted" && kept("farkel-notify") === "on";

function look() {
  const { game, turn = "0", mine, whose = "" } = board().dataset;
  document.title = mine === "1" && document.hidden ? `● ${whose} – ${title}` : title;
  if (mine !== "1") return;
  const name = `farkel-told-${game}`;
  const told = Number(kept(name) ?? 0);
  if (Number(turn) <= told) return;
  kept(name, turn);
  if (document.hidden && wanted()) show(whose, `farkel-${game}`, `${root}g/${game}`);
}

/** @param {string} text @param {string} tag @param {string} address */
async function show(text, tag, address) {
  const options = { tag, body: title, icon: `${root}static/icons/192.png`, data: { address } };
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  if (worker?.active) return worker.showNotification(text, options).catch(() => { /* it was forbidden just now */ });
  const shown = new Notification(text, options); // Android shows them through a service worker only
  shown.onclick = () => { window.focus(); shown.close(); };
}

// The box is part of the board, which the server makes anew: it is prepared again after every board.
function prepare() {
  const box = document.getElementById("notify");
  if (!(box instanceof HTMLInputElement) || !can) return;
  /** @type {HTMLElement} */ (document.getElementById("notify-line")).hidden = false;
  box.checked = wanted();
}

document.addEventListener("change", async ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.id !== "notify") return;
  kept("farkel-notify", target.checked ? "on" : "off");
  if (target.checked && Notification.permission !== "granted") await Notification.requestPermission();
  target.checked = wanted();
  const said = /** @type {HTMLElement} */ (document.getElementById("notify-said"));
  said.textContent = kept("farkel-notify") === "on" && !target.checked
    ? "The browser refuses notifications from this site. Allow them in its settings." : "";
});
document.addEventListener("htmx:after:swap", () => { look(); prepare(); });
document.addEventListener("visibilitychange", look);
look();
prepare();
