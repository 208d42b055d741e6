"""Players that know the best play: for points, for the win of two and three, and for the win among many."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from farkel.errors import PlayerError
from farkel.game import Action, Keep, State, TakeOver, apply, legal_actions
from farkel.game.scoring import score_table
from farkel.players import knowledge
from farkel.players.decisions import EVEN, Ending, ending_of
from farkel.players.named import Named
from farkel.rules import AnyRules, as_rules
from farkel.support.progress import Progress

if TYPE_CHECKING:
    from farkel.solve import Duel, Trio, Turn


class Judged(NamedTuple):
    """An action, its expected gain, and its immediate cost."""

    action: Action
    points: float
    """Of the turn, on average, playing on for points."""
    price: float
    """The value of the lives paid, in points."""
    ending: Ending


class Best(Named):
    """Takes what brings the most points on average, with an eye on how the game ends: see `ranked`."""

    name = "turn"

    def check(self, rules: AnyRules, people: Sequence[int]) -> None:
        """Accept every game: all can be played for points."""

    def ready(self, rules: AnyRules, people: Sequence[int]) -> bool:
        return knowledge.has_turn(as_rules(rules))

    def prepare(self, rules: AnyRules, people: Sequence[int], progress: Progress) -> None:
        knowledge.turn(as_rules(rules))

    def decide(self, state: State, generator: random.Random) -> Action:
        return ranked(knowledge.turn(state.rules), state)[0].action


class Exact(Named):
    """Takes what wins most often against best play, in games of two seats, and of three if these are solved.

    Of equal chances it takes more points.
    """

    name = "exact"

    def check(self, rules: AnyRules, people: Sequence[int]) -> None:
        rules = as_rules(rules)
        if len(people) == 3 and knowledge.team(rules, people) == 1:
            knowledge.check_three("bot:exact", rules)
            return
        if len(people) != 2:
            instead = "for more seats take bot:race" if len(people) > 2 else "alone take bot:turn"
            raise PlayerError("bad_player", f"bot:exact plays games of two and three; {instead}")
        if not knowledge.solved_as_two(rules, people):
            raise PlayerError(
                "bad_player",
                f"bot:exact plays against a team as large as its own in {rules.name}, where each of a team makes the "
                "entry score; against others take bot:race",
            )
        knowledge.check("bot:exact", rules, people)

    def ready(self, rules: AnyRules, people: Sequence[int]) -> bool:
        rules = as_rules(rules)
        return knowledge.has_turn(rules) and knowledge.has_chances(rules, people)

    def prepare(self, rules: AnyRules, people: Sequence[int], progress: Progress) -> None:
        rules = as_rules(rules)
        knowledge.turn(rules)
        knowledge.chances(rules, people, progress)

    def decide(self, state: State, generator: random.Random) -> Action:
        people = state.people
        if len(people) == 3:
            return likeliest(knowledge.trio(state.rules), knowledge.turn(state.rules), state)
        return likeliest(
            knowledge.duel(state.rules, people=knowledge.team(state.rules, people)), knowledge.turn(state.rules), state
        )


class Race(Named):
    """Takes the action that wins most often by a model of the others; exact in games of two, and alone as `Best`.

    The model is an approximation: see `farkel.solve.Field`.
    """

    name = "race"

    def check(self, rules: AnyRules, people: Sequence[int]) -> None:
        if len(people) > 1:
            knowledge.check("bot:race", as_rules(rules), people, model=True)

    def ready(self, rules: AnyRules, people: Sequence[int]) -> bool:
        rules = as_rules(rules)
        if len(people) > 1 and not knowledge.solved_as_two(rules, people):
            return knowledge.has_turn(rules) and knowledge.has_field(rules, len(people))
        return knowledge.has_turn(rules) and (len(people) == 1 or knowledge.has_chances(rules, people))

    def prepare(self, rules: AnyRules, people: Sequence[int], progress: Progress) -> None:
        rules = as_rules(rules)
        knowledge.turn(rules)
        if len(people) > 1 and knowledge.solved_as_two(rules, people):
            knowledge.chances(rules, people, progress)
        elif len(people) > 1:
            knowledge.field(rules, len(people), progress)

    def decide(self, state: State, generator: random.Random) -> Action:
        rules, people = state.rules, state.people
        if len(people) == 1:
            return ranked(knowledge.turn(rules), state)[0].action
        if knowledge.solved_as_two(rules, people):
            return likeliest(knowledge.duel(rules, people=knowledge.team(rules, people)), knowledge.turn(rules), state)
        return knowledge.field(rules, len(people)).rank(state)[0][0]


def likeliest(duel: Duel | Trio, turn: Turn, state: State) -> Action:
    """Return the action that wins most often; of equal ones an immediate win, then the most expected points."""
    reached = [(action, apply(state, action)) for action in legal_actions(state)]
    wins = [duel.chances(after)[state.seat] for _, after in reached]
    most = max(wins)
    best = [(action, after) for (action, after), chance in zip(reached, wins, strict=True) if chance > most - EVEN]
    if len(best) == 1:
        return best[0][0]
    points = dict(turn.rank(state))
    action, _ = max(best, key=lambda one: (one[1].over and most > 0, points[one[0]]))
    return action


def ranked(turn: Turn, state: State) -> list[Judged]:
    """Return every legal action, best first: by the points that it brings, with an eye on how the game ends.

    What wins the game comes before everything. A bank that loses it for certain comes after everything: with nothing
    to lose one rolls on. If a target must be hit, points beyond it count nothing. A life that is paid counts as
    much as a turn's average, which is its use.
    """
    if state.rules.exact:
        found = [(action, _below(state, action)) for action in legal_actions(state)]
    else:
        found = turn.rank(state)
    judged = [Judged(action, points, _price(turn, state, action), _ending(state, action)) for action, points in found]
    return sorted(judged, key=lambda one: (one.ending, one.price - one.points, _given_away(state, one)))


def _given_away(state: State, one: Judged) -> int:
    """Return the total of a bank that goes over the target: another player may get the excess (welfare)."""
    return state.turn_total(one.action) if one.ending is Ending.OVER and isinstance(one.action, Keep) else 0


def _price(turn: Turn, state: State, action: Action) -> float:
    """Return the value of the lives that a take-over costs."""
    if isinstance(action, TakeOver) and state.rules.take_over.costs_lives:
        return action.dice * turn.expected_points
    return 0.0


def _below(state: State, action: Action) -> float:
    """Return the expected points of the turn if points over the target do not count."""
    rules, missing = state.rules, _missing(state)
    if isinstance(action, Keep) and action.then == "bank":
        total = state.turn_total(action)
        return float(total) if total <= missing else 0.0
    after = apply(state, action)
    if after.sure_total >= missing:
        return 0.0
    values = knowledge.below(rules, missing, state.mine.on_board)
    staked = rules.take_over.stake if isinstance(action, TakeOver) and rules.take_over.costs_points else 0
    return values.of(after) - staked * float(score_table(rules, after.sets).farkles(after.dice))


def _missing(state: State) -> int:
    """Return points to the target."""
    return state.rules.target - state.mine.score


def _ending(state: State, action: Action) -> Ending:
    if isinstance(action, Keep) and action.then == "bank":
        return ending_of(state, action)
    if not state.rules.exact:
        return Ending.OPEN
    total = state.turn_total(action) if isinstance(action, Keep) else apply(state, action).sure_total
    return Ending.FURTHER if total >= _missing(state) else Ending.OPEN
