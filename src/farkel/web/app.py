"""The application: the interface for programs, the pages, and what stands around them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from farkel import __version__
from farkel.errors import FarkelError, RulesError
from farkel.web import api, pages
from farkel.web.guard import HEADERS, Buckets, Guard, Scope
from farkel.web.house import Clock, Full, Stale, now, opened
from farkel.web.moves import Doubtful
from farkel.web.settings import HOUR, Settings
from farkel.web.stream import Streams
from farkel.web.table import shown

log = logging.getLogger(__name__)

ABOUT = """Play Farkle under any house rules: everything that the pages do, for other programs.

A game is its events, numbered from 1. Open one, hand out the links or tokens of its seats, submit moves, and follow
the stream. Send the number of the last event that you have seen with a move (`seen`): if more has happened since, the
answer is 409 `stale` with what you missed. Give every submission a name of its own (`request`): sent twice, it counts
once.

Errors are objects with a stable `code` and a `message` for people."""

STATUS = {
    "no_such_game": 404,
    "no_such_link": 404,
    "no_such_seat": 404,
    "unknown_rules": 404,
    "bad_token": 401,
    "not_yours": 403,
    "not_the_host": 403,
    "stale": 409,
    "too_many_opened": 429,
    "too_many_streams": 429,
    "too_many_games": 503,
    "busy": 503,
}
"""HTTP's word for our codes; 422 for all others: understood, but not possible."""


def make_app(settings: Settings, clock: Clock = now) -> FastAPI:
    """The application. Its database is opened when it starts. ``clock`` gives milliseconds since 1970."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened(settings, clock) as house:
            app.state.house = house
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
    app.state.streams = Counter()
    app.state.openings = Buckets(settings.opened_an_hour, HOUR)
    app.include_router(api.router)
    app.include_router(pages.router)
    app.mount("/static", pages.static)
    app.add_exception_handler(FarkelError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(SQLAlchemyError, _no_database)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(Streams)
    app.add_middleware(Guard, settings=settings, refuse=_at_the_door)
    return app


def error_body(error: FarkelError) -> dict[str, Any]:
    """An error as it goes over the wire."""
    # What is quoted may hold halves of characters, which no answer can.
    message = error.message.encode("utf-8", "replace").decode()
    body: dict[str, Any] = {"code": error.code, "message": message}
    if isinstance(error, Stale):
        body |= {"number": error.number, "missed": [dict(shown(row)) for row in error.missed]}
    if isinstance(error, Doubtful):
        body["doubts"] = [{"code": doubt.code, "message": doubt.sentence} for doubt in error.doubts]
    if isinstance(error, RulesError):
        body["defects"] = list(error.defects)
    return body


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, FarkelError)  # noqa: S101  (registered for nothing else)
    return _answer(request, STATUS.get(error.code, 422), error)


def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    said = []
    for detail in error.errors()[:5]:
        where = ".".join(str(step) for step in detail["loc"] if step not in ("body", "query", "path"))
        said.append(f"{where}: {detail['msg']}" if where else str(detail["msg"]))
    return _said(request, 422, "malformed", "; ".join(said))


def _no_database(request: Request, error: Exception) -> Response:
    log.error("the database does not answer: %s", error)
    return _said(request, 503, "no_database", "the server cannot reach its database; nothing was lost, try again soon")


def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    words = {
        400: "that cannot be read: send JSON in UTF-8",
        404: "there is nothing at this address",
        405: "this address does not take that",
        413: f"that is too long: this server takes {request.app.state.house.settings.most_body:,} bytes at once",
    }
    return _said(request, error.status_code, f"http_{error.status_code}", words.get(error.status_code, error.detail))


def _broken(request: Request, error: Exception) -> Response:
    """A fault of ours. This answer passes the guard by, and `error` goes on to the log of the server."""
    answer = _said(request, 500, "broken", "something is wrong with the server; nothing was lost, try again")
    answer.raw_headers += HEADERS
    return answer


def _at_the_door(scope: Scope, status: int, code: str, message: str, wait: float) -> Response:
    """The guard's refusal."""
    return _answer(Request(scope), status, Full(code, message, wait))


def _said(request: Request, status: int, code: str, message: str) -> Response:
    return _answer(request, status, FarkelError(code, message))


def _answer(request: Request, status: int, error: FarkelError) -> Response:
    answer = pages.refusal(request, status, error) if pages.wanted(request) else JSONResponse(error_body(error), status)
    if isinstance(error, Full) and error.wait:
        answer.headers["retry-after"] = str(ceil(error.wait))
    return answer
