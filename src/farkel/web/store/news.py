"""Who hears of what happens: the pages that are open here, and through PostgreSQL those of the other processes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from farkel.web.store.games import CHANNEL, Row

log = logging.getLogger(__name__)

MOST_WAITING = 256
"""News that a slow page may leave unread before it must start again."""


Hear = Callable[[str, tuple[Row, ...]], None]
"""Takes a game and events of it that another process has stored."""


class Message(NamedTuple):
    """One piece of news of a game: new events up to ``number``, or something that is not kept."""

    number: int | None
    passing: dict[str, Any] | None = None


class News:
    """Within one process."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Queue[Message]]] = {}

    @property
    def hears(self) -> bool:
        """Whether what other processes do is heard of here."""
        return True

    async def start(self, hear: Hear) -> None:
        """Begin to listen to other processes, if there may be any. ``hear`` gets their rows, and then is told
        to all who listen to the game.
        """

    async def stop(self) -> None:
        """Stop listening to other processes."""

    @contextmanager
    def listen(self, game: str) -> Iterator[asyncio.Queue[Message]]:
        """Yield a queue of what happens in the game from now on."""
        queue: asyncio.Queue[Message] = asyncio.Queue(MOST_WAITING)
        self._listeners.setdefault(game, set()).add(queue)
        try:
            yield queue
        finally:
            self._listeners[game].discard(queue)
            if not self._listeners[game]:
                del self._listeners[game]

    def tell(self, game: str, message: Message) -> None:
        """Notify every listener here."""
        for queue in self._listeners.get(game, ()):
            if queue.full():  # a slow page reads the events from the database
                queue.get_nowait()
            queue.put_nowait(message)

    def wake(self) -> None:
        """Make every listener here look now: anything may have happened."""
        for game in list(self._listeners):
            self.tell(game, Message(None))

    def heard(self, game: str) -> bool:
        """Return whether anybody listens to the game here."""
        return game in self._listeners


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
