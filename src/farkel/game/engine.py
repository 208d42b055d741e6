"""What follows from an event: the engine, as a pure function of a state and an event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from farkel.errors import PlayerError
from farkel.game import law
from farkel.game.events import Event, Fresh, Keep, Leave, Note, TakeOver, Throw
from farkel.game.law import KEEP, OVER, ROLL, START
from farkel.game.legality import why_not
from farkel.game.numbered import Numbered, numbered
from farkel.game.refusals import illegal
from farkel.game.state import Seat, State
from farkel.rules import AnyRules, as_rules
from farkel.support.bounds import quoted
from farkel.support.words import counted

_new = tuple.__new__


def new_game(rules: AnyRules, people: int | Sequence[int] = 2) -> State:
    """Return a game about to start.

    people: how many players there are, or how many people in each seat, in the order of the table.

    Raises `PlayerError` ``bad_seats`` for more seats or larger teams than the rules know, and for names.
    """
    people = (1,) * people if isinstance(people, int) else people
    given: Any = people
    several = isinstance(given, Iterable) and not isinstance(given, str)
    if not several or not all(isinstance(size, int) for size in given):
        said = quoted(list(given) if several else given)
        raise PlayerError(
            "bad_seats",
            f"people are given by number, not as {said}: say how many players there are, such as 2, or how many people "
            "each seat has, such as (2, 2)",
        )
    rules = as_rules(rules)
    if not people:
        raise PlayerError("bad_seats", f"there are no players: {rules.name} needs at least one")
    if len(people) > rules.most_seats:
        most = counted(rules.most_seats, "player or team", "players or teams")
        raise PlayerError("bad_seats", f"too many: {rules.name} is for at most {most}, not {len(people)}")
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


def replay(rules: AnyRules, people: int | Sequence[int], events: Iterable[Event]) -> State:
    """Return the state that these events lead to from a new game."""
    state = new_game(rules, people)
    for event in events:
        state = apply(state, event)
    return state


def apply(state: State, event: Event) -> State:
    """Return the state after the event. Raises `IllegalEvent` if the rules do not allow it."""
    book = numbered(state.rules)
    why = why_not(book, state, event)
    if why:
        raise illegal(why, state, event)
    now: list[Any] = list(state)
    if not _follow_in_turn(book, state.mine, now, event):
        now[1], _ = _seats_after(book, state, now, event)
    return _new(State, now)


def follow(state: State, event: Event) -> tuple[State, bool]:
    """Return the state after the event, as `apply`, and whether it `ends_turn`, which is known then anyway."""
    why = why_not(numbered(state.rules), state, event)
    if why:
        raise illegal(why, state, event)
    return advance(state, event)


def advance(state: State, event: Event) -> tuple[State, bool]:
    """Return what `follow` returns, for an event that is known to be legal."""
    book, ends = numbered(state.rules), False
    now: list[Any] = list(state)
    if not _follow_in_turn(book, state.mine, now, event):
        now[1], ends = _seats_after(book, state, now, event)
    return _new(State, now), ends or now[law.PHASE] is OVER


def ends_turn(before: State, event: Event, after: State) -> bool:
    """Return whether the event ends the turn of the seat to move, or the game. ``after`` is ``apply(before, event)``.

    Throws for the start are in no turn.
    """
    if after.over:
        return True
    if after.points or after.phase is KEEP:
        return False  # a turn is on, and none begins so
    book, now = numbered(before.rules), list(before)
    follows = _follow_in_turn(book, before.mine, now, event)
    return not follows and _follow(book, [list(seat) for seat in before.seats], now, event)


def _follow_in_turn(book: Numbered, mine: Seat, now: list[Any], event: Event) -> bool:
    """Apply an event that leaves the seats as they are, as most do. Return whether it is one."""
    if isinstance(event, Throw):
        rolled = law.read_as(book.terms, now, law.as_open(book.terms, now, book.number[event.faces]))
        if now[law.PHASE] is not ROLL or not law.changes_no_seat(book.terms, mine, now, rolled):
            return False
        law.ask(book.terms, now, rolled)
    elif isinstance(event, Keep) and event.then == "roll":
        keep = book.keeps[now[law.ROLLED]][event.dice]
        if law.pays_score(book.terms, now, keep):
            return False
        law.set_aside(book.terms, now, keep)
    elif isinstance(event, Fresh):
        law.start_fresh(book.terms, now)
    else:
        return False
    return True


def _seats_after(book: Numbered, state: State, now: list[Any], event: Event) -> tuple[tuple[Seat, ...], bool]:
    """Apply an event that may change seats. Return them, and whether it ends the turn.

    Only those that it may change are copied into rows.
    """
    seats: list[Any] = list(state.seats)
    one = book.own and state.phase is not START and not isinstance(event, Leave)
    rows = (state.seat,) if one else range(len(seats))
    for seat in rows:
        seats[seat] = list(seats[seat])
    ends = _follow(book, seats, now, event)
    for seat in rows:
        seats[seat] = _new(Seat, seats[seat])
    return tuple(seats), ends


def _follow(book: Numbered, seats: list[list[int]], now: list[Any], event: Event) -> bool:
    """Apply an event to the rows of the seats and of the game. Return whether it ends the turn."""
    terms = book.terms
    if isinstance(event, Keep):
        keep = book.keeps[now[law.ROLLED]][event.dice]
        if event.then == "roll":
            return law.roll_on(terms, seats, now, keep)
        law.bank(terms, seats, now, keep)
    elif isinstance(event, Throw):
        if now[law.PHASE] is ROLL:
            return law.roll(terms, seats, now, law.as_open(terms, now, book.number[event.faces]))
        law.start_throw(terms, seats, now, book.number[event.faces])
        return False
    elif isinstance(event, TakeOver):
        law.take_over(terms, seats[now[law.SEAT]], now, event.dice)
        return False
    elif isinstance(event, Leave):
        return law.leave(terms, seats, now, event.seat)
    elif isinstance(event, Note) and event.passes:
        law.pass_on(terms, seats, now, 0, 0)
    elif isinstance(event, Note):
        law.note(terms, seats, now, event.points, event.dice, event.farkle)
    return True
