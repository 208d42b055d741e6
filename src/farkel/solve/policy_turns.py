"""Turns that follow a fixed policy, in machine code: how they end, and what games of two such policies come to."""

from __future__ import annotations

from typing import NamedTuple

from farkel.kernels.arrays import Numbers, Truths, Values
from farkel.solve.turn_sweep import LANES, compiled, making, part

CHASED = 1
"""As `farkel.solve.compiled_game.Beyond`."""
FAINT = 1e-18
"""A chance that is not followed."""
EVEN = 1e-9
"""Chances closer than this are the same, and then banking is preferred."""
BANK, ROLL, KEEP = range(3)
"""Kinds of decisions that give something away."""


class Moves(NamedTuple):
    """What rolls leave to choose from. Rolls with equal choices are one class."""

    class_first: Numbers
    """Of each rolling."""
    weight: Values
    """Chance of each class."""
    first: Numbers
    """Of each class: its first option. Those with more points come first, of equal ones those that keep fewer dice."""
    points: Numbers
    """Of each option."""
    landing: Numbers
    then: Numbers
    """Of each landing: the rolling after it."""
    farkle: Values
    """The chance of a farkle, by rolling."""


class Ends(NamedTuple):
    """How the turns of a policy end, by the cases it distinguishes."""

    case: Numbers
    """[stage, score, other's score]"""
    at: Numbers
    """Of each case: where its chances begin in ``banks``."""
    size: Numbers
    """Of each case: how many turn totals are distinguished."""
    banks: Values
    """The chance to bank each turn total."""
    farkle: Values
    """Of each case."""
    chase: Values
    """[score, lead]: the chance to win in a last turn against a seat that leads by so much."""


class Style(NamedTuple):
    """How a turn is played, whatever the scores but for when it is over."""

    bank: Numbers
    """[turn total, class]: the option that is banked, counted from the first; -1 for none."""
    roll: Numbers
    """[turn total, class]: the option that is kept to roll on."""


@compiled
def choose(moves: Moves, banks: Truths, style: Style) -> None:
    """Fill a style that keeps the options to roll on, and banks them where banks[turn total, landing] says so."""
    rows = style.roll.shape[0]
    for total in range(rows):
        for c in range(style.roll.shape[1]):
            keep = style.roll[total, c]
            option = moves.first[c] + keep
            after = min(total + moves.points[option], rows - 1)
            style.bank[total, c] = keep if banks[after, moves.landing[option]] else -1


@compiled
def choose_best(moves: Moves, rolling: Values, bank: Values, style: Style) -> None:
    """Fill a style that takes the highest value: ``rolling[turn total, rolling]``, or ``bank[turn total]``."""
    rows = style.roll.shape[0]
    for total in range(rows):
        for c in range(style.roll.shape[1]):
            best, keep, banks = -2.0, 0, False
            for option in range(moves.first[c], moves.first[c + 1]):
                after = min(total + moves.points[option], rows - 1)
                rolled = rolling[after, moves.then[moves.landing[option]]]
                if max(bank[after], rolled) > best:
                    best, keep, banks = max(bank[after], rolled), option - moves.first[c], bank[after] > rolled
            style.roll[total, c] = keep
            style.bank[total, c] = keep if banks else -1


@compiled
def choose_by_class(moves: Moves, told: Numbers, style: Style) -> None:
    """Fill a style that banks by the turn total alone, with the first option of a class.

    told: [class, (least that is banked, option banked, option kept to roll on)].
    """
    for total in range(style.roll.shape[0]):
        for c in range(style.roll.shape[1]):
            style.bank[total, c] = told[c, 1] if total + moves.points[moves.first[c]] >= told[c, 0] else -1
            style.roll[total, c] = told[c, 2]


@part
def begin(mass: Values) -> None:
    """Begin a turn."""
    for total in range(mass.shape[0]):
        for rolling in range(mass.shape[1]):
            mass[total, rolling] = 0.0
    mass[0, 0] = 1.0


@compiled
def push(moves: Moves, style: Style, floor: int, sure: int, hole: int, over: int, mass: Values, ends: Values) -> float:
    """Follow a turn from its first roll. Fill ends[turn total] with the chance to bank that; return that of a farkle.

    floor: no total below is banked, and none from ``hole`` on. sure: from here on everything
    is banked at once; hot: the same after hot dice. Totals beyond the last row count as that one. mass: room for as
    many rows as ``ends``, by rolling.
    """
    last, bank, roll = ends.size - 1, style.bank, style.roll
    begin(mass)
    for total in range(ends.size):
        ends[total] = 0.0
    farkles = 0.0
    sure, hole, over = min(sure, last), min(hole, last), min(over, last)
    for total in range(last):
        for rolling in range(moves.farkle.size):
            here = mass[total, rolling]
            if here < FAINT:
                continue
            farkles += here * moves.farkle[rolling]
            for c in range(moves.class_first[rolling], moves.class_first[rolling + 1]):
                most = total + moves.points[moves.first[c]]
                if most >= sure:
                    ends[min(most, last)] += here * moves.weight[c]
                    continue
                after = total + moves.points[moves.first[c] + max(0, bank[total, c])]
                if bank[total, c] >= 0 and floor <= after and not hole <= after < over:
                    ends[after] += here * moves.weight[c]
                else:
                    option = moves.first[c] + roll[total, c]
                    after, landing = total + moves.points[option], moves.landing[option]
                    mass[after, moves.then[landing]] += here * moves.weight[c]
    return farkles


@compiled
def push_best(moves: Moves, rolling: Values, bank: Values, mass: Values, ends: Values) -> float:
    """Follow a turn that takes the highest value at each decision; return the chance that it ends in a farkle.

    ends[turn total] is filled with the chance to bank that. The values are ``rolling[turn total, rolling]`` and
    ``bank[turn total]``, as `farkel.solve.solution.Begun` has them; totals beyond the last of ``rolling`` are banked.
    mass: room for as many rows as ``ends``, by rolling.
    """
    rows, last = rolling.shape[0], ends.size - 1
    begin(mass)
    for total in range(ends.size):
        ends[total] = 0.0
    farkles = 0.0
    for total in range(min(rows, last)):
        for r in range(moves.farkle.size):
            here = mass[total, r]
            if here < FAINT:
                continue
            farkles += here * moves.farkle[r]
            for c in range(moves.class_first[r], moves.class_first[r + 1]):
                best, to, landing, banks = -2.0, 0, 0, False
                for option in range(moves.first[c], moves.first[c + 1]):
                    after = total + moves.points[option]
                    then = moves.then[moves.landing[option]]
                    if after >= min(rows, last):
                        value, banked = bank[min(after, bank.size - 1)], True
                    else:
                        banked = bank[after] > rolling[after, then] - EVEN
                        value = max(bank[after], rolling[after, then])
                    if value > best + EVEN:
                        best, to, landing, banks = value, after, then, banked
                if banks:
                    ends[min(to, last)] += here * moves.weight[c]
                else:
                    mass[to, landing] += here * moves.weight[c]
    return farkles


@compiled
def judge(
    moves: Moves,
    rolling: Values,
    bank: Values,
    style: Style,
    floor: int,
    sure: int,
    hole: int,
    over: int,
    mass: Values,
    lost: Values,
) -> float:
    """Follow a turn as `push` does, and fill lost[kind] with the regret of its decisions, by their values.

    rolling, bank: as for `push_best`, but totals beyond the last are as that one. Returns the chance that something is
    given away in the turn.
    """
    rows, last, banks, rolls = rolling.shape[0], mass.shape[0] - 1, style.bank, style.roll
    begin(mass)
    lost[BANK] = lost[ROLL] = lost[KEEP] = 0.0
    sure, hole, over = min(sure, last), min(hole, last), min(over, last)
    for total in range(last):
        for r in range(moves.farkle.size):
            here = mass[total, r]
            if here < FAINT:
                continue
            for c in range(moves.class_first[r], moves.class_first[r + 1]):
                most = total + moves.points[moves.first[c]]
                chosen = moves.first[c] + max(0, banks[total, c])
                after = total + moves.points[chosen]
                surely = most >= sure
                ends = surely or (banks[total, c] >= 0 and floor <= after and not hole <= after < over)
                if surely:
                    chosen = moves.first[c]
                elif not ends:
                    chosen = moves.first[c] + rolls[total, c]
                best, kept, if_banked, if_rolled = -2.0, 0.0, 0.0, 0.0
                for option in range(moves.first[c], moves.first[c + 1]):
                    after = total + moves.points[option]
                    then = moves.then[moves.landing[option]]
                    banked, rolled = bank[min(after, bank.size - 1)], rolling[min(after, rows - 1), then]
                    best = max(best, banked, rolled)
                    if option == chosen:
                        kept, if_banked, if_rolled = max(banked, rolled), banked, rolled
                share = here * moves.weight[c]
                lost[KEEP] += share * (best - kept)
                after, landing = total + moves.points[chosen], moves.landing[chosen]
                if ends:
                    lost[BANK] += share * (kept - if_banked)
                else:
                    lost[ROLL] += share * (kept - if_rolled)
                    mass[min(after, last), moves.then[landing]] += share
    given_away: float = lost[BANK] + lost[ROLL] + lost[KEEP]
    return given_away


@making
def turn(
    ends: Ends, chase: Values, after: Values, beyond: int, stage: int, score: int, other: int
) -> tuple[float, float]:
    """Return the chance to win by a bank, and that of a farkle, where after[score] is what is left to the other."""
    case, n = ends.case[stage, score, other], after.size
    first, size = ends.at[case], ends.size[case]
    found = 0.0
    below = min(size, n - score)
    for total in range(below):
        found += ends.banks[first + total] * (1.0 - after[score + total])
    for total in range(below, size):
        lost = 0.0
        if beyond == CHASED:
            lost = chase[other, min(score + total - other, chase.shape[1] - 1)]
        found += ends.banks[first + total] * (1.0 - lost)
    return found, ends.farkle[case]


@compiled
def weigh(next_stage: Numbers, beyond: Numbers, mine: Ends, theirs: Ends, own: Values, their: Values) -> None:
    """Fill own[stage, score, other's score] and their[...] with the first and second policy's chance, about to move."""
    n = own.shape[1]
    for level in range(2 * n - 2, -1, -1):
        for stage in range(next_stage.size):
            then = next_stage[stage]
            for score in range(max(0, level - n + 1), min(n - 1, level) + 1):
                other = level - score
                a, fa = turn(mine, theirs.chase, their[then, other], beyond[stage], stage, score, other)
                b, fb = turn(theirs, mine.chase, own[stage, score], beyond[then], then, other, score)
                # A farkle answered by a farkle comes back: own = a + fa (1 - their), their = b + fb (1 - own).
                found = (a + fa - fa * (b + fb)) / (1.0 - fa * fb)
                own[stage, score, other] = found
                their[then, other, score] = b + fb * (1.0 - found)


@making
def spread(ends: Ends, often: float, stage: int, score: int, other: int, to: Values) -> None:
    """Add to[score after the turn]: how often the other one begins there."""
    case = ends.case[stage, score, other]
    for total in range(min(ends.size[case], to.size - score)):
        to[score + total] += often * ends.banks[ends.at[case] + total]


@compiled
def visit(next_stage: Numbers, mine: Ends, theirs: Ends, own: Values, their: Values) -> None:
    """Add to own[stage, score, other's score] how often the first policy begins a turn there, their[...] the other one.

    What there is in them to begin with is the chance of the position that the game starts from.
    """
    n = own.shape[1]
    for level in range(2 * n - 1):
        for stage in range(next_stage.size):
            then = next_stage[stage]
            for score in range(max(0, level - n + 1), min(n - 1, level) + 1):
                other = level - score
                a, b = own[stage, score, other], their[then, other, score]
                if a + b == 0.0:
                    continue
                fa = mine.farkle[mine.case[stage, score, other]]
                fb = theirs.farkle[theirs.case[then, other, score]]
                a, b = (a + fb * b) / (1.0 - fa * fb), (b + fa * a) / (1.0 - fa * fb)
                own[stage, score, other], their[then, other, score] = a, b
                spread(mine, a, stage, score, other, their[then, other])
                spread(theirs, b, then, other, score, own[stage, score])


@compiled
def last_turns(ends: Ends, visits: Values, stages: Truths, found: Values) -> None:
    """Add to found[score of the other, lead]: how often a turn of the policy leaves the other one a last turn."""
    n, most = visits.shape[1], found.shape[1] - 1
    for stage in range(stages.size):
        for score in range(n if stages[stage] else 0):
            for other in range(n):
                often = visits[stage, score, other]
                if often < FAINT:
                    continue
                case = ends.case[stage, score, other]
                for total in range(min(n - score, ends.size[case]), ends.size[case]):
                    lead = min(score + total - other, most)
                    found[other, lead] += often * ends.banks[ends.at[case] + total]


@compiled
def reply_banks(
    ends: Ends, after: Values, chase: Values, beyond: int, stage: int, lanes: Numbers, found: Values
) -> None:
    """Fill found[lane, (bank, farkle)] with the policy's chance to win by a bank, and that of a farkle.

    after[score of the other, score]: the values of the best reply, about to move. chase: as `Ends.chase`, of the best
    reply. lanes: [lane, (the reply's score, the policy's)].
    """
    for lane in range(LANES):
        found[lane, 0], found[lane, 1] = turn(
            ends, chase, after[lanes[lane, 0]], beyond, stage, lanes[lane, 1], lanes[lane, 0]
        )
