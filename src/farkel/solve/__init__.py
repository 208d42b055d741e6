"""Exact answers: the odds of a throw, the best turn, the fewest turns alone, and who wins of two sides or three seats.

Three seats need NumPy and Numba, which the extra ``native`` brings.
"""

from typing import TYPE_CHECKING

from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.solve.chances import HeadStart, evaluator, field, head_start, life_lost
    from farkel.solve.compiled_game import positions
    from farkel.solve.many_seats import Field
    from farkel.solve.points import DiceOdds, Odds, Turn, best_turn, odds
    from farkel.solve.race import FewestTurns, best_race
    from farkel.solve.solution import Duel, duel, stored, sweep, under_way
    from farkel.solve.solution import duel_cost as cost
    from farkel.solve.solver import Cost
    from farkel.solve.three.seats import (
        check_trio,
        solves_three,
        stored_trio,
        trio,
        trio_positions,
        trio_ready,
        trio_seconds,
    )
    from farkel.solve.three.solution import Trio
    from farkel.support.progress import Progress
else:
    __getattr__, __dir__ = offers(__name__)

__all__ = [
    "Cost",
    "DiceOdds",
    "Duel",
    "FewestTurns",
    "Field",
    "HeadStart",
    "Odds",
    "Progress",
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
