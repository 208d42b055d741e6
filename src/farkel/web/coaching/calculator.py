"""Calculations beside the server, in a process of their own: bounded in number, time and memory.

There are two lanes. Whatever is asked for is tried in the quick one, which answers what needs no long calculation;
only what does goes to the slow one, so that a bot decides while something else is being solved. In both, addresses
take turns, so that no address waits for all that another one asked for.

The process is started when it is first wanted. One that dies, or takes too long over something, is replaced.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import pickle
import signal
import threading
import time
import traceback
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from enum import IntEnum
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, TypeVar, cast

from farkel.errors import FarkelError, SolveError
from farkel.support import system
from farkel.web import metrics
from farkel.web.coaching import calculations
from farkel.web.http.limits import ASKER, Full, Held, Limits
from farkel.web.http.turns import leave_turn

log = logging.getLogger(__name__)

T = TypeVar("T")
Work = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""

MOST_WAITING = 64
"""Questions that may wait in a lane; later ones are refused for now."""
MEMORY = 1 << 30
"""Bytes that the process may take for data of its own, files that it maps not counted."""
LARGE = 512 << 20
"""Bytes of memory; a process that has more is replaced as soon as it has nothing to do: it keeps all it has solved."""
REPLACED = 60.0
"""Seconds between two such replacements, as a single set of rules may need as much."""
LOOKS = 1.0
"""Seconds between two looks at how long calculations take."""
NICE = 5
"""Moves and pages come first."""


class Lane(IntEnum):
    """The lane of a question."""

    QUICK = 0
    SLOW = 1


SECONDS = {Lane.QUICK: 60.0, Lane.SLOW: 300.0}
"""Of processor time: a calculation that takes more is given up."""
PATIENCE = 3600.0
"""Seconds after which the process is taken for stuck."""


class _Question(NamedTuple):
    work: bytes
    """`Work`, pickled."""
    answer: Future[Any]


class Queue:
    """Questions that wait, by address; the addresses take turns. For many threads."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[_Question]] = OrderedDict()
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, address: str, question: _Question) -> None:
        """Let it wait."""
        with self._changed:
            self._waiting.setdefault(address, deque()).append(question)
            self._changed.notify()

    def next(self) -> _Question:
        """Take the next one, as soon as there is one."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            address, questions = self._waiting.popitem(last=False)
            question = questions.popleft()
            if questions:
                self._waiting[address] = questions
            return question


class ProcessCalculator:
    """What asks for calculations on behalf of a server's pages and bots. For one event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._under_way: dict[Hashable, asyncio.Task[Any]] = {}

    @property
    def under_way(self) -> int:
        """Calculations that were asked for and are not done."""
        return len(self._under_way)

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        """Return the function's answer; concurrent callers with the same ``about`` share one calculation.

        Raises the function's errors, `Full` ``busy`` if the process died, and if ``bounded`` `Full` ``busy`` or
        ``too_many_calculations`` if too much waits already, in all or of one address.
        """
        found: asyncio.Task[T] | None = self._under_way.get(about)
        if found is None:
            if bounded and len(self._under_way) >= MOST_WAITING:
                raise Full("busy", "the server is busy; try again in a minute", 60)
            address = ASKER.get()
            if bounded and not self._limits.take(Held.CALCULATIONS, address):
                raise Full(
                    "too_many_calculations", "your address has several calculations waiting; try again in 5 s", 5
                )
            found = self._under_way[about] = asyncio.create_task(_asked(address, pickle.dumps((function, arguments))))
            metrics.WAITING_CALCULATIONS.inc()

            def done(task: asyncio.Task[T]) -> None:
                del self._under_way[about]
                metrics.WAITING_CALCULATIONS.dec()
                if bounded:
                    self._limits.give_back(Held.CALCULATIONS, address)
                if not task.cancelled():
                    task.exception()  # it was asked for, even if all who asked have gone

            found.add_done_callback(done)
        if bounded:
            leave_turn()
        return await asyncio.shield(found)  # one who goes does not take it from the others

    async def close(self) -> None:
        """Give up what is being calculated, as nobody will read it."""
        given_up = list(self._under_way.values())
        for task in given_up:
            task.cancel()
        if given_up:
            await asyncio.gather(*given_up, return_exceptions=True)
            await asyncio.to_thread(_process.give_up)


async def _asked(address: str, work: bytes) -> Any:
    """Ask in the quick lane and then, if it is not known there, in the slow one."""
    answer = await asyncio.wrap_future(_process.submit(Lane.QUICK, address, work))
    if isinstance(answer, Later):
        answer = await asyncio.wrap_future(_process.submit(Lane.SLOW, address, work))
    return answer


class Later:
    """The quick lane's word for what takes long."""


class _Process:
    """The process, and a thread for each lane that talks to it. For many threads."""

    def __init__(self) -> None:
        self._queues = {lane: Queue() for lane in Lane}
        self._starting = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._child: BaseProcess | None = None
        self._pipes: dict[Lane, Connection] = {}
        self._busy: set[Lane] = set()
        self._replaced = -REPLACED
        self._given_up: BaseProcess | None = None
        self._closed = False
        atexit.register(self._close)

    def submit(self, lane: Lane, address: str, work: bytes) -> Future[Any]:
        """Let it wait in the lane; its answer, when there is one."""
        with self._starting:
            if not self._threads:
                self._threads = [threading.Thread(target=self._serve, args=(each,), daemon=True) for each in Lane]
                for thread in self._threads:
                    thread.start()
        question = _Question(work, Future())
        self._queues[lane].put(address, question)
        return question.answer

    def give_up(self) -> None:
        """Stop what is being calculated; the next question starts a new process."""
        with self._starting:
            if self._child is not None:
                self._given_up, self._child = self._child, None
                self._given_up.kill()
                self._given_up.join()

    def _serve(self, lane: Lane) -> None:
        """Have one question after the other answered."""
        while True:
            work, answer = self._queues[lane].next()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(self._answered(lane, work))
            except Exception as error:  # the asker gets every error
                answer.set_exception(error)

    def _answered(self, lane: Lane, work: bytes) -> Any:
        try:
            return self._found(lane, work)
        finally:
            self._busy.discard(lane)  # whoever hears the answer finds the lane with nothing to do

    def _found(self, lane: Lane, work: bytes) -> Any:
        """Return what the process finds; ask once more if it breaks."""
        for _ in range(2):
            child, pipe = self._running(lane)
            try:
                pipe.send_bytes(work)
                if not pipe.poll(PATIENCE):
                    child.kill()
                reply = pickle.loads(pipe.recv_bytes())  # noqa: S301  (from a process of ours)
            except (EOFError, OSError):
                child.kill()
                child.join()
                if lane is Lane.SLOW or child is self._given_up:
                    break
                continue  # something else broke it
            if isinstance(reply, BaseException):
                raise reply
            return reply
        if not self._closed and child is not self._given_up:
            log.error("the process that calculates has died")
        raise Full("busy", "the calculation was interrupted; try again in a minute", 60)

    def _running(self, lane: Lane) -> tuple[BaseProcess, Connection]:
        """Return the process as it is, or a new one, and the lane's way to it."""
        with self._starting:
            if self._child is not None and not self._busy - {lane}:
                self._shrink(self._child)
            self._busy.add(lane)
            if self._child is None or not self._child.is_alive():
                self._child, self._pipes = _started()  # an old pipe is closed once its lane has let go of it
            return self._child, self._pipes[lane]

    def _shrink(self, child: BaseProcess) -> None:
        """End a process that has grown large, while it has nothing to do."""
        late = time.monotonic() - self._replaced >= REPLACED
        if late and child.is_alive() and system.memory_of(child.pid or 0) > LARGE:
            self._replaced = time.monotonic()
            child.kill()
            child.join()

    def _close(self) -> None:
        """End the process with the program."""
        self._closed = True


def _started() -> tuple[BaseProcess, dict[Lane, Connection]]:
    """Start the process: it, and the way to it for each lane."""
    spawn = get_context("spawn")
    pairs = {lane: spawn.Pipe() for lane in Lane}
    theirs = [pairs[lane][1] for lane in Lane]
    child = spawn.Process(target=_calculate, args=(theirs, SECONDS), daemon=True)
    child.start()
    for pipe in theirs:
        pipe.close()
    return child, {lane: ours for lane, (ours, _) in pairs.items()}


_process = _Process()
"""One for all: it takes a moment to start, and keeps its tables."""


# In the process ------------------------------------------------------------------------------------------------------


def _calculate(pipes: list[Connection], seconds: dict[Lane, float]) -> None:
    """Answer questions from the pipes until they end, or one takes too long."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this one
    system.step_back(NICE, MEMORY)
    begun: dict[Lane, float] = {}
    for lane, pipe in zip(Lane, pipes, strict=True):
        threading.Thread(target=_answer, args=(lane, pipe, begun), daemon=True).start()
    while True:
        time.sleep(LOOKS)
        for lane, since in list(begun.items()):
            if time.process_time() - since > seconds[lane]:
                error = SolveError("too_long", "this takes longer to calculate than the server allows")
                pipes[lane].send_bytes(pickle.dumps(error))
                os._exit(1)


def _answer(lane: Lane, pipe: Connection, begun: dict[Lane, float]) -> None:
    """Answer questions from the pipe, and note the processor time at the start of each calculation."""
    with suppress(EOFError, OSError):  # the server has gone
        while True:
            work = pipe.recv_bytes()
            begun[lane] = time.process_time()
            reply = _reply(lane, work)
            del begun[lane]
            pipe.send_bytes(reply)
    os._exit(0)


def _reply(lane: Lane, work: bytes) -> bytes:
    """Return the answer or the error, pickled."""
    try:
        function, arguments = cast("Work", pickle.loads(work))  # noqa: S301  (from the server)
        at_hand = calculations.AT_HAND.get(function)
        if lane is Lane.QUICK and at_hand is not None and not at_hand(*arguments):
            return pickle.dumps(Later())
        return pickle.dumps(function(*arguments))
    except FarkelError as error:
        return pickle.dumps(error)
    except MemoryError:
        return pickle.dumps(SolveError("too_large", "this takes more memory to calculate than the server allows"))
    except Exception:
        return pickle.dumps(RuntimeError(traceback.format_exc()))
