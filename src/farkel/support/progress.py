"""How far long work is: what is told of it, or nothing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with the work done and the total, from the calling thread. An exception raised in it stops the work."""

    def __call__(self, done: float, of: float) -> None: ...


def silent(done: float, of: float) -> None:
    """Report nothing: the default."""
