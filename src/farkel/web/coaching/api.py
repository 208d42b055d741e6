"""The coach over the HTTP API: hints and winning chances now, review and statistics of a game."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from farkel.web.coaching import questions
from farkel.web.game.access import GameName, KeyDep, ServiceDep
from farkel.web.http.problems import AT_TABLE, problems
from farkel.web.http.requests import ApiRoute

router = APIRouter(prefix="/api/v1", route_class=ApiRoute)


@router.get("/games/{game}/advice", tags=["games"], responses=problems(*AT_TABLE, 403))
async def advice(service: ServiceDep, game: GameName, key: KeyDep) -> dict[str, Any]:
    """Return the best action now, and why, if the host allows hints."""
    return await questions.hint(service, await service.table(game), key)


@router.get("/games/{game}/chances", tags=["games"], responses=problems(404))
async def chances(service: ServiceDep, game: GameName) -> dict[str, Any]:
    """Return the chance of each seat to win now, if the host allows it."""
    return await questions.chances(service, await service.table(game))


@router.get("/games/{game}/review", tags=["games"], responses=problems(404))
async def review(service: ServiceDep, game: GameName) -> dict[str, Any]:
    """Return the game looked over once it is over: the curve of the winning chance, every decision graded,
    luck and errors.
    """
    return await questions.review(service, await service.table(game))


@router.get("/games/{game}/statistics", tags=["games"], responses=problems(404))
async def statistics(service: ServiceDep, game: GameName) -> dict[str, Any]:
    """Return the dice of the game beside the expected counts."""
    return await questions.statistics(service, await service.table(game))
