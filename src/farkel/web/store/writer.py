"""Storing many events a second: all that wait are written in one transaction, in a thread of its own.

A transaction ends with the disk, which takes milliseconds however much is in it. So the first to arrive is written at
once, and those that arrive meanwhile go together. Nothing else in a process writes to the games it serves, so that
no request waits for SQLite's one lock, and everything is stored in the order in which it came.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from typing import NamedTuple

from sqlalchemy.exc import OperationalError

from farkel.web import metrics
from farkel.web.store.games import Store, Write

MOST = 256
"""Writes in one transaction."""


class _Waiting(NamedTuple):
    write: Write
    done: asyncio.Future[bool]


class Writer:
    """The one thread of a process that writes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="farkel-writer", daemon=True)
        self._thread.start()

    async def write(self, write: Write) -> bool:
        """Store it; whether it was stored, as `Store.write` says. On the disk when this returns."""
        done: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.put(_Waiting(write, done))
        metrics.WAITING_WRITES.inc()
        try:
            return await done
        finally:
            metrics.WAITING_WRITES.dec()

    async def close(self) -> None:
        """Write what waits, and end the thread."""
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
                written = self._store.write([one.write for one in batch])
        except Exception as error:  # the waiting caller gets every error
            if len(batch) == 1 or isinstance(error, OperationalError):
                metrics.FAILED_WRITES.inc(len(batch))
                self._loop.call_soon_threadsafe(_fail, batch, error)
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
