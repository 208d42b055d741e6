// A record that came with a link: it stands packed after the #, and becomes the text of the form.

const MOST = 1 << 20; // characters of an unpacked record

/** @param {string} packed */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
  let text = "";
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    text += value;
    if (text.length > MOST) throw new Error("too long");
  }
  return text;
}

const packed = new URLSearchParams(location.hash.slice(1)).get("record");
if (packed) {
  const linked = /** @type {HTMLElement} */ (document.getElementById("linked"));
  try {
    /** @type {HTMLTextAreaElement} */ (document.getElementById("text")).value = await unpacked(packed);
    linked.textContent = "The link has brought the record of a game. Press “Watch it” to see it.";
  } catch {
    linked.textContent = "This link is damaged: a part of it may be missing. Ask for it again, or for the record as a file.";
    linked.className = "wrong";
  }
  linked.hidden = false;
}
