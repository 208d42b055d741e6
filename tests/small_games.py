"""Games small enough for the slow solver, and what knows their chances."""

from __future__ import annotations

import random
from functools import cache

from farkel.coach import (
    Chances,
)
from farkel.dice import FACES
from farkel.game import (
    Action,
    Keep,
    Leave,
    Phase,
    State,
    Throw,
    legal_actions,
)
from farkel.rules import Rules
from named_rules import rules_of
from reference import Duel

SMALL = (
    "minimal(dice=5, scoring.5=100, scoring.111=400, scoring.222=200, scoring.333=300, "
    "scoring.444=300, scoring.555=300, scoring.666=300, {})"
)
"""Scores in steps of 100, so that the slow solver is quick."""

GAMES = {
    "at once": "target=400",
    "last turns": "target=400, finish=last_turns, entry=200, start=highest_die",
    "take over": "target=400, finish=last_turns, take_over.price=free",
    "farkles": "target=400, take_over.price=free, take_over.after_farkle=true, take_over.after_hot_dice=true",
    "stakes": "target=400, finish=last_turns, take_over.price=stake, take_over.stake=100",
    "lives": "target=400, lives.each=2, lives.farkle=1, take_over.price=lives, take_over.choose_dice=true, "
    "lives.round_points=200, start=first_six",
    "exact": "target=400, finish=exact, hot_dice=forced",
    "welfare": "target=400, finish=welfare, minimum=200",
    "equal turns": "target=400, finish=equal_turns, penalties.farkles_in_row=2, penalties.farkles_in_row_points=100, "
    "penalties.below_zero=false",
    "rounds": "target=0, rounds=2, rolled.aaa=bank",
}
MOST = 1_000
"""Where the slow solver cuts turn totals."""


class Whole:
    """The slow solver with a game's throws for the start, which it leaves to others."""

    def __init__(self, rules: Rules) -> None:
        self.slow = Duel(rules, most=MOST)

    def chances(self, state: State) -> Chances:
        if state.phase is not Phase.START:
            return self.slow.chances(state)
        begins = [begun(state, seat) for seat in (0, 1)]
        first, second = (self.slow.chances(each) for each in begins)
        return tuple(
            self._first(state) * one + (1 - self._first(state)) * other
            for one, other in zip(first, second, strict=True)
        )

    def _first(self, state: State) -> float:
        """The chance that seat 0 starts."""
        if state.rules.start == "first_six":
            return 6 / 11 if state.seat == 0 else 5 / 11
        thrown = state.throws[0]
        return 0.5 if thrown == 0 else (thrown - 1 + 0.5) / 6


def begun(state: State, seat: int) -> State:
    seats = tuple(one._replace(thrown=0) for one in state.seats)
    return state._replace(phase=Phase.ROLL, seats=seats, seat=seat, first=seat, dice=state.rules.dice)


class Gain:
    """A turn that is worth the kept points and 100 more."""

    def worth(self, state: State) -> float:
        return state.points + 100.0


@cache
def solved(game: str) -> Whole:
    return Whole(rules_of(SMALL.format(GAMES[game])))


def small(game: str) -> Rules:
    return rules_of(SMALL.format(GAMES[game]))


def modest_event(state: State, chance: random.Random, leaves: bool = False) -> Throw | Action | Leave:
    """Dice that fall, or a random decision that leaves no turn total beyond the slow solver's cut."""
    if leaves and chance.random() < 0.02:
        return Leave(chance.randrange(2))
    if state.dice_due:
        return Throw(tuple(sorted(chance.choices(FACES, k=state.dice_due))))
    banks = [action for action in legal_actions(state) if isinstance(action, Keep) and action.then == "bank"]
    high = [action for action in banks if state.turn_total(action.dice) >= MOST // 2]
    return chance.choice(high or legal_actions(state))
