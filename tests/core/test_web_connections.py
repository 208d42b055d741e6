"""Connections that take too long or are too many, as a hostile program opens them, on a real server."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import pytest
import uvicorn

from farkel.web.app import make_app
from farkel.web.http import connections
from farkel.web.http.connections import MOST_AHEAD, MOST_HEAD, Connection
from farkel.web.http.limits import Held
from serving import HANG
from web_helpers import NEVER, settings_of

JSON = "application/json"
GET = b"GET /api/v1/rules HTTP/1.1\r\nhost: x\r\n\r\n"


class Ahead:
    """The clock of an event loop that a test moves ahead, so that what runs out of time does so at once."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = 0.0

    def __call__(self) -> float:
        return self._clock() + self._seconds

    def move(self, seconds: float) -> None:
        self._seconds += seconds


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Ahead:
    loop = asyncio.get_running_loop()
    ahead = Ahead(loop.time)
    monkeypatch.setattr(loop, "time", ahead)
    return ahead


class Seen:
    """What has happened to the connections of a server."""

    def __init__(self) -> None:
        self.got = 0
        """Bytes that came."""
        self.answered = 0
        """Requests."""
        self.stalled = False
        """Whether a client does not read."""
        self._more = asyncio.Event()

    def look(self) -> None:
        """Let who waits look again."""
        self._more.set()

    async def until(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANG):
            while not happened():
                self._more.clear()
                await self._more.wait()


class Watched(Connection):
    """A connection that says what has happened to it."""

    @property
    def _seen(self) -> Seen:
        app: Any = self.config.app
        seen: Seen = app.state.seen
        return seen

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._seen.look()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._seen.look()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._seen.got += len(data)
        self._seen.look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._seen.answered += 1
        self._seen.look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._seen.stalled = True
        self._seen.look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._seen.stalled = False


class Quick(uvicorn.Server):
    """A server in this event loop."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    def install_signal_handlers(self) -> None:
        """Leave them to the tests."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


class Running(NamedTuple):
    port: int
    app: Any
    seen: Seen

    @property
    def held(self) -> int:
        """Connections that are counted."""
        number: int = self.app.state.limits.held(Held.CONNECTIONS, "127.0.0.1")
        return number

    async def holds(self, number: int) -> None:
        """Wait until this many are."""
        await self.seen.until(lambda: self.held == number)

    async def got(self, number: int) -> None:
        """Wait until this many bytes have come."""
        await self.seen.until(lambda: self.seen.got == number)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def said(self, *sent: bytes) -> tuple[int, dict[str, Any]]:
        """What the server answers to these bytes before it closes the connection: the status and the error."""
        reader, writer = await self.connect()
        for part in sent:
            writer.write(part)
        try:
            return await _parsed(reader)
        finally:
            writer.close()


async def _parsed(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
    head, _, body = (await asyncio.wait_for(reader.read(), HANG)).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@asynccontextmanager
async def running(sqlite: str, **changed: Any) -> AsyncIterator[Running]:
    """A server for whose patience nobody is too slow, unless the clock is moved ahead."""
    app = make_app(settings_of(sqlite, **({"head_time": NEVER, "body_time": NEVER, "read_time": NEVER} | changed)))
    app.state.seen = Seen()
    config = uvicorn.Config(
        app, http=Watched, ws="none", log_config=None, port=0, host="127.0.0.1", timeout_keep_alive=int(NEVER)
    )
    server = Quick(config)
    serving = asyncio.create_task(server.serve())
    await asyncio.wait_for(server.ready.wait(), HANG)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connections, "LINGERS", NEVER)
            yield Running(server.servers[0].sockets[0].getsockname()[1], app, app.state.seen)
    finally:
        server.should_exit = True
        await serving


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        (b"", NEVER),
        (b"\r\n\r\n", NEVER),
        (b"GET / HTT", NEVER),
        (b"GET / HTTP/1.1\r\nhost: x\r\n", NEVER),
        (b"POST /api/v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{", 2 * NEVER),
        (b"POST /api/v1/games HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{", 2 * NEVER),
        (
            b"POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n"
            b"content-length: 100\r\n\r\nname-0=",
            2 * NEVER,
        ),
    ],
)
async def test_a_request_that_is_never_finished_is_given_up(
    sqlite: str, clock: Ahead, sent: bytes, seconds: float
) -> None:
    async with running(sqlite, head_time=NEVER, body_time=2 * NEVER) as server:
        reader, writer = await server.connect()
        writer.write(sent)
        await server.holds(1)
        await server.got(len(sent))
        clock.move(seconds)
        status, error = await _parsed(reader)
        assert (status, error["code"]) == (408, "too_slow")
        assert f"within {seconds:g} seconds; send it again" in error["message"]
        writer.close()
        await server.holds(0)


async def test_one_byte_after_the_other_gains_no_time(sqlite: str, clock: Ahead) -> None:
    async with running(sqlite) as server:
        reader, writer = await server.connect()
        for number in range(1, 11):
            writer.write(GET[number - 1 : number])
            await server.got(number)
            clock.move(NEVER / 10)
        status, error = await _parsed(reader)
        assert (status, error["code"]) == (408, "too_slow")
        writer.close()


async def test_a_slow_second_request_is_given_up_too(sqlite: str, clock: Ahead) -> None:
    async with running(sqlite) as server:
        reader, writer = await server.connect()
        writer.write(GET)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split()[0])
        await reader.readexactly(length)
        writer.write(GET[:20])
        await server.got(len(GET) + 20)
        clock.move(NEVER)
        assert (await _parsed(reader))[0] == 408
        writer.close()


async def test_connections_per_address_are_limited(sqlite: str) -> None:
    async with running(sqlite, most_connections=3) as server:
        held = [await server.connect() for _ in range(3)]
        await server.holds(3)
        status, error = await server.said(GET)
        assert (status, error["code"]) == (429, "too_many_connections")
        assert "3 connections" in error["message"]
        held.pop()[1].close()
        await server.holds(2)
        reader, writer = await server.connect()
        writer.write(GET)
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        for _, each in [*held, (reader, writer)]:
            each.close()
        await server.holds(0)


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
        await server.holds(2)
        assert (await server.said(GET))[0] == 503
        for _, each in held:
            each.close()


async def test_a_head_without_end_is_refused(sqlite: str) -> None:
    async with running(sqlite) as server:
        status, error = await server.said(b"GET / HTTP/1.1\r\n", *[b"x: " + b"y" * 1_000 + b"\r\n"] * 300)
        assert (status, error["code"]) == (431, "too_long")
        assert f"{MOST_HEAD:,}" in error["message"]


@pytest.mark.parametrize("before", [b"", GET])
async def test_a_long_head_in_one_packet_is_refused(sqlite: str, before: bytes) -> None:
    async with running(sqlite) as server:
        fields = b"".join(b"x-%d: %s\r\n" % (number, b"y" * 1_000) for number in range(40))
        reader, writer = await server.connect()
        writer.write(before + b"GET / HTTP/1.1\r\nhost: x\r\n" + fields + b"\r\n")
        if before:
            assert b"HTTP/1.1 200" not in await asyncio.wait_for(reader.read(), HANG)
        else:
            status, error = await _parsed(reader)
            assert (status, error["code"]) == (431, "too_long")
        writer.close()


async def test_each_request_of_a_connection_has_a_head_of_its_own(sqlite: str) -> None:
    async with running(sqlite) as server:
        reader, writer = await server.connect()
        head = b"GET /manifest.webmanifest HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 20_000 + b"\r\n"
        writer.write((head + b"\r\n") * 2 + head + b"connection: close\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), HANG)).count(b"HTTP/1.1 200") == 3
        writer.close()


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nx: " + b"y" * 40_000])
async def test_a_broken_pipeline_is_closed_and_not_logged(
    sqlite: str, sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Its first request is not answered yet, so that what is wrong later has no answer either."""
    async with running(sqlite) as server:
        for before in (GET * 2, GET * 3):
            reader, writer = await server.connect()
            writer.write(before + sent)
            with suppress(ConnectionResetError):
                assert b"HTTP/1.1 4" not in await asyncio.wait_for(reader.read(), HANG)
            writer.close()
            await server.holds(0)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_stream_ends_with_its_connection_even_if_requests_wait_behind_it(sqlite: str) -> None:
    async with running(sqlite, heartbeat=0.01) as server:  # by which it is noticed, as nothing is read meanwhile
        game = "/api/v1/games"
        body = b'{"rules": "standard", "seats": [{"name": "Ann"}]}'
        reader, writer = await server.connect()
        writer.write(b"POST %s HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n" % game.encode())
        writer.write(b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(body), body))
        opened = json.loads((await asyncio.wait_for(reader.read(), HANG)).partition(b"\r\n\r\n")[2])
        writer.close()
        reader, writer = await server.connect()
        writer.write(
            b"GET %s/%s/stream HTTP/1.1\r\nhost: x\r\n\r\n" % (game.encode(), opened["game"].encode()) + GET * 3
        )
        await reader.readuntil(b": farkel")
        limits = server.app.state.limits
        assert limits.held(Held.STREAMS, "127.0.0.1") == 1
        writer.close()
        await server.holds(0)
        async with asyncio.timeout(HANG):
            while limits.held(Held.STREAMS, "127.0.0.1"):
                await asyncio.sleep(0)


async def test_requests_sent_ahead_are_bounded(sqlite: str) -> None:
    async with running(sqlite) as server:
        reader, writer = await server.connect()
        writer.write(GET * 2_000)
        answers = b""
        with suppress(ConnectionResetError):  # some of what was sent was not read
            while part := await asyncio.wait_for(reader.read(2**16), HANG):
                answers += part
        assert answers.count(b"HTTP/1.1 200") <= MOST_AHEAD + 1
        writer.close()
        await server.holds(0)


async def test_a_client_that_does_not_read_is_dropped(sqlite: str, clock: Ahead) -> None:
    async with running(sqlite) as server:
        seen, asked = server.seen, 0
        _, writer = await server.connect()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await server.holds(1)

        def answered() -> bool:
            return seen.answered == asked

        while server.held:  # each answer is some KiB, until nothing more fits on the way
            writer.write(GET)
            asked += 1
            await seen.until(lambda: seen.stalled or answered())
            if seen.stalled:
                clock.move(NEVER)
                await seen.until(lambda: not server.held or answered())
        assert not answered()
        writer.close()


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", JSON])
async def test_a_client_that_hangs_up_is_not_logged(sqlite: str, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    async with running(sqlite) as server:
        path = "/api/v1/games" if kind == JSON else "/"
        _, writer = await server.connect()
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {kind}\r\ncontent-length: 100\r\n\r\n--x"
        writer.write(head.encode())
        await server.holds(1)
        writer.close()
        await server.holds(0)
    assert not caplog.records
