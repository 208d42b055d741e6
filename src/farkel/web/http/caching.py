"""The headers of answers: caching, and answers to HEAD."""

from __future__ import annotations

import asyncio
import re
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders

from farkel.web.http.security import App, Receive, Scope, Send

NO_STORE, NO_CACHE = "no-store", "no-cache"
OPEN = re.compile(
    r"/|/offline|/sw\.js|/manifest\.webmanifest|/groups|/rules(/.*)?|/api/openapi\.json|/api/v1/(rules|games/[a-z0-9]{12}/record)"
)
"""Addresses whose answers hold no token: a browser may keep them, to go back to, but asks again before it shows them.
A form that comes back with them is as it was filled in."""


class Delivery:
    """ASGI middleware around everything.

    Pages and answers hold links of seats, so nothing may keep them unless it is known to be open to all. HEAD is
    answered wherever GET is, with the same headers.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            await self._head(scope, send)
        else:
            await self._app(scope, receive, _labelled(scope, send))

    async def _head(self, scope: Scope, send: Send) -> None:
        """Answer as GET is answered, without the body."""
        asked, started = False, asyncio.Event()

        async def receive() -> MutableMapping[str, Any]:
            nonlocal asked
            if not asked:
                asked = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await started.wait()
            return {"type": "http.disconnect"}  # only the head of the event stream was wanted

        async def without_body(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                started.set()
            else:
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, _labelled(scope, without_body))


def _labelled(scope: Scope, send: Send) -> Send:
    """Send with a header on caching, if the answer has none of its own."""

    async def labelled(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            headers.setdefault("cache-control", _caching(scope["path"], message["status"]))
        await send(message)

    return labelled


def _caching(path: str, status: int) -> str:
    return NO_CACHE if status == 200 and OPEN.fullmatch(path) else NO_STORE
