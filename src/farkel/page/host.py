"""The application of the server, alone in a browser: it answers what a service worker passes on.

A request comes as plain values and is answered at once, or piece by piece if it is a stream of events.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote

from farkel.dice.chance import Chance
from farkel.page import backup, coach_pages, kept_pages
from farkel.page.cookies import Cookies
from farkel.page.store import PageStore
from farkel.web.app import API, PAGES, answering
from farkel.web.game.given import Calculator, NoWebhooks, now
from farkel.web.game.service import GameService
from farkel.web.http.limits import Limits
from farkel.web.settings import Settings
from farkel.web.store.news import News

NO_LIMIT = 10**9
SETTINGS = Settings(
    database="",
    alone=True,
    most_body=2 * backup.MOST_BYTES,
    work_a_minute=NO_LIMIT,
    opened_an_hour=NO_LIMIT,
    codes_an_hour=NO_LIMIT,
    most_streams=1_000,
    most_calculations=1_000,
)
"""Limits are there for strangers, and here are none."""
COOKIES = "cookies"
"""The name by which the cookies are kept."""
OWN = frozenset({"cookie", "host", "accept-encoding", "origin", "sec-fetch-site"})
"""Headers that this module sets, or that do not count between a page and itself."""

Headers = list[tuple[str, str]]


class _Question:
    """A request that may be asked again, and how many names and tokens its answer took for a purpose."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.taken = Counter[str]()


_asked: ContextVar[_Question | None] = ContextVar("asked", default=None)
"""What is answered now."""


class _Chance(Chance):
    """The system's generator; but a request that is asked again gets the same names and tokens again.

    So it opens the same game, whenever the page was closed between opening it and showing it.
    """

    def unique(self, size: int, *about: object) -> bytes:
        asked = _asked.get()
        if asked is None:
            return super().unique(size, *about)
        purpose = json.dumps([asked.name, *map(str, about)])
        asked.taken[purpose] += 1
        return hashlib.shake_256(f"{purpose} {asked.taken[purpose]}".encode()).digest(size)


class Request(NamedTuple):
    """A request of one of the pages."""

    method: str
    origin: str
    """Of the folder, such as ``https://example.org``."""
    target: str
    """Path and query, as if the folder were the whole site."""
    headers: Iterable[tuple[str, str]]
    body: bytes = b""
    name: str = ""
    """The same when it is asked again; nobody can guess it. "" for one that is asked only once."""


class Answer(NamedTuple):
    """A whole answer."""

    status: int
    headers: Headers
    body: bytes


class Stream(Protocol):
    """Takes a stream of events."""

    def begin(self, status: int, headers: Headers) -> None:
        """Take its head."""

    def more(self, piece: bytes) -> None:
        """Take a piece of its body."""

    async def gone(self) -> None:
        """Return when nobody reads it any more."""


class Host:
    """The application and the cookies of its only browser."""

    _store: PageStore
    cookies: Cookies

    def __init__(self, root: str) -> None:
        """``root``: the path of the folder, with a slash at its end."""
        pages = *PAGES, kept_pages.router, coach_pages.router
        self._settings = replace(SETTINGS, root=root)
        self.app = answering(self._settings, Limits(self._settings), API, pages)
        self._stack = AsyncExitStack()
        self._kept: dict[str, str] = {}

    async def begin(self, store: PageStore, calculator: Calculator) -> None:
        """Serve the games of a store. Raises `StoreError`."""
        random.seed()  # a snapshot of the memory would repeat itself
        await store.wake(now())  # bots go on with what they left when the page was closed
        kept = await store.thing(COOKIES)
        self._store = store
        self._kept = json.loads(kept) if kept else {}
        self.cookies = self.app.state.cookies = Cookies(self._kept)
        service = GameService(self._settings, store, News(), calculator, NoWebhooks(), now, _Chance())
        await self._stack.enter_async_context(service.running())
        self.app.state.service = service

    async def end(self) -> None:
        """Stop it. It may serve other games afterwards."""
        await self._stack.aclose()

    async def answer(self, request: Request, stream: Stream | None = None) -> Answer | None:
        """Return the answer to a request; None if it went to the stream."""
        path, _, query = request.target.partition("?")
        scheme, _, host = request.origin.partition("://")
        headers = [(name.lower(), value) for name, value in request.headers if name.lower() not in OWN]
        headers += [("host", host), ("cookie", self.cookies.sent_to(path)), ("sec-fetch-site", "same-origin")]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": scheme,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            "client": ("127.0.0.1", 1),
            "server": (host, 443),
            "state": {},
        }
        exchange = _Exchange(request.body, self.cookies, stream)
        _asked.set(_Question(request.name) if request.name else None)
        await self.app(scope, exchange.receive, exchange.send)
        await self._keep_cookies()
        return exchange.answer

    async def _keep_cookies(self) -> None:
        """Keep the cookies if an answer has changed them, before it is shown."""
        cookies = self.cookies.as_kept()
        if cookies != self._kept:
            await self._store.keep(COOKIES, json.dumps(cookies).encode())
            self._kept = cookies


class _Exchange:
    """A request and its answer, as ASGI has them."""

    def __init__(self, body: bytes, cookies: Cookies, stream: Stream | None) -> None:
        self.answer: Answer | None = None
        self._body: bytes | None = body
        self._cookies = cookies
        self._stream = stream
        self._streams = False
        self._done = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        if self._streams and self._stream is not None:
            await _first(self._done.wait(), self._stream.gone())
        else:
            await self._done.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers: Headers = []
            for name, value in message["headers"]:
                if name == b"set-cookie":
                    self._cookies.take(value.decode("latin-1"))
                else:
                    headers.append((name.decode("latin-1"), value.decode("latin-1")))
            kinds = [value for name, value in headers if name == "content-type"]
            self._streams = self._stream is not None and any(kind.startswith("text/event-stream") for kind in kinds)
            if self._streams and self._stream is not None:
                self._stream.begin(message["status"], headers)
            else:
                self.answer = Answer(message["status"], headers, b"")
            return
        if self._streams and self._stream is not None:
            self._stream.more(message.get("body", b""))
        elif self.answer is not None:
            self.answer = self.answer._replace(body=self.answer.body + message.get("body", b""))
        if not message.get("more_body"):
            self._done.set()


async def _first(*waiting: Awaitable[Any]) -> None:
    """Wait for the first of them, and give up the others."""
    tasks = [asyncio.ensure_future(one) for one in waiting]
    _, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
