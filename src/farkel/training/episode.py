"""A game that rolls its own dice and so waits for decisions only: the core of the environments of one game."""

from __future__ import annotations

import random
from collections.abc import Callable, MutableSequence, Sequence
from functools import cache
from typing import Literal

from farkel.dice import all_rolls
from farkel.dice.simulated import LISTED, thrown, throws
from farkel.errors import EnvError
from farkel.game import Action, Event, State, Throw, follow, new_game
from farkel.game.law import OVER
from farkel.rules import AnyRules, Rules, as_rules

TURN_LIMIT = 1_000
"""Turns for each seat after which a game is cut off, if nothing else is said."""

Reward = Literal["turns", "points"]
Thrower = Callable[[int], Throw]
"""Throws this many dice."""


def table(rules: AnyRules, seats: int, people: Sequence[int] | None) -> tuple[Rules, tuple[int, ...]]:
    """Return the rules and the people of each seat; one each if none are given."""
    found = as_rules(rules)
    if people is None:
        people = (1,) * seats
    if len(people) != seats:
        raise EnvError("bad_option", f"people = {tuple(people)} are those of {len(people)} seats, but seats = {seats}")
    new_game(found, people)
    return found, tuple(people)


def thrower(generator: random.Random) -> Thrower:
    """Return dice from a generator, all throws equally likely."""
    draw = generator.random
    due = [(_throws(dice), 6**dice) for dice in range(LISTED + 1)]

    def throw(dice: int) -> Throw:
        if dice > LISTED:
            return Throw(thrown(dice, int(draw() * 6**dice)))
        found, number = due[dice]
        return found[int(draw() * number)]

    return throw


class Play:
    """One game. ``turn_limit`` is the number of turns of each seat after which it is cut off."""

    def __init__(self, rules: Rules, people: tuple[int, ...], turn_limit: int) -> None:
        if turn_limit < 1:
            raise EnvError("bad_option", f"turn_limit = {turn_limit}: a game has at least one turn")
        self.start = new_game(rules, people)
        self.most = turn_limit * len(people)
        self.state: State = self.start
        self.turns = 0
        """Turns that are finished, of all seats together."""
        self.truncated = False

    @property
    def over(self) -> bool:
        """Whether there are no more decisions to make."""
        return self.truncated or self.state.phase is OVER

    def deal(self, throw: Thrower) -> None:
        """Begin again, up to the first decision. Games that end before anybody decides are dealt again."""
        while True:
            self.state, self.turns, self.truncated = self.start, 0, False
            self._settle(throw)
            if not self.over:
                return

    def act(self, action: Action, throw: Thrower) -> None:
        """Decide, and let dice fall until the next decision or the end. Raises `farkel.game.IllegalEvent`."""
        self._follow(action)
        if not self.truncated:
            self._settle(throw)

    def _settle(self, throw: Thrower) -> None:
        while not self.truncated and (dice := self.state.dice_due):
            self._follow(throw(dice))

    def _follow(self, event: Event) -> None:
        self.state, ends = follow(self.state, event)
        if ends:
            self.turns += 1
            self.truncated = self.turns >= self.most and self.state.phase is not OVER


def rewards(state: State) -> tuple[float, ...]:
    """Return the reward of each seat at the end of a game; all get 0 in a game that is not over. See `share_out`."""
    shares = [0.0] * len(state.seats)
    share_out(state.winners, shares)
    return tuple(shares)


def share_out(winning: int, shares: MutableSequence[float]) -> None:
    """Let the winners share 1 equally and the others share -1; nothing if no seat wins, or all do. Winners are bits.

    This is compiled, too.
    """
    winners = 0
    for seat in range(len(shares)):
        winners += (winning >> seat) & 1
    if 0 < winners < len(shares):
        for seat in range(len(shares)):
            won = (winning >> seat) & 1
            shares[seat] = 1.0 / winners if won else -1.0 / (len(shares) - winners)


class Ledger:
    """The rewards of a game of one seat, step by step; ``reward`` as `FarkelSolo` explains it.

    Raises `EnvError` if the rules do not suit it.
    """

    def __init__(self, rules: Rules, reward: Reward | None = None) -> None:
        if reward not in ("turns", "points", None):
            raise EnvError("bad_option", f'reward = "{reward}": it counts "turns" or "points"')
        if reward == "turns" and not rules.target:
            raise EnvError("bad_option", 'reward = "turns" needs a target; target = 0: take "points"')
        self.reward: Reward = reward or ("turns" if rules.target else "points")
        self.begin()

    def begin(self) -> None:
        """Begin a game."""
        self._turns = self._score = 0

    def entry(self, play: Play) -> float:
        """Return the reward for all that happened since the step before."""
        score, turns = play.state.seats[0].score, play.turns
        points, finished = score - self._score, turns - self._turns
        self._score, self._turns = score, turns
        if self.reward == "points":
            return float(points)
        result = play.state.result
        lost = result is not None and result.reason not in ("target", "exact")
        return float(turns - play.most - finished if lost else -finished)


@cache
def _throws(dice: int) -> tuple[Throw, ...]:
    """Return all 6**dice throws, those of the same roll as one object."""
    shared = {roll: Throw(roll) for roll in all_rolls(dice)}
    return tuple(shared[roll] for roll in throws(dice))
