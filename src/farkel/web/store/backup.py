"""Copies of a SQLite database, made before its tables are changed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from farkel.support.system import sync_folder

KEPT = 3
"""Backups beside a database: the latest ones."""


def back_up(database: Path, revision: str) -> Path:
    """Copy a database, which others may be using, to ``NAME.backup-REVISION`` beside it, and return the copy's path.

    The copy is complete and on the disk under its name, or not there at all. All but the latest `KEPT` backups are
    removed. Raises `OSError` or `sqlite3.Error` if the copy cannot be written.
    """
    copy = database.with_name(f"{database.name}.backup-{revision}")
    part = copy.with_name(f"{copy.name}.part")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, database.stat().st_mode & 0o777))
        uri = f"{database.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")  # one file, which needs no log beside it
        part.replace(copy)
        sync_folder(database.parent)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    _prune(database)
    return copy


def backups(database: Path) -> list[Path]:
    """Return the backups beside a database, the latest first."""
    start = f"{database.name}.backup-"
    found = [
        path for path in database.parent.iterdir() if path.name.startswith(start) and not path.name.endswith(".part")
    ]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _prune(database: Path) -> None:
    for old in backups(database)[KEPT:]:
        with suppress(OSError):
            old.unlink()
