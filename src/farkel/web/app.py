"""The application: the interface for programs, the pages, and what stands around them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from farkel import __version__
from farkel.dice.chance import SYSTEM, Chance
from farkel.errors import FarkelError, RulesError
from farkel.rules import named, names
from farkel.web import metrics, operations
from farkel.web.coaching import api as coaching_api
from farkel.web.coaching import pages as coaching_pages
from farkel.web.game import api as game_api
from farkel.web.game.pages import board, invitation, lobby, my_games, start
from farkel.web.game.service import Clock, Stale, no_such_game, no_such_link, now
from farkel.web.game.submissions import Doubtful
from farkel.web.game.table import shown
from farkel.web.groups import api as groups_api
from farkel.web.groups import pages as groups_pages
from farkel.web.http import validation
from farkel.web.http.caching import NO_STORE, Delivery
from farkel.web.http.cookies import OldCookies
from farkel.web.http.event_streams import Streams
from farkel.web.http.limits import Full, Limits
from farkel.web.http.middleware import Scope
from farkel.web.http.security import HEADERS, Guard
from farkel.web.operations import Timed
from farkel.web.pages import offline, refusals, static_files
from farkel.web.rules import api as rules_api
from farkel.web.rules import pages as rules_pages
from farkel.web.settings import Settings
from farkel.web.startup import opened
from farkel.web.store.values import StoreError
from farkel.web.webhooks import api as webhooks_api
from farkel.web.webhooks import pages as webhooks_pages

log = logging.getLogger(__name__)

ABOUT = """Play Farkle under any house rules: everything that the pages do, for other programs.

A game is its events, numbered from 1. Open one, hand out the links or tokens of its seats, submit moves, and follow
the stream. Send the number of the last event that you have seen with a move (`seen`): if more has happened since, the
answer is 409 `stale` with what you missed. Give every submission a name of its own (`request`): sent twice, it counts
once.

Errors are objects with a stable `code` and a `message` for people."""

API = (rules_api.router, game_api.router, coaching_api.router, webhooks_api.router, groups_api.router)
PAGES = (
    start.router,
    invitation.router,
    board.router,
    coaching_pages.router,
    lobby.router,
    rules_pages.router,
    webhooks_pages.router,
    groups_pages.router,
    my_games.router,
    offline.router,
    static_files.router,
)
STATUS = {
    "no_such_game": 404,
    "no_such_link": 404,
    "no_such_code": 404,
    "no_such_seat": 404,
    "no_such_hook": 404,
    "no_such_group": 404,
    "unknown_rules": 404,
    "nothing_found": 404,
    "bad_token": 401,
    "not_yours": 403,
    "not_the_host": 403,
    "stale": 409,
    "too_many_opened": 429,
    "too_many_codes": 429,
    "too_many_streams": 429,
    "too_many_calculations": 429,
    "too_many_games": 503,
    "busy": 503,
    "version": 503,
    "no_database": 503,
    "disk_full": 503,
}
"""HTTP's word for our codes; 422 for all others: understood, but not possible."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
COMPRESSED_FROM = 1_000
"""Bytes; below that an answer is one packet anyway."""
COMPRESSION = 4
"""Of zlib's nine levels. On a board of 20 KiB it takes a third of the time of 9, and 3% more bytes."""


def _read_catalogue() -> None:
    """Read every rule set, once, so that no request has to wait for it."""
    for name in names():
        named(name)


def make_app(settings: Settings, clock: Clock = now, chance: Chance = SYSTEM, limits: Limits | None = None) -> FastAPI:
    """Make the application. Its database is opened when it starts. ``clock`` gives milliseconds since 1970.

    ``limits``: those that hold for all processes of a server; without them the application has its own.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened(settings, clock, chance, limits) as services:
            app.state.service, app.state.groups, app.state.webhooks = services
            await asyncio.to_thread(_read_catalogue)
            yield

    app = FastAPI(
        title="Farkel",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.state.settings = settings
    app.state.limits = limits = limits or Limits(settings)
    for router in API:
        app.include_router(router)
    for router in (*PAGES, operations.router):
        app.include_router(router, include_in_schema=False)
    app.mount("/static", static_files.static)
    app.add_exception_handler(FarkelError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(StoreError, _no_database)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _broken)
    # From the innermost to the outermost. Compressing could betray a secret that stands in an answer beside text which
    # an attacker chooses, to one who sees how long the answers get (BREACH). Pages with links of seats repeat nothing
    # that another site could put into a request and nothing that another player wrote, and cookies do not go with what
    # other sites make a browser ask for. Whatever changes that, such as a chat, has to be left out here. Event streams
    # are never compressed: Streams sends them, outside of this.
    app.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM, compresslevel=COMPRESSION)
    app.add_middleware(Timed)
    app.add_middleware(Streams)
    app.add_middleware(OldCookies)
    app.add_middleware(Guard, settings=settings, limits=limits, refuse=_at_the_door)
    app.add_middleware(Delivery)
    return app


def error_body(error: FarkelError) -> dict[str, Any]:
    """Return an error as it goes over the wire."""
    # Quoted text may hold halves of characters, which no answer can.
    message = error.message.encode("utf-8", "replace").decode()
    body: dict[str, Any] = {"code": error.code, "message": message}
    if isinstance(error, Stale):
        body |= {"number": error.number, "missed": [dict(shown(row)) for row in error.missed]}
    if isinstance(error, Doubtful):
        body["doubts"] = [{"code": doubt.code, "message": doubt.sentence} for doubt in error.doubts]
    if isinstance(error, RulesError):
        body["defects"] = list(error.defects)
    return body


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, FarkelError)  # noqa: S101  (registered for nothing else)
    return _answer(request, STATUS.get(error.code, 422), error)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    for finding in error.errors():
        if finding["loc"][0] == "path":  # then there is nothing at this address
            return _answer(request, 404, _not_found(str(finding["loc"][-1]), str(finding["input"])))
    return _said(request, 422, "malformed", validation.said(error.errors()))


def _not_found(parameter: str, given: str) -> FarkelError:
    """Return the message for an invalid part of an address."""
    match parameter:
        case "game":
            return no_such_game(given)
        case "token":
            return no_such_link()
        case _:
            return FarkelError(f"no_such_{parameter}", f'there is no {parameter} "{given[:20]}"')


async def _no_database(request: Request, error: Exception) -> Response:
    assert isinstance(error, StoreError)  # noqa: S101
    log.error("%s: %s", error.code, error)
    return _said(request, 503, error.code, error.message)


async def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    allow = _methods(request) if error.status_code == 405 else ""
    if allow and request.method == "OPTIONS":
        return Response(status_code=204, headers={"allow": allow})
    told = {
        400: f"that cannot be read: {error.detail}",
        404: "there is nothing at this address",
        405: f"this address takes no {request.method[:20]}; it takes {allow}",
        413: f"that is too long: this server takes {request.app.state.service.settings.most_body:,} bytes at once",
    }
    answer = _said(request, error.status_code, f"http_{error.status_code}", told.get(error.status_code, error.detail))
    if allow:
        answer.headers["allow"] = allow
    return answer


def _methods(request: Request) -> str:
    """Return the methods that an address takes, for the header ``Allow``."""
    if request.url.path.startswith("/static/"):
        found = {"GET"}
    else:
        bare = {name: request.scope[name] for name in ("type", "path", "root_path", "headers")}
        routes = request.app.router.routes
        found = {
            method
            for method in METHODS
            if any(route.matches({**bare, "method": method})[0] is Match.FULL for route in routes)
        }
    if "GET" in found:
        found.add("HEAD")
    return ", ".join(sorted(found | {"OPTIONS"}))


async def _gone(request: Request, error: Exception) -> Response:
    """Answer a client that hung up in the middle of its request: the answer is not read, and not logged."""
    return _said(request, 400, "http_400", "the request ended too early")


async def _broken(request: Request, error: Exception) -> Response:
    """Return an internal error. This answer passes the guard by, and `error` goes to the log of the server."""
    answer = _said(request, 500, "broken", "something went wrong on the server; nothing was lost, so try again")
    answer.raw_headers += HEADERS
    answer.headers["cache-control"] = NO_STORE
    return answer


def _at_the_door(scope: Scope, status: int, code: str, message: str, wait: float) -> Response:
    """Return the guard's refusal."""
    return _answer(Request(scope), status, Full(code, message, wait))


def _said(request: Request, status: int, code: str, message: str) -> Response:
    return _answer(request, status, FarkelError(code, message))


def _answer(request: Request, status: int, error: FarkelError) -> Response:
    metrics.refused(error.code)
    answer = (
        refusals.refusal(request, status, error)
        if refusals.page_wanted(request)
        else JSONResponse(error_body(error), status)
    )
    if isinstance(error, Full) and error.wait:
        answer.headers["retry-after"] = str(ceil(error.wait))
    return answer
