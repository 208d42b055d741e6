"""Advice for one decision: every legal action with its winning chance, and why the best one is best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from farkel.coach.positions import leading_to
from farkel.dice import faces_text
from farkel.game import (
    Action,
    Fresh,
    IllegalEvent,
    Keep,
    Phase,
    State,
    TakeOver,
    apply,
    check,
    is_legal,
    legal_actions,
    refusal,
)
from farkel.game.scoring import score_table
from farkel.rules import farkle_word
from farkel.support.frames import Tabular
from farkel.support.words import counted, counted_dice, listed, percent, sentence

Chances = tuple[float, ...]
"""The chance to win of each seat, in the order of the table; a shared win counts in equal parts."""

EVEN = 1e-9
"""Chances closer than this are the same: the solver's tolerance."""


class Evaluator(Protocol):
    """What knows the winning chances in any state: `farkel.solve.Duel` or `farkel.solve.Field`."""

    def chances(self, state: State) -> tuple[float, ...]: ...


class Points(Protocol):
    """What knows the points that a turn is worth: `farkel.solve.Turn`."""

    def worth(self, state: State) -> float: ...


@dataclass(frozen=True, slots=True)
class RatedAction:
    """One legal action, with its expected results."""

    action: Action
    """A `Keep` of no dice if the question is only whether to roll on or to bank."""
    after: State
    chances: Chances
    cost: float
    """How much less it wins than the best action does."""
    total: int
    """The turn total with it."""
    points: float
    """Points that the turn is expected to bring to the score, playing on for points."""
    farkle: Fraction
    """The exact chance that the roll that follows is a farkle; 0 if none follows."""

    def __str__(self) -> str:
        return f"{self.action}: turn total {self.total:,}, costs {percent(self.cost)}"

    @property
    def dice(self) -> int:
        """How many dice are rolled next; 0 after a bank."""
        return 0 if self.banks else self.after.dice

    @property
    def banks(self) -> bool:
        return _banks(self.action)


@dataclass(frozen=True, slots=True)
class Advice(Tabular):
    """A decision with all its options, the best one first."""

    state: State
    options: tuple[RatedAction, ...]
    exact: bool
    """Whether the chances are exact; those against more than one opponent are approximations."""
    places: int = 1
    """Decimals of the chances in its sentences: see `farkel.support.words.percent`."""

    def __str__(self) -> str:
        return f"Best: {self.best.action}.\n{reason(self)}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each action, the best one first."""
        return [
            {
                "action": str(option.action),
                "turn_total": option.total,
                "wins": self.chance(option),
                "costs": option.cost,
                "points": option.points,
                "farkles": float(option.farkle) if option.dice else None,
            }
            for option in self.options
        ]

    @property
    def best(self) -> RatedAction:
        return self.options[0]

    @property
    def seat(self) -> int:
        """Who decides."""
        return self.state.seat

    def chance(self, option: RatedAction) -> float:
        """Return the chance to win that the option gives to the seat that decides."""
        return option.chances[self.seat]


def is_exact(evaluator: Evaluator) -> bool:
    """Return whether the evaluator's chances are those of best play on all sides."""
    return bool(getattr(evaluator, "exact", True))


def chances(evaluator: Evaluator, state: State) -> Chances:
    """Return the chance to win of each seat; of a game that is over the result."""
    if state.result is None:
        return evaluator.chances(state)
    winners = state.result.winners
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(len(state.seats)))


def advise(evaluator: Evaluator, turn: Points, state: State) -> Advice:
    """Return every legal action of the state, from the best to the worst.

    A state that waits for a roll within a turn is asked whether to roll on or to bank. Actions that lead to the same
    position win the same; the rules' order of keeps stands between them. Raises `PositionError` ``nothing_to_decide``.
    """
    reached = [(action, apply(before, event)) for action, before, event in _choices(state)]
    known = {after: chances(evaluator, after) for _, after in reached}
    most = max(known[after][state.seat] for _, after in reached)
    options = [
        RatedAction(
            action,
            after,
            known[after],
            cost=most - known[after][state.seat],
            total=_total(state, action, after),
            points=_points(turn, state, action, after),
            farkle=Fraction(0) if _banks(action) else score_table(state.rules, after.sets).farkles(after.dice),
        )
        for action, after in reached
    ]
    ranked = sorted(options, key=lambda option: (option.cost, -option.points))
    return Advice(state, tuple(ranked), is_exact(evaluator))


def _choices(state: State) -> Iterator[tuple[Action, State, Action]]:
    """Yield each action as it is called, and the state and event that bring it about."""
    if state.phase in (Phase.KEEP, Phase.OFFER):
        yield from ((action, state, action) for action in legal_actions(state))
        return
    before, keep = leading_to(state)
    yield Keep((), "roll"), before, keep
    bank = Keep(keep.dice, "bank")
    if is_legal(before, bank):
        yield Keep((), "bank"), before, bank


def _banks(action: Action) -> bool:
    return isinstance(action, Keep) and action.then == "bank"


def _total(state: State, action: Action, after: State) -> int:
    if not _banks(action):
        return after.points
    return state.turn_total(action.dice) if isinstance(action, Keep) and action.dice else state.points


def _points(turn: Points, state: State, action: Action, after: State) -> float:
    if _banks(action):
        return after.seats[state.seat].score - state.mine.score
    return turn.worth(after)


# In words ------------------------------------------------------------------------------------------------------------


def reason(advice: Advice) -> str:
    """Return why the best action is best, in one to three plain sentences."""
    best, worst = advice.best, advice.options[-1]
    if len(advice.options) == 1:
        return no_choice(advice.state, best.action)
    if worst.cost < EVEN:
        chance = advice.chance(best)
        if chance < EVEN:
            return "You can no longer win, whatever you do."
        if chance > 1 - EVEN:
            return "You win, whatever you do."
        return f"It makes no difference: your winning chance is {_percent(advice, chance, advice.places)}."
    if isinstance(best.action, Keep):
        sentences = _why_bank(advice) if best.banks else _why_roll(advice)
        return " ".join([*sentences, *_why_these_dice(advice)])
    return _why_offer(advice)


def no_choice(state: State, action: Action) -> str:
    """Return that there is no choice but this action, and the rule against the obvious other one."""
    if isinstance(action, Keep):
        before, keep = leading_to(state) if not action.dice else (state, action)
        other = Keep(keep.dice, "bank" if action.then == "roll" else "roll")
        return f"You have no choice but to {order(action)}. {why_not(before, other)}"
    takes = map(TakeOver, range(1, state.offer_dice + 1))
    take = next((one for one in takes if refusal(state, one) != "all_dice_or_none"), TakeOver(1))
    return f"You have no choice but to start fresh. {why_not(state, take)}"


def _why_bank(advice: Advice) -> list[str]:
    best = advice.best
    other = next((option for option in advice.options if not option.banks), None)
    if other is None:
        return [f"Banking {best.total:,} {_outcome(advice, best, advice.places)}; rolling on is not allowed."]
    banks, rolls = _outcomes(advice, best, other)
    return [f"Banking {best.total:,} {banks}. Rolling {listed([*_risks(advice, other), rolls], 'and')}."]


def _why_roll(advice: Advice) -> list[str]:
    best = advice.best
    other = next((option for option in advice.options if option.banks), None)
    if other is None:
        why = why_not(advice.state, Keep(best.action.dice if isinstance(best.action, Keep) else (), "bank"))
        return [f"{why} Rolling {listed([*_risks(advice, best), _outcome(advice, best, advice.places)], 'and')}."]
    rolls, banks = _outcomes(advice, best, other)
    return [f"Rolling {listed([*_risks(advice, best), f'still {rolls}'], 'and')}; banking {other.total:,} {banks}."]


def _why_these_dice(advice: Advice) -> list[str]:
    """Return why not to keep the most points, if the best action keeps fewer."""
    best = advice.best
    same = [option for option in advice.options if option.banks == best.banks]
    greedy = max(same, key=lambda option: (option.total, option.cost < EVEN))
    if greedy.cost < EVEN or not (isinstance(best.action, Keep) and isinstance(greedy.action, Keep)):
        return []
    _, wins = _outcomes(advice, best, greedy)
    leaves = "" if best.banks else f" leaves {counted_dice(greedy.dice)} and"
    return [f"Keeping {faces_text(greedy.action.dice, '-')} for {greedy.total:,}{leaves} {wins}."]


def _why_offer(advice: Advice) -> str:
    best = advice.best
    fresh = next(option for option in advice.options if isinstance(option.action, Fresh))
    take = next(option for option in advice.options if isinstance(option.action, TakeOver))
    fresh_wins, take_wins = _outcomes(advice, fresh, take)
    taking = f"Taking over {take.total:,} points with {counted_dice(take.dice)}"
    risks = [*_price(advice, take), f"{_farkle(advice, take)}{_loss(take)}"]
    if best is fresh:
        return f"Starting fresh {fresh_wins}. {taking} {listed([*risks, take_wins], 'and')}."
    return f"{taking} {listed([*risks, f'still {take_wins}'], 'and')}; starting fresh {fresh_wins}."


def _risks(advice: Advice, option: RatedAction) -> list[str]:
    """Return what speaks against a roll: ``3 dice is a farkle 27.8% of the time``, ``risks 350 points``."""
    farkles = f"{counted_dice(option.dice)} {_farkle(advice, option)}{_loss(option)}"
    return [farkles, "risks nothing" if option.after.keeps_total(option.total) else f"risks {option.total:,} points"]


def _farkle(advice: Advice, option: RatedAction) -> str:
    return how_often(f"a {farkle_word(advice.state.rules.name)}", option.farkle, advice.places)


def how_often(what: str, chance: float | Fraction, places: int) -> str:
    """Return how often a roll is something: ``is a farkle 27.8% of the time``, ``is never a farkle``."""
    if chance in (0, 1):
        return f"is {'always' if chance else 'never'} {what}"
    return f"is {what} {percent(chance, places)} of the time"


def _loss(option: RatedAction) -> str:
    """Return the cost of a farkle on the next roll besides the turn total."""
    lives, points = option.after.farkle_cost(option.dice, option.total)
    parts = [counted(lives, "life", "lives")] if lives else []
    parts += [f"{points:,} banked points"] if points else []
    return f" (and then costs {' and '.join(parts)})" if parts else ""


def _price(advice: Advice, take: RatedAction) -> list[str]:
    """Return the cost of the take-over before the roll."""
    before, after = advice.state.seats[advice.seat], take.after.seats[advice.seat]
    lives, points = before.lives - after.lives, before.score - after.score
    parts = [f"costs {counted(lives, 'life', 'lives')}"] if lives else []
    return [*parts, f"stakes {points:,} banked points"] if points else parts


def why_not(state: State, action: Action) -> str:
    """Return the sentence for what forbids the action; "" if nothing does."""
    try:
        check(state, action)
    except IllegalEvent as error:
        return sentence(error.reason.removesuffix("; keep rolling"))
    return ""


def _outcomes(advice: Advice, first: RatedAction, second: RatedAction) -> tuple[str, str]:
    """Return the results of the two options, in as many digits as distinguish them."""
    one, two = advice.chance(first), advice.chance(second)
    fewest = advice.places
    places = next((n for n in range(fewest, 4) if percent(one, n) != percent(two, n)), fewest)
    return _outcome(advice, first, places), _outcome(advice, second, places)


def _outcome(advice: Advice, option: RatedAction, places: int) -> str:
    result = option.after.result
    if result is None:
        return f"wins {_percent(advice, advice.chance(option), places)}"
    if advice.seat not in result.winners:
        return "loses the game"
    return "wins the game" if len(result.winners) == 1 else "shares the win"


def _percent(advice: Advice, chance: float, places: int) -> str:
    return f"{'' if advice.exact else 'about '}{percent(chance, places)}"


def order(action: Action) -> str:
    """Return the action as part of a sentence: ``keep 1-5 and bank``."""
    return str(action).replace(", roll", " and roll on").replace(", bank", " and bank")
