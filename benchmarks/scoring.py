"""How long it takes to compile rules to their score table, for any number of dice: usual tables, and the largest.

Run it with ``make bench``. Each figure is from the patterns to the finished table, the median of several runs.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping
from typing import Any

from farkel.game.scoring import ScoreTable
from farkel.rules import Rules, named, names
from farkel.rules.pattern_tables import MOST_PATTERNS
from farkel.rules.patterns import PatternError, pattern_of

RUNS = 3
SINGLES = {str(face): 10 * face for face in range(1, 7)}
"""All dice score, so that any part of a roll may be kept: there are the most keeps."""


def many(dice: int, entry: Any) -> dict[str, Any]:
    """As many different patterns of three dice or more as a table may have, the same ones each time."""
    chance, found = random.Random(dice), dict[str, Any]()
    while len(found) < MOST_PATTERNS - len(SINGLES):
        text = "".join(chance.choices("123456abcdef", k=chance.randint(3, dice)))
        try:
            found[pattern_of(text).text] = entry
        except PatternError:
            continue
    return found


def tables(dice: int) -> Mapping[str, Mapping[str, Any]]:
    """Fields of rules for so many dice, by what is special about them."""
    kinds = {f"{number}a": {"a" * number: f"{100 * (number - 2)}a"} for number in range(3, dice + 1)}
    alike = {form: paid for kind in kinds.values() for form, paid in kind.items()}
    return {
        "of a kind": {"scoring": {"1": 100, "5": 50} | alike},
        "every die scores": {"scoring": SINGLES | alike},
        "200 patterns": {"scoring": SINGLES | many(dice, 500)},
        "200 rolled patterns": {"scoring": SINGLES, "rolled": many(dice, -50)},
    }


def seconds(fields: Mapping[str, Any]) -> float:
    """How long it takes to make rules of the fields, and their score table."""
    found = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        ScoreTable(Rules.model_validate(fields))
        found.append(time.perf_counter() - begin)
    return statistics.median(found)


def main() -> None:
    dice = (5, 6, 7, 8, 9, 10)
    print(f"{'seconds, by dice':<22}" + "".join(f"{number:>8}" for number in dice))
    slowest = max(seconds(named(name).model_dump()) for name in names())
    print(f"{'slowest of catalogue':<22}{'':>8}{slowest:>8.3f}")
    for kind in tables(6):
        print(f"{kind:<22}" + "".join(f"{seconds({'dice': number, **tables(number)[kind]}):>8.3f}" for number in dice))
    print(f"{'mark':<22}{'':>8}{0.2:>8.3f}{2.0:>40.3f}")


if __name__ == "__main__":
    main()
