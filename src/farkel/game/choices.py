"""The possible turns, read off the law: for code that calculates whole turns instead of playing them.

What depends on the turn total or the seat is left open: whether this many points may be banked is for
`farkel.game.law.why_not_total` to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from farkel.game import law
from farkel.game.law.terms import Terms

ANY_POINTS = 1
"""A turn total of a roll that is not the first of its turn."""


class Rolling(NamedTuple):
    """The next roll: this many dice, with dice lying unused (O17), after this many hot dice (D16, T1)."""

    dice: int
    idle: int = 0
    hot: int = 0
    rolls: int = 0
    """Rolls of the turn before it, as far as they are counted (M3, M4)."""
    opened: bool = False
    """The dice that the entry score requires are kept (M5)."""
    owing: int = 0
    """Units that must still be set aside before the bank (P16)."""
    first: bool = False
    """It is the first roll of a turn, and distinguished from later ones (P15)."""
    sets: int = 0
    """Which sets dice may extend (K1)."""
    tried: int = 0
    """Rolls of a single last die that have not scored (K10)."""


def start_of(terms: Terms) -> Rolling:
    """Return the first rolling of a turn that starts fresh."""
    return Rolling(terms.dice, first=bool(terms.firsts))


class KeepOption(NamedTuple):
    """One keep of a roll."""

    keep: int
    points: int
    """Units that it adds to the turn total."""
    left: int
    """Dice that lie there when it is banked."""
    offer: int
    """Those of them that a bank leaves on offer."""
    then: Rolling
    """The rolling after it."""
    must_roll: bool
    """It may not be banked, whatever the turn total."""
    must_bank: bool
    """It must be banked if it may be: not if it may never be."""
    wins: bool
    """It wins the game."""


class Choice(NamedTuple):
    """The choices after a roll."""

    options: tuple[KeepOption, ...]
    """None on a farkle."""
    ends: bool
    """One of the options must be banked if any of them may be (D5)."""
    fine: int
    """Units that the roll costs the score."""
    outcome: int
    """The effect of the roll besides a farkle, a `farkel.game.law.terms.Outcome`."""
    last: bool
    """Nothing may be rolled after it: it is banked, or lost as a farkle if it may not be (M4)."""


def put(now: law.Row, rolling: Rolling) -> None:
    """Let it be about to be rolled."""
    now[law.HAND], now[law.IDLE], now[law.HOT], now[law.ROLLS], now[law.OPENED], now[law.OWING] = rolling[:6]
    first, now[law.SETS], now[law.TRIED] = rolling[6:]
    now[law.POINTS] = 0 if first else ANY_POINTS


def rolling_of(terms: Terms, now: law.Read) -> Rolling:
    """Return the rolling of a state."""
    opened, first = bool(now[law.OPENED]), bool(law.begins_turn(terms, now))
    told = now[law.HAND], now[law.IDLE], now[law.HOT], now[law.ROLLS]
    return Rolling(*told, opened, now[law.OWING], first, now[law.SETS], now[law.TRIED])


def choice(terms: Terms, rolling: Rolling, rolled: int) -> Choice:
    """Return the choices after the roll with that number; ``first`` of the rolling says how to read it."""
    mine, now = [0] * law.SEAT_ROW, [0] * law.NOW
    mine[law.ENTERED] = now[law.CLOSER] = -1
    put(now, rolling)
    rolled = law.read_as(terms, now, rolled)
    law.ask(terms, now, rolled)
    keeps = range(terms.first_keep[rolled], terms.first_keep[rolled + 1])
    options = tuple(_option(terms, mine, now, keep) for keep in keeps)
    last = law.is_last_roll(terms, mine, now)
    return Choice(options, bool(terms.binds[rolled]), terms.fine[rolled], terms.outcome[rolled], last)


Chosen = TypeVar("Chosen")


def tried(terms: Terms, rolling: Rolling, rolls: Iterable[tuple[Chosen, int, bool]]) -> list[tuple[Chosen, int]]:
    """Return what rolls leave, and in how many ways they fall, by the last of the tries that a single die has (K10).

    rolls: what each leaves, in how many ways one throw makes it, and whether it scores nothing.
    """
    found = list(rolls)
    tries = terms.tries - rolling.tried if rolling.dice == 1 else 1
    every, farkles = sum(ways for _, ways, _ in found), sum(ways for _, ways, farkle in found if farkle)
    before = sum(farkles**failed * every ** (tries - 1 - failed) for failed in range(tries))
    return [(one, ways * (farkles ** (tries - 1) if farkle else before)) for one, ways, farkle in found]


def _option(terms: Terms, mine: law.Read, now: list[int], keep: int) -> KeepOption:
    rolls = now.copy()
    law.set_aside(terms, rolls, keep)  # what it pays the banked score is left to the callers, as it is not of the turn
    left = law.left_lying(terms, now, keep)
    must_roll = law.why_must_roll(terms, mine, now, keep) != law.MAY
    return KeepOption(
        keep,
        points=rolls[law.POINTS] - now[law.POINTS],
        left=left,
        offer=law.offered(terms, left, now[law.HOT]),
        then=rolling_of(terms, rolls),
        must_roll=must_roll,
        must_bank=not must_roll and law.why_not_roll(terms, mine, now, keep, may_bank=True, must=False) != law.MAY,
        wins=terms.closes[keep] == law.WINS,
    )
