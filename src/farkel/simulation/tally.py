"""The results of many games, in whole numbers: tallies of parts add up to the tally of the whole, to the last bit.

Adding is associative and commutative, so that it does not matter how games are split over threads and machines.
Points are counted in units of the rules (`farkel.rules.Rules.unit`) and given in points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import lcm, sqrt
from typing import Any, NamedTuple

from farkel.game.state import REASONS as ENDS
from farkel.kernels.arrays import Numbers, zeros
from farkel.support.bounds import MOST_SEATS
from farkel.support.words import counted

FIELDS = 10
THROWS, BANKS, FARKLES, POINTS_BANKED, SQUARES, HOT_DICE, OFFERS, TAKEN, LOST, FORFEITS = range(FIELDS)
"""Of each player: throws in turns that ended; turns that banked; turns that farkled; units banked, and the squares of
those of each turn; hot dice; offers met; offers taken over; units lost in turns of its own to fines, penalties and
stakes; games forfeited.
"""
REASONS = (*ENDS, "endless")
"""How games end, by the number that the law has for it, and ``endless`` for those that were given up as too long."""
ENDLESS = len(ENDS)

MOST_TURNS = 1 << 16
MOST_THROWS = 1 << 20
"""A longer game is given up and has no winner."""
SEATS = MOST_SEATS
LENGTHS = 1024
"""The number of turns that are counted by length of game; longer games count as this many less one."""
BINS = 512
"""The number of units banked in a turn that are counted singly; more count as this many less one."""
Z = 1.959963984540054
"""Standard errors of 95 %."""
WHOLE = lcm(*range(1, SEATS + 1))
"""A win is this many parts: it can be shared by any number of seats without a rest."""


class Counters(NamedTuple):
    """What kernels and the engine count in: a tally under way."""

    games: Numbers
    """[games, turns]."""
    wins: Numbers
    """[player, sharers - 1]: games won alone, shared by two, ..."""
    order: Numbers
    """[turn order, sharers - 1]: the same for the seat that had the first turn, the second, ..."""
    counts: Numbers
    """[player, field]."""
    reasons: Numbers
    """[reason]."""
    lengths: Numbers
    """[turns]: games that took this many turns."""
    turns: Numbers
    """[player, units]: turns that banked so much; nothing: a farkle, or more than an exact target."""
    raw: Numbers
    """[game, (winners as bits of players, reason, first player, turns, throws, score of each player)]; or no games."""
    events: Numbers
    """[how many events the last game had]."""


def counters(players: int, raw: int = 0) -> Counters:
    """Return counters at zero, with room for this many raw games."""
    return Counters(
        games=zeros(2, "int64"),
        wins=zeros((players, SEATS), "int64"),
        order=zeros((players, SEATS), "int64"),
        counts=zeros((players, FIELDS), "int64"),
        reasons=zeros(len(REASONS), "int64"),
        lengths=zeros(LENGTHS, "int64"),
        turns=zeros((players, BINS), "int64"),
        raw=zeros((raw, 5 + players), "int64"),
        events=zeros(1, "int64"),
    )


class Interval(NamedTuple):
    """Where a number is with 95 % confidence."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.1%} to {self.high:.1%}"


class Tally:
    """The results of games. Tallies of other games of the same players under the same rules are added with ``+``."""

    def __init__(self, unit: int, parts: tuple[Any, ...]) -> None:
        self.unit = unit
        """Points of a unit."""
        self.parts = parts
        """Whole numbers in lists, of any size: games, wins, order, counts, reasons, lengths and turns of `Counters`."""

    @classmethod
    def of(cls, unit: int, found: Counters) -> Tally:
        """Return the tally of the counters. Sums of squares may pass 64 bits later: Python's numbers may."""
        return cls(unit, tuple(part.tolist() for part in found[:7]))

    @classmethod
    def nothing(cls, unit: int, players: int) -> Tally:
        """Return the tally of no games."""
        return cls.of(unit, counters(players))

    def __add__(self, other: Tally) -> Tally:
        if self.unit != other.unit or self.players != other.players:
            raise ValueError("these tallies are of games of different kinds")
        return Tally(self.unit, tuple(map(_added, self.parts, other.parts)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally) or self.unit != other.unit or self.players != other.players:
            return False
        return self.parts == other.parts

    def __hash__(self) -> int:
        return hash((self.unit, self.games, self.all_turns))

    def __repr__(self) -> str:
        return f"Tally(games={self.games}, wins={self.wins})"

    def __str__(self) -> str:
        return f"{counted(self.games, 'game', 'games')}: {self.told([f'player {n + 1}' for n in range(self.players)])}"

    def told(self, names: Sequence[str]) -> str:
        """Return how often each player wins, with its interval."""
        rows = zip(names, self.win_rates, self.intervals, strict=True)
        return ", ".join(f"{name} wins {rate:.1%} ({interval})" for name, rate, interval in rows)

    @property
    def players(self) -> int:
        return len(self.parts[1])

    @property
    def games(self) -> int:
        found: int = self.parts[0][0]
        return found

    @property
    def all_turns(self) -> int:
        """Turns of all players."""
        found: int = self.parts[0][1]
        return found

    @property
    def reasons(self) -> dict[str, int]:
        """How many games ended in each way that occurred."""
        return {name: number for name, number in zip(REASONS, self.parts[4], strict=True) if number}

    @property
    def nobody(self) -> int:
        """Games without a winner."""
        alone = map(sum, zip(*self.parts[1], strict=True))
        return self.games - sum(number // sharers for sharers, number in enumerate(alone, 1))

    @property
    def wins(self) -> tuple[float, ...]:
        """Games won by each player; one shared by k counts 1/k."""
        return tuple(_shared(row) / WHOLE for row in self.parts[1])

    @property
    def outright(self) -> tuple[int, ...]:
        """Games that each player won alone."""
        return tuple(row[0] for row in self.parts[1])

    @property
    def shared(self) -> tuple[int, ...]:
        """Games that each player won together with others."""
        return tuple(sum(row[1:]) for row in self.parts[1])

    @property
    def win_rates(self) -> tuple[float, ...]:
        """`wins` by games; 0 before the first."""
        return tuple(wins / self.games if self.games else 0.0 for wins in self.wins)

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """95 % confidence of `win_rates`, by `wilson`."""
        return tuple(wilson(wins, self.games) for wins in self.wins)

    @property
    def order_wins(self) -> tuple[float, ...]:
        """Games won by who had the first turn, the second, ..."""
        return tuple(_shared(row) / WHOLE for row in self.parts[2])

    @property
    def order_rates(self) -> tuple[float, ...]:
        """`order_wins` by games: the advantage of going first."""
        return tuple(wins / self.games if self.games else 0.0 for wins in self.order_wins)

    @property
    def order_intervals(self) -> tuple[Interval, ...]:
        """95 % confidence of `order_rates`."""
        return tuple(wilson(wins, self.games) for wins in self.order_wins)

    @property
    def lengths(self) -> list[int]:
        """[turns]: games that took this many turns of all players; the last place has all longer ones."""
        found: list[int] = self.parts[5]
        return found

    @property
    def turns_mean(self) -> float:
        """Turns of a game, of all players."""
        return self.all_turns / self.games if self.games else 0.0

    @property
    def turn_points(self) -> list[list[int]]:
        """[player][units]: turns that banked so much; the last place has all greater ones."""
        found: list[list[int]] = self.parts[6]
        return found

    def count(self, player: int, field: int) -> int:
        """Return one of the counts of a player, such as `FARKLES`."""
        found: int = self.parts[3][player][field]
        return found

    def turns(self, player: int) -> int:
        """Return the turns of a player that banked or farkled."""
        return self.count(player, BANKS) + self.count(player, FARKLES)

    def points_mean(self, player: int) -> float:
        """Return points that a turn banks on average, nothing on a farkle."""
        return self._rate(player, POINTS_BANKED) * self.unit

    def points_error(self, player: int) -> float:
        """Return the standard error of `points_mean`."""
        turns = self.turns(player)
        if turns < 2:
            return 0.0
        # Whole numbers up to here, so that nothing is lost in the difference.
        spread = self.count(player, SQUARES) * turns - self.count(player, POINTS_BANKED) ** 2
        return sqrt(spread / turns / turns / (turns - 1)) * self.unit

    def lost_mean(self, player: int) -> float:
        """Return points that a turn loses on average to fines, penalties and stakes."""
        return self._rate(player, LOST) * self.unit

    def farkle_rate(self, player: int) -> float:
        """Return the turns of a player that end in a farkle, of all."""
        return self._rate(player, FARKLES)

    def hot_dice_rate(self, player: int) -> float:
        """Return hot dice a turn."""
        return self._rate(player, HOT_DICE)

    def throws_mean(self, player: int) -> float:
        """Return throws a turn."""
        return self._rate(player, THROWS)

    def _rate(self, player: int, field: int) -> float:
        turns = self.turns(player)
        return self.count(player, field) / turns if turns else 0.0


def total(tallies: Iterable[Tally], start: Tally) -> Tally:
    """Return all of them together."""
    return reduce(Tally.__add__, tallies, start)


def wilson(wins: float, games: int) -> Interval:
    """Return 95 % confidence of a rate by Wilson's score interval (1927): sound for few games and for rates
    near 0 and 1.

    Wins may be shared: then they vary less than whole ones, and the interval is wider than it would have to be.
    """
    if not games:
        return Interval(0.0, 1.0)
    rate, square = wins / games, Z * Z / games
    middle = (rate + square / 2) / (1 + square)
    half = Z * sqrt(rate * (1 - rate) / games + square / games / 4) / (1 + square)
    return Interval(max(0.0, middle - half) if wins else 0.0, min(1.0, middle + half) if wins < games else 1.0)


def _shared(row: Sequence[int]) -> int:
    """Return wins in parts of `WHOLE`."""
    return sum(number * WHOLE // sharers for sharers, number in enumerate(row, 1))


def _added(one: Any, other: Any) -> Any:
    """Return the sum of numbers, or of lists of them."""
    return one + other if isinstance(one, int) else [*map(_added, one, other)]
