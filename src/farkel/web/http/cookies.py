"""Tokens in the browser: each seat's token in a cookie of its own.

A cookie is sent to the pages of its game and to nothing else (``Path=/g/GAME``), so that the headers of a request stay
short however many games a browser has been in. As each token has its own, a cookie is never rewritten: two tabs that
take seats at once do not undo each other, and a link can be opened without knowing the stored ones. Browsers bound
the number of cookies of a site (Chromium and Firefox at 180) and drop those that were not used for longest: the seats
of old games, whose links open them again.

Scripts cannot read the cookies. What pages do with a seat therefore goes to addresses below ``/g/GAME`` too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fastapi import Request, Response

from farkel.support.bounds import MOST_SEATS
from farkel.web.http.addresses import base_url
from farkel.web.http.middleware import Message, Middleware, Receive, Scope, Send, at_start
from farkel.web.tokens import hashed

YEAR = 365 * 24 * 60 * 60
MOST_TOKENS = 10
"""Of one game in one browser: the host's and one for every seat at most."""
SEAT, LINKS = "seat-", "farkel-links"
SEATS = frozenset(map(str, range(MOST_SEATS)))
TOKEN = re.compile("[A-Za-z0-9_-]{16,64}")
OLD = re.compile("farkel-([a-z0-9]{12})")
"""Cookies of earlier versions, which were sent with every request: all tokens for a game, with points between them."""
MOST_MOVED = 12
"""Cookies that one answer sets for old ones. A proxy takes no more than 4 KiB of headers, 150 bytes for each."""


def tokens_of(request: Request, game: str) -> list[str]:
    """Return the tokens for a game that a browser has kept and sends, the latest last."""
    kept = [value for name, value in request.cookies.items() if name.startswith(SEAT)]
    old = request.cookies.get(f"farkel-{game}", "").split(".")
    return [token for token in dict.fromkeys((*old, *kept)) if TOKEN.fullmatch(token)][-MOST_TOKENS:]


def keep_tokens(request: Request, response: Response, game: str, *tokens: str) -> None:
    """Let the browser keep tokens for the pages of a game."""
    for token in tokens:
        _set(request, response, _name(token), token, f"/g/{game}")


def forget_tokens(response: Response, game: str, tokens: Iterable[str]) -> None:
    """Let the browser forget tokens that no longer open anything."""
    for token in tokens:
        response.delete_cookie(_name(token), path=f"/g/{game}", httponly=True, samesite="lax")


def keep_links(request: Request, response: Response, game: str, seats: Mapping[int, str]) -> None:
    """Let the host's browser keep the tokens of the seats that are far away, only to show their links.

    The server keeps their hashes, and cannot show them again.
    """
    _set(request, response, LINKS, ".".join(f"{seat}:{token}" for seat, token in seats.items()), f"/g/{game}")


def kept_links(request: Request) -> dict[int, str]:
    """Return the tokens of seats whose links this browser may show, by seat."""
    pairs = (pair.partition(":") for pair in request.cookies.get(LINKS, "").split(".")[:MOST_SEATS])
    return {int(seat): token for seat, _, token in pairs if seat in SEATS and TOKEN.fullmatch(token)}


class OldCookies(Middleware):
    """Middleware that moves the cookies of earlier versions to the pages of their games, some at a time."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        def move(message: Message) -> None:
            message["headers"] = [*message.get("headers", ()), *_moved(Request(scope))]

        elsewhere = scope["path"].startswith(("/api/", "/static/"))
        await self._app(scope, receive, send if elsewhere else at_start(send, move))


def _moved(request: Request) -> list[tuple[bytes, bytes]]:
    """Return the headers that put the latest of the old cookies where they belong."""
    response = Response()
    for name, value in reversed(request.cookies.items()):
        found = OLD.fullmatch(name)
        if found is None:
            continue
        tokens = [token for token in value.split(".")[:MOST_TOKENS] if TOKEN.fullmatch(token)]
        keep_tokens(request, response, found[1], *tokens)
        response.delete_cookie(name, httponly=True, samesite="lax")
        if len(response.headers.getlist("set-cookie")) >= MOST_MOVED:
            break
    return [(name, value) for name, value in response.raw_headers if name == b"set-cookie"]


def _name(token: str) -> str:
    return f"{SEAT}{hashed(token)[:8]}"


def _set(request: Request, response: Response, name: str, value: str, path: str) -> None:
    """Let the browser keep a value for a year, out of reach of scripts and of other sites."""
    secure = base_url(request).startswith("https://")
    response.set_cookie(name, value, max_age=YEAR, path=path, httponly=True, samesite="lax", secure=secure)
