"""The page's second visit, which starts from a snapshot of Python's memory that the first one has made."""

from __future__ import annotations

import random
from typing import Any

import pytest

from page_folder import Inside

pytestmark = pytest.mark.slow

SNAPSHOT = """async (change) => {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      if (!request.url.includes("/py/snapshot-")) continue;
      const found = await cache.match(request);
      const bytes = new Uint8Array(await found.arrayBuffer());
      if (change === "damage") bytes[bytes.length - 100] ^= 1;
      if (change === "other") { // one of a browser that numbers its functions differently
        const at = new TextDecoder("latin1").decode(bytes.subarray(0, 1000)).indexOf('"functions":') + 12;
        bytes[at] = bytes[at] === 57 ? 56 : bytes[at] + 1;
        bytes.set(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.subarray(32))));
      }
      if (change) await cache.put(request, new Response(bytes));
      return [found.status, bytes.length];
    }
  }
}"""
"""Return the status and the length of the snapshot that is kept; change it."""
ENOUGH = 3
"""Rolls that do not come twice by chance."""


@pytest.fixture
def ann(visits: Any) -> Any:
    """One who visits the folder again and again."""
    return visits()


def visit(ann: Inside) -> set[str]:
    """Open the start page, and return what Python has come past once it is there."""
    ann.arrive()
    ann.python()
    return set(ann.tab.evaluate("farkelMarks"))


def prepared(ann: Inside) -> None:
    """Wait until the snapshot is kept."""
    ann.tab.locator("html[data-prepared]").wait_for()


def game(ann: Inside) -> tuple[str, list[str]]:
    """Open a game, and return its address and the first rolls."""
    ann.start("standard(start=first_seat)", dice="system")
    ann.ready()
    generator, rolls = random.Random(1), list[str]()
    while len(rolls) < ENOUGH:
        ann.until_a_choice(generator)
        rolls.append(str(ann.page.locator("fieldset.roll").get_attribute("data-keeps")))
        ann.turn(generator)
    return ann.tab.url.partition("#")[0], rolls


def test_later_visits_start_from_the_snapshot_of_the_first_with_its_games_and_dice_of_their_own(ann: Inside) -> None:
    assert "loaded" in visit(ann)
    first, _ = game(ann)
    prepared(ann)
    found = []
    for _ in range(2):
        assert "restored" in visit(ann)
        ann.page.locator("#my-games li").first.wait_for()
        found.append(game(ann))
    (second, some), (third, others) = found
    assert len({first, second, third}) == 3
    assert some != others
    ann.arrive(first.removeprefix(f"{ann.address}/"))
    ann.ready()


def test_a_damaged_snapshot_is_made_anew_and_one_that_does_not_fit_is_not_tried_again(ann: Inside) -> None:
    visit(ann)
    prepared(ann)
    ann.tab.evaluate(SNAPSHOT, "damage")
    assert "loaded" in visit(ann)
    prepared(ann)
    assert "restored" in visit(ann)
    ann.tab.evaluate(SNAPSHOT, "other")
    for _ in range(2):
        assert "loaded" in visit(ann)
        assert ann.tab.evaluate(SNAPSHOT) == [204, 0]
