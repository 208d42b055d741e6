"""The law for machine code: its functions, and a rule set as arrays of numbers."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.draws import throws
from farkel.game import law
from farkel.game.terms import Terms, terms
from farkel.machine.code import callable_from_code
from farkel.rules import Rules
from farkel.scoring import score_table

Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

SOURCES = ("../game/law", "../game/terms", "../machine/chance", "../machine/law", "../draws")
"""The files that machine code of the law is made from, as a folder beside this one names them."""

for _name, _function in vars(law).copy().items():
    if callable(_function) and getattr(_function, "__module__", "") == law.__name__ and _name.islower():
        callable_from_code(_function)


class Throws(NamedTuple):
    """What falls: the ordered throws of each number of dice, those of 1 die first, as `farkel.draws.throws`."""

    rolled: NDArray[np.int16]
    """[throw]: the number of its roll."""
    first: Numbers
    """[dice]: the first throw of so many."""
    ways: NDArray[np.uint64]
    """[dice]: 6**dice."""


class Table(NamedTuple):
    """A rule set as machine code reads it: points are in units of the rules."""

    terms: Terms
    throws: Throws


@lru_cache(maxsize=32)
def table(rules: Rules) -> Table:
    """The rules as machine code reads them."""
    made = terms(rules, rules.unit)
    number = {one.roll: roll for roll, one in enumerate(score_table(rules))}
    ways = [0, *(6**dice for dice in range(1, rules.dice + 1))]
    return Table(
        Terms._make(int(each) if isinstance(each, int) else np.array(each) for each in made),
        Throws(
            rolled=np.array([number[roll] for dice in range(1, rules.dice + 1) for roll in throws(dice)], np.int16),
            first=np.array([0, *accumulate(ways[:-1])], np.int64),
            ways=np.array(ways, np.uint64),
        ),
    )
