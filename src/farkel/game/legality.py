"""What may happen in a state: the one legality path.

`legal_actions`, `is_legal`, `check` and `apply` all rest on `refusal`.
"""

from __future__ import annotations

from functools import cache, lru_cache

from farkel.dice import FACES, Roll, all_rolls, roll_of, ways
from farkel.game.state import (
    Action,
    Event,
    Fresh,
    Keep,
    Leave,
    Note,
    Phase,
    State,
    TakeOver,
    Throw,
    bank_needs,
    dice_due,
    hits_target,
    worth,
)
from farkel.rules.model import Rules
from farkel.scoring import Kept, Scored, score_table

THENS: tuple[str, ...] = ("roll", "bank")

MOST_NOTED = 1_000_000
"""More points than this are no turn total but a slip of the hand."""


def chance_outcomes(state: State) -> tuple[tuple[Throw, int], ...]:
    """Every throw that may fall now and in how many of the 6**n ways; empty where no throw is due."""
    dice = dice_due(state)
    return _throws(dice) if dice else ()


def legal_actions(state: State) -> tuple[Action, ...]:
    """Every decision that is legal now; empty where none is due, never empty where one is (D3)."""
    if state.phase is Phase.KEEP:
        actions = _keeps(state.rules, state.roll)
        if _unrestricted(state):
            return actions
        scored = score_table(state.rules)[state.roll]
        return tuple([action for action in actions if _keep_refusal(state, scored, action) is None])
    if state.phase is Phase.OFFER and state.offer is not None:
        options: tuple[Action, ...] = (Fresh(), *map(TakeOver, range(1, state.offer.dice + 1)))
        return tuple(action for action in options if refusal(state, action) is None)
    return ()


def is_legal(state: State, event: Event) -> bool:
    """Whether the event may happen now."""
    return refusal(state, event) is None


def refusal(state: State, event: Event) -> str | None:
    """The code of the reason why the event may not happen now, or None where it may: the one legality path."""
    if state.phase is Phase.OVER:
        return "game_over"
    if isinstance(event, Keep):
        if state.phase is not Phase.KEEP:
            return _not_due(state)
        return _keep_refusal(state, score_table(state.rules)[state.roll], event)
    if isinstance(event, Throw):
        return _throw_refusal(state, event)
    if isinstance(event, TakeOver):
        return _take_refusal(state, event)
    if isinstance(event, Fresh):
        return None if state.phase is Phase.OFFER else _not_due(state)
    if isinstance(event, Note):
        return _note_refusal(state, event)
    return _leave_refusal(state, event)


def _leave_refusal(state: State, event: Leave) -> str | None:
    if not 0 <= event.seat < len(state.seats):
        return "no_such_seat"
    return None if state.seats[event.seat].status == "in" else "seat_is_gone"


def _unrestricted(state: State) -> bool:
    """Whether every keep of the roll may be followed by a roll or a bank: a short cut that `refusal` would confirm."""
    rules = state.rules
    return (
        not (rules.triple_ends_turn or state.idle or rules.hot_dice == "forced") and bank_needs(state) <= state.points
    )


def _keep_refusal(state: State, scored: Scored, event: Keep) -> str | None:
    kept = scored.keeps.get(event.dice)
    if kept is None:
        return _why_not_kept(state, event.dice)
    if event.then == "bank":
        return _bank_refusal(state, scored, kept)
    if event.then not in THENS:
        return "roll_or_bank"
    if state.rules.triple_ends_turn and scored.triple:
        bankable = (_bank_refusal(state, scored, other) is None for other in scored.keeps.values())
        return "triple_must_bank" if any(bankable) else None
    if kept.hot and state.idle and _bank_refusal(state, scored, kept) is None:
        return "bought_must_bank"
    return None


def _bank_refusal(state: State, scored: Scored, kept: Kept) -> str | None:
    rules = state.rules
    total = state.points + worth(state, kept)
    if total < bank_needs(state) and not hits_target(state, total):
        return "below_minimum" if state.seats[state.seat].on_board else "below_entry"
    if kept.hot and rules.hot_dice == "forced" and not state.idle:
        return None if rules.triple_ends_turn and scored.triple else "must_roll_hot_dice"
    return None


def _why_not_kept(state: State, dice: Roll) -> str:
    if not dice:
        return "keep_nothing"
    if any(dice.count(face) > state.roll.count(face) for face in set(dice)):
        return "dice_not_rolled"
    if dice != roll_of(dice):
        return "bad_faces"
    if any(dice.count(face) and state.roll.count(face) >= 3 for face in _fined(state.rules)):
        return "dice_are_fined"
    return "dice_do_not_score"


def _throw_refusal(state: State, event: Throw) -> str | None:
    due = dice_due(state)
    if not due:
        return "no_throw_due"
    if len(event.faces) != due:
        return "wrong_number_of_dice"
    # Sorted faces of the right number are in the table exactly if each is 1..6 and in ascending order.
    return None if event.faces in score_table(state.rules) else "bad_faces"


def _take_refusal(state: State, event: TakeOver) -> str | None:
    rules, offer = state.rules, state.offer
    if state.phase is not Phase.OFFER or offer is None:
        return "nothing_on_offer" if state.phase is Phase.ROLL else _not_due(state)
    if not 1 <= event.dice <= offer.dice:
        return "not_so_many_dice"
    if event.dice != offer.dice and not rules.take_over.choose_dice:
        return "all_dice_or_none"
    seat = state.seats[state.seat]
    if rules.take_over.price == "lives" and seat.lives <= event.dice:
        return "too_few_lives"
    if rules.take_over.price == "stake" and seat.score < rules.take_over.stake:
        return "too_few_points"
    return None


def _note_refusal(state: State, event: Note) -> str | None:
    """Only nonsense is refused: whether the rules allow such a turn is for the people at the table to say (D24)."""
    if state.phase is Phase.START:
        return _not_due(state)
    if not 0 <= event.points <= MOST_NOTED:
        return "bad_noted_points"
    # Points that are banked were set aside: at least one die was.
    most = state.rules.dice if event.farkle else state.rules.dice - 1
    return None if 0 <= event.dice <= most else "bad_noted_dice"


def _not_due(state: State) -> str:
    return "throw_due" if dice_due(state) else "other_decision_due"


def _fined(rules: Rules) -> tuple[int, ...]:
    return tuple(face for face, points in zip(FACES, rules.scoring.triples, strict=True) if points < 0)


@cache
def _throws(dice: int) -> tuple[tuple[Throw, int], ...]:
    return tuple((Throw(roll), ways(roll)) for roll in all_rolls(dice))


@lru_cache(maxsize=1 << 16)
def _keeps(rules: Rules, roll: Roll) -> tuple[Keep, ...]:
    keeps = score_table(rules)[roll].keeps
    return tuple(Keep(dice, then) for dice in keeps for then in ("roll", "bank"))
