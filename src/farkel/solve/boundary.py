"""What surrounds a turn: what banking, farkling and being taken over are worth, read from what is solved already."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import uint64

from farkel.errors import SolveError
from farkel.solve.board import AT_ONCE, EQUAL_TURNS, EXACT, LIVES, STAKE, WELFARE
from farkel.solve.kernel import FORBIDDEN, LANES, NEVER, TIE, compiled, inlined, sweep, sweep_pairs, sweep_start
from farkel.solve.program import NEGLIGIBLE, Arrays, Numbers, Program, Values

MANY = 1 << 40
MOST_SPACE = 1 << 30
"""Bytes that a thread may work in."""
SETTLED = 1e-15
"""Values that change by less are settled."""


class Solved(NamedTuple):
    """The values of all positions, as far as they are known. Seats are the one to move and the other one."""

    own: Values
    """[stage, mode, other's mode, score, other's score]: the chance of the seat to move, about to start afresh."""
    other: Values
    """The other seat's, where values are pairs; else empty."""
    take: Values
    """[at, own and other's]: the same of a seat that takes over, where at = slot[stage, mode, other's mode] +
    place[sum of the scores, turn total] + score * (dice that may be on offer) + dice on offer - 1. So what is read and
    written together, for one level and its turn totals, lies together."""
    slot: Numbers
    """-1: not kept."""
    place: Numbers
    length: Numbers
    """[score]: the largest turn total on offer that is told apart."""


class Work(NamedTuple):
    """Space to work in, one for each thread: rows of eight lanes."""

    bank: Values
    bank_u: Values
    farkle: Values
    farkle_u: Values
    landing: Values
    landing_u: Values
    rolling: Values
    rolling_u: Values
    node: Values
    node_u: Values


def work(p: Arrays, rows: int, pairs: bool) -> Work:
    """Space for turn totals up to ``rows``. Raises `SolveError` ``too_large`` if that is more than `MOST_SPACE`."""
    sizes = (
        (rows + p.most + 2) * p.offers,
        (rows + 2 if p.leaves else 1) * p.farkles,
        (rows + 2 * p.most + 3) * p.landings * p.fines.size,
        (rows + 2) * p.rollings,
        p.node_first.size,
    )
    needed = sum(sizes) * (2 if pairs else 1) * LANES * 8
    if needed > MOST_SPACE:
        raise SolveError(
            "too_large",
            f"one turn under these rules needs {needed / 2**30:,.1f} GiB of memory to solve, as its total has so many "
            "steps: use points that are multiples of a larger number",
        )
    spaces = []
    for size in sizes:
        spaces += [np.zeros((size, LANES)), np.zeros((size if pairs else 1, LANES))]
    return Work(*spaces)


@inlined
def needs(b: Any, mode: Any, score: Any) -> Any:
    """The turn total that the seat needs to bank."""
    return b.start_needs if score == b.zero and b.start_needs > 0 else b.need[mode]


@inlined
def compared(mine: Any, others: Any) -> Any:
    """Chance in a game that is over: the higher score wins, equal ones share."""
    if mine > others:
        return 1.0
    return 0.5 if mine == others else 0.0


@inlined
def surpasses(chase: Any, tie: Any, score: Any, need: Any, short: Any, rolling: Any) -> Any:
    """`Board.chase` of a seat with that score (from zero), which needs so many more points to bank and to surpass."""
    most = chase.shape[2] - 1
    if most == 0:
        short = max(need, short)
    need, short = min(max(0, need), most), max(0, short + most)
    if short >= chase.shape[3]:
        return 0.0
    return chase[tie, min(max(0, score), chase.shape[1] - 1), need, short, rolling]


@inlined
def fined(b: Any, score: Any, points: Any) -> Any:
    """A score index after a fine; it stops at zero where the rules say so, and at the lowest that is told apart."""
    if b.relative:
        return max(0, score - points)
    return min(score, max(b.zero, score - points)) if b.stops_at_zero else max(0, score - points)


@compiled
def bank_rows(
    b: Any,
    v: Any,
    w: Any,
    stage: Any,
    mode: Any,
    against: Any,
    score: Any,
    others: Any,
    lane: Any,
    first: Any,
    rows: Any,
    enough: Any,
) -> Any:
    """Write what banking is worth, `NEVER` where it is not allowed, for turn totals first, ..., rows-1.

    Stops before that at a total whose bank is worth ``enough`` whatever is left to the other seat; returns where.
    One function for all totals, because calls with whole boards as arguments are slow.
    """
    bank, bank_u = w.bank, w.bank_u
    n, pairs, finish, price = b.scores, b.pairs, b.finish, b.price
    offers = b.take.shape[0]
    need = needs(b, mode, score)
    exact = finish in (EXACT, WELFARE)
    ends = b.ends[stage]
    wins = finish == AT_ONCE or (finish == EQUAL_TURNS and b.second[stage])
    then, after = b.next_stage[stage], b.after_bank[mode]
    own = v.own[then, against, after, others]
    other = v.other[then, against, after, others] if pairs else own
    over = b.after_over[mode]
    owns_over = v.own[then, against, over]
    others_over = v.other[then, against, over] if pairs else owns_over
    take, places = v.take, v.place
    slot, length = v.slot[then, against, after], v.length[others]
    against_it = b.zero if b.relative else others
    # The other seat's last turn.
    chase, rolling = b.chase, b.take
    its_need = needs(b, against, others)
    affords = price != STAKE or others - b.zero >= b.stake
    if offers == 1 and enough > 1.0 and not (pairs or ends or b.relative):
        # Most of the work, without the questions that the loop below asks at each total.
        short = min(n - score, rows)
        for total in range(first, min(need, short)):
            bank[total, lane] = NEVER
        for total in range(max(first, need), short):
            bank[total, lane] = 1.0 - own[score + total]
        first = max(first, short)
    for total in range(first, rows):
        banked = score + total
        lowest = 1.0
        for dice in range(offers):
            x, y = 0.0, 0.0  # what the other seat gets, and what is left to this one
            if total < need and not (exact and banked == n):
                bank[total * offers + dice, lane] = NEVER
                continue
            if banked >= n and not b.relative:
                if wins or (exact and banked == n):
                    y = 1.0
                elif exact:
                    gift = banked - n
                    scored = others + gift if finish == WELFARE and others + gift <= n else others
                    if scored == n:
                        x = 1.0
                    elif ends:
                        y = compared(score, scored)
                        x = 1.0 - y
                    else:
                        x = owns_over[scored, score]
                        y = others_over[scored, score] if pairs else 1.0 - x
                else:
                    short = banked - others
                    tie = 1 if finish == EQUAL_TURNS and (short >= its_need or chase.shape[2] > 1) else 0
                    x = surpasses(chase, tie, others - b.zero, its_need, short + 1, 0)
                    if dice > 0 and affords:
                        for taken in range(1, dice + 1):
                            r = rolling[taken, dice]
                            if r >= 0 and (price != LIVES or b.paid[against, taken] >= 0):
                                left = surpasses(chase, tie, others - b.zero, its_need - total, short + 1 - total, r)
                                x = max(x, left)
                    y = 1.0 - x
            elif ends:
                y = compared(banked, against_it)
                x = 1.0 - y
            else:
                banked = min(banked, n - 1)
                x = own[banked]
                y = other[banked] if pairs else 1.0 - x
                if dice > 0 and slot >= 0:
                    at = slot + places[others + banked, min(total, length)] + others * (offers - 1) + dice - 1
                    if take[at, 0] > x:
                        x = take[at, 0]
                        y = take[at, 1] if pairs else 1.0 - x
            lowest = min(lowest, y)
            bank[total * offers + dice, lane] = y - TIE * x if pairs else y
            if pairs:
                bank_u[total * offers + dice, lane] = x
        if lowest >= enough and total >= need:
            return total
    return rows


@compiled
def farkle_value(
    b: Any, v: Any, stage: Any, mode: Any, against: Any, score: Any, others: Any, kind: Any, staked: Any
) -> Any:
    """(own, other's) value of a farkle of that kind that leaves nothing, with so many points staked and lost."""
    all_dice = b.farkle_all[kind]
    score = fined(b, score - staked, b.farkle_fine[kind] + b.penalty[mode, all_dice])
    after = b.after_farkle[mode, all_dice]
    if after < 0:
        rounds = b.rounds[stage] - (1 if b.second[stage] and b.rounds[stage] > 0 else 0)
        if b.standing_wins or (rounds == 0 and b.rounds[stage] > 0):
            return 0.0, 1.0
        chance = b.alone[rounds, b.standing[others], against, others]
        return -TIE * chance, chance
    if b.ends[stage]:
        chance = compared(score, b.zero if b.relative else others)
        return chance, 1.0 - chance
    own = v.own[b.next_stage[stage], against, after, others, score]
    if not b.pairs:
        return 1.0 - own, own
    return v.other[b.next_stage[stage], against, after, others, score] - TIE * own, own


@compiled
def farkle_rows(
    b: Any,
    p: Any,
    v: Any,
    w: Any,
    stage: Any,
    mode: Any,
    against: Any,
    score: Any,
    others: Any,
    lane: Any,
    rows: Any,
) -> None:
    """Write what farkles are worth: `farkle_value`, or what the other seat leaves of it by taking over (D15)."""
    for kind in range(p.farkles):
        own, other = farkle_value(b, v, stage, mode, against, score, others, kind, 0)
        w.farkle[kind, lane] = own
        if b.pairs:
            w.farkle_u[kind, lane] = other
        if not p.leaves:
            continue
        all_dice = b.farkle_all[kind]
        after, then = b.after_farkle[mode, all_dice], b.next_stage[stage]
        slot = v.slot[then, against, after] if after >= 0 and not b.ends[stage] else -1
        left = fined(b, score, b.farkle_fine[kind] + b.penalty[mode, all_dice])
        for total in range(1, rows + 1):
            x, y = other, own
            if slot >= 0:
                at = slot + v.place[others + left, min(total, v.length[others])]
                at += others * (p.offers - 1) + b.farkle_dice[kind] - 1
                if v.take[at, 0] > x:
                    x = v.take[at, 0]
                    y = v.take[at, 1] - TIE * x if b.pairs else 1.0 - x
            w.farkle[total * p.farkles + kind, lane] = y
            if b.pairs:
                w.farkle_u[total * p.farkles + kind, lane] = x


@compiled
def saturate(pairs: Any, p: Any, rows: Any, w: Any, fines: Any) -> None:
    """Fill the landings from ``rows`` on, where every turn total is worth the same as the next one."""
    landing, landing_u = landings_of(p, w, fines)
    landings, offers = p.landings, p.offers
    for row in range(rows, rows + p.most + 1):
        for k in range(p.kind.size):
            for lane in range(LANES):
                landing[row * landings + k, lane] = max(0.0, w.bank[rows * offers + p.offer[k], lane])
                if pairs:
                    landing_u[row * landings + k, lane] = w.bank_u[rows * offers + p.offer[k], lane]
    change = np.empty(LANES)
    for _ in range(500):
        run(pairs, p, rows, rows + 1, w, fines)
        change[:] = 0.0
        for k in range(p.kind.size):
            at = rows * landings + k
            for lane in range(LANES):
                if landing[at, lane] > FORBIDDEN:
                    change[lane] = max(change[lane], abs(landing[at, lane] - landing[at + landings, lane]))
        if change.max() < SETTLED:
            break
        # A lane that has settled is left as it is: what comes out does not hang on the other lanes.
        for row in range(rows + 1, rows + p.most + 1):
            for k in range(p.kind.size):
                at, last = row * landings + k, rows * landings + k
                for lane in range(LANES):
                    moves = change[lane] >= SETTLED
                    landing[at, lane] = landing[last if moves else at, lane]
                    if pairs:
                        landing_u[at, lane] = landing_u[last if moves else at, lane]


@inlined
def landings_of(p: Any, w: Any, fines: Any) -> Any:
    """The landings of a turn that has cost the score so much: an index of ``p.fines``."""
    size, size_u = w.landing.shape[0] // p.fines.size, w.landing_u.shape[0] // p.fines.size
    return w.landing[fines * size : (fines + 1) * size], w.landing_u[fines * size_u : (fines + 1) * size_u]


@compiled
def pay(pairs: Any, p: Any, rows: Any, w: Any, fines: Any) -> None:
    """Fill the landings that are reached with a fine, up to ``rows`` and beyond: they are landings of more fines."""
    landing, landing_u = landings_of(p, w, fines)
    own = p.kind.size
    for k in range(own, p.landings):
        to = p.fined[fines, k - own]
        paid, paid_u = landings_of(p, w, max(0, to))
        for row in range(rows + p.most + 1):
            at, there = row * p.landings + k, row * p.landings + p.unfined[k - own]
            for lane in range(LANES):
                landing[at, lane] = paid[there, lane] if to >= 0 else 0.0
                if pairs:
                    landing_u[at, lane] = paid_u[there, lane] if to >= 0 else 0.0


@compiled
def run(pairs: Any, p: Any, first: Any, rows: Any, w: Any, fines: Any) -> None:
    """Sweep the turn totals."""
    landing, landing_u = landings_of(p, w, fines)
    if pairs:
        sweep_pairs(
            p,
            first,
            rows,
            w.bank,
            w.bank_u,
            w.farkle,
            w.farkle_u,
            p.leaves,
            landing,
            landing_u,
            w.rolling,
            w.rolling_u,
            w.node,
            w.node_u,
        )
    else:
        sweep(p, first, rows, w.bank, w.farkle, p.leaves, landing, w.rolling, w.node)


def owing(program: Program) -> tuple[Arrays, Numbers]:
    """The program for values that fines lower by what they cost, as points are: without a turn for each sum of fines.

    With it what each landing costs that is not reached for nothing: see `run_owing`.
    """
    p = program.arrays
    fines = np.array([landing.fine for landing in program.landings[p.kind.size :]], np.int64)
    return p._replace(fines=p.fines[:1], fined=np.full((1, fines.size), -1)), fines


@compiled
def run_owing(p: Any, rows: Any, w: Any, owed: Any, fines: Any) -> None:
    """Sweep the turn totals where a landing with a fine is one without, less what it costs.

    Landings with fines from ``rows`` on must be there.
    """
    own = p.kind.size
    landing, _ = landings_of(p, w, fines)
    if owed.size == 0:
        run(False, p, 0, rows, w, fines)
        return
    for row in range(rows - 1, -1, -1):
        run(False, p, row, row + 1, w, fines)
        for k in range(owed.size):
            for lane in range(LANES):
                landing[row * p.landings + own + k, lane] = landing[row * p.landings + p.unfined[k], lane] - owed[k]


@compiled
def last_row(
    b: Any,
    p: Any,
    v: Any,
    w: Any,
    stage: Any,
    mode: Any,
    against: Any,
    score: Any,
    others: Any,
    lane: Any,
    least: Any,
) -> Any:
    """The turn total from which on every one is worth the same, or banking is best, or it does not matter.

    Banking is best where a roll could at most make a win certain but for ``least``, the smallest chance of a farkle,
    and a bank is worth that. Banks up to there are written then.
    """
    n, need = b.scores, needs(b, mode, score)
    short = n - score
    same = b.finish == AT_ONCE or (b.finish == EQUAL_TURNS and b.second[stage]) or (b.relative and b.far)
    if p.leaves:  # what is too much for this seat may not be for the other one
        need = max(need, v.length[others])
    if same:
        return max(short, need)
    if b.finish in (EXACT, WELFARE):
        return max(short + 1 + (n - others if b.finish == WELFARE else 0), need)
    if b.far:
        begun = others if b.price > 0 else 0
        last = max(short, need, begun, b.longest)
        while True:
            reached = surpasses(b.chase, 0, MANY, 0, last - begun, 0)
            if reached * surpasses(b.chase, 0, MANY, 0, score + last - others, 0) < NEGLIGIBLE:
                return last
            last += 1
    highest = 0.0
    for kind in range(p.farkles):
        highest = max(highest, farkle_value(b, v, stage, mode, against, score, others, kind, 0)[0])
    first = need if b.relative else max(short, need)
    room = w.bank.shape[0] // p.offers - p.most - 2
    last = max(short, need) if b.relative else room
    bank_rows(b, v, w, stage, mode, against, score, others, lane, 0, first, 2.0)
    enough = 1.0 - least * (1.0 - highest)
    return bank_rows(b, v, w, stage, mode, against, score, others, lane, first, last, enough)


@compiled
def solve_lanes(
    b: Any,
    p: Any,
    v: Any,
    w: Any,
    stage: Any,
    mode: Any,
    against: Any,
    scores: Any,
    least: Any,
    rows: Any,
    whole: Any,
) -> Any:
    """Solve the turns of eight positions, given as [lane, (score, other's score)].

    Returns how many turn totals were told apart, ``rows`` at least: see `last_row`. If not ``whole``, only the start of
    the turn, rolling[0], is sure to be filled.
    """
    n, levels = b.scores, p.fines.size
    same = b.finish == AT_ONCE or (b.finish == EQUAL_TURNS and b.second[stage])
    saturates = same or b.finish in (EXACT, WELFARE) or b.far
    for fines in range(levels - 1, -1, -1):
        for lane in range(LANES):
            score = fined(b, scores[lane, 0], p.fines[fines])
            rows = max(rows, last_row(b, p, v, w, stage, mode, against, score, scores[lane, 1], lane, least))
    for fines in range(levels - 1, -1, -1):
        for lane in range(LANES):
            score, others = fined(b, scores[lane, 0], p.fines[fines]), scores[lane, 1]
            farkle_rows(b, p, v, w, stage, mode, against, score, others, lane, rows)
            # Without fines `last_row` has written the banks up to the target.
            first = 0 if saturates or levels > 1 or b.relative else max(n - score, 0)
            last = rows + 1 if saturates else rows + p.most + 1
            bank_rows(b, v, w, stage, mode, against, score, others, lane, first, last, 2.0)
        if levels > 1:
            pay(b.pairs, p, rows, w, fines)
        if saturates:
            saturate(b.pairs, p, rows, w, fines)
        else:
            landing, landing_u = landings_of(p, w, fines)
            for total in range(rows, rows + p.most + 1):
                for k in range(p.kind.size):
                    for lane in range(LANES):
                        landing[total * p.landings + k, lane] = w.bank[total * p.offers + p.offer[k], lane]
                        if b.pairs:
                            landing_u[total * p.landings + k, lane] = w.bank_u[total * p.offers + p.offer[k], lane]
        brief = p.brief.refs.size > 0 and not (whole or b.far or b.pairs or b.finish in (EXACT, WELFARE))
        if brief and rises(w.bank, rows if saturates else rows + p.most):
            sweep_start(p, rows, w.bank, w.farkle, w.landing, w.rolling)
        else:
            run(b.pairs, p, 0, rows, w, fines)
    return rows


@compiled
def rises(bank: Any, rows: Any) -> Any:
    """Whether no bank is worth less than a lower one, in all lanes."""
    falls = False
    for total in range(rows):
        for lane in range(LANES):
            falls |= bank[total, lane] > bank[total + 1, lane]
    return not falls


@compiled
def first_roll_losses(
    b: Any,
    p: Any,
    v: Any,
    w: Any,
    stage: Any,
    mode: Any,
    against: Any,
    score: Any,
    others: Any,
    points: Any,
    lane: Any,
) -> Any:
    """[rolling, own and other's]: how much worse the farkles of a take-over's first roll are than those of a roll.

    A stake is lost with them (L7), and they leave nothing (D15). What farkles are worth otherwise is in ``w.farkle``.
    """
    worse = np.zeros((p.rollings, 2))
    staked = b.stake if b.price == STAKE else 0
    if staked == 0 and not p.leaves:
        return worse
    for kind in range(p.farkles):
        own, other = farkle_value(b, v, stage, mode, against, score, others, kind, staked)
        at = (points if p.leaves else 0) * p.farkles + kind
        for r in range(uint64(p.rollings)):
            for f in range(p.farkle_first[r], p.farkle_first[r + uint64(1)]):
                if p.farkle_kind[f] == kind:
                    worse[r, 0] += p.farkle_weight[f] * (own - w.farkle[at, lane])
                    if b.pairs:
                        worse[r, 1] += p.farkle_weight[f] * (other - w.farkle_u[at, lane])
    return worse


@compiled
def publish(
    b: Any, p: Any, v: Any, w: Any, stage: Any, mode: Any, against: Any, score: Any, others: Any, rows: Any, lane: Any
) -> None:
    """Write down what taking over is worth to the seat to move, for those that may hand it an offer.

    The first roll of a take-over is as any roll but for `first_roll_losses`, once its price is paid. Where lives are
    the price, the seat to move is one that has paid, and what is written is for the modes that it may have paid from.
    """
    rolling, rolling_u, width = w.rolling, w.rolling_u, b.take.shape[0]
    take, place, pairs, rolls = v.take, v.place, b.pairs, b.take
    lives = b.price == LIVES
    if b.price == STAKE and score - b.zero < b.stake:
        return
    most = v.length[score] if b.longest > 0 or b.relative else min(others, v.length[score])
    kept = 0 if b.relative else score
    level = b.scores - 1 - score if b.relative else score + others
    worse = first_roll_losses(b, p, v, w, stage, mode, against, score, others, 0, lane)
    for points in range(1, most + 1):
        row = min(points, rows)
        at = row * p.rollings
        if p.leaves:
            worse = first_roll_losses(b, p, v, w, stage, mode, against, score, others, row, lane)
        for payer in range(b.need.size) if lives else range(mode, mode + 1):
            slot = v.slot[stage, payer, against]
            if slot < 0:
                continue
            to = slot + place[level, points] + kept * (width - 1) - 1
            for taken in range(1, width):
                if lives and b.paid[payer, taken] != mode:
                    continue
                for dice in range(taken, width):
                    r = rolls[taken, dice]
                    if r < 0:
                        continue
                    own = rolling[at + r, lane] + worse[r, 0]
                    # Without lives the best choice of dice is new in every sweep: the first choice overwrites.
                    first = not lives and (taken == 1 or rolls[taken - 1, dice] < 0)
                    if first or own > take[to + dice, 0]:
                        take[to + dice, 0] = own
                        if pairs:
                            take[to + dice, 1] = rolling_u[at + r, lane] + worse[r, 1]


@compiled
def solve_level(
    b: Any,
    p: Any,
    v: Any,
    w: Any,
    positions: Any,
    level: Any,
    part: Any,
    parts: Any,
    publishes: Any,
    least: Any,
    own: Any,
    other: Any,
) -> None:
    """Solve all positions whose score indices add up to ``level``, for (stage, mode, other's mode) in ``positions``.

    own[position, score] and other[...] are filled; every ``parts``-th block of eight is this call's.
    """
    n = b.scores
    low, high = (0, n - 1) if b.relative else (max(0, level - n + 1), min(n - 1, level))
    scores = np.empty((LANES, 2), np.int64)
    block = 0
    for at in range(positions.shape[0]):
        stage, mode, against = positions[at, 0], positions[at, 1], positions[at, 2]
        for score in range(low, high + 1, LANES):
            block += 1
            if block % parts != part:
                continue
            for lane in range(LANES):
                mine = min(score + lane, high)
                scores[lane, 0], scores[lane, 1] = mine, 0 if b.relative else level - mine
            rows = solve_lanes(b, p, v, w, stage, mode, against, scores, least, 1, publishes)
            for lane in range(min(LANES, high - score + 1)):
                own[at, score + lane] = w.rolling[0, lane]
                if b.pairs:
                    other[at, score + lane] = w.rolling_u[0, lane]
                if publishes:
                    publish(b, p, v, w, stage, mode, against, scores[lane, 0], scores[lane, 1], rows, lane)


@compiled
def taken(v: Any, dice: Any, stage: Any, mode: Any, against: Any, each: Any) -> Any:
    """Which offers of a slot the seat to move takes over rather than to start afresh: a truth value for each place."""
    own, take, place = v.own[stage, mode, against], v.take, v.place
    first, n = v.slot[stage, mode, against], v.own.shape[3]
    found = np.zeros(each, np.bool_)
    for level in range(2 * n - 1):
        for score in range(max(0, level - n + 1), min(n - 1, level) + 1):
            for points in range(1, min(level - score, v.length[score]) + 1):
                at = place[level, points] + score * dice
                for left in range(dice):
                    found[at + left] = take[first + at + left, 0] > own[score, level - score]
    return found
