"""Patterns of dice, as people write them on paper.

A digit is that face; a letter is any face that no digit of the pattern names; equal letters are equal faces, different
letters different faces. ``111`` is three 1s, ``aaa`` three of a kind, ``aaabb`` a full house, ``aabbcc`` three pairs.
A pattern has one form: digits in ascending order, then letters, those of most dice first, renamed a, b, c.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from farkel.dice import FACES, MOST_DICE, Roll, faces_text, roll_of
from farkel.errors import FarkelError
from farkel.support.bounds import clipped
from farkel.support.caching import remembered

MOST_NAME = 40
LETTERS = "abcdef"
TRIPLE = 3
"""Dice of the smallest combination that is a triple or better."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class PatternError(FarkelError, ValueError):
    """An invalid entry of a table: not a pattern, one that dice cannot show, or one with an invalid value."""

    def __init__(self, message: str, unheard: Sequence[str] = ()) -> None:
        super().__init__("bad_pattern", message)
        self.args = (message,)
        self.unheard = unheard
        """Entries that a newer version may understand."""


class Fit(NamedTuple):
    """Dice that fit a pattern."""

    dice: Roll
    faces: Roll
    """The face of each letter."""


class Pattern(NamedTuple):
    """A pattern in its one form."""

    digits: Roll
    """Faces that the pattern names, in ascending order."""
    letters: tuple[int, ...]
    """How many dice each letter has, a first; never ascending."""

    @property
    def text(self) -> str:
        return faces_text(self.digits) + "".join(
            letter * dice for letter, dice in zip(LETTERS, self.letters, strict=False)
        )

    @property
    def dice(self) -> int:
        return len(self.digits) + sum(self.letters)

    @property
    def place(self) -> tuple[object, ...]:
        """Its place in a table: fewer dice first, then fewer different faces, then fewer letters."""
        return self.dice, len(set(self.digits)) + len(self.letters), len(self.letters), self.text

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Its common name."""
        parts = [digits_name(self.digits)] if self.digits else []
        groups = Counter(self.letters)
        for dice, times in groups.items():
            if times == 1:
                parts.append(
                    "one other die" if dice == 1 and parts else ALONE.get(dice) or f"{NUMBERS[dice]} of a kind"
                )
            elif dice == 1:
                parts.append(f"{NUMBERS[times]} different dice" if not parts else f"{NUMBERS[times]} other dice")
            else:
                parts.append(f"{NUMBERS[times]} {SETS.get(dice) or f'sets of {NUMBERS[dice]}'}")
        if len(parts) > 1:
            parts = [{"pair": "a pair"}.get(part, part) for part in parts]
        joined = " and ".join(parts)
        return {"three of a kind and a pair": "full house"}.get(joined, joined)

    @property
    def fits(self) -> tuple[Fit, ...]:
        """Every way in which dice fit it."""
        return _fits(self)

    @property
    def rolls(self) -> frozenset[Roll]:
        """All dice that fit it."""
        return _rolls(self)


@lru_cache(maxsize=1024)
def _fits(pattern: Pattern) -> tuple[Fit, ...]:
    free = [face for face in FACES if face not in pattern.digits]
    found = []
    for faces in permutations(free, len(pattern.letters)):
        several = (face for face, dice in zip(faces, pattern.letters, strict=True) for _ in range(dice))
        found.append(Fit(roll_of((*pattern.digits, *several)), faces))
    return tuple(found)


@lru_cache(maxsize=1024)
def _rolls(pattern: Pattern) -> frozenset[Roll]:
    return frozenset(fit.dice for fit in pattern.fits)


ALONE = {1: "any die", 2: "pair"}
SETS = {2: "pairs", 3: "triplets"}


def digits_name(digits: Roll) -> str:
    """Return the common name of these faces together."""
    number = len(digits)
    if len(set(digits)) == 1:
        return f"single {digits[0]}" if number == 1 else f"{NUMBERS[number]} {digits[0]}s"
    if number >= 3 and digits == tuple(range(digits[0], digits[0] + number)):
        known = {(1, 6): "straight", (1, 5): "low straight", (2, 6): "high straight"}
        return known.get((digits[0], digits[-1])) or f"straight {faces_text(digits, '-')}"
    return faces_text(digits, "-")


KNOWN = {
    Pattern(digits, letters).name: Pattern(digits, letters).text
    for digits, letters in (
        *(((), (dice,)) for dice in range(2, 7)),
        *((tuple(range(low, high + 1)), ()) for low, high in ((1, 6), (1, 5), (2, 6))),
        *(((), letters) for letters in ((2, 2), (2, 2, 2), (3, 2), (4, 2), (3, 3))),
    )
}
KNOWN |= {f"three {faces}": str(face) * 3 for face, faces in enumerate(("ones", "twos", "threes", "fours", "fives"), 1)}
KNOWN |= {"three sixes": "666", "one": "1", "five": "5"}
"""Patterns that many people play with, by their names."""


@remembered(4096)
def pattern_of(text: str) -> Pattern:
    """Return the pattern that a text means. Raises `PatternError`."""
    return read(text, "")[0]


def _meant(text: str) -> str:
    """Return the pattern whose name a text resembles, as a question."""
    said = text.replace("_", " ").replace("-", " ") if len(text) <= MOST_NAME else ""
    close = difflib.get_close_matches(said, KNOWN, n=1)
    return f'; did you mean "{KNOWN[close[0]]}", {close[0]}?' if close else ""


def same(one: str, other: str) -> bool:
    """Return whether two texts are one pattern; texts that are none are only like themselves."""
    try:
        return one == other or pattern_of(one) == pattern_of(other)
    except PatternError:
        return False


def read(text: str, paid: str) -> tuple[Pattern, dict[str, str]]:
    """Return the pattern that a text means, and what each of its letters is called in it, or the face that it must be.

    Of letters with equally many dice the ``paid`` one comes first.
    """
    said = f'"{clipped(text)}"'
    if not re.fullmatch(r"[1-6a-f]+", text):
        raise PatternError(
            f"{said} is no pattern: write the dice that make it, a digit from 1 to 6 for that face, a letter from a to "
            f"f for any face, such as 111, aaa or aabbcc{_meant(text)}",
            (text,),
        )
    if len(text) > MOST_DICE:
        raise PatternError(f"{said} has {len(text)} dice: a pattern has {MOST_DICE} at most")
    digits = roll_of(int(sign) for sign in text if sign.isdigit())
    dice = Counter(sign for sign in text if sign.isalpha())
    free = [face for face in FACES if face not in digits]
    if len(dice) > len(free):
        raise PatternError(
            f"{said} cannot be rolled: each letter is a face of its own that no digit names, and {len(dice)} letters "
            f"have {len(free)} faces left"
        )
    order = sorted(dice, key=lambda letter: (-dice[letter], letter != paid))
    if len(order) == len(free) and len(set(dice.values())) == 1:
        # All faces that are left, equally often: only one roll fits, and digits say so.
        each = dice[order[0]]
        return Pattern(roll_of((*digits, *free * each)), ()), {paid: str(max(free))}
    return Pattern(digits, tuple(dice[letter] for letter in order)), dict(zip(order, LETTERS, strict=False))
