// Choosing rules: the links to sheet and editor follow what is chosen, and the list can be searched.

const root = document.documentElement.dataset.root; // the path under which everything lies
export const form = document.querySelector("form.choosing");
export const variations = [...form.querySelectorAll(".variations input")];

export function follow() {
  const name = form.elements.rules.value;
  const ticked = variations.filter((box) => box.checked && box.name.startsWith(`${name}:`));
  const rules = [name, ticked.map((box) => box.name.slice(name.length + 1)).join(",")].filter(Boolean).join(":");
  const edit = document.getElementById("edit-rules");
  if (edit) edit.href = `${root}rules/edit?rules=${encodeURIComponent(rules)}`;
  const sheet = form.querySelector("input[name=rules]:checked").closest(".choice").querySelector(".sheet");
  sheet.href = `${root}rules/sheet?rules=${encodeURIComponent(rules)}`;
}

// Finding rules: the server knows what their sheets say.
const find = document.getElementById("find-rules");
const found = document.getElementById("found-rules");
let asked = 0;

async function look() {
  const words = find.value.trim();
  const number = ++asked;
  let names = null;
  let said = "";
  if (words) {
    const answer = await fetch(`${root}api/v1/rules?search=${encodeURIComponent(words)}`).catch(() => null);
    const body = await answer?.json().catch(() => null);
    if (number !== asked) return;
    if (answer?.ok) names = new Set(body.map((set) => set.name));
    said = names ? `${names.size} found; your choice stays.` : body?.message ?? "No connection. Try again.";
  }
  found.textContent = said;
  if (words && !names) return;
  for (const radio of form.elements.rules) {
    radio.closest(".choice").hidden = names !== null && !radio.checked && !names.has(radio.value);
  }
  for (const heading of form.querySelectorAll(".family")) {
    heading.hidden = !heading.nextElementSibling.querySelector(".choice:not([hidden])");
  }
  if (names) document.getElementById("more-rules").open = true;
}

let waiting = 0;
find.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 250); });
find.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });

follow();
form.addEventListener("change", follow);
