// The start page: the rules, the name and the opponent of the last game are filled in. Only this browser knows them.

function stored(name) {
  try { return JSON.parse(localStorage.getItem(name)) ?? {}; } catch { return {}; }
}

const form = document.getElementById("now");
const last = stored("farkel-last");
if (last.rules && document.getElementById("home").dataset.linked !== "1") {
  form.elements.rules.value = last.rules;
  document.getElementById("rules-title").textContent = last.title;
  const { root } = document.documentElement.dataset;
  const rules = encodeURIComponent(last.rules);
  for (const row of document.querySelectorAll("[data-way]")) row.href = `${root}new?way=${row.dataset.way}&rules=${rules}`;
  document.getElementById("learn").href = `${root}rules/minute?rules=${rules}`;
}
const opponent = stored("farkel-opponent").who;
if ([...form.elements["who-1"].options].some((one) => one.value === opponent)) form.elements["who-1"].value = opponent;
const name = stored("farkel-start").seats?.[0]?.[0];
if (name && !/^Player \d+$/.test(name)) form.elements["name-0"].value = name;

// A word of this browser is mixed into the dice, so that the server cannot have chosen them; the page of the game that it opens in this tab keeps it.
form.elements.word.value = newWord(0);

let sent = false;
form.addEventListener("submit", (event) => {
  if (sent) return event.preventDefault();
  sent = true;
  form.querySelector("button").setAttribute("aria-busy", "true");
  try {
    localStorage.setItem("farkel-opponent", JSON.stringify({ who: form.elements["who-1"].value }));
    sessionStorage.setItem("farkel-word", form.elements.word.value);
  } catch { /* then it is not remembered */ }
});
window.addEventListener("pageshow", () => {
  sent = false;
  form.querySelector("button").removeAttribute("aria-busy");
});

const settings = document.getElementById("help");
document.querySelector("[data-dialog=help]").addEventListener("click", () => settings.showModal());
