"""Results of players over many games, corrected for luck.

The effect of dice is known exactly: a roll's luck is the winning chance after it less the mean over all rolls. Its mean
is zero whoever plays, and so is that of going first. Taken away from the results of games, luck leaves their mean as it
is and most of their scatter disappears.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import isnan, sqrt
from typing import NamedTuple

from farkel.coach.advice import Chances, Evaluator, chances, is_exact
from farkel.coach.reviews import check_noted, mean_chances
from farkel.game import Throw
from farkel.records import Record
from farkel.support.words import counted

NORMAL = 1.959964
"""Half of the 95% interval of a normal distribution, in standard errors."""


class LuckOfGame(NamedTuple):
    """A game that is over, as one result and one number for luck for each player."""

    names: tuple[str, ...]
    won: Chances
    """1 for a win, equal parts of a shared one."""
    luck: Chances
    """The luck of the rolls and of going first or not."""


class Estimate(NamedTuple):
    """A mean over games."""

    mean: float
    error: float
    """Its standard error; not a number for a single game."""
    games: int

    def __str__(self) -> str:
        return f"{self.mean:.1%} {self.spread}".rstrip()

    @property
    def spread(self) -> str:
        """Half of the 95% interval, in words; "" for a single game."""
        return "" if isnan(self.error) else f"±{self.margin:.1%}" if self.margin < 1 else ">±100%"

    @property
    def margin(self) -> float:
        """Half of the 95% interval."""
        return self.error * _quantile(self.games - 1) if self.games > 1 else float("nan")


class Skill(NamedTuple):
    """A player's results, summed up."""

    name: str
    wins: Estimate
    skill: Estimate
    """Wins without luck."""
    fair: float
    """What equal players would win: the mean of 1 / players."""

    def __str__(self) -> str:
        games = counted(self.wins.games, "game", "games")
        return f"{self.name} in {games}: wins {self.wins}, luck {self.luck:+.1%}, without luck {self.skill}"

    @property
    def luck(self) -> float:
        """Wins a game that luck gave."""
        return self.wins.mean - self.skill.mean


class Pairing(NamedTuple):
    """Two players in the games that only they played."""

    first: str
    second: str
    wins: Estimate
    """Of the first one."""
    skill: Estimate

    def __str__(self) -> str:
        games = counted(self.wins.games, "game", "games")
        head = f"{self.first} against {self.second} in {games}"
        return f"{head}: wins {self.wins}, without luck {self.skill}; {self.verdict}"

    @property
    def verdict(self) -> str:
        """Who plays better, in words."""
        if isnan(self.skill.error) or abs(self.skill.mean - 0.5) <= self.skill.margin:
            return "too close to tell"
        return f"{self.first if self.skill.mean > 0.5 else self.second} plays better"


def played(evaluator: Evaluator, record: Record) -> LuckOfGame:
    """Return the result and the luck of a game that is over.

    Raises `PositionError` as `farkel.coach.reviews` does.
    """
    check_noted(record)
    start = record.header.new_game()
    before = chances(evaluator, start)
    fair = sum(before) / len(before)
    luck = [chance - fair for chance in before]
    for move in record.moves:
        after = chances(evaluator, move.after)
        if isinstance(move.event, Throw):
            mean = before if is_exact(evaluator) else mean_chances(evaluator, move.before)
            luck = [sum(one) for one in zip(luck, after, (-chance for chance in mean), strict=True)]
        before = after
    return LuckOfGame(record.header.names, before, tuple(luck))


def skills(games: Sequence[LuckOfGame]) -> tuple[Skill, ...]:
    """Return the results of each player, summed up, with the best first."""
    results: dict[str, list[tuple[float, float, float]]] = {}
    for game in games:
        for name, won, luck in zip(game.names, game.won, game.luck, strict=True):
            results.setdefault(name, []).append((won, won - luck, 1 / len(game.names)))
    found = []
    for name, rows in results.items():
        wins, skill, fair = zip(*rows, strict=True)
        found.append(Skill(name, estimate(wins), estimate(skill), sum(fair) / len(fair)))
    return tuple(sorted(found, key=lambda one: (one.fair - one.skill.mean, one.name)))


def pairings(games: Sequence[LuckOfGame]) -> tuple[Pairing, ...]:
    """Return every two players who have met without others, in the order of `skills`."""
    order = [one.name for one in skills(games)]
    met: dict[frozenset[str], list[LuckOfGame]] = {}
    for game in games:
        if len(game.names) == 2:
            met.setdefault(frozenset(game.names), []).append(game)
    found = []
    for first, second in combinations(order, 2):
        rows = [(game, game.names.index(first)) for game in met.get(frozenset((first, second)), ())]
        if rows:
            wins = estimate([game.won[seat] for game, seat in rows])
            found.append(
                Pairing(first, second, wins, estimate([game.won[seat] - game.luck[seat] for game, seat in rows]))
            )
    return tuple(found)


def estimate(values: Iterable[float]) -> Estimate:
    """Return the mean of the values, and its standard error."""
    found = list(values)
    mean = sum(found) / len(found)
    squares = sum((value - mean) ** 2 for value in found)
    games = len(found)
    return Estimate(mean, sqrt(squares / (games - 1) / games) if games > 1 else float("nan"), games)


def _quantile(freedom: int) -> float:
    """Return half of the 95% interval of Student's distribution, by its expansion (Abramowitz and Stegun 26.7.5)."""
    if freedom <= len(FEW):
        return FEW[freedom - 1]
    z = NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


FEW = (12.706, 4.303, 3.182, 2.776)
"""The same for one to four degrees of freedom, if the expansion is too coarse."""
