"""The output of commands: text, JSON and tables; files, written whole or not at all; no stray lines of other code."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import Any, TextIO

import click

from farkel.errors import FarkelError
from farkel.support.system import sync
from farkel.terminal.fitting import fitted, room
from farkel.terminal.streams import if_stopped, on_a_screen

GAP = 2
"""Columns between two columns of a table."""
LEAST_TEXT = 16
"""Columns of a text in a table, below which it wraps only if its table has no other way to fit."""


def show(found: str | Mapping[str, Any]) -> None:
    """Print a result: text for people, fitted to the terminal and paged; anything else as JSON for programs."""
    if isinstance(found, str):
        page(fitted(found))
    else:
        click.echo(json_line(found))


def page(text: str) -> None:
    """Print a text, through a pager if it is longer than the screen."""
    height = shutil.get_terminal_size().lines
    if on_a_screen() and text.count("\n") + 1 >= height:
        os.environ.setdefault("LESS", "FRX")  # the text stays on the screen afterwards
        click.echo_via_pager(text.rstrip("\n") + "\n")
    else:
        click.echo(text)


def json_line(content: object) -> str:
    """Return the content as a line of JSON."""
    return json.dumps(content, ensure_ascii=False)


def table(rows: Sequence[Sequence[str]], align: str, width: int | None = None) -> str:
    """Return the rows with their columns aligned: ``<`` left, ``>`` right.

    A table that is too wide for the terminal, or for ``width``, wraps heads and texts between words. If that is not
    enough, its last columns follow below, beside the first ones once more.
    """
    width = width or room()
    columns = range(len(align))
    full = [max(len(row[column]) for row in rows) for column in columns]
    if width is None or _across(full) <= width:
        return _drawn(rows, align, full)
    least = [_least([row[column] for row in rows], align[column] == "<") for column in columns]
    parts = []
    for part in _parts(rows[0], align, least, width):
        widths = _shrunk([full[column] for column in part], [least[column] for column in part], width)
        cells = [[row[column] for column in part] for row in rows]
        parts.append(_drawn(cells, [align[column] for column in part], widths))
    return "\n\n".join(parts)


def _across(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _least(cells: Sequence[str], text: bool) -> int:
    """Return the least width of a column: words are whole, and numbers below their head."""
    longest = max((len(word) for cell in cells for word in cell.split()), default=0)
    if text:
        return max(longest, min(LEAST_TEXT, max(map(len, cells))))
    return max(longest, *(len(cell) for cell in cells[1:]), 0)


def _parts(heads: Sequence[str], align: str, least: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each part of a table: those without a head stay beside the one before them."""
    first = [0, 1] if align[1:2] == "<" and len(align) > 2 else [0]
    groups: list[list[int]] = []
    for column in range(len(first), len(align)):
        if heads[column] or not groups:
            groups.append([])
        groups[-1].append(column)
    parts: list[list[int]] = []
    for group in groups:
        if not parts or _across([least[column] for column in (*parts[-1], *group)]) > width:
            parts.append([*first])
        parts[-1] += group
    return parts or [first]


def _shrunk(widths: list[int], least: Sequence[int], width: int) -> list[int]:
    """Return widths of columns that fit, if their least ones do: the widest are made narrower first."""
    while _across(widths) > width:
        room = [at for at in range(len(widths)) if widths[at] > least[at]]
        if not room:
            break
        widths[max(room, key=lambda at: widths[at])] -= 1
    return widths


def _drawn(rows: Sequence[Sequence[str]], align: Sequence[str], widths: Sequence[int]) -> str:
    lines = []
    for row in rows:
        cells = [
            wrap(cell, width, break_long_words=False, break_on_hyphens=False) if len(cell) > width else [cell]
            for cell, width in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            drawn = (f"{part:{side}{width}}" for part, side, width in zip(parts, align, widths, strict=True))
            lines.append((" " * GAP).join(drawn).rstrip())
    return "\n".join(lines)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a file to write beside ``path``, of the same suffix, that takes its place when the block ends well.

    Raises `FarkelError` ``unwritable`` before any work is done if it could not be written.
    """
    if path.is_dir():
        raise FarkelError("unwritable", f"{path} cannot be written: it is a folder")
    if path.exists() and not path.is_file():  # the new file would take the place of the device
        raise FarkelError("unwritable", f"{path} cannot be written: it is not a regular file")
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        part.open("xb").close()
    except FileNotFoundError:
        raise FarkelError("unwritable", f"{path} cannot be written: there is no folder {path.parent}") from None
    except OSError as error:
        raise FarkelError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None
    try:
        with if_stopped(lambda: part.unlink(missing_ok=True)):
            yield part
        with part.open("r+b") as file:  # Windows only syncs writable files
            sync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise FarkelError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def result_only() -> Iterator[TextIO | None]:
    """Yield standard output, and send all else that is printed meanwhile to standard error.

    For commands that run the code of others, such as players: also what programs print that are started meanwhile.
    """
    out: TextIO | None = sys.stdout
    with ExitStack() as stack:
        if isinstance(out, TextIOWrapper) and out is sys.__stdout__:
            out.flush()
            kept = os.dup(out.fileno())
            stack.callback(_restored, out, kept)
            _printed_as_errors(out.fileno())
            out = stack.enter_context(open(kept, "w", encoding=out.encoding, errors=out.errors, closefd=False))
        stack.enter_context(redirect_stdout(sys.stderr))
        yield out


def _printed_as_errors(handle: int) -> None:
    """Let standard output lead if standard error does; nowhere if there is none."""
    try:
        os.dup2(2, handle)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, handle)
        os.close(nowhere)


def _restored(out: TextIO, kept: int) -> None:
    out.flush()  # text written to it meanwhile still goes to standard error
    os.dup2(kept, out.fileno())
    os.close(kept)
