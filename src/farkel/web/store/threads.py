"""Threads of the database: one that writes for all games, and any others for what is read.

Many events a second are stored as all that wait are written in one transaction, in a thread of its own.

A transaction ends with the disk, which takes milliseconds however much is in it. So the first to arrive is written at
once, and those that arrive meanwhile go together. Nothing else in a process writes to the games it serves, so that
no request waits for SQLite's one lock, and everything is stored in the order in which it came.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from farkel.web import metrics
from farkel.web.store.database import trouble
from farkel.web.store.values import Write


class Tables:
    """Tables of a database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine


S = TypeVar("S", bound=Tables)
P = ParamSpec("P")
T = TypeVar("T")

MOST = 256
"""Writes in one transaction."""


def transaction(
    method: Callable[Concatenate[S, Connection, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Let a method work in a transaction and a thread of its own. The database's errors are raised as `StoreError`."""

    def done(self: S, *arguments: P.args, **named: P.kwargs) -> T:
        with self.engine.begin() as connection:
            return method(self, connection, *arguments, **named)

    @wraps(method)
    async def asked(self: S, /, *arguments: P.args, **named: P.kwargs) -> T:
        try:
            return await asyncio.to_thread(done, self, *arguments, **named)
        except SQLAlchemyError as error:
            raise trouble(error) from error

    return asked


class _Waiting(NamedTuple):
    write: Write
    done: asyncio.Future[bool]


class BatchWriter:
    """The one thread of a process that writes. It starts when something is to be written."""

    def __init__(self, write_all: Callable[[Sequence[Write]], list[bool]]) -> None:
        self._write_all = write_all
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def write(self, write: Write) -> bool:
        """Store it; whether it was stored, as `Store.write` says. On the disk when this returns."""
        if self._thread is None:
            self._loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._run, name="farkel-writer", daemon=True)
            self._thread.start()
        done: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.put(_Waiting(write, done))
        metrics.WAITING_WRITES.inc()
        try:
            return await done
        finally:
            metrics.WAITING_WRITES.dec()

    async def close(self) -> None:
        """Write what waits, and end the thread."""
        if self._thread is not None:
            self._waiting.put(None)
            await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            closing = False
            while len(batch) < MOST and not self._waiting.empty():
                if (one := self._waiting.get()) is None:
                    closing = True
                    break
                batch.append(one)
            self._write(batch)
            if closing:
                return

    def _write(self, batch: list[_Waiting]) -> None:
        try:
            with metrics.TRANSACTIONS.time():
                written = self._write_all([one.write for one in batch])
        except Exception as error:  # the waiting caller gets every error
            if len(batch) == 1 or isinstance(error, OperationalError):
                metrics.FAILED_WRITES.inc(len(batch))
                told = trouble(error) if isinstance(error, SQLAlchemyError) else error
                self._loop.call_soon_threadsafe(_fail, batch, told)
                return
            for one in batch:  # one that cannot be stored does not affect the others
                self._write([one])
        else:
            metrics.WRITES.inc(len(batch))
            self._loop.call_soon_threadsafe(_settle, batch, written)


def _settle(batch: list[_Waiting], written: list[bool]) -> None:
    for one, was_written in zip(batch, written, strict=True):
        if not one.done.done():
            one.done.set_result(was_written)


def _fail(batch: list[_Waiting], error: Exception) -> None:
    for one in batch:
        if not one.done.done():
            one.done.set_exception(error)
