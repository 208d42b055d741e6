"""How far long work is: what is told of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Called with the work done and the total, from the calling thread. An exception raised in it stops the work."""

    def __call__(self, done: float, of: float) -> None: ...


def silent(done: float, of: float) -> None:
    """Report nothing: the default."""


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
