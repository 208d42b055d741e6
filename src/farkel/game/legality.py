"""What may happen in a state: the one legality path.

`legal_actions`, `is_legal`, `check` and `apply` all rest on `why_not`, and that on the law.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from farkel.dice import FACES, Roll, all_rolls, roll_of, ways
from farkel.game import law
from farkel.game.events import Action, Event, Fresh, Keep, Leave, Note, TakeOver, Throw
from farkel.game.law import Phase
from farkel.game.numbered import Numbered, numbered
from farkel.game.state import State, dice_due, now_of
from farkel.rules.model import Rules

MOST_NOTED = 1_000_000
"""More points than this are no turn total but a slip of the hand."""
THENS: tuple[str, ...] = ("roll", "bank")
CODES: tuple[str | None, ...] = (None, *(why.name.lower() for why in law.Why if why))
"""The code of each `farkel.game.law.Why`."""

Rows = Sequence[Sequence[int]]


def chance_outcomes(state: State) -> tuple[tuple[Throw, int], ...]:
    """Every throw that may fall now and in how many of the 6**n ways; empty if no throw is due."""
    dice = dice_due(state)
    return _throws(dice) if dice else ()


def legal_actions(state: State) -> tuple[Action, ...]:
    """Every decision that is legal now; empty if none is due, never empty if one is (D3)."""
    if state.phase is Phase.KEEP:
        return _legal_keeps(state)
    if state.phase is Phase.OFFER and state.offer is not None:
        options: tuple[Action, ...] = (Fresh(), *map(TakeOver, range(1, state.offer.dice + 1)))
        return tuple(action for action in options if refusal(state, action) is None)
    return ()


def _legal_keeps(state: State) -> tuple[Action, ...]:
    book = numbered(state.rules)
    now = now_of(book, state)
    terms, mine, rolled = book.terms, state.seats[state.seat], now[law.ROLLED]
    must = law.must_bank(terms, mine, now)
    found: list[Action] = []
    for keep in range(terms.first_keep[rolled], terms.first_keep[rolled + 1]):
        rolls, banks = book.thens[keep]
        may_bank = not law.why_not_bank(terms, mine, now, keep)
        if not law.why_not_roll(terms, now, keep, may_bank, must):
            found.append(rolls)
        if may_bank:
            found.append(banks)
    return tuple(found)


def is_legal(state: State, event: Event) -> bool:
    """Whether the event may happen now."""
    return refusal(state, event) is None


def refusal(state: State, event: Event) -> str | None:
    """The code of the reason why the event may not happen now, or None if it may."""
    book = numbered(state.rules)
    return why_not(book, state.seats, now_of(book, state), event)


def why_not(book: Numbered, seats: Rows, now: Sequence[int], event: Event) -> str | None:
    """As `refusal`, for the rows of a state: the one legality path."""
    phase = now[law.PHASE]
    if phase == law.OVER:
        return "game_over"
    if isinstance(event, Throw):
        return _why_not_throw(book, now, event.faces)
    if isinstance(event, Keep):
        return _why_not_keep(book, seats[now[law.SEAT]], now, event) if phase == law.KEEP else _not_due(phase)
    if isinstance(event, TakeOver):
        if phase == law.OFFER:
            return CODES[law.why_not_take(book.terms, seats[now[law.SEAT]], now, event.dice)]
        return "nothing_on_offer" if phase == law.ROLL else _not_due(phase)
    if isinstance(event, Fresh):
        return None if phase == law.OFFER else _not_due(phase)
    if isinstance(event, Note):
        return _why_not_note(book, now, event)
    return _why_not_leave(seats, event)


def _why_not_leave(seats: Rows, event: Leave) -> str | None:
    if not 0 <= event.seat < len(seats):
        return "no_such_seat"
    return None if seats[event.seat][law.GONE] == law.IN else "seat_is_gone"


def _why_not_keep(book: Numbered, mine: Sequence[int], now: Sequence[int], event: Keep) -> str | None:
    terms, rolled = book.terms, now[law.ROLLED]
    keep = book.keeps[rolled].get(event.dice)
    if keep is None:
        return _why_not_kept(book.rules, book.rolls[rolled], event.dice)
    if event.then == "bank":
        return CODES[law.why_not_bank(terms, mine, now, keep)]
    if event.then not in THENS:
        return "roll_or_bank"
    must = law.must_bank(terms, mine, now)
    if not law.why_not_roll(terms, now, keep, may_bank=True, must=must):
        return None
    return CODES[law.why_not_roll(terms, now, keep, may_bank=not law.why_not_bank(terms, mine, now, keep), must=must)]


def _why_not_kept(rules: Rules, roll: Roll, dice: Roll) -> str:
    """Why dice that are no keep of the roll are none."""
    if not dice:
        return "keep_nothing"
    if any(dice.count(face) > roll.count(face) for face in set(dice)):
        return "dice_not_rolled"
    if dice != roll_of(dice):
        return "bad_faces"
    fined = (face for face, points in zip(FACES, rules.scoring.triples, strict=True) if points < 0)
    if any(dice.count(face) and roll.count(face) >= 3 for face in fined):
        return "dice_are_fined"
    return "dice_do_not_score"


def _why_not_throw(book: Numbered, now: Sequence[int], faces: Roll) -> str | None:
    due = now[law.HAND] if now[law.PHASE] == law.ROLL else 1 if now[law.PHASE] == law.START else 0
    if not due:
        return "no_throw_due"
    if len(faces) != due:
        return "wrong_number_of_dice"
    # Sorted faces of the right number have a number exactly if each is 1..6 and in ascending order.
    return None if faces in book.number else "bad_faces"


def _why_not_note(book: Numbered, now: Sequence[int], event: Note) -> str | None:
    """Only nonsense is refused: whether the rules allow such a turn is for the people at the table to say (D24)."""
    if now[law.PHASE] == law.START:
        return _not_due(now[law.PHASE])
    if not 0 <= event.points <= MOST_NOTED:
        return "bad_noted_points"
    # Points that are banked were set aside: at least one die was.
    most = book.terms.dice if event.farkle else book.terms.dice - 1
    return None if 0 <= event.dice <= most else "bad_noted_dice"


def _not_due(phase: int) -> str:
    return "throw_due" if phase in (law.START, law.ROLL) else "other_decision_due"


@cache
def _throws(dice: int) -> tuple[tuple[Throw, int], ...]:
    return tuple((Throw(roll), ways(roll)) for roll in all_rolls(dice))
