"""The saved games of a folder, listed without reading their records: an index beside them describes each.

The index may be deleted at any time. An entry counts while its record has the size and time it had when it was read;
other records are read again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from farkel.errors import FarkelError, RecordError
from farkel.play.match import secret_path
from farkel.records import finished, person_decided, read
from farkel.records.figures import summarise
from farkel.support.progress import Progress, silent
from farkel.support.system import lock
from farkel.terminal.output import whole
from farkel.terminal.setup import games_folder

INDEX = ".games.json"
VERSION = 1
"""Raised whenever an entry says something else than before."""
TRASH = "trash"
MOST = 9
"""Games to choose from: a key for each."""

Stamp = tuple[int, int]
"""Size of a record in bytes, and when it was last written to in nanoseconds."""


class PlayerEntry(NamedTuple):
    """A player of a game, in figures."""

    name: str
    player: str
    """``human`` or ``bot:...``."""
    people: tuple[str, ...]
    score: int
    turns: int
    farkles: int
    banked: int
    """Points banked in all turns."""
    best: int
    """Most points banked in one turn."""


class SavedGame(NamedTuple):
    """A game in the list. An unreadable record has only the path and the problem."""

    path: Path
    written: float
    """When its record was last written to, as `time.time` counts."""
    date: str = ""
    """When the game began: ``2026-11-21 14:03``."""
    rules: str = ""
    players: tuple[PlayerEntry, ...] = ()
    over: bool = False
    winners: tuple[str, ...] = ()
    decided: bool = False
    """Whether a person has decided anything."""
    problem: str = ""
    """The fault of the record. A last line that was cut off in writing is not a fault."""

    @property
    def name(self) -> str:
        """The name of the game: that of its file."""
        return self.path.stem

    @property
    def resumable(self) -> bool:
        return bool(self.players) and not (self.over or self.problem)

    @property
    def scores(self) -> str:
        """The players with their scores."""
        return ", ".join(f"{player.name} {player.score:,}" for player in self.players)

    def __str__(self) -> str:
        return f"{self.date}, {self.rules}: {self.scores}"


def games(folder: Path, progress: Progress = silent) -> tuple[SavedGame, ...]:
    """Return the games of a folder, the one last played first.

    Records that are new or were changed are read, with ``progress``; the rest is in the index.
    """
    stamps = _stamps(folder)
    found = _indexed(folder, stamps)
    missing = sorted((path for path in stamps if path not in found), key=lambda path: stamps[path][1], reverse=True)
    try:
        for number, path in enumerate(missing):
            progress(number, len(missing))
            found[path] = entry(path, stamps[path])
    finally:  # what was read before it was stopped is not read again
        if missing:
            _keep(folder, found, stamps)
    return tuple(sorted(found.values(), key=lambda entry: (-entry.written, entry.path.name)))


def known(folder: Path) -> dict[Path, SavedGame]:
    """Return the index entries of records that have not changed since; no record is read, and nothing is stored."""
    return _indexed(folder, _stamps(folder))


def newest(folder: Path) -> list[Path]:
    """Return the records of a folder, the one last written to first."""
    stamps = _stamps(folder)
    return sorted(stamps, key=lambda path: (-stamps[path][1], path.name))


def entry(path: Path, stamp: Stamp | None = None) -> SavedGame:
    """Read the record of a game."""
    written = 0.0
    try:
        written = (stamp or _stamp(path.stat()))[1] / 1e9
        record, decided = read(path), person_decided(path)
    except (FarkelError, OSError) as error:
        return SavedGame(path, written, problem=error.message if isinstance(error, FarkelError) else str(error))
    header, state, problem = record.header, record.state, record.problem
    figures = summarise(record.moves, len(header.seats))
    players = tuple(
        PlayerEntry(seat.name, seat.player, seat.people, of.score, own.turns, own.farkles, own.banked, own.best)
        for seat, of, own in zip(header.seats, state.seats, figures, strict=True)
    )
    winners = tuple(header.names[seat] for seat in state.result.winners) if state.result else ()
    wrong = "" if problem is None or problem.code == "cut_off" else problem.message
    return SavedGame(path, written, header.date, header.rules.name, players, state.over, winners, decided, wrong)


# Resuming ------------------------------------------------------------------------------------------------------------


def unfinished(folder: Path | None = None, most: int = MOST) -> tuple[SavedGame, ...]:
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
    found = (entries.get(path) or entry(path) for path in (*played, *begun))
    return tuple(islice((game for game in found if game.resumable), most))


# Deleting ------------------------------------------------------------------------------------------------------------


def discard(path: Path) -> Path:
    """Move a record to the trash folder beside it, with the secret of its dice; return its new path.

    Raises `RecordError`: ``no_file``, ``in_use`` while the game is being played, ``unwritable``.
    """
    return _move(path, path.parent / TRASH)


def restore(path: Path) -> Path:
    """Move a record from the trash back to its folder; return its new path. Raises `RecordError` as `discard`."""
    return _move(path, path.parent.parent)


def _move(path: Path, folder: Path) -> Path:
    if not path.is_file():
        raise RecordError("no_file", f"there is no record {path}")
    try:
        with path.open("rb+") as file:
            if not lock(file.fileno(), wait=False):
                raise RecordError("in_use", f"{path} is being played by another program; quit the game there first")
        folder.mkdir(exist_ok=True)
        to = _free(folder / path.name)
        secret = secret_path(path)
        if secret.exists():
            secret.rename(secret_path(to))
        path.rename(to)
    except OSError as error:
        raise RecordError("unwritable", f"{path} cannot be moved to {folder}: {error.strerror or error}") from None
    return to


def _free(path: Path) -> Path:
    """Return a name in the folder that nothing has, neither a record nor a secret."""
    number, free = 1, path
    while free.exists() or secret_path(free).exists():
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free


# The index -----------------------------------------------------------------------------------------------------------


def _indexed(folder: Path, stamps: Mapping[Path, Stamp]) -> dict[Path, SavedGame]:
    """Return the entries of records that have not changed; none of an index that is damaged or of another version."""
    try:
        content = json.loads((folder / INDEX).read_bytes())
        rows = content["games"] if content["version"] == VERSION else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    found = {}
    for path, stamp in stamps.items():
        with suppress(ValueError, TypeError, KeyError):
            size, written, *row = rows[path.name]
            if (size, written) == stamp:
                found[path] = _from_row(path, written / 1e9, row)
    return found


def _keep(folder: Path, entries: Mapping[Path, SavedGame], stamps: Mapping[Path, Stamp]) -> None:
    """Write the index, if that is possible."""
    rows = {path.name: [*stamps[path], *of[2:]] for path, of in entries.items()}
    with suppress(FarkelError, OSError), whole(folder / INDEX) as part:
        part.write_text(json.dumps({"version": VERSION, "games": rows}), "utf-8")


def _from_row(path: Path, written: float, row: Sequence[Any]) -> SavedGame:
    date, rules, players, over, winners, decided, problem = row
    seats = tuple(PlayerEntry(name, player, tuple(people), *rest) for name, player, people, *rest in players)
    return SavedGame(path, written, date, rules, seats, over, tuple(winners), decided, problem)


def _stamps(folder: Path) -> dict[Path, Stamp]:
    """Return the records in a folder, by what tells whether they have changed."""
    found = {}
    with suppress(OSError):
        for each in list(os.scandir(folder)):
            with suppress(OSError):  # a record that has just gone
                if each.name.endswith(".farkel") and each.is_file():
                    found[Path(each.path)] = _stamp(each.stat())
    return found


def _stamp(stat: os.stat_result) -> Stamp:
    return stat.st_size, stat.st_mtime_ns
