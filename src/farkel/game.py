"""The game itself: immutable states, explicit chance, one legality path.

A `State` waits for a throw (``Phase.START``, ``Phase.ROLL``), for a decision (``Phase.OFFER``, ``Phase.KEEP``) or is
over. The engine never throws dice: `chance_outcomes` lists what may fall and `apply` is a pure function of a state and
an event. `legal_actions`, `is_legal`, `check` and `apply` all rest on `refusal`. Clause numbers are those of
``docs/rules.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeVar

from farkel.dice import FACES, Roll, all_rolls, faces_text, roll_of, ways
from farkel.errors import FarkelError, PlayerError
from farkel.rules.model import Rules
from farkel.scoring import Kept, Scored, score_table

T = TypeVar("T")
Then = Literal["roll", "bank"]
THENS: tuple[str, ...] = ("roll", "bank")
Reason = Literal["target", "exact", "last_turns", "equal_turns", "rounds", "standing", "left", "nobody"]


class Phase(Enum):
    """What a state waits for."""

    START = "start"
    """One die, thrown to find out who starts."""
    OFFER = "offer"
    """A decision: start fresh or take over."""
    ROLL = "roll"
    """A throw of ``dice`` dice."""
    KEEP = "keep"
    """A decision: what to keep of ``roll``, and whether to roll on or bank."""
    OVER = "over"


class Seat(NamedTuple):
    """One column of the score sheet: a player or a team."""

    score: int = 0
    """Points banked."""
    lives: int = 0
    people: int = 1
    person: int = 0
    """Whose turn it is within the team, 0-based; moves only where partners take turns (L5)."""
    entered: int = 0
    """Bits of the people who have made the entry score; -1 (all) where there is none to make."""
    farkles: int = 0
    """Farkles in a row, counted only where they are fined."""
    status: Literal["in", "out", "left"] = "in"
    """``out`` of lives (O11), or ``left`` the table."""

    @property
    def on_board(self) -> bool:
        """Whether the person whose turn it is may bank less than the entry score (S6, L5)."""
        return bool(self.entered >> self.person & 1)


class Offer(NamedTuple):
    """What the seat before left behind: its turn total and the dice it did not set aside (D9)."""

    points: int
    dice: int


class Result(NamedTuple):
    """How a game ended: the winning seats (none, one, or several with equal scores) and why."""

    winners: tuple[int, ...]
    reason: Reason


class State(NamedTuple):
    """A whole game at one moment. Equal states are equal and hash alike; history is the list of events."""

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase
    seat: int = 0
    """Index of the seat that throws or decides."""
    points: int = 0
    """Turn total: set aside and not banked. Before the first roll of a take-over: the points on offer."""
    dice: int = 0
    """Dice to roll now, or in the roll to decide on."""
    idle: int = 0
    """Dice of the offer that were not taken, which this seat may not roll (O17)."""
    taking: bool = False
    """The next roll is the first one of a take-over."""
    hot: int = 0
    """Hot dice so far in this turn, counted only where they multiply points."""
    roll: Roll = ()
    offer: Offer | None = None
    first: int = 0
    """The seat that started the game: rounds begin with it."""
    throws: tuple[int, ...] = ()
    """In ``Phase.START`` by highest die: each seat's throw, 0 still to throw, -1 no longer in it."""
    closer: int = -1
    """The seat whose bank began the last turns or the last round; -1 before that."""
    rounds_left: int = 0
    """Rounds still to play, this one included, where their number is fixed; else 0."""
    standing: int = 0
    """Rounds left to the last team standing, this one included (O20); 0 before that."""
    result: Result | None = None

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER


@dataclass(frozen=True, slots=True)
class Fresh:
    """Start the turn with all dice and a turn total of nothing."""


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Start the turn from the offer, with so many of its dice."""

    dice: int


@dataclass(frozen=True, slots=True)
class Keep:
    """Set these dice aside, then roll on or bank: one decision, as people make it."""

    dice: Roll
    then: Then


@dataclass(frozen=True, slots=True)
class Leave:
    """A seat gives up its place at the table."""

    seat: int


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice fall: the only event that is chance."""

    faces: Roll


Action = Fresh | TakeOver | Keep
Event = Throw | Fresh | TakeOver | Keep | Leave


class IllegalEvent(FarkelError):
    """An event that the rules do not allow now.

    ``code`` is stable, ``reason`` is the sentence for people, ``message`` adds the position, and ``dice`` are the
    offending ones.
    """

    def __init__(self, code: str, reason: str, state: State, event: Event, dice: Roll = ()) -> None:
        super().__init__(code, f"{reason} ({position(state)})")
        self.reason = reason
        self.state = state
        self.event = event
        self.dice = dice

    @property
    def legal(self) -> tuple[Action, ...]:
        """What would be legal instead, where a decision is due."""
        return legal_actions(self.state)


# Starting a game -----------------------------------------------------------------------------------------------------


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


# What may happen -----------------------------------------------------------------------------------------------------


def chance_outcomes(state: State) -> tuple[tuple[Throw, int], ...]:
    """Every throw that may fall now and in how many of the 6**n ways; empty where no throw is due."""
    dice = dice_due(state)
    return _throws(dice) if dice else ()


def dice_due(state: State) -> int:
    """How many dice are to be thrown now: 0 where none are."""
    if state.phase is Phase.ROLL:
        return state.dice
    return 1 if state.phase is Phase.START else 0


def legal_actions(state: State) -> tuple[Action, ...]:
    """Every decision that is legal now; empty where none is due, never empty where one is (D3)."""
    if state.phase is Phase.KEEP:
        actions = _keeps(state.rules, state.roll)
        if _unrestricted(state):
            return actions
        scored = score_table(state.rules)[state.roll]
        return tuple(action for action in actions if _keep_refusal(state, scored, action) is None)
    if state.phase is Phase.OFFER and state.offer is not None:
        options: tuple[Action, ...] = (Fresh(), *map(TakeOver, range(1, state.offer.dice + 1)))
        return tuple(action for action in options if refusal(state, action) is None)
    return ()


def is_legal(state: State, event: Event) -> bool:
    """Whether the event may happen now."""
    return refusal(state, event) is None


def check(state: State, event: Event) -> None:
    """Raise `IllegalEvent` with a code and a sentence where the event may not happen now."""
    code = refusal(state, event)
    if code is not None:
        raise IllegalEvent(code, *_explain(code, state, event))


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
    if not 0 <= event.seat < len(state.seats):
        return "no_such_seat"
    return None if state.seats[event.seat].status == "in" else "seat_is_gone"


def bank_needs(state: State) -> int:
    """The turn total that the rules ask for before the seat may bank (S6, R7); 0 where they ask for none."""
    rules = state.rules
    if rules.entry and not state.seats[state.seat].on_board:
        return max(rules.entry, rules.minimum)
    return rules.minimum


def turn_total(state: State, dice: Roll) -> int:
    """The turn total with these dice of the roll set aside: 0 for dice that may not be kept."""
    kept = score_table(state.rules)[state.roll].keeps.get(dice)
    return 0 if kept is None else state.points + _worth(state, kept)


def _worth(state: State, kept: Kept) -> int:
    return kept.points * (1 + state.hot)


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
    total = state.points + _worth(state, kept)
    if total < bank_needs(state) and not _hits(state, total):
        return "below_minimum" if state.seats[state.seat].on_board else "below_entry"
    if kept.hot and rules.hot_dice == "forced" and not state.idle:
        return None if rules.triple_ends_turn and scored.triple else "must_roll_hot_dice"
    return None


def _hits(state: State, total: int) -> bool:
    """Whether banking the total hits a target that must be hit exactly: always allowed, or no score could end there."""
    rules = state.rules
    return rules.finish in ("exact", "welfare") and state.seats[state.seat].score + total == rules.target


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


# What follows --------------------------------------------------------------------------------------------------------


def apply(state: State, event: Event) -> State:
    """The state after the event. Raises `IllegalEvent` where the rules do not allow it."""
    code = refusal(state, event)
    if code is not None:
        raise IllegalEvent(code, *_explain(code, state, event))
    if isinstance(event, Throw):
        return _start_throw(state, event.faces[0]) if state.phase is Phase.START else _rolled(state, event.faces)
    if isinstance(event, Keep):
        kept = score_table(state.rules)[state.roll].keeps[event.dice]
        return _roll_on(state, kept) if event.then == "roll" else _bank(state, kept)
    if isinstance(event, Fresh):
        return state._replace(phase=Phase.ROLL, dice=state.rules.dice, offer=None)
    if isinstance(event, TakeOver):
        return _take(state, state.offer or Offer(0, 0), event.dice)
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
    seats = state.seats
    if scored.fine:
        seats = _with(seats, state.seat, _fine(rules, seats[state.seat], scored.fine))
    if not scored.keeps:
        return _farkle(state._replace(seats=seats))
    if state.taking and rules.take_over.price == "stake":
        seat = seats[state.seat]
        seats = _with(seats, state.seat, seat._replace(score=seat.score + rules.take_over.stake))
    return state._replace(phase=Phase.KEEP, seats=seats, roll=faces, taking=False)


def _farkle(state: State) -> State:
    """A farkle: the turn total is lost (C6), and whatever else the rules take (O9, O10, X)."""
    rules, seat = state.rules, state.seats[state.seat]
    all_dice = state.dice == rules.dice
    cost = (rules.lives.farkle_all_dice if all_dice else 0) or rules.lives.farkle
    if cost:
        lives = max(0, seat.lives - cost)
        seat = seat._replace(lives=lives, status="in" if lives else "out")
    if all_dice and rules.penalties.farkle_all_dice:
        seat = _fine(rules, seat, rules.penalties.farkle_all_dice)
    if rules.penalties.farkles_in_row:
        seat = seat._replace(farkles=seat.farkles + 1)
        if seat.farkles == rules.penalties.farkles_in_row:
            seat = _fine(rules, seat, rules.penalties.farkles_in_row_points)._replace(farkles=0)
    offer = None
    if rules.take_over.after_farkle and state.points and not state.taking:
        offer = Offer(state.points, state.dice + state.idle)
    return _pass(state, _with(state.seats, state.seat, seat), offer)


def _roll_on(state: State, kept: Kept) -> State:
    hot = state.hot + 1 if kept.hot and not state.idle and state.rules.hot_dice_multiplier else state.hot
    return state._replace(
        phase=Phase.ROLL,
        points=state.points + _worth(state, kept),
        dice=kept.left,
        # A buyer who may not bank yet rolls on with all dice, those not bought among them (D3 before O17).
        idle=0 if kept.hot else state.idle,
        hot=hot,
        roll=(),
    )


def _bank(state: State, kept: Kept) -> State:
    """Add the turn total to the score, and leave what is left to the next seat."""
    rules, seat = state.rules, state.seats[state.seat]
    total = state.points + _worth(state, kept)
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
    return _pass(state, seats, _offer(state, kept, total))


def _offer(state: State, kept: Kept, total: int) -> Offer | None:
    take = state.rules.take_over
    if take.price == "none":
        return None
    dice = (0 if kept.hot else kept.left) + state.idle
    if dice == 0:
        return Offer(total, state.rules.dice) if take.after_hot_dice else None
    return Offer(total, dice)


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
    return state._replace(
        rounds_left=rounds_left,
        seats=seats,
        phase=Phase.OFFER if offer else Phase.ROLL,
        seat=upcoming,
        points=0,
        dice=0 if offer else rules.dice,
        idle=0,
        taking=False,
        hot=0,
        roll=(),
        offer=offer,
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
    return state._replace(
        seats=seats,
        phase=Phase.OVER,
        points=0,
        dice=0,
        idle=0,
        taking=False,
        hot=0,
        roll=(),
        offer=None,
        throws=(),
        result=Result(winners, reason),
    )


def _fine(rules: Rules, seat: Seat, points: int) -> Seat:
    score = seat.score - points
    if score < 0 and not rules.penalties.below_zero:
        score = min(0, seat.score)
    return seat._replace(score=score)


def _round_from(seat: int, seats: int) -> tuple[int, ...]:
    """The seats after ``seat``, in the order of play, itself last."""
    return tuple((seat + step) % seats for step in range(1, seats + 1))


def _passes(state: State, seat: int, upcoming: int) -> bool:
    """Whether the dice, on their way from ``state.seat`` to the upcoming seat, come to that seat or pass it."""
    seats = len(state.seats)
    return (seat - state.seat - 1) % seats <= (upcoming - state.seat - 1) % seats


def _after(seats: tuple[Seat, ...], seat: int) -> int:
    """The next seat to the left that is still in the game (C8)."""
    return next(index for index in _round_from(seat, len(seats)) if seats[index].status == "in")


def _with(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


# Why not -------------------------------------------------------------------------------------------------------------

REFUSALS = {
    "game_over": "the game is over",
    "throw_due": "{due} to be thrown before anything is decided",
    "other_decision_due": "{decision} is due",
    "no_throw_due": "no dice are to be thrown now: {decision} is due",
    "wrong_number_of_dice": "{given} dice were thrown, but {due} to be thrown",
    "bad_faces": "{faces} is no roll: faces are 1 to 6, in ascending order",
    "keep_nothing": "nothing is set aside: keep at least one scoring die of {roll}",
    "dice_not_rolled": "{faces} cannot be kept: the roll is {roll}",
    "dice_are_fined": "{faces} cannot be kept: three or more alike of a face that is fined neither score nor stay",
    "dice_do_not_score": "{faces} cannot be kept: {dead} does not score; of {roll} the best is {best}",
    "roll_or_bank": "after a keep comes roll or bank, nothing else",
    "below_entry": "{total} points are too few to get on the board: the first bank needs {needs} in one turn; roll on",
    "below_minimum": "{total} points are too few to bank: every turn needs {needs}; roll on",
    "must_roll_hot_dice": "all dice are set aside: hot dice must be rolled at least once more",
    "triple_must_bank": "three alike were rolled: after a three of a kind the turn total must be banked",
    "bought_must_bank": "all the dice taken over are set aside and the others may not be rolled: bank",
    "nothing_on_offer": "nothing is on offer: the seat before left no dice, or its turn is over; start with all dice",
    "not_so_many_dice": "{dice} dice cannot be taken over: {offered} on offer",
    "all_dice_or_none": "{dice} of the dice cannot be taken over: {offered} on offer, all of them or none",
    "too_few_lives": "each die costs a life and one life must remain: with {lives} left there are too few for {dice}",
    "too_few_points": "a take-over stakes {stake} banked points, but there are {score}",
    "no_such_seat": "there is no seat {seat_given}: seats are 1 to {seats}",
    "seat_is_gone": "seat {seat_given} is not in the game any more",
}
"""Every reason why an event may not happen, by its stable code."""


def _explain(code: str, state: State, event: Event) -> tuple[str, State, Event, Roll]:
    """The sentence for a refusal, with the position, and the offending dice."""
    seat, rules = state.seats[state.seat], state.rules
    dice: Roll = event.dice if isinstance(event, Keep) else event.faces if isinstance(event, Throw) else ()
    scored = score_table(rules)[state.roll] if state.roll else None
    dead = _dead(state, dice) if code == "dice_do_not_score" else ()
    best = scored.best if scored else None
    sentence = REFUSALS[code].format(
        due=_dice_are(dice_due(state)),
        decision="to start fresh or take over" if state.phase is Phase.OFFER else "what to keep",
        given=len(dice),
        faces=faces_text(dice, "-"),
        roll=faces_text(state.roll, "-"),
        dead=faces_text(dead, "-"),
        best=f"{faces_text(best.dice, '-')} for {best.points:,}" if best else "nothing",
        total=f"{turn_total(state, dice) if scored else 0:,}",
        needs=f"{bank_needs(state):,}",
        dice=event.dice if isinstance(event, TakeOver) else "",
        offered=_dice_are(state.offer.dice if state.offer else 0),
        lives=seat.lives,
        stake=f"{rules.take_over.stake:,}",
        score=f"{seat.score:,}",
        seat_given=event.seat + 1 if isinstance(event, Leave) else "",
        seats=len(state.seats),
    )
    return sentence, state, event, dead or dice


def position(state: State) -> str:
    """Where the game stands, in a few words, for error messages."""
    if state.phase is Phase.OVER:
        return "game over"
    where = [f"seat {state.seat + 1} at {state.seats[state.seat].score:,}", f"turn total {state.points:,}"]
    if state.roll:
        where.append(f"roll {faces_text(state.roll, '-')}")
    return ", ".join(where)


def _dead(state: State, dice: Roll) -> Roll:
    """The dice of a keep that stand in no combination: without them the rest would score."""
    keeps = score_table(state.rules)[state.roll].keeps
    inside = [kept for kept in keeps if all(kept.count(face) <= dice.count(face) for face in set(kept))]
    most = max(inside, key=len, default=())
    return tuple(face for face in FACES for _ in range(dice.count(face) - most.count(face)))


def _dice_are(dice: int) -> str:
    return "1 die is" if dice == 1 else f"{dice} dice are"
