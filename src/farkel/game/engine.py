"""What follows from an event: the engine, as a pure function of a state and an event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from farkel.errors import PlayerError
from farkel.game import law
from farkel.game.events import Event, Fresh, Keep, Leave, TakeOver, Throw
from farkel.game.legality import why_not
from farkel.game.numbered import Numbered, numbered
from farkel.game.refusals import illegal
from farkel.game.state import Rows, Seat, State, now_of, seats_of, state_of
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
    book, seats, now = numbered(rules), [[0] * len(Seat._fields) for _ in people], [0] * law.NOW
    law.deal(book.terms, seats, now, people)
    return state_of(book, seats_of(seats), now)


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
    return state_of(book, _follow(book, state.seats, now, event), now)


def _follow(book: Numbered, seats: tuple[Seat, ...], now: list[int], event: Event) -> tuple[Seat, ...]:
    """Let the event happen; returns the seats after it."""
    if isinstance(event, Throw) and now[law.PHASE] == law.ROLL:
        thrown = Rows(seats)
        law.roll(book.terms, thrown, now, book.number[event.faces])
        return thrown.after()
    if isinstance(event, Keep) and event.then == "roll":
        law.roll_on(book.terms, now, book.keeps[now[law.ROLLED]][event.dice])
        return seats
    rows = [list(seat) for seat in seats]
    _change(book, rows, now, event)
    return seats_of(rows)


def _change(book: Numbered, seats: list[list[int]], now: list[int], event: Event) -> None:
    """Let an event happen that changes seats."""
    terms = book.terms
    if isinstance(event, Keep):
        law.bank(terms, seats, now, book.keeps[now[law.ROLLED]][event.dice])
    elif isinstance(event, Throw):
        law.start_throw(terms, seats, now, event.faces[0])
    elif isinstance(event, Fresh):
        law.start_fresh(terms, now)
    elif isinstance(event, TakeOver):
        law.take_over(terms, seats[now[law.SEAT]], now, event.dice)
    elif isinstance(event, Leave):
        law.leave(terms, seats, now, event.seat)
    elif event.passes:
        law.pass_on(terms, seats, now, 0, 0)
    else:
        law.note(terms, seats, now, event.points, event.dice, event.farkle)
