"""Who hears of what happens: the pages that are open here, and through PostgreSQL those of the other processes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from farkel.web.store.store import CHANNEL

log = logging.getLogger(__name__)

MOST_WAITING = 256
"""News that a slow page may leave unread before it is told to start anew."""


class Message(NamedTuple):
    """One piece of news of a game: new events up to ``number``, or something that is not kept."""

    number: int | None
    passing: dict[str, Any] | None = None


class News:
    """Within one process."""

    def __init__(self, me: str = "") -> None:
        """``me`` names this process: what it says itself it need not hear."""
        self.me = me
        self._listeners: dict[str, set[asyncio.Queue[Message]]] = {}

    async def start(self) -> None:
        """Begin to listen to other processes, where there may be any."""

    async def stop(self) -> None:
        """Stop listening to other processes."""

    @contextmanager
    def listen(self, game: str) -> Iterator[asyncio.Queue[Message]]:
        """A queue of what happens in the game from now on."""
        queue: asyncio.Queue[Message] = asyncio.Queue(MOST_WAITING)
        self._listeners.setdefault(game, set()).add(queue)
        try:
            yield queue
        finally:
            self._listeners[game].discard(queue)
            if not self._listeners[game]:
                del self._listeners[game]

    def tell(self, game: str, message: Message) -> None:
        """Tell everybody who listens here."""
        for queue in self._listeners.get(game, ()):
            if queue.full():  # whoever reads this slowly reads the events from the database
                queue.get_nowait()
            queue.put_nowait(message)

    def wake(self) -> None:
        """Everybody who listens here looks at once: anything may have happened."""
        for game in list(self._listeners):
            self.tell(game, Message(None))

    def heard(self, game: str) -> bool:
        """Whether anybody listens to the game here."""
        return game in self._listeners


class PostgresNews(News):
    """Among all processes on one database, through LISTEN and NOTIFY."""

    def __init__(self, url: str, me: str) -> None:
        super().__init__(me)
        self._url = url.replace("postgresql+psycopg", "postgresql", 1)
        self._task: asyncio.Task[None] | None = None
        self.listening = asyncio.Event()

    async def start(self) -> None:
        self._task = asyncio.create_task(self._listen())
        await self.listening.wait()

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _listen(self) -> None:
        import psycopg

        pause = 0.1
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self.listening.set()
                    pause = 0.1
                    self.wake()  # after an interruption
                    async for notice in connection.notifies():
                        self._take(notice.payload)
            except psycopg.Error as error:
                log.warning("the database's news are interrupted (%s); trying again", str(error).strip())
            await asyncio.sleep(pause)
            pause = min(5.0, 2 * pause)

    def _take(self, payload: str) -> None:
        game, number, *passing = json.loads(payload)
        said = passing[0] if passing else None
        if said is None or said.pop("from") != self.me:
            self.tell(game, Message(number, said))
