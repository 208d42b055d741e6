"""What one throw may bring, exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from farkel.rules import Rules
from farkel.scoring import score_table


class DiceOdds(NamedTuple):
    """One throw of so many dice."""

    farkle: Fraction
    """The chance that nothing scores."""
    hot_dice: Fraction
    """The chance that all of the dice may be set aside."""
    mean_best: Fraction
    """Mean points of the keep with the most points; nothing on a farkle."""


def odds(rules: Rules) -> dict[int, DiceOdds]:
    """The odds of one throw, by number of dice from 1 to all of them."""
    return {dice: _odds(rules, dice) for dice in range(1, rules.dice + 1)}


def _odds(rules: Rules, dice: int) -> DiceOdds:
    rolls = score_table(rules).rolls(dice)
    throws = 6**dice
    return DiceOdds(
        farkle=Fraction(sum(scored.ways for scored in rolls if scored.farkle), throws),
        hot_dice=Fraction(
            sum(scored.ways for scored in rolls if any(kept.hot for kept in scored.keeps.values())), throws
        ),
        mean_best=Fraction(sum(scored.ways * scored.best.points for scored in rolls if scored.best), throws),
    )
