// The start page: what was chosen last is remembered, in this browser only, and rows for more seats appear one by one.

const form = document.getElementById("start");
const linked = form.dataset.linked === "1";

function remembered() {
  try { return JSON.parse(localStorage.getItem("farkel-start")) ?? {}; } catch { return {}; }
}

function restore(chosen) {
  const rules = [...form.elements.rules].find((radio) => radio.value === chosen.rules);
  if (rules) {
    rules.checked = true;
    rules.closest("details")?.setAttribute("open", "");
  }
  for (const [index, [name, who]] of (chosen.seats ?? []).entries()) {
    form.elements[`name-${index}`].value = name;
    form.elements[`who-${index}`].value = who;
    if (index > 1 && name) form.elements[`name-${index}`].closest("li").classList.remove("extra");
  }
  if (chosen.way) form.elements.way.value = chosen.way;
}

function remember() {
  const seats = [];
  for (let index = 0; form.elements[`name-${index}`]; index++) {
    seats.push([form.elements[`name-${index}`].value.trim(), form.elements[`who-${index}`].value]);
  }
  const chosen = { rules: form.elements.rules.value, seats, way: form.elements.way.value };
  try { localStorage.setItem("farkel-start", JSON.stringify(chosen)); } catch { /* then it is not remembered */ }
}

function follow() {
  document.getElementById("edit-rules").href = `/rules/edit?rules=${encodeURIComponent(form.elements.rules.value)}`;
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
if (!linked && chosen.rules && !listed) location.replace(`/?rules=${encodeURIComponent(chosen.rules)}`);
if (!linked) restore(chosen);
else if (!form.querySelector(".wrong")) restore({ ...chosen, rules: undefined });
offerSeat();
follow();
form.addEventListener("change", follow);
form.addEventListener("submit", remember);
