"""The database's tables, in SQLAlchemy. `migrations` makes them; a test compares the two.

Times are whole milliseconds since 1970 (UTC), so that every database keeps them alike.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.dialects import postgresql, sqlite

metadata = MetaData()


def insert_new(where: Connection | Engine, table: Table) -> Any:
    """Return an insertion that passes over what is there already."""
    into = postgresql.insert(table) if where.dialect.name == "postgresql" else sqlite.insert(table)
    return into.on_conflict_do_nothing()


MOST_FAILED = 3
"""Notices given up in a row; then the webhook gets no more."""

games = Table(
    "games",
    metadata,
    Column("game", String(16), primary_key=True),
    Column("opened", BigInteger, nullable=False),
    Column("touched", BigInteger, nullable=False),
    Column("over", Boolean, nullable=False),
    Column("due", BigInteger, nullable=True),
    Column("plan", Text, nullable=False),
    Column("secret", LargeBinary(32), nullable=False),
    Column("host", String(64), nullable=False),
    Column("code", String(8), nullable=True),
)
"""``plan``: the choices before the game, as JSON. ``host``: the hash of the host's token. ``code``: of the
invitation to its free seats; null if there is none. ``due``: when the server has to do something itself: let a bot
play, or see to a seat that is away; null if it waits for people."""

seats = Table(
    "seats",
    metadata,
    Column("game", String(16), ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("token", String(64), nullable=False, index=True),
    Column("seen", BigInteger, nullable=False),
)
"""Remote seats, each held by the owner of its token, of which only the hash is kept. ``seen``: when its page
was last known to be open; negative: it was closed then; 0: it never was open."""

events = Table(
    "events",
    metadata,
    Column("game", String(16), ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("body", Text, nullable=False),
    Column("request", String(64), nullable=True),
)
"""A game is its events. ``kind``: ``move`` for a line of the record, else what happened at the table
(`farkel.web.game.table`). ``request``: the sender's name for the submission, so that a repeated one is recognised."""

hooks = Table(
    "hooks",
    metadata,
    Column("hook", String(16), primary_key=True),
    Column("of", String(16), nullable=False),
    Column("seat", Integer, nullable=True),
    Column("url", Text, nullable=False),
    Column("form", String(8), nullable=False),
    Column("secret", String(64), nullable=False),
    Column("base", Text, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("last", Text, nullable=False),
)
"""Webhooks. ``of``: the game whose ``seat`` is told of its turns, or a
group all of whose games are followed, without a seat. ``secret`` signs the notices, so it is kept as it
is. ``base``: how links begin. ``failed``: notices given up in a row. ``last``: what became of the latest try."""

notices = Table(
    "notices",
    metadata,
    Column("notice", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("hook", String(16), ForeignKey("hooks.hook", ondelete="CASCADE"), nullable=False),
    Column("game", String(16), nullable=False),
    Column("turn", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("said", Text, nullable=False),
    Column("due", BigInteger, nullable=True),
    Column("tries", Integer, nullable=False),
)
"""Notices of turns for webhooks, stored with the event that begins the turn. ``due``: when to send it next; null once
it was sent or given up. The unique index makes telling a turn twice impossible."""

groups = Table(
    "groups",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("token", String(64), nullable=False),
    Column("title", String(40), nullable=False),
    Column("rules", Text, nullable=False),
    Column("made", BigInteger, nullable=False),
)
"""Groups of people who play together. ``token``: the hash of their link's token. ``rules``: in notation."""

members = Table(
    "members",
    metadata,
    Column("of", String(16), ForeignKey("groups.name", ondelete="CASCADE"), primary_key=True),
    Column("member", String(20), primary_key=True),
    Column("joined", BigInteger, nullable=False),
)

group_games = Table(
    "group_games",
    metadata,
    Column("game", String(16), ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
    Column("of", String(16), ForeignKey("groups.name", ondelete="CASCADE"), nullable=False),
    Column("result", Text, nullable=True),
    Column("luck", Text, nullable=True),
)
"""``result``: what came of a finished game, as JSON (`farkel.web.groups.results`), stored with the event that ends it.
``luck``: the luck of each seat in winning chance, as JSON; [] if it cannot be known, null until it is calculated."""

Index("games_due", games.c.due)
Index("games_code", games.c.code, unique=True)
Index("groups_token", groups.c.token, unique=True)
Index("group_games_of", group_games.c.of)
Index("hooks_of", hooks.c.of)
Index("notices_once", notices.c.hook, notices.c.game, notices.c.turn, notices.c.seat, unique=True)
Index("notices_due", notices.c.due)
Index("games_open", games.c.over, games.c.touched)
Index("events_request", events.c.game, events.c.request, unique=True)
