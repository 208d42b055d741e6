// What the clock of a turn shows.

import assert from "node:assert/strict";
import test from "node:test";
import { shows } from "./table/clock.js";

test("the clock is seen from the last third on", () => {
  assert.equal(shows(120, 120), "");
  assert.equal(shows(40.5, 120), "");
  assert.equal(shows(40, 120), "In 0:40");
  assert.equal(shows(8.2, 120), "In 0:09");
  assert.equal(shows(-3, 120), "In 0:00");
  assert.equal(shows(75, 300), "In 1:15");
});
