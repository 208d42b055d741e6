"""How fast the engine is: events of random play on one core, compiling a rule set, and starting the program.

Run it with ``make bench``. Each figure is the median of several runs in this one call; marks are the project's own.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from farkel.dice import RandomDice
from farkel.game import State, Throw, apply, legal_actions, new_game
from farkel.game.scoring import ScoreTable, score_table
from farkel.players import make_player
from farkel.rules import named, names

RUNS = 5
EVENTS = 40_000


def random_play(state: State, events: int) -> int:
    """Play whole games of random legal decisions until so many events have happened; returns how many."""
    generator = random.Random(1)
    dice, choice = RandomDice(generator), generator.choice
    done = 0
    while done < events:
        now = state
        while not now.over:
            due = now.dice_due
            now = apply(now, Throw(dice.throw(done, due)) if due else choice(legal_actions(now)))
            done += 1
    return done


def player_games(state: State, player: str, games: int) -> int:
    """Play whole games between players of one kind; returns how many events that took."""
    generator, decides = random.Random(1), make_player(player)
    dice, done = RandomDice(generator), 0
    for _ in range(games):
        now = state
        while not now.over:
            due = now.dice_due
            now = apply(now, Throw(dice.throw(done, due)) if due else decides.decide(now, generator))
            done += 1
    return done


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def median(work: Callable[[], object], runs: int = RUNS) -> float:
    return statistics.median(seconds(work) for _ in range(runs))


def start_up(*words: str) -> float:
    """Median wall time of a whole process, less nothing: what somebody waits who types it."""
    return median(lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=True), 9)


def main() -> None:
    print(f"Python {sys.version.split()[0]}, one core, medians of {RUNS} runs (processes: of 9)\n")

    print(f"{'rule set':<15}{'compile, s':>11}{'random play, events/s':>24}{'cautious, games/s':>20}")
    for name in names():
        rules = named(name)
        compiling = median(lambda rules=rules: ScoreTable(rules))  # type: ignore[misc]
        score_table(rules)
        state = new_game(rules)
        counts: list[int] = []
        playing = median(lambda state=state, counts=counts: counts.append(random_play(state, EVENTS)))  # type: ignore[misc]
        games = median(lambda state=state: player_games(state, "cautious", 100))  # type: ignore[misc]
        print(f"{name:<15}{compiling:>11.3f}{statistics.median(counts) / playing:>24,.0f}{100 / games:>20,.0f}")
    print(f"{'mark':<15}{'0.200':>11}{'250,000':>24}\n")

    python = sys.executable
    farkel = str(Path(python).with_name("farkel"))
    print(f"{'process':<32}{'seconds':>9}{'mark':>7}")
    for label, mark, words in (
        ("python -c pass", "", (python, "-c", "pass")),
        ("python -c 'import farkel'", "0.15", (python, "-c", "import farkel")),
        ("farkel --help", "0.30", (farkel, "--help")),
        ("farkel score 112345", "", (farkel, "score", "112345")),
    ):
        print(f"{label:<32}{start_up(*words):>9.3f}{mark:>7}")


if __name__ == "__main__":
    main()
