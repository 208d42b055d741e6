"""Rules compiled into one score table: for every roll, the legal keeps, their points and the dice that remain.

Everything that scores dice reads this table; nothing scores them a second time or in a second way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from farkel.dice import FACES, Roll, all_rolls, ways
from farkel.rules.model import Rules, Scoring

Counts = tuple[int, int, int, int, int, int]
"""How many 1s, 2s, ... 6s."""

TOXIC = 4
"""So many 2s are toxic where `Rules.toxic_twos` says so."""


class Combination(NamedTuple):
    """Dice that score together, and what for."""

    name: str
    counts: Counts
    points: int


class Kept(NamedTuple):
    """One legal keep: what it is worth and how many dice may be rolled next (all of them again on hot dice)."""

    dice: Roll
    points: int
    left: int

    hot: bool
    """All dice in hand are set aside, so that the dice left are all of them again."""


class Scored(NamedTuple):
    """One roll under one rule set."""

    roll: Roll
    ways: int
    """In how many of the 6**n throws it falls."""
    keeps: Mapping[Roll, Kept]
    """Every legal keep, by its dice: most points first, then fewest dice. Empty on a farkle."""
    fine: int
    """Points that the roll costs at once (D6)."""
    triple: bool
    """Three or more alike were rolled (D5)."""

    @property
    def farkle(self) -> bool:
        """Nothing may be kept."""
        return not self.keeps

    @property
    def best(self) -> Kept | None:
        """The keep of most points, and of those with the fewest dice; none on a farkle."""
        return next(iter(self.keeps.values()), None)


class ScoreTable:
    """All rolls of 1..n dice under one rule set. Indexed by the roll; made once per rules by `score_table`."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.combinations = combinations(rules)
        self._worth = _best_splits(self.combinations, rules.dice)
        self._rolls = {roll: self._score(roll) for dice in range(1, rules.dice + 1) for roll in all_rolls(dice)}

    def __getitem__(self, roll: Roll) -> Scored:
        return self._rolls[roll]

    def __contains__(self, roll: object) -> bool:
        return roll in self._rolls

    def __iter__(self) -> Iterator[Scored]:
        return iter(self._rolls.values())

    def __len__(self) -> int:
        return len(self._rolls)

    def rolls(self, dice: int) -> tuple[Scored, ...]:
        """Every distinct roll of so many dice, ascending; their ways add up to 6**dice."""
        return tuple(self._rolls[roll] for roll in all_rolls(dice))

    def farkles(self, dice: int) -> Fraction:
        """The exact chance that a roll of so many dice is a farkle."""
        return Fraction(sum(scored.ways for scored in self.rolls(dice) if scored.farkle), 6**dice)

    def split(self, dice: Roll) -> tuple[Combination, ...]:
        """The best split of exactly these dice into combinations (C3); empty where there is none."""
        counts = counts_of(dice)
        found: list[Combination] = []
        while any(counts):
            worth = self._worth.get(counts)
            if worth is None:
                return ()
            for combination in self.combinations:
                rest = _less(counts, combination.counts)
                if rest is not None and rest in self._worth and self._worth[rest] + combination.points == worth:
                    found.append(combination)
                    counts = rest
                    break
        return tuple(sorted(found, key=lambda combination: (-combination.points, combination.name)))

    def _score(self, roll: Roll) -> Scored:
        scoring, counts = self.rules.scoring, counts_of(roll)
        fined = tuple(
            face for face, points in zip(FACES, scoring.triples, strict=True) if points < 0 and counts[face - 1] >= 3
        )
        keeps: list[Kept] = []
        if not (self.rules.toxic_twos and counts[1] >= TOXIC):
            options = product(*(range(1 if face in fined else counts[face - 1] + 1) for face in FACES))
            for part in options:
                dice = _faces(part)
                points = self._worth.get(part) if dice else None
                if points is not None:
                    keeps.append(self._kept(roll, dice, points))
            if not keeps and scoring.nothing and not fined and len(roll) == self.rules.dice:
                keeps.append(self._kept(roll, roll, scoring.nothing))
        keeps.sort(key=lambda kept: (-kept.points, len(kept.dice), kept.dice))
        return Scored(
            roll,
            ways(roll),
            MappingProxyType({kept.dice: kept for kept in keeps}),
            fine=-sum(scoring.triples[face - 1] for face in fined),
            triple=max(counts) >= 3,
        )

    def _kept(self, roll: Roll, dice: Roll, points: int) -> Kept:
        left = len(roll) - len(dice)
        return Kept(dice, points, left or self.rules.dice, hot=not left)


@lru_cache(maxsize=64)
def score_table(rules: Rules) -> ScoreTable:
    """The score table of the rules, compiled on first use."""
    return ScoreTable(rules)


def combinations(rules: Rules) -> tuple[Combination, ...]:
    """Every scoring combination of the rules that fits its dice, in the order of the score sheet."""
    scoring = rules.scoring
    found = [
        Combination("single 1", _counts({1: 1}), scoring.one),
        Combination("single 5", _counts({5: 1}), scoring.five),
    ]
    for face, triple in zip(FACES, scoring.triples, strict=True):
        found.append(Combination(f"three {face}s", _counts({face: 3}), triple))
        for alike, points in zip((4, 5, 6), _more_alike(scoring, triple), strict=True):
            found.append(Combination(f"{('four', 'five', 'six')[alike - 4]} {face}s", _counts({face: alike}), points))
    found.append(Combination("straight", (1, 1, 1, 1, 1, 1), scoring.straight))
    found.append(Combination("low straight", (1, 1, 1, 1, 1, 0), scoring.low_straight))
    found.append(Combination("high straight", (0, 1, 1, 1, 1, 1), scoring.high_straight))
    for name, shape, points in (
        ("three pairs", (2, 2, 2), scoring.three_pairs),
        ("four of a kind and a pair", (4, 2), scoring.four_and_pair),
        ("two triplets", (3, 3), scoring.two_triplets),
    ):
        found.extend(Combination(name, counts, points) for counts in _shaped(shape))
    return tuple(
        combination for combination in found if combination.points > 0 and sum(combination.counts) <= rules.dice
    )


def counts_of(dice: Roll) -> Counts:
    """How many 1s, 2s, ... 6s the dice show."""
    return (dice.count(1), dice.count(2), dice.count(3), dice.count(4), dice.count(5), dice.count(6))


def _more_alike(scoring: Scoring, triple: int) -> tuple[int, int, int]:
    if scoring.more_alike == "points":
        return scoring.four_alike, scoring.five_alike, scoring.six_alike
    if scoring.more_alike == "double":
        return 2 * triple, 4 * triple, 8 * triple
    return 2 * triple, 3 * triple, 4 * triple


def _shaped(shape: tuple[int, ...]) -> list[Counts]:
    """Every way to give the counts in ``shape`` to different faces."""
    return [counts_of(roll) for roll in all_rolls(6) if sorted(filter(None, counts_of(roll))) == sorted(shape)]


def _counts(dice: Mapping[int, int]) -> Counts:
    return counts_of(tuple(face for face, count in dice.items() for _ in range(count)))


def _faces(counts: tuple[int, ...]) -> Roll:
    return tuple(face for face, count in zip(FACES, counts, strict=True) for _ in range(count))


def _less(counts: Counts, part: Counts) -> Counts | None:
    a, b, c, d, e, f = (count - used for count, used in zip(counts, part, strict=True))
    return None if min(a, b, c, d, e, f) < 0 else (a, b, c, d, e, f)


def _best_splits(combinations: tuple[Combination, ...], most: int) -> dict[tuple[int, ...], int]:
    """Points of the best split of each set of dice that splits completely into combinations (C2, C3).

    The sets are met in order of their size, and each is built from a smaller one and a combination that holds its
    lowest face: every complete split has one such combination.
    """
    by_lowest: dict[int, list[Combination]] = {face: [] for face in range(6)}
    for combination in combinations:
        lowest = next(face for face, count in enumerate(combination.counts) if count)
        by_lowest[lowest].append(combination)
    worth: dict[tuple[int, ...], int] = {(0, 0, 0, 0, 0, 0): 0}
    for dice in range(1, most + 1):
        for roll in all_rolls(dice):
            counts = counts_of(roll)
            options = [
                worth[rest] + combination.points
                for combination in by_lowest[roll[0] - 1]
                if (rest := _less(counts, combination.counts)) is not None and rest in worth
            ]
            if options:
                worth[counts] = max(options)
    return worth
