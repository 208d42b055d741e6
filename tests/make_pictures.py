"""Takes the pictures of the pages for the docs: ``python tests/make_pictures.py``, or ``... phone end`` for some.

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
AS_PHONES: dict[str, Any] = {"bypass_csp": True, "device_scale_factor": 2}


def started(browser: Any, address: str, size: dict[str, int], rules: str, way: str, **fields: str) -> Visitor:
    """A game of three that has just begun."""
    visitor = Visitor(browser, address, size, **AS_PHONES)
    visitor.start(rules, SEATS, way, **fields)
    visitor.ready()
    return visitor


def taken(visitor: Visitor, name: str) -> None:
    """Take a picture, in the typeface of phones."""
    visitor.page.add_style_tag(content=':root { --face: "Roboto" !important }')
    visitor.page.screenshot(path=IMAGES / name)


def invite(browser: Any, address: str) -> None:
    """A game that friends are invited to."""
    visitor = Visitor(browser, address, PHONE, **AS_PHONES)
    visitor.start("extended", SEATS, "own")
    visitor.ready("lobby")
    visitor.page.evaluate("document.querySelector('.only-here')?.remove()")  # a server at home has a public address
    taken(visitor, "web-invite.png")


def phone(browser: Any, address: str) -> None:
    """A decision of the third round, on a phone."""
    visitor = started(browser, address, PHONE, "extended(entry=0)", "one", dice="system")
    rows, kept = visitor.page.locator(".score-sheet tbody tr"), visitor.page.locator("#rail .dice")
    for _ in range(500):
        if rows.count() < 3 or not visitor.page.locator("fieldset.roll").count():
            visitor.turn(CHANCE)
        elif not kept.count():
            visitor.choose(visitor.keep()[0][:1])
            visitor.press("#roll")
        else:
            break
    visitor.choose(visitor.keep()[0])
    taken(visitor, "web-phone.png")


def sheet(browser: Any, address: str) -> None:
    """The fifth turn of a table with real dice."""
    visitor = started(browser, address, PHONE, "extended(start=first_seat)", "real")
    for points in ("500", "1000", "550", "650"):
        visitor.page.locator("#do-note input[name=points]").fill(points)
        visitor.press("#bank")
    visitor.page.locator("#do-note input[name=points]").fill("600")
    taken(visitor, "web-sheet.png")


def end(browser: Any, address: str) -> None:
    """A game that is over."""
    visitor = Visitor(browser, address, PHONE, **AS_PHONES)
    visitor.start("standard(target=3000)", ("Ann", "Ben"), "one", dice="system")
    visitor.ready()
    play_out([visitor], CHANCE)
    visitor.page.locator("#story svg.curve").wait_for(timeout=120_000)
    taken(visitor, "web-end.png")


def main() -> None:
    pictures = {made.__name__: made for made in (phone, invite, sheet, end)}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as address, browsing() as browser:
        for name in sys.argv[1:] or pictures:
            pictures[name](browser, address)


if __name__ == "__main__":
    main()
