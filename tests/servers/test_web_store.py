"""The database: its tables, unique rows, due work, and errors if it is unusable."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

from farkel.web.store import migrations
from farkel.web.store.backup import backups
from farkel.web.store.database import DatabaseError, alembic_config, connect, disconnect
from farkel.web.store.games import GameStore
from farkel.web.store.schema import metadata
from farkel.web.store.values import AlreadyStored, Append, NewGame, Row

GAME, OTHER = "a" * 12, "b" * 12


def new(game: str = GAME, *tokens: tuple[int, str]) -> NewGame:
    return NewGame(game, 1_000, "{}", bytes(32), "host", tokens)


def append(
    number: int, *, game: str = GAME, rows: int = 1, due: int | None = None, request: str | None = None
) -> Append:
    made = (
        Row(number + place, 5, "move", f"text {number + place}", None if place else request) for place in range(rows)
    )
    return Append(game, tuple(made), due, over=False)


@pytest.fixture
def store(database: str) -> Iterator[GameStore]:
    store = GameStore(connect(database))
    store.write_all([new()])
    yield store
    store.engine.dispose()


def test_the_migrations_make_the_tables_of_the_program(empty: str) -> None:
    engine = connect(empty)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_connection_that_is_still_used_is_closed_when_it_comes_back(database: str) -> None:
    engine = connect(database)
    used = engine.connect()
    raw: Any = used.connection.dbapi_connection
    disconnect(engine)
    assert used.exec_driver_sql("SELECT 1").scalar_one() == 1
    used.close()
    with pytest.raises(Exception, match="closed"):
        raw.execute("SELECT 1")


async def test_a_database_that_is_up_to_date_is_left_alone(store: GameStore, database: str) -> None:
    connect(database).dispose()
    found = await store.load(GAME)
    assert found is not None
    assert found.host == "host"


def test_migrations_can_be_undone_without_games(empty: str) -> None:
    store = GameStore(connect(empty))
    with store.engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    assert inspect(store.engine).get_table_names() == ["alembic_version"]
    store.engine.dispose()


async def test_no_step_goes_back_while_there_are_games(store: GameStore) -> None:
    with store.engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        for step in ScriptDirectory.from_config(config).walk_revisions():
            there = Operations.context(MigrationContext.configure(connection))
            with there, pytest.raises(DatabaseError, match="holds 1 games") as refused:
                step.module.downgrade()
            assert refused.value.code == "has_games"
        with pytest.raises(DatabaseError, match="backup"):
            command.downgrade(config, "base")
    assert await store.load(GAME) is not None


def test_webhooks_of_the_first_tables_are_brought_up_to_date(empty: str) -> None:
    engine = connect(empty)
    with engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
        values = "'h', 'g', NULL, 'https://bot.example:8443/told', 'json', 's', 'https://farkle.example', 0, ''"
        connection.execute(text(f"INSERT INTO hooks VALUES ({values})"))
    engine.dispose()
    engine = connect(empty)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT owner, host FROM hooks")).all() == [(0, "bot.example")]
    engine.dispose()


# Backups before an update --------------------------------------------------------------------------------------------

NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "next", "HEAD", None, None


def upgrade() -> None:
    op.add_column("games", sa.Column("mood", sa.Text))
"""

HEAD = str(ScriptDirectory.from_config(alembic_config()).get_current_head())
"""The revision of this program's tables."""


@pytest.fixture
def updated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A SQLite database with a game, opened from now on by a program with one step more."""
    path = tmp_path / "games" / "web 100%.sqlite"
    store = GameStore(connect(f"sqlite:///{path}"))
    store.write_all([new(), append(1)])
    store.engine.dispose()
    path.chmod(0o600)
    steps = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, steps)
    (steps / "versions" / "next_mood.py").write_text(NEXT.replace("HEAD", HEAD))

    def config() -> Config:
        made: Config = alembic_config()
        made.set_main_option("script_location", str(steps))
        return made

    monkeypatch.setattr("farkel.web.store.database.alembic_config", config)
    return path


def columns(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute("PRAGMA table_info(games)")]


async def test_a_backup_is_made_before_the_tables_are_changed(updated: Path) -> None:
    for _ in range(2):  # the second time there is nothing to do
        connect(f"sqlite:///{updated}").dispose()
        assert "mood" in columns(updated)
        assert backups(updated) == [updated.with_name(f"web 100%.sqlite.backup-{HEAD}")]
        (copy,) = backups(updated)
        assert "mood" not in columns(copy)
        assert copy.stat().st_mode & 0o777 == 0o600
    assert not [path for path in updated.parent.iterdir() if path.name.endswith(".part")]
    copy.rename(updated.with_name("old.sqlite"))
    engine = create_engine(f"sqlite:///{updated.with_name('old.sqlite')}")
    found = await GameStore(engine).load(GAME)
    engine.dispose()
    assert found is not None
    assert [row.body for row in found.rows] == ["text 1"]


def test_a_backup_includes_the_write_ahead_log(updated: Path) -> None:
    """Another process has the database open, and its last events are in the write-ahead log."""
    with closing(sqlite3.connect(updated)) as other:
        other.execute("PRAGMA wal_autocheckpoint=0")
        other.execute("UPDATE games SET plan = 'the latest'")
        other.commit()
        connect(f"sqlite:///{updated}").dispose()
    with closing(sqlite3.connect(backups(updated)[0])) as copy:
        assert copy.execute("SELECT plan FROM games").fetchall() == [("the latest",)]


def test_without_games_there_is_nothing_to_back_up(updated: Path) -> None:
    with closing(sqlite3.connect(updated)) as connection:
        for table in ("events", "seats", "games"):
            connection.execute(f"DELETE FROM {table}")
        connection.commit()
    connect(f"sqlite:///{updated}").dispose()
    assert backups(updated) == []
    fresh = updated.with_name("fresh.sqlite")
    connect(f"sqlite:///{fresh}").dispose()
    assert backups(fresh) == []


def test_no_table_is_changed_without_a_backup(updated: Path) -> None:
    obstacle = updated.with_name(f"{updated.name}.backup-{HEAD}.part")
    obstacle.mkdir()
    with pytest.raises(DatabaseError, match="make room") as refused:
        connect(f"sqlite:///{updated}")
    assert refused.value.code == "no_backup"
    assert "mood" not in columns(updated)
    obstacle.rmdir()
    connect(f"sqlite:///{updated}").dispose()
    assert "mood" in columns(updated)


def test_the_latest_backups_are_kept(updated: Path) -> None:
    for age, revision in enumerate(("000d", "000c", "000b", "000a"), 1):
        old = updated.with_name(f"{updated.name}.backup-{revision}")
        old.write_text("an older one")
        os.utime(old, (1_000_000 - age, 1_000_000 - age))
    updated.with_name("other.sqlite.backup-0001").write_text("of another database")
    connect(f"sqlite:///{updated}").dispose()
    assert [path.name[-4:] for path in backups(updated)] == [HEAD, "000d", "000c"]
    assert updated.with_name("other.sqlite.backup-0001").exists()


async def test_a_first_migration_that_is_broken_off_has_not_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'web.sqlite'}"
    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.create_index", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            connect(url)
    store = GameStore(connect(url))
    store.write_all([new()])
    assert await store.load(GAME) is not None
    store.engine.dispose()


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("mysql://here/farkel", "bad_database"),
        ("nonsense", "bad_database"),
        ("sqlite://", "bad_database"),
        ("sqlite:///:memory:", "bad_database"),
        ("sqlite:////proc/nowhere/web.sqlite", "no_database"),
        ("postgresql+psycopg://farkel@/farkel?host=/nowhere", "no_database"),
    ],
)
def test_an_unusable_database_is_refused(url: str, code: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        connect(url)
    assert caught.value.code == code


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "web.sqlite").write_text("this is a letter to my aunt, and no database at all\n" * 100)
    with pytest.raises(DatabaseError) as caught:
        connect(f"sqlite:///{tmp_path / 'web.sqlite'}")
    assert caught.value.code == "no_database"


def test_a_database_of_a_newer_program_is_refused(store: GameStore, database: str) -> None:
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError) as caught:
        connect(database)
    assert caught.value.code == "newer_database"


def test_a_refused_submission_leaves_the_rest_of_the_batch(store: GameStore) -> None:
    store.write_all([new(OTHER), append(1)])
    assert store.write_all([append(1, game=OTHER), append(1), append(2)]) == [True, False, True]


async def test_an_unstorable_row_does_not_affect_others(store: GameStore) -> None:
    orphan = Append("no such game", append(1).rows, None, over=False)
    batch = [append(1), orphan, append(2)]
    done = await asyncio.gather(*(store.write(one) for one in batch), return_exceptions=True)
    assert done[0] is True
    assert isinstance(done[1], AlreadyStored)
    assert done[2] is True
    await store.close()


async def test_the_writer_flushes_before_closing(store: GameStore) -> None:
    waiting = asyncio.gather(*(store.write(append(number)) for number in range(1, 50)))
    await asyncio.gather(waiting, store.close())
    assert len(await store.rows(GAME, 0)) == 49


async def test_many_threads_may_read_and_write_one_sqlite_file(sqlite: str) -> None:
    """One thread writes; what others write beside it, such as claims, waits for the lock and does not fail."""
    store = GameStore(connect(sqlite))
    store.write_all([new(f"{index:012}") for index in range(20)])

    async def play(index: int) -> None:
        for number in range(1, 25):
            assert await store.write(append(number, game=f"{index:012}", due=number))

    async def claim() -> None:
        for at in range(1, 40):
            await store.claim(at, at + 1)
            await store.rows("0" * 12, 0)

    await asyncio.gather(*(play(index) for index in range(20)), *(claim() for _ in range(4)))
    await store.close()
    store.engine.dispose()


def test_acknowledged_is_on_the_disk(sqlite: str) -> None:
    """SQLite syncs every transaction; the write-ahead log lets readers go on meanwhile."""
    engine = connect(sqlite)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar_one() == 1
    engine.dispose()
