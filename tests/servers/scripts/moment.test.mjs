// What follows from a new board, and how long the next one waits.

import assert from "node:assert/strict";
import test from "node:test";
import { NOTHING, OWN, after, waits } from "./table/moment.js";

const NOW = 1_000_000;
const mine = { felt: true, over: false, decides: true, moment: "", passes: false, roll: "roll-1", dice: 6 };
const theirs = { ...mine, decides: false, roll: "watched-2" };
const first = after(NOTHING, mine, NOW).now;

test("the board that a page opens with is felt by nobody", () => {
  for (const board of [mine, theirs, { ...theirs, moment: "farkle-3" }]) assert.deepEqual(after(NOTHING, board, NOW).feels, []);
});

test("new dice are heard, the same dice are not", () => {
  assert.deepEqual(after(first, { ...mine, roll: "roll-2" }, NOW).feels, ["throw"]);
  assert.deepEqual(after(first, mine, NOW).feels, []);
  assert.deepEqual(after(first, { ...mine, roll: "watched-2", dice: 0 }, NOW).feels, []);
});

test("a farkle of somebody else holds the next board for a moment", () => {
  const { now, feels, passes } = after(first, { ...theirs, moment: "farkle-2" }, NOW);
  assert.deepEqual([feels, passes], [["farkle"], null]);
  assert.ok(waits(now.until, NOW) > 1_000);
  assert.ok(waits(now.until, NOW + 60_000) < 100);
});

test("one's own farkle is passed on by a press, or after a while", () => {
  const own = { ...mine, moment: "farkle-2", passes: true };
  const { now, passes } = after(first, own, NOW);
  assert.equal(passes, true);
  assert.equal(now.until, NOW + OWN);
  assert.equal(after(now, own, NOW + 1).passes, true); // the same board comes again
  assert.equal(after(now, own, NOW + 1).now.until, now.until);
  assert.equal(after(now, own, NOW + OWN).passes, false);
  assert.equal(after({ ...now, until: 0 }, own, NOW + 1).passes, false); // it was passed on
});

test("the bar changes hands when it is one's turn after somebody else's", () => {
  const watched = after(NOTHING, theirs, NOW);
  assert.equal(watched.hands, false);
  const turn = after(watched.now, { ...mine, roll: "watched-3", dice: 0 }, NOW);
  assert.deepEqual([turn.hands, turn.feels], [true, ["turn"]]);
  assert.equal(after(turn.now, mine, NOW).hands, false);
});

test("the end is felt by those who saw the game", () => {
  const over = { ...mine, felt: false, over: true, roll: "", dice: 0 };
  assert.deepEqual(after(first, over, NOW).feels, ["win"]);
  assert.deepEqual(after(NOTHING, over, NOW).feels, []);
  assert.deepEqual(after(after(first, over, NOW).now, over, NOW).feels, []);
});
