"""A player that follows a card: a few numbers and sentences that people can remember.

With everything that scores the turn total either reaches a number, and is banked, or the player keeps what counts most
and rolls on. `choice` is all that the card says about a roll; the rest is about the scores.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from farkel.errors import PlayerError, SolveError
from farkel.game import Action, Keep, Phase, State, apply, legal_actions
from farkel.players.ending import minding_the_end
from farkel.rules import Rules

if TYPE_CHECKING:
    from farkel.solve import Progress

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


class Choice(NamedTuple):
    """What to do with a roll."""

    rolled: int
    """The option to roll on with."""
    least: int
    """The turn total, with everything that scores, from which on that is banked."""


def choice(numbers: Numbers, dice: int, options: Sequence[tuple[int, int]], daring: bool, bound: bool) -> Choice:
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
    return Choice(rolled, least)


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


class Card:
    """Plays by the printed card of the rules: see `farkel.coach.guide`."""

    name = "card"

    def __init__(self, numbers: Numbers | None = None) -> None:
        """``numbers``: those of the rules if not given."""
        self.numbers = numbers

    def check(self, rules: Rules, people: Sequence[int]) -> None:
        from farkel.players import known, tuning

        if self.numbers is None and not tuning.has_card(rules):
            try:
                tuning.check(rules)
            except SolveError as error:
                raise PlayerError("bad_player", f"bot:card cannot play this: {error.message}; take bot:turn") from None
            known.check("bot:card", rules, (1, 1))

    def ready(self, rules: Rules, people: Sequence[int]) -> bool:
        from farkel.players import tuning

        return self.numbers is not None or tuning.has_card(rules)

    def prepare(self, rules: Rules, people: Sequence[int], progress: Progress) -> None:
        self.numbers_of(rules, progress)

    def numbers_of(self, rules: Rules, progress: Progress | None = None) -> Numbers:
        """Return the numbers that it plays by under the rules."""
        from farkel.players import known, tuning

        return self.numbers or tuning.numbers_of(rules, progress or known.silent)

    def decide(self, state: State, generator: random.Random) -> Action:
        actions = legal_actions(state)
        if state.phase is not Phase.KEEP or state.scored is None:
            return actions[0]
        rules, numbers, seat = state.rules, self.numbers_of(state.rules), state.mine
        other = max((each.score for number, each in enumerate(state.seats) if number != state.seat), default=0)
        keeps = state.scored.keeps
        order = sorted(keeps, key=lambda dice: (-keeps[dice].points, -_left(keeps[dice].left, rules)))
        daring, bound = dares(numbers, rules, seat.score, other), state.closer >= 0 or not seat.on_board
        options = [(keeps[dice].points, _left(keeps[dice].left, rules)) for dice in order]
        found = choice(numbers, rules.dice, options, daring, bound)
        bank, roll = Keep(order[0], "bank"), Keep(order[found.rolled], "roll")
        legal = [action for action in actions if isinstance(action, Keep)]
        banks = bank in legal and _banks(state, bank, numbers, found.least, other)
        chosen = bank if banks else roll if roll in legal else legal[0]
        return minding_the_end(state, legal, chosen)


def _left(left: int, rules: Rules) -> int:
    """Return dice to roll next."""
    return left or rules.dice


def _banks(state: State, bank: Keep, numbers: Numbers, least: int, other: int) -> bool:
    """Return whether a turn total is banked, by the scores."""
    rules, score, total = state.rules, state.mine.score, state.turn_total(bank.dice)
    if state.closer >= 0:
        return score + total > other
    if score + total >= rules.target:
        after = apply(state, bank).result
        if after is not None:
            return state.seat in after.winners
        if score + total < other + numbers.end:
            return False
    return total >= least and not only_wins(numbers, rules, score, other)
