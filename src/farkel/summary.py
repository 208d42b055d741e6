"""A finished or unfinished game in figures: its turns, and what each seat made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from farkel.facts import farkled
from farkel.game import Keep
from farkel.record import Move


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a seat."""

    seat: int
    person: int
    points: int
    """Banked; 0 after a farkle."""
    score: int
    """The seat's score after the turn."""
    farkle: bool


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """The turns of one seat in figures."""

    turns: int
    farkles: int
    best: int
    """Most points banked in one turn."""
    mean: float
    """Points banked a turn."""
    scores: tuple[int, ...]
    """The score after each of its turns."""


def turns(moves: Sequence[Move]) -> tuple[Turn, ...]:
    """The completed turns of a game, in order."""
    found: list[Turn] = []
    for move in moves:
        before, after = move.before, move.after
        farkle = farkled(before, move.event)
        banked = isinstance(move.event, Keep) and move.event.then == "bank"
        if not (farkle or banked):
            continue
        seat = before.seat
        score = after.seats[seat].score
        points = max(0, score - before.seats[seat].score) if banked else 0
        found.append(Turn(seat, before.seats[seat].person, points, score, farkle))
    return tuple(found)


def summarise(moves: Sequence[Move], seats: int) -> tuple[SeatSummary, ...]:
    """The figures of each seat, in the order of the table."""
    played = turns(moves)
    return tuple(_of_seat([turn for turn in played if turn.seat == seat]) for seat in range(seats))


def _of_seat(played: list[Turn]) -> SeatSummary:
    points = [turn.points for turn in played]
    return SeatSummary(
        turns=len(played),
        farkles=sum(turn.farkle for turn in played),
        best=max(points, default=0),
        mean=sum(points) / len(points) if points else 0.0,
        scores=tuple(turn.score for turn in played),
    )
