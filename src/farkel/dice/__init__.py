"""Rolls as sorted faces, in how many ways each can fall, and the sources that dice come from."""

from typing import TYPE_CHECKING

from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.dice.rolls import FACES, KEYS, MOST_DICE, Roll, all_rolls, faces_text, parse_roll, roll_of, ways
    from farkel.dice.sources import (
        DERIVATION,
        SECRET,
        ChanceDice,
        DerivedDice,
        Dice,
        RandomDice,
        commitment,
        derive,
        mixed_words,
        seeded,
    )
else:
    __getattr__, __dir__ = offers(__name__)

__all__ = [
    "DERIVATION",
    "FACES",
    "KEYS",
    "MOST_DICE",
    "SECRET",
    "ChanceDice",
    "DerivedDice",
    "Dice",
    "RandomDice",
    "Roll",
    "all_rolls",
    "commitment",
    "derive",
    "faces_text",
    "mixed_words",
    "parse_roll",
    "roll_of",
    "seeded",
    "ways",
]
