"""The game itself: immutable states, explicit chance, one legality path.

A `State` waits for a roll (``Phase.START``, ``Phase.ROLL``), for a decision (``Phase.OFFER``, ``Phase.KEEP``) or is
over. The engine never rolls dice: `chance_outcomes` lists the possible rolls, and `apply` is a pure function of a state
and an event. Clause numbers are those of ``docs/rules.md``.
"""

from farkel.game.engine import apply, ends_turn, new_game, replay
from farkel.game.events import Action, Event, Fresh, Keep, Leave, Note, TakeOver, Then, Throw
from farkel.game.law import Phase
from farkel.game.legality import chance_outcomes, is_legal, legal_actions, refusal
from farkel.game.refusals import REFUSALS, IllegalEvent, check, position
from farkel.game.state import (
    Offer,
    Reason,
    Result,
    Seat,
    State,
    bank_needs,
    dice_due,
    farkle_cost,
    fined,
    first_roll_scored,
    goal,
    hits_target,
    keeps_total,
    may_cancel,
    owing_after,
    rolls_again,
    scored_as,
    tries_left,
    turn_total,
)

__all__ = [
    "REFUSALS",
    "Action",
    "Event",
    "Fresh",
    "IllegalEvent",
    "Keep",
    "Leave",
    "Note",
    "Offer",
    "Phase",
    "Reason",
    "Result",
    "Seat",
    "State",
    "TakeOver",
    "Then",
    "Throw",
    "apply",
    "bank_needs",
    "chance_outcomes",
    "check",
    "dice_due",
    "ends_turn",
    "farkle_cost",
    "fined",
    "first_roll_scored",
    "goal",
    "hits_target",
    "is_legal",
    "keeps_total",
    "legal_actions",
    "may_cancel",
    "new_game",
    "owing_after",
    "position",
    "refusal",
    "replay",
    "rolls_again",
    "scored_as",
    "tries_left",
    "turn_total",
]
