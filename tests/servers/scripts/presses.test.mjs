// What a press does, and what a key means.

import assert from "node:assert/strict";
import test from "node:test";
import { does, faceOf, facesWith, keyOf, shortcut } from "./table/presses.js";

const button = { id: "", decides: false, refused: false, dialog: undefined, face: undefined, shares: false };
const key = { key: "r", code: "KeyR", ctrlKey: false, altKey: false, metaKey: false, repeat: false };

test("a decision cannot be made while an answer is under way, other presses can", () => {
  assert.equal(does({ ...button, decides: true }, true), "nothing");
  assert.equal(does({ ...button, decides: true, refused: true }, true), "nothing");
  assert.equal(does({ ...button, decides: true }, false), "its own");
  assert.equal(does({ ...button, dialog: "help" }, true), "dialog");
});

test("a refused button says why, whatever else it would do", () => {
  for (const more of [{}, { id: "take-all" }, { dialog: "help" }, { decides: true }]) {
    assert.equal(does({ ...button, ...more, refused: true }, false), "say why");
  }
});

test("each button of the table does one thing", () => {
  assert.equal(does({ ...button, id: "take-all" }, false), "take all");
  assert.equal(does({ ...button, id: "on" }, false), "pass");
  assert.equal(does({ ...button, face: "5" }, false), "face");
  assert.equal(does({ ...button, shares: true }, false), "share");
  assert.equal(does(button, false), "its own");
});

test("faces are typed one after the other, and no more than are due", () => {
  assert.equal(facesWith("1, 5", "6", 3), "156");
  assert.equal(facesWith("156", "1", 3), "156");
  assert.equal(facesWith("156", "back", 3), "15");
  assert.equal(facesWith("", "back", 3), "");
});

test("a key of another alphabet means what stands in its place", () => {
  assert.equal(keyOf({ key: "R", code: "KeyR" }), "r");
  assert.equal(keyOf({ key: "к", code: "KeyR" }), "r");
  assert.equal(keyOf({ key: "é", code: "Digit2" }), "2");
  assert.equal(keyOf({ key: "?", code: "Slash" }), "?");
  assert.equal(keyOf({ key: "Shift", code: "ShiftLeft" }), "shiftleft");
});

test("a key with others, one that is held, and one that goes elsewhere are no shortcuts", () => {
  assert.equal(shortcut(key, false), "r");
  for (const other of ["ctrlKey", "altKey", "metaKey", "repeat"]) assert.equal(shortcut({ ...key, [other]: true }, false), "");
  assert.equal(shortcut(key, true), "");
});

test("digits are faces, of which 0 is the tenth", () => {
  assert.deepEqual(["1", "6", "9", "0"].map(faceOf), [1, 6, 9, 10]);
  assert.deepEqual(["r", "", "?", "f1"].map(faceOf), [0, 0, 0, 0]);
});
