"""Kernels of the tests' own; and simulated games, event by event: read from what a kernel notes, and played again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest
from numba import njit

from farkel.game import Event, Fresh, State, TakeOver, Throw, apply, new_game
from farkel.game.numbered import numbered
from farkel.kernels.arrays import array
from farkel.kernels.native import NativeSpace, told
from farkel.kernels.registry import Arguments, Group, Kernel, Result
from farkel.kernels.spaces import PlainSpace
from farkel.rules import Rules
from farkel.simulation.bots import workspace
from farkel.simulation.bots.tables import BotTables
from farkel.simulation.pieces import play_piece
from farkel.simulation.tally import Counters, counters

ROOM = 1 << 12
"""Events that there is room for at first."""
SPACES = [pytest.param(PlainSpace(), id="plain"), pytest.param(NativeSpace(), id="native")]
"""For what kernels do whatever their form is."""


def kernel(function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
    """Make a kernel of a function of a test, whose machine code is kept nowhere."""
    made = Kernel(function, Group("tests"))
    told()
    made.native = njit(function)
    return made


class Replayed(NamedTuple):
    """A game of the kernel's."""

    events: list[Event]
    state: State
    """Where they lead, by the engine."""
    counted: Counters
    """The kernel's counts of it."""


def kernel_game(tables: BotTables, seed: int, game: int, people: Sequence[int] = ()) -> Replayed:
    """Return the game with that number, as the kernel plays it."""
    of_player = array(people or [1] * tables.policy.size, "int64")
    room, events = 0, ROOM
    while events > room:
        room, found = events, counters(tables.policy.size, raw=1)
        trace = play_piece(tables, of_player, seed, game, 1, found, room)
        events = found.events[0]
    shift = game % of_player.size
    return _read(tables.rules, [*of_player[shift:], *of_player[:shift]], trace[:events].tolist(), found)


def _read(rules: Rules, people: Sequence[int], trace: Sequence[int], found: Counters) -> Replayed:
    book, events, state = numbered(rules), list[Event](), new_game(rules, people)
    for written in trace:
        kind, number = written % 4, written // 4
        event: Event
        if kind == workspace.THROW_EVENT:
            event = Throw(book.scored[number].roll)
        elif kind == workspace.KEEP_EVENT:
            event = book.thens[number >> 1][number & 1]
        else:
            event = Fresh() if kind == workspace.FRESH_EVENT else TakeOver(number)
        events.append(event)
        state = apply(state, event)
    return Replayed(events, state, found)
