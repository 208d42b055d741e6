"""A card to play by: a few numbers and sentences that people can remember.

With everything that scores the turn total either reaches a number, and is banked, or the player keeps what counts most
and rolls on. `choice` is all that the card says about a roll; the rest is about the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from farkel.rules import Rules

NEVER = 1 << 40
"""More points than there are."""
LEAST_DICE = 4
"""Rules with fewer dice have no card: its numbers are for one or two dice left, three, and four and more."""


class Numbers(NamedTuple):
    """The numbers of a card, in points. 0 leaves out the sentence of a number other than those of ``bank``."""

    bank: tuple[int, ...]
    """Turn totals to bank: with one or two dice left, with three, and with more. Nearly all dice are always rolled."""
    die: int
    """The value of a die to roll beside the points kept."""
    few: int
    """Points that may be given up to roll all dice but one,"""
    most: int
    """and the turn total from which on none are given up for that."""
    behind: int
    """Hundredths that are added to those of ``bank`` if an opponent leads by as much as this one still needs."""
    end: int
    """If the target wins at once: how near to it an opponent is against whom only winning is banked. Elsewhere: the
    lead without which no turn total is banked that reaches the target."""
    both: int
    """If the target wins at once: how near to it an opponent and the player are together, likewise."""
    single: int
    """1 for the sentence about leaving a single die: before the entry, in last turns, and where the card dares more."""


class CardChoice(NamedTuple):
    """What to do with a roll."""

    rolled: int
    """The option to roll on with."""
    least: int
    """The turn total, with everything that scores, from which on that is banked."""


def choice(numbers: Numbers, dice: int, options: Sequence[tuple[int, int]], daring: bool, bound: bool) -> CardChoice:
    """Return what to do with a roll under rules of this many dice.

    options: points, and dice to roll next; those with more points come first, of equal ones those with more dice.
    daring: the opponents make it right to risk more.
    bound: the turn has to continue for longer than usual.
    """
    counted = [points + numbers.die * left for points, left in options]
    rolled = counted.index(max(counted))
    if (daring or bound) and numbers.single and options[0][1] == 1:
        rolled = 0
    least = _least(numbers, dice, options[0][1], daring)
    given, left = options[0][0] - options[rolled][0], options[rolled][1]
    if numbers.few and left >= dice - 1 and given <= numbers.few:
        least = max(least, numbers.most) if given and numbers.most else NEVER
    elif numbers.few and left == dice - 2:
        least = max(least, _least(numbers, dice, dice - 3, daring))
    return CardChoice(rolled, least)


def _least(numbers: Numbers, dice: int, left: int, daring: bool) -> int:
    if left >= dice - 1:
        return NEVER
    found = numbers.bank[group(left)]
    return found + found * numbers.behind // 100 if daring else found


def dares(numbers: Numbers, rules: Rules, score: int, other: int) -> bool:
    """Return whether the strongest opponent makes the card risk more than usual."""
    return (bool(numbers.behind) and other - score >= rules.target - other) or only_wins(numbers, rules, score, other)


def only_wins(numbers: Numbers, rules: Rules, score: int, other: int) -> bool:
    """Return whether nothing is banked but what wins."""
    if rules.finish != "at_once":
        return False
    near = bool(numbers.end) and other >= rules.target - numbers.end
    return near or (bool(numbers.both) and score + other >= 2 * rules.target - numbers.both)


def group(left: int) -> int:
    """Return which of the numbers to bank is that for this many dice left."""
    return max(0, min(left, 4) - 2)


def groups(dice: int) -> int:
    """Return how many numbers to bank there are."""
    return group(dice - 2) + 1
