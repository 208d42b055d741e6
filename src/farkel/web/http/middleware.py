"""What ASGI middleware shares: the types, and the way to the answer's head."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Middleware:
    """Something around an application, for requests only."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.answer if scope["type"] == "http" else self._app)(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._app(scope, receive, send)


def at_start(send: Send, change: Callable[[Message], None]) -> Send:
    """Return what sends, but first shows or changes the head of the answer."""

    async def changed(message: Message) -> None:
        if message["type"] == "http.response.start":
            change(message)
        await send(message)

    return changed
