"""The two rows of a game: what their numbers are, and the names of numbers."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from enum import IntEnum
from typing import Protocol

from farkel.game.law.terms import Close, Price, TurnTotal

Row = MutableSequence[int]
Read = Sequence[int]
"""A row that is only read."""


class Seats(Protocol):
    """The rows of the seats, by seat."""

    def __getitem__(self, seat: int, /) -> Row: ...
    def __len__(self) -> int: ...


class ReadSeats(Protocol):
    """The rows of the seats, only to be read."""

    def __getitem__(self, seat: int, /) -> Read: ...
    def __len__(self) -> int: ...


PHASE, SEAT, POINTS, HAND, IDLE, TAKING, HOT, FIRST, CLOSER, ROUNDS, STANDING = range(2, 13)
ROLLED, OFFER_POINTS, OFFER_HAND, WINNERS, REASON = range(13, 18)
"""Places of ``now``: a `farkel.game.State` is such a row. Its first two places, the rules and the seats, are no numbers
and are not used here. The hand is what `State.dice` is; winners and those owed a turn or tied are bits of seats."""
ROLLS, OPENED, OWED, TIED, SETS, OWING, TRIED, MORE = range(18, 26)
NOW = 26

SCORE, LIVES, PEOPLE, PERSON, ENTERED, FARKLES, GONE, THROWN, BEFORE = range(9)
TAKEN, BEAT, TRIES, FALLS, MOVED = range(9, 14)
"""Places of a seat's row, as the fields of `farkel.game.Seat`."""
SEAT_ROW = 14


class Phase(IntEnum):
    """What a state waits for."""

    START = 0
    """One die, or all of them, thrown to find out who starts."""
    OFFER = 1
    """A decision: start fresh or take over."""
    ROLL = 2
    """A throw of ``dice`` dice."""
    KEEP = 3
    """A decision: what to keep of ``roll``, and whether to roll on or bank."""
    OVER = 4


class Reason(IntEnum):
    """How a game ended; `farkel.game.Result` has the name in small letters."""

    TARGET = 1
    EXACT = 2
    LAST_TURNS = 3
    EQUAL_TURNS = 4
    ROUNDS = 5
    STANDING = 6
    LEFT = 7
    NOBODY = 8
    FEWEST_ROUNDS = 9
    PLAY_OFF = 10
    DICE = 11
    """Dice that win the game (P16, P17)."""


class Why(IntEnum):
    """Why something may not be done; its code has the name in small letters."""

    MAY = 0
    BELOW_ENTRY = 1
    BELOW_MINIMUM = 2
    MUST_ROLL_HOT_DICE = 3
    TRIPLE_MUST_BANK = 4
    BOUGHT_MUST_BANK = 5
    NOT_SO_MANY_DICE = 6
    ALL_DICE_OR_NONE = 7
    TOO_FEW_LIVES = 8
    TOO_FEW_POINTS = 9
    NOT_A_MULTIPLE = 10
    NOT_MORE_THAN_PREVIOUS = 11
    TOO_MANY_DICE_LEFT = 12
    TOO_FEW_ROLLS = 13
    NO_ROLL_LEFT = 14
    ENTRY_IN_ONE_ROLL = 15
    ENTRY_BY_TRIPLE = 16
    NOT_ON_BOARD = 17
    BELOW_TAKE_OVER_SCORE = 18
    FORBIDDEN_SCORE = 19
    MUST_LEAVE = 20
    NEEDS_HOT_DICE = 21
    MUST_CONFIRM = 22
    COMBINATION_MUST_BANK = 23
    WINS_THE_GAME = 24
    MUST_KEEP_ALL_TO_WIN = 25
    HOT_DICE_MUST_BANK = 26
    TOO_FEW_TO_ROLL = 27


# Looked up once: as attributes of their classes they would take as long as what they are compared with.
START, OFFER, ROLL, KEEP, OVER = Phase
MAY, BELOW_ENTRY, BELOW_MINIMUM = Why.MAY, Why.BELOW_ENTRY, Why.BELOW_MINIMUM
WINS, NO_OFFER = Close.WINS, Price.NONE
SUBTRACTED, KEPT = TurnTotal.SUBTRACTED, TurnTotal.KEPT
IN, OUT, AWAY = range(3)
"""What a seat's GONE says: still in the game, out of it (O11, P17), or gone from the table."""
