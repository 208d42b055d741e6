"""Are the dice fair? Counts of the faces, and one verdict with its error rate.

One question is asked: does each face come as often as the others? The answer is Pearson's chi-square of the six counts
(Pearson 1900), and the share of all series of as many fair dice that are at least this uneven. Only one test is made,
so its error rate is that of the verdict: 1 in 20 series of fair dice is called suspicious.

In a game the number of dice depends on earlier rolls. That changes no chance: whoever picks rolls by looking at earlier
ones sees fair dice as fair (Doob 1936).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import erfc, exp, factorial, fsum, pi, sqrt
from pathlib import Path
from typing import Literal, NamedTuple

from farkel.dice import FACES, MOST_DICE, Dice, Roll
from farkel.dice.simulated import SEEDS, ArenaDice
from farkel.errors import DiceError, RecordError
from farkel.game import Throw
from farkel.records.reading import read
from farkel.records.record import Record
from farkel.records.verifying import verify
from farkel.support.bounds import clipped

LEVEL, CERTAIN = 0.05, 0.001
"""The shares of fair series that are called suspicious, and not fair."""
EXACT = 100
"""Up to this many dice all outcomes are counted. Beyond, the distribution of chi-square is within 6% of the exact
share, down to `CERTAIN`."""
GAME = 100
"""Rolls that are taken from each simulated game."""
BLOCK = 4096
"""Rolls that are made at a time."""

Word = Literal["usual", "suspicious", "not fair"]
Squares = Mapping[int, float]
"""Weights of outcomes by their sum of squares."""


# The verdict ---------------------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What the counts of the faces say about the dice."""

    word: Word
    p: float
    """The share of all series of as many fair dice that are at least this uneven."""
    chi_square: float
    dice: int

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @property
    def noticeable(self) -> float:
        """How far off the share of one face must be for about nine of ten such series to be found suspicious.

        Chi-square then has the noncentrality 7.2 * dice * off**2. It must be 16.5 (Patnaik 1949), and 18.4 serves
        small numbers of dice too.
        """
        return 1.6 / sqrt(self.dice)

    @property
    def sentences(self) -> tuple[str, str, str]:
        """The verdict, its error rate, and what else to know."""
        series = f"Of all series of {self.dice:,} fair {'die' if self.dice == 1 else 'dice'}"
        rate = f"1 in {1 / self.p:,.0f} is" if self.p >= 1e-6 else "fewer than 1 in 1,000,000 are"
        match self.word:
            case "not fair":
                verdict, more = "these dice are not fair", f"By chance alone 1 in {1 / CERTAIN:,.0f} is called so."
            case "suspicious":
                verdict = "these dice are suspicious"
                more = f"By chance alone 1 in {1 / LEVEL:,.0f} is called so: roll as many again, and count only those."
            case "usual":
                verdict, rate, off = "nothing speaks against these dice", f"{self.p:.1%} are", self.noticeable
                more = f"If one face were off by {100 * off:.2g} percentage points, 9 in 10 would look suspicious."
                more = more if off < 5 / 6 else "So few dice can hide any fault."
        return f"Verdict: {verdict}.", f"{series}, {rate} at least as uneven.", more


def judge(faces: Mapping[int, int]) -> Verdict:
    """Return what counts of the faces say about the dice. Raises `DiceError` ``bad_counts`` or ``no_dice``."""
    counts = [faces.get(face, 0) for face in FACES]
    if not faces.keys() <= set(FACES) or min(counts) < 0:
        raise DiceError("bad_counts", f"{clipped(str(dict(faces)))} are not counts of the faces 1 to 6")
    if not (dice := sum(counts)):
        raise DiceError("no_dice", "there are no dice to judge: count at least one")
    chi_square = (6 * sum(count * count for count in counts) - dice * dice) / dice
    p = exact(counts) if dice <= EXACT else chi_square_above(chi_square)
    return Verdict("usual" if p >= LEVEL else "suspicious" if p >= CERTAIN else "not fair", p, chi_square, dice)


def chi_square_above(x: float) -> float:
    """Return the chance that chi-square with 5 degrees of freedom is at least x (Abramowitz and Stegun 26.4.4)."""
    return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)


def exact(counts: Sequence[int]) -> float:
    """Return the chance that as many fair dice have at least this chi-square, from all their outcomes.

    Chi-square grows with the sum of the squares of the counts. The counts n of the faces are as likely as the product
    of all 1 / n!, so the sums of two, three and six faces follow from those of one.
    """
    dice = sum(counts)
    one: list[Squares] = [{count * count: 1 / factorial(count)} for count in range(dice + 1)]
    two = [_together(one, one, of) for of in range(dice + 1)]
    three = [_together(two, one, of) for of in range(dice + 1)]
    least = sum(count * count for count in counts)
    weights = (weight for squares, weight in _together(three, three, dice).items() if squares >= least)
    return min(1.0, fsum(weights) * factorial(dice) / float(6**dice))


def _together(some: Sequence[Squares], others: Sequence[Squares], dice: int) -> Squares:
    """Return the sums of squares of so many dice on two groups of faces, from those of each by its number of dice."""
    found: defaultdict[int, float] = defaultdict(float)
    for first in range(dice + 1):
        for squares, weight in some[first].items():
            for more, other in others[dice - first].items():
                found[squares + more] += weight * other
    return found


# Dice to count -------------------------------------------------------------------------------------------------------


class SimulatedDice:
    """The first 100 rolls of each simulated game with a seed, as `farkel.dice.Dice`.

    Raises `DiceError` ``bad_seed`` for a seed that is not in 0 to 2**64 - 1.
    """

    def __init__(self, seed: int) -> None:
        if not 0 <= seed < SEEDS:
            raise DiceError("bad_seed", f"{seed} is not a valid seed; choose a number from 0 to 2**64 - 1")
        self._seed = seed

    def throw(self, index: int, dice: int) -> Roll:
        return ArenaDice(self._seed, index // GAME).throw(index % GAME, dice)


def rolled(source: Dice, rolls: int, dice: int) -> Iterator[Counter[int]]:
    """Return the counts of the faces in rolls 0, 1, 2, ... of a source, as a game gets them, in blocks.

    Raises `DiceError` ``no_rolls`` or ``wrong_number_of_dice``.
    """
    if rolls < 1:
        raise DiceError("no_rolls", f"{rolls:,} rolls cannot be tested; give at least 1")
    if not 1 <= dice <= MOST_DICE:
        raise DiceError("wrong_number_of_dice", f"{dice} dice cannot be rolled; choose 1 to {MOST_DICE}")
    blocks = (range(start, min(start + BLOCK, rolls)) for start in range(0, rolls, BLOCK))
    return (Counter(chain.from_iterable(source.throw(index, dice) for index in block)) for block in blocks)


def faces_of(record: Record) -> Counter[int]:
    """Return the counts of the faces in a game."""
    return Counter(chain.from_iterable(move.event.faces for move in record.moves if isinstance(move.event, Throw)))


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
        raise (error if str(path) in error.message else error.of(path)) from None
    if not record.throws:
        raise RecordError("no_dice", f"{path}: no dice were rolled in this game")
    return record


def dice_origin(record: Record) -> str:
    """Return the origin of a game's dice: games with the same seed or secret have the same dice."""
    spec = record.header.dice
    return "\n".join((spec.kind, spec.value, *spec.words)) if spec.value else record.chain
