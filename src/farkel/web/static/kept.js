// What this browser keeps: what scripts have stored goes into the file of “Save all” and comes back from it.

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} name */
const mine = (name) => name.startsWith("farkel-");

part("save").addEventListener("submit", ({ target }) => {
  const kept = Object.entries(localStorage).filter(([name]) => mine(name));
  const scripts = target instanceof HTMLFormElement && target.elements.namedItem("scripts");
  if (scripts instanceof HTMLInputElement) scripts.value = JSON.stringify(Object.fromEntries(kept));
});

/** Take what a file brings; what is here already stays. @param {Record<string, string>} settings */
function take(settings) {
  for (const [name, value] of Object.entries(settings)) {
    if (name === "farkel-games") {
      const games = [...JSON.parse(localStorage.getItem(name) ?? "[]"), ...JSON.parse(value)];
      const once = new Map(games.map((one) => [one.game, one]));
      localStorage.setItem(name, JSON.stringify([...once.values()]));
    } else if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
  }
}

/** Delete what scripts keep of games that are no longer here. */
function tidy() {
  const games = new Set([.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-game]"))].map((row) => row.dataset.game));
  for (const name of Object.keys(localStorage)) {
    const game = /^farkel-(?:told|commitment|word|typed|sheet|queue)-([a-z0-9]{12})/.exec(name)?.[1];
    if (game && !games.has(game)) localStorage.removeItem(name);
  }
}

try {
  const settings = document.getElementById("done")?.dataset.settings;
  if (settings) take(JSON.parse(settings));
  tidy();
} catch { /* this browser keeps nothing for scripts */ }

/** @param {number} bytes */
const size = (bytes) => (bytes < 1e9 ? `${Math.max(1, Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`);
const lasting = part("lasting");
const button = part("persist");

/** @param {boolean} kept */
function say(kept) {
  lasting.textContent = kept
    ? "This browser has promised to keep your games until you delete them."
    : "This browser may delete your games if the device runs short of room. You can ask it not to.";
  button.hidden = kept;
}

const { quota, usage = 0 } = await navigator.storage?.estimate?.() ?? {};
if (quota) part("room").textContent = `Farkel uses about ${size(usage)} in this browser, of ${size(quota)} that it may use.`;
if (navigator.storage?.persisted) say(await navigator.storage.persisted());
button.addEventListener("click", async () => {
  const kept = await navigator.storage.persist();
  say(kept);
  if (!kept) lasting.textContent = "This browser doesn’t promise it now. Add Farkel to the home screen or to your bookmarks, and ask again; until then, save your games as a file.";
});
