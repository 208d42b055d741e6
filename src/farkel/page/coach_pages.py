"""Pages that only a folder has: what the coach is calculating, and a button that stops it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Response

from farkel.page.calculator import PageCalculator
from farkel.web.game.access import ServiceDep
from farkel.web.game.given import Calculator
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import page

router = APIRouter(route_class=BoundedRoute)
SHOWN = 1.0
"""Seconds that a calculation takes before it is shown: shorter ones would only flash up."""


@router.get("/coach")
async def doing(service: ServiceDep) -> Response:
    """Return a part of a page with what is being calculated; it is empty if nothing is."""
    return _part(service.calculator)


@router.post("/coach/stop")
async def stop(service: ServiceDep, number: Annotated[int, Form(ge=1)]) -> Response:
    """Give up a calculation, if it is still under way."""
    if isinstance(service.calculator, PageCalculator):
        service.calculator.stop(number)
    return _part(service.calculator)


def _part(calculator: Calculator) -> Response:
    found = calculator.doing if isinstance(calculator, PageCalculator) else None
    return page("coaching/doing.html", doing=found if found and found.took >= SHOWN else None)
