"""A visit to the pages that players see first, so that what they need is loaded: for the build and for snapshots."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode

from farkel.errors import SolveError
from farkel.page.host import Answer, Host, Request
from farkel.web.coaching import calculations

T = TypeVar("T")

ORIGIN = "https://farkel.invalid"
PAGES = (
    "/",
    "/new",
    "/new?way=real",
    "/rules",
    "/rules?search=lives",
    "/rules/edit",
    "/rules/sheet?rules=standard",
    "/rules/minute?rules=standard",
    "/rules/file",
    "/nothing",
)
PARTS = ("/board", "/screen", "/screen/board", "/review", "/story", "/statistics", "/standing")
MOST_MOVES = 60
OK = 200


class NoCoach:
    """A `farkel.web.game.given.Calculator` that gives up what is not at hand: nobody waits for it in a visit."""

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        at_hand = calculations.AT_HAND.get(function)
        if at_hand is None or at_hand(*arguments):
            return function(*arguments)
        raise SolveError("stopped", "nothing is calculated in this visit")

    async def close(self) -> None: ...


async def ask(
    host: Host, method: str, target: str, form: Mapping[str, Any] | None = None, part: bool = False
) -> Answer:
    """Ask for a page, or for a part of one."""
    headers = [("accept", "text/html"), *([("hx-request", "true")] if part else [])]
    body = b""
    if form is not None:
        headers.append(("content-type", "application/x-www-form-urlencoded"))
        body = urlencode(form, doseq=True).encode()
    answer = await host.answer(Request(method, ORIGIN, target, headers, body))
    assert answer is not None  # noqa: S101  no stream was asked for
    return answer


async def visit(host: Host) -> dict[str, int]:
    """Look at the pages, and play on one device and with real dice. Returns the status of each answer."""
    seen: dict[str, int] = {}

    async def go(method: str, target: str, form: Mapping[str, Any] | None = None, part: bool = False) -> Answer:
        answer = await ask(host, method, target, form, part)
        seen[f"{method} {re.sub('/g/[a-z0-9]+', '/g/*', target)}"] = answer.status
        return answer

    for target in PAGES:
        await go("GET", target)
    editor = (await go("GET", "/rules/edit?rules=standard")).body.decode()
    fields = dict(re.findall(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"', editor))
    await go("POST", "/rules/edit", {**fields, "base": "standard", "target": "5000"}, part=True)
    await go("POST", "/rules/edit", {**fields, "base": "standard", "target": "-1"})

    bot = await go(
        "POST", "/", {"now": "on", "who-1": "bot:cautious", "rules": "standard", "word": "hop", "name-0": ""}
    )
    await _play(go, _game(bot))
    here = {"way": "one", "dice": "system", "rules": "standard(target=500)", "who-0": "here", "who-1": "here"}
    two = _game(await go("POST", "/", here | {"name-0": "Ann", "name-1": "Ben"}))
    await _play(go, two)
    for part in PARTS:
        await go("GET", two + part, part=True)
    real = _game(await go("POST", "/", {**here, "way": "real", "rules": "standard", "name-0": "Ann", "name-1": "Ben"}))
    await go("GET", real)
    for form in ({"do": "throw", "faces": "3"}, {"do": "throw", "faces": "5"}, {"do": "note", "points": "700"}):
        await go("POST", f"{real}/move", {"dice": "", **form}, part=True)
    await go("POST", f"{real}/move", {"do": "note", "points": "35", "dice": ""}, part=True)
    await go("GET", f"{real}/correct/1", part=True)
    return seen


def _game(opened: Answer) -> str:
    """Return the address of a game that was opened."""
    return dict(opened.headers)["location"].partition("#")[0]


async def _play(go: Any, game: str) -> None:
    """Play some moves as somebody might who takes the first keep that is offered."""
    board = await go("GET", game)
    for move in range(MOST_MOVES):
        text = board.body.decode()
        number = re.search(r'data-number="(\d+)"', text)
        if number is None or board.status != OK:
            break
        keeps = re.search(r'data-keeps="([^"]*)"', text)
        form: dict[str, Any] = {"do": "roll"}
        if keeps is not None:
            one = json.loads(html.unescape(keeps[1]))[0]
            form = {"do": "keep", "dice": one["dice"], "then": "roll" if one["bank"] else "bank"}  # it says why not
        sent = {**form, "seen": number[1], "request": f"visit-{move}-x"}
        board = await go("POST", f"{game}/move", sent, part=True)
