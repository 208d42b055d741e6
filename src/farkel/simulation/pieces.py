"""Pieces of work for the kernel: games one after the other, or side by side if a player plays among many.

`farkel.solve.Field` calculates eight turns among many at a time. So each thread has a number of games under
way, plays each until it asks for a turn, and calculates all of these together. A game that has asked is played
again from its beginning, with the decisions made before. The other games beside it make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numba import uint64

from farkel.kernels.draws import Draw
from farkel.kernels.law import CompiledRules, Numbers
from farkel.simulation.bots.chances import Told
from farkel.simulation.bots.tables import FIELD, BotTables, Policies
from farkel.simulation.bots.workspace import Among, Desk, among, among_of, compiled, desks
from farkel.simulation.compiled_games import SeatedPlayers, games_played, play_games
from farkel.simulation.tally import Counters

if TYPE_CHECKING:
    from farkel.solve import Field

ABREAST = 32
"""Games under way: several times as many as are calculated together, so that turns of similar length meet."""


@compiled
def play_abreast(
    table: CompiledRules,
    offers: int | None,
    policies: Policies,
    field: Among,
    desks: Sequence[Desk],
    trace: Numbers,
    seating: SeatedPlayers,
    seed: Draw,
    first_game: Draw,
    games: int,
    out: Counters,
    under_way: Numbers,
    asking: Numbers,
) -> int:
    """Play a game at each desk until it asks for something, and begin the next one where it ends.

    under_way[desk]: the game there, counted from the first, and, last, the next one to begin; there are no more than
    ``games``. Returns how many ask: asking[:that] are their desks.
    """
    asks = 0
    for number in range(asking.size):
        while under_way[number] < games:
            game = under_way[number]
            its, desk = among_of(field, number), desks[number]
            at = uint64(first_game) + uint64(game)
            if not games_played(table, offers, policies, None, its, desk, trace, seating, seed, at, 1, out, game):
                asking[asks] = number
                asks += 1
                break
            under_way[number] = under_way[asking.size]
            under_way[asking.size] += 1
    return asks


def play_piece(
    tables: BotTables,
    people: Numbers,
    seed: int,
    first: int,
    games: int,
    found: Counters,
    events: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Numbers:
    """Count games ``first``, ``first + 1``, ... in ``found``, where the first of its raw games is the first of these.

    people: in the team of each player. Returns the trace of one desk, with room for this many ``events`` of a game.
    """
    played = SeatedPlayers(tables.policy, people), np.uint64(seed), np.uint64(first), games, found
    if tables.field is None or tables.told is None:
        return _in_a_row(tables, *played, events, stopped)
    return _side_by_side(tables.field, tables.told, tables, *played, events, stopped)


def _in_a_row(
    tables: BotTables,
    seating: SeatedPlayers,
    seed: np.uint64,
    first: np.uint64,
    games: int,
    found: Counters,
    events: int,
    stopped: Callable[[], bool],
) -> Numbers:
    desk, trace, done = desks(1, seating.policy.size)[0], np.zeros(events, np.int64), 0
    while done < games and not stopped():
        known, rest = (tables.policies, tables.chances, None), (first + np.uint64(done), games - done)
        done += play_games(tables.table, tables.offers, *known, desk, trace, seating, seed, *rest, found, done)
        if done < games:
            tables.learn(*map(int, desk.asks))
    return trace


def _side_by_side(
    field: Field,
    told: Told,
    tables: BotTables,
    seating: SeatedPlayers,
    seed: np.uint64,
    first: np.uint64,
    games: int,
    found: Counters,
    events: int,
    stopped: Callable[[], bool],
) -> Numbers:
    count = min(games, ABREAST)
    turns, work = field.room(count), field.work()
    side, its, trace = desks(count, seating.policy.size), among(count, told, turns), np.zeros(events, np.int64)
    under_way, asking = np.arange(count + 1), np.empty(count, np.int64)
    asks = -1
    while asks and not stopped():
        known, numbers = (tables.policies, its, side, trace), (seed, first, games)
        asks = play_abreast(tables.table, tables.offers, *known, seating, *numbers, found, under_way, asking)
        turning = np.array([side[place].asks[0] == FIELD for place in asking[:asks]], np.bool_)
        for place in asking[:asks][~turning]:
            tables.learn(*map(int, side[place].asks))
        field.solve(work, turns, asking[:asks][turning])
    return trace
