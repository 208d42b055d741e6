"""Bots that calculate are ready before anyone plays them: the sets of the catalogue, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import pytest

from farkel.errors import SolveError
from farkel.game import new_game
from farkel.players import knowledge
from farkel.rules import Rules, named, names, parse
from farkel.web import startup
from farkel.web.coaching import calculations
from farkel.web.game import bots
from farkel.web.game.pages.start import FIRST
from farkel.web.game.service import GameService
from web_helpers import service_over

T = TypeVar("T")


class Asked:
    """A calculator that notes what it is asked for, and for one set fails."""

    def __init__(self, fails: str = "", closing: asyncio.Event | None = None) -> None:
        self.sets: list[str] = []
        self.at_once = 0
        self._fails, self._closing = fails, closing

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        assert (function, bounded, self.at_once) == (calculations.prepare, False, 0)
        [rules] = arguments
        self.sets.append(rules.name)
        self.at_once += 1
        await asyncio.sleep(0)
        self.at_once -= 1
        if self._closing is not None:
            self._closing.set()
        if rules.name == self._fails:
            raise SolveError("too_long", "no")
        return function.__class__  # type: ignore[return-value]

    async def close(self) -> None: ...


async def test_the_sets_of_the_catalogue_are_prepared_one_at_a_time_and_those_of_the_start_page_first() -> None:
    asked = Asked(fails="standard")
    await startup.prepare(asked, asyncio.Event())
    assert asked.sets[: len(FIRST)] == [named(name).name for name in FIRST]
    assert asked.sets[-len(FIRST) :] == [named(name).name for name in FIRST]
    assert {*asked.sets} == {named(name).name for name in names()}


async def test_nothing_more_is_prepared_once_the_server_stops() -> None:
    closing = asyncio.Event()
    asked = Asked(closing=closing)
    await startup.prepare(asked, closing)
    assert len(asked.sets) == 1


@pytest.mark.parametrize("prepares", [False, True])
async def test_a_server_prepares_bots_only_if_it_is_to(
    sqlite: str, monkeypatch: pytest.MonkeyPatch, prepares: bool
) -> None:
    begun = asyncio.Event()

    async def prepare(*_: object) -> None:
        begun.set()

    monkeypatch.setattr(startup, "UNDISTURBED", 0.0)
    monkeypatch.setattr(startup, "prepare", prepare)
    async with service_over(sqlite, prepares=prepares) as service:
        assert isinstance(service, GameService)
        if prepares:
            await begun.wait()
        await service.settled()
    assert begun.is_set() is prepares


def test_a_bot_decides_at_once_in_a_game_that_was_prepared() -> None:
    rules = parse("minimal(target=650)")
    state = new_game(rules, (1, 1))
    assert not bots.decides_at_once("race", state, b"")
    calculations.prepare(rules)
    assert bots.decides_at_once("race", state, b"")
    assert calculations.AT_HAND[calculations.prepare](rules)


@pytest.mark.parametrize(
    "notation",
    [
        "original",  # takes many minutes
        "parish",  # has no winning chances
        "build-on",  # needs more memory than is given here
    ],
)
def test_what_takes_long_or_much_memory_is_prepared_for_points_alone(
    notation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved: list[Rules] = []
    monkeypatch.setattr(knowledge, "turn", lambda rules: solved.append(rules))
    monkeypatch.setattr(knowledge, "chances", lambda *_: pytest.fail("this is not to be solved"))
    monkeypatch.setattr(calculations, "MOST_PREPARED", 400 << 20)
    calculations.prepare(parse(notation))
    assert solved == [parse(notation)]
