"""News of all processes on one PostgreSQL database, through LISTEN and NOTIFY."""

from __future__ import annotations

import asyncio
import json
import logging

from farkel.web.store.news import Hear, Message, News
from farkel.web.store.values import Row

log = logging.getLogger(__name__)

CHANNEL = "farkel"
"""PostgreSQL's channel for news: payloads are JSON, ``[process, game, number of the last event, events]``, without the
events if they are too long, or ``[process, game, null, message]``."""


class PostgresNews(News):
    """Among all processes on one database, through LISTEN and NOTIFY."""

    def __init__(self, url: str, me: str) -> None:
        """``me`` names this process, which need not hear its own news."""
        super().__init__()
        self._me = me
        self._url = url.replace("postgresql+psycopg", "postgresql", 1)
        self._task: asyncio.Task[None] | None = None
        self._listening = asyncio.Event()

    @property
    def hears(self) -> bool:
        return self._listening.is_set()

    async def start(self, hear: Hear) -> None:
        self._task = asyncio.create_task(self._listen(hear))
        await self._listening.wait()

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _listen(self, hear: Hear) -> None:
        import psycopg

        pause = 0.1
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self._listening.set()
                    pause = 0.1
                    self.wake()  # after an interruption
                    async for notice in connection.notifies():
                        self._take(notice.payload, hear)
            except psycopg.Error as error:
                log.warning("the database's news are interrupted (%s); trying again", str(error).strip())
            finally:
                self._listening.clear()
            await asyncio.sleep(pause)
            pause = min(5.0, 2 * pause)

    def _take(self, payload: str, hear: Hear) -> None:
        try:
            said_by, game, number, said = json.loads(payload)
        except (ValueError, TypeError):
            log.warning("what is no news of a game came through the database: %s", payload[:200])
            return
        if said_by == self._me:
            return
        if number is None:
            self.tell(game, Message(None, said))
        else:
            hear(game, tuple(Row(*row) for row in said))
            self.tell(game, Message(number))
