"""Room for one more game: how many may be open at once, and which of them gives way."""

from __future__ import annotations

from farkel.web.game.given import Clock
from farkel.web.game.held_tables import HeldTables
from farkel.web.http.limits import OPENED, Full
from farkel.web.settings import Settings
from farkel.web.store.news import News
from farkel.web.store.values import Dropped, Store

FULL_FOR = 1_000
"""Milliseconds for which a refusal holds for everyone who has opened as many games, so that the database is not asked
for each of those who try again at once."""


class Room:
    """The places for open games."""

    def __init__(self, settings: Settings, store: Store, news: News, tables: HeldTables, clock: Clock) -> None:
        self._settings = settings
        self._store = store
        self._news = news
        self._tables = tables
        self._now = clock
        self._full: tuple[int, int] | None = None
        """Until when there is no room for whoever has opened so many games, unless one ends."""

    async def make(self) -> None:
        """Make room for one more game: one that nobody has played goes if there is none, of those who opened most.

        Raises `Full` if that is the sender: who has opened few may always open one more.
        """
        self.refuse_if_full()
        if self._settings.alone or await self.count_open() < self._settings.most_open:
            return
        before = OPENED.get()
        for game in await self._store.unplayed(self._since(), before):
            if not self._news.heard(game):
                await self._store.write(Dropped(game))
                self._tables.let_go(game)
                return
        if before >= self._settings.always_open:
            self._full = self._now() + FULL_FOR, before
            self.refuse_if_full()

    def refuse_if_full(self) -> None:
        """Raise `Full` if somebody who had opened no more games than the sender was refused a moment ago."""
        if self._full and self._now() < self._full[0] and OPENED.get() >= self._full[1]:
            raise Full(
                "too_many_games", f"{self._settings.most_open} games are open already; one must end before the next"
            )

    async def count_open(self) -> int:
        """Return how many games are open: not over, and touched within the time that counts."""
        return await self._store.open_games(self._since())

    def _since(self) -> int:
        return self._now() - int(self._settings.open_for * 1000)

    def one_ended(self) -> None:
        """Refuse nobody without asking the database."""
        self._full = None
