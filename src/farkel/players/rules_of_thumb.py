"""Players that follow a rule of thumb. Each plays every rule set to the end.

Their thresholds are in units of a single 5, so that they mean the same at 50 and at 500 points for it.
"""

from __future__ import annotations

import random
from functools import lru_cache

from farkel.dice import MOST_DICE
from farkel.game import Action, State, legal_actions
from farkel.game.law.terms import up
from farkel.players.decisions import NEVER, THUMB, by_thumb
from farkel.players.named import Named
from farkel.rules import Rules


class Random(Named):
    """Any legal action, all equally likely."""

    name = "random"

    def decide(self, state: State, generator: random.Random) -> Action:
        return generator.choice(legal_actions(state))


class Thumb(Named):
    """A rule of thumb: keep the most points (and of those the fewest dice), and bank once there are ``enough``.

    A bank that reaches the target is enough for all of them, an exact target is hit whenever possible, and the end of
    the game is minded: see `farkel.players.decisions`.
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
        return by_thumb(state, columns(self, state.rules, 1))


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


@lru_cache(maxsize=64)
def columns(player: Thumb, rules: Rules, unit: int) -> tuple[int, ...]:
    """Return a rule of thumb as numbers, in units of so many points: see `farkel.players.decisions.COLUMNS`."""
    wants = [player.wants(rules, dice) for dice in range(MOST_DICE + 1)]
    return (
        THUMB,
        int(player.falls),
        *(up(player.enough(rules, left), unit) for left in range(MOST_DICE + 1)),
        *(NEVER if points is None else up(points, unit) for points in wants),
    )
