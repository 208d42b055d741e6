"""The law for machine code: its functions, and a rule set as arrays of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from farkel.dice import FACES, MOST_DICE, all_rolls
from farkel.dice.simulated import LISTED, throws
from farkel.game import law
from farkel.game.law.terms import Terms, terms
from farkel.kernels import draws
from farkel.kernels.compiler import callable_from_code
from farkel.kernels.draws import Draw
from farkel.rules import Rules
from farkel.rules.zones import MOST_ZONES

Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

_SELDOM = (
    "arrive",
    "bits_of_others",
    "challenge",
    "catch_up",
    "close",
    "deal",
    "fail_on_barrel",
    "follow",
    "followed_by",
    "give",
    "go_over",
    "is_lost",
    "owed_after",
    "pass_on",
    "reward",
    "settle",
    "settle_win",
    "leave",
    "leave_start",
    "move_target",
    "note",
    "rounds_standing",
    "settle_throws",
    "start_throw",
    "strike",
    "why_not_there",
    "winners",
)
"""Rarely called parts are not inlined, which takes long to compile."""

for _name, _function in vars(law).copy().items():
    if callable(_function) and getattr(_function, "__module__", "").startswith(law.__name__) and _name.islower():
        callable_from_code(_function, inline=_name not in _SELDOM)


class Throws(NamedTuple):
    """What falls, as `thrown` of `farkel.dice.simulated` has it: the ordered throws of up to `LISTED` dice."""

    rolled: NDArray[np.int16]
    """[throw]: the number of its roll; those of 1 die first."""
    first: Numbers
    """[dice]: the first throw of this many."""
    ways: NDArray[np.uint64]
    """[dice]: 6**dice."""
    joined: NDArray[np.int16]
    """[roll of those beyond, roll of `LISTED` dice]: the number of the roll of both together."""


@callable_from_code
def rolled_by(throws: Throws, hand: int, draw: Draw) -> int:
    """Return the number of the roll that a draw makes of this many dice."""
    dice = uint64(hand)  # not from the end: Numba need not look whether it is below zero
    thrown = draws.below(draw, throws.ways[dice])
    if dice <= LISTED:
        return int(int64(throws.rolled[uint64(throws.first[dice]) + thrown]))
    first, others = thrown // uint64(6**LISTED), thrown % uint64(6**LISTED)
    beyond = uint64(throws.rolled[uint64(throws.first[dice - uint64(LISTED)]) + first])
    roll = uint64(throws.rolled[uint64(throws.first[LISTED]) + others]) - uint64(_BEFORE)
    return int(int64(throws.joined[beyond * uint64(_LAST) + roll]))


_LAST, _BEFORE = len(all_rolls(LISTED)), sum(len(all_rolls(dice)) for dice in range(1, LISTED))
"""Rolls of `LISTED` dice, and of fewer."""


class CompiledRules(NamedTuple):
    """A rule set as machine code reads it: points are in units of the rules."""

    terms: Terms
    throws: Throws


@lru_cache(maxsize=1)
def _all_throws() -> Throws:
    """Return the rolls of all throws, which have the same numbers under all rules."""
    number = {roll: place for place, roll in enumerate(_ROLLS)}
    ways = [0, *(6**dice for dice in range(1, MOST_DICE + 1))]
    # Rolls as numbers that can be added: a column for the dice of each face.
    columns = np.array([sum(16 ** (face - 1) for face in roll) for roll in _ROLLS])
    together = columns[:_BEYOND, None] + columns[_BEFORE : _BEFORE + _LAST]
    order = np.argsort(columns)
    joined = order[np.searchsorted(columns, together.ravel(), sorter=order)]
    return Throws(
        rolled=np.array([number[roll] for dice in range(1, LISTED + 1) for roll in throws(dice)], np.int16),
        first=np.array([0, *accumulate(ways[:LISTED])], np.int64),
        ways=np.array(ways, np.uint64),
        joined=joined.astype(np.int16),
    )


# As one block of memory -----------------------------------------------------------------------------------------------

_ROLLS = [roll for dice in range(1, MOST_DICE + 1) for roll in all_rolls(dice)]
_NUMBERED = [*_ROLLS, *all_rolls(MOST_DICE)]
"""As the law may number them: the first ones of a turn may count differently."""
_BEYOND = sum(len(all_rolls(dice)) for dice in range(1, MOST_DICE - LISTED + 1))
"""Rolls of the dice beyond `LISTED`."""
_NUMBERS = 5 * len(_NUMBERED)
_KEEPS = 2 * sum(prod(roll.count(face) + 1 for face in FACES) - 1 for roll in _NUMBERED)
"""More rolls and keeps than any rules have, those with open sets included. Unused room takes no memory."""
_ROOM = {
    "as_first": (np.int64, _NUMBERS),
    "strikes": (np.int8, _NUMBERS),
    "outcome": (np.int8, _NUMBERS),
    "owes": (np.int32, _KEEPS),
    "closes": (np.int8, _KEEPS),
    "fine": (np.int32, _NUMBERS),
    "binds": (np.int8, _NUMBERS),
    "first_keep": (np.int64, _NUMBERS + 1),
    "shift": (np.int64, 256),
    "sets": (np.uint8, _KEEPS),
    "doubles": (np.uint8, _KEEPS),
    "worth": (np.int32, _KEEPS),
    "left": (np.int8, _KEEPS),
    "hot": (np.int8, _KEEPS),
    "opens": (np.int8, _KEEPS),
    "part": (np.int8, _KEEPS),
    **dict.fromkeys(
        ("zone_first", "zone_last", "zone_kind", "zone_tries", "zone_fine", "zone_times"), (np.int64, MOST_ZONES)
    ),
    "rolled": (np.uint16, sum(6**dice for dice in range(1, LISTED + 1))),
    "first": (np.int64, LISTED + 1),
    "ways": (np.uint64, MOST_DICE + 1),
    "joined": (np.uint16, _BEYOND * _LAST),
}


def _block(names: Iterable[str]) -> np.dtype[np.void]:
    return np.dtype([(name, *_ROOM.get(name, (np.int64,))) for name in names], align=True)


_TERMS = tuple(field.name for field in fields(Terms))
_TABLE = np.dtype([("terms", _block(_TERMS)), ("throws", _block(Throws._fields))], align=True)


@lru_cache(maxsize=32)
def table(rules: Rules) -> CompiledRules:
    """Return the rules as machine code reads them: in one block of memory that is alike for all rules.

    To machine code that is a single pointer. A named tuple is an argument for each of its numbers, and for seven of
    each array: they take long to compile, and long to pass.
    """
    found: Any = np.zeros(1, _TABLE).view(np.recarray)[0]
    counted = terms(rules, rules.unit)
    _fill(found["terms"], {name: getattr(counted, name) for name in _TERMS})
    _fill(found["throws"], _all_throws()._asdict())
    made: CompiledRules = found
    return made


def _fill(block: Any, values: Mapping[str, Any]) -> None:
    """Set the fields of a block. Lists fill the beginning of their fields."""
    for name, value in values.items():
        if np.ndim(value):
            block[name][: len(value)] = value
        else:
            block[name] = value
