"""What surrounds a turn: what banking, farkling and being taken over are worth, read from what is solved already."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import uint64

from farkel.solve.board import AT_ONCE, EQUAL_TURNS, EXACT, LIVES, STAKE, WELFARE
from farkel.solve.kernel import FORBIDDEN, LANES, NEVER, TIE, compiled, inlined, sweep, sweep_pairs
from farkel.solve.program import Arrays, Numbers, Values

MANY = 1 << 40
NEGLIGIBLE = 1e-11
"""A chance that does not matter: of a turn total being reached, times what its exact number could still change."""


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
    """Space for turn totals up to ``rows``."""
    sizes = (
        (rows + p.most + 2) * p.offers,
        p.farkles,
        (rows + 2 * p.most + 3) * p.landings,
        (rows + 2) * p.rollings,
        p.node_first.size,
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
    # The other seat's last turn.
    chase, rolling = b.chase, b.take
    most = chase.shape[1] - 1
    its_need = needs(b, against, others)
    affords = price != STAKE or others - b.zero >= b.stake
    for total in range(first, rows):
        banked = score + total
        lowest = 1.0
        for dice in range(offers):
            x, y = 0.0, 0.0  # what the other seat gets, and what is left to this one
            if total < need and not (exact and banked == n):
                bank[total * offers + dice, lane] = NEVER
                continue
            if banked >= n:
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
                    tie = 1 if finish == EQUAL_TURNS and short >= its_need else 0
                    goal = max(short + 1, its_need)
                    x = chase[tie, goal, 0] if goal <= most else 0.0
                    left = max(0, goal - total)
                    if dice > 0 and affords and left <= most:
                        for taken in range(1, dice + 1):
                            r = rolling[taken, dice]
                            if r >= 0 and (price != LIVES or b.paid[against, taken] >= 0):
                                x = max(x, chase[tie, left, r])
                    y = 1.0 - x
            elif ends:
                y = compared(banked, others)
                x = 1.0 - y
            else:
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
    """(own, other's) value of a farkle of that kind, with so many points staked and lost."""
    all_dice = b.farkle_all[kind]
    points = b.farkle_fine[kind] + b.penalty[mode, all_dice]
    score -= staked
    score = min(score, max(b.zero, score - points)) if b.stops_at_zero else max(0, score - points)
    after = b.after_farkle[mode, all_dice]
    if after < 0:
        rounds = b.rounds[stage] - (1 if b.second[stage] and b.rounds[stage] > 0 else 0)
        if b.standing_wins or (rounds == 0 and b.rounds[stage] > 0):
            return 0.0, 1.0
        chance = b.alone[rounds, b.standing[others], against, others]
        return -TIE * chance, chance
    if b.ends[stage]:
        chance = compared(score, others)
        return chance, 1.0 - chance
    own = v.own[b.next_stage[stage], against, after, others, score]
    if not b.pairs:
        return 1.0 - own, own
    return v.other[b.next_stage[stage], against, after, others, score] - TIE * own, own


@compiled
def saturate(pairs: Any, p: Any, rows: Any, w: Any) -> None:
    """Fill the landings from ``rows`` on, where every turn total is worth the same as the next one."""
    landings, offers = p.landings, p.offers
    for row in range(rows, rows + p.most + 1):
        for k in range(p.kind.size):
            for lane in range(LANES):
                w.landing[row * landings + k, lane] = max(0.0, w.bank[rows * offers + p.offer[k], lane])
                if pairs:
                    w.landing_u[row * landings + k, lane] = w.bank_u[rows * offers + p.offer[k], lane]
    for _ in range(500):
        run(pairs, p, rows, rows + 1, w)
        change = 0.0
        for k in range(p.kind.size):
            at = rows * landings + k
            for lane in range(LANES):
                if w.landing[at, lane] > FORBIDDEN:
                    change = max(change, abs(w.landing[at, lane] - w.landing[at + landings, lane]))
        for row in range(rows + 1, rows + p.most + 1):
            for k in range(p.kind.size):
                for lane in range(LANES):
                    w.landing[row * landings + k, lane] = w.landing[rows * landings + k, lane]
                    if pairs:
                        w.landing_u[row * landings + k, lane] = w.landing_u[rows * landings + k, lane]
        if change < 1e-15:
            break


@compiled
def run(pairs: Any, p: Any, first: Any, rows: Any, w: Any) -> None:
    """Sweep the turn totals."""
    if pairs:
        sweep_pairs(
            p,
            first,
            rows,
            w.bank,
            w.bank_u,
            w.farkle,
            w.farkle_u,
            False,
            w.landing,
            w.landing_u,
            w.rolling,
            w.rolling_u,
            w.node,
            w.node_u,
        )
    else:
        sweep(p, first, rows, w.bank, w.farkle, False, w.landing, w.rolling, w.node)


@compiled
def solve_lanes(
    b: Any, p: Any, v: Any, w: Any, stage: Any, mode: Any, against: Any, scores: Any, least: Any, rows: Any
) -> Any:
    """Solve the turns of eight positions, given as [lane, (score, other's score)].

    Returns how many turn totals were told apart, ``rows`` at least. From there on every total is worth the same, or
    banking is best, or it does not matter (`NEGLIGIBLE`). Banking is best where a roll could at most make a win certain
    but for ``least``, the smallest chance of a farkle, and a bank is worth that.
    """
    n = b.scores
    same = b.finish == AT_ONCE or (b.finish == EQUAL_TURNS and b.second[stage])
    exact = b.finish in (EXACT, WELFARE)
    for lane in range(LANES):
        score, others = scores[lane, 0], scores[lane, 1]
        short, need = n - score, needs(b, mode, score)
        highest = 0.0
        for kind in range(p.farkles):
            own, other = farkle_value(b, v, stage, mode, against, score, others, kind, 0)
            highest = max(highest, own)
            w.farkle[kind, lane] = own
            if b.pairs:
                w.farkle_u[kind, lane] = other
        if same:
            last = max(short, need)
        elif exact:
            last = max(short + 1 + (n - others if b.finish == WELFARE else 0), need)
        elif b.far:
            last = max(short, need, others if b.price > 0 else 0)
            begun = others if b.price > 0 else 0
            most = b.chase.shape[1] - 1
            while last - begun < most and score + last - others < most:
                if b.chase[0, last - begun, 0] * b.chase[0, max(0, score + last - others), 0] < NEGLIGIBLE:
                    break
                last += 1
        else:
            least_rows = max(short, need)
            bank_rows(b, v, w, stage, mode, against, score, others, lane, 0, least_rows, 2.0)
            enough = 1.0 - least * (1.0 - highest)
            last = bank_rows(b, v, w, stage, mode, against, score, others, lane, least_rows, MANY, enough)
        rows = max(rows, last)
    if same or exact or b.far:
        for lane in range(LANES):
            bank_rows(b, v, w, stage, mode, against, scores[lane, 0], scores[lane, 1], lane, 0, rows + 1, 2.0)
        saturate(b.pairs, p, rows, w)
    else:
        for lane in range(LANES):
            score = scores[lane, 0]
            first = max(n - score, 0)
            bank_rows(b, v, w, stage, mode, against, score, scores[lane, 1], lane, first, rows + p.most + 1, 2.0)
        for total in range(rows, rows + p.most + 1):
            for k in range(p.kind.size):
                for lane in range(LANES):
                    w.landing[total * p.landings + k, lane] = w.bank[total * p.offers + p.offer[k], lane]
                    if b.pairs:
                        w.landing_u[total * p.landings + k, lane] = w.bank_u[total * p.offers + p.offer[k], lane]
    run(b.pairs, p, 0, rows, w)
    return rows


@compiled
def stake_losses(b: Any, p: Any, v: Any, stage: Any, mode: Any, against: Any, score: Any, others: Any) -> Any:
    """By rolling: how much worse its farkles are with a stake on them."""
    worse = np.zeros(p.rollings)
    if b.price == STAKE and score - b.zero >= b.stake:
        for r in range(uint64(p.rollings)):
            for f in range(p.farkle_first[r], p.farkle_first[r + uint64(1)]):
                kind = p.farkle_kind[f]
                lost = farkle_value(b, v, stage, mode, against, score, others, kind, b.stake)[0]
                kept = farkle_value(b, v, stage, mode, against, score, others, kind, 0)[0]
                worse[r] += p.farkle_weight[f] * (lost - kept)
    return worse


@compiled
def publish(
    b: Any, p: Any, v: Any, w: Any, stage: Any, mode: Any, against: Any, score: Any, others: Any, rows: Any, lane: Any
) -> None:
    """Write down what taking over is worth to the seat to move, for those that may hand it an offer.

    The first roll of a take-over is as any roll, but for a stake, once its price is paid. Where lives are the price,
    the seat to move is one that has paid, and what is written is for the modes that it may have paid from.
    """
    rolling, rolling_u, width = w.rolling, w.rolling_u, b.take.shape[0]
    take, place, pairs, rolls = v.take, v.place, b.pairs, b.take
    lives = b.price == LIVES
    if b.price == STAKE and score - b.zero < b.stake:
        return
    worse = stake_losses(b, p, v, stage, mode, against, score, others)
    for payer in range(b.need.size) if lives else range(mode, mode + 1):
        slot = v.slot[stage, payer, against]
        if slot < 0:
            continue
        for taken in range(1, width):
            if lives and b.paid[payer, taken] != mode:
                continue
            for points in range(1, min(others, v.length[score]) + 1):
                at = min(points, rows) * p.rollings
                row = slot + place[score + others, points] + score * (width - 1) - 1
                for dice in range(taken, width):
                    r = rolls[taken, dice]
                    if r < 0:
                        continue
                    own = rolling[at + r, lane] + worse[r]
                    # Without lives the best choice of dice is new in every sweep: the first choice overwrites.
                    first = not lives and (taken == 1 or rolls[taken - 1, dice] < 0)
                    if first or own > take[row + dice, 0]:
                        take[row + dice, 0] = own
                        if pairs:
                            take[row + dice, 1] = rolling_u[at + r, lane]


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
    low, high = max(0, level - n + 1), min(n - 1, level)
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
                scores[lane, 0], scores[lane, 1] = mine, level - mine
            rows = solve_lanes(b, p, v, w, stage, mode, against, scores, least, 1)
            for lane in range(min(LANES, high - score + 1)):
                own[at, score + lane] = w.rolling[0, lane]
                if b.pairs:
                    other[at, score + lane] = w.rolling_u[0, lane]
                if publishes:
                    publish(b, p, v, w, stage, mode, against, score + lane, level - score - lane, rows, lane)


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
