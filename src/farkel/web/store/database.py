"""Connecting to a database and bringing its tables up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from farkel.errors import FarkelError

DRIVERS = ("sqlite", "postgresql+psycopg")
MIGRATING = 7_211_963
"""Names the lock in PostgreSQL under which one process at a time brings the tables up to date."""


class DatabaseError(FarkelError):
    """A database that cannot be used; the message says why and what would be right."""


def default_url() -> str:
    """SQLite in the user's data folder."""
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('farkel', appauthor=False) / 'web.sqlite'}"


def connect(url: str) -> Engine:
    """An engine whose tables are up to date.

    Raises `DatabaseError` ``bad_database`` for an address that is none, ``no_database`` where it cannot be reached,
    ``newer_database`` where this program does not know its tables, ``not_installed`` where the driver is missing.
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
            engine = create_engine(url, pool_size=8, max_overflow=8, pool_pre_ping=True)
        try:
            with engine.begin() as connection:
                _bring_up_to_date(connection)
        except Exception:
            engine.dispose()
            raise
    except NoSuchModuleError:
        raise _bad(url) from None
    except CommandError as error:
        raise DatabaseError(
            "newer_database", f"the database was made by a newer version of this program ({error}); update the program"
        ) from None
    except ModuleNotFoundError as error:
        raise DatabaseError(
            "not_installed", f'{error.name} is missing for PostgreSQL: pip install "farkel[postgres]"'
        ) from None
    except OSError as error:
        raise DatabaseError("no_database", f"the database cannot be made: {error}") from None
    except DBAPIError as error:
        raise DatabaseError("no_database", f"the database cannot be used: {str(error.orig).strip()}") from None
    return engine


def _bad(url: str) -> DatabaseError:
    scheme = url.partition(":")[0]
    return DatabaseError(
        "bad_database",
        f'"{scheme}:..." is no database that is known here: write sqlite:///FILE, or '
        "postgresql+psycopg://USER@HOST/NAME",
    )


def _sqlite(url: str, path: str) -> Engine:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": 30})

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
    command.upgrade(config, "head")


def alembic_config() -> Any:
    """Alembic's configuration, which rests on the package alone: there is no file to be found."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config
