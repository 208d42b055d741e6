"""What the service of the games is given: a clock, something that calculates, and something that tells of turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Clock = Callable[[], int]


def now() -> int:
    """Return milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Calculator(Protocol):
    """Calculates beside the server."""

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        """Return the function's answer; concurrent callers with the same ``about`` share one calculation."""

    async def close(self) -> None:
        """Give up what is being calculated."""


class Inline:
    """A `Calculator` without a process of its own: everything else waits for it."""

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        return function(*arguments)

    async def close(self) -> None: ...


class Webhooks(Protocol):
    """Tells players elsewhere that it is their turn."""

    def wake(self) -> None:
        """Look at once: a turn has begun."""

    async def follow(self, game: str, following: str) -> None:
        """Tell of the next game of the same seats, too."""


class NoWebhooks:
    """`Webhooks` that tell nobody."""

    def wake(self) -> None: ...

    async def follow(self, game: str, following: str) -> None: ...
