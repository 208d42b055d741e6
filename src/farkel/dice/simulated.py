"""Chance for simulated games: every draw is a function of the seed, the game, the stream and its number alone.

So games can be played in any order, on any number of threads and machines, and be played again one by one. A game has
two streams of 64-bit draws: one for its dice, one for what players leave to chance. Draw number n of a stream is
``mix(key + (n + 1) * GOLDEN)``, which is SplitMix64 (Steele, Lea and Flood 2014) started at the stream's key.

A draw x becomes one of m equally likely numbers as ``x * m >> 64``. With m = 6**6 no number is more likely than another
by more than one part in 2**48, with m = 6**10, the most, one part in 2**38: no feasible number of games would show it.

`farkel.kernels.draws` has the same functions compiled; a test holds the two together.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, NoReturn, TypeVar

from farkel.dice.rolls import FACES, Roll, roll_of

T = TypeVar("T")

DERIVATION = "farkel-arena-1"
"""Names this derivation, and is raised when it changes: games with the same seed are others then."""
GOLDEN = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio, odd."""
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Multipliers of `mix`."""
MASK = 2**64 - 1
SEEDS = 2**64
"""Seeds and game numbers are below this."""
DICE, DECISIONS = 0, 1
"""The streams of a game."""


def mix(x: int) -> int:
    """Scramble a 64-bit number one-to-one: each bit of the result depends on all bits of x."""
    x = (x ^ x >> 30) * FIRST & MASK
    x = (x ^ x >> 27) * SECOND & MASK
    return x ^ x >> 31


def key(seed: int, game: int, stream: int) -> int:
    """Return the key of a stream of a game."""
    return mix(mix(mix(seed) + game * GOLDEN & MASK) + stream & MASK)


def draw(start: int, number: int) -> int:
    """Return draw ``number``, counted from 0, of the stream with that key: 64 bits."""
    return mix(start + (number + 1) * GOLDEN & MASK)


def below(x: int, most: int) -> int:
    """Return one of the numbers 0 to most - 1 from a draw."""
    return x * most >> 64


LISTED = 6
"""Throws of this many dice or fewer can be listed; of more there are too many."""


@cache
def throws(dice: int) -> tuple[Roll, ...]:
    """Return the roll of each of the 6**dice ordered throws, in ascending order of the throws; for `LISTED` dice."""
    return tuple(roll_of(faces) for faces in product(FACES, repeat=dice))


def thrown(dice: int, number: int) -> Roll:
    """Return the roll of an ordered throw, by its number from 0 to 6**dice - 1 in ascending order.

    Of many dice it is the roll of the first ones, those beyond `LISTED`, with the roll of the others.
    """
    if dice <= LISTED:
        return throws(dice)[number]
    first, others = divmod(number, 6**LISTED)
    return roll_of((*throws(dice - LISTED)[first], *throws(LISTED)[others]))


class ArenaDice:
    """The dice of one simulated game, as `farkel.dice.Dice`."""

    def __init__(self, seed: int, game: int) -> None:
        self._key = key(seed, game, DICE)

    def throw(self, index: int, dice: int) -> Roll:
        return thrown(dice, below(draw(self._key, index), 6**dice))


class ArenaRandom(random.Random):
    """The generator for players of one simulated game. All seats draw from it, in their order."""

    def __init__(self, seed: int, game: int) -> None:
        self._key = key(seed, game, DECISIONS)
        self._drawn = 0
        super().__init__(0)

    def __new__(cls, seed: int, game: int) -> ArenaRandom:
        """Make a generator of this game, which uses nothing of Python's own one."""
        return super().__new__(cls, 0)  # type: ignore[call-arg]

    def draw(self) -> int:
        """Return the next 64 bits."""
        self._drawn += 1
        return draw(self._key, self._drawn - 1)

    def random(self) -> float:
        return (self.draw() >> 11) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        if k < 0:
            raise ValueError("the number of bits must not be negative")
        bits = 0
        for _ in range(0, k, 64):
            bits = bits << 64 | self.draw()
        return bits >> -k % 64

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override]
        """Return one of the items, all equally likely, by a single draw."""
        if not len(seq):
            raise IndexError("cannot choose from nothing")
        return seq[below(self.draw(), len(seq))]

    def seed(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the seed and the game were given when the generator was made."""

    def getstate(self) -> NoReturn:
        raise NotImplementedError("the state of a game's chance is its seed, its number and what was drawn")

    def setstate(self, state: object) -> NoReturn:
        raise NotImplementedError("the state of a game's chance is its seed, its number and what was drawn")
