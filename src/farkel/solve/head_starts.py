"""The value of going first and of a life, read off a solved game of two."""

from __future__ import annotations

from typing import NamedTuple

from farkel.solve.solution import Duel


class HeadStart(NamedTuple):
    """The points that the second player begins with so that the game is as fair as it can be."""

    points: int
    first_player_wins: float
    """The chance of the first player then."""


def head_start(duel: Duel) -> HeadStart:
    """Return the fairest head start of the second player, in points.

    A player who begins with points is on the board. The head start is nothing if the first player has no advantage.
    """
    unit, target = duel.rules.unit, duel.rules.target
    even = 0.5 * (1.0 - (duel.nobody_wins or 0.0))
    low, high = 0, (target or duel.compiled.points(duel.compiled.board.scores - 1)) // unit - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if duel.handicapped(middle * unit) > even else (low, middle)
    chances = {points: duel.handicapped(points) for points in (low * unit, high * unit)}
    return HeadStart(*min(chances.items(), key=lambda one: abs(one[1] - even)))


def life_lost(duel: Duel) -> float | None:
    """Return how much winning chance the first player has lost who begins with one life fewer; None without lives."""
    return duel.first_player_wins - duel.handicapped(lives=1) if duel.rules.lives.each > 1 else None
