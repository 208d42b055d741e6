"""Webhooks over the HTTP API."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import Field

from farkel.support.bounds import MOST_SEATS
from farkel.web.game.access import GameName, KeyDep, ServiceDep, number_of
from farkel.web.game.service import GameService
from farkel.web.game.table import TableError
from farkel.web.http.addresses import base_url
from farkel.web.http.problems import AT_TABLE, POSTED, problems
from farkel.web.http.requests import ApiRoute
from farkel.web.http.validation import NAME, Strict, Whole
from farkel.web.tokens import Key
from farkel.web.webhooks.addresses import MOST_URL, HookError
from farkel.web.webhooks.messenger import Form, Messenger, Target
from farkel.web.webhooks.store import Hook

router = APIRouter(prefix="/api/v1/games/{game}/hooks", tags=["webhooks"], route_class=ApiRoute)

HookName = Annotated[str, Path(pattern=NAME, description="The name of a webhook")]


class HookIn(Strict):
    """A webhook to be added."""

    seat: Annotated[Whole, Field(ge=0, lt=MOST_SEATS, description="Counted from 0")]
    url: Annotated[str, Field(max_length=MOST_URL, description="Where to send notices: http or https")]
    form: Annotated[Form, Field(description='What to send: "json", or what "discord" or "ntfy" takes')] = "json"


class HookOut(Strict):
    """A webhook, without the rest of its address, which may hold a password."""

    hook: str
    seat: int
    form: str
    host: str
    last: str
    """What became of the latest try: "delivered" or "not delivered"; "" before the first."""
    off: bool
    """Whether it failed so often that nothing more is sent to it."""


class HookAdded(HookOut):
    """A webhook that was added."""

    secret: str
    """Signs the notices. It is shown only this once."""


async def webhooks_of(request: Request) -> Messenger:
    """Return the webhooks of the server."""
    webhooks: Messenger = request.app.state.webhooks
    return webhooks


WebhooksDep = Annotated[Messenger, Depends(webhooks_of)]


@router.post("", status_code=201, responses=problems(*POSTED, *AT_TABLE))
async def add(
    request: Request, service: ServiceDep, webhooks: WebhooksDep, game: GameName, key: KeyDep, given: HookIn
) -> HookAdded:
    """Add a webhook for a seat, with one notice per turn. A first notice, ``hello``, is sent at once."""
    hook = await added(request, service, webhooks, game, key, given)
    return HookAdded(**hook_out(hook).model_dump(), secret=hook.secret)


@router.get("", responses=problems(*AT_TABLE))
async def hooks_of(webhooks: WebhooksDep, game: GameName, key: KeyDep) -> list[HookOut]:
    """List the webhooks of the sender's seats."""
    return [hook_out(hook) for hook in await own(webhooks, game, key)]


@router.delete("/{hook}", status_code=204, responses=problems(*POSTED, *AT_TABLE))
async def drop(webhooks: WebhooksDep, game: GameName, key: KeyDep, hook: HookName) -> Response:
    """Remove a webhook of the sender's seats."""
    await dropped(webhooks, game, key, hook)
    return Response(status_code=204)


async def added(
    request: Request, service: GameService, webhooks: Messenger, game: str, key: Key, given: HookIn
) -> Hook:
    """Add a webhook. Raises `HookError`, or `TableError` for a seat that the key does not hold."""
    table = await service.table(game)
    if given.seat not in key.seats:
        raise TableError("not_yours", "webhooks are only for your own seats; open the link of the seat first")
    if not table.plan.seats[given.seat].seating.human:
        raise TableError("a_bot", f"{table.names[given.seat]} is played by a bot, which needs no webhook")
    rules = table.plan.rules
    target = Target(game, given.seat, table.names[given.seat], rules.called)
    return await webhooks.add(target, given.url, given.form, base_url(request), number_of(request))


async def own(webhooks: Messenger, game: str, key: Key) -> list[Hook]:
    """Return the webhooks of the key's seats."""
    return [hook for hook in await webhooks.store.list(game) if hook.seat in key.seats]


async def dropped(webhooks: Messenger, game: str, key: Key, name: str) -> None:
    """Remove a webhook. Raises `HookError` ``no_such_hook``."""
    if all(hook.hook != name for hook in await own(webhooks, game, key)):
        raise HookError("no_such_hook", f'your seats have no webhook "{name}"')
    await webhooks.store.drop(name)


def hook_out(hook: Hook) -> HookOut:
    """Return a webhook as its owner sees it."""
    return HookOut(hook=hook.hook, seat=hook.seat or 0, form=hook.form, host=hook.host, last=hook.last, off=hook.off)
