"""The page to choose how to be notified of your turn."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from farkel.errors import FarkelError
from farkel.web.game.access import GameName, KeyDep, ServiceDep
from farkel.web.game.service import GameService
from farkel.web.game.table import TableError
from farkel.web.http import validation
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import page
from farkel.web.tokens import Key
from farkel.web.webhooks.api import HookIn, WebhooksDep, added, dropped, hook_out, own
from farkel.web.webhooks.messenger import Messenger
from farkel.web.webhooks.store import Hook

router = APIRouter(prefix="/g/{game}/hooks", route_class=BoundedRoute)

FORMS = {"ntfy": "ntfy topic", "discord": "Discord webhook", "json": "Program of your own (JSON)"}


@router.get("")
async def show(service: ServiceDep, webhooks: WebhooksDep, game: GameName, key: KeyDep) -> Response:
    """Return the webhooks of one's own seats, and a form to add one."""
    return await _shown(service, webhooks, game, key)


@router.post("")
async def add(request: Request, service: ServiceDep, webhooks: WebhooksDep, game: GameName, key: KeyDep) -> Response:
    """Add a webhook. The page shows its secret this once."""
    form = await request.form()
    said = {name: str(form.get(name, "")).strip() for name in ("seat", "url", "form")}
    try:
        given = HookIn.model_validate(said)
        hook = await added(request, service, webhooks, game, key, given)
    except ValidationError as error:
        return await _shown(service, webhooks, game, key, wrong=validation.said(error.errors(), "the form"), asked=said)
    except FarkelError as error:
        return await _shown(service, webhooks, game, key, wrong=error.message, asked=said)
    return await _shown(service, webhooks, game, key, new=hook)


@router.post("/remove")
async def remove(
    webhooks: WebhooksDep, game: GameName, key: KeyDep, hook: Annotated[str, Form(max_length=16)]
) -> Response:
    """Remove a webhook."""
    await dropped(webhooks, game, key, hook)
    return RedirectResponse(f"/g/{game}/hooks", 303)


async def _shown(
    service: GameService,
    webhooks: Messenger,
    game: str,
    key: Key,
    wrong: str = "",
    asked: dict[str, str] | None = None,
    new: Hook | None = None,
) -> Response:
    table = await service.table(game)
    mine = [index for index in sorted(key.seats) if table.plan.seats[index].seating.human]
    if not mine:
        raise TableError(
            "not_yours", "only players can get messages about their turns; open the link of your seat first"
        )
    context: dict[str, Any] = {
        "game": game,
        "names": table.names,
        "mine": mine,
        "hooks": [hook_out(hook) for hook in await own(webhooks, game, key)],
        "forms": FORMS,
        "asked": asked or {},
        "wrong": wrong,
        "new": new,
    }
    return page("webhooks/webhooks.html", 422 if wrong else 200, **context)
