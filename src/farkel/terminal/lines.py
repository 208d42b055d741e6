"""Plain lines on standard input and output: say, ask, and how far slow work is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from farkel.support.progress import Progress, Reckoning
from farkel.support.words import counted
from farkel.terminal.fitting import fitted
from farkel.terminal.streams import is_terminal

ANSWER = 8
"""Columns that an answer needs beside its question."""
TOLD_EVERY = 5.0
"""Seconds between two lines that show progress."""


class EndOfInput(Exception):
    """The input has ended."""


def say(text: str) -> None:
    """Print a line at once, wrapped between words if the terminal is too narrow for it."""
    sys.stdout.write(fitted(text) + "\n")
    sys.stdout.flush()


def ask(prompt: str) -> str:
    """Return one line of input, without its ends. Raises `EndOfInput`."""
    sys.stdout.write(_prompted(prompt))
    sys.stdout.flush()
    stream: TextIO | None = sys.stdin  # None if it was closed
    line = stream.readline() if stream is not None else ""
    if not typing():
        sys.stdout.write("\n")
    if not line:
        raise EndOfInput
    return line.strip()


def _prompted(prompt: str) -> str:
    """Return a prompt that leaves room for the answer in its last line."""
    text = fitted(prompt.rstrip() + "_" * ANSWER)
    return text.removesuffix("_" * ANSWER) + prompt[len(prompt.rstrip()) :]


def typing() -> bool:
    """Return whether a person types the input: it is a terminal, not a file or a pipe."""
    return is_terminal(sys.stdin)


def work(what: str, do: Callable[[Progress], None]) -> None:
    """Do something slow, and say how far it is: not more than a line in some seconds."""
    say(what)
    working = _Working()
    do(working)
    say(f"Done, in {counted(round(working.passed), 'second', 'seconds')}.")


class _Working:
    """The progress of slow work, in lines."""

    def __init__(self) -> None:
        self._began = self._told = time.monotonic()
        self._reckoning = Reckoning()

    @property
    def passed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._began

    def __call__(self, done: float, of: float) -> None:
        self._reckoning(done, of)
        if time.monotonic() - self._told > TOLD_EVERY:
            self._told = time.monotonic()
            say(f"  {self._reckoning}")

    def doing(self, what: str, until: float) -> None:
        self._reckoning.doing(what, until)
