"""The games of a tournament in a file of SQLite's: every game once, a transaction a batch of them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from farkel.errors import ArenaError
from farkel.simulation.jobs import Batch, Forfeit
from farkel.simulation.tally import REASONS, SEATS
from farkel.support import system
from farkel.support.words import counted, listed
from farkel.tournament.plan import Fixture, TournamentPlan, adopted, continues

FORMAT = 1
"""Raised when the meaning of the tables changes."""
MARK = 0x4661726B
"""What SQLite calls the id of the application: "Fark"."""
TABLES = f"""
    CREATE TABLE plan (content TEXT NOT NULL) STRICT;
    CREATE TABLE match (
        id INTEGER PRIMARY KEY,
        round INTEGER NOT NULL,
        rules TEXT NOT NULL,    -- in notation
        players TEXT NOT NULL,  -- a list in JSON
        seed INTEGER NOT NULL,
        UNIQUE (round, rules, players, seed)
    ) STRICT;
    CREATE TABLE game (
        match INTEGER NOT NULL REFERENCES match,
        number INTEGER NOT NULL,   -- from 0 on; player (seat + number) % seats sits in each seat
        winners INTEGER NOT NULL,  -- a bit for each player of the match, the first being 1
        reason INTEGER NOT NULL REFERENCES reason,
        first INTEGER NOT NULL,    -- the player with the first turn
        turns INTEGER NOT NULL,
        throws INTEGER NOT NULL,
        {", ".join(f"score_{player} INTEGER" for player in range(SEATS))},
        PRIMARY KEY (match, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE forfeit (
        match INTEGER NOT NULL,
        number INTEGER NOT NULL,
        player INTEGER NOT NULL,  -- a place in the players of the match
        code TEXT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (match, number, player)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE reason (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
"""


class MatchOutcome(NamedTuple):
    """Games of a match that were won by the same players."""

    match: Fixture
    winners: int
    """A bit for each player of the match."""
    games: int
    turns: int
    """Of all players."""

    def __str__(self) -> str:
        players = [player for seat, player in enumerate(self.match.players) if self.winners >> seat & 1]
        won = listed(players, "and") if players else "nobody"
        return f"{self.match}: {counted(self.games, 'game', 'games')} won by {won}"


class Lost(NamedTuple):
    """A forfeit, and the match that it happened in."""

    match: Fixture
    forfeit: Forfeit

    def __str__(self) -> str:
        return f"{self.match}, {self.forfeit}"


class Games:
    """The file, open. A context: left, the file is closed."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: BinaryIO | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock

    @classmethod
    def open(cls, path: Path, plan: TournamentPlan) -> Games:
        """Open the file to continue in, and make it if there is none.

        Raises `ArenaError` ``unwritable``, ``foreign`` for a file of something else, ``in_use`` if another program
        plays in it, ``other_plan`` if its games are of another tournament.
        """
        if path.is_dir():
            raise ArenaError("unwritable", f"{path} cannot be written: it is a folder")
        try:
            lock = path.open("ab")
        except FileNotFoundError:
            raise ArenaError("unwritable", f"{path} cannot be written: there is no folder {path.parent}") from None
        except OSError as error:
            raise ArenaError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None
        _keep_alone(lock, path)
        games = cls(path, sqlite3.connect(path), lock)
        try:
            games._begin(plan)
        except BaseException:
            games.close()
            raise
        return games

    @classmethod
    def look(cls, path: Path) -> Games:
        """Open the file for reading only, even while games are added. Raises `ArenaError` ``no_file``, ``foreign``."""
        if not path.is_file():
            raise ArenaError("no_file", f"there is no file {path}: nothing of this tournament is played yet")
        games = cls(path, sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True), None)
        try:
            games._check()
        except BaseException:
            games.close()
            raise
        return games

    def close(self) -> None:
        if self._lock is not None:
            with suppress(sqlite3.Error):  # a reader has it open: then the writes stay in two files
                self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        if self._lock is not None:  # last: to close any handle of the file gives up SQLite's own locks
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, plan: TournamentPlan) -> None:
        with self._asking():
            new = not self._connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
            if new:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.executescript(
                    f"BEGIN; PRAGMA application_id = {MARK}; PRAGMA user_version = {FORMAT}; {TABLES} COMMIT;"
                )
        self._check()
        with self._asking(), self._connection as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executemany("INSERT OR IGNORE INTO reason VALUES (?, ?)", enumerate(REASONS))
        with self._asking():
            written = self._connection.execute("SELECT content FROM plan").fetchone()
        old = TournamentPlan.from_text(written[0]) if written else plan
        plan = adopted(old, plan)
        why = continues(old, plan)
        if why is not None:
            raise ArenaError(
                "other_plan",
                f"{self.path} has games of another tournament: {why}. Undo the change, or begin anew with another file",
            )
        with self._asking(), self._connection as connection:
            connection.execute("DELETE FROM plan")
            connection.execute("INSERT INTO plan VALUES (?)", (plan.text(),))

    def _check(self) -> None:
        with self._asking():
            mark = self._connection.execute("PRAGMA application_id").fetchone()[0]
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if mark != MARK or version != FORMAT:
            raise ArenaError("foreign", f"{self.path} is no file of a tournament's games of format {FORMAT}")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Return SQLite's errors as ours."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise ArenaError("damaged", f"{self.path}: {error}; nothing of it was written") from None
        except sqlite3.OperationalError as error:
            raise ArenaError("unwritable", f"{self.path} cannot be used: {error}") from None
        except sqlite3.DatabaseError as error:
            raise ArenaError("foreign", f"{self.path} is no file of a tournament's games: {error}") from None

    # Playing

    def add(self, matches: Sequence[Fixture]) -> None:
        """Add matches; those that are there already stay."""
        with self._asking(), self._connection as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO match (round, rules, players, seed) VALUES (?, ?, ?, ?)", map(_written, matches)
            )

    def missing(self, match: Fixture, games: int) -> list[tuple[int, int]]:
        """Return the first number and the size of each gap in the games of a match."""
        with self._asking():
            return self._connection.execute(
                """
                SELECT number + 1, next - number - 1 FROM (
                    SELECT number, LEAD(number, 1, :games) OVER (ORDER BY number) AS next
                    FROM (SELECT -1 AS number UNION ALL SELECT number FROM game WHERE match = :match)
                ) WHERE next > number + 1
                """,
                {"games": games, "match": self._id(match)},
            ).fetchall()

    def keep(self, match: Fixture, batch: Batch) -> None:
        """Keep games, all of them or none. Raises `ArenaError` ``damaged`` for one that is there already."""
        number = self._id(match)
        scores = (f"score_{player}" for player in range(len(match.players)))
        names = ["match", "number", "winners", "reason", "first", "turns", "throws", *scores]
        rows = [(number, game, *row) for game, row in enumerate(batch.raw, batch.first)]
        with self._asking(), self._connection as connection:
            connection.executemany(
                f"INSERT INTO game ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",  # noqa: S608
                rows,
            )
            connection.executemany(
                "INSERT INTO forfeit VALUES (?, ?, ?, ?, ?)", ((number, *forfeit) for forfeit in batch.forfeits)
            )

    # Reading

    @property
    def plan(self) -> TournamentPlan:
        """The tournament that the games are of."""
        return TournamentPlan.from_text(self._rows("SELECT content FROM plan")[0][0])

    def matches(self) -> dict[int, Fixture]:
        """Return all matches by their number in the file, in the order in which they were added."""
        rows = self._rows("SELECT id, round, rules, players, seed FROM match ORDER BY id")
        return {row[0]: Fixture(row[1], row[2], tuple(json.loads(row[3])), row[4]) for row in rows}

    def count(self) -> int:
        """Return how many games there are."""
        return int(self._rows("SELECT COUNT(*) FROM game")[0][0])

    def outcomes(self) -> list[MatchOutcome]:
        """Return the results of the games, by match and winners; an empty one for a match without games."""
        rows = self._rows(
            """
            SELECT id, COALESCE(winners, 0), COUNT(winners), COALESCE(SUM(turns), 0)
            FROM match LEFT JOIN game ON match = id GROUP BY id, winners ORDER BY id, winners
            """
        )
        matches = self.matches()
        return [MatchOutcome(matches[row[0]], *row[1:]) for row in rows]

    def results(self, below: int) -> Iterator[tuple[Fixture, int]]:
        """Yield the winners of each game with a number below that: first those numbered 0, then those numbered 1, ...

        The order does not depend on when the matches were added.
        """
        matches = self.matches()
        with self._asking():
            for match, winners in self._connection.execute(
                """
                SELECT match, winners FROM game JOIN match ON match = id WHERE number < ?
                ORDER BY number, round, rules, players
                """,
                (below,),
            ):
                yield matches[match], winners

    def forfeits(self, most: int) -> list[Lost]:
        """Return the first forfeits of each player in a match."""
        rows = self._rows(
            """
            SELECT match, number, player, code, reason FROM (
                SELECT *, ROW_NUMBER() OVER (PARTITION BY match, player ORDER BY number) AS place FROM forfeit
            ) WHERE place <= ? ORDER BY match, number
            """,
            most,
        )
        matches = self.matches()
        return [Lost(matches[row[0]], Forfeit(*row[1:])) for row in rows]

    def forfeited(self) -> dict[str, int]:
        """Return how many games each player forfeited; those without are left out."""
        matches = self.matches()
        found: Counter[str] = Counter()
        for match, player, number in self._rows("SELECT match, player, COUNT(*) FROM forfeit GROUP BY match, player"):
            found[matches[match].players[player]] += number
        return dict(found)

    def _rows(self, question: str, *values: int) -> list[Any]:
        with self._asking():
            return self._connection.execute(question, values).fetchall()

    def _id(self, match: Fixture) -> int:
        row = self._connection.execute(
            "SELECT id FROM match WHERE round = ? AND rules = ? AND players = ? AND seed = ?", _written(match)
        ).fetchone()
        return int(row[0])


def _written(match: Fixture) -> tuple[int, str, str, int]:
    return match.round, match.rules, json.dumps(match.players, ensure_ascii=False), match.seed


def _keep_alone(file: BinaryIO, path: Path) -> None:
    """Keep a second program from playing the same games; the lock goes with the file."""
    held = False
    with suppress(OSError):  # a file system without locks: the primary key still keeps every game once
        held = not system.lock(file.fileno(), wait=False)
    if held:
        file.close()
        raise ArenaError("in_use", f"{path} is in use: another program plays this tournament")
