"""Values in short numbers: a header in one line, and the numbers, packed.

The header is JSON: rules, digest, shape, how exact the solution was, and a check of the whole file. Winning chances are
whole numbers of `STEPS`. The step from one score to the next is about the same whatever the other score is, so the file
has by how much these steps differ: two bytes each, all the lower bytes first. A file that is damaged, too large, of
other rules or another format is refused.
"""

from __future__ import annotations

import json
import logging
import zlib
from array import array as packed_array
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from math import prod
from operator import add, sub
from typing import TYPE_CHECKING, Any

from farkel import __version__
from farkel.errors import SolveError
from farkel.game.law.terms import Price
from farkel.kernels.arrays import Values, zeros
from farkel.rules import AnyRules, Rules, as_rules
from farkel.values.places import SUFFIX, content

if TYPE_CHECKING:
    from farkel.solve import Duel

log = logging.getLogger(__name__)

FORMAT = 1
"""Raised when the meaning of the numbers changes."""
STEPS = 1 << 14
"""A chance is a whole number of this part of one."""
ROUNDED = 0.5 / STEPS
"""By how much a kept chance differs from the solution, at most."""
MOST_LOST = 2 * ROUNDED
"""By how much winning chance a decision may be worse than the best one.

What an action is worth follows from chances at the start of turns, and never moves by more than they do. So the best
action and the one that is taken for it differ by twice as much at most.
"""
MOST_BYTES = 8 << 20
"""Of a file."""
MOST_HEADER = 1 << 16
MIDDLE = 128
"""Added to differences, so that the upper byte of small ones is nothing."""
WRAPPED = (1 << 16) - 1
"""Differences are two bytes: what is below nothing is counted from their end."""


def is_kept(rules: AnyRules) -> bool:
    """Return whether values of these rules are kept, for two seats whose people make no difference.

    A file that is damaged counts as none, and the log names it.
    """
    rules = as_rules(rules)
    return file_of(rules) is not None


def is_at_hand(rules: AnyRules) -> bool:
    """Return whether values are kept that are all there is to know: what it is worth to take over is calculated."""
    rules = as_rules(rules)
    return not rules.take_over.allowed and is_kept(rules)


def file_of(rules: Rules) -> bytes | None:
    """Return the file of these rules, if it is there and neither damaged nor foreign."""
    file = content(rules.name)
    if file is None:
        return None
    try:
        read_header(file_name(rules), file, rules)
    except SolveError as error:
        if error.code != "foreign":  # house rules keep the name of the set that they are made from
            refused(error.message)
        return None
    return file


def file_name(rules: Rules) -> str:
    """Return what the file of a rule set is called."""
    return f"{rules.name}{SUFFIX}"


@lru_cache
def refused(why: str) -> None:
    """Say once that values cannot be used."""
    log.warning("A game has to be solved again: %s", why)


def packed(solved: Duel) -> bytes:
    """Return the file of a solution.

    Raises `SolveError` ``not_kept`` if nobody may win, as what `MOST_LOST` says is not true then, and if the worth of
    take-overs does not follow from one sweep.
    """
    compiled = solved.compiled
    if compiled.board.pairs or compiled.board.price == Price.LIVES or compiled.program.arrays.leaves:
        raise SolveError(
            "not_kept",
            f"values of {solved.rules} are not kept in short numbers: nobody may win, dice on offer cost lives, or "
            "farkles leave something to take over",
        )
    differences = list(_differences(solved.own))
    raw = bytes(each & 255 for each in differences) + bytes(each >> 8 for each in differences)
    body = zlib.compress(raw, 9)
    header = {
        "farkel": "values",
        "format": FORMAT,
        "rules": str(solved.rules),
        "digest": solved.rules.digest,
        "shape": solved.own.shape,
        "steps": STEPS,
        "residual": solved.residual,
        "seconds": solved.seconds,
        "first_player_wins": solved.first_player_wins,
        "made_by": f"farkel {__version__}",
    }
    return json.dumps(header | {"check": _check(header, body)}).encode() + b"\n" + body


def read_header(name: str, file: bytes, rules: AnyRules) -> dict[str, Any]:
    """Return what the file of that name says of itself. Nothing is unpacked.

    Raises `SolveError` ``damaged``, or ``foreign`` if it is not a file of these rules and this format.
    """
    line, _, body = file.partition(b"\n")
    try:
        if len(file) > MOST_BYTES or len(line) > MOST_HEADER:
            raise ValueError
        header: dict[str, Any] = json.loads(line)
        if header.get("farkel") != "values" or header.get("format") != FORMAT:
            raise SolveError("foreign", f"{name} does not hold values of format {FORMAT}")
        if header.pop("check") != _check(header, body):
            raise ValueError
        if header["digest"] != as_rules(rules).digest:
            raise SolveError("foreign", f"{name} holds values of other rules: {header['rules']}")
        numbers = header["residual"], header["seconds"], header["first_player_wins"]
        if not all(isinstance(each, int | float) for each in numbers) or header["steps"] != STEPS:
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SolveError("damaged", f"{name} does not hold values that can be read") from None
    return header


def read_values(name: str, file: bytes, rules: AnyRules, shape: tuple[int, ...]) -> tuple[dict[str, Any], Values]:
    """Return the header of a file and its values, if they have that shape.

    Raises `SolveError` as `read_header`.
    """
    header, size = read_header(name, file, rules), 2 * prod(shape)
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(file[file.index(b"\n") + 1 :], size + 1)
        if header["shape"] != list(shape) or len(raw) != size or not unpacker.eof:
            raise ValueError
        found = zeros(shape)
        found.flat[:] = memoryview(_chances(raw, shape))
    except (zlib.error, ValueError, IndexError):
        raise SolveError("damaged", f"{name} does not hold the values of {rules}") from None
    return header, found


def _differences(values: Values) -> Iterator[int]:
    """Yield by how much the steps between scores differ from those of the row before it, in the same table."""
    *tables, rows, columns = values.shape
    for table in range(prod(tables)):
        before = [0] * columns
        for row in range(rows):
            first = (table * rows + row) * columns
            here = [round(each * STEPS) for each in values.flat[first : first + columns]]
            steps = [here[0], *map(sub, here[1:], here)]
            for step, last in zip(steps, before, strict=True):
                yield step - last + MIDDLE & WRAPPED
            before = steps


def _chances(raw: bytes, shape: tuple[int, ...]) -> packed_array[float]:
    """Return the chances that differences were made from. Raises `IndexError` if one is above 1."""
    *tables, rows, columns = shape
    size, chances, found = prod(shape), [each / STEPS for each in range(STEPS + 1)], packed_array("d")
    for table in range(prod(tables)):
        steps = [0] * columns
        for row in range(rows):
            first = (table * rows + row) * columns
            low, high = raw[first : first + columns], raw[size + first : size + first + columns]
            here = [lower + 256 * upper - MIDDLE for lower, upper in zip(low, high, strict=True)]
            steps = list(map(add, steps, here))
            found.extend([chances[each & WRAPPED] for each in accumulate(steps)])
    return found


def _check(header: dict[str, Any], body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(json.dumps(header).encode()))
