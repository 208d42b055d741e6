"""Saved games that can be resumed, found quickly among thousands of records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from farkel.errors import FarkelError
from farkel.record import Record, finished, person_decided, read
from farkel.terminal.setup import games_folder

MOST = 9
"""Games to choose from: a key for each."""


class Saved(NamedTuple):
    """A game that is not over, and its record."""

    path: Path
    record: Record

    def __str__(self) -> str:
        header = self.record.header
        scores = zip(header.names, self.record.state.seats, strict=True)
        return f"{header.date}, {header.rules.name}: {', '.join(f'{name} {seat.score:,}' for name, seat in scores)}"


def saved_games(folder: Path | None = None, most: int = MOST) -> tuple[Saved, ...]:
    """Return unfinished games, the one to resume first: those in which a person decided something, newest first.

    After these come games that were only begun. Records are not read as a whole until they are returned.
    """
    played: list[Path] = []
    begun: list[Path] = []
    for path in _unfinished(folder or games_folder()):
        with suppress(OSError):
            (played if person_decided(path) else begun).append(path)
        if len(played) == most:
            break
    return tuple(islice(_readable([*played, *begun]), most))


def _unfinished(folder: Path) -> Iterator[Path]:
    """The records of games that are not over, as their last lines say, the one last written to first."""
    for _, path in sorted(_records(folder), reverse=True):
        with suppress(OSError):
            if not finished(path):
                yield path


def _records(folder: Path) -> Iterator[tuple[float, Path]]:
    """The records in the folder, with the times at which they were last written to."""
    try:
        found = list(os.scandir(folder))
    except OSError:
        return
    for entry in found:
        with suppress(OSError):  # a record that has just gone
            if entry.name.endswith(".farkel") and entry.is_file():
                yield entry.stat().st_mtime, Path(entry.path)


def _readable(paths: list[Path]) -> Iterator[Saved]:
    for path in paths:
        try:
            record = read(path)
        except FarkelError:
            continue
        if not record.state.over and (record.problem is None or record.problem.code == "cut_off"):
            yield Saved(path, record)
