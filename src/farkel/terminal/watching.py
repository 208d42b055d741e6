"""Places in a saved game that is watched, and what a review says about one of its moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from farkel.coach import Review
    from farkel.records import Record


def ends_of_turns(record: Record) -> list[int]:
    """Return the start, the numbers of moves after which a turn is over, and the end."""
    return [0, *(at for at, move in enumerate(record.moves, 1) if move.ends_turn), len(record.moves)]


def mistakes(review: Review) -> list[int]:
    """Return the numbers of moves that give away winning chance."""
    return [at for at, step in enumerate(review.steps, 1) if step.decision and step.decision.grade != "good"]


def nearest(places: Sequence[int], at: int, direction: int) -> int | None:
    """Return the next of these places, or with direction -1 the one before; None if there is none."""
    beyond = [place for place in places if direction * (place - at) > 0]
    return min(beyond, key=lambda place: abs(place - at)) if beyond else None


def judged(review: Review | None, at: int) -> str:
    """Return the fault of move number ``at``, or "" if it has none."""
    decision = review.steps[at - 1].decision if review and at else None
    if decision is None or decision.grade == "good":
        return ""
    from farkel.coach import action_text

    better = f"{action_text(decision.best)} ({decision.best_chance:.1%} to win)"
    return f"{decision.grade.capitalize()}: costs {decision.error:.1%}. Better: {better}."
