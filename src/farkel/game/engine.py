"""What follows from an event: the engine, as a pure function of a state and an event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from farkel.dice import Roll
from farkel.errors import PlayerError
from farkel.game.refusals import check
from farkel.game.state import (
    Event,
    Fresh,
    Keep,
    Note,
    Offer,
    Phase,
    Reason,
    Result,
    Seat,
    State,
    TakeOver,
    Throw,
    farkle_cost,
    fined,
    first_roll_scored,
    left_lying,
    worth,
)
from farkel.rules.model import Rules
from farkel.scoring import Kept, score_table

T = TypeVar("T")


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
    entered = -1 if rules.entry == 0 else 0
    seats = tuple(Seat(lives=rules.lives.each, people=size, entered=entered) for size in people)
    start = State(rules, seats, Phase.START, throws=(0,) * len(seats), rounds_left=rules.rounds)
    if rules.start == "first_seat" or len(seats) == 1:
        return _begin(start, 0)
    return start


def replay(rules: Rules, people: Sequence[int], events: Iterable[Event]) -> State:
    """The state that these events lead to from a new game."""
    state = new_game(rules, people)
    for event in events:
        state = apply(state, event)
    return state


def apply(state: State, event: Event) -> State:
    """The state after the event. Raises `IllegalEvent` where the rules do not allow it."""
    check(state, event)
    if isinstance(event, Throw):
        return _start_throw(state, event.faces[0]) if state.phase is Phase.START else _rolled(state, event.faces)
    if isinstance(event, Keep):
        kept = score_table(state.rules)[state.roll].keeps[event.dice]
        if event.then == "roll":
            return _roll_on(state, kept)
        return _bank(state, state.points + worth(state, kept), left_lying(state, kept))
    if isinstance(event, Fresh):
        return state._replace(phase=Phase.ROLL, dice=state.rules.dice, offer=None)
    if isinstance(event, TakeOver):
        return _take(state, state.offer or Offer(0, 0), event.dice)
    if isinstance(event, Note):
        return _noted(state, event)
    return _leave(state, event.seat)


def _begin(state: State, first: int) -> State:
    return state._replace(phase=Phase.ROLL, seat=first, first=first, dice=state.rules.dice, throws=())


def _start_throw(state: State, face: int) -> State:
    """One die for the start: the first 6 (O12), or the highest with ties thrown again (S5, R1)."""
    if state.rules.start == "first_six":
        return _begin(state, state.seat) if face == 6 else state._replace(seat=_after(state.seats, state.seat))
    return _settle_throws(state, _with(state.throws, state.seat, face))


def _settle_throws(state: State, throws: tuple[int, ...]) -> State:
    """The next one to throw; where all have thrown the highest starts, and ties throw again."""
    highest = max(throws)
    if 0 not in throws and throws.count(highest) == 1:
        return _begin(state, throws.index(highest))
    if 0 not in throws:
        again = (seat.status == "in" and face == highest for seat, face in zip(state.seats, throws, strict=True))
        throws = tuple(0 if contender else -1 for contender in again)
    return state._replace(throws=throws, seat=throws.index(0))


def _take(state: State, offer: Offer, dice: int) -> State:
    """Start from the offer; the price is paid before the dice fall (O13, L7)."""
    take, seat = state.rules.take_over, state.seats[state.seat]
    if take.price == "lives":
        seat = seat._replace(lives=seat.lives - dice)
    elif take.price == "stake":
        seat = seat._replace(score=seat.score - take.stake)
    return state._replace(
        phase=Phase.ROLL,
        seats=_with(state.seats, state.seat, seat),
        points=offer.points,
        dice=dice,
        idle=offer.dice - dice,
        taking=True,
        offer=None,
    )


def _rolled(state: State, faces: Roll) -> State:
    rules = state.rules
    scored = score_table(rules)[faces]
    if scored.fine:
        seat = state.seats[state.seat]
        seat = seat._replace(score=fined(rules, seat.score, scored.fine))
        state = state._replace(seats=_with(state.seats, state.seat, seat))
    if not scored.keeps:
        return _farkle(state)
    if state.taking:
        state = _taken(state)
    return state._replace(phase=Phase.KEEP, roll=faces)


def _taken(state: State) -> State:
    """The first roll of a take-over scores: the stake goes back (L7)."""
    stake, seat = state.rules.take_over.stake, state.seats[state.seat]
    if not stake:
        return state._replace(taking=False)
    return state._replace(seats=_with(state.seats, state.seat, seat._replace(score=seat.score + stake)), taking=False)


def _noted(state: State, note: Note) -> State:
    """The end of a turn that nobody followed (D24). What was typed of it before is superseded."""
    if note.passes:
        return _pass(state, state.seats, None)
    if first_roll_scored(state, note):
        state = _taken(state)
    if not note.farkle:
        return _bank(state, note.points, note.dice)
    # With more dice than were in hand, those that lay idle have been rolled too (D12). Of dice that nobody knows the
    # next seat can take nothing over.
    idle = state.idle if note.dice <= state.dice else 0
    return _farkle(state._replace(points=note.points if note.dice else 0, dice=note.dice, idle=idle))


def _farkle(state: State) -> State:
    """A farkle: the turn total is lost (C6), and whatever else the rules take (O9, O10, X)."""
    rules, seat = state.rules, state.seats[state.seat]
    lives, points = farkle_cost(state, state.dice)
    if lives:
        left = max(0, seat.lives - lives)
        seat = seat._replace(lives=left, status="in" if left else "out")
    if rules.penalties.farkles_in_row:
        seat = seat._replace(farkles=(seat.farkles + 1) % rules.penalties.farkles_in_row)
    if points:
        seat = seat._replace(score=fined(rules, seat.score, points))
    offer = None
    if rules.take_over.after_farkle and state.points and not state.taking:
        offer = Offer(state.points, state.dice + state.idle)
    return _pass(state, _with(state.seats, state.seat, seat), offer)


def _roll_on(state: State, kept: Kept) -> State:
    hot = state.hot + 1 if kept.hot and not state.idle and state.rules.hot_dice_multiplier else state.hot
    return state._replace(
        phase=Phase.ROLL,
        points=state.points + worth(state, kept),
        dice=kept.left,
        # A buyer who may not bank yet rolls on with all dice, those not bought among them (D3 before O17).
        idle=0 if kept.hot else state.idle,
        hot=hot,
        roll=(),
    )


def _bank(state: State, total: int, left: int) -> State:
    """Add the turn total to the score, and leave the dice that lie there to the next seat."""
    rules, seat = state.rules, state.seats[state.seat]
    score = seat.score + total
    over = score - rules.target
    if over > 0 and rules.finish in ("exact", "welfare"):
        seats = _with(state.seats, state.seat, seat._replace(farkles=0))
        if rules.finish == "welfare":
            return _welfare(state, seats, over)
        return _pass(state, seats, None)
    entered = seat.entered | 1 << seat.person if rules.entry_each else -1
    seat = seat._replace(score=score, entered=entered, farkles=0)
    seats = _with(state.seats, state.seat, seat)
    if rules.target and over >= 0 and state.closer < 0:
        if rules.finish in ("at_once", "exact", "welfare"):
            return _end(state, seats, (state.seat,), "target" if rules.finish == "at_once" else "exact")
        if len(seats) == 1:
            return _end(state, seats, (0,), "target")
        state = state._replace(closer=state.seat)
    return _pass(state, seats, _offer(state.rules, total, left))


def _offer(rules: Rules, total: int, left: int) -> Offer | None:
    if rules.take_over.price == "none":
        return None
    if left == 0:
        return Offer(total, rules.dice) if rules.take_over.after_hot_dice else None
    return Offer(total, left)


def _welfare(state: State, seats: tuple[Seat, ...], over: int) -> State:
    """Give what went over the target to the lowest other score, the first to the left among equals, if it fits."""
    others = [
        index for index in _round_from(state.seat, len(seats)) if index != state.seat and seats[index].status == "in"
    ]
    if not others:
        return _pass(state, seats, None)
    lowest = min(others, key=lambda index: seats[index].score)
    score = seats[lowest].score + over
    if score > state.rules.target:
        return _pass(state, seats, None)
    seats = _with(seats, lowest, seats[lowest]._replace(score=score))
    if score == state.rules.target:
        return _end(state, seats, (lowest,), "exact")
    return _pass(state, seats, None)


def _leave(state: State, gone: int) -> State:
    """A seat gives up. The last one at the table wins, but plays on against the target where O20 says so."""
    rules = state.rules
    seats = _with(state.seats, gone, state.seats[gone]._replace(status="left"))
    alive = tuple(index for index, seat in enumerate(seats) if seat.status == "in")
    plays_on = rules.lives.each > 0 and rules.lives.last_standing == "rounds"
    if not alive:
        return _end(state, seats, (), "nobody")
    if len(alive) == 1 and not plays_on:
        return _end(state, seats, alive, "left")
    if len(alive) == 1 and gone != state.seat and state.closer < 0:
        state = state._replace(standing=_standing(state, seats[alive[0]]))
    if state.phase is Phase.START:
        if len(alive) == 1:
            standing = state.standing or _standing(state, seats[alive[0]])
            return _begin(state._replace(seats=seats, standing=standing), alive[0])
        if rules.start == "first_six":
            return state._replace(seats=seats, seat=_after(seats, gone) if gone == state.seat else state.seat)
        return _settle_throws(state._replace(seats=seats), _with(state.throws, gone, -1))
    if gone == state.seat:
        return _pass(state, seats, None)
    return state._replace(seats=seats)


def _pass(state: State, seats: tuple[Seat, ...], offer: Offer | None) -> State:
    """End the turn of ``state.seat`` and start the next seat's, or the game's end."""
    rules, now = state.rules, state.seat
    if rules.teams == "partners":
        seats = _with(seats, now, seats[now]._replace(person=(seats[now].person + 1) % seats[now].people))
    alive = [index for index, seat in enumerate(seats) if seat.status == "in"]
    if not alive:
        return _end(state, seats, (), "nobody")
    if state.closer < 0 and len(alive) == 1 and len(seats) > 1:
        if rules.lives.last_standing == "wins":
            return _end(state, seats, tuple(alive), "standing")
        state = state._replace(standing=_standing(state, seats[alive[0]]))
        if not state.standing:
            return _end(state, seats, (), "nobody")
    upcoming = _after(seats, now)
    rounds_left = state.rounds_left
    if state.closer >= 0:
        if rules.finish == "equal_turns" and _passes(state, state.first, upcoming):
            return _end(state, seats, _best(state, seats), "equal_turns")
        if rules.finish == "last_turns" and _passes(state, state.closer, upcoming):
            return _end(state, seats, _best(state, seats), "last_turns")
    elif rounds_left and _passes(state, state.first, upcoming):
        rounds_left -= 1
        if not rounds_left:
            return _end(state, seats, _best(state, seats), "rounds")
    if upcoming == now:
        offer = None  # nobody takes over from himself (D14)
    return State(
        rules,
        seats,
        Phase.OFFER if offer else Phase.ROLL,
        upcoming,
        dice=0 if offer else rules.dice,
        offer=offer,
        first=state.first,
        closer=state.closer,
        rounds_left=rounds_left,
        standing=state.standing,
    )


def _standing(state: State, seat: Seat) -> int:
    """Rounds left to the last team standing: one for every ``round_points`` or part of it short of the target (O20)."""
    if state.standing:
        return state.standing - 1
    return -((seat.score - state.rules.target) // state.rules.lives.round_points)


def _best(state: State, seats: tuple[Seat, ...]) -> tuple[int, ...]:
    """The highest of those still in. In last turns the one who was there first beats an equal score (D1)."""
    first = max(0, state.closer)
    alive = [index for index in _round_from(first - 1, len(seats)) if seats[index].status == "in"]
    highest = max(seats[index].score for index in alive)
    winners = tuple(index for index in alive if seats[index].score == highest)
    return winners[:1] if state.rules.finish == "last_turns" and state.closer >= 0 else tuple(sorted(winners))


def _end(state: State, seats: tuple[Seat, ...], winners: tuple[int, ...], reason: Reason) -> State:
    return State(
        state.rules,
        seats,
        Phase.OVER,
        state.seat,
        first=state.first,
        closer=state.closer,
        rounds_left=state.rounds_left,
        standing=state.standing,
        result=Result(winners, reason),
    )


def _round_from(seat: int, seats: int) -> tuple[int, ...]:
    """The seats after ``seat``, in the order of play, itself last."""
    return tuple((seat + step) % seats for step in range(1, seats + 1))


def _passes(state: State, seat: int, upcoming: int) -> bool:
    """Whether the dice, on their way from ``state.seat`` to the upcoming seat, come to that seat or pass it."""
    seats = len(state.seats)
    return (seat - state.seat - 1) % seats <= (upcoming - state.seat - 1) % seats


def _after(seats: tuple[Seat, ...], seat: int) -> int:
    """The next seat to the left that is still in the game (C8)."""
    upcoming = (seat + 1) % len(seats)
    while seats[upcoming].status != "in":
        upcoming = (upcoming + 1) % len(seats)
    return upcoming


def _with(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])
