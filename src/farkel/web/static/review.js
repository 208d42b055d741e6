// The review: one decision at a time, the worst first or as they were played.

/** Show another decision. @param {HTMLElement} section @param {(all: HTMLElement[]) => number} place */
function turnTo(section, place) {
  const order = /** @type {HTMLInputElement} */ (section.querySelector("[name=order]:checked")).value;
  const all = [.../** @type {NodeListOf<HTMLElement>} */ (section.querySelectorAll("ol > li"))];
  all.sort((one, other) => Number(one.dataset[order]) - Number(other.dataset[order]));
  const now = Math.max(0, Math.min(place(all), all.length - 1));
  for (const [at, each] of all.entries()) each.classList.toggle("now", at === now);
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (section.querySelectorAll("[data-step]"))) {
    const at = now + Number(button.dataset.step);
    const small = button.querySelector("small");
    button.disabled = !all[at];
    if (small) small.textContent = all[at] ? `${at + 1} of ${all.length}` : "";
  }
  const here = /** @type {SVGElement | null | undefined} */ (section.parentElement?.querySelector(".curve .here"));
  here?.setAttribute("transform", `translate(${Number(all[now]?.dataset.at) * Number(here.dataset.width)} 0)`);
}

document.addEventListener("click", ({ target }) => {
  const step = target instanceof Element && target.closest(".decisions [data-step]");
  const section = step && step.closest(".decisions");
  if (step instanceof HTMLElement && section instanceof HTMLElement) turnTo(section, (all) => all.findIndex((each) => each.matches(".now")) + Number(step.dataset.step));
});

document.addEventListener("change", ({ target }) => {
  const section = target instanceof Element && target.matches("[name=order]") && target.closest(".decisions");
  if (section instanceof HTMLElement) turnTo(section, () => 0);
});
