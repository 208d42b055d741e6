// When a page says that it hears nothing of the game, and what it asks for again.

import assert from "node:assert/strict";
import test from "node:test";
import * as connection from "./table/connection.js";

const { NEW } = connection;
const open = connection.streamOpened(NEW);
const SOON = 1_000;
const LONG = 60_000;

test("a page with an open stream asks for nothing", () => {
  assert.equal(connection.pause(open, 0.5), null);
  assert.equal(open.lost, false);
});

test("until the stream is open it tries again, but leaves the first try to htmx", () => {
  assert.ok(connection.pause(NEW, 0.5));
  assert.deepEqual(connection.asksFor(NEW), { board: true, stream: false });
  assert.deepEqual(connection.asksFor(connection.streamClosed(NEW, LONG)), { board: true, stream: true });
});

test("pages do not all ask at the same time", () => {
  assert.ok(connection.pause(NEW, 0) < connection.pause(NEW, 1));
});

test("a stream that closes is said, unless boards come without it", () => {
  assert.equal(connection.streamClosed(open, LONG).lost, true);
  const fed = connection.boardCame(connection.streamClosed(open, LONG), LONG, true);
  assert.equal(fed.lost, false);
  assert.equal(connection.streamClosed(fed, LONG + SOON).lost, false);
  assert.equal(connection.streamClosed(fed, 2 * LONG).lost, true);
});

test("a stream that closes as the page is left is not said, unless the page stays without one", () => {
  const left = connection.leaving(open, LONG);
  const closed = connection.streamClosed(left, LONG + SOON);
  assert.equal(closed.lost, false);
  assert.ok(connection.pause(closed, 0.5));
  assert.equal(connection.missed(closed, LONG + SOON).lost, false);
  assert.equal(connection.missed(closed, 2 * LONG).lost, true);
  assert.equal(connection.streamClosed(left, 2 * LONG).lost, true);
});

test("a board while the stream is open does not count as one that came without it", () => {
  const came = connection.boardCame(open, LONG, true);
  assert.equal(connection.streamClosed(came, LONG + SOON).lost, true);
});

test("a board that was asked for before the network went says nothing of it", () => {
  const gone = connection.networkGone(connection.boardAsked(open, SOON), SOON + 1);
  assert.equal(gone.lost, true);
  assert.equal(connection.boardCame(gone, SOON + 2, false).lost, true);
  const again = connection.boardAsked(gone, SOON + 3);
  assert.equal(connection.boardCame(again, SOON + 4, false).lost, false); // the browser is wrong about its network
  assert.equal(connection.boardCame(gone, SOON + 5, true).lost, false);
});

test("one board is asked for at a time", () => {
  const asked = connection.boardAsked(NEW, SOON);
  assert.equal(connection.asksFor(asked).board, false);
  assert.equal(connection.asksFor(connection.boardAnswered(asked)).board, true);
});

test("a hidden page lets its stream go once three others have taken one after it", () => {
  let now = open;
  for (const [page, takes, due] of [["a", true, false], ["a", true, false], ["b", true, false], ["c", true, true], ["b", false, false], ["d", true, true]]) {
    now = connection.heardOf(now, page, takes);
    assert.equal(connection.isToLetGo(now, true), due);
    assert.equal(connection.isToLetGo(now, false), false);
  }
  const aside = connection.letGo(now);
  assert.equal(connection.isToLetGo(aside, true), false);
  const closed = connection.streamClosed(aside, LONG);
  assert.equal(closed.lost, false);
  assert.deepEqual(connection.asksFor(closed), { board: true, stream: false });
  assert.ok(connection.pause(closed, 0.5) > connection.pause(NEW, 0.5));
});

test("a page that is looked at takes its stream again, and counts the others anew", () => {
  const aside = connection.streamClosed(connection.letGo(["a", "b", "c"].reduce((now, page) => connection.heardOf(now, page, true), open)), LONG);
  const back = connection.taken(aside);
  assert.deepEqual(connection.asksFor(back), { board: true, stream: true });
  assert.equal(connection.isToLetGo(back, true), false);
  assert.equal(connection.asksFor(connection.streamAsked(aside)).stream, false);
});
