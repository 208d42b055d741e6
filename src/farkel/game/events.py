"""What can happen in a game: decisions, throws, seats that leave, and noted turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from farkel.dice import Roll, faces_text, roll_of
from farkel.support.words import counted_dice

Then = Literal["roll", "bank"]


@dataclass(frozen=True, slots=True)
class Fresh:
    """Start the turn with all dice and a turn total of 0."""

    def __str__(self) -> str:
        return "start fresh"


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Start the turn from the offer, with that many of its dice."""

    dice: int

    def __str__(self) -> str:
        return f"take over {counted_dice(self.dice)}"


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep these dice, in any order, then roll or bank: one decision, as people make it."""

    dice: Roll
    then: Then

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", roll_of(self.dice))

    def __str__(self) -> str:
        return f"keep {faces_text(self.dice, '-')}, {self.then}" if self.dice else self.then


@dataclass(frozen=True, slots=True)
class Leave:
    """A seat leaves the table for good."""

    seat: int

    def __str__(self) -> str:
        return f"seat {self.seat + 1} leaves"


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice are rolled: the only event of chance."""

    faces: Roll

    def __str__(self) -> str:
        return f"roll {faces_text(self.faces, '-')}"


@dataclass(frozen=True, slots=True)
class Note:
    """A whole turn as people report it, of the seat to move (D24).

    ``points`` is the banked turn total, with all points kept or taken over before. After a farkle it is
    the turn total that was lost, 0 if unknown. No points, no dice and no farkle: the seat is skipped.
    """

    points: int
    dice: int
    """Dice that are not set aside, 0 with all of them set aside; or those that farkled, 0 if unknown."""
    farkle: bool = False

    def __str__(self) -> str:
        if self.passes:
            return "skip the turn"
        left = f", {counted_dice(self.dice)} {'rolled' if self.farkle else 'left'}" if self.dice else ""
        return f"enter a turn: {'farkle' if self.farkle else f'bank {self.points:,}'}{left}"

    @property
    def passes(self) -> bool:
        """Whether the seat's turn is skipped."""
        return not (self.points or self.dice or self.farkle)


Action = Keep | Fresh | TakeOver
"""A player's decisions."""
Event = Throw | Fresh | TakeOver | Keep | Leave | Note
