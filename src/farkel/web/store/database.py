"""Connecting to a database and bringing its tables up to date."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import Any

from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from farkel.errors import FarkelError
from farkel.support.extras import needs
from farkel.web.store.backup import back_up
from farkel.web.store.values import UNREACHABLE, AlreadyStored, StoreError

log = logging.getLogger(__name__)

DRIVERS = ("sqlite", "postgresql+psycopg")
FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, "53100")
"""What SQLite, and PostgreSQL as its state, call a disk that is full."""
MIGRATING = 7_211_963
"""Names the lock in PostgreSQL under which one process at a time brings the tables up to date."""


class DatabaseError(FarkelError):
    """An unusable database; the message says why and what would be right."""


def default_url() -> str:
    """Return SQLite in the user's data folder."""
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('farkel', appauthor=False) / 'web.sqlite'}"


def connect(url: str) -> Engine:
    """Return an engine whose tables are up to date. Of a SQLite database with games a backup is made before
    they are changed.

    Raises `DatabaseError` ``bad_database`` for an invalid address, ``no_database`` if it cannot be reached,
    ``no_backup`` if the backup cannot be written, ``newer_database`` if this program does not know its tables,
    ``not_installed`` if the driver is missing.
    """
    try:
        address = make_url(url)
    except ArgumentError:
        raise _bad(url) from None
    if address.drivername not in DRIVERS:
        raise _bad(url)
    if address.drivername == "sqlite" and address.database in (None, "", ":memory:"):
        raise DatabaseError("bad_database", "games must be kept in a file: write sqlite:///FILE")
    try:
        if address.drivername == "sqlite":
            engine = _sqlite(url, address.database or "")
        else:
            engine = create_engine(url, pool_size=8, max_overflow=8, pool_pre_ping=True, hide_parameters=True)
        try:
            with engine.begin() as connection:
                _bring_up_to_date(connection)
        except BaseException:
            engine.dispose()
            raise
    except NoSuchModuleError:
        raise _bad(url) from None
    except CommandError as error:
        raise DatabaseError(
            "newer_database", f"the database was made by a newer version of this program ({error}); update the program"
        ) from None
    except ModuleNotFoundError as error:
        needs("postgres", "PostgreSQL", DatabaseError)
        raise DatabaseError("not_installed", f"{error.name} is missing for this database") from None
    except OSError as error:
        raise DatabaseError("no_database", f"the database cannot be created: {error}") from None
    except DBAPIError as error:
        raise DatabaseError("no_database", f"the database cannot be used: {str(error.orig).strip()}") from None
    return engine


def trouble(error: Exception) -> StoreError:
    """Return a database's error with our code, and words for players."""
    found = getattr(error, "orig", None)
    if getattr(found, "sqlite_errorcode", None) in FULL or getattr(found, "sqlstate", None) in FULL:
        return StoreError(
            "disk_full",
            "the server's disk is full, so this can't be saved; everything before it is safe. "
            "Tell whoever runs the server, and try again once there is room",
            str(error),
        )
    return (AlreadyStored if isinstance(error, IntegrityError) else StoreError)(*UNREACHABLE, str(error))


def _bad(url: str) -> DatabaseError:
    scheme = url.partition(":")[0]
    return DatabaseError(
        "bad_database",
        f'"{scheme}:..." is not a database Farkel knows: write sqlite:///FILE, or postgresql+psycopg://USER@HOST/NAME',
    )


def disconnect(engine: Engine) -> None:
    """Close all connections: unused ones now, the others once the thread that reads with them is done.

    The caller may have been cancelled, and no longer waits for the thread.
    """
    event.listen(engine.pool, "checkin", lambda _, record: record.close())
    engine.dispose()


def _sqlite(url: str, path: str) -> Engine:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": 30}, hide_parameters=True)  # secrets, which no log may hold

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        # FULL: a move that was acknowledged is on the disk even if the power fails. WAL: readers never wait.
        for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {line}")

    return engine


def _bring_up_to_date(connection: Connection) -> None:
    from alembic import command

    # One process at a time, and all or nothing: a step that is interrupted has not happened.
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATING})
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    config = alembic_config()
    config.attributes["connection"] = connection
    if connection.dialect.name == "sqlite" and (revision := _behind(connection, config)):
        _keep(Path(connection.engine.url.database or ""), revision)
    command.upgrade(config, "head")


def _behind(connection: Connection, config: Any) -> str:
    """Return the revision of a database that holds games and is about to be brought up to date; else ""."""
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    revision = MigrationContext.configure(connection).get_current_revision()
    known = [step.revision for step in ScriptDirectory.from_config(config).walk_revisions()]
    if revision is None or revision not in known[1:]:
        return ""
    return revision if connection.exec_driver_sql("SELECT 1 FROM games LIMIT 1").first() else ""


def _keep(database: Path, revision: str) -> None:
    """Make a backup. Raises `DatabaseError` ``no_backup`` if that fails: then nothing is changed."""
    try:
        copy = back_up(database, revision)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseError(
            "no_backup",
            f"this version changes the tables of {database}, and the backup before that cannot be written ({error}): "
            "make room beside it, and start again",
        ) from None
    log.warning("the tables of %s are brought up to date; a backup is in %s", database, copy)


def alembic_config() -> Any:
    """Return Alembic's configuration, which rests on the package alone: there is no file to be found."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config
