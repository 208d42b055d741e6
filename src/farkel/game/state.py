"""What a game is at one moment, and what can happen to it: values, and what can be read off them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

from farkel.dice import Roll
from farkel.rules.model import Rules
from farkel.scoring import Kept, score_table

Then = Literal["roll", "bank"]
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


@dataclass(frozen=True, slots=True)
class Note:
    """A whole turn as people tell it: how the turn of the seat ends whose turn it is (D24).

    ``points`` is the turn total that is banked, what was set aside or taken over before included. After a farkle it is
    the turn total that was lost, 0 where nobody knows. No points, no dice and no farkle: the seat is passed over.
    """

    points: int
    dice: int
    """Dice that are not set aside, 0 with all of them set aside; or those that farkled, 0 where nobody knows."""
    farkle: bool = False

    @property
    def passes(self) -> bool:
        """Whether the seat is passed over: it has no turn at all."""
        return not (self.points or self.dice or self.farkle)


Action = Fresh | TakeOver | Keep
"""What a player decides."""
Event = Throw | Fresh | TakeOver | Keep | Leave | Note


def dice_due(state: State) -> int:
    """How many dice are to be thrown now: 0 where none are."""
    if state.phase is Phase.ROLL:
        return state.dice
    return 1 if state.phase is Phase.START else 0


def bank_needs(state: State) -> int:
    """The turn total that the rules ask for before the seat may bank (S6, R7); 0 where they ask for none."""
    rules = state.rules
    if rules.entry and not state.seats[state.seat].on_board:
        return max(rules.entry, rules.minimum)
    return rules.minimum


def hits_target(state: State, total: int) -> bool:
    """Whether banking the total hits a target that must be hit exactly (D4, D11)."""
    rules = state.rules
    return rules.finish in ("exact", "welfare") and state.seats[state.seat].score + total == rules.target


def turn_total(state: State, dice: Roll) -> int:
    """The turn total with these dice of the roll set aside: 0 for dice that may not be kept."""
    kept = score_table(state.rules)[state.roll].keeps.get(dice)
    return 0 if kept is None else state.points + worth(state, kept)


def left_lying(state: State, kept: Kept) -> int:
    """Dice that lie there when the keep is banked: those not set aside, and those of an offer never taken (O18)."""
    return (0 if kept.hot else kept.left) + state.idle


def first_roll_scored(state: State, note: Note) -> bool:
    """Whether the noted turn is a take-over whose first roll scored: it was banked, or farkled with more points."""
    return state.taking and (not note.farkle or note.points > state.points)


def farkle_cost(state: State, dice: int) -> tuple[int, int]:
    """Lives and banked points that a farkle with so many dice costs the seat, besides its turn total (O9, O10, X)."""
    lives, fines = state.rules.lives, state.rules.penalties
    all_dice = dice == state.rules.dice
    points = fines.farkle_all_dice if all_dice else 0
    if fines.farkles_in_row and state.seats[state.seat].farkles + 1 == fines.farkles_in_row:
        points += fines.farkles_in_row_points
    return (lives.farkle_all_dice if all_dice else 0) or lives.farkle, points


def fined(rules: Rules, score: int, points: int) -> int:
    """The score after a fine: it stops at zero where the rules say so (D6)."""
    return score - points if rules.penalties.below_zero else min(score, max(0, score - points))


def worth(state: State, kept: Kept) -> int:
    """What a keep adds to the turn total: its points, multiplied where hot dice do that (X)."""
    return kept.points * (1 + state.hot)
