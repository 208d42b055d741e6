"""The best action now, and why: in winning chance if that is known already, else in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from farkel.coach import Advice, Chances, Evaluator, RatedAction, advise, no_choice, reason
from farkel.coach.advice import how_often, order, why_not
from farkel.errors import SolveError
from farkel.game import Action, Fresh, Keep, Phase, State, TakeOver, apply, legal_actions
from farkel.game.scoring import score_table
from farkel.players import knowledge
from farkel.players.best_play import Judged, ranked
from farkel.players.decisions import Ending
from farkel.rules import Rules, farkle_word
from farkel.support.progress import Progress
from farkel.support.words import counted, counted_dice, percent, sentence

if TYPE_CHECKING:
    from farkel.solve import Duel, Field, Trio, Turn

MOST_ROWS = 5
"""Actions that are listed."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Answers about a game that need no long calculation."""

    turn: Turn
    chances: Duel | Field | Trio | None
    missing: str = ""
    """Why there are no winning chances, and how to get them; "" if there are some, and for a seat alone."""
    solvable: bool = False
    """Whether they take only seconds: see `solve`."""
    too_long: bool = False
    """Whether they take many minutes, so that a command has to calculate them once."""


class Hint(NamedTuple):
    """What to do, why, and the best actions in lines, if there is a choice: the first line is the heading."""

    action: Action
    why: str
    rows: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.what} {self.why}"

    @property
    def what(self) -> str:
        """The action as a sentence."""
        return sentence(order(self.action))


def consult(rules: Rules, people: Sequence[int]) -> Knowledge:
    """Return answers about games with N people in each seat. The first time in a program it takes a moment."""
    turn = knowledge.turn(rules)
    if len(people) == 1:
        return Knowledge(turn, None)
    found = knowledge.at_hand(rules, people)
    if found is not None:
        return Knowledge(turn, found)
    try:
        why = knowledge.too_long(rules, people)
    except SolveError as error:
        return Knowledge(turn, None, f"There are no winning chances: {error.message}.")
    if why:
        return Knowledge(turn, None, f"There are no winning chances yet: {why}.", too_long=True)
    return Knowledge(turn, None, "Winning chances need a one-time calculation.", solvable=True)


def at_once(rules: Rules) -> bool:
    """Return whether `consult` answers without delay."""
    return knowledge.has_turn(rules)


def solve(rules: Rules, people: Sequence[int], progress: Progress) -> None:
    """Calculate the winning chances, so that `consult` finds them. Raises `SolveError`."""
    knowledge.chances(rules, people, progress)


def decision_due(state: State) -> bool:
    """Return whether there is something to decide."""
    return state.phase in (Phase.KEEP, Phase.OFFER)


def no_decision(state: State, roll: str = "roll") -> str:
    """Return why there is no hint now; ``roll`` says how to roll."""
    if state.over:
        return "The game is over: there is nothing left to decide."
    return f"All you can do now is {roll}. After that, a hint says what to keep."


def forced(state: State) -> Hint | None:
    """Return the hint for a seat that has no choice: nothing needs to be known for it. None if there is a choice."""
    actions = legal_actions(state)
    return Hint(actions[0], no_choice(state, actions[0]), ()) if len(actions) == 1 else None


def hint(knowledge: Knowledge, state: State, places: int = 1) -> Hint:
    """Return the hint for the seat that decides. ``places``: decimals of its chances."""
    if only := forced(state):
        return only
    if knowledge.chances is None:
        return _by_points(knowledge.turn, state, places)
    from farkel.solve import Field

    found = knowledge.chances
    evaluator: Evaluator = _Model(found, state) if isinstance(found, Field) else found
    return _by_chances(replace(advise(evaluator, knowledge.turn, state), places=places))


class _Model:
    """The model's chances of the seat that decides, after each of its actions; it is not asked about the others."""

    exact = False

    def __init__(self, field: Field, state: State) -> None:
        self._seat, self._seats = state.seat, len(state.seats)
        self._chances = {apply(state, action): chance for action, chance in field.rank(state)}

    def chances(self, state: State) -> Chances:
        return tuple(self._chances[state] if seat == self._seat else 0.0 for seat in range(self._seats))


# In winning chance ---------------------------------------------------------------------------------------------------


def _by_chances(advice: Advice) -> Hint:
    rows = [
        (str(option.action), _wins(advice, option), _points(option.points), _farkle(advice, option))
        for option in advice.options
    ]
    heads = ("wins", "points", farkle_word(advice.state.rules.name))
    return Hint(advice.best.action, reason(advice), _rows(heads, rows))


def _wins(advice: Advice, option: RatedAction) -> str:
    return ("" if advice.exact else "about ") + percent(advice.chance(option), advice.places)


def _farkle(advice: Advice, option: RatedAction) -> str:
    return "" if option.banks else percent(option.farkle, advice.places)


# In points -----------------------------------------------------------------------------------------------------------


def _by_points(turn: Turn, state: State, places: int) -> Hint:
    judged = ranked(turn, state)
    rows = [(str(one.action), _brings(one), _risk(state, one, places)) for one in judged]
    heads = ("points", farkle_word(state.rules.name))
    return Hint(judged[0].action, _why(state, judged, places), _rows(heads, rows))


def _brings(one: Judged) -> str:
    ends = {Ending.WINS: "wins", Ending.LOSES: "loses", Ending.OVER: "overshoots", Ending.FURTHER: "overshoots"}
    return ends.get(one.ending, _points(one.points))


def _risk(state: State, one: Judged, places: int) -> str:
    dice = _dice_next(state, one.action)
    return percent(_farkles(state, one.action), places) if dice else ""


def _why(state: State, judged: Sequence[Judged], places: int) -> str:
    """Return why the best action brings most, in plain sentences."""
    best = judged[0]
    if best.ending is Ending.WINS:
        return "This wins the game."
    if best.ending is Ending.LOSES:
        return "You have no other choice, and it loses the game."
    if isinstance(best.action, Keep):
        why = _why_bank if best.action.then == "bank" else _why_roll
        return why(state, judged, places)
    fresh = next(one for one in judged if isinstance(one.action, Fresh))
    take = next(one for one in judged if isinstance(one.action, TakeOver))
    other = f"starting fresh averages {_points(fresh.points)} points"
    taking = f"Taking over {counted_dice(_dice_next(state, take.action))} {_falls(state, take.action, places)}"
    if take.ending is Ending.FURTHER:
        return f"The points on offer overshoot the target; {other}."
    if take.action is best.action:
        return f"{taking}, but averages {_points(take.points)}{_lives(state, take.action)}; {other}."
    return f"{taking} and averages {_points(take.points)}{_lives(state, take.action)}; {other}."


def _why_bank(state: State, judged: Sequence[Judged], places: int) -> str:
    best = judged[0]
    if best.ending is Ending.OVER:
        return "Every keep overshoots the target, so banking scores nothing and ends your turn."
    roll = next((one for one in judged if isinstance(one.action, Keep) and one.action.then == "roll"), None)
    if roll is None:
        return "You can't roll again."
    if roll.ending is Ending.FURTHER:
        return "Anything more overshoots the target, which must be hit exactly."
    return (
        f"Banking scores {_points(best.points)}. Rolling {_dice(state, roll.action)} "
        f"{_falls(state, roll.action, places)} and averages {_points(roll.points)}."
    )


def _why_roll(state: State, judged: Sequence[Judged], places: int) -> str:
    best = judged[0]
    rolling = f"olling {_dice(state, best.action)} {_falls(state, best.action, places)}"
    bank = next((one for one in judged if isinstance(one.action, Keep) and one.action.then == "bank"), None)
    brings = f"averages {_points(best.points)} points"
    if best.ending is Ending.FURTHER:
        return f"Every keep overshoots the target, which must be hit exactly. R{rolling}."
    if bank is None:
        dice = best.action.dice if isinstance(best.action, Keep) else ()
        return f"{why_not(state, Keep(dice, 'bank'))} R{rolling} and {brings}."
    if bank.ending is Ending.LOSES:
        return f"Banking loses the game, so there is nothing to lose. R{rolling}."
    if bank.ending is Ending.OVER:
        return f"Banking overshoots the target, which must be hit exactly. R{rolling}."
    return f"R{rolling}, but {brings}; banking scores {_points(bank.points)}."


def _falls(state: State, action: Action, places: int) -> str:
    return how_often(f"a {farkle_word(state.rules.name)}", _farkles(state, action), places)


def _lives(state: State, action: Action) -> str:
    if not isinstance(action, TakeOver) or not state.rules.take_over.costs_lives:
        return ""
    return f" for {counted(action.dice, 'life', 'lives')}, each as good as a turn"


# Small texts ---------------------------------------------------------------------------------------------------------


def _dice_next(state: State, action: Action) -> int:
    """Return how many dice are rolled next; 0 after a bank."""
    if isinstance(action, Keep) and action.then == "bank":
        return 0
    return apply(state, action).dice


def _dice(state: State, action: Action) -> str:
    return counted_dice(_dice_next(state, action))


def _farkles(state: State, action: Action) -> float:
    """Return the chance of a farkle in the roll after an action that rolls."""
    after = apply(state, action)
    return float(score_table(state.rules, after.sets).farkles(after.dice))


def _points(points: float) -> str:
    return f"{points:,.0f}"


def _rows(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the first rows as a table, the action on the left."""
    table = [("", *heads), *rows[:MOST_ROWS]]
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in table
    ]
    more = len(rows) - MOST_ROWS
    return (*(line.rstrip() for line in lines), *([f"and {more} more"] if more > 0 else []))
