// Setting up a game: what was chosen last is remembered, in this browser only, and rows for more seats appear one by one.

const form = document.getElementById("start");
const linked = form.dataset.linked === "1";

function remembered() {
  try { return JSON.parse(localStorage.getItem("farkel-start")) ?? {}; } catch { return {}; }
}

const variations = [...form.querySelectorAll(".variations input")];

function restore(chosen) {
  const rules = [...form.elements.rules].find((radio) => radio.value === chosen.rules);
  if (rules) {
    rules.checked = true;
    rules.closest("details")?.setAttribute("open", "");
    for (const box of variations) box.checked = (chosen.variations ?? []).includes(box.name);
  }
  for (const [index, [name, who]] of (chosen.seats ?? []).entries()) {
    form.elements[`name-${index}`].value = name;
    form.elements[`who-${index}`].value = who;
    if (index > 1 && name) form.elements[`name-${index}`].closest("li").classList.remove("extra");
  }
}

function remember() {
  const seats = [];
  for (let index = 0; form.elements[`name-${index}`]; index++) {
    seats.push([form.elements[`name-${index}`].value.trim(), form.elements[`who-${index}`].value]);
  }
  const ticked = variations.filter((box) => box.checked).map((box) => box.name);
  const chosen = { rules: form.elements.rules.value, variations: ticked, seats, way: form.elements.way.value };
  try { localStorage.setItem("farkel-start", JSON.stringify(chosen)); } catch { /* then it is not remembered */ }
}

function follow() {
  const name = form.elements.rules.value;
  const ticked = variations.filter((box) => box.checked && box.name.startsWith(`${name}:`));
  const rules = [name, ticked.map((box) => box.name.slice(name.length + 1)).join(",")].filter(Boolean).join(":");
  document.getElementById("edit-rules").href = `/rules/edit?rules=${encodeURIComponent(rules)}`;
  const sheet = form.querySelector("input[name=rules]:checked").closest(".choice").querySelector(".sheet");
  sheet.href = `/rules/sheet?rules=${encodeURIComponent(rules)}`;
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
    const answer = await fetch(`/api/v1/rules?search=${encodeURIComponent(words)}`).catch(() => null);
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

const add = document.getElementById("add-seat");
function offerSeat() { add.hidden = !form.querySelector("li.extra"); }
add.addEventListener("click", () => {
  const row = form.querySelector("li.extra");
  row.classList.remove("extra");
  row.querySelector("input").focus();
  offerSeat();
});

// A link to house rules, or a form that came back, says itself what is chosen.
const chosen = remembered();
const listed = [...form.elements.rules].some((radio) => radio.value === chosen.rules);
if (!linked && chosen.rules && !listed) location.replace(`/new?way=${form.elements.way.value}&rules=${encodeURIComponent(chosen.rules)}`);
if (!linked) restore(chosen);
else if (!form.querySelector(".wrong")) restore({ ...chosen, rules: undefined });
offerSeat();
follow();
form.addEventListener("change", follow);
form.addEventListener("submit", remember);
