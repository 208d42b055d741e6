// What a person could not read or press on the page as it is shown now: a list of findings, empty if all is well.
// Each text is whole, each control is hit where it is pressed, and nothing lies over anything else.
async ({ scale, still }) => {
  const found = [];
  const named = (one) => {
    const of = one.closest("[id], .part, .seat, button, .chip, .die, td, th, p") ?? one;
    const name = of.id ? `#${of.id}` : of.className?.baseVal ?? [of.tagName.toLowerCase(), ...of.classList].join(".");
    return name.replace(/\d{2,}/, "N");
  };
  const say = (what, one, more = "") => found.push(`${what}: ${named(one)} ${more}`.trim());
  const round = (rect) => [rect.left, rect.top, rect.right, rect.bottom].map(Math.round).join(" ");

  // Everything is hit, also what lets presses through.
  const sheet = document.head.appendChild(document.createElement("style"));
  sheet.textContent = ".news, #reactions *, .tip, .held *, .pill, .band { pointer-events: auto !important; } * { animation: none !important; transition: none !important; }";
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  scrollTo(0, 0);

  const layer = document.querySelector(":popover-open, dialog[open]") ?? document.body;
  const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !one.closest(".unseen, .skip, option, [hidden]");
  const style = (one) => getComputedStyle(one);
  const cuts = /hidden|clip/;
  const moves = /auto|scroll/;

  /** The part of a rectangle that the boxes around it leave, and whether it can be moved into view; fixed things are of the screen. */
  function left(one, rect) {
    const now = { left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom };
    const shown = { ...now };
    let [x, y] = [false, false];
    for (let box = one; box && box !== document.documentElement; box = box.parentElement) {
      const { overflowX, overflowY, position, display } = style(box);
      if (display !== "inline" && display !== "contents") {
        const edge = box.getBoundingClientRect();
        const inner = { left: edge.left + box.clientLeft, top: edge.top + box.clientTop };
        inner.right = inner.left + box.clientWidth;
        inner.bottom = inner.top + box.clientHeight;
        if (box !== document.body && !(box instanceof SVGElement)) {
          if (overflowX !== "visible") [shown.left, shown.right] = [Math.max(shown.left, inner.left), Math.min(shown.right, inner.right)];
          if (overflowY !== "visible") [shown.top, shown.bottom] = [Math.max(shown.top, inner.top), Math.min(shown.bottom, inner.bottom)];
          x ||= moves.test(overflowX);
          y ||= moves.test(overflowY);
          if (!x && cuts.test(overflowX)) [now.left, now.right] = [Math.max(now.left, inner.left), Math.min(now.right, inner.right)];
          if (!y && cuts.test(overflowY)) [now.top, now.bottom] = [Math.max(now.top, inner.top), Math.min(now.bottom, inner.bottom)];
        }
      }
      if (position === "fixed") break;
    }
    return { now, shown, x, y };
  }

  const page = document.documentElement;
  if (page.scrollWidth > innerWidth + 0.5) found.push(`the page is ${page.scrollWidth - innerWidth} too wide`);
  const play = document.querySelector("#board.playing:not(:has(.by-roll.within))");
  if (still && play && page.scrollHeight > innerHeight + 0.5) found.push(`the page is ${page.scrollHeight - innerHeight} too high`);

  // Texts ---------------------------------------------------------------------------------------------------------------

  const texts = [];
  const walk = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode;
    const one = text.parentElement;
    if (!text.data.trim() || !seen(one) || one.closest("script, style, svg, textarea, noscript")) continue;
    const size = parseFloat(style(one).fontSize);
    if (size < 13 * scale - 0.01) say(`${size} px`, one, text.data.trim());
    const range = document.createRange();
    const from = text.data.search(/\S/);
    range.setStart(text, from);
    range.setEnd(text, from + text.data.trim().length);
    const slack = 0.09 * size + 1; // a line is as high as its letters, and they have room above and below
    for (const rect of range.getClientRects()) {
      if (rect.width < 1) continue;
      const { now, shown, x, y } = left(one, rect);
      const cut = Math.max(now.left - rect.left, rect.right - now.right) > 1 || Math.max(now.top - rect.top, rect.bottom - now.bottom) > slack;
      if (cut) say("cut", one, `“${text.data.trim().slice(0, 40)}” ${round(rect)} of ${round(now)}`);
      const box = one.closest(".seat, button, .button, .panel, .rail, .band")?.getBoundingClientRect();
      if (box && !x && (rect.left < box.left || rect.right > box.right)) say("beyond its box", one, `“${text.data.trim().slice(0, 40)}”`);
      if (!x && (rect.left < -0.5 || rect.right > innerWidth + 0.5)) say("beside the screen", one, text.data.trim().slice(0, 40));
      if (shown.right - shown.left > 4 && shown.bottom - shown.top > 0.7 * size) texts.push({ one, text: text.data.trim(), rect: shown, slack, free: x || y });
    }
  }
  for (const one of layer.querySelectorAll("*")) {
    if (!seen(one)) continue;
    const { textOverflow, webkitLineClamp, overflowX } = style(one);
    if (textOverflow === "ellipsis" && cuts.test(overflowX) && one.scrollWidth > one.clientWidth + 1 && one.clientWidth) say("dots", one, one.textContent.trim().slice(0, 40));
    if (webkitLineClamp !== "none" && one.scrollHeight > one.clientHeight + 1) say("lines cut", one, one.textContent.trim().slice(0, 60));
  }

  // What lies over what ---------------------------------------------------------------------------------------------------

  const related = (one, hit) => hit && (one === hit || one.contains(hit) || hit.contains(one));
  const said = "#reactions, #offline, #notice, #board > .wrong"; // in the place of the news
  const newsOver = (hit) => (innerWidth > innerHeight && hit?.closest("#news")) || (!still && hit?.closest("#reactions")); // it is read, and goes

  for (const { one, text, rect, slack } of texts) {
    const y = (rect.top + rect.bottom) / 2;
    for (const x of [rect.left + 2, (rect.left + rect.right) / 2, rect.right - 2]) {
      if (x < 0 || x >= innerWidth || y < 0 || y >= innerHeight || rect.right - rect.left < 1) continue;
      const hit = document.elementFromPoint(x, y);
      if (!layer.contains(hit) || related(one, hit) || newsOver(hit)) continue;
      const input = hit.matches("input") && (hit.closest("label")?.contains(one) || hit.parentElement.contains(one));
      if (input || hit.closest(".decide") && !one.closest(".decide") || !still && hit.closest(".decide, .sheet-below")) continue;
      if (hit.closest("thead") && one.closest(".score-sheet")) continue; // its rows move below their head
      if (hit.closest(".crowded .seat") && one.closest(".crowded")) continue;
      if (hit.closest(".band, .tip, .hint") && one.closest(".rail")) continue;
      if (hit.closest(said) && one.closest(".news, .rail")) continue;
      say("covered", one, `“${text.slice(0, 40)}” by ${named(hit)}`);
      break;
    }
  }
  for (const [at, one] of texts.entries()) {
    for (const other of texts.slice(at + 1)) {
      if (one.one === other.one || one.free || other.free) continue;
      if (one.one.closest(".decide") !== other.one.closest(".decide")) continue;
      if ([one, other].some((each) => each.one.closest(`${said}, .band, .tip, .hint`) || innerWidth > innerHeight && each.one.closest("#news"))) continue;
      const x = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left);
      const y = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top);
      if (x > 1 && y > one.slack + other.slack + 2) say("on each other", one.one, `“${one.text.slice(0, 30)}” and “${other.text.slice(0, 30)}” ${Math.round(x)} ${Math.round(y)}`);
    }
  }

  // Controls ----------------------------------------------------------------------------------------------------------------

  /** Where a press on the middle or near a corner hits something else. */
  function notHit(one, rect) {
    const inset = Math.min(10, rect.width / 4, rect.height / 4);
    const points = [[(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2]];
    for (const x of [rect.left + inset, rect.right - inset]) for (const y of [rect.top + inset, rect.bottom - inset]) points.push([x, y]);
    for (const [x, y] of points) {
      const hit = document.elementFromPoint(x, y);
      if (one.contains(hit) || [...one.labels ?? []].some((label) => label.contains(hit)) || newsOver(hit)) continue;
      if (one.closest(".strip.crowded, .to-scores") && hit?.closest(".to-scores, .held")) continue;
      return `${Math.round(x)} ${Math.round(y)} of ${round(rect)} but ${hit ? named(hit) : "nothing"}`;
    }
    return "";
  }

  const pressed = "button, a[href], input:not([type=hidden]), select, textarea, summary";
  for (const one of layer.querySelectorAll(pressed)) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest(".unseen, .skip, [hidden], .scores td, .on-paper td") || one.matches(".skip")) continue;
    const pressedOn = one.closest(".die")?.querySelector(".cube") ?? one; // a die, and not its cell
    let rect = pressedOn.getBoundingClientRect();
    if (rect.width < 1) continue;
    const bar = document.querySelector("#bar, #pass:not([hidden])")?.getBoundingClientRect();
    const within = () => rect.top >= -0.5 && rect.bottom <= innerHeight + 0.5 && (one.closest(".decide") || !bar || rect.bottom <= bar.top + 0.5 || rect.left >= bar.right || rect.right <= bar.left);
    if (!within()) {
      if (still && play && !one.closest(".on-paper, .sheet-below, .scores, .by-roll, .hint")) say("not on the screen", one, round(rect));
      one.scrollIntoView({ block: "center", inline: "center" });
      rect = pressedOn.getBoundingClientRect();
    }
    const { now } = left(pressedOn.parentElement, rect);
    const small = one.matches("a:not(.button, .row, .brand), .chip, .scores *, .tools *") ? 0 : 44;
    if (Math.min(rect.width, rect.height) < small - 0.5 && !one.matches("input[type=checkbox], input[type=radio]") && !one.closest(".strip, .on-paper")) say("small", one, `${rect.width} × ${rect.height}`);
    let missed = notHit(one, rect);
    for (const block of still ? [] : ["start", "end"]) {
      if (!missed) break;
      pressedOn.scrollIntoView({ block });
      missed = notHit(one, pressedOn.getBoundingClientRect());
    }
    if (missed) say("not hit", one, missed);
    if (!one.closest(".on-paper, .scores") && (now.right - now.left < rect.width - 1 || now.bottom - now.top < rect.height - 1)) say("clipped", one, `${round(rect)} of ${round(now)}`);
  }
  scrollTo(0, 0);

  // Dice, and what stands on them ---------------------------------------------------------------------------------------------

  const tray = document.querySelector("#board.felt .tray");
  if (tray && layer === document.body) {
    if (tray.clientWidth < 200) found.push(`the tray is ${tray.clientWidth} wide`);
    for (const cube of tray.querySelectorAll(".cube")) {
      scrollTo(0, 0);
      const around = tray.getBoundingClientRect();
      const head = tray.querySelector(".head").getBoundingClientRect();
      const die = cube.getBoundingClientRect();
      const tick = cube.closest(".die").querySelector(":checked") ? { right: die.right + 12, top: die.top - 12 } : die;
      if (die.left < around.left || tick.right > around.right || tick.top < head.top || die.bottom > tray.querySelector(".rail").getBoundingClientRect().top + 1) say("die beyond the tray", cube, round(die));
      if (tick !== die) {
        for (const other of tray.querySelectorAll(".head :is(button, a, .pill, .total, .label)")) {
          if (!seen(other)) continue;
          const place = other.getBoundingClientRect();
          if (tick.right > place.left && die.right - 10 < place.right && tick.top < place.bottom - 6 && die.top + 10 > place.top) say("tick over", other);
        }
      }
      cube.scrollIntoView({ block: "center" });
      const now = cube.getBoundingClientRect();
      const hit = document.elementFromPoint((now.left + now.right) / 2, (now.top + now.bottom) / 2);
      const own = cube.closest(".die");
      if (own.matches(".beside") || newsOver(hit) || own.contains(hit) || hit?.matches(".roll") || hit?.closest(".beside")) continue;
      say("die covered", cube, `by ${hit && named(hit)}`);
    }
    scrollTo(0, 0);
  }

  // Scores of a real table ------------------------------------------------------------------------------------------------------

  const paper = document.querySelector("#board.paper #paper");
  if (paper && still) {
    const box = paper.getBoundingClientRect();
    for (const one of paper.querySelectorAll("thead .score")) {
      const rect = one.getBoundingClientRect();
      if (one.closest(".unseen") || rect.width < 2 || rect.top < box.top - 1 || rect.bottom > Math.min(box.bottom, innerHeight) + 1) say("score out of sight", one);
    }
  }

  sheet.remove();
  return [...new Set(found)];
}
