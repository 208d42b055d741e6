"""A bot that takes longer than its usual pause shows that it is thinking, and says so once."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from browser_helpers import PHONE, Visitor, findings, serving
from farkel.dice.chance import Chance
from farkel.game import Event
from farkel.web.game import own_moves
from farkel.web.game.given import Calculator
from farkel.web.game.pages import board
from farkel.web.game.table import Table


def test_a_bot_shows_that_it_is_thinking(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decide, decided = own_moves.decide, threading.Event()

    async def later(table: Table, calculator: Calculator, chance: Chance) -> Event | None:
        while not table.state.dice_due and not decided.is_set():
            await asyncio.sleep(0.01)
        return await decide(table, calculator, chance)

    monkeypatch.setattr(own_moves, "decide", later)
    monkeypatch.setattr(board, "THINKING", 0.01)
    with serving(tmp_path) as address:
        ann = Visitor(browser, address, PHONE)
        page = ann.page
        ann.start("standard(start=first_seat)", ("Paula", "Ann"), **{"who-0": "bot:cautious"})
        ann.ready()
        page.locator("#waits .pips").wait_for()
        assert page.locator("#thinking").text_content() == "Paula is thinking."
        assert findings(page) == []
        page.reload()
        page.locator("#waits .pips").wait_for()
        decided.set()
        page.locator("#board[data-mine='1']").wait_for()
        assert page.locator(".pips:visible").count() == 0
        assert page.locator("#thinking").text_content() == ""
        assert ann.complaints == []
        ann.close()
