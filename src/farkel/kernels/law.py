"""The law for machine code: its functions, and a rule set as arrays of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from itertools import accumulate, product
from math import prod
from typing import Any, NamedTuple

from farkel.dice import FACES, MOST_DICE, all_rolls
from farkel.dice.rolls import roll_of
from farkel.dice.simulated import LISTED, throws
from farkel.game import law
from farkel.game.law.terms import Terms, terms
from farkel.kernels import draws
from farkel.kernels.arrays import Indices, Numbers
from farkel.kernels.blocks import Block, Layout, block
from farkel.kernels.draws import Draw
from farkel.kernels.registry import callable_from_code
from farkel.kernels.words import int64, uint64
from farkel.rules import Rules
from farkel.rules.zones import MOST_ZONES

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
    "stand",
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

    rolled: Numbers
    """[throw]: the number of its roll; those of 1 die first."""
    first: Numbers
    """[dice]: the first throw of this many."""
    ways: Indices
    """[dice]: 6**dice."""
    joined: Numbers
    """[roll of those beyond, roll of `LISTED` dice]: the number of the roll of both; nothing where no dice are."""


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


@lru_cache(maxsize=2)
def _all_throws(many: bool) -> dict[str, list[int]]:
    """Return `Throws`, which has the same numbers under all rules; ``many``: also for more dice than `LISTED`."""
    number = {roll: place for place, roll in enumerate(_ROLLS)}
    ways = [0, *(6**dice for dice in range(1, MOST_DICE + 1))]
    both = product(_ROLLS[:_BEYOND], all_rolls(LISTED)) if many else ()
    joined = [number[roll_of((*one, *other))] for one, other in both]
    return {
        "rolled": [number[roll] for dice in range(1, LISTED + 1) for roll in throws(dice)],
        "first": [0, *accumulate(ways[:LISTED])],
        "ways": ways,
        "joined": joined,
    }


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
    "pips": ("int8", _NUMBERS),
    "as_first": ("int64", _NUMBERS),
    "strikes": ("int8", _NUMBERS),
    "outcome": ("int8", _NUMBERS),
    "owes": ("int32", _KEEPS),
    "closes": ("int8", _KEEPS),
    "fine": ("int32", _NUMBERS),
    "binds": ("int8", _NUMBERS),
    "first_keep": ("int64", _NUMBERS + 1),
    "shift": ("int64", 256),
    "sets": ("uint8", _KEEPS),
    "doubles": ("uint8", _KEEPS),
    "worth": ("int32", _KEEPS),
    "left": ("int8", _KEEPS),
    "hot": ("int8", _KEEPS),
    "opens": ("int8", _KEEPS),
    "part": ("int8", _KEEPS),
    **dict.fromkeys(
        ("zone_first", "zone_last", "zone_kind", "zone_tries", "zone_fine", "zone_times"), ("int64", MOST_ZONES)
    ),
    "rolled": ("uint16", sum(6**dice for dice in range(1, LISTED + 1))),
    "first": ("int64", LISTED + 1),
    "ways": ("uint64", MOST_DICE + 1),
    "joined": ("uint16", _BEYOND * _LAST),
}


def _layout(names: Iterable[str]) -> Layout:
    rooms = {name: _ROOM[name] for name in names if name in _ROOM}
    return Layout([(name, rooms[name][0], (rooms[name][1],)) if name in rooms else (name, "int64") for name in names])


_TERMS = tuple(field.name for field in fields(Terms))
_TABLE = Layout([("terms", _layout(_TERMS)), ("throws", _layout(Throws._fields))])


@lru_cache(maxsize=32)
def table(rules: Rules) -> CompiledRules:
    """Return the rules as machine code reads them: in one block of memory that is alike for all rules."""
    found: Any = block(_TABLE)
    counted = terms(rules, rules.unit)
    _fill(found.terms, {name: getattr(counted, name) for name in _TERMS})
    _fill(found.throws, _all_throws(rules.dice > LISTED))
    made: CompiledRules = found
    return made


def _fill(place: Block, values: Mapping[str, Any]) -> None:
    """Set the fields of a block. Lists fill the beginning of their fields."""
    for name, value in values.items():
        setattr(place, name, value)
