// The review: one decision at a time, the worst first or as they were played.

function turnTo(section, place) {
  const order = section.querySelector("[name=order]:checked").value;
  const all = [...section.querySelectorAll("ol > li")].sort((one, other) => one.dataset[order] - other.dataset[order]);
  const [before, next] = section.querySelectorAll("[data-step]");
  const now = Math.max(0, Math.min(place(all), all.length - 1));
  for (const [at, each] of all.entries()) each.classList.toggle("now", at === now);
  for (const [button, at] of [[before, now - 1], [next, now + 1]]) {
    button.disabled = !all[at];
    button.querySelector("small").textContent = all[at] ? `${at + 1} of ${all.length}` : "";
  }
  const here = section.parentElement.querySelector(".curve .here");
  here?.setAttribute("transform", `translate(${all[now].dataset.at * here.dataset.width} 0)`);
}

document.addEventListener("click", ({ target }) => {
  const step = target.closest?.(".decisions [data-step]");
  if (step) turnTo(step.closest(".decisions"), (all) => all.findIndex((each) => each.matches(".now")) + Number(step.dataset.step));
});

document.addEventListener("change", ({ target }) => {
  if (target.matches(".decisions [name=order]")) turnTo(target.closest(".decisions"), () => 0);
});
