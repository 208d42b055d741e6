"""What follows from an event: the engine, as a pure function of a state and an event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from farkel.errors import PlayerError
from farkel.game import law
from farkel.game.events import Event, Fresh, Keep, Leave, TakeOver, Throw
from farkel.game.law import Phase
from farkel.game.legality import why_not
from farkel.game.numbered import Numbered, numbered
from farkel.game.refusals import illegal
from farkel.game.state import Seat, State
from farkel.rules.model import Rules

_new = tuple.__new__


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
    terms, seats = numbered(rules).terms, [[0] * len(Seat._fields) for _ in people]
    now: list[Any] = [rules, (), *[0] * (law.NOW - law.PHASE)]
    law.deal(terms, seats, now, people)
    now[1] = tuple(map(Seat._make, seats))
    return State._make(now)


def replay(rules: Rules, people: Sequence[int], events: Iterable[Event]) -> State:
    """The state that these events lead to from a new game."""
    state = new_game(rules, people)
    for event in events:
        state = apply(state, event)
    return state


def apply(state: State, event: Event) -> State:
    """The state after the event. Raises `IllegalEvent` if the rules do not allow it."""
    book = numbered(state.rules)
    why = why_not(book, state, event)
    if why is not None:
        raise illegal(why, state, event)
    now: list[Any] = list(state)
    if isinstance(event, Keep) and event.then == "roll":
        law.roll_on(book.terms, now, book.keeps[state.rolled][event.dice])
    elif isinstance(event, Throw) and state.phase is Phase.ROLL:
        thrown = Rows()
        thrown.seats = state.seats
        law.roll(book.terms, thrown, now, book.number[event.faces])
        if thrown.keys():
            now[1] = tuple([_new(Seat, thrown[seat]) for seat in range(len(state.seats))])
    else:
        seats = [list(seat) for seat in state.seats]
        _follow(book, seats, now, event)
        now[1] = tuple([_new(Seat, seat) for seat in seats])
    return _new(State, now)


class Rows(dict[int, list[int]]):
    """The rows of seats for a throw, each made when the law first asks for it: most throws ask for none."""

    __slots__ = ("seats",)
    seats: tuple[Seat, ...]
    """To be set first."""

    def __missing__(self, seat: int) -> list[int]:
        row = self[seat] = list(self.seats[seat])
        return row

    def __len__(self) -> int:
        return len(self.seats)


def _follow(book: Numbered, seats: list[list[int]], now: list[Any], event: Event) -> None:
    """Let an event happen that may change any seat."""
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
