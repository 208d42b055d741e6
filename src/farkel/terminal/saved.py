"""Saved games that can be resumed, found quickly among thousands of records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from farkel.errors import FarkelError
from farkel.records import Record, finished, person_decided, read
from farkel.terminal.saved_games import known, newest
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
    folder = folder or games_folder()
    entries = known(folder)
    played: list[Path] = []
    begun: list[Path] = []
    for path in newest(folder):
        with suppress(OSError):
            if path in entries:
                if entries[path].resumable:
                    (played if entries[path].decided else begun).append(path)
            elif not finished(path):
                (played if person_decided(path) else begun).append(path)
        if len(played) == most:
            break
    return tuple(islice(_readable([*played, *begun]), most))


def _readable(paths: list[Path]) -> Iterator[Saved]:
    for path in paths:
        try:
            record = read(path)
        except FarkelError:
            continue
        if not record.state.over and (record.problem is None or record.problem.code == "cut_off"):
            yield Saved(path, record)
