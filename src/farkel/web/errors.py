"""Errors as answers: HTTP's word for each code, as JSON for programs and as a page for people."""

from __future__ import annotations

import logging
from math import ceil
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from farkel.errors import FarkelError, RulesError
from farkel.web import metrics
from farkel.web.game.held_tables import no_such_game
from farkel.web.game.service import Stale, no_such_link
from farkel.web.game.submissions import Doubtful
from farkel.web.game.table import shown
from farkel.web.http import validation
from farkel.web.http.caching import NO_STORE
from farkel.web.http.limits import Full
from farkel.web.http.middleware import Scope
from farkel.web.http.security import headers_of, most_bytes
from farkel.web.pages import refusals
from farkel.web.store.values import StoreError

log = logging.getLogger(__name__)

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


def answer_all(app: FastAPI) -> None:
    """Let an application answer every error."""
    app.add_exception_handler(FarkelError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(StoreError, _no_database)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _broken)


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
    settings = request.app.state.service.settings
    allow = _methods(request) if error.status_code == 405 else ""
    if allow and request.method == "OPTIONS":
        return Response(status_code=204, headers={"allow": allow})
    told = {
        400: f"that cannot be read: {error.detail}",
        404: "there is nothing at this address",
        405: f"this address takes no {request.method[:20]}; it takes {allow}",
        413: f"that is too long: at most {most_bytes(settings, request.url.path):,} bytes can be sent at once",
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
    answer = _said(request, 500, "broken", "something went wrong here; nothing was lost, so try again")
    answer.raw_headers += headers_of(request.app.state.settings, request.url.scheme)
    answer.headers["cache-control"] = NO_STORE
    return answer


def at_the_door(scope: Scope, status: int, code: str, message: str, wait: float) -> Response:
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
