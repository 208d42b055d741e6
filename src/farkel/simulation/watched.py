"""Players that may do anything: guarded, so that one that raises, stalls or cheats loses its game and nothing else.

Games of such players are played in processes of their own. A worker reports its place before each decision; one that
says nothing new for longer than the limit is killed, whatever it is doing, and the game is played again up to that
decision, which loses it: games are functions of their number, so nothing else changes.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import queue
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any

from farkel.dice.simulated import ArenaRandom
from farkel.errors import ArenaError, FarkelError
from farkel.game import Action, IllegalEvent, State, follow
from farkel.players import Player
from farkel.players.protocol import prepare
from farkel.rules import Rules
from farkel.simulation.jobs import Batch, Forfeit, Job, Stop, check_job
from farkel.simulation.python_games import Broken, Count, Decides, play
from farkel.simulation.tally import Tally, counters
from farkel.support.clock import CLOCK, clock

REPORTS = 0.1
"""Seconds of games that a worker reports together."""
PIECES = 64
"""Games that a worker is sent at a time."""
LOOKS = 0.02
"""Seconds between two looks at the workers."""
STARTS = 120.0
"""Seconds that a worker may take to start, which is when players are made and prepared."""
COMPILES = 600.0
"""Seconds that a worker may compile machine code without a pause."""

Lost = dict[tuple[int, int], tuple[str, str]]
"""By a game and the number of its decisions: the code and the player's fault that loses the game there."""


def decide_guarded(player: Player, state: State, generator: ArenaRandom, limit: float) -> tuple[Action, State, bool]:
    """Return the player's decision. Raises `Broken` if it raises, takes too long, or breaks the rules."""
    begin = clock()
    try:
        action: Any = player.decide(state, generator)
    except (Exception, SystemExit) as error:
        raise Broken("raised", f"{player.name} raised {type(error).__name__}: {error}") from error
    taken = clock() - begin
    if taken > limit:
        raise Broken("stalled", f"{player.name} took {taken:.1f} s for a decision; {limit:g} s are allowed")
    if not isinstance(action, Action):
        raise Broken("illegal", f"{player.name} returned {action!r:.200}, which is no action")
    try:
        return action, *follow(state, action)
    except IllegalEvent as error:
        raise Broken("illegal", f"{player.name}: {error.message}") from error
    except Exception as error:  # an action that is made of the wrong things
        raise Broken("illegal", f"{player.name} returned {action!r:.200}, which is no action") from error


def play_here(
    rules: Rules,
    players: Sequence[Player],
    job: Job,
    raw: bool,
    at: Callable[[int, int], None] = lambda game, seen: None,
    lost: Lost | None = None,
) -> Generator[Batch, None, None]:
    """Yield the games of a job, played in this process, where nothing can stop a player that does not return.

    ``at`` gets the game and how many decisions it has seen. ``lost``: decisions that are known to end a game for who
    makes them, and why.
    """
    first = job.first
    while first < job.first + job.games:
        found = counters(len(players), raw=job.games if raw else 0)
        forfeits: list[Forfeit] = []
        begin, game, count = clock(), first, Count(len(players), rules)
        while game < job.first + job.games and clock() - begin < REPORTS:
            count.begin(game)
            decides = _guarded(job, game, at, lost or {})
            played = play(rules, players, job.seed, game, job.people, decides, count.watch)
            count.end(played.state, found, game - first)
            forfeits += played.forfeits
            game += 1
        count.add(found)
        tally = Tally.of(rules.unit, found)
        raw_games = found.raw[: game - first].tolist()
        yield Batch(first, game - first, tally, raw_games, tuple(forfeits), clock() - begin)
        first = game


def _guarded(job: Job, game: int, at: Callable[[int, int], None], lost: Lost) -> Decides:
    seen = 0

    def decides(player: Player, state: State, generator: ArenaRandom) -> tuple[Action, State, bool]:
        nonlocal seen
        seen += 1
        if (game, seen) in lost:
            code, what = lost[game, seen]
            raise Broken(code, f"{player.name} {what}")
        at(game, seen)
        return decide_guarded(player, state, generator, job.limit)

    return decides


# Ways to workers ------------------------------------------------------------------------------------------------------


def _packed(what: tuple[Job, Lost]) -> bytes:
    """Return what a worker is sent. With cloudpickle, that includes classes of a notebook."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return bytes(dumps(what))
    except Exception as error:
        raise _stays(error) from error


def _arrived(sent: bytes) -> tuple[Job, Lost]:
    try:
        job, lost = pickle.loads(sent)  # noqa: S301
    except Exception as error:
        raise _stays(error) from error
    return job, lost


def _stays(error: Exception) -> ArenaError:
    return ArenaError(
        "cannot_travel",
        f"a player cannot be sent to other processes: {error}; save its class in a file and name it, such as "
        '"./mine.py:Greedy", install cloudpickle, or leave out processes',
    )


# Workers --------------------------------------------------------------------------------------------------------------


def _work(connection: Any, pulse: Any, raw: bool) -> None:
    """Play the games that are sent to this worker, until nothing is sent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("farkel").setLevel(logging.ERROR)  # the process that started this one has given the warnings

    def compiling(begins: bool) -> None:
        pulse[3] = begins

    CLOCK.told = compiling

    def at(game: int, seen: int) -> None:
        pulse[1] = seen
        pulse[0] = game
        pulse[2] += 1

    made: tuple[Rules, list[Player]] | None = None
    with suppress(EOFError, BrokenPipeError):
        while True:
            sent = connection.recv_bytes()
            pulse[0] = -1
            try:
                job, lost = _arrived(sent)
                if made is None:
                    made = check_job(job)
                    prepare(*made, job.people or [1] * len(job.players))
                for batch in play_here(*made, job, raw, at, lost):
                    connection.send(batch)
                pulse[0] = -1
                connection.send(None)
            except FarkelError as error:
                connection.send((error.code, error.message))


class Worker:
    """One process that plays games for a job, and the watch over it."""

    def __init__(self, raw: bool) -> None:
        self._raw = raw
        self._process: Any = None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._pulse = context.RawArray("q", 4)
        self._pulse[0] = -1
        self._process = context.Process(target=_work, args=(theirs, self._pulse, self._raw), daemon=True)
        self._process.start()
        theirs.close()

    def play(self, job: Job, stop: Callable[[], bool]) -> Iterator[Batch]:
        """Yield the games of the job, some at a time. Raises `ArenaError` if a player cannot play them."""
        lost: Lost = {}
        first, end = job.first, job.first + job.games
        while first < end:
            self._connection.send_bytes(_packed((job.part(first, end - first), lost)))
            while True:
                answer = self._answer(job.limit, stop)
                if isinstance(answer, Batch):
                    first += answer.games
                    yield answer
                    continue
                if answer is None:
                    break
                if len(answer) > 2:
                    game, seen, *why = answer
                    lost[game, seen] = why[0], why[1]
                    self.end()
                    self._start()
                    break
                raise ArenaError(*answer)

    def _answer(self, limit: float, stop: Callable[[], bool]) -> Any:
        """Return the worker's message; or (game, decisions, code, fault) if the game has to be ended there."""
        seen, since = (-1, 0), time.monotonic()
        while True:
            try:
                if self._connection.poll(LOOKS):
                    return self._connection.recv()
            except (EOFError, ConnectionError):
                self._process.join()
                why = f"ended its process (exit code {self._process.exitcode})"
                if self._pulse[0] < 0:
                    raise ArenaError("worker_ended", f"a process that plays games could not start: it {why}") from None
                return self._pulse[0], self._pulse[1], "raised", why
            if stop():
                raise Stop
            game, decision, now, compiles = self._pulse[:]
            if (now, compiles) != seen:
                seen, since = (now, compiles), time.monotonic()
            elif time.monotonic() - since > (COMPILES if compiles else limit if game >= 0 else STARTS) + LOOKS:
                if game < 0:
                    raise ArenaError("worker_stalled", f"a process that plays games has not started in {STARTS:g} s")
                return game, decision, "stalled", f"did not decide within {limit:g} s"

    def end(self) -> None:
        """Kill the process."""
        self._connection.close()
        self._process.kill()
        self._process.join()
        self._process.close()


def play_in_processes(job: Job, threads: int, raw: bool) -> Generator[Batch, None, None]:
    """Let players play in processes, each with a thread that watches over it."""
    pieces = [(start, min(PIECES, job.games - start)) for start in range(0, job.games, PIECES)]
    threads = max(1, min(threads, len(pieces)))
    stopped = threading.Event()
    found: dict[int, list[Batch] | BaseException] = {}
    ready = threading.Condition()
    work: queue.SimpleQueue[tuple[int, int, int]] = queue.SimpleQueue()
    given = 0

    def watch() -> None:
        worker = Worker(raw)
        try:
            while True:
                number, start, size = work.get()
                if number < 0:
                    return
                outcome: list[Batch] | BaseException
                try:
                    outcome = list(worker.play(job.part(job.first + start, size), stopped.is_set))
                except BaseException as error:
                    outcome = error
                with ready:
                    found[number] = outcome
                    ready.notify()
                if isinstance(outcome, BaseException):
                    return
        finally:
            worker.end()

    watchers = [threading.Thread(target=watch, name=f"games-{number}") for number in range(threads)]
    for watcher in watchers:
        watcher.start()
    try:
        for number in range(len(pieces)):
            while given < len(pieces) and given < number + 2 * threads:
                work.put((given, *pieces[given]))
                given += 1
            with ready:
                ready.wait_for(lambda number=number: number in found or _failed(found))  # type: ignore[misc]
                outcome = found.pop(number, None) or _failed(found)
            if isinstance(outcome, BaseException):
                raise outcome
            yield from outcome or []
    finally:
        stopped.set()
        for _ in watchers:
            work.put((-1, 0, 0))
        for watcher in watchers:
            watcher.join()


def _failed(found: dict[int, list[Batch] | BaseException]) -> BaseException | None:
    return next((one for one in found.values() if isinstance(one, BaseException)), None)
