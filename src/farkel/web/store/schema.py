"""The database's tables, in SQLAlchemy. `migrations` makes them; a test compares the two.

Times are whole milliseconds since 1970 (UTC), so that every database keeps them alike.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

metadata = sa.MetaData()


def insert_new(where: sa.Connection | sa.Engine, table: sa.Table) -> Any:
    """Return an insertion that passes over what is there already."""
    into = postgresql.insert(table) if where.dialect.name == "postgresql" else sqlite.insert(table)
    return into.on_conflict_do_nothing()


MOST_FAILED = 3
"""Notices given up in a row; then the webhook gets no more."""

games = sa.Table(
    "games",
    metadata,
    sa.Column("game", sa.String(16), primary_key=True),
    sa.Column("opened", sa.BigInteger, nullable=False),
    sa.Column("touched", sa.BigInteger, nullable=False),
    sa.Column("over", sa.Boolean, nullable=False),
    sa.Column("due", sa.BigInteger, nullable=True),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("secret", sa.LargeBinary(32), nullable=False),
    sa.Column("host", sa.String(64), nullable=False),
    sa.Column("code", sa.String(8), nullable=True),
    sa.Column("opened_before", sa.Integer, nullable=False, server_default=sa.text("0")),
)
"""``plan``: the choices before the game, as JSON. ``host``: the hash of the host's token. ``code``: of the
invitation to its free seats; null if there is none. ``due``: when the server has to do something itself: let a bot
play, or see to a seat that is away; null if it waits for people. ``opened_before``: games that its opener's address
had opened shortly before."""

seats = sa.Table(
    "seats",
    metadata,
    sa.Column("game", sa.String(16), sa.ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("token", sa.String(64), nullable=False, index=True),
    sa.Column("seen", sa.BigInteger, nullable=False),
)
"""Remote seats, each held by the owner of its token, of which only the hash is kept. ``seen``: when its page
was last known to be open; negative: it was closed then; 0: it never was open."""

events = sa.Table(
    "events",
    metadata,
    sa.Column("game", sa.String(16), sa.ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String(12), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("request", sa.String(64), nullable=True),
)
"""A game is its events. ``kind``: ``move`` for a line of the record, else what happened at the table
(`farkel.web.game.table`). ``request``: the sender's name for the submission, so that a repeated one is recognised."""

hooks = sa.Table(
    "hooks",
    metadata,
    sa.Column("hook", sa.String(16), primary_key=True),
    sa.Column("of", sa.String(16), nullable=False),
    sa.Column("seat", sa.Integer, nullable=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("form", sa.String(8), nullable=False),
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("base", sa.Text, nullable=False),
    sa.Column("owner", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("host", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("failed", sa.Integer, nullable=False),
    sa.Column("last", sa.Text, nullable=False),
)
"""Webhooks. ``of``: the game whose ``seat`` is told of its turns, or a
group all of whose games are followed, without a seat. ``secret`` signs the notices, so it is kept as it
is. ``base``: how links begin. ``owner``: the number of the address that registered it (`Limits.place`), which tells
nothing else of it. ``host``: of the ``url``. ``failed``: notices given up in a row. ``last``: what became of the latest
try."""

notices = sa.Table(
    "notices",
    metadata,
    sa.Column("notice", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("hook", sa.String(16), sa.ForeignKey("hooks.hook", ondelete="CASCADE"), nullable=False),
    sa.Column("game", sa.String(16), nullable=False),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("due", sa.BigInteger, nullable=True),
    sa.Column("tries", sa.Integer, nullable=False),
)
"""Notices of turns for webhooks, stored with the event that begins the turn. ``due``: when to send it next; null once
it was sent or given up. The unique index makes telling a turn twice impossible."""

groups = sa.Table(
    "groups",
    metadata,
    sa.Column("name", sa.String(16), primary_key=True),
    sa.Column("token", sa.String(64), nullable=False),
    sa.Column("title", sa.String(40), nullable=False),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("made", sa.BigInteger, nullable=False),
)
"""Groups of people who play together. ``token``: the hash of their link's token. ``rules``: in notation."""

members = sa.Table(
    "members",
    metadata,
    sa.Column("of", sa.String(16), sa.ForeignKey("groups.name", ondelete="CASCADE"), primary_key=True),
    sa.Column("member", sa.String(20), primary_key=True),
    sa.Column("joined", sa.BigInteger, nullable=False),
)

group_games = sa.Table(
    "group_games",
    metadata,
    sa.Column("game", sa.String(16), sa.ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
    sa.Column("of", sa.String(16), sa.ForeignKey("groups.name", ondelete="CASCADE"), nullable=False),
    sa.Column("result", sa.Text, nullable=True),
    sa.Column("luck", sa.Text, nullable=True),
)
"""``result``: what came of a finished game, as JSON (`farkel.web.groups.results`), stored with the event that ends it.
``luck``: the luck of each seat in winning chance, as JSON; [] if it cannot be known, null until it is calculated."""

sa.Index("games_due", games.c.due)
sa.Index("games_code", games.c.code, unique=True)
sa.Index("groups_token", groups.c.token, unique=True)
sa.Index("group_games_of", group_games.c.of)
sa.Index("hooks_of", hooks.c.of)
sa.Index("notices_once", notices.c.hook, notices.c.game, notices.c.turn, notices.c.seat, unique=True)
sa.Index("notices_due", notices.c.due)
sa.Index("games_open", games.c.over, games.c.touched)
sa.Index("events_request", events.c.game, events.c.request, unique=True)
