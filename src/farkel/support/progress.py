"""How far long work is: what is told of it, or nothing; its steps; how long the rest takes, as far as is measured."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from math import ceil
from typing import Protocol, runtime_checkable

from farkel.support.clock import clock

MEASURED = 1.0
"""Seconds of work that must be measured before anything is said of the rest."""
LEAST = 0.05
"""The part of a step that must be measured before."""
EARLY = 0.2
"""The part of a step before which an estimate is the least that it takes: later parts are often the longer ones."""


class Progress(Protocol):
    """Called with the work done and the total, from the calling thread. An exception raised in it stops the work."""

    def __call__(self, done: float, of: float) -> None: ...


def silent(done: float, of: float) -> None:
    """Report nothing: the default."""


# Steps ---------------------------------------------------------------------------------------------------------------


@runtime_checkable
class Naming(Protocol):
    """A progress that also hears what is being done."""

    def doing(self, what: str, until: float) -> None:
        """Hear what is done from now on, until this part of all the work is done."""


class Steps:
    """Long work in steps, one after the other, as one progress that never goes back.

    Shares say roughly how long steps take beside each other. They move a bar; no estimate rests on them. A step that
    is left out counts as done when the next one begins.
    """

    def __init__(self, progress: Progress, shares: Mapping[str, float]) -> None:
        self._progress, self._far = progress, 0.0
        ends = [0.0, *accumulate(shares.values())]
        self._places = {
            what: (first / ends[-1], last / ends[-1]) for what, first, last in zip(shares, ends, ends[1:], strict=False)
        }

    def begin(self, what: str) -> Step:
        """Return the progress of a step; those before it are done."""
        step = Step(self, *self._places[what])
        step.doing(what, 1.0)
        step(0.0, 1.0)
        return step

    def __call__(self, done: float, of: float) -> None:
        self._far = max(self._far, done / of)
        self._progress(self._far, 1.0)

    def doing(self, what: str, until: float) -> None:
        """Hear what is done within a step."""
        if isinstance(self._progress, Naming):
            self._progress.doing(what, until)


class Step:
    """The progress of a step within that of all the work."""

    def __init__(self, steps: Steps, first: float, last: float) -> None:
        self._steps, self._first, self._last = steps, first, last

    def __call__(self, done: float, of: float) -> None:
        self._steps(self._place(done / of if of > 0 else 0.0), 1.0)

    def doing(self, what: str, until: float) -> None:
        """Hear what is done within the step."""
        self._steps.doing(what, self._place(until))

    def _place(self, part: float) -> float:
        return self._last if part >= 1 else self._first + (self._last - self._first) * part


# What may be said of it ----------------------------------------------------------------------------------------------


class Reckoning:
    """How far long work is, and how long its step still takes, by what has been measured of it.

    Time counts from the first that is done of a step: what was loaded or compiled before is not work.
    """

    def __init__(self, what: str = "", now: Callable[[], float] = clock) -> None:
        self.what = what
        """What is being done."""
        self.far = 0.0
        """The part of all the work that is done. It never falls."""
        self._now = now
        self._until = 1.0
        self._first: tuple[float, float] | None = None
        self._last = (0.0, 0.0)

    def __call__(self, done: float, of: float) -> None:
        before = self.far
        self.far = max(self.far, min(1.0, done / of if of > 0 else 0.0))
        if self._first is None or self.far > before:
            self._last = self._now(), self.far
            self._first = self._first or self._last

    def doing(self, what: str, until: float) -> None:
        """Begin to measure another step."""
        self.what, self._until, self._first = what, until, None

    @property
    def left(self) -> float | None:
        """Seconds to the end of the step; None if too little was measured, or if it takes longer than was expected."""
        if self._first is None:
            return None
        (began, first), (last, far) = self._first, self._last
        if last - began < MEASURED or self._measured < LEAST:
            return None
        left = (self._until - far) * (last - began) / (far - first) - (self._now() - last)
        return left if left > 0 else None

    @property
    def _measured(self) -> float:
        """The part of the step that was measured."""
        first = self._first[1] if self._first else self._until
        return (self._last[1] - first) / (self._until - first) if first < self._until else 0.0

    @property
    def share(self) -> str:
        """How far it is: ``34%``, and 100% only at the end; empty before anything is reported."""
        return f"{int(100 * self.far)}%" if self.far or self._first else ""

    @property
    def rest(self) -> str:
        """How long it still takes: ``about 20 s left``, or early ``20 s or more left``; empty if that is not known."""
        if self.far == 1:
            return "finishing"
        left = self.left
        if left is None:
            return ""
        said = f"{_rough(left)} or more" if self._measured < EARLY else f"about {_rough(left)}"
        return f"{said} {'left' if self._until == 1 else 'for this step'}"

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.what, ", ".join(filter(None, (self.share, self.rest))))))


def _rough(seconds: float) -> str:
    """Return a time as nobody would take for exact."""
    if seconds <= 10:
        return f"{ceil(seconds)} s"
    if seconds <= 100:
        return f"{5 * ceil(seconds / 5)} s"
    if seconds <= 5400:
        return f"{ceil(seconds / 60)} min"
    return f"{ceil(seconds / 3600)} h"


# Whoever listens in this program -------------------------------------------------------------------------------------


_listeners: list[Progress] = []
"""The last one counts."""


def told(done: float, of: float) -> None:
    """Report to whoever listens in this program, if anybody does."""
    if _listeners:
        _listeners[-1](done, of)


@contextmanager
def listening(progress: Progress) -> Iterator[None]:
    """Let everything that is told go here. For one thread."""
    _listeners.append(progress)
    try:
        yield
    finally:
        _listeners.pop()


# One line of it for whoever watches -----------------------------------------------------------------------------------


LATE = 1.0
"""Seconds after which a line shows how far something is."""
OFTEN = 0.2
"""Seconds between two such lines."""


@contextmanager
def shown(what: str) -> Iterator[Progress]:
    """Show progress in one line on standard error, if a person watches: in a terminal or a notebook."""
    said, next_at = 0, time.monotonic() + LATE

    def show(done: float, of: float) -> None:
        nonlocal said, next_at
        if time.monotonic() >= next_at and watched():
            line = f"{done:,.0f} of {of:,.0f} {what}"
            _write(f"\r{line:<{said}}")
            said, next_at = len(line), time.monotonic() + OFTEN

    try:
        yield show
    finally:
        if said:
            _write(f"\r{'':<{said}}\r")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def watched() -> bool:
    """Return whether a person sees what is printed on standard error at once."""
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
