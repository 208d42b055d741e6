"""Rolls as sorted faces, and in how many ways each can fall.

A roll is a tuple of faces 1..6 in ascending order; ``(1, 1, 5)`` can fall in 3 of the 216 throws of three dice.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement
from math import factorial

from farkel.errors import DiceError
from farkel.support.bounds import clipped
from farkel.support.caching import remembered
from farkel.support.words import listed

Roll = tuple[int, ...]
"""Faces 1..6 in ascending order."""

FACES = (1, 2, 3, 4, 5, 6)
MOST_DICE = 10
"""Dice in a turn."""
KEYS = "1234567890"
"""The key of each die of a roll."""


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
        faces = "face" if len(wrong) == 1 else "faces"
        raise DiceError("bad_face", f"{said} has the {faces} {listed(wrong, 'and')}; a die shows 1 to 6")
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


@remembered()
def all_rolls(dice: int) -> tuple[Roll, ...]:
    """Return every distinct roll of that many dice, ascending: 6, 21, 56, 126, 252, 462 for 1 to 6 dice."""
    return tuple(combinations_with_replacement(FACES, dice))
