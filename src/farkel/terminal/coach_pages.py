"""Slow questions of the app, for a thread beside it: the review of a game, and the card to play by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkel.errors import SolveError
from farkel.play import hints
from farkel.records import Record
from farkel.support.progress import Progress, Steps

if TYPE_CHECKING:
    from farkel.coach import Review
    from farkel.rules import Rules


def reviewed(record: Record, progress: Progress) -> Review:
    """Return the review of a game.

    Raises `SolveError` if there are no winning chances, or if they take more than seconds.
    """
    from farkel.coach import review
    from farkel.players.knowledge import evaluator

    rules, people = record.header.rules, record.header.people
    if len(people) == 1:
        raise SolveError("alone", "there are no winning chances in a game of one player")
    knowledge = hints.consult(rules, people)
    if knowledge.chances is None and not knowledge.solvable:
        raise SolveError("too_long", knowledge.missing.rstrip("."))
    steps = Steps(progress, {"Solving the game": 2.0, "Looking at every move": 1.0})
    solved = evaluator(rules, people, steps.begin("Solving the game"))
    return review(solved, record, steps.begin("Looking at every move"))


def review_page(record: Record, progress: Progress, width: int | None = None) -> str:
    """Return the review of a game to read, in ``width`` columns (default: those of the terminal)."""
    found = reviewed(record, progress)
    from farkel.terminal.coach_text import review_text

    return review_text(found, record.header, width=width)


def card_page(rules: Rules, progress: Progress, width: int | None = None) -> str:
    """Return the card to play by, in ``width`` columns. Raises `SolveError` for rules without a card."""
    from farkel.coach.card import guide
    from farkel.players import tuning
    from farkel.terminal.coach_text import guide_text

    tuning.check(rules)
    return guide_text(guide(rules, progress), width)
