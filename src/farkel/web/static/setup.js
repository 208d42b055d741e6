// Setting up a game: what was chosen last is remembered, in this browser only, and rows for more seats appear one by one.

import { follow, form, variations } from "./choose.js";

const linked = form.dataset.linked === "1";

function remembered() {
  try { return JSON.parse(localStorage.getItem("farkel-start")) ?? {}; } catch { return {}; }
}

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
if (!linked && chosen.rules && !listed) location.replace(`${document.documentElement.dataset.root}new?way=${form.elements.way.value}&rules=${encodeURIComponent(chosen.rules)}`);
if (!linked) restore(chosen);
else if (!form.querySelector(".wrong")) restore({ ...chosen, rules: undefined });
offerSeat();
follow();
form.addEventListener("submit", remember);
