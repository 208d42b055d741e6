"""For the operator of the server: whether it is well (``/healthz``), and what it does (``/metrics``)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from farkel.web import metrics
from farkel.web.event_loop import off_loop
from farkel.web.game.access import ServiceDep
from farkel.web.http.addresses import is_operator
from farkel.web.http.middleware import Message, Middleware, Receive, Scope, Send, at_start
from farkel.web.store.values import UNREACHABLE, StoreError

T = TypeVar("T")

LATE = 2.0
"""Seconds that the database has to answer."""
METHODS = ("GET", "HEAD", "POST")
"""Methods that are counted by name; clients may send any others."""


async def for_the_operator(request: Request) -> None:
    """Raise the error of an address that does not exist, for all but the operator."""
    if not is_operator(request):
        raise HTTPException(404)


router = APIRouter(include_in_schema=False, dependencies=[Depends(for_the_operator)])


@router.get("/healthz")
async def healthz(service: ServiceDep) -> Response:
    """Return whether the process answers, and the database in time."""
    try:
        await _in_time(service.answers())
    except StoreError as error:
        return JSONResponse({"code": error.code, "message": error.message, "error": str(error)}, 503)
    return JSONResponse({"status": "ok", "database": "ok"})


@router.get("/metrics")
async def show_metrics(service: ServiceDep) -> Response:
    """Return the metrics in Prometheus' format; also if the database does not answer."""
    from prometheus_client import CONTENT_TYPE_LATEST

    metrics.measure_process()
    try:
        metrics.OPEN_GAMES.set(await _in_time(service.count_open()))
        metrics.DATABASE_UP.set(1)
    except StoreError:
        metrics.DATABASE_UP.set(0)
    return Response(await off_loop(metrics.exposition), media_type=CONTENT_TYPE_LATEST)


async def _in_time(asked: Awaitable[T]) -> T:
    """Wait for an answer of the database. Raises `StoreError`."""
    try:
        async with asyncio.timeout(LATE):
            return await asked
    except TimeoutError:
        raise StoreError(*UNREACHABLE) from None


class Timed(Middleware):
    """Middleware that times requests by their route."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = "200"  # of an event stream, whose head is sent later

        def note(message: Message) -> None:
            nonlocal status
            status = str(message["status"])

        began = time.perf_counter()
        try:
            await self._app(scope, receive, at_start(send, note))
        except Exception:
            status = "500"
            raise
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            metrics.REQUESTS.labels(method, _route(scope), status).observe(time.perf_counter() - began)


def _route(scope: Scope) -> str:
    """Return the route that a request took, such as ``/g/{game}``."""
    path: str | None = getattr(scope.get("route"), "path", None)
    return path or ("/static" if scope["path"].startswith("/static/") else "none")
