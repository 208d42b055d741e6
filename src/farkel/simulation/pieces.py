"""Pieces of work for the kernel: games one after the other, or side by side if a player plays among many.

`farkel.solve.Field` calculates eight turns among many at a time. So each thread has a number of games under
way, plays each until it asks for a turn, and calculates all of these together. A game that has asked is played
again from its beginning, with the decisions made before. The other games beside it make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from farkel.kernels.arrays import Numbers, array, zeros
from farkel.kernels.draws import Draw
from farkel.kernels.law import CompiledRules
from farkel.kernels.words import int64, uint64
from farkel.simulation.bots.chances import Told
from farkel.simulation.bots.tables import FIELD, BotTables, Policies
from farkel.simulation.bots.workspace import Among, Desk, among, among_of, compiled, desks
from farkel.simulation.compiled_games import SeatedPlayers, games_played, play_games
from farkel.simulation.tally import Counters

if TYPE_CHECKING:
    from farkel.solve import Field
    from farkel.solve.many_turns import Model
    from farkel.solve.turn_sweep import Work

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
    space = tables.space
    seating, counted = space.place(SeatedPlayers(tables.policy, people)), space.place(found)
    played = seating, int64(seed), int64(first), games, counted
    trace = space.zeros((events,), "int64")
    try:
        if tables.field is None or tables.told is None:
            _in_a_row(tables, *played, trace, stopped)
        else:
            _side_by_side(tables.field, tables.told, tables, *played, trace, stopped)
    finally:
        for given, there in zip(found, counted, strict=True):
            if there is not given:
                given[...] = there
        space.drop(seating)
        space.drop(counted)
    return trace


def _in_a_row(
    tables: BotTables,
    seating: SeatedPlayers,
    seed: int,
    first: int,
    games: int,
    found: Counters,
    trace: Numbers,
    stopped: Callable[[], bool],
) -> None:
    desk, done = tables.space.place(desks(1, seating.policy.size)[0]), 0
    while done < games and not stopped():
        known, rest = (tables.policies, tables.chances, None), (int64(first + done), games - done)
        done += tables.space.run(
            play_games, tables.table, tables.offers, *known, desk, trace, seating, seed, *rest, found, done
        )
        if done < games:
            tables.learn(*desk.asks)
    tables.space.drop(desk)


class Abreast(NamedTuple):
    """Where games are played side by side; with the field, as it takes long to make."""

    model: Model
    work: Work
    side: Sequence[Desk]
    among: Among


def _abreast(field: Field, told: Told) -> Abreast:
    """Return a place for `ABREAST` games."""
    with suppress(IndexError):
        found: Abreast = field.spare.pop()
        return found
    model, space = field.room(ABREAST), field.space
    side, its = desks(ABREAST, field.seats), among(ABREAST, told, model.turns, space)
    return Abreast(model, field.work(), field.lease.place(side), field.lease.place(its))


def _side_by_side(
    field: Field,
    told: Told,
    tables: BotTables,
    seating: SeatedPlayers,
    seed: int,
    first: int,
    games: int,
    found: Counters,
    trace: Numbers,
    stopped: Callable[[], bool],
) -> None:
    here, count = _abreast(field, told), min(games, ABREAST)
    under_way, asking = array(range(count + 1), "int64"), zeros(count, "int64")
    asks = -1
    while asks and not stopped():
        known, numbers = (tables.policies, here.among, here.side, trace), (seed, first, games)
        asks = tables.space.run(
            play_abreast, tables.table, tables.offers, *known, seating, *numbers, found, under_way, asking
        )
        turning = list[int]()
        for place in asking[:asks]:
            if here.side[place].asks[0] == FIELD:
                turning.append(place)
            else:
                tables.learn(*here.side[place].asks)
        field.solve(here.work, here.model, array(turning, "int64"))
    if asks:  # games were given up in their middle
        for placed in here:
            field.lease.drop(placed)
    else:
        field.spare.append(here)
