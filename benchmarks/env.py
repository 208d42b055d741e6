"""How fast the training environments are: decisions a second, with what an agent reads before each of them.

Run it with ``python benchmarks/env.py``. Each figure is the median of several runs in this one call; marks are the
project's own. Decisions are legal ones at random; choosing them counts for the environments of one game, not for the
vectorised one, whose agents are vectorised too.
"""

from __future__ import annotations

import os
import platform
import random
import statistics
import time
from collections.abc import Callable

import gymnasium
import numba
import numpy as np

from farkel.rules import names
from farkel.training import FarkelAEC, FarkelSolo, FarkelVersus, VectorFarkel

RUNS = 5
STEPS = 20_000
GAMES = 16_384
VECTOR_STEPS = 100


def table(name: str) -> float:
    """Steps of PettingZoo a second: ``last`` and ``step``."""
    env, chance = FarkelAEC(name), random.Random(1).random
    env.reset(seed=1)
    done, begin = 0, time.perf_counter()
    while done < STEPS:
        if not env.agents:
            env.reset()
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        legal = info["action_mask"].nonzero()[0]
        env.step(int(legal[int(chance() * len(legal))]))
        done += 1
    return STEPS / (time.perf_counter() - begin)


def single(env: FarkelSolo | FarkelVersus) -> float:
    """Steps of Gymnasium a second."""
    chance = random.Random(1).random
    _, info = env.reset(seed=1)
    begin = time.perf_counter()
    for _ in range(STEPS):
        legal = info["action_mask"].nonzero()[0]
        _, _, terminated, truncated, info = env.step(int(legal[int(chance() * len(legal))]))
        if terminated or truncated:
            _, info = env.reset()
    return STEPS / (time.perf_counter() - begin)


def vector(name: str, seats: int, threads: int, copy: bool = False, opponent: str | None = None) -> float:
    """Decisions per second of the vectorised environment, in its steps alone."""
    envs = VectorFarkel(name, GAMES, seats, threads=threads, copy=copy, opponent=opponent)
    chance = np.random.default_rng(1)
    _, infos = envs.reset(seed=1)
    spent = 0.0
    for step in range(VECTOR_STEPS):
        masks = infos["action_mask"]
        actions = (masks * chance.random(masks.shape, np.float32)).argmax(1)
        begin = time.perf_counter()
        _, _, _, _, infos = envs.step(actions)
        spent += time.perf_counter() - begin if step else 0.0
    envs.close()
    return GAMES * (VECTOR_STEPS - 1) / spent


def median(work: Callable[[], float], runs: int = RUNS) -> float:
    return statistics.median(work() for _ in range(runs))


def main() -> None:
    cores = os.cpu_count() or 1
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}, ", end="")
    print(f"Gymnasium {gymnasium.__version__}, {cores} cores; compiled before\n")
    vector("minimal", 2, 1)
    print(f"{'steps/s':<15}{'PettingZoo':>12}{'Solo':>10}{'Versus':>10}{'vector, 1 seat':>18}{'vector, 2 seats':>18}")
    for name in names():
        one, two = (median(lambda seats=seats, name=name: vector(name, seats, 1), 3) for seats in (1, 2))  # type: ignore[misc]
        figures = (
            median(lambda name=name: table(name)),  # type: ignore[misc]
            median(lambda name=name: single(FarkelSolo(name)), 3),  # type: ignore[misc]
            median(lambda name=name: single(FarkelVersus(name, "random")), 3),  # type: ignore[misc]
        )
        print(f"{name:<15}{figures[0]:>12,.0f}{figures[1]:>10,.0f}{figures[2]:>10,.0f}{one:>18,.0f}{two:>18,.0f}")
    print(f"{'mark':<15}{'50,000':>12}{'':>20}{'10,000,000':>18}\n")
    print(f"{'vector, extended, against':<34}{'steps/s':>14}")
    for opponent in ("random", "cautious", "turn"):
        print(f"{opponent:<34}{median(lambda o=opponent: vector('extended', 2, 1, opponent=o), 3):>14,.0f}")  # type: ignore[misc]
    print(f"{'mark':<34}{'2,000,000':>14}\n")
    print(f"{'vector, extended':<34}{'steps/s':>14}")
    for threads in sorted({1, cores}):
        for copy in (False, True):
            words = f"{threads} thread{'s' if threads > 1 else ''}, {'copied' if copy else 'not copied'}"
            print(f"{words:<34}{median(lambda t=threads, c=copy: vector('extended', 1, t, c)):>14,.0f}")  # type: ignore[misc]


if __name__ == "__main__":
    main()
