"""The time that work takes, without compiling for it."""

from __future__ import annotations

import time
from collections.abc import Callable


class Clock:
    """A clock that stands still within it as a context, however deeply that is nested.

    Contexts are for one thread at a time; any thread may ask for the time.
    """

    def __init__(self) -> None:
        self.told: Callable[[bool], None] = lambda stands: None
        """Called when it stops, with true, and when it runs again."""
        self._behind = 0.0
        self._stopped: float | None = None
        self._depth = 0

    def time(self) -> float:
        """Return seconds, from any beginning."""
        stopped = self._stopped
        return (time.perf_counter() if stopped is None else stopped) - self._behind

    @property
    def stands(self) -> bool:
        """Whether it stands still now."""
        return self._depth > 0

    def __enter__(self) -> None:
        if self._depth == 0:
            self._stopped = time.perf_counter()
            self.told(True)
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._stopped is not None:
            self._behind += time.perf_counter() - self._stopped
            self._stopped = None
            self.told(False)


CLOCK = Clock()
"""Stands still while this process compiles machine code or loads it."""


def clock() -> float:
    """Return a time in seconds that stands still while this process compiles machine code or loads it."""
    return CLOCK.time()
