"""Turns of the addresses: none keeps the others waiting, however much it asks for.

The event loop serves whoever comes first, so an address with sixty requests under way would have sixty times as much of
it as one with a single request. It has a few at once; its others wait, and nobody else does. What its requests take is
counted in seconds of processor time, and an address that has had its share must wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Generator
from contextvars import ContextVar
from math import ceil
from typing import Any
from weakref import WeakValueDictionary

from starlette.exceptions import HTTPException

from farkel.web.event_loop import COST, Cost
from farkel.web.http.limits import ASKER, Limits, Rate
from farkel.web.http.middleware import App, Message, Middleware, Receive, Scope, Send
from farkel.web.http.security import SAFE, Refuse
from farkel.web.settings import Settings

FILES = "/static/"
"""Static files are cheap, and a page has many: they take turns of their own, and are never refused."""


class Turn:
    """The turn of a request."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._held = False

    async def take(self) -> None:
        """Wait for it."""
        await self._places.acquire()
        self._held = True

    def leave(self) -> None:
        """Let the next one have it, if it was not left before."""
        if self._held:
            self._held = False
            self._places.release()


_turn: ContextVar[Turn | None] = ContextVar("_turn", default=None)


def leave_turn() -> None:
    """Let the next request of the address go on, as the present one waits for what takes long."""
    if (turn := _turn.get()) is not None:
        turn.leave()


class Turns(Middleware):
    """Middleware that lets addresses take turns, and counts what their requests take."""

    def __init__(self, app: App, settings: Settings, limits: Limits, refuse: Refuse) -> None:
        super().__init__(app)
        self._most = settings.most_at_once
        self._limits = limits
        self._refuse = refuse
        self._places: WeakValueDictionary[tuple[str, bool], asyncio.Semaphore] = WeakValueDictionary()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        address, free = ASKER.get(), scope["path"].startswith(FILES)
        if scope["method"] not in SAFE:
            receive = await _received(receive)
        turn = Turn(self._of(address, free))
        await turn.take()
        try:
            wait = 0.0 if free else self._limits.late(Rate.WORK, address)
            if wait:
                message = f"too many requests from your address; try again in {ceil(wait)} s"
                await self._refuse(scope, 429, "too_fast", message, wait)(scope, receive, send)
                return
            _turn.set(turn)
            cost = Cost(self._limits.done(Rate.WORK, address))
            COST.set(cost)
            try:
                await _Counted(self._app(scope, receive, send), cost)
            finally:
                if not free:
                    self._limits.count(Rate.WORK, address, cost.seconds)
        finally:
            turn.leave()

    def _of(self, address: str, free: bool) -> asyncio.Semaphore:
        places = self._places.get((address, free))
        if places is None:
            places = self._places[address, free] = asyncio.Semaphore(self._most)
        return places


class _Counted:
    """Something to be awaited, each step of which is counted."""

    def __init__(self, work: Awaitable[None], cost: Cost) -> None:
        self._work = work
        self._cost = cost

    def __await__(self) -> Generator[Any, Any, None]:
        assert isinstance(self._work, Coroutine)  # noqa: S101  (applications are coroutines)
        error: BaseException | None = None
        while True:
            try:
                with self._cost.counting():
                    waits = self._work.send(None) if error is None else self._work.throw(error)
            except StopIteration:
                return
            try:
                yield waits
            except BaseException as raised:  # such as that the work is cancelled, which it has to hear
                error = raised
            else:
                error = None


async def _received(receive: Receive) -> Receive:
    """Wait until the whole body is here: a slow sender has no turn. Return what gives it once more."""
    came: list[Message] = []
    refusal: HTTPException | None = None
    try:
        while not came or (came[-1]["type"] == "http.request" and came[-1].get("more_body")):
            came.append(await receive())
    except HTTPException as error:
        refusal = error

    async def again() -> Message:
        if came:
            return came.pop(0)
        if refusal is not None:
            raise refusal
        return await receive()

    return again
