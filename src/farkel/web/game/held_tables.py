"""The tables that a process holds in memory: read from the store when they are wanted, and forgotten again."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Container
from weakref import WeakValueDictionary

from farkel.dice.chance import Chance
from farkel.errors import FarkelError
from farkel.web import metrics
from farkel.web.event_loop import off_loop
from farkel.web.game.table import Table
from farkel.web.settings import Settings
from farkel.web.store.news import News
from farkel.web.store.values import Row, Store

log = logging.getLogger(__name__)


class NoGame(FarkelError):
    """No such game, or no such link."""


def no_such_game(name: str) -> NoGame:
    """Return the message for a request for a game that does not exist, or by an impossible name."""
    return NoGame("no_such_game", f'there is no game "{name[:20]}"; ask for the link again')


class HeldTables:
    """Tables by the names of their games."""

    def __init__(self, settings: Settings, store: Store, news: News, chance: Chance) -> None:
        self._settings = settings
        self._store = store
        self._news = news
        self._chance = chance
        self._held: OrderedDict[str, Table] = OrderedDict()
        self._touched: dict[str, float] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def hold(self, game: str) -> Table:
        """Return the game in memory, read from the database if it is not there yet. Raises `NoGame`."""
        table = self._held.get(game)
        if table is None:
            async with self.lock(game):
                table = self._held.get(game) or await self._read(game)
        self._held.move_to_end(game)
        self._touched[game] = time.monotonic()
        return table

    async def _read(self, game: str) -> Table:
        found = await self._store.load(game)
        if found is None:
            raise no_such_game(game)
        table = self._held[game] = await off_loop(Table.of, found, self._chance)
        return table

    def hear(self, game: str, rows: tuple[Row, ...]) -> None:
        """Take rows that another process has stored, if they follow the known ones; else they are read when needed."""
        table = self._held.get(game)
        if table is not None and rows and rows[0].number <= table.number + 1:
            try:
                table.take(rows)
            except FarkelError:
                log.exception("game %s: what another process says of it cannot be read", game)

    async def catch_up(self, table: Table) -> bool:
        """Take rows that were stored by others; return whether there were any."""
        rows = await self._store.rows(table.game, table.number)
        table.take(rows)
        return bool(rows)

    def let_go(self, game: str) -> None:
        """Forget a game in memory, as its store has changed it: it is read again when it is wanted."""
        self._held.pop(game, None)
        self._touched.pop(game, None)

    def let_go_idle(self, busy: Container[str]) -> None:
        """Forget games that no page looks at, but for those in ``busy``; without need only what was idle for long."""
        metrics.HELD_GAMES.set(len(self._held))
        before = time.monotonic() - self._settings.idle
        for game in list(self._held):
            full = len(self._held) > self._settings.most_tables
            if not full and self._touched[game] > before:
                return
            if game in busy or game in self._locks or (self._news.heard(game) and not full):
                continue
            self.let_go(game)

    def lock(self, game: str) -> asyncio.Lock:
        """Return what is held while the table is read or changed."""
        lock = self._locks.get(game)
        if lock is None:
            lock = self._locks[game] = asyncio.Lock()
        return lock
