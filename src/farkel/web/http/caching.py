"""The headers of answers: caching and search engines, and answers to HEAD."""

from __future__ import annotations

import asyncio
import re

from starlette.datastructures import MutableHeaders

from farkel.web.http.middleware import Message, Middleware, Receive, Scope, Send, at_start

NO_STORE, NO_CACHE = "no-store", "no-cache"
OPEN = re.compile(
    r"/|/offline|/watch|/sw\.js|/manifest\.webmanifest|/groups|/rules(/.*)?|/api/openapi\.json|/api/v1/(rules|games/[a-z0-9]{12}/record)"
)
"""Addresses whose answers hold no token: a browser may keep them, to go back to, but asks again before it shows them.
A form that comes back with them is as it was filled in."""

INDEXED = re.compile(r"/|/rules(/sheet|/card|/minute)?|/static/.*|/favicon\.ico|/manifest\.webmanifest")
"""Addresses that search engines may show: nothing of games and groups, and not each set of rules in the editor."""


class Caching(Middleware):
    """Middleware around everything.

    Pages and answers hold links of seats, so nothing may keep them unless it is known to be open to all. HEAD is
    answered wherever GET is, with the same headers.
    """

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        def label(message: Message) -> None:
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            headers.setdefault("cache-control", _caching(scope["path"], message["status"]))
            if not INDEXED.fullmatch(scope["path"]):
                headers["x-robots-tag"] = "noindex, nofollow"

        labelled = at_start(send, label)
        if scope["method"] == "HEAD":
            await self._head(scope, labelled)
        else:
            await self._app(scope, receive, labelled)

    async def _head(self, scope: Scope, send: Send) -> None:
        """Answer as GET is answered, without the body."""
        asked, started = False, asyncio.Event()

        async def receive() -> Message:
            nonlocal asked
            if not asked:
                asked = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await started.wait()
            return {"type": "http.disconnect"}  # only the head of the event stream was wanted

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.set()
            else:
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, without_body)


def _caching(path: str, status: int) -> str:
    return NO_CACHE if status == 200 and OPEN.fullmatch(path) else NO_STORE
