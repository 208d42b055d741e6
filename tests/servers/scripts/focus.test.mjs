// Where the keyboard stands after the board has changed.

import assert from "node:assert/strict";
import test from "node:test";
import { heir } from "./table/focus.js";

const control = (more) => ({ id: "", name: "", key: "", part: "board", place: 0, ...more });
const roll = control({ id: "roll", key: "r", part: "bar", place: 1 });
const bank = control({ id: "bank", key: "b", part: "bar", place: 0 });
const dice = [0, 1, 2].map((place) => control({ part: "dice", place }));
const board = [...dice, bank, roll];

test("the same control keeps the keyboard, wherever it is now", () => {
  assert.equal(heir({ ...roll, part: "elsewhere", place: 7 }, board), 4);
});

test("a button of the bar hands on to the one on its side", () => {
  assert.equal(heir(control({ id: "throw", part: "bar", place: 1 }), board), 4);
  assert.equal(heir(control({ id: "nothing", part: "bar", place: 0 }), board), 3);
  assert.equal(heir(control({ key: "r", part: "bar", place: 1 }), board), 4);
});

test("a die hands on to the one in its place, or to the bar if there are none", () => {
  assert.equal(heir(dice[2], board), 2);
  assert.equal(heir(control({ part: "dice", place: 5 }), board), 4);
  assert.equal(heir(dice[2], [bank, roll]), 1);
});

test("a field is known by its name in its part, whatever its id", () => {
  const field = control({ id: "points-7", name: "points", part: "do-note", place: 0 });
  assert.equal(heir({ ...field, id: "points-6", place: 3 }, [roll, field]), 1);
});

test("what has no heir hands on to the bar, and to its only part if there is one", () => {
  const panel = control({ id: "waits", part: "bar", place: 1 });
  assert.equal(heir(control({ id: "take-all", key: "a", part: "asked" }), board), 4);
  assert.equal(heir(bank, [control({ part: "topline" }), panel]), 1);
  assert.equal(heir(bank, [control({ part: "topline" })]), -1);
});
