"""What a turn may come to, read off the law: for those that work out whole turns and do not play them.

What depends on the turn total or the seat is left open: whether so many points may be banked is for
`farkel.game.law.why_not_total` to say.
"""

from __future__ import annotations

from typing import NamedTuple

from farkel.game import law
from farkel.game.terms import Terms


class Rolling(NamedTuple):
    """What is about to be rolled: so many dice, with dice lying idle (O17), after so many hot dice (D16, T1)."""

    dice: int
    idle: int = 0
    hot: int = 0
    rolls: int = 0
    """Rolls of the turn before it, as far as they are counted (M3, M4)."""
    opened: bool = False
    """What the entry score has to be made with is set aside (M5)."""
    sets: int = 0
    """Which sets dice may extend (K1)."""


class Option(NamedTuple):
    """One keep of a roll."""

    keep: int
    points: int
    """Units that it adds to the turn total."""
    left: int
    """Dice that lie there when it is banked."""
    offer: int
    """Those of them that a bank leaves on offer."""
    then: Rolling
    """What is rolled after it."""
    must_roll: bool
    """It may not be banked, whatever the turn total."""
    must_bank: bool
    """It must be banked if it may be."""


class Choice(NamedTuple):
    """What a roll leaves to choose from."""

    options: tuple[Option, ...]
    """None on a farkle."""
    ends: bool
    """One of the options must be banked if any of them may be (D5)."""
    fine: int
    """Units that the roll costs the score."""


def put(now: law.Row, rolling: Rolling) -> None:
    """Let it be about to be rolled."""
    now[law.HAND], now[law.IDLE], now[law.HOT], now[law.ROLLS], now[law.OPENED], now[law.SETS] = rolling


def rolling_of(now: law.Read) -> Rolling:
    """What is about to be rolled."""
    rolls, opened = now[law.ROLLS], bool(now[law.OPENED])
    return Rolling(now[law.HAND], now[law.IDLE], now[law.HOT], rolls, opened, now[law.SETS])


def choice(terms: Terms, rolling: Rolling, rolled: int) -> Choice:
    """What the roll with that number leaves to choose from."""
    now = [0] * law.NOW
    now[law.PHASE], now[law.ROLLED] = law.KEEP, rolled
    put(now, rolling)
    law.count_roll(terms, now)
    keeps = range(terms.first_keep[rolled], terms.first_keep[rolled + 1])
    options = tuple(_option(terms, now, keep) for keep in keeps)
    return Choice(options, bool(terms.binds[rolled]), terms.fine[rolled])


def _option(terms: Terms, now: list[int], keep: int) -> Option:
    rolls = now.copy()
    law.roll_on(terms, rolls, keep)
    left = law.left_lying(terms, now, keep)
    return Option(
        keep,
        points=rolls[law.POINTS],
        left=left,
        offer=law.offered(terms, left, now[law.HOT]),
        then=rolling_of(rolls),
        must_roll=law.why_must_roll(terms, now, keep) != law.MAY,
        must_bank=law.why_not_roll(terms, now, keep, may_bank=True, must=False) != law.MAY,
    )
