"""Rolls as sorted faces, in how many ways each can fall, and the sources that dice come from.

A roll is a tuple of faces 1..6 in ascending order; ``(1, 1, 5)`` can fall in 3 of the 216 throws of three dice.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from bisect import bisect
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate, combinations_with_replacement
from math import factorial
from typing import Protocol

from farkel.chance import Chance
from farkel.errors import DiceError
from farkel.support.bounds import clipped

Roll = tuple[int, ...]
"""Faces 1..6 in ascending order."""

FACES = (1, 2, 3, 4, 5, 6)
MOST_DICE = 10
"""Dice in a turn."""
KEYS = "1234567890"
"""The key of each die of a roll."""
DERIVATION = "farkel-dice-1"
"""Names the derivation of dice from a secret; part of the hashed text, and raised when the derivation changes."""


def roll_of(faces: Iterable[int]) -> Roll:
    """Return the faces in ascending order."""
    return tuple(sorted(faces))


def parse_roll(text: str, most: int = MOST_DICE) -> Roll:
    """Return a roll from typed text: ``112345``, ``1 1 2 3 4 5`` or ``1-1-2-3-4-5``.

    Raises `DiceError` ``malformed_dice``, ``bad_face`` or ``too_many_dice``, each quoting the text.
    """
    said = f'"{clipped(text.strip())}"'
    bare = "".join(text.replace("-", " ").replace(",", " ").split())
    if not (bare.isascii() and bare.isdigit()):
        raise DiceError("malformed_dice", f"{said} is not a roll; type the faces, such as 112345")
    wrong = sorted({face for face in bare if face not in "123456"})
    if wrong:
        raise DiceError("bad_face", f"{said} has the face {', '.join(wrong)}; a die shows 1 to 6")
    if len(bare) > most:
        raise DiceError("too_many_dice", f"{said} has {len(bare)} dice; there are at most {most}")
    return roll_of(int(face) for face in bare)


def faces_text(faces: Iterable[int], between: str = "") -> str:
    """Return the faces as text: ``112345``, or with a separator between them."""
    return between.join(map(str, faces))


def ways(roll: Roll) -> int:
    """Return in how many of the 6**n throws of n dice the roll comes up, the multinomial coefficient of its faces."""
    count = factorial(len(roll))
    for face in FACES:
        count //= factorial(roll.count(face))
    return count


@cache
def all_rolls(dice: int) -> tuple[Roll, ...]:
    """Return every distinct roll of that many dice, ascending: 6, 21, 56, 126, 252, 462 for 1 to 6 dice."""
    return tuple(combinations_with_replacement(FACES, dice))


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
