"""Metrics for the operator of a server, in Prometheus' format: counters, gauges and times, each with a name here.

Each part of the server reports to the metric of its name. Several processes of one server count together, in files of a
folder that their supervisor makes (`shared`): any of them answers for all. Without Prometheus' library, as in a page
that needs no server, nothing is counted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable with the folder for Prometheus' library, set before it is imported."""


class _Uncounted:
    """A metric without Prometheus' library: it takes everything and keeps nothing."""

    def __init__(self, *about: object, **more: object) -> None: ...

    def labels(self, *values: str) -> _Uncounted:
        return self

    def inc(self, amount: float = 1) -> None: ...

    dec = set = observe = inc

    def time(self) -> AbstractContextManager[None]:
        return nullcontext()

    track_inprogress = time


try:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

    disable_created_metrics()  # type: ignore[no-untyped-call]  # when each series began: twice the text, and unread
    _registry = CollectorRegistry()
    _gauge = partial(Gauge, registry=_registry)
    _counter = partial(Counter, registry=_registry)
    _histogram = partial(Histogram, registry=_registry)
except ModuleNotFoundError:
    _gauge = _counter = _histogram = _Uncounted  # type: ignore[assignment]

OPEN_GAMES = _gauge(
    "farkel_open_games",
    "Games that are not over and were touched within the time that counts",
    multiprocess_mode="livemostrecent",
)
DATABASE_UP = _gauge(
    "farkel_database_up",
    "1 if the database answered when this was asked for, else 0",
    multiprocess_mode="livemostrecent",
)
HELD_GAMES = _gauge("farkel_held_games", "Games that are held in memory", multiprocess_mode="livesum")
STREAMS = _gauge("farkel_streams", "Event streams that are open", multiprocess_mode="livesum")
CONNECTIONS = _gauge("farkel_connections", "Connections that are open", multiprocess_mode="livesum")
WAITING = _gauge(
    "farkel_waiting",
    "What is under way or waits, by queue: writes to the database, calculations",
    ["queue"],
    multiprocess_mode="livesum",
)
MEMORY = _gauge("farkel_memory_bytes", "Resident memory of the process (Linux)", multiprocess_mode="liveall")
MOVES = _counter("farkel_moves", "Submissions that were stored, of players, of bots and of the server")
REFUSALS = _counter("farkel_refusals", "Requests that were refused, by the code of the answer", ["code"])
WRITES = _counter("farkel_database_writes", "Writes to the database that were carried out")
FAILED_WRITES = _counter("farkel_database_failed_writes", "Writes that the database refused or lost")
TRANSACTIONS = _histogram(
    "farkel_database_transaction_seconds", "Time of a transaction, which holds all writes that waited"
)
REQUESTS = _histogram(
    "farkel_request_seconds",
    "Time until a request was answered or its event stream began, by the route and not by the address",
    ["method", "route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)

WAITING_WRITES = WAITING.labels("writes")
WAITING_CALCULATIONS = WAITING.labels("calculations")


def refused(code: str) -> None:
    """Count a refusal. Codes are stable and few; nothing that a sender chose may become one."""
    REFUSALS.labels(code).inc()


def measure_process() -> None:
    """Note the memory that this process takes, if the system says so."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError):
        return
    MEMORY.set(pages * os.sysconf("SC_PAGE_SIZE"))


def exposition() -> bytes:
    """Return all metrics as text, of all processes if several count together."""
    from prometheus_client import generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    if FOLDER not in os.environ:
        return generate_latest(_registry)
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return generate_latest(together)


@contextmanager
def shared() -> Iterator[None]:
    """Let the processes that are started meanwhile count together."""
    with TemporaryDirectory(prefix="farkel-metrics-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]


def process_ended(pid: int) -> None:
    """Remove the gauges of a process that has ended; its counters stay."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid, os.environ[FOLDER])  # type: ignore[no-untyped-call]
