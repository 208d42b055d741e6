"""Players that follow a rule of thumb. Each plays every rule set to the end.

Their thresholds are in units of a single 5, so that they mean the same at 50 and at 500 points for it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from farkel.game import Action, Fresh, Keep, Phase, State, TakeOver, legal_actions, turn_total
from farkel.scoring import score_table


class Random:
    """Any legal action, all equally likely."""

    name = "random"

    def decide(self, state: State, generator: random.Random) -> Action:
        return generator.choice(legal_actions(state))


class Threshold:
    """Keeps the most points, banks as soon as the turn total reaches ``points``, and never takes over.

    With a score below zero it banks whatever it may, or penalties could keep it falling for ever.
    """

    def __init__(self, points: int) -> None:
        self.points = points
        self.name = f"threshold:{points}"

    def decide(self, state: State, generator: random.Random) -> Action:
        below_zero = state.seats[state.seat].score < 0
        return _decide(
            state, lambda total, left: below_zero or total >= self.points, wants_offer=lambda points, dice: False
        )


class Cautious:
    """Banks at 300 (six single 5s), or anything with two dice or fewer left; takes over four dice or more if free."""

    name = "cautious"

    def decide(self, state: State, generator: random.Random) -> Action:
        unit = _unit(state)
        free = state.rules.take_over.price == "free"
        return _decide(
            state,
            lambda total, left: total >= 6 * unit or left <= 2,
            wants_offer=lambda points, dice: free and dice >= 4,
        )


class Bold:
    """Banks at 1,000 (twenty single 5s), or 500 with one die left; takes over 500 with three dice, 1,000 with two."""

    name = "bold"

    def decide(self, state: State, generator: random.Random) -> Action:
        unit = _unit(state)
        return _decide(
            state,
            lambda total, left: total >= 20 * unit or (total >= 10 * unit and left == 1),
            wants_offer=lambda points, dice: points >= 10 * unit and dice >= (2 if points >= 20 * unit else 3),
        )


def _decide(state: State, enough: Callable[[int, int], bool], wants_offer: Callable[[int, int], bool]) -> Action:
    """Keep the most points (and of those the fewest dice), and bank once ``enough(turn total, dice left)``.

    A bank that reaches the target is enough for everybody, and an exact target is hit whenever it can be.
    """
    actions = legal_actions(state)
    if state.phase is Phase.OFFER:
        takes = [action for action in actions if isinstance(action, TakeOver)]
        if takes and state.offer is not None and wants_offer(state.offer.points, takes[-1].dice):
            return takes[-1]
        return Fresh()
    keeps = [action for action in actions if isinstance(action, Keep)]
    short = state.rules.target - state.seats[state.seat].score
    if state.rules.finish in ("exact", "welfare"):
        hits = (keep for keep in keeps if keep.then == "bank" and turn_total(state, keep.dice) == short)
        hit = next(hits, None)
        if hit is not None:
            return hit
    best = keeps[0].dice
    total = turn_total(state, best)
    left = score_table(state.rules)[state.roll].keeps[best].left
    reaches = state.rules.target > 0 and total >= short
    then = "bank" if reaches or enough(total, left) else "roll"
    return next((keep for keep in keeps if keep.dice == best and keep.then == then), keeps[0])


def _unit(state: State) -> int:
    scoring = state.rules.scoring
    return scoring.five or scoring.one // 2 or 50
