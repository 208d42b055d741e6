"""The page of an invitation: who opens it takes a free seat and says what to be called."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request, Response
from fastapi.responses import RedirectResponse

from farkel.errors import PlayerError
from farkel.web.game.access import ServiceDep, trying_code
from farkel.web.game.pages.start import brief_title
from farkel.web.game.table import TableError
from farkel.web.http.cookies import keep_tokens
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import page
from farkel.web.tokens import code_of, code_text, new_token

router = APIRouter(route_class=BoundedRoute)

Once = Annotated[str, Form(pattern="^([A-Za-z0-9_-]{32})?$")]
"""The one-time number of an invitation's page, so that two taps take one seat."""
Code = Annotated[str, Path(max_length=20)]


@router.get("/j")
async def typed(code: Annotated[str, Query(max_length=20)] = "") -> Response:
    """Return a code that was read out or written down, typed on the start page."""
    return RedirectResponse(f"/j/{code_text(code_of(code)) if code_of(code) else 'unknown'}", 303)


@router.get("/j/{code}")
async def invitation(request: Request, service: ServiceDep, code: Code) -> Response:
    """Return the game's rules, and who sits there already. Raises `NoGame`."""
    with trying_code(request):
        return await _shown(request, service, code)


@router.post("/j/{code}")
async def join(
    request: Request, service: ServiceDep, code: Code, name: Annotated[str, Form(max_length=200)] = "", once: Once = ""
) -> Response:
    """Take a seat and go to the game."""
    try:
        with trying_code(request):
            game, _, token = await service.join(code, name, once)
    except (TableError, PlayerError) as error:
        return await _shown(request, service, code, error.message, 422, name)
    response = RedirectResponse(f"/g/{game}", 303)
    keep_tokens(request, response, game, token)
    return response


async def _shown(
    request: Request, service: ServiceDep, code: str, wrong: str = "", status: int = 200, typed: str = ""
) -> Response:
    game = await service.invited(code)
    table, free = await service.table(game), await service.free(game)
    return page(
        "start/join.html",
        status,
        code=code,
        game=game,
        title=brief_title(table.plan.rules),
        seats=[(name, seat in free) for seat, name in enumerate(table.names)],
        free=len(free),
        started=table.started,
        over=table.over,
        wrong=wrong,
        typed=typed,
        once=new_token(service.chance, game, "joins"),
    )
