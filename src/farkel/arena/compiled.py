"""A rule set compiled for simulation: its fields as numbers, and its score table as flat arrays.

Points are counted in steps of ``rules.unit`` throughout; what the rules ask for is rounded up to whole steps.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.arena.draws import throws
from farkel.dice import all_rolls
from farkel.rules import Rules
from farkel.scoring import score_table

Numbers = NDArray[np.int64]
Short = NDArray[np.uint16]
Bits = NDArray[np.uint32]
Flags = NDArray[np.bool_]
Values = NDArray[np.float64]

AT_ONCE, LAST_TURNS, EQUAL_TURNS, EXACT, WELFARE = range(5)
FINISHES = ("at_once", "last_turns", "equal_turns", "exact", "welfare")
FIRST_SEAT, HIGHEST_DIE, FIRST_SIX = range(3)
STARTS = ("first_seat", "highest_die", "first_six")
NO_PRICE, FREE, STAKE, LIVES = range(4)
PRICES = ("none", "free", "stake", "lives")

MOST_HOT = 12
"""Hot dice in a row that are told apart where they multiply points; what comes after is worked out each time."""


class Terms(NamedTuple):
    """What the rules say, but for the dice: points in units, truth as 0 or 1."""

    dice: int
    target: int
    """0: none."""
    finish: int
    rounds: int
    start: int
    entry: int
    """What a seat needs to bank that is not on the board; 0 where there is no entry score."""
    minimum: int
    entry_each: int
    partners: int
    forced: int
    """Hot dice must be rolled."""
    multiplier: int
    triple_ends: int
    price: int
    stake: int
    choose_dice: int
    after_farkle: int
    after_hot_dice: int
    lives: int
    lives_farkle: int
    lives_all: int
    """What a farkle on all the dice costs."""
    standing_wins: int
    round_points: int
    """In points, not in units."""
    target_points: int
    unit: int
    in_row: int
    in_row_points: int
    all_dice_points: int
    below_zero: int
    fines: int
    """Some rolls cost points."""


DICE, IDLE, HOT, WAYS, THROWS_AT, ROLLS_AT, ROLLS, NEXT_HOT, NEXT_LEFT = range(9)
"""Columns of `Sheet.rollings`: dice to roll; dice lying idle; hot dice before; 6**dice; where the throws of its dice
begin in ``sorted``; its first roll; how many rolls it has; the rolling after hot dice; and, in the column NEXT_LEFT +
dice left, the rolling after any other keep, -1 where there is none."""
KEEP_AT, KEEPS, FINE, TRIPLE = range(4)
"""Columns of `Sheet.rolls`: the first keep; how many keeps; units that the roll costs; whether it holds three alike."""
WORTH, LEFT, IS_HOT = range(3)
"""Columns of `Sheet.keeps`: units; dice to roll next, all of them on hot dice; whether these are hot dice."""


class Sheet(NamedTuple):
    """The score table. Rolls of 1 die come first, then those of 2 dice, and so on, each ascending.

    A *rolling* is what is about to be rolled: so many dice, with dice lying idle (O17), after so many hot dice. The
    rolls of a rolling are numbered from 0 within their number of dice.
    """

    sorted: Short
    """The roll that each ordered throw makes, numbered within its dice; throws of 1 die, then of 2, ..."""
    rollings: Numbers
    """[rolling, column]"""
    number: Numbers
    """[dice, idle]: the rolling with no hot dice before; -1 where there is none."""
    best: Numbers
    """[roll]: most units that it offers; 0 on a farkle."""
    rolls: Numbers
    """[roll, column]"""
    keeps: Numbers
    """[keep, column]: those of a roll in the order of the score table."""


class Compiled(NamedTuple):
    """What the kernel reads of a rule set."""

    terms: Terms
    sheet: Sheet


@lru_cache(maxsize=32)
def compile_rules(rules: Rules) -> Compiled:
    """The rules as the kernel reads them."""
    return Compiled(_terms(rules), _sheet(rules))


def up(points: int, unit: int) -> int:
    """The number of units that are at least so many points."""
    return -(-points // unit)


def _terms(rules: Rules) -> Terms:
    unit, take, lives, fines = rules.unit, rules.take_over, rules.lives, rules.penalties
    return Terms(
        dice=rules.dice,
        target=up(rules.target, unit),
        finish=FINISHES.index(rules.finish),
        rounds=rules.rounds,
        start=STARTS.index(rules.start),
        entry=up(max(rules.entry, rules.minimum), unit) if rules.entry else 0,
        minimum=up(rules.minimum, unit),
        entry_each=int(rules.entry_each),
        partners=int(rules.teams == "partners"),
        forced=int(rules.hot_dice == "forced"),
        multiplier=int(rules.hot_dice_multiplier),
        triple_ends=int(rules.triple_ends_turn),
        price=PRICES.index(take.price),
        stake=take.stake // unit,
        choose_dice=int(take.choose_dice),
        after_farkle=int(take.after_farkle),
        after_hot_dice=int(take.after_hot_dice),
        lives=lives.each,
        lives_farkle=lives.farkle,
        lives_all=lives.farkle_all_dice or lives.farkle,
        standing_wins=int(lives.last_standing == "wins"),
        round_points=max(1, lives.round_points),
        target_points=rules.target,
        unit=unit,
        in_row=fines.farkles_in_row,
        in_row_points=fines.farkles_in_row_points // unit,
        all_dice_points=fines.farkle_all_dice // unit,
        below_zero=int(fines.below_zero),
        fines=int(min(rules.scoring.triples) < 0),
    )


def _rollings(rules: Rules) -> list[tuple[int, int, int]]:
    """(dice, idle, hot) of each rolling. Dice lie idle only where they were not taken over, before any hot dice."""
    hot = MOST_HOT if rules.hot_dice_multiplier else 0
    found = [(dice, 0, after) for after in range(hot + 1) for dice in range(1, rules.dice + 1)]
    if rules.take_over.choose_dice:
        found += [(dice, idle, 0) for dice in range(1, rules.dice) for idle in range(1, rules.dice - dice + 1)]
    return found


def _sheet(rules: Rules) -> Sheet:
    table, unit, most = score_table(rules), rules.unit, rules.dice
    rollings = _rollings(rules)
    numbered = {rolling: number for number, rolling in enumerate(rollings)}
    hottest = max(hot for _, _, hot in rollings)
    every = [table[roll] for dice in range(1, most + 1) for roll in all_rolls(dice)]
    sizes = [len(all_rolls(dice)) for dice in range(1, most + 1)]
    first_roll = [0, *accumulate(sizes)]
    first_throw = [0, *accumulate(6**dice for dice in range(1, most + 1))]
    first_keep = [0, *accumulate(len(scored.keeps) for scored in every)]

    def row(dice: int, idle: int, hot: int) -> list[int]:
        next_hot = numbered[most, 0, hot if idle else min(hot + 1, hottest)]
        start = first_throw[dice - 1], first_roll[dice - 1], sizes[dice - 1]
        return [
            dice,
            idle,
            hot,
            6**dice,
            *start,
            next_hot,
            *(numbered.get((n, idle, hot), -1) for n in range(most + 1)),
        ]

    return Sheet(
        sorted=_sorted(most),
        rollings=np.array([row(*rolling) for rolling in rollings], np.int64),
        number=np.array(
            [[numbered.get((dice, idle, 0), -1) for idle in range(most + 1)] for dice in range(most + 1)], np.int64
        ),
        best=np.array([scored.best.points // unit if scored.best else 0 for scored in every], np.int64),
        rolls=np.array(
            [
                [first, len(scored.keeps), scored.fine // unit, scored.triple]
                for first, scored in zip(first_keep, every, strict=False)
            ],
            np.int64,
        ),
        keeps=np.array(
            [[kept.points // unit, kept.left, kept.hot] for scored in every for kept in scored.keeps.values()], np.int64
        ),
    )


@lru_cache(maxsize=2)
def _sorted(most: int) -> Short:
    found = []
    for dice in range(1, most + 1):
        numbered = {roll: number for number, roll in enumerate(all_rolls(dice))}
        found += [numbered[roll] for roll in throws(dice)]
    return np.array(found, np.uint16)
