"""Connections with limits: how many an address may have, and how long it may take to send a request.

uvicorn leaves both to a proxy. Farkel is also played without one, and a program that holds a thousand connections
half-open must not keep all others out.
"""

from __future__ import annotations

import asyncio
import json
from enum import Enum, auto
from http import HTTPStatus
from typing import Any, ClassVar

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from farkel.web import metrics
from farkel.web.http.limits import Held, Limits
from farkel.web.http.security import network_of

MOST_HEAD = 32 * 1024
"""Bytes of the head of a request."""
READ = 8 * 1024
"""Bytes of an answer that a client has to take each `Settings.read_time`, as long as it has not taken all."""
MOST_AHEAD = 16
"""Requests that may be sent before the first of them is answered."""
LINGERS = 1.0
"""Seconds that a refused connection stays open, so that its client can read why."""
MOST_LINGERING = 256
"""Refused connections that may be open; further ones are closed without a word."""


class HeadStage(Enum):
    """The next step of the client of a connection."""

    ASK = auto()
    """Begin a request."""
    HEAD = auto()
    """Send the rest of a request's head."""
    BODY = auto()
    """Send the rest of its body."""
    WAIT = auto()
    """Wait for the answer."""


TIMED = {HeadStage.ASK: "head", HeadStage.HEAD: "head", HeadStage.BODY: "body", HeadStage.WAIT: ""}
"""What there is a time for. That for a head begins with the connection, or with the first byte after an answer."""


class Connection(HttpToolsProtocol):
    """One connection. The application's state has the `Limits`, and the settings of the server."""

    most: ClassVar[int] = 10_000
    """Connections of this process; `farkel.web.serve` sets it to the system's limit."""
    lingering: ClassVar[int] = 0

    def __init__(self, config: Config, *arguments: Any, **named: Any) -> None:
        super().__init__(config, *arguments, **named)
        state: Any = getattr(config.app, "state", None)
        self._limits: Limits = state.limits
        self._settings = state.settings
        self._held = ""
        """The address that this connection is counted for."""
        self._refused = False
        self._stage = HeadStage.ASK
        self._lingers = False
        self._timed = ""
        """The deadline that the running timer is for."""
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._unread = 0
        """Bytes of the answer that the client had not taken when they were looked at last."""
        self._coming = 0
        """Bytes that came without completing a head."""
        self._head = 0
        """Bytes of the head, as far as it was read."""
        self._answering: RequestResponseCycle | None = None
        """The request that is being answered; ``cycle`` is the latest one, and may wait for it."""

    # The connection ---------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        metrics.CONNECTIONS.inc()
        if len(self.connections) > self.most:
            self._refuse(503, "too_many_connections", "the server has no free connection; try again in a minute")
        elif not self._counted():
            most = self._settings.most_connections
            self._refuse(
                429, "too_many_connections", f"your address has {most} connections open already; close some first"
            )
        else:
            self._watch()

    def _counted(self) -> bool:
        """Count the connection for its address. Behind a proxy all come from the same one, and it does the counting."""
        if self._settings.proxied or self.client is None:
            return True
        address = network_of(self.client[0])
        if self._limits.take(Held.CONNECTIONS, address):
            self._held = address
            return True
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        metrics.CONNECTIONS.dec()
        for timer in (self._timer, self._stalled):
            if timer is not None:
                timer.cancel()
        if self._held:
            self._limits.give_back(Held.CONNECTIONS, self._held)
            self._held = ""
        if self._lingers:
            Connection.lingering -= 1
        self._break_off()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        super().data_received(data)
        self._coming = self._coming + len(data) if self._stage is HeadStage.HEAD else 0
        if self._coming > MOST_HEAD:
            self._refuse_head()
        elif len(self.pipeline) > MOST_AHEAD:
            self._refuse(429, "too_fast", f"more than {MOST_AHEAD} requests wait for an answer on this connection")
        else:
            self._watch()

    # From the client ----------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._stage, self._head = HeadStage.HEAD, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._read(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._read(len(name) + len(value) + len(b": \r\n"))
        super().on_header(name, value)

    def _read(self, more: int) -> None:
        """Count bytes of a head, however it comes. What is raised stops the parser."""
        self._head += more
        if self._head > MOST_HEAD:
            raise ValueError("the head is too long")

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser has stopped at."""
        if self._head > MOST_HEAD:
            self._refuse_head()
        else:
            self._refuse(400, "malformed", "this is not a request of HTTP/1.1")

    def on_headers_complete(self) -> None:
        self._stage = HeadStage.BODY
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stage = HeadStage.WAIT
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self._stage is HeadStage.WAIT and not self.pipeline:
            self._stage = HeadStage.ASK
        super().on_response_complete()

    def _watch(self) -> None:
        """See to it that a timer runs while the client has something to send."""
        wanted = TIMED[self._stage]
        if wanted == self._timed or self._refused:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timed, self._timer = wanted, None
        if wanted:
            seconds = self._settings.head_time if wanted == "head" else self._settings.body_time
            self._timer = self.loop.call_later(seconds, self._too_slow, seconds)

    def _too_slow(self, seconds: float) -> None:
        self._refuse(408, "too_slow", f"the request was not sent within {seconds:g} seconds; send it again")

    # To the client ------------------------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_again(self.transport.get_write_buffer_size())

    def _look_again(self, unread: int) -> None:
        self._unread = unread
        self._stalled = self.loop.call_later(self._settings.read_time, self._reads_on)

    def _reads_on(self) -> None:
        """Drop a client that does not take its answer."""
        unread = self.transport.get_write_buffer_size()
        if unread > self._unread - READ:
            self.transport.abort()
        else:
            self._look_again(unread)

    def resume_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        super().resume_writing()

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Say why, if nothing was answered yet, and close the connection."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        metrics.refused(code)
        earlier = self._answering
        under_way = earlier is not None and not earlier.response_complete
        silent = self._stage is HeadStage.WAIT or (earlier is not None and earlier.response_started and under_way)
        silent |= self._stage is HeadStage.BODY and not under_way
        silent |= bool(self.pipeline)  # the first of them is to be answered first
        self._break_off()
        if silent or Connection.lingering >= MOST_LINGERING:
            self.transport.abort()
            return
        self._lingers = True
        Connection.lingering += 1
        self._unset_keepalive_if_required()
        self.transport.write(_answer(status, code, message))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._timer = self.loop.call_later(LINGERS, self.transport.abort)

    def _refuse_head(self) -> None:
        self._refuse(431, "too_long", f"the head of the request is longer than {MOST_HEAD:,} bytes")

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def _break_off(self) -> None:
        """Let the request that is being answered know that nobody reads the answer, and forget those that wait."""
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()


def _answer(status: int, code: str, message: str) -> bytes:
    """Return an error as `farkel.web.errors` words it, for a connection that never got there."""
    body = json.dumps({"code": code, "message": message}).encode()
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
