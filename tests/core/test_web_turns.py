"""Turns of the addresses: whatever one asks for, the others are answered."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations_with_replacement
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from farkel.web import event_loop
from farkel.web.event_loop import COST, Cost, off_loop
from farkel.web.http.limits import ASKER, Limits, Rate
from farkel.web.http.middleware import Message, Receive, Scope, Send
from farkel.web.http.turns import Turns, leave_turn
from farkel.web.settings import Settings
from serving import HANG
from web_helpers import FIRST, Site, Stream, sited

STRANGER, PLAYER = "192.0.2.1", "192.0.2.2"


class Asked:
    """Requests to an application that answers when a test says so."""

    def __init__(self, **changed: Any) -> None:
        settings = Settings("", **changed)
        self.limits = Limits(settings, clock=lambda: 0.0)
        self.begun: list[str] = []
        self.answers: dict[str, int] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self._turns = Turns(self._app, settings, self.limits, self._refuse)

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun.append(scope["path"])
        if scope["path"].endswith("calculates"):
            leave_turn()
        await self.gates.setdefault(scope["path"], asyncio.Event()).wait()
        await send({"type": "http.response.start", "status": 200})

    def _refuse(self, scope: Scope, status: int, code: str, message: str, wait: float) -> Any:
        async def refusal(scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": status})

        return refusal

    def ask(self, address: str, path: str, receive: Receive | None = None) -> asyncio.Task[None]:
        async def send(message: Message) -> None:
            self.answers[path] = message["status"]

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def asked() -> None:
            ASKER.set(address)
            scope = {"type": "http", "method": "POST" if receive else "GET", "path": path}
            await self._turns(scope, receive or nothing, send)

        return asyncio.create_task(asked())

    def answer(self, path: str) -> None:
        self.gates.setdefault(path, asyncio.Event()).set()


async def settled() -> None:
    """Let all tasks go on until they wait for something."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_requests_of_one_address_wait_for_each_other_only() -> None:
    asked = Asked(most_at_once=2)
    tasks = [asked.ask(STRANGER, f"/{number}") for number in range(4)]
    tasks.append(asked.ask(PLAYER, "/board"))
    await settled()
    assert asked.begun == ["/0", "/1", "/board"]
    asked.answer("/1")
    await settled()
    assert asked.begun[3:] == ["/2"]
    for path in ("/0", "/2", "/3", "/board"):
        asked.answer(path)
    await asyncio.gather(*tasks)
    assert set(asked.answers.values()) == {200}


async def test_one_who_goes_or_waits_for_a_calculation_leaves_the_turn_to_the_next() -> None:
    asked = Asked(most_at_once=1)
    calculates, gone, waits, last = (asked.ask(STRANGER, path) for path in ("/calculates", "/gone", "/waits", "/last"))
    await settled()
    assert asked.begun == ["/calculates", "/gone"]
    waits.cancel()
    gone.cancel()
    await settled()
    assert asked.begun[2:] == ["/last"]
    asked.answer("/last")
    asked.answer("/calculates")
    await asyncio.gather(last, calculates)


async def test_a_slow_sender_has_no_turn() -> None:
    asked, rest = Asked(most_at_once=1), asyncio.Event()

    async def slowly() -> Message:
        await rest.wait()
        return {"type": "http.request", "body": b"x", "more_body": False}

    slow, quick = asked.ask(STRANGER, "/slow", slowly), asked.ask(STRANGER, "/quick")
    await settled()
    assert asked.begun == ["/quick"]
    rest.set()
    asked.answer("/quick")
    asked.answer("/slow")
    await asyncio.gather(slow, quick)


async def test_what_is_spent_while_a_request_waits_refuses_it() -> None:
    asked = Asked(most_at_once=1, work_a_minute=60)
    first, second, file = asked.ask(STRANGER, "/1"), asked.ask(STRANGER, "/2"), asked.ask(STRANGER, "/static/x.js")
    await settled()
    assert asked.begun == ["/1", "/static/x.js"]
    asked.limits.count(Rate.WORK, STRANGER, 20.0)
    for path in ("/1", "/static/x.js"):
        asked.answer(path)
    await asyncio.gather(first, second, file)
    assert asked.answers == {"/1": 200, "/2": 429, "/static/x.js": 200}


@contextmanager
def busy() -> Iterator[threading.Event]:
    """Keep the thread for long work busy until the event is set."""
    gate = threading.Event()
    begun = threading.Event()

    def work() -> None:
        begun.set()
        gate.wait(HANG)

    event_loop._thread.put(work)
    assert begun.wait(HANG)
    try:
        yield gate
    finally:
        gate.set()


async def test_long_work_is_done_for_those_first_who_had_least() -> None:
    done: list[str] = []

    def asks(who: str, before: float) -> asyncio.Task[None]:
        async def work() -> None:
            COST.set(Cost(before))
            await off_loop(done.append, who)

        return asyncio.create_task(work())

    with busy() as gate:
        tasks = [asks("stranger", 2.0), asks("stranger", 2.0), asks("player", 0.1), asks("newcomer", 0.0)]
        await settled()
        gate.set()
        await asyncio.gather(*tasks)
    assert done == ["newcomer", "player", "stranger", "stranger"]


async def test_work_in_the_thread_is_counted_and_its_errors_come_back() -> None:
    cost = Cost()
    COST.set(cost)

    def spend(seconds: float) -> str:
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass
        return threading.current_thread().name

    assert await off_loop(spend, 0.01) == "farkel-work"
    assert cost.seconds >= 0.01
    with pytest.raises(ZeroDivisionError):
        await off_loop(lambda: 1 / 0)


def client_of(site: Site, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(site.app, raise_app_exceptions=False, client=(address, 50_000))
    return httpx.AsyncClient(transport=transport, base_url="http://farkel.test")


ROLLS = ["".join(roll) for dice in (3, 4) for roll in combinations_with_replacement("123456", dice)][:100]
PATTERNS = ", ".join(f"{roll}={100 + number}" for number, roll in enumerate(ROLLS))
COSTLY = f"/rules/edit?rules={quote(f'standard(scoring={{{PATTERNS}}})')}"


async def test_whoever_asks_for_costly_pages_runs_out_of_time_and_nobody_else_does(sqlite: str) -> None:
    async with (
        sited(sqlite, work_a_minute=0.4) as site,
        client_of(site, STRANGER) as stranger,
        client_of(site, PLAYER) as player,
    ):
        limits: Limits = site.app.state.limits
        limits.count(Rate.WORK, STRANGER, 0.999)
        answers = [await stranger.get(COSTLY) for _ in range(30)]
        assert answers[0].status_code == 200
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["retry-after"]) > 0
        assert (await player.get("/rules")).status_code == 200


async def test_thirty_phones_behind_one_address_open_a_table_within_a_second(sqlite: str) -> None:
    """With the limits of a server, and a clock that stands still."""
    usual = Settings("")
    limits = {
        name: getattr(usual, name) for name in ("work_a_minute", "most_at_once", "opened_an_hour", "codes_an_hour")
    }
    async with sited(sqlite, **limits) as site, client_of(site, STRANGER) as host:
        seats = [{"name": f"Phone {number}", "who": "far"} for number in range(6)]
        tables = [(await host.post("/api/v1/games", json={"rules": FIRST, "seats": seats})).json() for _ in range(5)]
        codes = [
            (await host.get(f"/api/v1/games/{one['game']}", headers={"authorization": f"Bearer {one['host']}"})).json()[
                "code"
            ]
            for one in tables
        ]

        async def phone(number: int) -> Stream:
            async with client_of(site, STRANGER) as client:
                code, game = codes[number % 5], tables[number % 5]["game"]
                start = await client.get("/")
                page = await client.get(f"/j/{code}")
                joined = await client.post(f"/j/{code}", data={"name": f"Kim {number}"})
                assert joined.status_code == 303, joined.text
                table = await client.get(f"/g/{game}")
                files = {part.split('"')[0] for one in (start, page, table) for part in one.text.split('"/static/')[1:]}
                assert len(files) > 10
                answers = [start, page, table, *[await client.get(f"/static/{file}") for file in files]]
                assert {answer.status_code for answer in answers} == {200}
                stream = Stream(site, f"/api/v1/games/{game}/stream", address=STRANGER)
                assert await stream.status == 200
                return stream

        streams = await asyncio.gather(*map(phone, range(30)))
        assert site.app.state.limits.late(Rate.WORK, STRANGER) == 0.0
        await asyncio.gather(*(stream.close() for stream in streams))
