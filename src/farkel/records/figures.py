"""A finished or unfinished game in figures: its turns, and what each seat made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from farkel.game import Leave, Note, State, Throw
from farkel.game.story import farkled
from farkel.records.record import Move
from farkel.support.words import counted


@dataclass(frozen=True, slots=True)
class TurnFigures:
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
    """Statistics of one seat's turns."""

    turns: int
    farkles: int
    best: int
    """Most points banked in one turn."""
    banked: int
    """Points banked in all turns."""
    mean: float
    """Points banked per turn."""
    scores: tuple[int, ...]
    """The score after each of its turns."""

    def __str__(self) -> str:
        turns, farkles = counted(self.turns, "turn", "turns"), counted(self.farkles, "farkle", "farkles")
        return f"{turns}, {farkles}, best turn {self.best:,}, {self.mean:,.0f} points per turn"


def turns(moves: Sequence[Move]) -> tuple[TurnFigures, ...]:
    """Return the completed turns of a game, in order. A skipped turn is not counted."""
    found: list[TurnFigures] = []
    for move in moves:
        before, event, after = move.before, move.event, move.after
        skipped = isinstance(event, Leave) or (isinstance(event, Note) and event.passes)
        if skipped or not move.ends_turn:
            continue
        seat = before.seat
        farkle = event.farkle if isinstance(event, Note) else isinstance(event, Throw) and not _wins(move, event)
        score = after.seats[seat].score
        points = 0 if farkle and not _keeps(before) else max(0, score - _staked(before))
        found.append(TurnFigures(seat, before.seats[seat].person, points, score, farkle))
    return tuple(found)


def _wins(move: Move, thrown: Throw) -> bool:
    """Return whether a roll wins the game for who rolled it, by what it shows or by the points that it brings."""
    result = move.after.result
    if result is None or result.reason not in ("dice", "target", "exact"):
        return False
    return move.before.seat in result.winners and not farkled(move.before, thrown)


def _keeps(before: State) -> bool:
    """Return whether a farkle keeps its turn total (F5), so that it may bank points."""
    return before.rules.penalties.turn_total == "kept"


def _staked(before: State) -> int:
    """Return the score of the seat to move, with a stake that a bank brings back."""
    return before.mine.score + (before.rules.take_over.stake if before.taking else 0)


def summarise(moves: Sequence[Move], seats: int) -> tuple[SeatSummary, ...]:
    """Return the statistics of each seat, in the order of the table."""
    played = turns(moves)
    return tuple(_of_seat([turn for turn in played if turn.seat == seat]) for seat in range(seats))


def _of_seat(played: list[TurnFigures]) -> SeatSummary:
    points = [turn.points for turn in played]
    return SeatSummary(
        turns=len(played),
        farkles=sum(turn.farkle for turn in played),
        best=max(points, default=0),
        banked=sum(points),
        mean=sum(points) / len(points) if points else 0.0,
        scores=tuple(turn.score for turn in played),
    )
