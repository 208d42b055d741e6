// What the page says of the dice that are chosen.

import assert from "node:assert/strict";
import test from "node:test";
import { keepOf, marked, takingAll, toggled, weighed, weighedReal } from "./table/keeps.js";

const five = { dice: [5], adds: 50, total: 350, banked: 1_350, next_dice: 1, farkle: 2 / 3, hot: false, tries: "", bank: "", bank_code: "", roll: "", roll_code: "", small: "67% farkle",
  risk: [{ strong: "67 of 100" }, " rolls of 1 die lose the 350."] };
const all = { ...five, dice: [1, 1, 5], adds: 250, total: 550, banked: 1_550, next_dice: 6, farkle: 0.031, hot: true };
const few = { ...five, bank: "350 points aren’t enough to bank.", bank_code: "below_minimum" };
const brief = { below_minimum: "needs {needs}", not_a_multiple: "a multiple of {multiple}" };
const roll = { keeps: [all, five], points: 300, score: 1_000, needs: 1_500, multiple: 50, brief };
const text = (worth) => worth.map((one) => one.strong ?? one).join("");

test("a keep is found by all of its dice", () => {
  assert.equal(keepOf([all, five], [1, 1, 5]), all);
  assert.equal(keepOf([all, five], [1, 5]), undefined);
  assert.equal(keepOf([all, five], []), undefined);
});

test("both buttons say what they do with the chosen dice", () => {
  const said = weighed(roll, [5]);
  assert.deepEqual(said.bank, { what: "Bank 350", small: "1,000 → 1,350", why: "" });
  assert.equal(said.roll.what, "Roll 1 die");
  assert.equal(said.roll.why, "");
  assert.deepEqual([said.total, said.adds, said.hot, said.risk], [350, 50, "", 2 / 3]);
  assert.equal(said.roll.small, "67% farkle");
  assert.equal(text(said.worth), "67 of 100 rolls of 1 die lose the 350.");
});

test("nothing chosen, or dice that cannot be kept, leave the total as it was", () => {
  for (const chosen of [[], [2, 3]]) {
    const said = weighed(roll, chosen);
    assert.deepEqual([said.total, said.adds, said.hot, said.risk, said.kept], [300, null, "", null, false]);
    assert.deepEqual([said.bank.what, said.roll.what], ["Bank", "Roll"]);
    assert.ok(said.bank.why && said.roll.why);
    assert.equal(said.worth.length, chosen.length ? 1 : 0);
  }
});

test("a refused bank says why in full, and in the few words that the button has room for", () => {
  const { bank } = weighed({ ...roll, keeps: [few] }, [5]);
  assert.deepEqual(bank, { what: "Bank 350", small: "needs 1,500", why: few.bank });
  assert.equal(weighed({ ...roll, keeps: [{ ...few, bank_code: "new" }] }, [5]).bank.small, "not with these dice");
});

test("hot dice may be rolled again, or banked if that is allowed", () => {
  assert.equal(weighed(roll, all.dice).hot, "Roll all 6 dice again, or bank what you have.");
  assert.equal(weighed({ ...roll, keeps: [{ ...all, bank: "no" }] }, all.dice).hot, "Roll all 6 dice again.");
  assert.equal(weighed({ ...roll, keeps: [{ ...all, next_dice: 1 }] }, all.dice).hot, "Roll the die again, or bank what you have.");
  assert.equal(weighed({ ...roll, keeps: [{ ...all, roll: "you must bank" }] }, all.dice).hot, "");
});

test("a roll that must complete something adds nothing yet", () => {
  const tries = { ...five, tries: "1-2-3-4-5-6" };
  assert.equal(weighed({ ...roll, keeps: [tries] }, [5]).adds, null);
  assert.equal(weighedReal([tries], [5]).worth, text(five.risk));
});

test("at a real table the sentence says all of it", () => {
  const said = weighedReal([all, five], [5]);
  assert.deepEqual([said.roll, said.bank], [{ what: "Roll 1 die ", why: "" }, { what: "Bank 350 ", why: "" }]);
  assert.match(said.worth, /^Adds 50: turn total 350\. 67 of 100 rolls of 1 die lose the 350\./);
  assert.deepEqual(weighedReal([five], []).worth, "Choose the dice you keep.");
  assert.equal(weighedReal([five], [2]).roll.why, "These dice can’t be kept together.");
  assert.ok(weighedReal([few], [5]).worth.endsWith(few.bank));
});

test("take all takes the best keep, and once more puts it back", () => {
  assert.deepEqual(takingAll([all, five], []), all.dice);
  assert.deepEqual(takingAll([all, five], [5]), all.dice);
  assert.deepEqual(takingAll([all, five], all.dice), []);
  assert.deepEqual(takingAll([], []), []);
});

test("as many dice are marked as there are faces, from the left", () => {
  assert.deepEqual(marked([5, 1, 5, 2], [1, 5]), [true, true, false, false]);
  assert.deepEqual(marked([5, 1, 5, 2], [5, 5, 5]), [true, false, true, false]);
  assert.deepEqual(marked([2], []), [false]);
});

test("a key chooses one more die of its face, and after the last puts all of them back", () => {
  const row = [5, 1, 5];
  let chosen = [false, true, false];
  for (const due of [[true, true, false], [true, true, true], [false, true, false]]) {
    chosen = toggled(row, chosen, 5);
    assert.deepEqual(chosen, due);
  }
  assert.equal(toggled(row, chosen, 6), null);
});
