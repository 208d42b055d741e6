"""The border to the page's scripts: requests come from them as JavaScript's values, and answers go back as such.

`worker.mjs` beside it in ``shell`` is the other side.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from farkel.page.calculator import PageCalculator, calculator, only_asks
from farkel.page.host import Headers, Host, Request
from farkel.page.opening import opened, prepared
from farkel.web.store.values import StoreError

log = logging.getLogger(__name__)


class Server:
    """Answers the page's requests."""

    def __init__(self, host: Host, coach: PageCalculator, rest: Callable[[], Awaitable[None]]) -> None:
        """``rest``: brings the modules that a first visit does not need."""
        self._host = host
        self._coach = coach
        self._rest = rest

    def busy(self) -> bool:
        """Return whether the coach is calculating."""
        return self._coach.doing is not None

    async def answer(
        self, name: str, method: str, origin: str, target: str, headers: Any, body: Any, stream: Any
    ) -> Any:
        """Return status, headers and body; nothing if the answer went to the stream."""
        given = body.to_bytes() if body else b""
        request = Request(method, origin, target, headers.to_py(), given, name)
        try:
            found = await self._host.answer(request, _Stream(stream))
        except ModuleNotFoundError as missing:
            log.info("%s comes later", missing.name)
            await self._rest()
            found = await self._host.answer(request, _Stream(stream))
        return None if found is None else _as_script((found.status, found.headers, found.body))


class _Stream:
    """A stream of events that a script takes."""

    def __init__(self, script: Any) -> None:
        self._script = script

    def begin(self, status: int, headers: Headers) -> None:
        self._script.begin(status, _as_script(headers))

    def more(self, piece: bytes) -> None:
        self._script.more(_as_script(piece))

    async def gone(self) -> None:
        await self._script.gone()


async def begin(
    database: Any, root: str, coach: Callable[[], Any], rest: Callable[[], Awaitable[None]]
) -> Server | str:
    """Start the application over the browser's database, for a folder with that path; or say why that cannot be.

    ``coach``: makes a worker for the coach.
    """
    try:
        asked = calculator(coach)
        return Server(await opened(database, root, asked), asked, rest)
    except StoreError as error:
        return f"{error.message[:1].upper()}{error.message[1:]}."


async def prepare(root: str) -> None:
    """Do what can be done before the browser's games are there, for a snapshot: see ``snapshot_worker.mjs``."""
    only_asks()
    await prepared(root)


def _as_script(value: Any) -> Any:
    """Return a value as JavaScript has it."""
    from pyodide.ffi import to_js  # only in a page

    return to_js(value)
