"""How fast exact answers are: solving whole games of two, the best turn, advice; and who beats whom.

``make bench`` prints the first tables; ``python benchmarks/solve.py --original`` solves the original game with twelve
lives (minutes, gigabytes), ``--penalties`` the sets whose penalties lower scores, and ``--matches`` plays the exact
players against the one that only counts points.
"""

from __future__ import annotations

import os
import platform
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial

import numba
import numpy as np

from farkel.dice import RandomDice
from farkel.game import Phase, State, Throw, apply, legal_actions, new_game
from farkel.game.scoring import score_table
from farkel.kernels.arrays import array
from farkel.kernels.registry import SOLVE
from farkel.kernels.spaces import SETTING
from farkel.rules import Rules, load
from farkel.simulation import simulate
from farkel.solve import Duel, best_race, duel
from farkel.solve.compiled_game import compile_board
from farkel.solve.compiled_turn import program
from farkel.solve.last_turns import complete
from farkel.solve.points import Turn
from farkel.solve.solver import Solver
from farkel.solve.turn_ends import Position, Sides, solve_turns, work
from farkel.solve.turn_sweep import LANES, sweep

MARKS = {"extended": 0.5, "build-on": 2.5, "renaissance": 2.5, "original": 120.0}
FAST = ("extended", "standard", "minimal", "cardgames", "patch", "ten-thousand", "guts-and-luck", "kcd")
TAKING = ("build-on", "high-stakes", "renaissance")
GROWTH = (5_000, 10_000, 20_000)
RUNS = 3
MATCHES = (
    ("extended", "exact", ("turn",), 1_000_000),
    ("kcd", "exact", ("turn",), 1_000_000),
    ("build-on", "exact", ("turn",), 1_000_000),
    ("standard", "race", ("turn",) * 2, 400_000),
    ("standard", "race", ("turn",) * 4, 200_000),
)
"""Rules, a player, its opponents, and how many games; each sits everywhere equally often."""


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def solved(rules: Rules) -> Solver:
    """Everything from the rules to the solution; nothing is read from the disk."""
    solver = Solver(complete(compile_board(rules)))
    solver.run()
    return solver


def solve_table(names: tuple[str, ...]) -> None:
    print(f"{'solve':<22}{'seconds':>9}{'fastest':>9}{'mark':>7}{'residual':>10}{'positions':>11}  first player wins")
    for name in names:
        rules = load(name)
        score_table(rules)
        times: list[float] = []
        for _ in range(RUNS if name in FAST + TAKING else 1):
            begin = time.perf_counter()
            solver = solved(rules)
            times.append(time.perf_counter() - begin)
        mark = f"{MARKS[name]:g}" if name in MARKS else ""
        print(
            f"{name:<22}{statistics.median(times):>9.2f}{min(times):>9.2f}{mark:>7}{solver.residual:>10.0e}"
            f"{solver.states:>11,}  {solver.first_player_wins:.9f}",
            flush=True,
        )


def growth_table() -> None:
    print(f"\n{'growth, seconds':<22}" + "".join(f"{f'to {target:,}':>12}" for target in GROWTH))
    for name in ("extended", "build-on"):
        times = []
        for target in GROWTH:
            rules = load(name, [f"target={target}"])
            score_table(rules)
            times.append(seconds(partial(solved, rules)))
        print(f"{name:<22}" + "".join(f"{each:>12.2f}" for each in times), flush=True)


def profile_table() -> None:
    """Where the time of a solve goes: the loop over turn totals and all that surrounds it; and what is cut short."""
    print(
        f"\n{'profile':<22}{'eight turns, ms':>17}{'of that the loop':>18}{'turn totals':>13}{'choices each':>14}"
        f"{'just the starts, ms':>21}"
    )
    for name in ("extended", "build-on"):
        profile_row(name)


def profile_row(name: str) -> None:
    solver = solved(load(name))
    board, p, space = solver.board, solver.compiled.program.arrays, solver.space
    room = work(p, 8 * board.scores, False)
    scores = array([[40 + lane, 100 - lane] for lane in range(LANES)], "int64")
    sides = space.place(Sides(board, p, solver.values, room, solver.sides[0].least))

    def turn(whole: bool) -> int:
        return space.run(solve_turns, sides, Position(0, 0, 0, 40, 100), scores, 1, whole)

    def loop() -> None:
        space.run(swept, sides, rows)

    start = min(seconds(partial(turn, False)) for _ in range(30))
    rows = turn(True)
    whole, inner = min(seconds(partial(turn, True)) for _ in range(30)), min(seconds(loop) for _ in range(30))
    choices = p.refs.size + p.node_at.size
    print(f"{name:<22}{whole * 1e3:>17.3f}{inner / whole:>17.0%} {rows:>13}{choices:>14,}{start * 1e3:>21.3f}")


def small_table() -> None:
    print(f"\n{'compiled, then':<22}{'milliseconds':>13}{'mark':>7}")
    for name in ("extended", "build-on", "facebook"):
        rules = load(name)
        score_table(rules)
        program(rules, 4096)
        times = [1e3 * seconds(partial(Turn, rules)) for _ in range(7)]
        mark = "10" if name == "extended" else ""
        print(f"{f'turn of {name}':<22}{statistics.median(times):>13.1f}{mark:>7}")
    for name in ("extended", "build-on"):
        found = duel(load(name))
        times = [1e3 * seconds(partial(advice, found, state)) for state in decisions(load(name), 60)]
        mark, most = "5" if name == "extended" else "", max(times)
        print(f"{f'advice in {name}':<22}{statistics.median(times):>13.1f}{mark:>7}   at most {most:.1f}")
    for name in ("minimal", "extended"):
        print(f"{f'race of {name}':<22}{1e3 * seconds(partial(best_race, load(name))):>13.0f}")


@SOLVE
def swept(sides: Sides, rows: int) -> None:
    sweep(sides.program, 0, rows, sides.work, sides.work.landing)


def advice(found: Duel, state: State) -> object:
    """What advice rests on: the chances after every legal action."""
    return [found.chances(apply(state, action)) for action in legal_actions(state)]


def decisions(rules: Rules, number: int) -> list[State]:
    """Decisions of random play, each in a turn of its own."""
    generator = random.Random(4)
    found: list[State] = []
    dice, throws = RandomDice(generator), 0
    while len(found) < number:
        state = new_game(rules, (1, 1))
        while not state.over:
            due = state.dice_due
            if due:
                state, throws = apply(state, Throw(dice.throw(throws, due))), throws + 1
                continue
            if state.phase is Phase.KEEP and generator.random() < 0.2:
                found.append(state)
            state = apply(state, generator.choice(legal_actions(state)))
    return found[:number]


def match_table() -> None:
    print(f"{'rules':<12}{'player':<8}{'against':<12}{'games':>11}{'wins':>9}{'95 %':>20}{'fair':>8}{'games/s':>10}")
    for name, player, others, games in MATCHES:
        found = simulate(name, [player, *others], games, seed=1)
        low, high = found.tally.intervals[0]
        print(
            f"{name:<12}{player:<8}{f'{len(others)} x {others[0]}':<12}{found.tally.games:>11,}"
            f"{found.tally.win_rates[0]:>9.2%}{f'{low:.2%} to {high:.2%}':>20}{1 / (1 + len(others)):>8.1%}"
            f"{found.games_per_second:>10,.0f}",
            flush=True,
        )


def main() -> None:
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}, "
        f"{os.cpu_count()} cores; compiled before\n"
    )
    os.environ.setdefault(SETTING, "native")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for name in ("minimal(target=500)", "build-on(target=600)", "original(target=5000, lives.each=2)"):
            solved(load(name))
        if "--matches" in sys.argv:
            match_table()
        elif "--penalties" in sys.argv:
            solve_table(("facebook", "zilch"))
        elif "--original" in sys.argv:
            solve_table(("original",))
            print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB")
        else:
            solve_table(FAST + TAKING)
            growth_table()
            profile_table()
            small_table()


if __name__ == "__main__":
    main()
