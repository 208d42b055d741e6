// Words for dice that can be verified.

import assert from "node:assert/strict";
import test from "node:test";
import { given, later, nextWithout, plain } from "./table/words.js";

test("a word is kept as the server takes it", () => {
  assert.equal(plain("  any\tword \u0085 at\nall "), "any word at all");
});

test("an answer that was overtaken changes nothing", () => {
  const two = later(null, "two", 2);
  assert.deepEqual(later(two, "one", 1), two);
  assert.deepEqual(later(two, "three", 3), { word: "three", number: 3 });
  assert.deepEqual(later({ word: "own", number: 0 }, "own", 0), { word: "own", number: 0 });
});

test("each seat without a word gets one from this page, once", () => {
  assert.equal(nextWithout([1, 2], new Set()), 1);
  assert.equal(nextWithout([1, 2], new Set([1])), 2);
  assert.equal(nextWithout([1], new Set([1])), undefined);
});

test("the words of this browser are known by their seats", () => {
  const word = { word: "own", number: 3 };
  assert.deepEqual(given([null, word, { word: "", number: 0 }]), { 1: word });
});
