"""The output of commands: text, JSON and tables; files, written whole or not at all; no stray lines of other code."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import click

from farkel.errors import FarkelError
from farkel.support.columns import aligned
from farkel.support.system import sync
from farkel.terminal.fitting import fitted, room
from farkel.terminal.streams import if_stopped, on_a_screen


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
    """Return the rows with their columns aligned, ``<`` left and ``>`` right, to fit the terminal or ``width``."""
    return aligned(rows, align, width or room())


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
