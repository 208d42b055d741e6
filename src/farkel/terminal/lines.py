"""Plain lines on standard input and output: say, ask, and how far slow work is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from farkel.support.progress import Progress
from farkel.support.words import counted
from farkel.terminal.streams import is_terminal

TOLD_EVERY = 5.0
"""Seconds between two lines that show progress."""


class EndOfInput(Exception):
    """The input has ended."""


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def ask(prompt: str) -> str:
    """Return one line of input, without its ends. Raises `EndOfInput`."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    stream: TextIO | None = sys.stdin  # None if it was closed
    line = stream.readline() if stream is not None else ""
    if not typing():
        sys.stdout.write("\n")
    if not line:
        raise EndOfInput
    return line.strip()


def typing() -> bool:
    """Return whether a person types the input: it is a terminal, not a file or a pipe."""
    return is_terminal(sys.stdin)


def work(what: str, do: Callable[[Progress], None]) -> None:
    """Do something slow, and say how far it is: not more than a line in some seconds."""
    began = told = time.monotonic()
    say(what)

    def progress(done: float, of: float) -> None:
        nonlocal told
        if time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            say(f"  {done / of:.0%}")

    do(progress)
    say(f"Done, in {counted(round(time.monotonic() - began), 'second', 'seconds')}.")
