"""Takes the pictures of the pages for the docs: ``python tests/make_pictures.py``, or ``... phone start`` for some.

Dice fall as they fall, so no two runs give the same pictures.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from browser_helpers import PHONE, Visitor, browsing, play_out, serving

IMAGES = Path(__file__).parent.parent / "docs" / "images"
SEATS = ("Ann", "Ben", "Cleo")
CHANCE = random.Random(2)


def started(browser: Any, address: str, size: dict[str, int], rules: str, way: str, **fields: str) -> Visitor:
    """A game of three that has just begun."""
    visitor = Visitor(browser, address, size)
    visitor.start(rules, SEATS, way, **fields)
    visitor.ready()
    return visitor


def start(browser: Any, address: str) -> None:
    """The start page on a phone."""
    visitor = Visitor(browser, address, PHONE)
    visitor.page.goto(address)
    visitor.page.screenshot(path=IMAGES / "web-start.png")


def table(browser: Any, address: str) -> None:
    """A decision of the third round."""
    visitor = started(browser, address, {"width": 1280, "height": 800}, "extended(entry=0)", "one", dice="system")
    rows = visitor.page.locator(".score-sheet tbody tr")
    while rows.count() < 3 or not visitor.page.locator("fieldset.roll").count():
        visitor.turn(CHANCE)
    visitor.choose(visitor.keep()[0])
    visitor.page.screenshot(path=IMAGES / "web-table.png")


def phone(browser: Any, address: str) -> None:
    """A decision of the third round, on a phone."""
    visitor = started(browser, address, PHONE, "extended(entry=0)", "one", dice="system")
    rows = visitor.page.locator(".score-sheet tbody tr")
    while rows.count() < 3 or not visitor.page.locator("fieldset.roll").count():
        visitor.turn(CHANCE)
    visitor.choose(visitor.keep()[0])
    visitor.page.screenshot(path=IMAGES / "web-phone.png")


def sheet(browser: Any, address: str) -> None:
    """Points on offer at a table with real dice, on a phone."""
    visitor = started(browser, address, PHONE, "original(start=first_seat)", "real")
    for points, left in (("1000", "4"), ("1500", "3"), ("2000", "2"), ("500", "5")):
        if visitor.page.locator("form.fresh").count():
            visitor.press("form.fresh button")
        visitor.page.locator("form.entry input[name=points]").fill(points)
        visitor.page.locator("form.entry select").select_option(left)
        visitor.press("form.entry button.good")
    visitor.page.evaluate("scrollTo(0, 0)")
    visitor.page.screenshot(path=IMAGES / "web-sheet.png")


def review(browser: Any, address: str) -> None:
    """A game looked over."""
    visitor = started(browser, address, {"width": 690, "height": 800}, "standard(target=1500)", "one", dice="system")
    play_out([visitor], CHANCE)
    visitor.page.get_by_role("link", name="Review the game").click()
    card = visitor.page.locator("#review")
    card.locator("svg.curve polyline").first.wait_for(timeout=120_000)
    card.screenshot(path=IMAGES / "web-review.png")


def main() -> None:
    pictures = {made.__name__: made for made in (start, table, phone, sheet, review)}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as address, browsing() as browser:
        for name in sys.argv[1:] or pictures:
            pictures[name](browser, address)


if __name__ == "__main__":
    main()
