"""The big screen: all of it at once, to be read across a room."""

from __future__ import annotations

import random
from typing import Any

import pytest

from browser_helpers import Visitor, findings

NAMES = ("Ann", "Ben", "Cleo", "Maximiliane-Theodora", "Emil", "Finn", "Gus", "Hanna", "Ida", "Jon")
SCREENS = [(1920, 1080), (1280, 720)]
MEASURED = """() => {
  const all = where => [...document.querySelectorAll(where)];
  const inside = box => box.left > -2 && box.top > -2 && box.right < innerWidth + 2 && box.bottom < innerHeight + 2;
  const [ranks, watch] = ['.ranks', '.watch'].map(one => document.querySelector(one).getBoundingClientRect());
  const root = document.documentElement;
  return {
    outside: all('.now > *, .ranks > li, .ranks .score, .watch *')
      .filter(one => !inside(one.getBoundingClientRect())).map(one => one.className),
    scrolls: root.scrollHeight > innerHeight || root.scrollWidth > innerWidth,
    overlap: ranks.bottom > watch.top,
    score: Math.min(...all('.ranks .score').map(one => parseFloat(getComputedStyle(one).fontSize))),
    clipped: all('.ranks .score, .figure').some(one => one.scrollWidth > one.clientWidth + 1),
  };
}"""


@pytest.mark.parametrize("count", [*(pytest.param(few, marks=pytest.mark.slow) for few in (2, 5)), 10])
def test_everything_fits_the_big_screen(browser: Any, address: str, count: int) -> None:
    ann = Visitor(browser, address)
    ann.start("build-on(start=first_seat)", names=NAMES[:count])
    ann.ready()
    watching = Visitor(browser, address)
    generator = random.Random(count)
    phases = set()
    watching.page.goto(f"{ann.page.url}/screen")
    for _ in range(12):
        assert ann.turn(generator)
        watching.page.locator(f"#board[data-number='{ann.number}']").wait_for()
        phases.add(str(watching.page.locator(".figure").text_content()).split()[-1])
        for width, height in SCREENS:
            watching.page.set_viewport_size({"width": width, "height": height})
            found = watching.page.evaluate(MEASURED)
            least = (92 if count <= 5 else 72) * height / 1080
            assert found.pop("score") >= least - 0.1
            assert found == {"outside": [], "scrolls": False, "overlap": False, "clipped": False}
    assert len(phases) > 1
    assert watching.page.locator(".ranks .latest").first.text_content().strip()
    assert findings(watching.page) == []
    assert watching.complaints == []
    for visitor in (ann, watching):
        visitor.close()


def test_the_hosts_big_screen_invites_as_long_as_a_seat_is_free(browser: Any, address: str) -> None:
    ann, ben, stranger = Visitor(browser, address), Visitor(browser, address), Visitor(browser, address)
    ann.start("standard", ("Ann", "Player 2"), way="own")
    ann.ready("lobby")
    game, invitation = ann.page.url, str(ann.page.locator("#invitation").input_value())
    told = ann.page.context.new_page()
    told.goto(f"{game}/screen")
    stranger.page.goto(f"{game}/screen")
    stranger.page.locator(".watch", has_text="Watch here").wait_for()
    assert invitation.rpartition("/")[2] not in stranger.page.content()
    told.locator(".watch", has_text=invitation.rpartition("/")[2]).wait_for()
    for width, height in SCREENS:
        told.set_viewport_size({"width": width, "height": height})
        found = told.evaluate(MEASURED)
        assert (found["outside"], found["scrolls"], found["overlap"], found["clipped"]) == ([], False, False, False)
    ben.page.goto(invitation)
    ben.page.get_by_label("Your name").fill("Benedikt")
    ben.page.get_by_role("button", name="Take a seat").click()
    told.locator(".ranks", has_text="Benedikt").wait_for()
    told.locator(".watch", has_text="Watch here").wait_for()
    for visitor in (ann, ben, stranger):
        assert visitor.complaints == []
        visitor.close()
