// Who goes on to the next game by themselves, and when that starts.

import assert from "node:assert/strict";
import test from "node:test";
import { goesOn, startsItself } from "./table/rematch.js";

test("a page goes on once the next game is opened", () => {
  assert.ok(goesOn("", "next", false));
  assert.ok(!goesOn("", "", false));
});

test("nobody is taken away from a review, nor from a game that is looked at later", () => {
  assert.ok(!goesOn("", "next", true));
  assert.ok(!goesOn("next", "next", false));
});

test("a rematch starts once all are there; any other game waits for its host if somebody is far away", () => {
  assert.ok(startsItself({ alone: "1", ready: "1" }, false));
  assert.ok(startsItself({ alone: "0", ready: "1" }, true));
  assert.ok(!startsItself({ alone: "0", ready: "0" }, true));
  assert.ok(!startsItself({ alone: "0", ready: "1" }, false));
  assert.ok(!startsItself({}, true));
});
