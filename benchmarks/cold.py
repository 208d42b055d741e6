"""How long a new user waits for the first answer: commands run once, with nothing compiled or solved before.

Run it with ``make bench``. Each figure is the median of several runs, each with an empty cache folder.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 3
MARKS = {
    "odds --rules minimal": None,
    "solve --rules minimal": 12.0,
    "simulate --rules standard --players turn,cautious --games 10000": 8.0,
}
"""Commands, and the seconds that the project allows them."""


def waited(command: str) -> float:
    """Seconds that a command of farkel takes in an empty cache folder. Raises if it fails."""
    with tempfile.TemporaryDirectory() as cache:
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "farkel", *command.split()],
            env=os.environ | {"XDG_CACHE_HOME": cache},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return time.perf_counter() - began


def main() -> None:
    print(f"{'cold start':<68}{'s':>6}{'mark':>6}")
    for command, mark in MARKS.items():
        took = statistics.median(waited(command) for _ in range(RUNS))
        print(f"{command:<68}{took:>6.1f}{'' if mark is None else f'{mark:.0f}':>6}")


if __name__ == "__main__":
    main()
