"""Pieces of work for the kernel: games one after the other, or side by side where somebody plays among many.

A turn among many is worked out by `farkel.solve.Field`, eight at a time. So each thread has a number of games under
way, plays each until it asks for a turn, and works out all that were asked for at once. A game that has asked is played
again from its beginning, with what was decided before. It does not matter beside which others a game is played.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import uint64

from farkel.arena.compiled import Numbers
from farkel.arena.desk import Among, Desk, among, among_of, compiled, desk_of, desks
from farkel.arena.kernel import play_games
from farkel.arena.tables import FIELD, Tables
from farkel.arena.tally import Counters

if TYPE_CHECKING:
    from farkel.solve import Field

ABREAST = 32
"""Games under way: several times as many as are worked out at once, so that turns of about one length meet."""


@compiled
def play_abreast(
    c: Any,
    t: Any,
    q: Any,
    w: Any,
    f: Any,
    policy: Any,
    people: Any,
    seed: Any,
    first_game: Any,
    games: Any,
    out: Any,
    under_way: Any,
    asking: Any,
) -> Any:
    """Play a game at each desk until it asks for something, and begin the next one where it ends.

    under_way[desk]: the game there, counted from the first, and, last, the next one to begin; there are no more than
    ``games``. Returns how many ask: asking[:that] are their desks.
    """
    asks = 0
    for number in range(asking.size):
        while under_way[number] < games:
            game = under_way[number]
            at = desk_of(w, number), among_of(f, number)
            if not play_games(c, t, q, *at, policy, people, seed, uint64(first_game) + uint64(game), 1, out, game):
                asking[asks] = number
                asks += 1
                break
            under_way[number] = under_way[asking.size]
            under_way[asking.size] += 1
    return asks


def play_piece(
    tables: Tables,
    people: Numbers,
    seed: int,
    first: int,
    games: int,
    found: Counters,
    events: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Numbers:
    """Count games ``first``, ``first + 1``, ... in ``found``, where the first of its raw games is the first of these.

    people: in the team of each player. Returns the trace of one desk, with room for so many ``events`` of a game.
    """
    play = _in_a_row if tables.field is None else partial(_side_by_side, tables.field)
    return play(tables, people, np.uint64(seed), np.uint64(first), games, found, events, stopped)


def _in_a_row(
    tables: Tables,
    people: Numbers,
    seed: np.uint64,
    first: np.uint64,
    games: int,
    found: Counters,
    events: int,
    stopped: Callable[[], bool],
) -> Numbers:
    (c, t), done = tables.compiled, 0
    w, f = Desk._make(part[0] for part in desks(1, events)), Among._make(part[0] for part in among(1))
    while done < games and not stopped():
        rest = first + np.uint64(done), games - done
        done += play_games(c, t, tables.policies, w, f, tables.policy, people, seed, *rest, found, done)
        if done < games:
            tables.learn(*w.asks.tolist())
    return w.trace


def _side_by_side(
    field: Field,
    tables: Tables,
    people: Numbers,
    seed: np.uint64,
    first: np.uint64,
    games: int,
    found: Counters,
    events: int,
    stopped: Callable[[], bool],
) -> Numbers:
    count = min(games, ABREAST)
    (c, t), turns, work = tables.compiled, field.room(count), field.work()
    w, f = desks(count, events), among(count, turns)
    under_way, asking = np.arange(count + 1), np.empty(count, np.int64)
    asks = -1
    while asks and not stopped():
        numbers = seed, first, games
        asks = play_abreast(c, t, tables.policies, w, f, tables.policy, people, *numbers, found, under_way, asking)
        for other in asking[:asks][w.asks[asking[:asks], 0] != FIELD]:
            tables.learn(*w.asks[other].tolist())
        field.solve(work, turns, asking[:asks][w.asks[asking[:asks], 0] == FIELD])
    trace: Numbers = w.trace[0]
    return trace
