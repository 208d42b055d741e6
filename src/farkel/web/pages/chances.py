"""Chances as pages have them: whole percentages, and what rolls lose in natural numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from markupsafe import Markup

from farkel.support.words import CERTAIN, counted, counted_dice, percent

POINTS = "percentage point", "percentage points"


class Rolls(NamedTuple):
    """A sentence about rolls: ``28 of 100``, which stands out, and the rest of it."""

    share: str
    rest: str

    def __html__(self) -> Markup:
        return Markup("<b>{}</b>{}").format(*self)

    @property
    def words(self) -> list[Any]:
        """The sentence as scripts have it."""
        return [{"strong": self.share}, self.rest]


def chance(of: float | Fraction) -> str:
    """Return a chance: ``28%``, ``under 1%``; 0% and 100% only if it is certain."""
    return percent(of, 0)


def in_points(change: float) -> str:
    """Return a change of a chance in percentage points: ``+2``, ``−12``, ``0``."""
    said = f"{100 * change:+.0f}"
    return "0" if float(said) == 0 else said.replace("-", "\N{MINUS SIGN}")


def cost(error: float) -> str:
    """Return what a decision gave away: ``12 percentage points``, ``under 1 percentage point``."""
    return "under 1 percentage point" if error < 0.01 else counted(round(100 * error), *POINTS)


def rolls(of: float, dice: int, verb: str, rest: str = "") -> Rolls:
    """Return which rolls of N dice do something: ``28 of 100 rolls of 3 dice lose the 850.``"""
    after = f"{counted_dice(dice)}{{}}{rest}."
    if of < CERTAIN:
        return Rolls("No", f" roll of {after.format(f' can {verb}')}")
    if of > 1 - CERTAIN:
        return Rolls("Every", f" roll of {after.format(f' {verb}s')}")
    if of < 0.01:
        share = "Fewer than 1 of 100"
    elif of > 0.99:
        share = "More than 99 of 100"
    else:
        share = f"{100 * of:.0f} of 100"
    return Rolls(share, f" rolls of {after.format(f' {verb}s' if share == '1 of 100' else f' {verb}')}")


def risk(of: float, dice: int, points: int, *, stays: bool = False) -> Rolls:
    """Return what the next roll risks. ``stays``: if a farkle keeps the turn total."""
    if not points and of < CERTAIN:
        return Rolls("Every", f" roll of {counted_dice(dice)} scores.")
    if not points:
        return rolls(of, dice, "score", " nothing")
    return rolls(of, dice, "end", " the turn") if stays else rolls(of, dice, "lose", f" the {points:,}")
