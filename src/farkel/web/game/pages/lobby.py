"""The host's changes before the game starts: seats, bots and rules."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from farkel.errors import PlayerError, RulesError
from farkel.records import naming
from farkel.rules import parse
from farkel.support.bounds import MOST_SEATS
from farkel.web.event_loop import off_loop
from farkel.web.game.access import GameName, KeyDep, ServiceDep
from farkel.web.game.pages.board import Refusal, at_table
from farkel.web.game.pages.start import BOTS, Wrong, rules_to_choose, ticked, with_variations
from farkel.web.game.setup import FAR, HERE, SeatPlan
from farkel.web.game.table import TableError
from farkel.web.game.views import notation
from farkel.web.http.cookies import keep_links, kept_links
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import rendered

router = APIRouter(prefix="/g/{game}", route_class=BoundedRoute)

Seat = Annotated[int, Form(ge=0, lt=MOST_SEATS)]


@router.post("/seats")
async def add_seat(
    request: Request,
    service: ServiceDep,
    game: GameName,
    key: KeyDep,
    who: Annotated[str, Form(max_length=40)],
    name: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Add a seat or a bot; the host's browser keeps the link of a seat that is far away."""
    if who not in (HERE, FAR, *BOTS):
        raise TableError("no_such_seat", "choose a free seat, a bot, or somebody on this device")
    try:
        if who == HERE and not name.strip():
            raise TableError("no_name", "enter the name of the player on this device first")
        names = (await service.table(game)).names
        called = " ".join(name.split()) if who == HERE else unused(who, names)
        if called:
            naming.check(called)
        seat, token = await service.add_seat(game, key, SeatPlan(name=called, who=who))
    except PlayerError as error:
        refusal = Refusal(error.message, typed=name)
        return await rendered("game/table.html", 422, **await at_table(request, service, game, key, refusal=refusal))
    response = RedirectResponse(f"/g/{game}#seats", 303)
    if token:
        keep_links(request, response, game, {**kept_links(request), seat: token})
    return response


def unused(who: str, names: tuple[str, ...]) -> str:
    """Return the name of a bot that no seat has yet: "Cora", then "Cora 2"; "" for people."""
    name = BOTS.get(who, "")
    others = (f"{name} {number}" for number in range(2, MOST_SEATS + 2))
    return naming.unused((name, *others), names) if name else ""


@router.post("/seats/drop")
async def drop_seat(request: Request, service: ServiceDep, game: GameName, key: KeyDep, seat: Seat) -> Response:
    """Remove a bot or a free seat. The seats after it move up, and so do the links that the host's browser keeps."""
    await service.drop_seat(game, key, seat)
    response = RedirectResponse(f"/g/{game}#seats", 303)
    kept = {held - (held > seat): token for held, token in kept_links(request).items() if held != seat}
    keep_links(request, response, game, kept)
    return response


@router.get("/rules")
async def choose_rules(service: ServiceDep, game: GameName, key: KeyDep) -> Response:
    """Choose other rules."""
    table = await service.table(game)
    if not key.host or table.started:
        return RedirectResponse(f"/g/{game}", 303)
    return await rendered(
        "start/change_rules.html", game=game, wrong=[], **rules_to_choose(ticked(notation(table.plan.rules)))
    )


@router.post("/rules")
async def change_rules(request: Request, service: ServiceDep, game: GameName, key: KeyDep) -> Response:
    """Play by other rules; faults in them are shown on the page that asks for them."""
    form = await request.form()
    asked = {name: str(value) for name, value in form.items()}
    own = asked.get("own", "").strip()
    try:
        rules = await off_loop(lambda: parse(own or with_variations(asked.get("rules", ""), form)))
        await service.submit(game, lambda table: table.plays_by(key, rules))
    except (RulesError, PlayerError) as error:
        wrong = [Wrong("rules", error.message)]
        return await rendered("start/change_rules.html", 422, game=game, wrong=wrong, **rules_to_choose(asked))
    return RedirectResponse(f"/g/{game}", 303)
