// The clock of a turn that nobody plays: it is seen from the last third of the time on.

/** Return what the clock shows with these seconds left of all; "" while there is time. @param {number} left @param {number} all */
export function shows(left, all) {
  const seconds = Math.max(0, Math.ceil(left));
  return 3 * seconds > all ? "" : `In ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

let ends = 0; // when the time is over
let of = "";

/** Start the clock of a new board. */
export function wind() {
  const left = document.getElementById("clock")?.dataset.left;
  of = document.getElementById("clock")?.dataset.of ?? "";
  ends = Date.now() + 1_000 * Number(left ?? 0);
  tick();
}

/** Show how much is left. */
export function tick() {
  const clock = document.getElementById("clock");
  if (!clock?.dataset.left) return;
  const text = shows((ends - Date.now()) / 1_000, Number(of));
  if (text) clock.textContent = text;
}
