"""The progress of long work: a bar on standard error, or lines on a pipe; Ctrl-C ends it in one line."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from farkel.support.progress import Reckoning
from farkel.terminal.streams import if_stopped, stopped

if TYPE_CHECKING:
    from rich.progress import Task
    from rich.text import Text

LATE = 1.0
"""Seconds after which a bar shows how far something is."""
LINES = 10.0
"""Seconds between two lines on a pipe that say so."""
BAR = 20
"""Letters of a bar."""


class Working:
    """The progress of a command: reckoned, and shown."""

    def __init__(self, reckoning: Reckoning, pressed: threading.Event, show: Callable[[], object]) -> None:
        self._reckoning, self._pressed, self._show = reckoning, pressed, show

    def __call__(self, done: float, of: float) -> None:
        if self._pressed.is_set():
            raise KeyboardInterrupt
        self._reckoning(done, of)
        self._show()

    def doing(self, what: str, until: float) -> None:
        """Say what is done from now on."""
        self._reckoning.doing(what, until)


@contextmanager
def working(doing: str) -> Iterator[Working]:
    """Yield a bar on standard error for work that takes longer than a second; on a pipe a line now and then.

    Stopped from the keyboard, the program says so in one line and ends.
    """
    reckoning = Reckoning(doing)
    try:
        with (
            telling(),
            _noticed() as pressed,
            _bar(reckoning) if sys.stderr is not None and sys.stderr.isatty() else _piped(reckoning) as show,
        ):
            yield Working(reckoning, pressed, show)
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
def _piped(reckoning: Reckoning) -> Iterator[Callable[[], object]]:
    told = time.monotonic()

    def line() -> None:
        nonlocal told
        now = time.monotonic()
        if now - told < LINES or not 0 < reckoning.far < 1 or sys.stderr is None:
            return
        told = now
        sys.stderr.write(f"{reckoning}\n")
        sys.stderr.flush()

    yield line


@contextmanager
def _bar(reckoning: Reckoning) -> Iterator[Callable[[], object]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn
    from rich.text import Text

    class Said(ProgressColumn):
        """A part of what the reckoning says, at the time it is drawn."""

        def __init__(self, said: Callable[[], str]) -> None:
            super().__init__()
            self._said = said

        def render(self, task: Task) -> Text:
            return Text(self._said())

    columns = (
        Said(lambda: reckoning.what),
        BarColumn(bar_width=BAR),
        Said(lambda: reckoning.share),
        Said(lambda: reckoning.rest),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None)
    late = threading.Timer(LATE, bar.start)
    late.daemon = True
    late.start()
    try:
        with if_stopped(bar.stop):
            yield lambda: bar.update(task, completed=reckoning.far, total=1.0)
    finally:
        late.cancel()
        late.join()
        bar.stop()
