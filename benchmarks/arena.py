"""How fast games are simulated: by the kernel on one thread and two, by the engine in one process and two.

Run it with ``make bench``. Each figure is the median of several runs in this one call; marks are the project's own.
The first run compiles the kernel where that is not on the disk yet, and is not counted.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from farkel.simulation import Stop, Tally, simulate

RUNS = 5
SECONDS = 1.0
"""What a run takes, roughly."""
WATCHED = 8.0
"""Seconds that players in Python are watched for: their processes report now and then."""
PLAIN = """
from farkel.players import Bold, Cautious


class PlainCautious:
    name = "cautious in Python"
    decide = Cautious().decide


class PlainBold:
    name = "bold in Python"
    decide = Bold().decide
"""
"""Players that no kernel knows."""


class Rate(NamedTuple):
    """Medians of some runs."""

    games: float
    """A second."""
    turns: float
    per_core: float
    """Games a second of processor time: what a core does that nobody else uses."""


def rate(rules: str, players: Sequence[str], threads: int) -> Rate:
    """Rates of runs of about `SECONDS`. Those before it count have worked out what players know of most positions."""
    simulate(rules, players, 100, threads=threads)  # what has to be compiled and solved
    games, result = 100, simulate(rules, players, 100, threads=threads)
    while result.seconds < SECONDS / 4 and games < 10**7:
        games *= 2
        result = simulate(rules, players, games, seed=0, threads=threads)
    games = int(games * SECONDS / result.seconds)
    walls, cores = [], []
    for _ in range(RUNS):
        begin = time.process_time()
        result = simulate(rules, players, games, seed=0, threads=threads)
        cores.append(games / (time.process_time() - begin))
        walls.append(result.games_per_second)
    games_a_second = statistics.median(walls)
    return Rate(games_a_second, games_a_second * result.tally.turns_mean, statistics.median(cores))


def rate_of_processes(rules: str, players: Sequence[str], processes: int) -> float:
    """Games a second once the processes play, all together."""
    seen: list[tuple[float, int]] = []

    def watch(tally: Tally) -> None:
        seen.append((time.perf_counter(), tally.games))
        if seen[-1][0] - seen[0][0] > WATCHED:
            raise Stop

    simulate(rules, players, 10**6, seed=0, threads=processes, progress=watch)
    return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])


def main() -> None:
    print(f"Python {sys.version.split()[0]}, medians of {RUNS} runs; a core: by processor time\n")
    begin = time.perf_counter()
    simulate("extended", ["turn", "cautious"], 1)
    print(f"the first game, with what it loads or compiles: {time.perf_counter() - begin:.1f} s\n")

    print(
        f"{'rules':<13}{'players':<26}{'games/s, 1 thread':>18}{'2 threads':>12}{'turns/s':>13}{'games/s a core':>16}"
    )
    for rules, players in (
        ("extended", ["cautious", "bold"]),
        ("extended", ["turn", "cautious"]),
        ("extended", ["turn", "turn"]),
        ("extended", ["random", "threshold:500"]),
        ("extended", ["turn"] * 4),
        ("extended", ["turn", "bold", "cautious", "random"] * 2),
        ("standard", ["turn", "turn"]),
        ("kcd", ["turn", "turn"]),
        ("facebook", ["turn", "turn"]),
        ("renaissance", ["turn", "bold"]),
        ("original", ["turn", "bold"]),
        ("extended", ["exact", "turn"]),
        ("extended", ["race", "exact"]),
        ("build-on", ["exact", "turn"]),
        ("extended", ["race", "turn", "turn"]),
        ("extended", ["race", "turn", "turn", "turn", "turn"]),
        ("extended", ["race"] * 3),
    ):
        alone, both = rate(rules, players, 1), rate(rules, players, 2)
        names = ", ".join(players) if len(players) < 4 else f"{len(players)}: {', '.join(dict.fromkeys(players))}"
        print(f"{rules:<13}{names:<26.25}{alone.games:>18,.0f}", end="")
        print(f"{both.games:>12,.0f}{both.turns:>13,.0f}{both.per_core:>16,.0f}")
    print(f"{'mark':<13}{'two, extended':<26}{'':>18}{'500,000':>12}{'20,000,000':>13}\n")

    print(f"{'players in Python, extended':<39}{'games/s, 1 process':>18}{'2 processes':>12}")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plain.py"
        path.write_text(PLAIN)
        for table in ([f"{path}:PlainCautious", f"{path}:PlainBold"], [f"{path}:PlainCautious", "turn"]):
            names = ", ".join(player.removeprefix(f"{path}:") for player in table)
            rates = [rate_of_processes("extended", table, processes) for processes in (1, 2)]
            print(f"{names:<39}{rates[0]:>18,.0f}{rates[1]:>12,.0f}")
    print(f"{'mark, two cores':<39}{'':>18}{'1,000':>12}")


if __name__ == "__main__":
    main()
