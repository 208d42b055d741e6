"""The game itself: immutable states, explicit chance, one legality path.

A `State` waits for a roll (``Phase.START``, ``Phase.ROLL``), for a decision (``Phase.OFFER``, ``Phase.KEEP``) or is
over. The engine never rolls dice: `chance_outcomes` lists the possible rolls, and `apply` is a pure function of a state
and an event. Clause numbers are those of ``docs/rules.md``.
"""

from farkel.game.engine import apply, ends_turn, follow, new_game, replay
from farkel.game.events import Action, Event, Fresh, Keep, Leave, Note, TakeOver, Then, Throw
from farkel.game.law import Phase
from farkel.game.legality import chance_outcomes, is_legal, legal_actions, refusal
from farkel.game.refusals import REFUSALS, IllegalEvent, check, position
from farkel.game.state import Offer, Reason, Result, Seat, State

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
    "chance_outcomes",
    "check",
    "ends_turn",
    "follow",
    "is_legal",
    "legal_actions",
    "new_game",
    "position",
    "refusal",
    "replay",
]
