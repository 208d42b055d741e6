"""The sources that dice come from: the system, a seed, a secret that is committed to."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from bisect import bisect
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from typing import Protocol

from farkel.dice.chance import Chance
from farkel.dice.rolls import Roll, all_rolls, ways
from farkel.errors import DiceError
from farkel.support.bounds import clipped

DERIVATION = "farkel-dice-1"
"""Names the derivation of dice from a secret; part of the hashed text, and raised when the derivation changes."""


@cache
def _cumulated(dice: int) -> tuple[tuple[Roll, ...], tuple[int, ...]]:
    """Return every roll of that many dice, and in how many ways it or one before it can fall."""
    rolls = all_rolls(dice)
    return rolls, tuple(accumulate(map(ways, rolls)))


class Dice(Protocol):
    """A source of dice. ``throw(index, dice)`` returns the faces of a game's throw number ``index``, from 0 on."""

    def throw(self, index: int, dice: int) -> Roll: ...


class RandomDice:
    """Dice from one of Python's generators, by default the system's secure one."""

    def __init__(self, generator: random.Random | None = None) -> None:
        self._random = (generator or random.SystemRandom()).random

    def throw(self, index: int, dice: int) -> Roll:
        rolls, sums = _cumulated(dice)
        return rolls[bisect(sums, int(self._random() * sums[-1]))]


class ChanceDice:
    """Dice from chance; ``about`` names the game that they are for, and where it stands."""

    def __init__(self, chance: Chance, *about: object) -> None:
        self._chance = chance
        self._about = about

    def throw(self, index: int, dice: int) -> Roll:
        return _faces(lambda block: self._chance.draw(32, *self._about, "dice", index, block), dice)


class DerivedDice:
    """Dice derived from a key, some words and the number of the throw, so that anyone who has these can verify them."""

    def __init__(self, key: bytes, words: tuple[str, ...] = ()) -> None:
        self.key = key
        self.words = words

    def throw(self, index: int, dice: int) -> Roll:
        return derive(self.key, self.words, index, dice)


def seeded(seed: str) -> DerivedDice:
    """Return dice that repeat for the same seed, whether or not the game is interrupted."""
    return DerivedDice(hashlib.sha256(f"{DERIVATION} seed {seed}".encode()).digest())


SECRET = 32
"""Bytes of the secret of committed dice."""


def commitment(secret: bytes) -> str:
    """Return the fingerprint to publish before the game: the SHA-256 of the secret, in hexadecimal."""
    return hashlib.sha256(secret).hexdigest()


MOST_WORD, MOST_WORDS = 200, 50
"""Characters of a player's word, and words of a game: each throw is derived from all of them."""


def mixed_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return players' words as they go into the dice: with single spaces and printable characters only.

    Raises `DiceError` ``bad_word``.
    """
    mixed = tuple(" ".join(word.split()) for word in words)
    for word in mixed:
        if not word.isprintable():
            raise DiceError("bad_word", f"{clipped(word)!r} is no word to be mixed into the dice: it cannot be printed")
        if len(word) > MOST_WORD:
            raise DiceError(
                "bad_word", f'"{clipped(word)}" is too long a word: at most {MOST_WORD} characters are mixed in'
            )
    if len(mixed) > MOST_WORDS:
        raise DiceError("bad_word", f"{len(mixed):,} words are too many: at most {MOST_WORDS} are mixed into the dice")
    return mixed


def derive(key: bytes, words: tuple[str, ...], index: int, dice: int) -> Roll:
    """Return throw number ``index`` from HMAC-SHA256 blocks: one face from each byte below 252; others are discarded.

    Block b of a throw is ``HMAC-SHA256(key, json([DERIVATION, words, index, b]))``; rejecting 252..255 keeps the six
    faces equally likely, which a plain remainder would not.
    """

    def block(number: int) -> bytes:
        message = json.dumps([DERIVATION, list(words), index, number], separators=(",", ":")).encode()
        return hmac.digest(key, message, "sha256")

    return _faces(block, dice)


def _faces(block: Callable[[int], bytes], dice: int) -> Roll:
    """Return a throw from random bytes, block 0, 1, ... until there are enough below 252."""
    faces: list[int] = []
    number = 0
    while len(faces) < dice:
        faces.extend(byte % 6 + 1 for byte in block(number) if byte < 252)
        number += 1
    return tuple(sorted(faces[:dice]))
