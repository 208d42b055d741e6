"""Shared parts of the application's tests: games under way, and the text of the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from textual._context import active_app
from textual.app import ScreenStackError
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from farkel.game import Keep, Leave, Phase, Throw
from farkel.play.match import Match, Setup
from farkel.records import DiceKind
from farkel.rules import load
from farkel.terminal.app.app import FarkelApp
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.setup import parse_players
from serving import HANG

NOW = datetime(2026, 11, 21, 14, 3)
STARTED: list[Match] = []
"""Games whose records are still open."""
LOOKS = 0.01
"""Seconds of other threads between two looks at what a test waits for."""


async def idle(*_: float) -> None:
    """Let the application work until it can only wait: for a key, a timer or another thread.

    Textual's pilot concludes that from the use of the processor, and takes a program that gets none for an idle one.
    """
    await all_that_can_run()
    while redrawn():
        await all_that_can_run()


async def all_that_can_run() -> None:
    """Let everything run that can run at once, and all that follows from it."""
    loop: Any = asyncio.get_running_loop()
    await asyncio.sleep(0)
    while loop._ready:
        await asyncio.sleep(0)


def redrawn() -> bool:
    """Draw the screen if the application is about to draw it."""
    try:
        screen = active_app.get().screen
    except ScreenStackError:  # it has ended
        return False
    timer: Any = screen._update_timer
    due: bool = timer._active.is_set()
    if due:
        screen._on_timer_update()
    return due


for module in ("textual.app", "textual.pilot"):
    pytest.MonkeyPatch().setattr(f"{module}.wait_for_idle", idle)


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


async def wait(pilot: Pilot[int], done: Callable[[], bool], what: str = "what was to come") -> None:
    """Let the application work until it is idle and this is so."""
    begin = time.monotonic()
    await pilot.pause()
    while not done():
        if time.monotonic() - begin > 3 * HANG:
            raise AssertionError(f"no sign of {what}:\n{text(pilot)}")
        await asyncio.sleep(LOOKS)
        await pilot.pause()


async def seen(pilot: Pilot[int], *wanted: str) -> None:
    """Wait until these words are on the screen, whatever the line breaks."""

    def there() -> bool:
        screen = flat(text(pilot))
        return all(words in screen for words in wanted)

    await wait(pilot, there, f"{wanted} on the screen")


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

    def there() -> bool:
        return shows(pilot, kind) and words in flat(f"{dialog(pilot)} {text(pilot)}")

    await wait(pilot, there, f"{kind.__name__} with {words!r}")


def deciding(rules: str, players: str, faces: str, **others: Any) -> Match:
    """A game in which the first person has thrown these dice."""
    match = new_match(rules, players, **others)
    while match.state.phase is Phase.START or not match.seating.human:
        match.throw() if match.state.dice_due else match.act(match.decide() or Leave(9))
    thrown(match, faces)
    return match
