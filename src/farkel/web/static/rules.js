// What the pages of rules do beyond their forms: print, and leave alone what somebody is typing.

document.documentElement.classList.add("with-script");

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.hasAttribute("data-print")) window.print();
  const link = event.target.closest("a[href^='#']");
  if (link) document.getElementById(link.hash.slice(1))?.closest("details")?.setAttribute("open", "");
});

// An answer is older than what has been typed since: what stands in a field is the typist's.
window.htmx?.registerExtension("typed-stays", {
  htmx_before_morph_attr: (element, detail) => !(detail.attrName === "value" && element.matches("input:not([type=hidden])[name]")),
});

// What the server had no time for is sent again, as soon as it has.
const AGAIN = 5_000; // milliseconds, if it does not say
document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  if (ctx.sourceElement !== editor || ![429, 503].includes(ctx.response.status)) return;
  const wait = 1_000 * Number(ctx.response.headers?.get("retry-after")) || AGAIN;
  setTimeout(() => editor.dispatchEvent(new Event("input")), wait);
});

// Parts that were opened stay open, also where a whole new draft takes the place of the old one.
let opened = [];
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (ctx?.target?.id === "draft") opened = [...document.querySelectorAll(".part[open]")].map((part) => part.id);
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  document.getElementById("notice")?.replaceChildren();
});

// htmx listens a moment after the page is shown: what was typed or chosen before is sent then.
const editor = document.getElementById("editor");
const touched = (field) => field.options
  ? [...field.options].some((one) => one.defaultSelected && !one.selected)
  : field.value !== field.defaultValue || field.checked !== field.defaultChecked;
function sendEarlier() {
  if ([...editor.querySelectorAll("input, select, textarea")].some(touched)) editor.dispatchEvent(new Event("input"));
}
if (editor?.hasAttribute("data-htmx-powered")) sendEarlier();
else editor?.addEventListener("htmx:after:init", ({ target }) => { if (target === editor) sendEarlier(); });
