"""Many games of a match, on all cores: the kernel for players that are tables, the engine for all others.

The result is a function of the rules, the players and the seed. It does not depend on the number of threads, nor on
how the games are split: the tallies of parts add up to the tally of the whole.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from typing import Any

from farkel.errors import ArenaError
from farkel.kernels.arrays import array
from farkel.players import Player
from farkel.players.own import listed_players
from farkel.players.protocol import built_in
from farkel.rules import AnyRules, Rules, as_rules
from farkel.simulation.bots.tables import BotTables, is_table
from farkel.simulation.jobs import Batch, Forfeit, Job, Stop, check_job, prepare
from farkel.simulation.tally import Tally, counters, total
from farkel.support.clock import clock
from farkel.support.executors import executor
from farkel.support.extras import needs
from farkel.support.frames import Tabular
from farkel.support.progress import shown
from farkel.support.words import counted

PIECE = 0.1
"""Seconds of games that a thread plays at a time: how soon an interruption is noticed."""
FEWEST, MOST = 64, 1 << 16
"""Games of a piece."""
FORFEITS_KEPT = 100

Progress = Callable[["Tally"], None]
Sink = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class SimulationResult(Tabular):
    """The result of a simulation."""

    rules: Rules
    players: tuple[str, ...]
    seed: int
    tally: Tally
    seconds: float
    """From the beginning of the first game on, without compiling."""
    forfeits: tuple[Forfeit, ...] = ()
    """The first ones, with their reasons; the tally has the number of all."""
    complete: bool = True
    """False if it was stopped before its last game."""

    def __str__(self) -> str:
        games = counted(self.tally.games, "game", "games")
        return f"{self.rules}, {games}, seed {self.seed}: {self.tally.told(self.players)}"

    @property
    def games_per_second(self) -> float:
        return self.tally.games / self.seconds if self.seconds > 0 else 0.0

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player: wins with the 95% interval of the win rate, and turns."""
        return [
            {
                "player": name,
                "games": self.tally.games,
                "wins": self.tally.wins[place],
                "win_rate": self.tally.win_rates[place],
                "low": self.tally.intervals[place].low,
                "high": self.tally.intervals[place].high,
                "points_per_turn": self.tally.points_mean(place),
                "points_error": self.tally.points_error(place),
                "farkle_rate": self.tally.farkle_rate(place),
                "rolls_per_turn": self.tally.throws_mean(place),
            }
            for place, name in enumerate(self.players)
        ]

    def data(self) -> dict[str, Any]:
        """Return plain data, for JSON. Wins are games, intervals are 95 % of win rates, both in the players' order."""
        return {
            "games": self.tally.games,
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
            "wins": list(self.tally.wins),
            "intervals": [list(interval) for interval in self.tally.intervals],
            "turns_mean": self.tally.turns_mean,
        }


def simulate(
    rules: AnyRules,
    players: Sequence[str | Player],
    games: int,
    seed: int | None = None,
    *,
    people: Sequence[int] = (),
    first: int = 0,
    threads: int = 0,
    limit: float = 1.0,
    processes: bool = False,
    progress: Progress | None = None,
    raw: Sink | None = None,
) -> SimulationResult:
    """Play this many games, from game number ``first``; player ``(seat + game) % seats`` sits in each seat.

    seed: without one, as on the command line, each call plays other games; the result has the seed that repeats them.
    players: names and files as `farkel.simulation.load_player` reads them, or objects. people: those in the team of
    each player. threads: 0 for as many as there are cores. limit: seconds that a player in Python has for a decision.
    processes: whether players given as objects play in processes, too, a copy in each: on all cores, or as many as
    there are threads. ``progress`` gets the tally so far, every tenth of a second or so; without it, a line shows how
    far the games are if standard error is a terminal or a notebook. ``raw`` gets the games themselves, in their
    order, in arrays as `raw_games` makes them.

    ``Ctrl-C``, and `Stop` raised by ``progress``, end it early: the result is that of the games there are, and not
    ``complete``. Players from files always play in processes. A script with any processes needs the usual
    ``if __name__ == "__main__":``. Raises `RulesError`, `PlayerError` and `ArenaError` for invalid arguments, the last
    with ``cannot_travel`` for objects that processes cannot be sent, and `SolveError`.
    """
    rules, players = as_rules(rules), listed_players(players)
    seed = secrets.randbits(32) if seed is None else seed
    job = Job(str(rules), players, seed, first, games, tuple(people), limit)

    def take(batch: Batch) -> None:
        if raw:
            raw(raw_games(batch, len(players)))

    found = batches(job, threads, raw is not None, processes)
    with shown("games") as show:
        return summed_up(rules, job, found, take, progress or (lambda tally: show(tally.games, games)))


def summed_up(
    rules: Rules,
    job: Job,
    found: Iterable[Batch],
    take: Callable[[Batch], None],
    progress: Progress,
    whole: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> SimulationResult:
    """Return the result of a job's games, as they are found; ``take`` gets them, and ``progress`` the tally so far.

    ``Ctrl-C``, and `Stop` raised by ``progress``, end it early. What counts games and what takes them stands within
    ``whole``, which may see to it that neither is without the other.
    """
    watch = Stopwatch()
    tally, complete = Tally.nothing(rules.unit, len(job.players)), True
    forfeits: list[Forfeit] = []
    try:
        for batch in found:
            watch.see(batch)
            with whole():
                tally += batch.tally
                forfeits += batch.forfeits[: FORFEITS_KEPT - len(forfeits)]
                take(batch)
            progress(tally)
    except (KeyboardInterrupt, Stop):
        complete = False
    return SimulationResult(rules, job.names, job.seed, tally, watch.seconds, tuple(forfeits), complete)


class Stopwatch:
    """Measures the duration of games, without preparations and compiling."""

    def __init__(self) -> None:
        self._began: float | None = None

    def see(self, batch: Batch) -> None:
        """Take note of games as they come; the first ones tell when playing began."""
        if self._began is None:
            self._began = clock() - batch.seconds

    @property
    def seconds(self) -> float:
        """So far; 0 without any games."""
        return 0.0 if self._began is None else clock() - self._began


def run(job: Job) -> Tally:
    """Return the tally of a job, played in this thread (players in Python in a process)."""
    nothing = Tally.nothing(as_rules(job.rules).unit, len(job.players))
    return total((batch.tally for batch in batches(job, threads=1)), nothing)


def batches(job: Job, threads: int = 0, raw: bool = False, processes: bool = False) -> Generator[Batch, None, None]:
    """Yield the games of a job in their order, some at a time, as many as suit the machine.

    threads, processes and what it raises: as `simulate`. raw: whether batches have the games, for `raw_games`.
    """
    rules, players = check_job(job)
    threads = threads if threads > 0 else cores()
    people = job.people or [1] * len(players)
    if all(is_table(player, rules, people) for player in players):
        prepare(rules, players, people)
        return _by_kernel(rules, players, job, threads, raw)
    from farkel.simulation.watched import play_here, play_in_processes  # processes are slow to import

    if not (processes or all(isinstance(player, str) for player in job.players)):
        prepare(rules, players, people)
        return play_here(rules, players, job, raw)
    # Their tables are calculated once, and read from the disk by the processes.
    prepare(rules, [player for player in players if built_in(player) in ("turn", "exact", "race")], people)
    return play_in_processes(job, threads, raw)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def raw_games(batch: Batch, players: int) -> Any:
    """Return the games of a batch as a structured array: a row a game, with named columns of whole numbers.

    ``game``; ``winners``, a bit for each player; ``reason``, a place in `REASONS`; ``first``, the player
    with the first turn; ``turns`` and ``throws`` of all players; ``score_0``, ``score_1``, ... of each player.
    Raises `ArenaError` ``not_installed`` without NumPy.
    """
    needs("parquet", "raw_games", ArenaError, modules=["numpy"])
    import numpy as np

    columns = ["winners", "reason", "first", "turns", "throws", *(f"score_{player}" for player in range(players))]
    found = np.zeros(len(batch.raw), [("game", np.uint64), *((name, np.int64) for name in columns)])
    found["game"] = np.uint64(batch.first) + np.arange(len(batch.raw), dtype=np.uint64)
    for place, name in enumerate(columns):
        found[name] = [row[place] for row in batch.raw]
    return found


def _by_kernel(
    rules: Rules, players: Sequence[Player], job: Job, threads: int, raw: bool
) -> Generator[Batch, None, None]:
    """Play pieces of about `PIECE` seconds on threads, and hand them on in order; only some wait at a time."""
    from farkel.simulation.pieces import play_piece

    tables = BotTables(rules, players, people=job.people)
    people = array(job.people or [1] * len(players), "int64")
    pace = FEWEST
    stopped = threading.Event()

    def piece(start: int, size: int) -> Batch:
        nonlocal pace
        begin = clock()
        found = counters(len(players), raw=size if raw else 0)
        play_piece(tables, people, job.seed, start, size, found, stopped=stopped.is_set)
        took = max(1e-6, clock() - begin)
        pace = int(min(MOST, 4 * pace, max(FEWEST, size * PIECE / took)))
        return Batch(start, size, Tally.of(rules.unit, found), found.raw.tolist(), seconds=took)

    end, start = job.first + job.games, job.first
    waiting: deque[Future[Batch]] = deque()
    with executor(threads, "games") as pool:
        try:
            while start < end or waiting:
                while start < end and len(waiting) < 2 * threads:
                    size = min(pace, end - start)
                    waiting.append(pool.submit(piece, start, size))
                    start += size
                yield waiting.popleft().result()
        finally:
            stopped.set()
            for future in waiting:
                future.cancel()


Source = Callable[[Sequence[Job], bool], Generator[tuple[int, Batch], None, None]]
"""Plays jobs, with raw games or without: the place of the job and some of its games, as they come, in their order."""


def locally(threads: int = 0) -> Source:
    """Play on this machine, job after job."""

    def play_jobs(jobs: Sequence[Job], raw: bool) -> Generator[tuple[int, Batch], None, None]:
        for place, job in enumerate(jobs):
            with closing(batches(job, threads, raw)) as found:
                for batch in found:
                    yield place, batch

    return play_jobs
