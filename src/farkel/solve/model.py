"""The model of `farkel.solve.many` in machine code: what turns at tables of many are worth, many turns at a time.

Eight of them are swept side by side, each in a lane of its own. What comes out for a turn does not hang on the others,
to the last bit: each is swept from a turn total of its own, and the lanes are shifted so that these lie in one row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from farkel.solve.board import Board
from farkel.solve.boundary import compared, fined, pay, run, saturate
from farkel.solve.kernel import LANES, NEVER, compiled, inlined, making, part
from farkel.solve.program import Arrays, Numbers, Values

MOST_SEATS = 8
BEYOND = 160
"""Turn totals beyond the target that are told apart where the game goes on."""
SMALL = 1e-9
"""The least chance against another seat that is counted."""

IN, MODE, SCORE = range(3)
"""Columns of `Turns.seats`: whether the seat is in the game; its mode; its score in steps from the lowest one."""
SEATS, SEAT, FIRST, CLOSER, ROUNDS_LEFT, ENTERING, NEXT, SLOT = range(8)
"""Columns of `Turns.now`: how many seats there are, and what `farkel.game.State` says; whether the seat has yet to get
on the board; the next seat, which is found here; and where in `Turns` the values belong."""
HOW, STAGE, ITS_MODE, ITS_SCORE = range(4)
"""Columns of `Turns.rivals`: how the game goes on between the two, and as what position of the game of two."""
GONE, LATER, EARLIER, DONE = range(4)
"""Between the seat and another one: the other is out, plays after it, plays before it, or neither plays again."""
SWEPT, BANKED = range(2)
"""Columns of `Turns.rows`."""


class Two(NamedTuple):
    """The solved game of two, as the model reads it."""

    own: Values
    """As `farkel.solve.boundary.Solved`."""
    other: Values
    stage_of: Numbers
    """[rounds left, whether the seat is second in the round]: the stage."""
    least: float
    """The smallest chance of a farkle."""


class Turns(NamedTuple):
    """Turns to be solved, and their values. A place has one turn, and values in several slots."""

    seats: Numbers
    """[place, seat, column]. The score of the seat to move is the one that its turn began with."""
    now: Numbers
    """[place, column]"""
    rivals: Numbers
    """[place, seat, column]: found here."""
    handed: Values
    """[place, at, (own, other's)]: what taking over is worth to the next seat after a bank, by fines
    paid, turn total and dice on offer less one; a large negative number where it rather does not."""
    rows: Numbers
    """[place, slot, column]: how many turn totals ``rolling`` and ``bank`` have; those beyond are as the last one."""
    rolling: Values
    """[place, slot, turn total * rollings + rolling]: the chance of the seat to move when it rolls on."""
    bank: Values
    """[place, slot, turn total * offers + dice left on offer]: the same when it banks, whether it may or not."""


def most_rows(b: Board) -> int:
    """The highest turn total that may be told apart."""
    return (b.zero if b.relative else b.scores) + BEYOND + int(b.need.max())


def room(b: Board, p: Arrays, places: int, slots: int) -> Turns:
    """Space for so many turns."""
    rows = most_rows(b) + 1
    return Turns(
        seats=np.zeros((places, MOST_SEATS, 3), np.int64),
        now=np.zeros((places, 8), np.int64),
        rivals=np.zeros((places, MOST_SEATS, 4), np.int64),
        handed=np.zeros((places, p.fines.size * rows * (p.offers - 1), 2)),
        rows=np.zeros((places, slots, 2), np.int64),
        rolling=np.zeros((places, slots, rows * p.rollings)),
        bank=np.zeros((places, slots, rows * p.offers)),
    )


@inlined
def lowered(b: Any, score: Any, points: Any) -> Any:
    """A score after a fine, in steps from the lowest one: without a target it may fall as far as it likes."""
    return score - points if b.relative else fined(b, score, points)


# What a turn leads to -------------------------------------------------------------------------------------------------


@part
def find_rivals(b: Any, two: Any, seats: Any, now: Any, seat: Any, first: Any, rivals: Any) -> None:
    """How the game goes on between a seat and each other one, when ``first`` is to play next of all."""
    n = now[SEATS]
    for other in range(n):
        rivals[other, HOW] = GONE
        if other == seat or not seats[other, IN]:
            continue
        before = (seat - first) % n < (other - first) % n
        stage = find_stage(b, two, now, first, seat if before else other, other if before else seat)
        rivals[other, HOW] = DONE if stage < 0 else LATER if before else EARLIER
        rivals[other, STAGE] = stage
        rivals[other, ITS_MODE] = seats[other, MODE]
        score = seats[other, SCORE]
        rivals[other, ITS_SCORE] = score if b.relative else min(max(0, score), b.scores - 1)


@inlined
def find_stage(b: Any, two: Any, now: Any, first: Any, earlier: Any, later: Any) -> Any:
    """The stage of the game of two seats, when ``first`` is to play next of all; -1 where no turn is left."""
    n, start, rounds = now[SEATS], now[FIRST], b.rounds[0] > 0
    if b.next_stage.size == 1:
        return np.int64(0)
    left, begun = now[ROUNDS_LEFT], (first - start) % n
    # The next turn begins a round of its own where it passes the seat that started.
    if begun <= (now[SEAT] - start) % n and first != now[SEAT]:
        left -= 1
    waits, also = (earlier - start) % n >= begun, (later - start) % n >= begun
    if not waits and not also:
        left -= 1
    if rounds and left <= 0:
        return np.int64(-1)
    return two.stage_of[left if rounds else 0, 1 if waits and not also else 0]


@inlined
def find_next(seats: Any, now: Any) -> Any:
    """The next seat that is in the game; the seat to move itself where there is no other."""
    n, seat = now[SEATS], now[SEAT]
    for step in range(1, n):
        if seats[(seat + step) % n, IN]:
            return (seat + step) % n
    return seat


@inlined
def against(b: Any, two: Any, rivals: Any, n: Any, mode: Any, score: Any, upcoming: Any, handed: Any, at: Any) -> Any:
    """The chance of a seat with that mode and score against all others.

    handed[at]: what taking over is worth to the seat ``upcoming``; at -1 nothing is left to it.
    """
    own, other, last = two.own, two.other, b.scores - 1
    score = score if b.relative else min(max(0, score), last)
    total, others = 0.0, 0
    for seat in range(n):
        how, stage = rivals[seat, HOW], rivals[seat, STAGE]
        if how == GONE:
            continue
        others += 1
        its_mode, its_score = rivals[seat, ITS_MODE], rivals[seat, ITS_SCORE]
        if how == DONE:
            chance = compared(b, score, its_score)
        elif how == LATER:
            mine, its = score, its_score
            if b.relative:
                mine, its = 0, last - min(max(0, b.zero + score - its_score), last)
            chance = own[stage, mode, its_mode, mine, its]
        else:
            its, mine = its_score, score
            if b.relative:
                its, mine = 0, last - min(max(0, b.zero + its_score - score), last)
            fresh = own[stage, its_mode, mode, its, mine]
            chance = other[stage, its_mode, mode, its, mine] if b.pairs else 1.0 - fresh
            if at >= 0 and seat == upcoming and handed[at, 0] > fresh:
                chance = handed[at, 1]
        total += 1.0 / max(chance, SMALL)
    if others == 0:
        return 0.5 + 0.5 * min(1.0, max(0, score) / b.scores)
    return 1.0 / max(1.0, total - (others - 1))


@inlined
def unsurpassed(b: Any, seats: Any, now: Any, score: Any) -> Any:
    """The chance to win the last turns with that score: above those before, and not surpassed by those after."""
    n, seat, closer, chase = now[SEATS], now[SEAT], now[CLOSER], b.chase
    ends = n
    if closer >= 0 and closer != seat:
        ends = (closer - seat) % n
    chance = 1.0
    for step in range(1, n):
        other = (seat + step) % n
        if not seats[other, IN]:
            continue
        its_score = seats[other, SCORE]
        if step >= ends:
            if its_score >= score:
                return 0.0
        else:
            held = min(max(0, its_score - b.zero), chase.shape[1] - 1)
            short = min(max(0, score - its_score + chase.shape[2]), chase.shape[3] - 1)
            chance = chance * (1.0 - chase[0, held, 0, short, 0])
    return chance


@part
def write_ends(
    b: Any, two: Any, turns: Any, place: Any, mode: Any, score: Any, totals: Any, offers: Any, at: Any, found: Any
) -> None:
    """found[total * offers + dice]: the chance of the seat to move, its turn ended with that mode and score + total.

    The offers of total 0 begin at ``at`` in `Turns.handed`. One function for all totals, because calls with whole
    boards as arguments are slow.
    """
    seats, now, rivals, handed = turns.seats[place], turns.now[place], turns.rivals[place], turns.handed[place]
    n, closer, upcoming = now[SEATS], now[CLOSER], now[NEXT]
    for total in range(totals):
        ended = score + total
        there = ended >= b.scores and not b.relative
        for dice in range(offers):
            if closer >= 0 or (there and b.open):
                value = unsurpassed(b, seats, now, ended)
            elif there:
                value = 1.0
            else:
                offer = np.int64(at + total * (offers - 1) + dice - 1 if dice else -1)
                value = against(b, two, rivals, n, mode, ended, upcoming, handed, offer)
            found[total * offers + dice] = value


@compiled
def between(b: Any, two: Any, turns: Any, first: Any, found: Any) -> None:
    """The chances of all seats at place 0 as their scores are, with ``first`` to play; not made to add up to one."""
    seats, now, rivals = turns.seats[0], turns.now[0], turns.rivals[0]
    for seat in range(now[SEATS]):
        found[seat] = 0.0
        if seats[seat, IN]:
            find_rivals(b, two, seats, now, seat, first, rivals)
            score = seats[seat, SCORE]
            found[seat] = against(
                b, two, rivals, now[SEATS], seats[seat, MODE], score, np.int64(-1), turns.handed[0], np.int64(-1)
            )


# Turns ----------------------------------------------------------------------------------------------------------------


@compiled
def begin(b: Any, p: Any, two: Any, turns: Any, places: Any) -> None:
    """Find the rivals at these places, and how many turn totals to tell apart. What is handed on may then be given."""
    for place in places:
        seats, now = turns.seats[place], turns.now[place]
        upcoming = find_next(seats, now)
        now[NEXT] = upcoming
        find_rivals(b, two, seats, now, now[SEAT], upcoming, turns.rivals[place])
        if not b.relative:
            seats[now[SEAT], SCORE] = max(0, seats[now[SEAT], SCORE])
        needs, short = b.need[now[ENTERING]], b.zero
        if not b.relative:
            short = max(0, b.scores - lowered(b, seats[now[SEAT], SCORE], p.fines[p.fines.size - 1]))
        if now[CLOSER] < 0 and not b.open and b.hits < 0:
            last = max(short, needs)
        elif b.hits >= 0:
            last = max(short + 1, needs)
        else:
            last = short + BEYOND + needs
        turns.rows[place, now[SLOT], SWEPT] = turns.rows[place, now[SLOT], BANKED] = last + 1


@part
def write_banks(b: Any, p: Any, two: Any, turns: Any, place: Any, fines: Any, found: Any) -> None:
    """found[turn total * offers + dice]: what banks are worth after fines have been paid, allowed or not."""
    now, offers = turns.now[place], p.offers
    mode, rows = turns.seats[place, now[SEAT], MODE], turns.rows[place, now[SLOT], BANKED]
    score = lowered(b, turns.seats[place, now[SEAT], SCORE], p.fines[fines])
    counting = min(rows, b.scores - score + 1) if b.hits >= 0 else rows
    at = fines * rows * (offers - 1)
    write_ends(b, two, turns, place, b.after_bank[mode], score, counting, offers, at, found)
    if counting < rows:
        over = found[counting * offers :]
        write_ends(b, two, turns, place, b.after_over[mode], score, 1, 1, at, over)
        over[: (rows - counting) * offers] = over[0]


@making
def write_farkles(b: Any, p: Any, two: Any, turns: Any, place: Any, fines: Any, found: Any) -> None:
    """found[kind]: what farkles are worth after fines have been paid."""
    now = turns.now[place]
    mode = turns.seats[place, now[SEAT], MODE]
    for kind in range(p.farkles):
        hand = b.farkle_hand[kind]
        after = b.after_farkle[mode, hand]
        found[kind] = 0.0
        if after >= 0 and now[CLOSER] < 0:
            score = lowered(b, turns.seats[place, now[SEAT], SCORE], p.fines[fines])
            left = lowered(b, score, b.penalty[mode, hand] + b.farkle_fine[kind])
            write_ends(b, two, turns, place, after, left, 1, 1, 0, found[kind:])


@making
def shorten(b: Any, p: Any, two: Any, turns: Any, place: Any) -> None:
    """Sweep fewer turn totals where banking is sure to be best from one of them on.

    It is where a roll could at most make a win certain but for the smallest chance of a farkle.
    """
    if b.far or p.fines.size > 1 or not b.open:
        return
    now, farkles = turns.now[place], np.empty(p.farkles)
    bank, rows = turns.bank[place, now[SLOT]], turns.rows[place, now[SLOT]]
    write_farkles(b, p, two, turns, place, np.int64(0), farkles)
    enough, total = 1.0 - two.least * (1.0 - farkles.max()), b.need[now[ENTERING]]
    if now[CLOSER] < 0 and not b.relative:
        total = max(total, b.scores - turns.seats[place, now[SEAT], SCORE])
    while total < rows[SWEPT] - 1 and bank[total] < enough:
        total += 1
    rows[SWEPT] = total + 1


@making
def write_lane(
    b: Any, p: Any, two: Any, w: Any, turns: Any, place: Any, lane: Any, rows: Any, shift: Any, fines: Any
) -> None:
    """What a lane is swept from: banks, `NEVER` where not allowed, and farkles. Turn total 0 is in row ``shift``."""
    now, offers = turns.now[place], p.offers
    banks, farkles = turns.bank[place, now[SLOT]], np.empty(p.farkles)
    if fines > 0:
        banks = np.empty(banks.size)
        write_banks(b, p, two, turns, place, fines, banks)
    score = lowered(b, turns.seats[place, now[SEAT], SCORE], p.fines[fines])
    need = b.need[now[ENTERING]]
    for total in range(rows - shift + 1):
        allowed = total >= need or score + total == b.hits
        for dice in range(offers):
            w.bank[(total + shift) * offers + dice, lane] = banks[total * offers + dice] if allowed else NEVER
    write_farkles(b, p, two, turns, place, fines, farkles)
    for row in range(rows + 1 if p.leaves else 1):
        for kind in range(p.farkles):
            w.farkle[row * p.farkles + kind, lane] = farkles[kind]


@part
def write_beyond(p: Any, w: Any, turns: Any, place: Any, lane: Any, rows: Any) -> None:
    """Where banking is sure to be best from the last turn total on, landings beyond it are worth their banks."""
    slot = turns.now[place, SLOT]
    bank, swept, banked = turns.bank[place, slot], turns.rows[place, slot, SWEPT], turns.rows[place, slot, BANKED]
    if swept == banked:
        return
    for more in range(p.most + 1):
        value = bank[min(swept - 1 + more, banked - 1)]
        for k in range(p.kind.size):
            w.landing[(rows + more) * p.landings + k, lane] = value


@making
def sweep_lanes(b: Any, p: Any, two: Any, w: Any, turns: Any, places: Any) -> None:
    """Solve the turns at up to eight places."""
    rows = 0
    for place in places:
        rows = max(rows, turns.rows[place, turns.now[place, SLOT], SWEPT] - 1)
    for fines in range(p.fines.size - 1, -1, -1):
        for lane in range(LANES):
            if lane < places.size:
                place = places[lane]
                shift = rows + 1 - turns.rows[place, turns.now[place, SLOT], SWEPT]
                write_lane(b, p, two, w, turns, place, lane, rows, shift, fines)
                continue
            for dice in range(p.offers):
                w.bank[rows * p.offers + dice, lane] = 0.0
            for kind in range(p.farkles):
                w.farkle[(rows if p.leaves else 0) * p.farkles + kind, lane] = 0.0
        pay(p, rows, w, fines)
        saturate(p, rows, w, fines)
        for lane in range(places.size):
            write_beyond(p, w, turns, places[lane], lane, rows)
        run(p, 0, rows + 1, w, fines)
    for lane in range(places.size):
        place = places[lane]
        slot = turns.now[place, SLOT]
        rolling, width = turns.rolling[place, slot], turns.rows[place, slot, SWEPT] * p.rollings
        first = (rows + 1) * p.rollings - width
        for at in range(width):
            rolling[at] = w.rolling[first + at, lane]


@compiled
def weigh(b: Any, p: Any, two: Any, turns: Any, places: Any) -> None:
    """Fill `Turns.bank` at these places, and find how many turn totals to sweep; `begin` has been called."""
    for place in places:
        write_banks(b, p, two, turns, place, np.int64(0), turns.bank[place, turns.now[place, SLOT]])
        shorten(b, p, two, turns, place)


@compiled
def finish(b: Any, p: Any, two: Any, w: Any, turns: Any, places: Any) -> None:
    """Fill `Turns.rolling` at these places, eight at a time in their order; `weigh` has been called."""
    for first in range(0, places.size, LANES):
        sweep_lanes(b, p, two, w, turns, places[first : first + LANES])
