"""Event streams that outlive the requests that asked for them.

A web framework keeps some forty KiB around a request until it is answered, and a stream is never answered. So the
framework calls only names the events to stream, and `Streams`, around it, sends that once the framework has let go.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from starlette.responses import Response

from farkel.web.http.middleware import Middleware, Receive, Scope, Send

WAITS = "farkel.stream"
"""Where in a request's scope its stream waits to be sent."""


class EventStream(Response):
    """Server-sent events, which `Streams` sends."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes], status_code: int = 200) -> None:
        super().__init__(status_code=status_code, headers={"cache-control": "no-cache", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[WAITS] = self

    async def send(self, receive: Receive, send: Send) -> None:
        """Send the events until there are no more, or the client has gone."""
        sending = asyncio.create_task(self._send_all(send))
        try:
            while (await receive())["type"] != "http.disconnect":  # which comes after the last event, too
                pass
        finally:
            sending.cancel()
            await asyncio.wait([sending])
        if not sending.cancelled():
            sending.result()

    async def _send_all(self, send: Send) -> None:
        started = False
        try:
            async for event in self._events:
                if not started:  # a client that sees the head may rely on the stream
                    await self._start(send)
                    started = True
                await send({"type": "http.response.body", "body": event, "more_body": True})
        finally:
            await self._events.aclose()
            if not started:
                await self._start(send)
            await send({"type": "http.response.body", "body": b""})

    async def _start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})


class Streams(Middleware):
    """Middleware that sends the event streams of an application."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope.keys() | set()
        await self._app(scope, receive, send)
        stream: EventStream | None = scope.get(WAITS)
        for added in scope.keys() - asked:
            del scope[added]
        if stream is not None:
            await stream.send(receive, send)
