// What the pages of rules do beyond their forms: copy a link, print, and leave alone what somebody is typing.

document.documentElement.classList.add("with-script");

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (button?.hasAttribute("data-print")) window.print();
  if (button?.dataset.copy) {
    const from = document.getElementById(button.dataset.copy);
    button.textContent = (await copied(from)) ? "Copied" : "Press Ctrl+C";
  }
});

async function copied(from) {
  from.select();
  try {
    await navigator.clipboard.writeText(from.value);
    return true;
  } catch {
    return document.execCommand("copy"); // where the page came over plain HTTP there is no clipboard but this
  }
}

// An answer is older than what has been typed since: what stands in a field is the typist's.
window.htmx?.registerExtension("typed-stays", {
  htmx_before_morph_attr: (element, detail) => !(detail.attrName === "value" && element.matches("input:not([type=hidden])[name]")),
});
