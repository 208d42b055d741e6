"""Text that fits the terminal: how wide it is, and lines wrapped between words."""

from __future__ import annotations

import os
import re
import shutil
import sys
from textwrap import wrap

from farkel.terminal.streams import is_terminal

PROSE = 78
"""Columns of running text, however wide the terminal is."""


def room() -> int | None:
    """Return the columns of the terminal, or of COLUMNS; None if the output goes to a file or a pipe."""
    if os.environ.get("COLUMNS", "").isdecimal() or is_terminal(sys.stdout):
        return shutil.get_terminal_size().columns
    return None


def prose() -> int:
    """Return the columns of running text."""
    return min(PROSE, room() or PROSE)


def fitted(text: str, width: int | None = None) -> str:
    """Return the text with lines that are too wide for the terminal, or for ``width``, wrapped between words."""
    width = width or room()
    if width is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    """Return a line in several; in a line of columns the last one is continued below itself."""
    if len(line) <= width:
        return [line]
    columns = re.match(r" *(?:\S+(?: \S+)*  +)*", line)
    hang = len(columns[0]) if columns and len(columns[0]) <= width // 2 else 2
    return wrap(line, width, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False)
