"""Players that follow a rule of thumb. Each plays every rule set to the end.

Their thresholds are in units of a single 5, so that they mean the same at 50 and at 500 points for it.
"""

from __future__ import annotations

import random

from farkel.game import Action, Fresh, Keep, Phase, State, TakeOver, legal_actions
from farkel.players.ending import minding_the_end
from farkel.rules import Rules


class Random:
    """Any legal action, all equally likely."""

    name = "random"

    def decide(self, state: State, generator: random.Random) -> Action:
        return generator.choice(legal_actions(state))


class Thumb:
    """A rule of thumb: keep the most points (and of those the fewest dice), and bank once there are ``enough``.

    A bank that reaches the target is enough for all of them, an exact target is hit whenever possible, and the end of
    the game is minded: see `minding_the_end`.
    """

    name: str
    falls = False
    """Whether it banks whatever it may with a score below zero, or penalties could keep it falling for ever."""

    def enough(self, rules: Rules, left: int) -> int:
        """Return the turn total from which on it banks with this many dice left to roll."""
        raise NotImplementedError

    def wants(self, rules: Rules, dice: int) -> int | None:
        """Return the points on offer from which on it takes over this many dice; None: never."""
        raise NotImplementedError

    def decide(self, state: State, generator: random.Random) -> Action:
        rules, actions = state.rules, legal_actions(state)
        if state.phase is Phase.OFFER:
            takes = [action for action in actions if isinstance(action, TakeOver)]
            wants = self.wants(rules, takes[-1].dice) if takes else None
            return takes[-1] if wants is not None and state.offer and state.offer.points >= wants else Fresh()
        keeps = [action for action in actions if isinstance(action, Keep)]
        score = state.mine.score
        short = state.goal - score
        if rules.exact:
            hits = (keep for keep in keeps if keep.then == "bank" and state.turn_total(keep.dice) == short)
            hit = next(hits, None)
            if hit is not None:
                return hit
        best = keeps[0].dice
        total = state.turn_total(best)
        left = state.scored.keeps[best].left if state.scored else 0
        reaches = rules.target > 0 and total >= short
        enough = reaches or (self.falls and score < 0) or total >= self.enough(rules, left)
        then = "bank" if enough else "roll"
        chosen = next((keep for keep in keeps if keep.dice == best and keep.then == then), keeps[0])
        return minding_the_end(state, keeps, chosen)


class Threshold(Thumb):
    """Keeps the most points, banks as soon as the turn total reaches ``points``, and never takes over."""

    falls = True

    def __init__(self, points: int) -> None:
        self.points = points
        self.name = f"threshold:{points}"

    def enough(self, rules: Rules, left: int) -> int:
        return self.points

    def wants(self, rules: Rules, dice: int) -> int | None:
        return None


class Cautious(Thumb):
    """Banks at 300 (six single 5s), or anything with two dice or fewer left; takes over four dice or more if free."""

    name = "cautious"

    def enough(self, rules: Rules, left: int) -> int:
        return 0 if left <= 2 else 6 * _five(rules)

    def wants(self, rules: Rules, dice: int) -> int | None:
        return 0 if rules.take_over.price == "free" and dice >= 4 else None


class Bold(Thumb):
    """Banks at 1,000 (twenty single 5s), or 500 with one die left; takes over 500 with three dice, 1,000 with two."""

    name = "bold"

    def enough(self, rules: Rules, left: int) -> int:
        return (10 if left == 1 else 20) * _five(rules)

    def wants(self, rules: Rules, dice: int) -> int | None:
        return (10 if dice >= 3 else 20) * _five(rules) if dice >= 2 else None


def _five(rules: Rules) -> int:
    """Return what rules of thumb are measured in: a single 5."""
    return rules.scoring.worth((5,)) or rules.scoring.worth((1,)) // 2 or 50
