"""Statistics of dice, for people who think that they are rigged: counts, tests, and their combined result.

A roll is kept sorted, so every test here is one of whole throws in their order, of how often each roll comes, or of
faces counted over all dice; none asks for the order of the dice within a throw.

In a game the number of dice depends on earlier rolls. That changes no chance: whoever picks throws by looking at
earlier ones sees fair dice as fair (Doob 1936). So each throw is compared with the chances for its own number of dice,
and a sum of such differences has the mean 0 and a variance that is known throw by throw. For many throws it is as good
as normal (the central limit theorem for martingales), wherever the game stops.

Throws are held as codes, arrays of ``int32``: each roll of one to ten dice has its number.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import erfc, exp, expm1, fsum, lgamma, log, log1p, sqrt
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from farkel.dice import FACES, MOST_DICE, Dice, Roll, all_rolls, ways
from farkel.errors import DiceError, RecordError
from farkel.game import Phase, Throw
from farkel.record import Record, read, verify
from farkel.rules import Rules
from farkel.scoring import score_table

Codes = NDArray[np.int32]
"""Throws, one code each."""
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BLOCK = 2**16
"""Throws that are made at a time."""
LEVEL = 0.05
"""The range of chance alone, over all the tests together."""
LEAST = 5.0
"""A class that fewer than this are expected in is pooled with others: the usual rule for chi-square."""
AGES = (0, 1, 2, 3, 5, 9, 17, 33)
"""Classes of throws by how many lie between them and the last farkle: 0, 1, 2, 3-4, 5-8, ..., 33 and more."""
REACH = 5.0
"""The number of standard deviations that one face must be off for nine of ten sets of dice to be found suspicious."""
GAME = 100
"""Throws that are taken from each simulated game."""

ROLLS = tuple(roll for dice in range(MOST_DICE + 1) for roll in all_rolls(dice))
"""All rolls, that of no dice too, by their codes."""
CODES = len(ROLLS)
CODE = {roll: code for code, roll in enumerate(ROLLS)}
COUNTS: NDArray[np.int8] = np.array([[roll.count(face) for face in FACES] for roll in ROLLS], np.int8)
"""How many of each face, by the code."""
BASE = MOST_DICE + 1
WEIGHTS = np.array([0, *(BASE ** (face - 1) for face in FACES)], np.int32)
"""The contribution of a die to a sum that differs for each roll, by its face."""
DICE: NDArray[np.int8] = COUNTS.sum(axis=1, dtype=np.int8)
"""How many dice, by the code."""
LEANS: NDArray[np.int16] = 2 * (COUNTS @ np.array(FACES, np.int16)) - 7 * DICE.astype(np.int16)
"""Twice the distance of the sum of the dice from its mean, by the code."""
HEIGHTS: Floats = LEANS / np.sqrt(np.maximum(1, DICE) * (35 / 3))
"""The sum of the dice with its mean taken off, in standard deviations, by the code."""


# Throws --------------------------------------------------------------------------------------------------------------


class Throws(NamedTuple):
    """Throws in order, with whether each is a farkle and its chance to be one: three arrays of the same length."""

    codes: Codes
    farkle: NDArray[np.bool_]
    chance: Floats
    """That the throw would be a farkle; 0 if it does not count, as in the throw for the start."""


def code_of(roll: Roll) -> int:
    """Return the code of one roll."""
    return CODE[roll]


def codes_of(faces: NDArray[np.uint8]) -> Codes:
    """Return the codes of throws, whose faces are the rows, in any order."""
    return cast("Codes", _code_of_sum()[WEIGHTS[faces].sum(axis=1, dtype=np.int32)])


@cache
def _code_of_sum() -> Codes:
    """Return the code of each sum of `WEIGHTS`."""
    found = np.zeros(BASE ** len(FACES), np.int32)
    found[COUNTS @ WEIGHTS[1:]] = np.arange(CODES)
    return found


class FarkleTable(NamedTuple):
    """The farkles under some rules and the chance of one by number of dice, both indexed by code."""

    farkle: NDArray[np.bool_]
    chance: Floats

    def judge(self, codes: Codes) -> Throws:
        return Throws(codes, self.farkle[codes], self.chance[codes])


@cache
def farkle_table(rules: Rules, sets: int = 0) -> FarkleTable:
    """Return the farkles of the rules, from their score table; ``sets`` as `State.sets`."""
    table = score_table(rules, sets)
    farkle, chance = np.zeros(CODES, np.bool_), np.zeros(CODES)
    for dice in range(1, table.dice + 1):
        chance[dice == DICE] = float(table.farkles(dice, tried=rules.last_die_tries - 1))
        farkle[[code_of(scored.roll) for scored in table.rolls(dice) if scored.farkle]] = True
        chance[[code_of(scored.roll) for scored in table.rolls(dice) if not scored.counts]] = 0.0
    return FarkleTable(farkle, chance)


def throws_of(record: Record) -> Throws:
    """Return the throws of a game, in order; those for the start are not farkles."""
    thrown = [(move.event.faces, move.before) for move in record.moves if isinstance(move.event, Throw)]
    codes = np.array([code_of(faces) for faces, _ in thrown], np.int32)
    counts = np.array([before.phase is not Phase.START for _, before in thrown], np.bool_)
    every = np.array([before.sets for _, before in thrown], np.int64)
    farkle, chance = np.zeros(codes.size, np.bool_), np.zeros(codes.size)
    for sets in set(every.tolist()):
        table, here = farkle_table(record.header.rules, sets), every == sets
        farkle[here], chance[here] = table.farkle[codes[here]], table.chance[codes[here]]
    return Throws(codes, farkle & counts, chance * counts)


# Sources -------------------------------------------------------------------------------------------------------------


def check_size(rolls: int, dice: int, most: int = MOST_DICE) -> None:
    """Raise `DiceError` ``no_rolls`` or ``wrong_number_of_dice`` for invalid numbers of throws or dice."""
    if rolls < 1:
        raise DiceError("no_rolls", f"{rolls:,} rolls cannot be tested; give at least 1")
    if not 1 <= dice <= most:
        raise DiceError("wrong_number_of_dice", f"{dice} dice cannot be rolled; choose 1 to {most}")


def system_throws(rolls: int, dice: int) -> Iterator[Codes]:
    """Yield throws from the system's secure generator, in blocks.

    As in `farkel.dice.ChanceDice`, which games roll, each byte below 252 becomes a face and the others are discarded;
    here in bulk, which is many times as fast.
    """
    for start, stop in _blocks(rolls):
        yield codes_of(_system_faces((stop - start) * dice).reshape(-1, dice))


_FACE_OF_BYTE = bytes(byte % 6 + 1 for byte in range(256))
_NO_FACE = bytes(range(252, 256))


def _system_faces(count: int) -> NDArray[np.uint8]:
    faces = bytearray()
    while (missing := count - len(faces)) > 0:
        faces += os.urandom(missing + missing // 32 + 64).translate(_FACE_OF_BYTE, _NO_FACE)
    return np.frombuffer(bytes(faces[:count]), np.uint8)


def thrown(source: Dice, rolls: int, dice: int) -> Iterator[Codes]:
    """Yield the throws 0, 1, 2, ... of any source of dice, in blocks, as a game gets them."""
    for start, stop in _blocks(rolls, BLOCK // 8):
        yield codes_of(np.array([source.throw(index, dice) for index in range(start, stop)], np.uint8))


def arena_throws(seed: int, rolls: int, dice: int) -> Iterator[Codes]:
    """Yield the first 100 throws of each simulated game with that seed, in blocks: those of `farkel.arena.ArenaDice`.

    Raises `DiceError` ``bad_seed`` for a seed that is not in 0 to 2**64 - 1.
    """
    from farkel import draws

    if not 0 <= seed < draws.SEEDS:
        raise DiceError("bad_seed", f"{seed} is not a valid seed; choose a number from 0 to 2**64 - 1")
    # The functions on 64-bit numbers do the same to arrays of them.
    key, draw = cast("Any", draws.key), cast("Any", draws.draw)
    listed = np.array([code_of(roll) for roll in draws.throws(min(dice, draws.LISTED))], np.int32)
    beyond = np.array(draws.throws(max(0, dice - draws.LISTED)), np.uint8)
    kinds, last = np.uint64(6**dice), len(listed)
    low, half = np.uint64(2**32 - 1), np.uint64(32)
    for start, stop in _blocks(rolls):
        numbers = np.arange(start, stop, dtype=np.uint64)
        drawn = draw(key(seed, numbers // np.uint64(GAME), draws.DICE), numbers % np.uint64(GAME))
        number = ((drawn >> half) * kinds + ((drawn & low) * kinds >> half) >> half).astype(np.int64)
        codes = listed[number % last]
        if dice > draws.LISTED:
            sums = WEIGHTS[beyond[number // last]].sum(axis=1, dtype=np.int32) + COUNTS[codes] @ WEIGHTS[1:]
            codes = _code_of_sum()[sums]
        yield codes


def _blocks(rolls: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    return ((start, min(start + size, rolls)) for start in range(0, rolls, size))


# Records -------------------------------------------------------------------------------------------------------------


def record_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the files among the paths, and every ``.farkel`` file in and below the folders, by name.

    Raises `RecordError` ``no_records`` for a folder that has none.
    """
    files: list[Path] = []
    for path in paths:
        found = sorted(path.rglob("*.farkel")) if path.is_dir() else [path]
        if not found:
            raise RecordError("no_records", f"there is no record in the folder {path}; records end in .farkel")
        files += found
    return tuple(dict.fromkeys(files))


def checked_game(path: Path) -> Record:
    """Read and verify a record whose dice can be counted. Raises `RecordError` with the path."""
    try:
        record = read(path)
        verify(record)
    except RecordError as error:
        place = "" if str(path) in error.message else f"{path}: "
        raise RecordError(error.code, place + error.message) from None
    if not record.throws:
        raise RecordError("no_dice", f"{path}: no dice were thrown in this game")
    return record


def dice_origin(record: Record) -> str:
    """Return the origin of a game's dice: games with the same seed or secret have the same dice."""
    spec = record.header.dice
    return "\n".join((spec.kind, spec.value, *spec.words)) if spec.value else record.chain


# Counting -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rows:
    """Throws above and below the mean of their sum, and in how many rows of one kind they came; others are left out.

    Above and below are equally likely, whatever fell before, so they are tosses of a fair coin.
    """

    above: int = 0
    below: int = 0
    rows: int = 0
    longest: int = 0
    latest: int = 0
    """1 above, -1 below, 0 none yet."""
    length: int = 0
    """Of the row that continues."""

    def after(self, codes: Codes) -> Rows:
        signs = np.sign(LEANS[codes])
        signs = signs[signs != 0]
        if not signs.size:
            return self
        starts = np.flatnonzero(np.diff(signs)) + 1
        lengths = np.diff(starts, prepend=0, append=signs.size)
        goes_on = int(signs[0]) == self.latest
        if goes_on:
            lengths[0] += self.length
        above = int(np.count_nonzero(signs > 0))
        return Rows(
            self.above + above,
            self.below + signs.size - above,
            self.rows + lengths.size - goes_on,
            max(self.longest, int(lengths.max())),
            int(signs[-1]),
            int(lengths[-1]),
        )


@dataclass(frozen=True, slots=True)
class Heights:
    """Sums over throws of their height, its square, and its product with the height of the throw before."""

    throws: int = 0
    total: float = 0.0
    squares: float = 0.0
    products: float = 0.0
    first: float = 0.0
    latest: float = 0.0

    def after(self, codes: Codes) -> Heights:
        heights = HEIGHTS[codes]
        return Heights(
            self.throws + heights.size,
            self.total + float(heights.sum()),
            self.squares + float(np.square(heights).sum()),
            self.products + self.latest * float(heights[0]) + float((heights[:-1] * heights[1:]).sum()),
            self.first if self.throws else float(heights[0]),
            float(heights[-1]),
        )

    @property
    def correlation(self) -> float:
        """Between one throw and the next; 0 if all are alike."""
        mean = self.total / self.throws
        spread = self.squares - self.total * mean
        ends = 2 * self.total - self.first - self.latest
        together = self.products - mean * ends + (self.throws - 1) * mean * mean
        return together / spread if spread > 1e-9 * self.throws else 0.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Each face of a throw with each face of the next, over all throws but the last; matrices of 6 by 6."""

    pairs: int = 0
    products: Integers = field(default_factory=lambda: np.zeros((6, 6), np.int64))
    """Sum of count(f) * next count(g)."""
    weights: Integers = field(default_factory=lambda: np.zeros((6, 6), np.int64))
    """Sum of count(f) * count(g) * next number of dice."""
    given: Integers = field(default_factory=lambda: np.zeros(6, np.int64))
    """Sum of count(f) * next number of dice."""
    latest: int | None = None

    def after(self, codes: Codes) -> Pairs:
        before = codes if self.latest is None else np.concatenate([np.array([self.latest], np.int32), codes])
        counts = COUNTS[before].astype(np.int64)
        first, then = counts[:-1], counts[1:]
        dice = DICE[before[1:]].astype(np.int64)
        return Pairs(
            self.pairs + len(then),
            self.products + first.T @ then,
            self.weights + first.T @ (first * dice[:, None]),
            self.given + first.T @ dice,
            int(codes[-1]),
        )


class Farkled(NamedTuple):
    """Farkles among some throws: how many there were, and their mean and variance from the chance of each throw."""

    throws: int
    farkles: int
    expected: float
    variance: float

    @property
    def share(self) -> float:
        return self.farkles / self.throws if self.throws else 0.0

    @property
    def chance(self) -> float:
        """The mean chance of a throw."""
        return self.expected / self.throws if self.throws else 0.0

    @property
    def off(self) -> float:
        """How far off the expected they are, in standard deviations."""
        return (self.farkles - self.expected) / sqrt(self.variance) if self.variance else 0.0


@dataclass(frozen=True, slots=True)
class Farkles:
    """Farkles by the number of dice, 0 to 10, and by throws since the last one; columns as in `Farkled`.

    Rolls that cannot farkle are left out, and those before the first farkle have no place in ``by_age``.
    """

    by_dice: Floats = field(default_factory=lambda: np.zeros((MOST_DICE + 1, 4)))
    by_age: Floats = field(default_factory=lambda: np.zeros((len(AGES), 4)))
    since: int = -1
    """Throws since the last farkle; -1 if there was none."""
    longest: int = 0
    """Most throws without one, between two farkles."""
    in_row: int = 0
    row: int = 0
    """Farkles one after the other: most of them, and now."""

    def after(self, throws: Throws) -> Farkles:
        possible = throws.chance > 0
        farkle, chance, dice = throws.farkle[possible], throws.chance[possible], DICE[throws.codes[possible]]
        if not farkle.size:
            return self
        place = np.arange(farkle.size)
        last = np.maximum.accumulate(np.concatenate([[-1], np.where(farkle, place, -1)]))
        here = last[:-1] >= 0
        ages = np.where(here, place - last[:-1] - 1, self.since + place)
        known = here | (self.since >= 0)
        classes = np.searchsorted(AGES, ages[known], "right") - 1
        others = np.flatnonzero(~farkle)
        rows = np.diff(np.concatenate([[-1 - self.row], others, [farkle.size]])) - 1
        ended = last[-1] >= 0 or self.since >= 0
        return Farkles(
            self.by_dice + _grouped(dice, MOST_DICE + 1, farkle, chance),
            self.by_age + _grouped(classes, len(AGES), farkle[known], chance[known]),
            int(ages[-1] + 1 if not farkle[-1] else 0) if ended else -1,
            max(self.longest, int(ages[known & farkle].max(initial=0))),
            max(self.in_row, int(rows.max())),
            int(rows[-1]),
        )

    @property
    def all(self) -> Farkled:
        return _farkled(self.by_dice.sum(axis=0))

    @property
    def dice(self) -> dict[int, Farkled]:
        """By the number of dice thrown, for those numbers that were."""
        return {dice: _farkled(row) for dice, row in enumerate(self.by_dice) if row[0]}

    @property
    def ages(self) -> tuple[Farkled, ...]:
        """By throws since the last farkle, in the classes of `AGES`."""
        return tuple(map(_farkled, self.by_age))


def _grouped(groups: NDArray[Any], most: int, farkle: NDArray[np.bool_], chance: Floats) -> Floats:
    """Return the columns of `Farkled` by group."""
    columns = (np.ones(len(groups)), farkle, chance, chance * (1 - chance))
    return np.stack([np.bincount(groups, column, most) for column in columns], axis=1)


def _farkled(row: Floats) -> Farkled:
    return Farkled(int(row[0]), int(row[1]), float(row[2]), float(row[3]))


@dataclass(frozen=True, slots=True)
class Tally:
    """All counts of the throws so far, as a value: `after` returns the next one."""

    counts: Integers = field(default_factory=lambda: np.zeros(CODES, np.int64))
    """How often each roll came, by its code."""
    rows: Rows = Rows()
    heights: Heights = Heights()
    pairs: Pairs = field(default_factory=Pairs)
    farkles: Farkles = field(default_factory=Farkles)

    def after(self, throws: Throws) -> Tally:
        """Return the tally after these throws too, of which there is at least one."""
        codes = throws.codes
        return Tally(
            self.counts + np.bincount(codes, minlength=CODES),
            self.rows.after(codes),
            self.heights.after(codes),
            self.pairs.after(codes),
            self.farkles.after(throws),
        )

    @property
    def throws(self) -> int:
        return int(self.counts.sum())

    @property
    def faces(self) -> tuple[int, ...]:
        """Count of each face, 1 to 6."""
        return tuple(map(int, self.counts @ COUNTS))

    @property
    def dice(self) -> dict[int, int]:
        """Throws by the number of dice."""
        return {dice: int(count) for dice in range(1, MOST_DICE + 1) if (count := self.counts[dice == DICE].sum())}

    def rolls(self, dice: int) -> dict[Roll, int]:
        """Return the count of each roll of that many dice."""
        return {roll: int(self.counts[code_of(roll)]) for roll in all_rolls(dice)}

    def patterns(self, dice: int) -> dict[Pattern, Seen]:
        """Return the observed and the expected count of each pattern of that many dice."""
        rolls = self.rolls(dice)
        came: Counter[Pattern] = Counter()
        for roll, count in rolls.items():
            came[pattern(roll)] += count
        thrown = sum(rolls.values())
        return {each: Seen(came[each], thrown * share / 6**dice) for each, share in _pattern_ways(dice).items()}


Pattern = tuple[int, ...]
"""How many dice are alike, most first: (3, 2, 1) is three of a kind, a pair and a single."""


class Seen(NamedTuple):
    """An observed count and the expected one."""

    times: int
    expected: float


def pattern(roll: Roll) -> Pattern:
    """Return the sizes of the groups of equal dice in a roll."""
    return tuple(sorted(Counter(roll).values(), reverse=True))


@cache
def _pattern_ways(dice: int) -> dict[Pattern, int]:
    """Return in how many of the 6**dice throws each pattern comes up, the most frequent first."""
    found: Counter[Pattern] = Counter()
    for roll in all_rolls(dice):
        found[pattern(roll)] += ways(roll)
    return dict(found.most_common())


# Chances -------------------------------------------------------------------------------------------------------------


def chi_square_above(x: float, degrees: int) -> float:
    """Return the chance that chi-square is at least x (Abramowitz and Stegun 26.4.4-5)."""
    if x <= 0:
        return 1.0
    odd = degrees % 2
    terms = (_poisson(x / 2, odd / 2 + step) for step in range(degrees // 2))
    return min(1.0, fsum(terms) + (erfc(sqrt(x / 2)) if odd else 0.0))


def chi_square_below(x: float, degrees: int) -> float:
    """Return the chance that chi-square is at most x, exact even if it is tiny (Abramowitz and Stegun 6.5.29)."""
    if x > degrees:
        return 1 - chi_square_above(x, degrees)
    if x <= 0:
        return 0.0
    term, total, order = _poisson(x / 2, degrees / 2), 0.0, degrees / 2
    while term > total * 1e-17:
        total, order = total + term, order + 1
        term *= x / 2 / order
    return total


def _poisson(mean: float, order: float) -> float:
    return exp(order * log(mean) - mean - lgamma(order + 1))


def normal_beyond(z: float) -> float:
    """Return the chance that a standard normal number is at least as far from 0 as z, on either side."""
    return erfc(abs(z) / sqrt(2))


def row_at_least(length: int, tosses: int) -> float:
    """Return the chance that tosses of a fair coin have a run of heads or tails of at least that length.

    A row of length k is k - 1 tosses like the one before. Feller, An Introduction to Probability Theory I, XIII.7;
    within 0.001 of the exact chance from 20 tosses on.
    """
    alike = length - 1
    if alike < 2:
        return 1.0
    if length > tosses:
        return 0.0
    root = 0.0  # the root x of Feller's equation, less 1
    for _ in range(200):
        root = exp((alike + 1) * log1p(root) - (alike + 1) * log(2))
    return -expm1(log1p(-root) - log1p(-alike * root) - tosses * log1p(root))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), in the same order.

    By chance alone the smallest of them is below p in at most the share p of all cases.
    """
    adjusted, most = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        most = max(most, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = most
    return adjusted


# Tests ---------------------------------------------------------------------------------------------------------------

Verdict = Literal["usual", "happens", "suspicious", "not chance", "too few"]
"""Of one test: p of 5% or more; below, but not when all looks are allowed for; below even so; below 0.1% even so."""


class Finding(NamedTuple):
    """The result of one test."""

    name: str
    asks: str
    """The question, for people."""
    statistic: float | None
    """Chi-square if there are degrees of freedom, else standard deviations, or the length of the longest row."""
    degrees: int | None
    p: float | None
    """How often fair dice do at least this; None if there are too few throws to say."""
    adjusted: float | None = None
    """The same by Holm, for all tests together."""

    @property
    def verdict(self) -> Verdict:
        if self.p is None or self.adjusted is None:
            return "too few"
        if self.adjusted < LEVEL:
            return "suspicious" if self.adjusted >= 0.001 else "not chance"
        return "happens" if self.p < LEVEL else "usual"


def findings(tally: Tally) -> tuple[Finding, ...]:
    """Return every test of these throws, with p-values adjusted for their number."""
    found = [*_face_tests(tally), *_roll_tests(tally), *_order_tests(tally), *_farkle_tests(tally.farkles)]
    tested = [each.p for each in found if each.p is not None]
    adjusted = iter(holm(tested))
    return tuple(each if each.p is None else each._replace(adjusted=next(adjusted)) for each in found)


def suspicious(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that fair dice would hardly show, allowing for the number of tests."""
    return tuple(each for each in found if each.adjusted is not None and each.adjusted < LEVEL)


def noticeable(dice: int) -> float:
    """Return how far off the share of one face must be for nine of ten sets of that many dice to be found."""
    return REACH * sqrt(5 / 36 / dice)


def chi_square(seen: Iterable[Seen]) -> tuple[float, int]:
    """Return chi-square and its degrees of freedom, of counts whose expected ones add up to the same total.

    The rarest classes are pooled until `LEAST` are expected in every one; no degrees if one class remains.
    """
    classes: list[Seen] = []
    pooled = Seen(0, 0.0)
    for each in sorted(seen, key=lambda one: one.expected):
        if min(pooled.expected, each.expected) < LEAST:
            pooled = Seen(pooled.times + each.times, pooled.expected + each.expected)
        else:
            classes.append(each)
    classes.append(pooled)
    return fsum((each.times - each.expected) ** 2 / each.expected for each in classes), len(classes) - 1


def _chi_square_finding(name: str, asks: str, parts: Iterable[tuple[float, int]]) -> Finding:
    """Return the test of the sum of independent chi-squares."""
    x, df = 0.0, 0
    for statistic, degrees in parts:
        x, df = x + statistic, df + degrees
    return Finding(name, asks, x, df, chi_square_above(x, df)) if df else Finding(name, asks, None, None, None)


def _normal_finding(name: str, asks: str, z: float | None) -> Finding:
    return Finding(name, asks, z, None, None if z is None else normal_beyond(z))


def _face_tests(tally: Tally) -> Iterator[Finding]:
    faces = tally.faces
    mean = sum(faces) / 6
    x = fsum((count - mean) ** 2 / mean for count in faces)
    enough = mean >= LEAST
    for name, asks, chance in (
        ("faces", "is each face as frequent as the others?", chi_square_above),
        ("evenness", "or are they more even than chance?", chi_square_below),
    ):
        yield Finding(name, asks, x, 5, chance(x, 5)) if enough else Finding(name, asks, None, None, None)


def _roll_tests(tally: Tally) -> Iterator[Finding]:
    thrown = tally.dice
    yield _chi_square_finding(
        "patterns",
        "do pairs, triples, ... come as due?",
        (chi_square(tally.patterns(dice).values()) for dice in thrown),
    )
    yield _chi_square_finding(
        "rolls",
        "does every roll come as often as due?",
        (
            chi_square(Seen(came, count * ways(roll) / 6**dice) for roll, came in tally.rolls(dice).items())
            for dice, count in thrown.items()
            if dice > 1  # one die's rolls are its faces
        ),
    )


def _order_tests(tally: Tally) -> Iterator[Finding]:
    yield _pairs_finding(tally.pairs)
    rows = tally.rows
    signs = rows.above + rows.below
    yield _normal_finding("runs", "do high and low take turns as due?", _runs_off(rows))
    asks = "is a row of high or low too long?"
    long = Finding("longest row", asks, rows.longest, None, row_at_least(rows.longest, signs))
    yield long if signs >= 20 else Finding("longest row", asks, None, None, None)
    yield _normal_finding("correlation", "do high throws bring high or low ones?", _correlation_off(tally.heights))


def _pairs_finding(pairs: Pairs) -> Finding:
    """Return the test of which faces follow which, from throw to throw.

    With c(t, f) dice of face f in throw t and n(t) dice in all, the sum over t of c(t, f) (c(t + 1, g) - n(t + 1) / 6)
    is 0 on average, and its covariances are W(f, f') * (1/6 if g = g' else 0, less 1/36) with W(f, f') the sum of
    c(t, f) c(t, f') n(t + 1). Of 6 by 6 such sums 30 are free. For single dice it is the chi-square of a table of
    transitions with equal chances.
    """
    name, asks = "pairs", "does a throw tell the next one's faces?"
    if pairs.pairs < 10 * len(FACES) or pairs.given.min() / 6 < LEAST:
        return Finding(name, asks, None, None, None)
    weights = pairs.weights.astype(np.float64)
    off = pairs.products - pairs.given[:, None] / 6
    x = 6 * float(np.trace(off.T @ np.linalg.pinv(weights, hermitian=True) @ off))
    df = 5 * int(np.linalg.matrix_rank(weights, hermitian=True))
    return Finding(name, asks, x, df, chi_square_above(x, df))


def _runs_off(rows: Rows) -> float | None:
    """Return how many standard deviations more runs there are than by chance, given the throws of each kind.

    Wald and Wolfowitz 1940.
    """
    if min(rows.above, rows.below) < 10:
        return None
    both, n = 2 * rows.above * rows.below, rows.above + rows.below
    return (rows.rows - both / n - 1) / sqrt(both * (both - n) / (n * n * (n - 1)))


def _correlation_off(heights: Heights) -> float | None:
    """Return the correlation of throws with the next in standard deviations (Moran 1948)."""
    n = heights.throws
    return None if n < 30 else (heights.correlation + 1 / n) * n * sqrt(n - 1) / (n - 2)


def _farkle_tests(farkles: Farkles) -> Iterator[Finding]:
    whole = farkles.all
    enough = min(whole.expected, whole.throws - whole.expected) >= LEAST
    yield _normal_finding("farkles", "do farkles come as often as due?", whole.off if enough else None)
    yield _chi_square_finding(
        "farkle gaps",
        "do farkles depend on the last one?",
        ((each.off**2, 1) for each in farkles.ages if each.expected >= LEAST),
    )
