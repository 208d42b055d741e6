"""Makes the values that come with Farkel: ``make values``.

Rule sets that take long to solve are solved in full, or read where they were solved before. Then their values are kept
in short numbers, read back, and compared with the solution at every position and every offer.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from math import inf

from farkel.errors import SolveError
from farkel.kernels.arrays import Array
from farkel.rules import load, names
from farkel.solve import Duel, duel
from farkel.support.progress import Progress, silent
from farkel.values import LOOK, packed, read_header
from farkel.values import duel as rounded
from farkel.values.files import ROUNDED, file_name
from farkel.values.places import FOLDER, SUFFIX, content, kept_names

SETS = (
    "berliner-macke",
    "board-game-arena",
    "build-on",
    "cinq-mille",
    "facebook",
    "high-stakes",
    "renaissance",
    "smart-box",
    "ten-thousand-table",
    "zilch",
)
"""Sets that take more than five seconds of a desktop's processor to solve, and so 20 of a phone's."""
MOST_TOGETHER = 20_000_000
"""Bytes of all files."""
SLACK = 1e-8
"""Solutions are this exact, and so is what is calculated from them."""


def main() -> None:
    """Make the values of all sets, or of those that are named; or check those that are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="check that the files are of the rules that are here")
    parser.add_argument("names", nargs="*", metavar="NAME", help="rule set (default: all that need it)")
    chosen = parser.parse_args()
    if chosen.check:
        faults = check()
        if faults:
            sys.exit("\n".join(faults))
        return
    for name in chosen.names or SETS:
        print(make(name, _telling(name)), flush=True)


def check() -> list[str]:
    """Return what is wrong with the files, and what to type."""
    found, total = list[str](), 0
    for name in sorted({*SETS, *kept_names()}):
        file = content(name)
        total += len(file or b"")
        if file is None:
            found.append(f"{name}{SUFFIX} is missing. Type: make values")
        elif name not in names():
            found.append(f"{name}{SUFFIX} is of no set of the catalogue. Remove it.")
        else:
            try:
                read_header(f"{name}{SUFFIX}", file, load(name))
            except SolveError as error:
                found.append(f"{error.message}. Type: make values")
    if total > MOST_TOGETHER:
        found.append(f"The files of values take {total:,} bytes together; {MOST_TOGETHER:,} are allowed.")
    return found


def make(name: str, progress: Progress = silent) -> str:
    """Solve a set, write the file of its values and return what to tell.

    Raises `SolveError` if it cannot be solved, or if a chance differs from the solution by more than it may.
    """
    rules = load(name)
    solved = duel(rules, progress)
    file = packed(solved)
    LOOK.append(lambda asked: file if asked == name else None)
    try:
        found = rounded(rules)
    finally:
        LOOK.pop()
    worst = inf if found is None else furthest(solved, found)
    if worst > ROUNDED + SLACK:
        raise SolveError("not_kept", f"the values of {name} are {worst:.1e} off")
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / file_name(rules)).write_bytes(file)
    return (
        f"{name}: {solved.states:,} positions in {len(file):,} bytes; solved in {solved.seconds:,.0f} s; "
        f"chances at the start of turns and of take-overs differ by {worst:.1e} at most"
    )


def furthest(solved: Duel, found: Duel) -> float:
    """Return by how much two solutions differ at most, at the start of turns and of take-overs."""
    worst = _apart(solved.own, found.own)
    if solved.compiled.board.price:
        for place in product(*map(range, solved.takes.offers.slot.shape)):
            worst = max(worst, _apart(solved.takes.of(*place).values, found.takes.of(*place).values))
    return worst


def _apart(one: Array[float], other: Array[float]) -> float:
    return float(max(abs(mine - its) for mine, its in zip(one.flat, other.flat, strict=True)))


def _telling(name: str) -> Progress:
    """Return what shows progress in a terminal."""
    if not sys.stderr.isatty():
        return silent

    def tell(done: float, of: float) -> None:
        sys.stderr.write(f"\r{name}: {done / of:.1%} ")

    return tell


if __name__ == "__main__":
    main()
