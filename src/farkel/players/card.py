"""A player that follows a card: `farkel.players.card_numbers` says what is on it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from farkel.errors import PlayerError, SolveError
from farkel.game import Action, Keep, Phase, State, apply, legal_actions
from farkel.players import knowledge, tuning
from farkel.players.card_numbers import Numbers, choice, dares, only_wins
from farkel.players.decisions import minded
from farkel.players.named import Named
from farkel.rules import AnyRules, Rules, as_rules
from farkel.support.progress import Progress, silent


class Card(Named):
    """Plays by the printed card of the rules: see `farkel.coach.card`."""

    name = "card"

    def __init__(self, numbers: Numbers | None = None) -> None:
        """``numbers``: those of the rules if not given."""
        self.numbers = numbers

    def check(self, rules: AnyRules, people: Sequence[int]) -> None:
        rules = as_rules(rules)
        if self.numbers is None and not tuning.has_card(rules):
            try:
                tuning.check(rules)
            except SolveError as error:
                raise PlayerError("bad_player", f"bot:card cannot play this: {error.message}; take bot:turn") from None
            knowledge.check("bot:card", rules, (1, 1))

    def ready(self, rules: AnyRules, people: Sequence[int]) -> bool:
        return self.numbers is not None or tuning.has_card(as_rules(rules))

    def prepare(self, rules: AnyRules, people: Sequence[int], progress: Progress) -> None:
        self.numbers_of(rules, progress)

    def numbers_of(self, rules: AnyRules, progress: Progress | None = None) -> Numbers:
        """Return the numbers that it plays by under the rules."""
        return self.numbers or tuning.numbers_of(as_rules(rules), progress or silent)

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
        return minded(state, legal, chosen)


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
