"""Seats whose owners are away: they are skipped, or a bot sits in, until their owners are back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser_helpers import PHONE, Visitor, serving
from web_helpers import Hands


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def patient(browser: Any, tmp_path: Path, clock: Hands) -> Iterator[tuple[Visitor, Visitor]]:
    """Two visitors of a server whose clock the test moves."""
    with serving(tmp_path, clock, look=0.05) as address:
        visitors = Visitor(browser, address), Visitor(browser, address, PHONE)
        yield visitors
        for visitor in visitors:
            visitor.close()
    assert [complaint for visitor in visitors for complaint in visitor.complaints] == []


def away(ann: Visitor, ben: Visitor, absent: str) -> str:
    """Ben, whose turn it is, goes away; his link."""
    ann.start("minimal(target=3000,entry=0,start=first_seat)", way="own", dice="system", absent=absent)
    ann.ready("lobby")
    link = ann.page.locator(".each .links input").first.input_value()
    ben.sit(link)
    ben.ready("lobby")
    ann.press("#begin")
    ben.ready()
    while ann.turn(random.Random(1)):
        pass
    ben.page.goto("about:blank")
    ann.page.get_by_text("Ben is away").wait_for()
    return str(link)


def test_a_seat_that_is_away_is_skipped_and_plays_again_when_its_owner_is_back(
    patient: tuple[Visitor, Visitor], clock: Hands
) -> None:
    ann, ben = patient
    link = away(ann, ben, "pass")
    ann.page.get_by_text("After 120 s the player is skipped").wait_for()
    clock.move(85)
    ann.page.reload()
    ann.page.get_by_text(re.compile(r"In 0:3\d the player is skipped")).wait_for()
    clock.move(15)
    assert ann.page.locator(".seat-1.on-turn").count() == 1
    clock.move(30)
    ann.page.locator(".seat-0.on-turn").wait_for()
    ann.page.locator(".strip .note").filter(has_text="skipped").wait_for()
    assert ann.page.locator(".score-sheet tr:last-child td").nth(1).text_content().split() == ["–skipped"]
    ben.sit(link)
    ben.ready()
    ann.page.locator(".strip .note").filter(has_text="skipped").wait_for(state="detached")
    while ann.turn(random.Random(1)):
        pass
    ben.page.locator(f"#board[data-number='{ann.number}'] .seat-1.on-turn").wait_for()
    assert ben.turn(random.Random(1))
    ann.page.locator(f"#board[data-number='{ben.number}']").wait_for()
    assert ann.page.locator(".score-sheet tbody tr").count() == 2


def test_a_bot_sits_in_for_a_seat_that_is_away_until_its_owner_is_back(
    patient: tuple[Visitor, Visitor], clock: Hands
) -> None:
    ann, ben = patient
    link = away(ann, ben, "bot:cautious")
    clock.move(130)
    ann.page.locator(".seat-0.on-turn").wait_for()
    ann.page.locator(".strip .note").filter(has_text="bot sits in").wait_for()
    assert ann.page.locator(".score-sheet tr:last-child td").nth(1).text_content().strip()
    ben.sit(link)
    ben.ready()
    ann.page.locator(".strip .note").filter(has_text="bot sits in").wait_for(state="detached")
    while ann.turn(random.Random(1)):
        pass
    ben.page.locator(f"#board[data-number='{ann.number}'] .seat-1.on-turn").wait_for()
    assert ben.turn(random.Random(1))
    ann.page.locator(f"#board[data-number='{ben.number}']").wait_for()
