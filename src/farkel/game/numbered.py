"""Rules with numbered rolls and keeps, as the law has them, and the meaning of the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from farkel.dice import Roll
from farkel.game import law
from farkel.game.events import Keep
from farkel.game.law.terms import Terms, terms
from farkel.game.scoring import Scored, every_scored, score_table
from farkel.rules.model import Rules

MOST = 64
"""Rules that are kept numbered at the same time."""
MOST_ASKED = 10_000
"""Rolls of each of them whose actions are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """The rules in points, and the rolls and keeps that they number."""

    rules: Rules
    terms: Terms
    scored: tuple[Scored, ...]
    """[roll]: see `farkel.game.scoring.every_scored`."""
    number: Mapping[Roll, int]
    """Of a roll that is not the first of a turn, with nothing open that it may extend: its place in ``scored``."""
    keeps: tuple[Mapping[Roll, int], ...]
    """[roll]: the number of each keep, by its dice."""
    thens: tuple[tuple[Keep, Keep], ...]
    """[keep]: to roll on with it, and to bank it."""
    rising: bool
    """Whether a seat that may bank some turn total may also bank any higher one."""
    own: bool
    """Whether a turn changes no seat but its own."""
    asked: dict[tuple[int, ...], Asked] | None
    """What `farkel.game.legality` has asked about rolls, by what else in a turn its actions depend on; None if they
    depend on more of the seat than the turn totals that it may bank."""


class Asked(NamedTuple):
    """A roll, and the legal actions after it as far as the law was asked for them."""

    gains: tuple[int, ...]
    """Different points that its keeps add to the turn total, in ascending order."""
    actions: dict[int, tuple[Keep, ...]]
    """By which of these may be banked: by how many may not if `Numbered.rising`, else as bits."""


_last: list[Numbered] = []


def numbered(rules: Rules) -> Numbered:
    """Return the rules with their rolls and keeps numbered, made when they are first asked for.

    Each step of a game asks, nearly always for the rules of the step before: looking these up takes longer than a look
    at them.
    """
    if _last and (found := _last[0]).rules is rules:
        return found
    found = _numbered(rules)
    if found.rules is rules:
        _last[:] = [found]
    return found


@lru_cache(maxsize=MOST)
def _numbered(rules: Rules) -> Numbered:
    return number_with(rules, terms(rules, 1))


def number_with(rules: Rules, made: Terms) -> Numbered:
    """Return the rules with their rolls and keeps numbered, to be played on these terms."""
    scored = tuple(every_scored(rules))
    return Numbered(
        rules,
        made,
        scored=scored,
        number={one.roll: roll for roll, one in enumerate(score_table(rules))},
        keeps=tuple(
            {dice: keep for keep, dice in enumerate(one.keeps, first)}
            for one, first in zip(scored, made.first_keep, strict=False)
        ),
        thens=tuple((Keep(dice, "roll"), Keep(dice, "bank")) for one in scored for dice in one.keeps),
        rising=law.rises(made),
        own=not law.changes_others(made),
        asked={} if law.asks_only_totals(made) else None,
    )
