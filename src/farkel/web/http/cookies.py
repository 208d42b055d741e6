"""Tokens in the browser: each seat's token in a cookie of its own.

A cookie is sent to the pages of its game and to nothing else (``Path=/g/GAME``), so that the headers of a request stay
short however many games a browser has been in. As each token has its own, a cookie is never rewritten: two tabs that
take seats at once do not undo each other, and a link can be opened without knowing the stored ones. Browsers bound
the number of cookies of a site (Chromium and Firefox at 180) and drop those that were not used for longest: the seats
of old games, whose links open them again.

The link of a group is kept in the same way, for the pages of the group.

Scripts cannot read the cookies. What pages do with a seat therefore goes to addresses below ``/g/GAME`` too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fastapi import Request, Response

from farkel.support.bounds import MOST_SEATS
from farkel.web.http.addresses import base_url
from farkel.web.http.validation import TOKEN
from farkel.web.tokens import hashed

YEAR = 365 * 24 * 60 * 60
MOST_TOKENS = 10
"""Of one game in one browser: the host's and one for every seat at most."""
SEAT, LINKS, GROUP = "seat-", "farkel-links", "group"
SEATS = frozenset(map(str, range(MOST_SEATS)))


def tokens_of(request: Request) -> list[str]:
    """Return the tokens that a browser has kept for the game of a page, the latest last."""
    kept = [value for name, value in request.cookies.items() if name.startswith(SEAT)]
    return [token for token in dict.fromkeys(kept) if re.fullmatch(TOKEN, token)][-MOST_TOKENS:]


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
    return {int(seat): token for seat, _, token in pairs if seat in SEATS and re.fullmatch(TOKEN, token)}


def keep_group(request: Request, response: Response, group: str, token: str) -> None:
    """Let the browser keep the token of a group's link for its pages."""
    _set(request, response, GROUP, token, f"/group/{group}")


def kept_group(request: Request) -> str:
    """Return the token that a browser has kept for the group of a page; "" if it has none."""
    return request.cookies.get(GROUP, "")


def _name(token: str) -> str:
    return f"{SEAT}{hashed(token)[:8]}"


def _set(request: Request, response: Response, name: str, value: str, path: str) -> None:
    """Let the browser keep a value for a year, out of reach of scripts and of other sites."""
    secure = base_url(request).startswith("https://")
    response.set_cookie(name, value, max_age=YEAR, path=path, httponly=True, samesite="lax", secure=secure)
