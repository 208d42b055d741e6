// Copies the link beside a button that says so.

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button[data-copy]");
  if (!button) return;
  const link = button.closest(".link, .share").querySelector("input");
  (button.querySelector("span") ?? button).textContent = (await copied(link)) ? "Copied" : "Press Ctrl+C";
}, true);

async function copied(link) {
  link.select();
  try {
    await navigator.clipboard.writeText(link.value);
    return true;
  } catch {
    return document.execCommand("copy"); // where the page came over plain HTTP there is no clipboard but this
  }
}
