// The settings of this device, as boxes of a page.

import { setSetting, setting } from "./feel.js";

for (const box of document.querySelectorAll("[data-setting]")) {
  if (box instanceof HTMLSelectElement) box.value = setting(box.dataset.setting ?? "");
  else if (box instanceof HTMLInputElement) box.checked = setting(box.dataset.setting ?? "") === box.value;
}
document.addEventListener("change", ({ target }) => {
  const name = target instanceof HTMLElement && target.dataset.setting;
  if (name && target instanceof HTMLSelectElement) setSetting(name, target.value);
  else if (name && target instanceof HTMLInputElement) setSetting(name, target.checked ? target.value : null);
});
