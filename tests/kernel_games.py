"""One simulated game, event by event: read from the trace that the kernel writes, and played again by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from farkel.game import Event, Fresh, State, TakeOver, Throw, apply, new_game
from farkel.game.numbered import numbered
from farkel.rules import Rules
from farkel.simulation.bots import workspace
from farkel.simulation.bots.tables import BotTables
from farkel.simulation.pieces import play_piece
from farkel.simulation.tally import Counters, counters

ROOM = 1 << 12
"""Events that there is room for at first."""


class Replayed(NamedTuple):
    """A game of the kernel's."""

    events: list[Event]
    state: State
    """Where they lead, by the engine."""
    counted: Counters
    """The kernel's counts of it."""


def kernel_game(tables: BotTables, seed: int, game: int, people: Sequence[int] = ()) -> Replayed:
    """Return the game with that number, as the kernel plays it."""
    of_player = np.array(people or [1] * tables.policy.size, np.int64)
    room, events = 0, ROOM
    while events > room:
        room, found = events, counters(tables.policy.size, raw=1)
        trace = play_piece(tables, of_player, seed, game, 1, found, room)
        events = int(found.events[0])
    shift = game % of_player.size
    return _read(tables.rules, np.roll(of_player, -shift).tolist(), trace[:events].tolist(), found)


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
