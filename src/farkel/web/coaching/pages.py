"""Parts of a game's page that the coach fills: hint, winning chances, review, statistics of the dice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import ceil
from typing import Any

from fastapi import APIRouter, Request, Response

from farkel.errors import FarkelError
from farkel.web.coaching import curve, questions
from farkel.web.event_loop import off_loop
from farkel.web.game.access import GameName, KeyDep, ServiceDep
from farkel.web.game.service import GameService
from farkel.web.game.table import Table
from farkel.web.http.limits import Full
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import partial, rendered

router = APIRouter(prefix="/g/{game}", route_class=BoundedRoute)

SOON = 10
"""Seconds after which a page asks again, if the server does not say."""


@router.get("/hint")
async def hint(request: Request, service: ServiceDep, game: GameName, key: KeyDep) -> Response:
    """Return what would be best now, and why."""
    return await _known(request, service, game, "hint", lambda table: questions.hint(service, table, key))


@router.get("/chances")
async def chances(request: Request, service: ServiceDep, game: GameName) -> Response:
    """Return the winning chance of each seat."""
    return await _known(request, service, game, "chances", lambda table: questions.chances(service, table))


@router.get("/review")
async def review(request: Request, service: ServiceDep, game: GameName) -> Response:
    """Return the game looked over: the curve, graded decisions, luck."""
    return await _known(request, service, game, "review", lambda table: questions.review(service, table))


@router.get("/story")
async def story(request: Request, service: ServiceDep, game: GameName, key: KeyDep) -> Response:
    """Return the curve of the winning chances, and the luck and decisions of one's own seats."""
    own = sorted(key.seats)
    return await _known(request, service, game, "story", lambda table: questions.review(service, table), mine=own)


@router.get("/statistics")
async def statistics(request: Request, service: ServiceDep, game: GameName) -> Response:
    """Return the dice beside the expected counts."""
    return await _known(request, service, game, "statistics", lambda table: questions.statistics(service, table))


async def _known(
    request: Request,
    service: GameService,
    game: str,
    name: str,
    ask: Callable[[Table], Awaitable[dict[str, Any]]],
    **more: Any,
) -> Response:
    """Return a part of the page that the coach fills, or why it cannot."""
    table = await service.table(game)
    found: dict[str, Any] = {}
    missing, part, wait = "", f"coaching/{name}.html", 0
    try:
        found = await ask(table)
    except Full as error:
        missing, part, wait = error.message, "coaching/waiting.html", ceil(error.wait) or SOON
    except FarkelError as error:
        missing = questions.on_a_page(error)
    context: dict[str, Any] = {"found": found, "missing": missing, "names": table.names, "game": game, "part": part}
    context |= more | {"wait": wait, "asked": name}
    if found and name in ("review", "story"):
        context["drawn"] = await off_loop(curve.drawn, found["curve"], table.playing)
    return await rendered(part if partial(request) else "coaching/part_page.html", **context)
