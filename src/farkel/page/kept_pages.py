"""What this browser keeps: the pages that list it, save it as a file, take such a file back, and remove it.

They need ``app.state.cookies``, a `farkel.page.backup.Cookies`, and a `PageStore` as the application's store. A file
that is opened is sent in a request, so ``Settings.most_body`` has to be more than `farkel.page.backup.MOST_BYTES`.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile
from fastapi.responses import RedirectResponse
from jinja2 import FileSystemLoader
from pydantic import ValidationError

from farkel.page import backup
from farkel.page.backup import BackupError, Cookies, Outcome
from farkel.page.store import Kept, PageStore
from farkel.support.words import listed
from farkel.web.event_loop import off_loop
from farkel.web.game.access import GameName, ServiceDep
from farkel.web.game.held_tables import no_such_game
from farkel.web.game.service import GameService
from farkel.web.game.setup import GamePlan
from farkel.web.http.requests import BoundedRoute
from farkel.web.http.validation import NAME
from farkel.web.pages.rendering import page, templates
from farkel.web.rules import pages as rules_pages

TEMPLATES = Path(__file__).parent / "templates"
if isinstance(templates.loader, FileSystemLoader):  # else all of them were compiled together
    templates.loader.searchpath.append(str(TEMPLATES))

router = APIRouter(include_in_schema=False, route_class=BoundedRoute)

MOST_SCRIPTS = 4 * backup.MIB
"""Characters that scripts keep."""


class Listed(NamedTuple):
    """A game, as the pages list it."""

    game: str
    title: str
    """Of its rules."""
    names: str
    touched: str
    """The day when something happened last."""
    kilobytes: float
    over: bool
    fault: str


def store_of(service: GameService) -> PageStore:
    """Return the games of this browser."""
    assert isinstance(service.store, PageStore)  # noqa: S101  (no other application has these pages)
    return service.store


def cookies_of(request: Request) -> Cookies:
    """Return the cookies of this browser."""
    cookies: Cookies = request.app.state.cookies
    return cookies


@router.get("/kept")
async def kept(service: ServiceDep) -> Response:
    """Return what this browser keeps."""
    return await _shown(service)


@router.post("/kept/save")
async def save(request: Request, service: ServiceDep, scripts: Annotated[str, Form()] = "") -> Response:
    """Return everything as a file; ``scripts`` is what they keep, as a JSON object of texts."""
    now = service.today()
    data = await backup.saved(store_of(service), cookies_of(request), _texts(scripts), now)
    return _file(f"farkel-{now:%Y-%m-%d}.zip", data, "application/zip")


@router.get("/kept/{game}/file")
async def save_one(request: Request, service: ServiceDep, game: GameName) -> Response:
    """Return a game as a file: its record, or, if it has none, the whole of it."""
    found = await store_of(service).read(game)
    if found is None:
        raise no_such_game(game)
    if record := await off_loop(backup.record_of, found):
        return _file(backup.file_name(found, "farkel"), record.encode(), "text/plain; charset=utf-8")
    text = backup.packed(found, cookies_of(request).as_kept())
    return _file(backup.file_name(found, "jsonl"), text.encode("utf-8", "replace"), "application/jsonl")


@router.post("/kept/open")
async def open_file(request: Request, service: ServiceDep, record: Annotated[UploadFile, File()]) -> Response:
    """Take back a file from *Save all*. A record is sent on to where it is watched, and rules to their editor."""
    data = await record.read()
    match kind := backup.kind_of(data):
        case "record":
            return RedirectResponse("/watch", 307)  # the browser sends it again, there
        case "rules":
            await record.seek(0)
            return await rules_pages.uploaded(request, record)
    try:
        take = backup.opened_game if kind == "game" else backup.opened
        outcome = await take(store_of(service), cookies_of(request), data)
    except BackupError as error:
        return await _shown(service, wrong=error.message)
    for game in outcome.games:
        service.tables.let_go(game)
    return await _shown(service, outcome=outcome)


@router.get("/kept/remove")
async def ask(service: ServiceDep, game: Annotated[str, Query(pattern=NAME)] = "") -> Response:
    """Ask whether to remove a game, or all."""
    found = [_listed(one) for one in await store_of(service).games() if game in ("", one.game)]
    return page("kept/remove.html", game=game, games=found) if found else RedirectResponse("/kept", 303)


@router.post("/kept/remove")
async def remove(request: Request, service: ServiceDep, game: Annotated[str, Form()] = "") -> Response:
    """Remove a game, or all, and the cookies that open them."""
    store, cookies = store_of(service), cookies_of(request)
    names = [one.game for one in await store.games() if game in ("", one.game)]
    await store.remove(*names)
    for name in names:
        service.tables.let_go(name)
        backup.forget_cookies(cookies, name)
    return RedirectResponse("/kept", 303)


async def _shown(service: GameService, *, wrong: str = "", outcome: Outcome | None = None) -> Response:
    games = [_listed(one) for one in await store_of(service).games()]
    done = "" if outcome is None else outcome.sentence
    settings = json.dumps(dict(outcome.settings)) if outcome is not None else ""
    return page("kept/kept.html", 422 if wrong else 200, games=games, wrong=wrong, done=done, settings=settings)


def _listed(one: Kept) -> Listed:
    """Return a game for the list; its title is its name if what it is cannot be read."""
    title, names, head = f"Game {one.game}", "", one.head
    if head is None:
        return Listed(one.game, title, names, "", 0.0, False, one.fault)
    fault, plan = one.fault, None
    try:
        plan = GamePlan.model_validate_json(head.plan)
    except ValidationError:
        fault = fault or "what was chosen before it can't be read"
    if plan is not None:
        title, names = plan.rules.called, listed([seat.name for seat in plan.seats], "and")
    at = datetime.fromtimestamp(head.touched / 1_000)
    return Listed(
        one.game, title, names, f"{at.day} {at:%B %Y}", (head.size + len(head.plan)) / 1_000, head.over, fault
    )


def _texts(scripts: str) -> dict[str, str]:
    """Return what scripts keep; nothing if it cannot be read."""
    try:
        said = json.loads(scripts) if len(scripts) <= MOST_SCRIPTS else {}
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _file(name: str, data: bytes, media_type: str) -> Response:
    return Response(data, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'})
