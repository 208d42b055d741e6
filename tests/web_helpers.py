"""What the tests of the server share: services and applications over their own databases, and games played on them."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import httpx
import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy import Engine

from farkel.game import Leave, State, legal_actions
from farkel.records import Record, parse_record
from farkel.rules import Rules, validated
from farkel.web.app import make_app
from farkel.web.game.given import Clock, now
from farkel.web.game.service import GameService, Opened
from farkel.web.game.setup import Allowed, GamePlan, SeatPlan
from farkel.web.game.table import Draft, Table, stored
from farkel.web.groups.groups import Groups
from farkel.web.http.limits import Limits
from farkel.web.settings import Settings
from farkel.web.startup import opened
from farkel.web.store.games import GameStore
from farkel.web.store.news import Message
from farkel.web.store.values import Row
from farkel.web.tokens import Key
from farkel.web.webhooks.messenger import Messenger
from named_rules import rules_from
from random_play import random_event
from seeded import Seeded, repeating
from serving import HANG

EVERYTHING = Key(host=True, seats=frozenset(range(8)))
"""What opens every seat."""
HOST = Key(host=True)
ANN, BOB = (Key(seats=frozenset({seat})) for seat in (0, 1))
STARTED = datetime(2026, 11, 21, 14, 3)
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal")
FIRST = "standard(start=first_seat)"
NEVER = 3600.0
"""Seconds: longer than any test."""


class Hands:
    """A clock that stands still until it is moved: milliseconds since 1970."""

    def __init__(self) -> None:
        self.time = 1_800_000_000_000

    def __call__(self) -> int:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += int(1_000 * seconds)


# Tables without a server ---------------------------------------------------------------------------------------------


def plan_of(rules: Rules | str, *who: str, dice: str = "committed", **allowed: Any) -> GamePlan:
    """A plan with a seat for each of these: ``here``, ``far`` or a bot."""
    seats = tuple(SeatPlan(name=name, who=one) for name, one in zip(NAMES, who, strict=False))
    return GamePlan.model_validate(
        {"rules": rules_from(rules), "seats": seats, "dice": dice, "allowed": Allowed(**allowed)},
    )


def short(rules: Rules) -> Rules:
    """The rules with a target, or a number of rounds, that is soon reached."""
    tree = rules.model_dump()
    if tree["target"]:
        tree["target"] = max(tree["entry"], tree["minimum"], 500)
    else:
        tree["rounds"] = min(tree["rounds"], 3)
    return validated(tree, "shortened by a test")


class Sheet:
    """A table without a server: drafts are stored immediately."""

    def __init__(self, plan: GamePlan, secret: bytes = bytes(range(32))) -> None:
        self.table = Table("a" * 12, plan, secret, allowed=plan.allowed)
        self.rows: list[Row] = []

    @classmethod
    def begun(cls, plan: GamePlan, secret: bytes = bytes(range(32))) -> Sheet:
        sheet = cls(plan, secret)
        sheet.store(sheet.table.start(EVERYTHING, STARTED))
        return sheet

    def store(self, draft: Draft, request: str | None = None) -> None:
        rows = stored(draft, self.table.number, 1_000 * self.table.number, request)
        self.table.take(rows)
        self.rows.extend(rows)

    def play(self, *events: Any) -> None:
        for event in events:
            self.store(self.table.play(EVERYTHING, event))

    @property
    def state(self) -> State:
        return self.table.state

    def record(self) -> Record:
        """The record for download."""
        return parse_record(self.table.text(self.rows).encode())


def random_step(sheet: Sheet, chance: random.Random) -> None:
    """A random move of some player at the table."""
    table, state = sheet.table, sheet.state
    if state.dice_due and not table.manual:
        sheet.store(table.roll(EVERYTHING))
    else:
        sheet.play(random_event(state, chance))


# Services and applications -------------------------------------------------------------------------------------------


def settings_of(database: str, **changed: Any) -> Settings:
    """Bots that play at once, and a server that looks for its work only when a test says so."""
    chosen: dict[str, Any] = {
        "pace": 0.0,
        "look": NEVER,
        "work_a_minute": 1_000_000,
        "most_at_once": 1_000,
        "opened_an_hour": 1_000_000,
        "codes_an_hour": 1_000_000,
    }
    return Settings(database, **(chosen | changed))


@asynccontextmanager
async def service_over(database: str, clock: Clock = now, **changed: Any) -> AsyncIterator[GameService]:
    """A service over the database."""
    async with opened(settings_of(database, **changed), clock, Seeded()) as services:
        yield services.games


def start(table: Table) -> Draft:
    return table.start(HOST, STARTED)


def roll(table: Table) -> Draft:
    return table.roll(EVERYTHING)


async def begun(service: GameService, rules: str = FIRST, *who: str, dice: str = "committed", **allowed: Any) -> Opened:
    """A game of these seats that has started."""
    made = await service.open(plan_of(rules, *(who or ("far", "far")), dice=dice, **allowed))
    await service.submit(made.game, start)
    return made


async def text_of(service: GameService, game: str) -> str:
    return (await service.table(game)).text(await service.rows(game, 0))


async def ended(service: GameService, *who: str, **allowed: Any) -> Opened:
    """A game of these seats that is over, as all have left."""
    made = await begun(service, FIRST, *who, **allowed)
    for seat in range(len(who)):
        if not (await service.table(made.game)).over:
            await service.submit(made.game, partial(Table.play, key=EVERYTHING, event=Leave(seat)))
    return made


def anything(table: Table) -> Draft:
    """The dice that are due, or the first thing that is possible."""
    return table.roll(EVERYTHING) if table.state.dice_due else table.play(EVERYTHING, legal_actions(table.state)[0])


async def heard(news: asyncio.Queue[Message], number: int | None) -> list[Message]:
    """The news up to the event of that number, or a later one; None: until all must look."""
    found: list[Message] = []
    while True:
        found.append(await asyncio.wait_for(news.get(), HANG))
        reached = found[-1].number
        if found[-1].passing is None and (reached is None if number is None else reached and reached >= number):
            return found


def database_of(service: GameService) -> GameStore:
    """The database of a service, for what the service does not ask of it."""
    assert isinstance(service.store, GameStore)
    return service.store


def engine_of(service: GameService) -> Engine:
    return database_of(service).engine


@contextmanager
def full_disk(engine: Engine) -> Iterator[None]:
    """Meanwhile the file of a SQLite database cannot grow."""
    most = 1  # SQLite takes the present size for it

    def bound(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {most}")

    sa.event.listen(engine, "checkout", bound)
    try:
        yield
    finally:
        most = 2**30


class Site(NamedTuple):
    """An application, and a client of it."""

    app: FastAPI
    client: httpx.AsyncClient

    @property
    def service(self) -> GameService:
        service: GameService = self.app.state.service
        return service

    @property
    def groups(self) -> Groups:
        groups: Groups = self.app.state.groups
        return groups

    @property
    def webhooks(self) -> Messenger:
        webhooks: Messenger = self.app.state.webhooks
        return webhooks

    async def open(self, rules: str = "standard", *who: str, **more: Any) -> Seated:
        """Open a game with these seats, and start it."""
        seats = [{"name": name, "who": one} for name, one in zip(NAMES, who or ("far", "far"), strict=False)]
        answer = await self.client.post("/api/v1/games", json={"rules": rules, "seats": seats, **more})
        assert answer.status_code == 201, answer.text
        said = answer.json()
        return Seated(self.client, said["game"], said["host"], {int(seat): one for seat, one in said["seats"].items()})

    async def begin(self, rules: str = "standard", *who: str, **more: Any) -> Seated:
        seated = await self.open(rules, *who, **more)
        answer = await seated.do("start")
        assert answer.status_code == 200, answer.text
        return seated


class Seated(NamedTuple):
    """A game that was opened through the interface, with all its tokens."""

    client: httpx.AsyncClient
    game: str
    host: str
    seats: dict[int, str]

    @property
    def path(self) -> str:
        return f"/api/v1/games/{self.game}"

    async def post(self, path: str, token: str | None = None, **body: Any) -> httpx.Response:
        return await self.client.post(f"{self.path}{path}", json=body, headers=bearer(token))

    async def do(self, do: str, token: str | None = None, **more: Any) -> httpx.Response:
        """Submit a move, as the host where no other token is given."""
        given = {key: more.pop(key) for key in ("seen", "request") if key in more}
        return await self.post("/moves", token or self.host, move={"do": do, **more}, **given)

    async def get(self, path: str = "", token: str | None = None, **query: Any) -> httpx.Response:
        return await self.client.get(f"{self.path}{path}", headers=bearer(token), params=query)

    async def view(self, token: str | None = None) -> dict[str, Any]:
        answer = await self.get(token=token)
        assert answer.status_code == 200, answer.text
        view: dict[str, Any] = answer.json()
        return view

    async def events(self) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = (await self.get("/events")).json()
        return events

    async def play(self, chance: random.Random, most: int = 10_000) -> None:
        """Play at random with the seats' own tokens until it is over, or for this many moves."""
        tokens = {**dict.fromkeys(range(8), self.host), **self.seats}
        for _ in range(most):
            view = await self.view()
            if view["over"]:
                return
            answer = await self.do(**choice(view, chance), token=tokens[view["seat"]], seen=view["number"])
            assert answer.status_code == 200, answer.text


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"authorization": f"Bearer {token}"}


def choice(view: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Any move that the view says is possible, banking where it may be."""
    match view["phase"]:
        case "keep":
            banks = [keep for keep in view["keeps"] if not keep["bank"]]
            keep = chance.choice(banks or view["keeps"])
            return {"do": "keep", "dice": keep["dice"], "then": "bank" if banks else "roll"}
        case "offer":
            takes = [{"do": "take_over", "dice": take["dice"]} for take in view["takes"] if not take["refused"]]
            return chance.choice([{"do": "fresh"}, *takes])
        case _:
            return {"do": "roll"}


@asynccontextmanager
async def sited(database: str, clock: Clock = now, **changed: Any) -> AsyncIterator[Site]:
    """An application over the database, spoken to within this process. No time passes for its limits of a rate."""
    settings = settings_of(database, **changed)
    app = make_app(settings, clock, Seeded(), Limits(settings, clock=lambda: 0.0))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://farkel.test") as client:
            yield Site(app, client)


class Stream:
    """An event stream of an application within this process."""

    def __init__(self, site: Site, path: str, token: str | None = None, address: str = "127.0.0.1") -> None:
        url, _, query = path.partition("?")
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": url,
            "raw_path": url.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in bearer(token).items()],
            "client": (address, 50_000),
            "server": ("farkel.test", 80),
        }
        self._app = site.app
        self._gone = asyncio.Event()
        self._asked = False
        self.signs: asyncio.Queue[str] = asyncio.Queue()
        """Comments, which are signs of life."""
        self._events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._text = ""
        self._started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    @property
    async def status(self) -> int:
        return await asyncio.wait_for(asyncio.shield(self._started), HANG)

    async def next(self) -> dict[str, Any]:
        """The next event, with its name as ``event``, and its id as ``id``."""
        event = await asyncio.wait_for(self._events.get(), HANG)
        assert event is not None, "the stream has ended"
        return event

    async def ended(self) -> list[dict[str, Any]]:
        """What came until the server ended the stream."""
        came = []
        while (event := await asyncio.wait_for(self._events.get(), HANG)) is not None:
            came.append(event)
        return came

    async def until(self, number: int) -> list[dict[str, Any]]:
        """The moves up to the event of that number."""
        came: list[dict[str, Any]] = []
        while not came or came[-1]["number"] < number:
            if (event := await self.next())["event"] == "move":
                came.append(event)
        return came

    async def close(self) -> None:
        self._gone.set()
        await self._task

    async def _run(self) -> None:
        try:
            await self._app(self._scope, self._receive, self._send)
        finally:
            self._events.put_nowait(None)

    async def _receive(self) -> MutableMapping[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._started.set_result(message["status"])
            return
        self._text += message.get("body", b"").decode()
        if not message.get("more_body", False):
            self._gone.set()
        *whole, self._text = self._text.split("\n\n")
        for block in whole:
            if block.startswith(":"):
                self.signs.put_nowait(block)
            if event := event_of_block(block):
                self._events.put_nowait(event)


def event_of_block(block: str) -> dict[str, Any] | None:
    """One server-sent event; None for a comment."""
    fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":") and ": " in line)
    if "data" not in fields:
        return None
    event: dict[str, Any] = {"event": fields.get("event"), "id": fields.get("id"), **json.loads(fields["data"])}
    return event


@asynccontextmanager
async def following(
    site: Site, path: str, token: str | None = None, address: str = "127.0.0.1"
) -> AsyncIterator[Stream]:
    stream = Stream(site, path, token, address)
    try:
        await stream.status
        yield stream
    finally:
        await stream.close()


# Servers in processes of their own -----------------------------------------------------------------------------------

PROGRAM = """
import json, socket, sys
import uvicorn
from farkel.web.app import make_app
from farkel.web.settings import Settings
app = make_app(Settings(**json.loads(sys.argv[2])))
server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
server.run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""


class Server:
    """A server process on a socket that outlives it: clients that connect while it is down wait for it."""

    def __init__(self, database: str, **changed: Any) -> None:
        self._settings = json.dumps(asdict(settings_of(database, **({"look": 0.2} | changed))))
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        number = self._socket.fileno()
        command = [sys.executable, "-c", repeating() + PROGRAM, str(number), self._settings]
        self._process = subprocess.Popen(command, pass_fds=[number])

    def kill(self) -> None:
        """SIGKILL: nothing is tidied up."""
        self._end(signal.SIGKILL)

    def close(self) -> None:
        self._end(signal.SIGTERM)
        self._socket.close()

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(HANG)
            self._process = None


@contextmanager
def serving(database: str, **changed: Any) -> Iterator[Server]:
    server = Server(database, **changed)
    try:
        yield server
    finally:
        server.close()
