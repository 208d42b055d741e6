"""How fast games are simulated: by the kernel on one thread and two, and by the engine for players in Python.

Run it with ``make bench``. Each figure is the median of several runs in this one call; marks are the project's own.
The first run compiles the kernel where that is not on the disk yet, and is not counted.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from farkel.arena import simulate
from farkel.players import Bold, Cautious, Player

RUNS = 5
SECONDS = 1.0
"""What a run takes, roughly."""


class Plain:
    """A player that no kernel knows."""

    def __init__(self, player: Player) -> None:
        self.decide = player.decide
        self.name = f"plain {player.name}"


class Rate(NamedTuple):
    """Medians of some runs."""

    games: float
    """A second."""
    turns: float
    per_core: float
    """Games a second of processor time: what a core does that nobody else uses."""


def rate(rules: str, players: Sequence[str | Player], threads: int, runs: int = RUNS) -> Rate:
    """Rates of runs of about `SECONDS`. Those before it count have worked out what players know of most positions."""
    games, result = 100, simulate(rules, players, 100, threads=threads)
    while result.seconds < SECONDS / 4 and games < 10**7:
        games *= 2
        result = simulate(rules, players, games, threads=threads)
    games = int(games * SECONDS / result.seconds)
    walls, cores = [], []
    for _ in range(runs):
        begin = time.process_time()
        result = simulate(rules, players, games, threads=threads)
        cores.append(games / (time.process_time() - begin))
        walls.append(result.games_per_second)
    games_a_second = statistics.median(walls)
    return Rate(games_a_second, games_a_second * result.tally.turns_mean, statistics.median(cores))


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
    ):
        alone, both = rate(rules, players, 1), rate(rules, players, 2)
        names = ", ".join(players) if len(players) < 4 else f"{len(players)}: {', '.join(dict.fromkeys(players))}"
        print(f"{rules:<13}{names:<26.25}{alone.games:>18,.0f}", end="")
        print(f"{both.games:>12,.0f}{both.turns:>13,.0f}{both.per_core:>16,.0f}")
    print(f"{'mark':<13}{'two, extended':<26}{'':>18}{'500,000':>12}{'20,000,000':>13}\n")

    print(f"{'players in Python, extended':<39}{'games/s, 1 process':>18}{'games/s a core':>16}")
    engine: dict[str, Sequence[str | Player]] = {
        "cautious, bold": [Plain(Cautious()), Plain(Bold())],
        "cautious, turn": [Plain(Cautious()), "turn"],
        "race, turn, turn": ["race", "turn", "turn"],
    }
    for label, table in engine.items():
        found = rate("extended", table, 1, 3)
        print(f"{label:<39}{found.games:>18,.0f}{found.per_core:>16,.0f}")
    print(f"{'mark, two cores':<39}{'1,000':>18}")


if __name__ == "__main__":
    main()
