// In pages that stand in a folder: shows what the coach calculates. Python says when that has changed.

const place = /** @type {HTMLElement} */ (document.getElementById("coach"));
const { root } = document.documentElement.dataset;
let asking = false, again = false;

/** @param {string} address @param {BodyInit} [body] */
async function part(address, body) {
  const answer = await fetch(root + address, body ? { method: "POST", body } : {});
  return answer.ok ? answer.text() : "";
}

/** @param {string} text */
function show(text) {
  const found = document.createElement("template");
  found.innerHTML = text;
  const next = found.content.querySelector("form"), now = place.querySelector("form");
  if (next && now?.dataset.number === next.dataset.number) { // the button keeps the focus
    for (const kind of [".said", "progress"]) now?.querySelector(kind)?.replaceWith(next.querySelector(kind) ?? "");
  } else place.replaceChildren(...(next ? [next] : []));
}

async function look() {
  again = asking;
  if (asking) return;
  asking = true;
  try {
    show(await part("coach"));
  } finally {
    asking = false;
  }
  if (again) look();
}

place.addEventListener("submit", async (event) => {
  event.preventDefault();
  show(await part("coach/stop", new URLSearchParams(/** @type {any} */ (new FormData(/** @type {HTMLFormElement} */ (event.target))))));
});
new BroadcastChannel("farkel-coach").addEventListener("message", look);
if (navigator.serviceWorker?.controller) look(); // else nobody can answer, and nothing is calculated
