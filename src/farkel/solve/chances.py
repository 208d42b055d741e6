"""What tells winning chances at a table of any number of seats, and what a head start is worth at one of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from farkel.errors import SolveError
from farkel.rules import AnyRules, as_rules
from farkel.solve.compiled_game import deciding
from farkel.solve.many_seats import Field
from farkel.solve.solution import Duel, duel
from farkel.solve.three.seats import trio, trio_ready
from farkel.support.progress import Progress, silent

if TYPE_CHECKING:
    from farkel.solve.three.solution import Trio


def field(rules: AnyRules, seats: int, progress: Progress = silent) -> Field:
    """Return the model of a game of this many seats; it rests on the solved game of two, which is solved if
    it is not stored.
    """
    rules = as_rules(rules)
    return Field(duel(rules, progress), seats)


def evaluator(rules: AnyRules, people: Sequence[int], progress: Progress = silent) -> Duel | Field | Trio:
    """Return what tells winning chances at a table of seats with this many people each: exact ones for two,
    else the model.

    For three they are those of an equilibrium, if that is stored or takes seconds.

    Raises `SolveError` ``alone`` for one seat. Two teams of different sizes also go to the model if each of a team
    makes the entry score (L5).
    """
    rules = as_rules(rules)
    if len(people) < 2:
        raise SolveError(
            "alone",
            "a seat alone has nobody to win against: farkel turn says what brings the most points, farkel race how "
            "many turns the target takes",
        )
    mine, others = deciding(rules, people[0]), deciding(rules, people[1])
    if len(people) == 3 and max(deciding(rules, each) for each in people) == 1 and trio_ready(rules):
        return trio(rules, progress)
    if len(people) > 2 or mine != others:
        return field(rules, len(people), progress)
    return duel(rules, progress, people=mine)


class HeadStart(NamedTuple):
    """The points that the second player begins with so that the game is as fair as it can be."""

    points: int
    first_player_wins: float
    """The chance of the first player then."""

    def __str__(self) -> str:
        return f"with {self.points:,} points for the second player, the first player wins {self.first_player_wins:.1%}"


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
