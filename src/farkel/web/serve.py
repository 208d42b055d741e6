"""Running the server: one process, or several that serve the same games on PostgreSQL."""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import NamedTuple

import uvicorn
from fastapi import FastAPI

from farkel.dice.chance import SYSTEM, Chance
from farkel.errors import FarkelError
from farkel.support import system
from farkel.web import metrics
from farkel.web.app import make_app
from farkel.web.http.connections import Connection
from farkel.web.http.limits import Limits, Share
from farkel.web.settings import Settings
from farkel.web.store.database import DatabaseError, connect

BACKLOG = 2_048
"""Connections that may wait to be taken."""
LOOKS = 0.5
"""Seconds between two looks at whether the processes live, and whether they are to stop."""
STARTS = 3.0
"""Seconds that a process has to live, or it is taken for one that cannot start, unless it was killed."""
SELDOM = 1_000
"""Searches of the younger objects for circles of garbage between two of all objects; Python's own rule is 10."""
OPEN_FILES = 65_536
"""Files and connections that a process asks the system for; it often gets fewer."""
OTHER_FILES = 128
"""Of these, the number left for the database, pages from the disk and the like."""
LATE = 2.0
"""Seconds that threads have to end once everything is stored and closed; their results are no longer wanted."""


class ServeError(FarkelError):
    """The server cannot run as it is asked to; ``code`` is stable."""


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that takes connections from now on; those that come before the server is up wait a moment.

    Port 0 takes any that is free. Raises `ServeError` ``port_taken``, ``port_refused`` or ``bad_host``.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        found = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise _bad_host(host, error) from None
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(address)
        found.listen(BACKLOG)
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            said = f"port {port} is taken by another program; choose another, such as --port {port + 1}"
            raise ServeError("port_taken", said) from None
        if error.errno == errno.EACCES:
            said = f"this user may not open port {port}; choose one from 1024 on, such as --port 8000"
            raise ServeError("port_refused", said) from None
        raise _bad_host(host, error) from None
    return found


def _bad_host(host: str, error: OSError) -> ServeError:
    said = f'"{host}" is not an address of this machine: {error.strerror}; without --host it listens on all of them'
    return ServeError("bad_host", said)


def check(settings: Settings, workers: int) -> None:
    """Open the database once, so that its tables are up to date and its faults show immediately.

    Raises `DatabaseError`, and `ServeError` ``one_process`` for several processes on SQLite.
    """
    try:
        engine = connect(settings.database)
    except DatabaseError as error:
        raise DatabaseError(error.code, f"{error.message}. Choose where games are saved with --database URL") from None
    several = engine.dialect.name == "postgresql"
    engine.dispose()
    if workers > 1 and not several:
        raise ServeError(
            "one_process",
            f"--workers {workers} needs PostgreSQL, which tells processes of each other's moves: "
            "--database postgresql+psycopg://USER@HOST/NAME. On SQLite one process serves all games",
        )


def serve(settings: Settings, sock: socket.socket, workers: int = 1, chance: Chance = SYSTEM) -> None:
    """Serve until SIGTERM or SIGINT; event streams end, and answers under way are finished.

    It is the last thing that a process does: `LATE` seconds afterwards the process ends, with 0, whatever else it does.
    Raises `ServeError` ``not_started`` if a process cannot start.
    """
    with _signalled() as stop:
        if workers == 1:
            _serve(settings, sock, stop, chance, Limits(settings))
        else:
            with metrics.shared():
                _supervise(settings, sock, workers, stop, chance)


class WebServer(uvicorn.Server):
    """Ends event streams when it stops, instead of waiting for them."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, stop: threading.Event) -> None:
        super().__init__(config)
        self._app = app
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.should_exit |= self._stop.is_set()  # asked to stop before this was ready

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.service.end_streams()
        await super().shutdown(sockets)
        late = threading.Timer(LATE, os._exit, (0,))
        late.daemon = True
        late.start()


def _serve(settings: Settings, sock: socket.socket, stop: threading.Event, chance: Chance, limits: Limits) -> None:
    sys.setswitchinterval(0.0005)  # the thread that writes must not hold up all others for 5 ms each time
    app = make_app(settings, chance=chance, limits=limits)
    Connection.most = system.most_open_files(OPEN_FILES) - OTHER_FILES
    # With a thousand games a search through everything for circles of garbage takes half a second, and finds little:
    # it comes once in some ten thousand moves, not in some hundred, and leaves out objects from the start.
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="error",
        server_header=False,
        proxy_headers=settings.proxied,
        forwarded_allow_ips="*" if settings.proxied else None,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=30,
    )
    WebServer(config, app, stop).run([sock])


def _supervise(settings: Settings, sock: socket.socket, workers: int, stop: threading.Event, chance: Chance) -> None:
    """Keep that many processes running until they are to stop; one that dies is replaced."""
    share = Share.new(workers, chance)
    running = {number: _start(settings, sock, chance, share, number) for number in range(workers)}
    try:
        while not stop.is_set():
            wait([worker.process.sentinel for worker in running.values()], LOOKS)
            for number, (process, started) in running.items():
                if process.is_alive() or stop.is_set():
                    continue
                metrics.process_ended(process.pid or 0)
                killed = (process.exitcode or 0) < 0
                if time.monotonic() - started < STARTS and not killed:
                    raise ServeError("not_started", "a process of the server cannot start; the lines above say why")
                running[number] = _start(settings, sock, chance, share, number)
    finally:
        for process, _ in running.values():
            process.terminate()
        for process, _ in running.values():
            process.join()


class _Worker(NamedTuple):
    process: SpawnProcess
    started: float
    """Seconds of the monotonic clock."""


def _start(settings: Settings, sock: socket.socket, chance: Chance, share: Share, number: int) -> _Worker:
    arguments = settings, sock, chance, share, number
    process = multiprocessing.get_context("spawn").Process(target=_work, args=arguments)
    process.start()
    return _Worker(process, time.monotonic())


def _work(settings: Settings, sock: socket.socket, chance: Chance, share: Share, number: int) -> None:
    """Be one of several processes."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with _signalled() as stop:
        _serve(settings, sock, stop, chance, Limits(settings, share, number))


def _end_with_parent() -> None:
    """Stop when the process that keeps this one running is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _signalled() -> Iterator[threading.Event]:
    """Yield whether the program has been asked to stop."""
    stop = threading.Event()
    before = {name: signal.signal(name, lambda *_: stop.set()) for name in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def address_in_the_room() -> str:
    """Return the address of this machine on its own network, for the other devices in the room; "" if it
    has none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: this only chooses the way out
        except OSError:
            return ""
        address: str = probe.getsockname()[0]
    return "" if address.startswith("127.") else address
