"""Work that would hold up the event loop, which all requests of a process share.

Python runs one thread at a time, so many that calculate would hold up the loop all the same. There is one, and it does
first what is for the addresses that have had the least processor time.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from itertools import count
from queue import PriorityQueue
from typing import Any, NamedTuple, ParamSpec, TypeVar

from farkel.support.system import has_threads

P = ParamSpec("P")
T = TypeVar("T")


class Cost:
    """The processor time of a request."""

    def __init__(self, before: float = 0.0) -> None:
        """``before``: seconds that its address was given lately."""
        self.before = before
        self.seconds = 0.0

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what this thread does until the end of the block."""
        begun = time.thread_time()
        try:
            yield
        finally:
            self.seconds += time.thread_time() - begun


COST: ContextVar[Cost | None] = ContextVar("COST", default=None)
"""Where the present work is counted; None for that of the server itself."""


async def off_loop(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Do work in a thread, and return what it returns. A browser has no threads: there everything waits for it."""
    if not has_threads():
        return work(*arguments, **named)
    return await asyncio.wrap_future(_thread.put(partial(work, *arguments, **named)))


class _Job(NamedTuple):
    before: float
    number: int
    cost: Cost
    work: Callable[[], Any]
    done: Future[Any]


class _Thread:
    """The one thread, which starts when it is first wanted."""

    def __init__(self) -> None:
        self._jobs: PriorityQueue[_Job] = PriorityQueue()
        self._numbers = count()
        self._starting = threading.Lock()
        self._started = False

    def put(self, work: Callable[[], T]) -> Future[T]:
        """Let it wait for its turn."""
        with self._starting:
            if not self._started:
                threading.Thread(target=self._run, name="farkel-work", daemon=True).start()
                self._started = True
        cost, done = COST.get() or Cost(), Future[T]()
        self._jobs.put(
            _Job(cost.before + cost.seconds, next(self._numbers), cost, partial(copy_context().run, work), done)
        )
        return done

    def _run(self) -> None:
        while True:
            self._do(self._jobs.get())

    def _do(self, job: _Job) -> None:
        if not job.done.set_running_or_notify_cancel():
            return
        try:
            with job.cost.counting():
                found = job.work()
        except BaseException as error:  # the asker gets every error
            job.done.set_exception(error)
        else:
            job.done.set_result(found)


_thread = _Thread()
