"""The possible events of a state: the one legality path.

`legal_actions`, `is_legal`, `check` and `apply` all rest on `why_not`, and that on the law.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache

from farkel.dice import Roll, all_rolls, ways
from farkel.game import law
from farkel.game.events import Action, Event, Fresh, Keep, Leave, Note, TakeOver, Throw
from farkel.game.law import KEEP, OFFER, OVER, ROLL, START, Phase
from farkel.game.numbered import MOST_ASKED, Asked, Numbered, numbered
from farkel.game.scoring import Scored
from farkel.game.state import Seat, State
from farkel.rules.model import Rules
from farkel.rules.pattern_tables import contains
from farkel.support.bounds import MOST_NOTED

THENS: tuple[str, ...] = ("roll", "bank")
FRESH = Fresh()
CODES: tuple[str | None, ...] = (None, *(why.name.lower() for why in law.Why if why))
"""The code of each `farkel.game.law.Why`."""


def chance_outcomes(state: State) -> tuple[tuple[Throw, int], ...]:
    """Return every throw that may fall now and in how many of the 6**n ways; empty if no throw is due."""
    dice = state.dice_due
    return _throws(dice) if dice else ()


_found: list[tuple[State, tuple[Action, ...]]] = []
"""The last state whose legal keeps were asked for, and these: most decisions are one of them."""


def legal_actions(state: State) -> tuple[Action, ...]:
    """Return every decision that is legal now; empty if none is due, never empty if one is (D3)."""
    if state.phase is KEEP:
        found = _legal_keeps(state)
        _found[:] = [(state, found)]
        return found
    if state.phase is OFFER:
        terms, mine = numbered(state.rules).terms, state.mine
        takes = _takes(state.offer_dice)
        return (FRESH, *[take for take in takes if not law.why_not_take(terms, mine, state.row, take.dice)])
    return ()


def _legal_keeps(state: State) -> tuple[Action, ...]:
    book = numbered(state.rules)
    if book.asked is None:
        return _ask_each(book, state)
    key = state.rolled, state.idle, state.hot, state.owing, state.rolls
    try:
        asked = book.asked[key]
    except KeyError:
        if len(book.asked) >= MOST_ASKED:
            book.asked.clear()
        asked = book.asked[key] = Asked(_gains(book, state), {})
    which = _bankable(book, state.mine, state.points, asked.gains)
    try:
        return asked.actions[which]
    except KeyError:
        return asked.actions.setdefault(which, _ask_each(book, state))


def _ask_each(book: Numbered, state: State) -> tuple[Keep, ...]:
    """Ask the law about each keep of the roll."""
    terms, mine, now = book.terms, state.mine, state.row
    must = law.must_bank(terms, mine, now)
    found: list[Keep] = []
    for keep in _keeps(book, state):
        rolls, banks = book.thens[keep]
        may_bank = not law.why_not_bank(terms, mine, now, keep)
        if not law.why_not_roll(terms, mine, now, keep, may_bank, must):
            found.append(rolls)
        if may_bank:
            found.append(banks)
    return tuple(found)


def _gains(book: Numbered, state: State) -> tuple[int, ...]:
    """Return what the keeps of the roll add to the turn total, each number once, in ascending order."""
    now = state.row
    totals = {law.total_with(book.terms, now, keep) for keep in _keeps(book, state)}
    return tuple(sorted(total - state.points for total in totals))


def _bankable(book: Numbered, mine: Seat, points: int, gains: Sequence[int]) -> int:
    """Return which of these gains may be banked with the points kept before: see `farkel.game.numbered.Asked`."""
    terms, why_not = book.terms, law.why_not_total
    if not book.rising:
        bits = 0
        for place, gain in enumerate(gains):
            if not why_not(terms, mine, points + gain):
                bits |= 1 << place
        return bits
    if not why_not(terms, mine, points + gains[0]):
        return 0
    return bisect_left(gains, True, 1, key=lambda gain: not why_not(terms, mine, points + gain))


def _keeps(book: Numbered, state: State) -> range:
    """Return the numbers of the keeps of the roll."""
    first = book.terms.first_keep
    return range(first[state.rolled], first[state.rolled + 1])


def is_legal(state: State, event: Event) -> bool:
    """Return whether the event may happen now."""
    return refusal(state, event) is None


def refusal(state: State, event: Event) -> str | None:
    """Return the code of the reason why the event may not happen now, or None if it may."""
    return why_not(numbered(state.rules), state, event)


def why_not(book: Numbered, state: State, event: Event) -> str | None:
    """Return the code of the reason why the event may not happen now, or None: every question of legality ends here."""
    if isinstance(event, Throw):
        return _why_not_throw(book, state, event.faces)
    phase = state.phase
    if phase is OVER:
        return "game_over"
    if isinstance(event, Keep):
        for asked, actions in _found:
            if asked is state:
                for action in actions:
                    if event is action:
                        return None
        return _why_not_keep(book, state, event) if phase is KEEP else _not_due(phase)
    if isinstance(event, TakeOver):
        return _why_not_take(book, state, event.dice)
    if isinstance(event, Fresh):
        return None if phase is OFFER else _not_due(phase)
    if isinstance(event, Note):
        return _why_not_note(book, phase, event)
    return _why_not_leave(state.seats, event)


def _why_not_take(book: Numbered, state: State, dice: int) -> str | None:
    if state.phase is not OFFER:
        return "nothing_on_offer" if state.phase is ROLL else _not_due(state.phase)
    return CODES[law.why_not_take(book.terms, state.mine, state.row, dice)]


def _why_not_leave(seats: Sequence[Seat], event: Leave) -> str | None:
    if not 0 <= event.seat < len(seats):
        return "no_such_seat"
    return None if seats[event.seat].gone == law.IN else "seat_is_gone"


def _why_not_keep(book: Numbered, state: State, event: Keep) -> str | None:
    terms, mine, now = book.terms, state.mine, state.row
    keep = book.keeps[state.rolled].get(event.dice)
    if keep is None or _truths(event.dice):
        return _why_not_kept(book.rules, book.scored[state.rolled], event.dice)
    if event.then == "bank":
        return CODES[law.why_not_bank(terms, mine, now, keep)]
    if event.then not in THENS:
        return "roll_or_bank"
    must = law.must_bank(terms, mine, now)
    if not law.why_not_roll(terms, mine, now, keep, may_bank=True, must=must):
        return None
    return CODES[
        law.why_not_roll(terms, mine, now, keep, may_bank=not law.why_not_bank(terms, mine, now, keep), must=must)
    ]


def _why_not_kept(rules: Rules, scored: Scored, dice: Roll) -> str:
    """Return why dice are not a keep of the roll."""
    roll = scored.roll
    if not dice:
        return "keep_nothing"
    if any(dice.count(face) > roll.count(face) for face in set(dice)):
        return "dice_not_rolled"
    if _truths(dice):
        return "bad_faces"
    if not scored.fined.isdisjoint(dice):
        return "dice_are_fined"
    if rules.keep == "all" and any(contains(kept, dice) for kept in scored.keeps):
        return "must_keep_all"
    return "dice_do_not_score"


def _truths(faces: Roll) -> bool:
    """Return whether a truth value stands for a face: Python takes True for 1."""
    return bool in map(type, faces)


def _why_not_throw(book: Numbered, state: State, faces: Roll) -> str | None:
    due = state.dice_due
    if not due:
        return "game_over" if state.phase is OVER else "no_throw_due"
    if len(faces) != due:
        return "wrong_number_of_dice"
    # Sorted faces of the right number have a number exactly if each is 1..6 and in ascending order.
    return None if faces in book.number and not _truths(faces) else "bad_faces"


def _why_not_note(book: Numbered, phase: Phase, event: Note) -> str | None:
    """Refuse only nonsense: whether the rules allow such a turn is for the people at the table to say (D24)."""
    if phase is START:
        return _not_due(phase)
    if not 0 <= event.points <= MOST_NOTED:
        return "bad_noted_points"
    # Points that are banked were set aside: at least one die was.
    most = book.terms.dice if event.farkle else book.terms.dice - 1
    return None if 0 <= event.dice <= most else "bad_noted_dice"


def _not_due(phase: Phase) -> str:
    return "throw_due" if phase in (START, ROLL) else "other_decision_due"


@cache
def _takes(dice: int) -> tuple[TakeOver, ...]:
    return tuple(map(TakeOver, range(1, dice + 1)))


@cache
def _throws(dice: int) -> tuple[tuple[Throw, int], ...]:
    return tuple((Throw(roll), ways(roll)) for roll in all_rolls(dice))
