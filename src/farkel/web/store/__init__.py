"""The store of games: SQLite or PostgreSQL, one row per event, stored before anyone is notified."""

from farkel.web.store.database import DatabaseError, connect, default_url, disconnect, trouble
from farkel.web.store.groups import Group, GroupStore, Kept, Played
from farkel.web.store.hooks import Begun, Hook, HookStore, Notice
from farkel.web.store.news import Message, News, PostgresNews
from farkel.web.store.store import Append, Game, NewGame, PutOff, Reseated, Row, Seen, Store, Write
from farkel.web.store.writer import Writer

__all__ = [
    "Append",
    "Begun",
    "DatabaseError",
    "Game",
    "Group",
    "GroupStore",
    "Hook",
    "HookStore",
    "Kept",
    "Message",
    "NewGame",
    "News",
    "Notice",
    "Played",
    "PostgresNews",
    "PutOff",
    "Reseated",
    "Row",
    "Seen",
    "Store",
    "Write",
    "Writer",
    "connect",
    "default_url",
    "disconnect",
    "trouble",
]
