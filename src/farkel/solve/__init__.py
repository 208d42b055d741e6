"""Exact answers: the odds of a throw, the best turn, the fewest turns alone, and who wins of two sides.

Needs NumPy and Numba: ``pip install "farkel[know]"``.
"""

from farkel.rules import Rules
from farkel.solve.alone import Race, best_race
from farkel.solve.many import Field
from farkel.solve.progress import Progress, silent
from farkel.solve.solution import Duel, duel, stored
from farkel.solve.solution import duel_cost as cost
from farkel.solve.solver import Cost
from farkel.solve.throw import DiceOdds, odds
from farkel.solve.turn import Turn, best_turn

__all__ = [
    "Cost",
    "DiceOdds",
    "Duel",
    "Field",
    "Progress",
    "Race",
    "Turn",
    "best_race",
    "best_turn",
    "cost",
    "duel",
    "evaluator",
    "field",
    "odds",
    "stored",
]


def field(rules: Rules, seats: int, progress: Progress = silent) -> Field:
    """The model of a game of so many seats; it rests on the solved game of two, which is solved if it is not stored."""
    return Field(duel(rules, progress), seats)


def evaluator(rules: Rules, seats: int, progress: Progress = silent) -> Duel | Field:
    """What tells winning chances in a game of so many seats: exact ones for two, else the model."""
    return duel(rules, progress) if seats == 2 else field(rules, seats, progress)
