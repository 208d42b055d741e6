"""For the operator of the server: whether it is well (``/healthz``), and what it does (``/metrics``)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from farkel.web import metrics
from farkel.web.event_loop import off_loop
from farkel.web.game.access import ServiceDep
from farkel.web.http.addresses import is_operator
from farkel.web.store.values import UNREACHABLE, StoreError

T = TypeVar("T")

LATE = 2.0
"""Seconds that the database has to answer."""


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
        metrics.OPEN_GAMES.set(await _in_time(service.room.count_open()))
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
