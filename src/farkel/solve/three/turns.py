"""Turns of three seats, in machine code: what each is worth to all three, many turns at a time.

A seat plays for its own chance alone. But to tell the others' chances, what the next seat gets of the banks has to be
carried along, and how often the turn ends in a farkle: with these two every chance is a linear function of those after
the farkle, and circles of farkles can be solved.
"""

from __future__ import annotations

from typing import NamedTuple

from farkel.kernels.arrays import Numbers, Values
from farkel.kernels.words import reals, uint64
from farkel.solve.compiled_game import Board
from farkel.solve.compiled_turn import TurnArrays
from farkel.solve.turn_ends import bank_beyond, rises, run, saturate, settle_paid
from farkel.solve.turn_sweep import (
    LANES,
    NEVER,
    UNKNOWN,
    ZERO,
    Farkles,
    Index,
    Lanes,
    PairWork,
    Work,
    brief_rolling,
    compiled,
    exceeds,
    farkled,
    inlined,
    larger,
    load,
    of_larger,
    part,
    plus,
    store,
    sweep_start,
)

SEATS = 3
ONE = (1.0,) * LANES
OWN, NEXT, FARKLES = range(3)
"""The results of a turn: the chance of the seat to move, that of the next seat from banks alone, and the chance that
the turn ends in a farkle, or in a bank that counts nothing."""
Three = tuple[Lanes, Lanes, Lanes]
"""These, in each lane."""


class Thirds(NamedTuple):
    """Three seats that are being solved. Positions are scores: of the seat to move, the next one, and the third."""

    board: Board
    program: TurnArrays
    own: Values
    """[score, next score, third score]: the chance of the seat to move."""
    next: Values
    """The chance of the next seat."""
    last: Values
    """[kind of seats, points behind of the next seat, of the third]: `LAST`; empty if a bank at the target wins."""
    least: float
    """The smallest chance of a farkle."""


class TurnSpace(NamedTuple):
    """Space to solve turns in that only need to be known from their start."""

    work: Work
    bank_next: Values
    landing_next: Values
    landing_farkles: Values


@inlined
def _kind(thirds: Thirds, others: int, third: int) -> int:
    """Return the index of the kind of seats in `Thirds.last`: which of the two has still to get on the
    board, if that matters.
    """
    board = thirds.board
    if thirds.last.shape[0] == 1:
        return 0
    return (2 if others == board.zero else 0) + (1 if third == board.zero else 0)


@part
def _banks(
    thirds: Thirds, bank: Values, bank_next: Values, at: Numbers, lane: int, first: int, end: int, enough: float
) -> int:
    """Write what banks of a lane are worth for turn totals first, ..., end-1: to the seat, and to the next one.

    Stops at a total past the target whose bank is worth ``enough``, and returns it.
    """
    board, score, others, third = thirds.board, at[0], at[1], at[2]
    need = board.need[1 if board.told_by_score and score == board.zero else board.entering[0]]
    own, upcoming = thirds.own[others, third], thirds.next[others, third]
    for total in range(first, end):
        ended = score + total
        mine, its = NEVER, 0.0
        # No turn ends with a bank of nothing, and its result is not known yet.
        if total > 0 and (total >= need or ended == board.hits):
            if ended < board.scores:
                its = own[ended]
                mine = 1.0 - its - upcoming[ended]
            elif thirds.last.size == 0 or ended == board.hits:
                mine = 1.0
            else:
                most = thirds.last.shape[1] - 1
                left = thirds.last[_kind(thirds, others, third), min(ended - others, most), min(ended - third, most)]
                its = left[0]
                mine = 1.0 - its - left[1]
            if mine >= enough and ended >= board.scores:
                bank[total, lane], bank_next[total, lane] = mine, its
                return total
        bank[total, lane], bank_next[total, lane] = mine, its
    return end


@part
def _last_rows(thirds: Thirds, bank: Values, bank_next: Values, places: Numbers, first: int, farkle: Values) -> int:
    """Return the turn total from which on banking is best or all are alike, in eight lanes; banks up to
    there are written.
    """
    board, rows = thirds.board, 1
    for lane in range(LANES):
        at = places[min(first + lane, places.shape[0] - 1)]
        need = board.need[1 if board.told_by_score and at[0] == board.zero else board.entering[0]]
        last, enough = max(board.scores - at[0], need), 2.0
        if board.hits >= 0:
            last = max(last, board.scores - at[0] + 1)
        elif thirds.last.size:
            last = max(last, thirds.last.shape[1] - 1 + max(at[1], at[2]) - at[0])
            if not board.far:
                enough = 1.0 - thirds.least * (1.0 - farkle[lane])
        rows = max(rows, _banks(thirds, bank, bank_next, at, lane, 0, last, enough))
    return rows


@compiled
def brief_turns(
    thirds: Thirds,
    space: TurnSpace,
    places: Numbers,
    farkles: Values,
    share: tuple[int, int],
    whole: bool,
    found: Values,
) -> None:
    """Solve the turns at some places, [turn, score], each with the chance after a farkle, for a program with a `Brief`.

    share: which eights of how many are this call's. found[turn] is filled, `OWN` alone if not ``whole``; -1 if the
    program is not to be used, as a bank is worth less than a lower one.
    """
    p, work, farkle = thirds.program, space.work, reals(LANES)
    width = uint64(p.landings)
    for block in range(share[0], -(-places.shape[0] // LANES), share[1]):
        first = block * LANES
        lanes = min(LANES, places.shape[0] - first)
        for lane in range(LANES):
            farkle[lane] = farkles[min(first + lane, places.shape[0] - 1)]
            for kind in range(p.farkles):
                work.farkle[kind, lane] = farkle[lane]
        rows = _last_rows(thirds, work.bank, space.bank_next, places, first, farkle)
        for lane in range(LANES):
            at = places[min(first + lane, places.shape[0] - 1)]
            _banks(thirds, work.bank, space.bank_next, at, lane, 0, rows + p.most + 1, 2.0)
        if not rises(work.bank, rows + p.most):
            for lane in range(lanes):
                found[first + lane, OWN] = -1.0
            continue
        for total in range(rows, rows + p.most + 1):
            x, u = load(work.bank, total), load(space.bank_next, total)
            for k in range(width):
                store(work.landing, uint64(total) * width + k, x)
                store(space.landing_next, uint64(total) * width + k, u)
                store(space.landing_farkles, uint64(total) * width + k, ZERO)
        if whole:
            _sweep_three(p, rows, space)
            for lane in range(lanes):
                for column in range(3):
                    found[first + lane, column] = work.rolling_u[column, lane]
        else:
            sweep_start(p, rows, work)
            for lane in range(lanes):
                found[first + lane, OWN] = work.rolling[0, lane]


@part
def _sweep_three(p: TurnArrays, rows: int, space: TurnSpace) -> None:
    """Sweep a turn for the results of its start: `OWN`, `NEXT` and `FARKLES`, in the first rows of ``rolling_u``."""
    work, width = space.work, uint64(p.landings)
    bank, rolling, farkles = work.bank, work.rolling, (p.farkle_first, p.farkle_weight, p.farkle_kind)
    for r in range(uint64(p.rollings)):
        store(rolling, r, UNKNOWN)
    sure: Index = width
    for step in range(rows):
        total = uint64(rows - 1 - step)
        base = total * width
        x, u = load(bank, total), load(space.bank_next, total)
        for k in range(sure):
            r = uint64(p.then[k])
            if exceeds(load(rolling, r), x):
                y = brief_rolling(p.brief, farkles, sure, r, base, work.farkle, work.landing)
                store(rolling, r, y)
                if exceeds(y, x):
                    sure = k
                    break
            _store_three(space, base + k, (x, u, ZERO))
        for k in range(sure, width):
            rolled = _three(p, farkles, sure, uint64(p.then[k]), base, space)
            store(rolling, uint64(p.then[k]), rolled[0])
            _store_three(space, base + k, _better((x, u, ZERO), rolled))
    found = _three(p, farkles, sure, uint64(0), uint64(0), space)
    store(work.rolling_u, uint64(0), found[0])
    store(work.rolling_u, uint64(1), found[1])
    store(work.rolling_u, uint64(2), found[2])


@inlined
def _better(x: Three, y: Three) -> Three:
    return larger(x[0], y[0]), of_larger(x[0], y[0], x[1], y[1]), of_larger(x[0], y[0], x[2], y[2])


@inlined
def _at(space: TurnSpace, row: Index) -> Three:
    return load(space.work.landing, row), load(space.landing_next, row), load(space.landing_farkles, row)


@inlined
def _store_three(space: TurnSpace, row: Index, x: Three) -> None:
    store(space.work.landing, row, x[0])
    store(space.landing_next, row, x[1])
    store(space.landing_farkles, row, x[2])


@inlined
def _add(value: Three, w: float, x: Three) -> Three:
    return plus(value[0], w, x[0]), plus(value[1], w, x[1]), plus(value[2], w, x[2])


@inlined
def _three(p: TurnArrays, farkles: Farkles, sure: Index, r: Index, base: Index, space: TurnSpace) -> Three:
    """Return the results of one rolling with the first ``sure`` landings banked: see `brief_rolling`."""
    brief, one, two, three = p.brief, uint64(1), uint64(2), uint64(3)
    row = sure * uint64(farkles[0].size - 1) + r
    own, often = farkled(farkles, r, uint64(0), space.work.farkle), 0.0
    for f in range(farkles[0][r], farkles[0][r + one]):
        often += farkles[1][f]
    value: Three = own, ZERO, plus(ZERO, often, ONE)
    c: Index = brief.class_first[row]
    i: Index = brief.ref_first[row]
    for _ in range(brief.counts[row, 0]):
        value = _add(value, brief.weight[c], _at(space, base + brief.refs[i]))
        c, i = c + one, i + one
    for _ in range(brief.counts[row, 1]):
        x = _better(_at(space, base + brief.refs[i]), _at(space, base + brief.refs[i + one]))
        value = _add(value, brief.weight[c], x)
        c, i = c + one, i + two
    for _ in range(brief.counts[row, 2]):
        x = _better(_at(space, base + brief.refs[i]), _at(space, base + brief.refs[i + one]))
        value = _add(value, brief.weight[c], _better(x, _at(space, base + brief.refs[i + two])))
        c, i = c + one, i + three
    for length in range(three, uint64(brief.counts.shape[1])):
        for _ in range(brief.counts[row, length]):
            x = _at(space, base + brief.refs[i])
            for k in range(one, length + one):
                x = _better(x, _at(space, base + brief.refs[i + k]))
            value = _add(value, brief.weight[c], x)
            c, i = c + one, i + length + one
    return value


@compiled
def whole_turns(
    thirds: Thirds, work: PairWork, places: Numbers, farkles: Values, share: tuple[int, int], whole: bool, found: Values
) -> None:
    """Solve the turns at some places, each with the chance after a farkle, for any program.

    Arguments are those of `brief_turns`. Each result besides `OWN` takes a sweep.
    """
    board, p, farkle = thirds.board, thirds.program, reals(LANES)
    saturates = thirds.last.size == 0 or board.far
    for block in range(share[0], -(-places.shape[0] // LANES), share[1]):
        first = block * LANES
        lanes = min(LANES, places.shape[0] - first)
        for lane in range(LANES):
            farkle[lane] = farkles[min(first + lane, places.shape[0] - 1)]
        rows = _last_rows(thirds, work.bank, work.bank_u, places, first, farkle)
        for column in range(NEXT, (FARKLES if whole else NEXT) + 1):
            for lane in range(LANES):
                at = places[min(first + lane, places.shape[0] - 1)]
                _banks(thirds, work.bank, work.bank_u, at, lane, 0, rows + p.most + 1, 2.0)
                for kind in range(p.farkles):
                    work.farkle[kind, lane] = farkle[lane]
                    work.farkle_u[kind, lane] = 0.0 if column == NEXT else 1.0
                for total in range(rows + p.most + 1):
                    over = board.hits >= 0 and at[0] + total > board.hits and work.bank[total, lane] > 0.5 * NEVER
                    if over:
                        work.bank[total, lane] = farkle[lane]
                    if over or column == FARKLES:
                        work.bank_u[total, lane] = 1.0 if over and column == FARKLES else 0.0
            if saturates:
                saturate(p, rows, work, 0)
            else:
                bank_beyond(p, rows, work, 0)
            run(p, 0, rows, work, 0)
            for lane in range(lanes):
                found[first + lane, OWN] = work.rolling[0, lane]
                found[first + lane, column] = work.rolling_u[0, lane]


@compiled
def sweep_banked(p: TurnArrays, rows: int, work: PairWork, alike: bool) -> None:
    """Sweep a turn whose banks and farkles are written. From ``rows`` on banking is best, or totals are ``alike``."""
    if alike:
        settle_paid(p, rows, work, 0)
    else:
        bank_beyond(p, rows, work, 0)
        run(p, 0, rows, work, 0)
