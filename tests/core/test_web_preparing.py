"""Bots that calculate are ready before anyone plays them: the catalogue is solved in a process of its own."""

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
from farkel.web.coaching import calculations, preparation
from farkel.web.game import bots
from farkel.web.game.pages.start import FIRST
from farkel.web.game.service import GameService
from web_helpers import service_over

T = TypeVar("T")


class Asked:
    """A calculator that notes what it is asked for, and for one set fails."""

    def __init__(self) -> None:
        self.sets: list[str] = []

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        assert not bounded
        self.sets.append(arguments[0].name)
        if len(self.sets) == 2:
            raise SolveError("too_long", "no")
        return function(*arguments)

    async def close(self) -> None: ...


class Child:
    """A process that ends at the second look, or never."""

    def __init__(self, looks: int) -> None:
        self.looks, self.killed = looks, False

    def is_alive(self) -> bool:
        self.looks -= 1
        return self.looks > 0

    def kill(self) -> None:
        self.killed = True


@pytest.mark.parametrize("closes", [False, True])
async def test_the_sets_of_the_catalogue_are_prepared_and_those_of_the_start_page_read(
    monkeypatch: pytest.MonkeyPatch, closes: bool
) -> None:
    begun: list[str] = []
    child, asked, closing = Child(10**9 if closes else 2), Asked(), asyncio.Event()

    def begin(sets: tuple[str, ...]) -> Child:
        begun.extend(sets)
        if closes:
            closing.set()
        return child

    monkeypatch.setattr(startup, "UNDISTURBED", 0.0)
    monkeypatch.setattr(startup, "LOOKS", 0.0)
    monkeypatch.setattr(preparation, "begin", begin)
    monkeypatch.setattr(calculations, "prepare", lambda rules: None)
    await startup.prepare(asked, closing)
    assert tuple(begun[: len(FIRST)]) == FIRST
    assert sorted(begun) == sorted(names())
    assert child.killed
    assert asked.sets == ([] if closes else [named(name).name for name in FIRST])


def test_what_is_quick_is_prepared_first_and_a_failure_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, str]] = []

    def turn(rules: Rules) -> None:
        done.append(("turn", rules.name))
        if rules.name == named("standard").name:
            raise SolveError("too_large", "no")

    def chances(rules: Rules) -> None:
        done.append(("chances", rules.name))
        if rules.name == named("standard").name:
            raise MemoryError

    monkeypatch.setattr(knowledge, "turn", turn)
    monkeypatch.setattr(calculations, "prepare", chances)
    preparation.solve(["standard", "minimal"])
    sets = [named(name).name for name in ("standard", "minimal")]
    assert done == [*(("turn", name) for name in sets), *(("chances", name) for name in sets)]


@pytest.mark.slow
def test_a_process_leaves_solutions_on_the_disk_and_ends() -> None:
    from farkel.solve import stored

    child = preparation.begin(["minimal(target=750)"])
    child.join()
    assert child.exitcode == 0
    assert stored(parse("minimal(target=750)")).exists()


@pytest.mark.parametrize("prepares", [False, True])
async def test_a_server_prepares_bots_only_if_it_is_to(
    sqlite: str, monkeypatch: pytest.MonkeyPatch, prepares: bool
) -> None:
    begun = asyncio.Event()

    async def prepare(*_: object) -> None:
        begun.set()

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
