"""Connections that take too long or are too many, as a hostile program opens them, on a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest
import uvicorn

from farkel.web.app import make_app
from farkel.web.connections import MOST_AHEAD, MOST_HEAD, Connection
from farkel.web.limits import Held
from web_helpers import settings_of

JSON = "application/json"
GET = b"GET /api/v1/rules HTTP/1.1\r\nhost: x\r\n\r\n"


class Quick(uvicorn.Server):
    """A server in this event loop."""

    def install_signal_handlers(self) -> None:
        """Leave them to the tests."""


class Running(NamedTuple):
    port: int
    app: Any

    @property
    def held(self) -> int:
        """Connections that are counted."""
        number: int = self.app.state.limits.total(Held.CONNECTIONS)
        return number

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def said(self, *sent: bytes) -> tuple[int, dict[str, Any]]:
        """What the server answers to these bytes before it closes the connection: the status and the error."""
        reader, writer = await self.connect()
        for part in sent:
            writer.write(part)
        try:
            return _parsed(await reader.read())
        finally:
            writer.close()


def _parsed(answer: bytes) -> tuple[int, dict[str, Any]]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@asynccontextmanager
async def running(sqlite: str, **changed: Any) -> AsyncIterator[Running]:
    app = make_app(settings_of(sqlite, **changed))
    config = uvicorn.Config(app, http=Connection, ws="none", log_config=None, port=0, host="127.0.0.1")
    server = Quick(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    try:
        yield Running(server.servers[0].sockets[0].getsockname()[1], app)
    finally:
        server.should_exit = True
        await serving


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"", "too_slow"),
        (b"\r\n\r\n", "too_slow"),
        (b"GET / HTT", "too_slow"),
        (b"GET / HTTP/1.1\r\nhost: x\r\n", "too_slow"),
        (b"POST /api/v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{", "too_slow"),
        (b"POST /api/v1/games HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{", "too_slow"),
        (
            b"POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n"
            b"content-length: 100\r\n\r\nname-0=",
            "too_slow",
        ),
    ],
)
async def test_a_request_that_is_never_finished_is_given_up(sqlite: str, sent: bytes, code: str) -> None:
    async with running(sqlite, head_time=0.2, body_time=0.2) as server:
        status, error = await server.said(sent)
        assert (status, error["code"]) == (408, code)
        assert "send it again" in error["message"]
        while server.held:
            await asyncio.sleep(0)


async def test_one_byte_after_the_other_gains_no_time(sqlite: str) -> None:
    async with running(sqlite, head_time=0.3) as server:
        reader, writer = await server.connect()

        async def drip() -> None:
            for byte in b"GET / HTTP/1.1\r\n" + b"x" * 10_000:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        status, error = _parsed(await reader.read())
        assert (status, error["code"]) == (408, "too_slow")
        dripping.cancel()
        writer.close()


async def test_a_slow_second_request_is_given_up_too(sqlite: str) -> None:
    async with running(sqlite, head_time=0.2) as server:
        reader, writer = await server.connect()
        writer.write(GET)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split()[0])
        await reader.readexactly(length)
        writer.write(GET[:20])
        assert _parsed(await reader.read())[0] == 408
        writer.close()


async def test_connections_per_address_are_limited(sqlite: str) -> None:
    async with running(sqlite, most_connections=3, head_time=60.0) as server:
        held = [await server.connect() for _ in range(3)]
        while server.held < 3:
            await asyncio.sleep(0)
        status, error = await server.said(GET)
        assert (status, error["code"]) == (429, "too_many_connections")
        assert "3 connections" in error["message"]
        held.pop()[1].close()
        while server.held > 2:
            await asyncio.sleep(0)
        reader, writer = await server.connect()
        writer.write(GET)
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        for _, each in [*held, (reader, writer)]:
            each.close()
        while server.held:
            await asyncio.sleep(0)


async def test_behind_a_proxy_connections_are_not_counted_for_its_address(sqlite: str) -> None:
    async with running(sqlite, most_connections=1, proxied=True) as server:
        held = [await server.connect() for _ in range(3)]
        reader, writer = await server.connect()
        writer.write(GET)
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        assert not server.held
        for _, each in [*held, (reader, writer)]:
            each.close()


async def test_a_process_respects_the_system_limits(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "most", 2)
    async with running(sqlite) as server:
        held = [await server.connect() for _ in range(2)]
        while server.held < 2:
            await asyncio.sleep(0)
        assert (await server.said(GET))[0] == 503
        for _, each in held:
            each.close()


async def test_a_head_without_end_is_refused(sqlite: str) -> None:
    async with running(sqlite) as server:
        status, error = await server.said(b"GET / HTTP/1.1\r\n", *[b"x: " + b"y" * 1_000 + b"\r\n"] * 300)
        assert (status, error["code"]) == (431, "too_long")
        assert f"{MOST_HEAD:,}" in error["message"]


async def test_requests_sent_ahead_are_bounded(sqlite: str) -> None:
    async with running(sqlite) as server:
        reader, writer = await server.connect()
        writer.write(GET * 2_000)
        answered = (await reader.read()).count(b"HTTP/1.1 200")
        assert answered <= MOST_AHEAD + 1
        writer.close()
        while server.held:
            await asyncio.sleep(0)


async def test_a_client_that_does_not_read_is_dropped(sqlite: str) -> None:
    async with running(sqlite, body_time=0.3) as server:
        reader, writer = await server.connect()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        while server.held < 1:
            await asyncio.sleep(0)
        while server.held:  # each answer is some KiB, until nothing more fits on the way
            if not writer.is_closing():
                writer.write(GET * 10)
            await asyncio.sleep(0.001)
        assert reader is not None
        writer.close()


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", JSON])
async def test_a_client_that_hangs_up_is_not_logged(sqlite: str, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    async with running(sqlite) as server:
        path = "/api/v1/games" if kind == JSON else "/"
        _, writer = await server.connect()
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {kind}\r\ncontent-length: 100\r\n\r\n--x"
        writer.write(head.encode())
        while not server.held:
            await asyncio.sleep(0)
        writer.close()
        while server.held:
            await asyncio.sleep(0)
    assert not caplog.records
