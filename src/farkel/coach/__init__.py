"""The coach: advice for one decision, and the review of a whole game, in winning chance; doubts about noted turns.

Chances are fractions of one, costs and errors are winning chance given away, and everything is exact for two seats.
"""

from typing import TYPE_CHECKING

from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.coach.advice import (
        Advice,
        Chances,
        Evaluator,
        Points,
        RatedAction,
        advise,
        chances,
        no_choice,
        reason,
    )
    from farkel.coach.noted_turns import Doubt, doubts
    from farkel.coach.positions import leading_to, position
    from farkel.coach.reviews import (
        BLUNDER,
        INACCURACY,
        MISTAKE,
        TURNING_POINTS,
        Account,
        Decision,
        Grade,
        Review,
        Step,
        grade,
        review,
    )
    from farkel.errors import PositionError
else:
    __getattr__, __dir__ = offers(__name__)

__all__ = [
    "BLUNDER",
    "INACCURACY",
    "MISTAKE",
    "TURNING_POINTS",
    "Account",
    "Advice",
    "Chances",
    "Decision",
    "Doubt",
    "Evaluator",
    "Grade",
    "Points",
    "PositionError",
    "RatedAction",
    "Review",
    "Step",
    "advise",
    "chances",
    "doubts",
    "grade",
    "leading_to",
    "no_choice",
    "position",
    "reason",
    "review",
]
