"""Exact answers: the odds of a throw, the best turn, the fewest turns alone, and who wins of two sides or three seats.

Needs NumPy and Numba, which the extra ``know`` brings.
"""

from collections.abc import Sequence

from farkel.errors import SolveError
from farkel.rules import Rules
from farkel.solve.compiled_game import deciding, positions
from farkel.solve.head_starts import HeadStart, head_start, life_lost
from farkel.solve.many_seats import Field
from farkel.solve.points import DiceOdds, Odds, Turn, best_turn, odds
from farkel.solve.race import Progress, Race, best_race, silent
from farkel.solve.solution import Duel, duel, stored, sweep, under_way
from farkel.solve.solution import duel_cost as cost
from farkel.solve.solver import Cost
from farkel.solve.three_seats import Trio, stored_trio, trio, trio_positions, trio_ready, trio_seconds
from farkel.solve.three_solver import check_trio, solves_three

__all__ = [
    "Cost",
    "DiceOdds",
    "Duel",
    "Field",
    "HeadStart",
    "Odds",
    "Progress",
    "Race",
    "Trio",
    "Turn",
    "best_race",
    "best_turn",
    "check_trio",
    "cost",
    "duel",
    "evaluator",
    "field",
    "head_start",
    "life_lost",
    "odds",
    "positions",
    "solves_three",
    "stored",
    "stored_trio",
    "sweep",
    "trio",
    "trio_positions",
    "trio_ready",
    "trio_seconds",
    "under_way",
]


def field(rules: Rules, seats: int, progress: Progress = silent) -> Field:
    """Return the model of a game of this many seats; it rests on the solved game of two, which is solved if
    it is not stored.
    """
    return Field(duel(rules, progress), seats)


def evaluator(rules: Rules, people: Sequence[int], progress: Progress = silent) -> Duel | Field | Trio:
    """Return what tells winning chances at a table of seats with this many people each: exact ones for two,
    else the model.

    For three they are those of an equilibrium, if that is stored or takes seconds.

    Raises `SolveError` ``alone`` for one seat. Two teams of different sizes also go to the model if each of a team
    makes the entry score (L5).
    """
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
