"""Hints in the application: in points, in winning chances, and why there are none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from app_helpers import STARTED, deciding, dialog, flat, new_match, running, said, seen, shows, table, text, until
from farkel.game import Keep
from farkel.play import hints
from farkel.players import knowledge
from farkel.rules import Rules
from farkel.terminal.app import progress_screen
from farkel.terminal.app.dialogs import HintScreen, TooSmall
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.progress_screen import Working
from serving import HANG

pytestmark = pytest.mark.usefixtures("surroundings")


@pytest.mark.usefixtures("nothing_known")
async def test_a_hint_in_points_and_then_in_winning_chances() -> None:
    match = deciding("kcd(target=2000)", "Ann,Ben", "112346")
    async with running(match) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc Back")
        assert "Hint: Keep 1 and roll on." in dialog(pilot)
        assert "points; banking scores 200." in dialog(pilot)
        assert "H Hint with chances" in text(pilot)
        assert "wins" not in said(pilot, "rows")
        await pilot.press("h")
        await until(pilot, HintScreen, "wins points bust")
        assert "and still wins 5" in dialog(pilot)
        assert "H Hint" not in text(pilot)
        await pilot.press("enter")
        assert table(pilot).dice == (1,)
        await pilot.press("escape", "h")
        await until(pilot, HintScreen, "Esc Back")
        await pilot.press("escape")
        assert table(pilot).dice == ()
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc Back")
        await pilot.press("h")
        assert shows(pilot, GameScreen)


@pytest.mark.usefixtures("nothing_known")
async def test_a_hint_for_an_offer() -> None:
    match = deciding("build-on(target=1000, entry=200)", "Ann,Ben", "112346")
    match.act(Keep((1, 1), "bank"))
    async with running(match) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc Back")
        assert "starting fresh averages" in dialog(pilot)
        assert "Enter Select" not in text(pilot)
        await pilot.press("enter")
        assert shows(pilot, GameScreen)


@pytest.mark.usefixtures("nothing_known")
async def test_a_forced_action_has_an_immediate_hint() -> None:
    match = deciding("extended", "Ann", "123446")
    async with running(match) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc Back")
        assert "You have no choice but to keep 1 and roll on." in dialog(pilot)
        assert "H Hint" not in text(pilot)
        await pilot.press("enter")
        assert table(pilot).dice == (1,)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_known")
async def test_a_hint_for_many_is_about_right() -> None:
    match = deciding("minimal(target=1000)", "Ann,Ben,bot:race", "112346")
    knowledge.duel(match.rules)
    async with running(match) as pilot:
        await until(pilot, GameScreen)
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc Back")
        assert "wins about 4" in dialog(pilot)


@pytest.mark.parametrize(
    ("rules", "players", "told"),
    [
        ("original", "Ann,Ben", "5,760,000 positions"),
        (
            "guts-and-luck(target=0, rounds=5, take_over.price=stake, take_over.stake=500)",
            "Ann,Ben",
            "There are no winning chances: a game of rounds without a target",
        ),
        ("minimal", "Ann", "keep 1, roll"),
    ],
)
@pytest.mark.usefixtures("nothing_known")
async def test_why_a_hint_has_no_winning_chances(rules: str, players: str, told: str) -> None:
    async with running(deciding(rules, players, "112346")) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc Back")
        assert told in dialog(pilot)
        assert "H Hint" not in text(pilot)
        assert all(len(line) <= 80 for line in text(pilot).splitlines())
        await pilot.press("s", "h")
        assert shows(pilot, GameScreen)


async def test_no_hint_without_a_decision() -> None:
    match = new_match("minimal", "Ann,Ben")
    async with running(match) as pilot:
        await pilot.press("h")
        assert "All you can do now is roll: press R. After that, a hint says what to keep." in said(pilot)
    STARTED.pop().path.unlink()
    match = new_match("minimal", "Ann,bot:cautious", dice="manual")
    async with running(match) as pilot:
        await pilot.press("h")
        assert "type the result" in flat(said(pilot))
        last = " ".join(text(pilot).splitlines()[-2:])
        assert all(key in last for key in ("? Rules", "H Hint", "D A die fell off", "Q Leave"))


@pytest.mark.usefixtures("nothing_known")
async def test_work_that_is_stopped_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = threading.Event()

    def slow(rules: Rules, people: Sequence[int]) -> hints.Knowledge:
        assert let_go.wait(HANG)
        return consult(rules, people)

    consult = hints.consult
    monkeypatch.setattr(hints, "consult", slow)
    monkeypatch.setattr(progress_screen, "monotonic", lambda: 7.0)
    match = deciding("kcd(target=2000)", "Ann,Ben", "112346")
    async with running(match) as pilot:
        await pilot.press("h")
        await until(pilot, Working, "Esc: stop")
        await seen(pilot, "Looking for the best play.", "0 seconds", "Esc: stop")
        await pilot.resize_terminal(60, 19)
        await pilot.pause()
        assert shows(pilot, TooSmall)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.press("escape")
        assert shows(pilot, GameScreen)
        let_go.set()
        await pilot.press("h")
        await until(pilot, HintScreen, "Esc Back")


async def test_how_far_it_is_and_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go, clock = threading.Event(), [7.0]
    monkeypatch.setattr(progress_screen, "monotonic", lambda: clock[0])

    def work(progress: Any) -> None:
        progress(10, 40)
        assert let_go.wait(HANG)
        raise ZeroDivisionError

    async def count() -> None:
        async with running(new_match("minimal", "Ann,Ben")) as pilot:
            pilot.app.push_screen(Working("Counting.", work))
            await until(pilot, Working, "Esc: stop")
            clock[0] += 65.9
            await seen(pilot, "█", " 25%", "65 seconds")
            let_go.set()
            async with asyncio.timeout(HANG):
                await pilot.app._exception_event.wait()

    with pytest.raises(ZeroDivisionError):
        await count()
