"""Rules with numbered rolls and keeps, as the law has them, and the meaning of the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from farkel.dice import Roll
from farkel.game.events import Keep
from farkel.game.terms import Terms, terms
from farkel.rules.model import Rules
from farkel.scoring import Scored, every_scored, score_table

MOST = 64
"""Rules that are kept numbered at the same time."""


class Numbered(NamedTuple):
    """The rules in points, and the rolls and keeps that they number."""

    rules: Rules
    terms: Terms
    scored: tuple[Scored, ...]
    """[roll]: see `farkel.scoring.every_scored`."""
    number: Mapping[Roll, int]
    """Of a roll that is not the first of a turn, with nothing open that it may extend: its place in ``scored``."""
    keeps: tuple[Mapping[Roll, int], ...]
    """[roll]: the number of each keep, by its dice."""
    thens: tuple[tuple[Keep, Keep], ...]
    """[keep]: to roll on with it, and to bank it."""
    loose: dict[tuple[int, ...], Loose | None]
    """What `farkel.game.legality` has found out about rolls, by what else matters in a turn."""


class Loose(NamedTuple):
    """A roll after which every keep may be rolled on with, and be banked if this many points may be."""

    gains: tuple[int, ...]
    """Different points of its keeps."""
    rolls: tuple[Keep, ...]
    """The legal actions if none of these may be banked."""
    every: tuple[Keep, ...]
    """The legal actions if all of these may."""


_made: dict[int, Numbered] = {}


def numbered(rules: Rules) -> Numbered:
    """Return the rules with their rolls and keeps numbered, made when they are first asked for.

    They are found by identity: each step of a game asks, and comparing rules takes longer than the step.
    """
    try:
        return _made[id(rules)]
    except KeyError:
        if len(_made) >= MOST:
            _made.clear()
        return _made.setdefault(id(rules), _number(rules))


def _number(rules: Rules) -> Numbered:
    scored, made = tuple(every_scored(rules)), terms(rules, 1)
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
        loose={},
    )
