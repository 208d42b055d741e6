"""The progress of long work: a bar on standard error, or lines on a pipe; Ctrl-C ends it in one line."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from farkel.support.progress import Progress
from farkel.terminal.streams import if_stopped, stopped

LATE = 1.0
"""Seconds after which a bar shows how far something is."""
LINES = 10.0
"""Seconds between two lines on a pipe that say so."""
LEAST = 0.01
"""The part of the work that must be done before they say how long the rest takes."""


@contextmanager
def working(doing: str) -> Iterator[Progress]:
    """Yield a bar on standard error for work that takes longer than a second; on a pipe a line now and then.

    Stopped from the keyboard, the program says so in one line and ends.
    """
    try:
        with (
            telling(),
            _noticed() as pressed,
            _bar(doing) if sys.stderr is not None and sys.stderr.isatty() else _piped(doing) as progress,
        ):

            def told(done: float, of: float) -> None:
                if pressed.is_set():
                    raise KeyboardInterrupt
                progress(done, of)

            yield told
    except KeyboardInterrupt:
        stopped()


@contextmanager
def telling() -> Iterator[None]:
    """Print messages about long work on standard error, also on a pipe: that the program compiles, or waits."""
    import logging

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if sys.stderr is not None:
                sys.stderr.write(f"{record.getMessage()}\n")
                sys.stderr.flush()

    log, lines = logging.getLogger("farkel"), Lines()
    before = log.level
    log.addHandler(lines)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(lines)


@contextmanager
def _noticed() -> Iterator[threading.Event]:
    """Return whether Ctrl-C was pressed: what that raises may be swallowed on its way through a compiler
    and its callbacks.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        pressed.set()
        (before if callable(before) else signal.default_int_handler)(number, frame)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _piped(doing: str) -> Iterator[Progress]:
    began = told = time.monotonic()

    def line(done: float, of: float) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told < LINES or not LEAST * of <= done < of or sys.stderr is None:
            return
        told = now
        left = round((now - began) * (of - done) / done)
        sys.stderr.write(f"{doing}: {done / of:.0%} done, about {left:,} s left\n")
        sys.stderr.flush()

    yield line


@contextmanager
def _bar(doing: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(doing, total=None)
    late = threading.Timer(LATE, bar.start)
    late.daemon = True
    late.start()
    try:
        with if_stopped(bar.stop):
            yield lambda done, of: bar.update(task, completed=done, total=of)
    finally:
        late.cancel()
        late.join()
        bar.stop()
