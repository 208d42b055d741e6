"""What ASGI middleware shares: the types, the way to the answer's head, and the time that an answer took."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from farkel.web import metrics

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

METHODS = ("GET", "HEAD", "POST")
"""Methods that are counted by name; clients may send any others."""


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


class Timed(Middleware):
    """Middleware that times requests by their route."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = "200"  # of an event stream, whose head is sent later

        def note(message: Message) -> None:
            nonlocal status
            status = str(message["status"])

        began = time.perf_counter()
        try:
            await self._app(scope, receive, at_start(send, note))
        except Exception:
            status = "500"
            raise
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            metrics.REQUESTS.labels(method, _route(scope), status).observe(time.perf_counter() - began)


def _route(scope: Scope) -> str:
    """Return the route that a request took, such as ``/g/{game}``."""
    path: str | None = getattr(scope.get("route"), "path", None)
    return path or ("/static" if scope["path"].startswith("/static/") else "none")
