"""Shared parts of the application's tests: games under way, and the text of the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from farkel.game import Keep, Leave, Phase, Throw, dice_due
from farkel.match import Match, Setup
from farkel.record import DiceKind
from farkel.rules import load
from farkel.terminal.app.app import FarkelApp
from farkel.terminal.app.play import GameScreen
from farkel.terminal.setup import parse_players

NOW = datetime(2026, 11, 21, 14, 3)
STARTED: list[Match] = []
"""Games whose records are still open."""


def new_match(
    rules: str = "extended",
    players: str = "Ann,bot:cautious",
    seed: str = "1",
    teams: str = "",
    dice: DiceKind = "seeded",
) -> Match:
    setup = Setup(load(rules), parse_players(players, teams), dice, seed)
    STARTED.append(Match.start(setup, Path("games/game.farkel"), NOW))
    return STARTED[-1]


@asynccontextmanager
async def running(match: Match | None = None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[int]]:
    app = FarkelApp(match, folder=Path("games"), animate=False)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot
    app.close_record()


def table(pilot: Pilot[int]) -> GameScreen:
    assert isinstance(pilot.app.screen, GameScreen)
    return pilot.app.screen


def shows(pilot: Pilot[int], kind: type[Screen[Any]]) -> bool:
    return isinstance(pilot.app.screen, kind)


def text(pilot: Pilot[int]) -> str:
    """The text of the screen."""
    return "\n".join(strip.text.rstrip() for strip in pilot.app.screen._compositor.render_strips())


async def seen(pilot: Pilot[int], *wanted: str) -> None:
    """Wait until these words are on the screen, whatever the line breaks."""
    for _ in range(100):
        screen = flat(text(pilot))
        if all(words in screen for words in wanted):
            return
        await pilot.pause()
    raise AssertionError(f"{wanted} is not on the screen:\n{text(pilot)}")


def said(pilot: Pilot[int], name: str = "hint") -> str:
    return str(pilot.app.screen.query_one(f"#{name}", Static).content)


def flat(told: str) -> str:
    return " ".join(told.split())


def thrown(match: Match, faces: str) -> None:
    match.act(Throw(tuple(int(face) for face in faces)))


def offered() -> Match:
    match = new_match("original", "Ann,Ben")
    while match.state.phase is Phase.START:
        match.throw()
    thrown(match, "123446")
    match.act(Keep((1,), "bank"))
    return match


def dialog(pilot: Pilot[int]) -> str:
    """What the dialog over the table says."""
    return flat(" ".join(str(part.content) for part in pilot.app.screen.query(".dialog Static").results(Static)))


async def until(pilot: Pilot[int], kind: type[Screen[Any]], words: str = "") -> None:
    """Wait until such a screen is shown and says these words: work in another thread takes its time."""
    for _ in range(15_000):  # the first time of all, machine code is compiled
        if shows(pilot, kind) and words in flat(f"{dialog(pilot)} {text(pilot)}"):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{kind.__name__} with {words} does not come:\n{text(pilot)}")


def deciding(rules: str, players: str, faces: str, **others: Any) -> Match:
    """A game in which the first person has thrown these dice."""
    match = new_match(rules, players, **others)
    while match.state.phase is Phase.START or not match.seating.human:
        match.throw() if dice_due(match.state) else match.act(match.decide() or Leave(9))
    thrown(match, faces)
    return match
