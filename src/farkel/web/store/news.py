"""Who hears of what happens: the pages that are open here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from farkel.web.store.values import Row

MOST_WAITING = 256
"""News that a slow page may leave unread before it must start again."""

Hear = Callable[[str, tuple[Row, ...]], None]
"""Takes a game and events of it that another process has stored."""


class Message(NamedTuple):
    """One piece of news of a game: new events up to ``number``, or something that is not kept."""

    number: int | None
    passing: dict[str, Any] | None = None

    @property
    def slight(self) -> bool:
        """Whether it is of no use to pages that are behind: the next one says all of it again."""
        return self.passing is not None and self.passing["kind"] == "choosing"


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
            if message.slight and not queue.empty():
                continue
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
