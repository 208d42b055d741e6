"""What the kernel of the arena is built of: the space for a game, chance, and what the rules say about a position."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from farkel.arena.compiled import (
    AT_ONCE,
    EQUAL_TURNS,
    EXACT,
    FIRST_SEAT,
    FIRST_SIX,
    LAST_TURNS,
    WELFARE,
    Numbers,
    Short,
    Values,
)
from farkel.arena.draws import FIRST as FIRST_FACTOR
from farkel.arena.draws import GOLDEN
from farkel.arena.draws import SECOND as SECOND_FACTOR
from farkel.arena.tally import (
    EXACT_HIT,
    FIELDS,
    LAST_TURNS_OVER,
    MOST_THROWS,
    MOST_TURNS,
    NOBODY,
    ROUND_OVER,
    ROUNDS_OVER,
    STANDING,
    TARGET,
)
from farkel.machine_code import compilers
from farkel.solve.model import Turns

Bytes = NDArray[np.uint8]
MOST_SEATS = 8
MOST_ACTIONS = 512
ILLEGAL = -1.0
"""The chance of what is not legal."""
HUGE = 1 << 40
"""More points than a turn can bring."""

THROW_EVENT, FRESH_EVENT, TAKE_EVENT, KEEP_EVENT = range(4)
"""Kinds of event in a trace, `kind + 4 * number`: numbers are a roll within its dice, dice, or 2 keep + bank."""


SOURCES = (
    "abreast",
    "chances",
    "compiled",
    "decisions",
    "desk",
    "draws",
    "kernel",
    "tables",
    "tally",
    "../players/exact",
    "../solve/board",
    "../solve/boundary",
    "../solve/kernel",
    "../solve/model",
    "../solve/program",
)
"""The files that the machine code is made from."""

# Without Numba's counting of references, which costs as much as the games: nothing here makes an array.
compiled, inlined = compilers(__file__, SOURCES, nogil=True, error_model="numpy", _nrt=False)

SCORE, LIVES_LEFT, IN_A_ROW, PERSON, ENTERED, IN, PEOPLE, SPARE = range(8)
"""Columns of `Desk.seats`: as `farkel.game.Seat`; IN: 1 while in the game; SPARE: a score as it would be."""
SEAT, FIRST, CLOSER, ROUNDS_LEFT, STANDING_LEFT, ENTERING, NEEDS, ROW, LOSES_BELOW, WINS_FROM, TURN = range(11)
"""Places of `Desk.now`: as `farkel.game.State`; whether the seat has yet to make the entry score; what it needs to
bank; its farkles in a row; below what turn total a bank loses for certain, and from which on it wins; how many turns
there were before."""
MADE, NOTED, OF_TURN, OF_SCORE = range(4)
"""Places of `Among.made`: how many decisions were made since the game began, and how many are noted; which turn, begun
with which score, is there."""


class Desk(NamedTuple):
    """Space for one game, one for each thread."""

    seats: Numbers
    """[seat, column]"""
    now: Numbers
    """What a decision depends on, apart from the dice."""
    counts: Numbers
    """[seat, field]: as `farkel.arena.tally`, for what is not counted turn by turn."""
    turn_seat: Bytes
    turn_points: Numbers
    """What each turn banked, in units; -1: a farkle."""
    trace: Numbers
    """Events, where they are wanted; else no places."""
    asks: Numbers
    """What a decision asks for, as `farkel.arena.tables.Tables.learn` takes it."""
    wins: Values
    """[action]: winning chances of a decision under way, `ILLEGAL` where there is none such."""


def desks(count: int, events: int = 0) -> Desk:
    """Space for so many games, and for so many events of each if they are wanted. Arrays have an index for the game."""
    return Desk(
        seats=np.zeros((count, MOST_SEATS, 8), np.int64),
        now=np.zeros((count, 11), np.int64),
        counts=np.zeros((count, MOST_SEATS, FIELDS), np.int64),
        turn_seat=np.zeros((count, MOST_TURNS), np.uint8),
        turn_points=np.zeros((count, MOST_TURNS), np.int64),
        trace=np.zeros((count, events), np.int64),
        asks=np.zeros((count, 3), np.int64),
        wins=np.zeros((count, MOST_ACTIONS)),
    )


class Among(NamedTuple):
    """What those who play among many have of a game: the turn under way, as `Turns` has it, and what was decided.

    A game that asks for a turn is played again from its beginning. It goes by its notes up to there.
    """

    made: Numbers
    """[`MADE` and others]"""
    notes: Short
    """Decisions, in their order."""
    seats: Numbers
    now: Numbers
    rows: Numbers
    """[slot, column]: the slots are lives where these are paid."""
    rolling: Values
    bank: Values


def among(count: int, turns: Turns | None = None) -> Among:
    """For so many games, with an index for the game, and room for a turn of each; for none where nobody plays so."""
    if turns is None:
        empty, flat = np.zeros((count, 0, 0), np.int64), np.zeros((count, 0), np.int64)
        parts = empty, flat, empty, np.zeros((count, 0, 0)), np.zeros((count, 0, 0))
    else:
        parts = turns.seats, turns.now, turns.rows, turns.rolling, turns.bank
    notes = np.zeros((count, MOST_THROWS + MOST_TURNS if turns else 0), np.uint16)
    return Among(np.zeros((count, 4), np.int64), notes, *parts)


@inlined
def desk_of(w: Any, game: Any) -> Any:
    """The desk of one game."""
    return Desk(
        w.seats[game],
        w.now[game],
        w.counts[game],
        w.turn_seat[game],
        w.turn_points[game],
        w.trace[game],
        w.asks[game],
        w.wins[game],
    )


@inlined
def among_of(f: Any, game: Any) -> Any:
    """The same of `Among`."""
    return Among(f.made[game], f.notes[game], f.seats[game], f.now[game], f.rows[game], f.rolling[game], f.bank[game])


# Chance ---------------------------------------------------------------------------------------------------------------


@inlined
def mix(x: Any) -> Any:
    """As `farkel.arena.draws.mix`."""
    x = (x ^ (x >> uint64(30))) * uint64(FIRST_FACTOR)
    x = (x ^ (x >> uint64(27))) * uint64(SECOND_FACTOR)
    return x ^ (x >> uint64(31))


@inlined
def key(seed: Any, game: Any, stream: Any) -> Any:
    """As `farkel.arena.draws.key`."""
    return mix(mix(mix(uint64(seed)) + uint64(game) * uint64(GOLDEN)) + uint64(stream))


@inlined
def draw(start: Any, number: Any) -> Any:
    """As `farkel.arena.draws.draw`."""
    return mix(start + (uint64(number) + uint64(1)) * uint64(GOLDEN))


@inlined
def below(x: Any, most: Any) -> Any:
    """As `farkel.arena.draws.below`, for ``most`` below 2**32: the high half of a product, from two short ones."""
    low = ((x & uint64(0xFFFFFFFF)) * uint64(most)) >> uint64(32)
    return ((x >> uint64(32)) * uint64(most) + low) >> uint64(32)


# What the rules say ---------------------------------------------------------------------------------------------------


@inlined
def fined(c: Any, score: Any, points: Any) -> Any:
    """As `farkel.game.fined`."""
    return score - points if c.below_zero else min(score, max(0, score - points))


@inlined
def may_bank(c: Any, needs: Any, short: Any, total: Any, hot: Any, idle: Any, triple: Any) -> Any:
    """Whether a keep that makes this turn total may be banked; ``hot``: it leaves no dice."""
    if total < needs and not (c.finish >= EXACT and total == short):
        return False
    return not (hot and c.forced and not idle) or (c.triple_ends and triple) != 0


@inlined
def after(seats: Any, n: Any, seat: Any) -> Any:
    """The next seat that is still in the game; the seat itself where there is no other."""
    upcoming = seat
    for _ in range(n):
        upcoming = upcoming + 1 if upcoming + 1 < n else 0
        if seats[upcoming, IN]:
            break
    return upcoming


@inlined
def passes(n: Any, now: Any, seat: Any, upcoming: Any) -> Any:
    """Whether the dice come to a seat, or pass it, on their way from ``now`` to ``upcoming``."""
    return (seat - now - 1 + n) % n <= (upcoming - now - 1 + n) % n


@compiled
def banked(c: Any, w: Any, n: Any, column: Any, total: Any) -> Any:
    """Bank a turn total into the scores of that column. Returns (how the game ended or 0, winners, closer, whether).

    Winners are bits of seats. The last one says whether the turn total counts: it does not beyond an exact target.
    """
    seats, seat, closer = w.seats, w.now[SEAT], w.now[CLOSER]
    over = seats[seat, column] + total - c.target
    if over > 0 and c.finish >= EXACT:
        if c.finish == WELFARE:
            lowest = np.int64(-1)
            for step in range(1, n):
                other = (seat + step) % n
                if seats[other, IN] and (lowest < 0 or seats[other, column] < seats[lowest, column]):
                    lowest = other
            if lowest >= 0 and seats[lowest, column] + over <= c.target:
                seats[lowest, column] += over
                if seats[lowest, column] == c.target:
                    return EXACT_HIT, 1 << lowest, closer, False
        return 0, 0, closer, False
    seats[seat, column] += total
    if c.target and over >= 0 and closer < 0:
        if c.finish == AT_ONCE or (n == 1 and c.finish < EXACT):
            return TARGET, 1 << seat, closer, True
        if c.finish >= EXACT:
            return EXACT_HIT, 1 << seat, closer, True
        closer = seat
    return 0, 0, closer, True


@inlined
def best(c: Any, seats: Any, n: Any, column: Any, closer: Any) -> Any:
    """The winners as bits: the highest of those still in. In last turns the first one there beats equal scores (D1)."""
    start = max(0, closer)
    winners, highest = 0, np.int64(0)
    first_only = c.finish == LAST_TURNS and closer >= 0
    for step in range(n):
        seat = (start + step) % n
        if not seats[seat, IN]:
            continue
        score = seats[seat, column]
        if winners == 0 or score > highest:
            winners, highest = 1 << seat, score
        elif score == highest and not first_only:
            winners |= 1 << seat
    return winners


@compiled
def passed(c: Any, w: Any, n: Any, column: Any, closer: Any) -> Any:
    """End a turn. Returns (how the game ended or 0, winners, next seat, rounds left, rounds standing)."""
    now, seats = w.now, w.seats
    here, first, rounds_left, standing = now[SEAT], now[FIRST], now[ROUNDS_LEFT], now[STANDING_LEFT]
    alive, last = 0, 0
    for seat in range(n):
        if seats[seat, IN]:
            alive += 1
            last = seat
    if alive == 0:
        return NOBODY, 0, here, rounds_left, standing
    if closer < 0 and alive == 1 and n > 1:
        if c.standing_wins:
            return STANDING, 1 << last, here, rounds_left, standing
        if standing:
            standing -= 1
        else:
            standing = -((seats[last, column] * c.unit - c.target_points) // c.round_points)
        if not standing:
            return NOBODY, 0, here, rounds_left, standing
    upcoming = after(seats, n, here)
    if closer >= 0:
        if c.finish == EQUAL_TURNS and passes(n, here, first, upcoming):
            return ROUND_OVER, best(c, seats, n, column, closer), upcoming, rounds_left, standing
        if c.finish == LAST_TURNS and passes(n, here, closer, upcoming):
            return LAST_TURNS_OVER, best(c, seats, n, column, closer), upcoming, rounds_left, standing
    elif rounds_left and passes(n, here, first, upcoming):
        rounds_left -= 1
        if not rounds_left:
            return ROUNDS_OVER, best(c, seats, n, column, closer), upcoming, rounds_left, standing
    return 0, 0, upcoming, rounds_left, standing


@compiled
def started(c: Any, w: Any, n: Any, dice_key: Any) -> Any:
    """Throw for the start. Returns (the first seat, throws that it took)."""
    throws, seat = np.int64(0), np.int64(0)
    if c.start == FIRST_SEAT or n == 1:
        return seat, throws
    contenders = (1 << n) - 1
    while throws < MOST_THROWS:
        highest, found = np.int64(0), np.int64(0)
        for other in range(n):
            if contenders >> other & 1:
                face = np.int64(below(draw(dice_key, throws), 6)) + 1
                traced(w.trace, throws, THROW_EVENT + 4 * (face - 1))
                throws += 1
                if face == 6 and c.start == FIRST_SIX:
                    return np.int64(other), throws
                if face > highest:
                    highest, found, seat = face, np.int64(0), np.int64(other)
                if face == highest:
                    found |= 1 << other
        if c.start != FIRST_SIX:
            contenders = found
            if found & (found - 1) == 0:
                return seat, throws
    return seat, throws


@inlined
def traced(trace: Any, event: Any, value: Any) -> None:
    """Write an event down where somebody wants it."""
    if event < trace.size:
        trace[event] = value
