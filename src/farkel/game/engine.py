"""What follows from an event: the engine, as a pure function of a state and an event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from farkel.errors import PlayerError
from farkel.game import law
from farkel.game.events import Event, Fresh, Keep, Note, TakeOver, Throw
from farkel.game.legality import why_not
from farkel.game.numbered import Numbered, numbered
from farkel.game.refusals import illegal
from farkel.game.state import Rows, Seat, State, now_of, state_of
from farkel.rules.model import Rules


def new_game(rules: Rules, people: Sequence[int] = (1, 1)) -> State:
    """A game about to start, with the number of people in each seat, in the order of the table.

    Raises `PlayerError` ``bad_seats`` for more seats or larger teams than the rules know.
    """
    if not 1 <= len(people) <= rules.most_seats:
        raise PlayerError(
            "bad_seats", f"{len(people)} seats do not fit: {rules.name} is for 1 to {rules.most_seats} of them"
        )
    for number, size in enumerate(people, 1):
        if not 1 <= size <= rules.team_size:
            raise PlayerError(
                "bad_seats", f"seat {number} has {size} people: a team in {rules.name} has 1 to {rules.team_size}"
            )
    book, seats, now = numbered(rules), Rows(), [0] * law.NOW
    seats.seats = (Seat(),) * len(people)
    law.deal(book.terms, seats, now, people)
    return state_of(book, seats, now)


def replay(rules: Rules, people: Sequence[int], events: Iterable[Event]) -> State:
    """The state that these events lead to from a new game."""
    state = new_game(rules, people)
    for event in events:
        state = apply(state, event)
    return state


def apply(state: State, event: Event) -> State:
    """The state after the event. Raises `IllegalEvent` if the rules do not allow it."""
    book = numbered(state.rules)
    now = now_of(book, state)
    why = why_not(book, state.seats, now, event)
    if why is not None:
        raise illegal(why, state, event)
    seats = Rows()
    seats.seats = state.seats
    _follow(book, seats, now, event)
    return state_of(book, seats, now)


def _follow(book: Numbered, seats: Rows, now: list[int], event: Event) -> None:
    """Let the event happen."""
    terms = book.terms
    if isinstance(event, Throw):
        if now[law.PHASE] == law.START:
            law.start_throw(terms, seats, now, event.faces[0])
        else:
            law.roll(terms, seats, now, book.number[event.faces])
    elif isinstance(event, Keep):
        keep = book.keeps[now[law.ROLLED]][event.dice]
        if event.then == "bank":
            law.bank(terms, seats, now, keep)
        else:
            law.roll_on(terms, now, keep)
    elif isinstance(event, Fresh):
        law.start_fresh(terms, now)
    elif isinstance(event, TakeOver):
        law.take_over(terms, seats[now[law.SEAT]], now, event.dice)
    elif not isinstance(event, Note):
        law.leave(terms, seats, now, event.seat)
    elif event.passes:
        law.pass_on(terms, seats, now, 0, 0)
    else:
        law.note(terms, seats, now, event.points, event.dice, event.farkle)
