"""How those who ask for something slow are told how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with what is done and of how much, from the thread that asked. What it raises stops the work."""

    def __call__(self, done: float, of: float) -> None: ...


def silent(done: float, of: float) -> None:
    """For those who do not ask."""
