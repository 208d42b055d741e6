// Copies the link beside a button that says so.

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element && target.closest("button[data-copy]");
  const link = button && button.closest(".link, .share")?.querySelector("input");
  if (!link) return;
  (button.querySelector("span") ?? button).textContent = (await copied(link)) ? "Copied" : "Press Ctrl+C";
}, true);

/** Copy a link, and return whether that was allowed. @param {HTMLInputElement} link */
async function copied(link) {
  link.select();
  try {
    await navigator.clipboard.writeText(link.value);
    return true;
  } catch {
    return document.execCommand("copy"); // where the page came over plain HTTP there is no clipboard but this
  }
}
