"""The pages of a group: anyone with its link is a member.

The link holds a token after a ``#``, so that no server and no log sees it with the address. A form sends it once, and
from then on it is a cookie of the group's pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Form, Path, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from farkel.errors import FarkelError
from farkel.records import naming
from farkel.rules import DEFAULT, parse
from farkel.web.event_loop import off_loop
from farkel.web.game.access import ServiceDep, may_open, number_of
from farkel.web.game.pages.start import begin
from farkel.web.game.setup import FAR, HERE, GamePlan, SeatPlan
from farkel.web.groups.api import GroupsDep, groups_of, link_of, zip_file
from farkel.web.groups.groups import MOST_MEMBERS, NO_GROUP, GroupError, Overview
from farkel.web.groups.results import names_of
from farkel.web.groups.store import Group, Played
from farkel.web.http import validation
from farkel.web.http.addresses import base_url
from farkel.web.http.cookies import keep_group, kept_group
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import page, place, rendered
from farkel.web.webhooks.addresses import HookError
from farkel.web.webhooks.api import WebhooksDep, hook_out, webhooks_of
from farkel.web.webhooks.messenger import Target
from farkel.web.webhooks.pages import FORMS
from farkel.web.webhooks.store import Hook

router = APIRouter(route_class=BoundedRoute)

SHOWN = 30
"""Games that the page lists; all count for its tables, and are in the download."""
WAYS = {
    "one": "One device, passed around",
    "own": "Each on their own device",
    "real": "Real dice; this page keeps score",
}

Title = Annotated[str, Form(max_length=200)]


async def group_of(request: Request, groups: GroupsDep, group: Annotated[str, Path(pattern=validation.NAME)]) -> Group:
    """Return the group of a page, whose token the browser has kept. Raises `GroupError` ``no_such_group``."""
    found = await groups.find(kept_group(request))
    if found.name != group:
        raise GroupError("no_such_group", NO_GROUP)
    return found


GroupDep = Annotated[Group, Depends(group_of)]


class GroupLine(NamedTuple):
    """A game in the list."""

    game: str
    names: tuple[str, ...]
    on: str
    winners: tuple[str, ...]
    scores: tuple[int, ...]


@router.get("/groups")
async def new() -> Response:
    """Return the form that makes a group."""
    return page("groups/new.html", wrong="", asked={}, most=MOST_MEMBERS)


@router.post("/groups")
async def make(
    request: Request,
    groups: GroupsDep,
    title: Title,
    members: Annotated[str, Form(max_length=2_000)] = "",
    rules: Annotated[str, Form(max_length=4_000)] = "",
) -> Response:
    """Make a group and go to its page."""
    asked = {"title": title, "members": members, "rules": rules}
    people = [naming.unquoted(one) for one in naming.parts(members.replace("\n", ","), ",")]
    try:
        new = await groups.new(title, people, rules.strip() or DEFAULT)
    except FarkelError as error:
        return page("groups/new.html", 422, wrong=error.message, asked=asked, most=MOST_MEMBERS)
    may_open(request)
    await groups.add(new)
    return _opened(request, new.group.name, new.token)


@router.get("/group")
async def linked() -> Response:
    """Return the page that links lead to: its script sends what stands after the ``#``."""
    return page("groups/linked.html", wrong="")


@router.post("/group")
async def enter(request: Request, groups: GroupsDep, link: Annotated[str, Form(max_length=1_000)]) -> Response:
    """Go to the group of a link, or of the token at its end; this browser holds it from now on."""
    token = link.strip().rpartition("#")[2]
    try:
        group = await groups.find(token)
    except GroupError as error:
        return page("groups/linked.html", 422, wrong=error.message)
    return _opened(request, group.name, token)


@router.get("/group/{group}")
async def show(request: Request, group: GroupDep) -> Response:
    """Return the group: members, games, results."""
    return await _shown(request, group)


@router.post("/group/{group}/link")
async def renew(request: Request, groups: GroupsDep, group: GroupDep) -> Response:
    """Make a new link. The old one opens nothing from then on."""
    return _opened(request, group.name, await groups.renew(group))


@router.post("/group/{group}/play")
async def play(request: Request, service: ServiceDep, groups: GroupsDep, group: GroupDep) -> Response:
    """Open a game of members."""
    form = await request.form()
    chosen = [str(name) for name in form.getlist("member")]
    me, way = str(form.get("me", "")), str(form.get("way", "one"))
    try:
        await groups.may_play(group)
        plan = await off_loop(plan_of_members, group, chosen, me, way)
        may_open(request)
        return await begin(request, service, plan, group.name)
    except (FarkelError, ValidationError) as error:
        said = validation.said(error.errors(), "the form") if isinstance(error, ValidationError) else error.message
        return await _shown(request, group, said, asked={"member": chosen, "me": me, "way": way})


@router.post("/group/{group}/members")
async def join(
    request: Request, groups: GroupsDep, group: GroupDep, name: Annotated[str, Form(max_length=100)]
) -> Response:
    """Add a member."""
    try:
        await groups.join(group, name)
    except GroupError as error:
        return await _shown(request, group, error.message, asked={"name": name})
    return _back(group)


@router.post("/group/{group}/leave")
async def leave(groups: GroupsDep, group: GroupDep, name: Annotated[str, Form(max_length=100)]) -> Response:
    """Remove a member; the games stay."""
    await groups.store.leave(group.name, name)
    return _back(group)


@router.post("/group/{group}/change")
async def change(
    request: Request,
    groups: GroupsDep,
    group: GroupDep,
    title: Title,
    rules: Annotated[str, Form(max_length=4_000)],
) -> Response:
    """Give the group another name or other house rules."""
    try:
        await groups.change(group, title, rules.strip() or DEFAULT)
    except FarkelError as error:
        return await _shown(request, group, error.message, asked={"title": title, "rules": rules})
    return _back(group)


@router.post("/group/{group}/hooks")
async def add_hook(
    request: Request,
    webhooks: WebhooksDep,
    group: GroupDep,
    url: Annotated[str, Form(max_length=1_000)],
    form: Annotated[str, Form(max_length=10)],
) -> Response:
    """Add a webhook for every turn in the group's games."""
    try:
        if form not in FORMS:
            raise HookError("bad_form", f'there is no form "{form}"; there are {", ".join(FORMS)}')
        new = Target(group.name, None, group.title, group.title)
        hook = await webhooks.add(new, url, form, base_url(request), number_of(request))
    except HookError as error:
        return await _shown(request, group, error.message, asked={"url": url, "form": form})
    return await _shown(request, group, new=hook)


@router.post("/group/{group}/hooks/remove")
async def remove_hook(webhooks: WebhooksDep, group: GroupDep, hook: Annotated[str, Form(max_length=16)]) -> Response:
    """Remove a webhook of the group."""
    if hook in [one.hook for one in await webhooks.store.list(group.name)]:
        await webhooks.store.drop(hook)
    return _back(group)


@router.get("/group/{group}/records.zip")
async def records(groups: GroupsDep, group: GroupDep) -> Response:
    """Return the records of all games of the group, in one file."""
    return zip_file(await groups.zipped(group))


def _opened(request: Request, name: str, token: str) -> Response:
    """Go to a group's page, which this browser may open with the token from now on."""
    response = RedirectResponse(f"/group/{name}", 303)
    keep_group(request, response, name, token)
    return response


def _back(group: Group) -> Response:
    return RedirectResponse(f"/group/{group.name}", 303)


def plan_of_members(group: Group, chosen: list[str], me: str, way: str) -> GamePlan:
    """Return the plan of a game of these members. Raises `GroupError`, `RulesError` or `ValidationError`."""
    if len(chosen) < 1:
        raise GroupError("no_players", "choose who plays")
    if way not in WAYS:
        raise GroupError("bad_way", "choose how you play")
    here = me if me in chosen else chosen[0]
    seats = [SeatPlan(name=name, who=FAR if way == "own" and name != here else HERE) for name in chosen]
    dice = "manual" if way == "real" else "committed"
    return GamePlan.model_validate({"rules": parse(group.rules), "seats": seats, "dice": dice})


async def _shown(
    request: Request,
    group: Group,
    wrong: str = "",
    new: Hook | None = None,
    asked: Mapping[str, object] | None = None,
) -> Response:
    """Return the page of a group; ``asked`` is what was typed, if it is refused."""
    groups, webhooks = await groups_of(request), await webhooks_of(request)
    found = await groups.overview(group)
    rules = await off_loop(parse, group.rules)
    context: dict[str, Any] = {
        "group": group,
        "at": f"{place().root}group/{group.name}",
        "link": {"label": group.title, "url": link_of(request, kept_group(request))},
        "members": found.members,
        "most": MOST_MEMBERS,
        "rules_title": rules.called,
        "running": [_line(game, found) for game in reversed(found.games) if not game.over][:SHOWN],
        "ended": [_line(game, found) for game in reversed(found.games) if game.over][:SHOWN],
        "number": len(found.games),
        "results": found.results,
        "beat": {row.name: row.beat for row in found.results},
        "waits": found.waits,
        "ways": WAYS,
        "hooks": [hook_out(one) for one in await webhooks.store.list(group.name)],
        "forms": FORMS,
        "new": new,
        "wrong": wrong,
        "asked": asked or {},
    }
    return await rendered("groups/group.html", 422 if wrong else 200, **context)


def _line(game: Played, found: Overview) -> GroupLine:
    names, ended = names_of(game.plan), found.finished.get(game.game)
    on = f"{datetime.fromtimestamp(game.touched / 1_000, UTC):%Y-%m-%d}"
    if ended is None:
        return GroupLine(game.game, names, on, (), ())
    winners = tuple(name for name, rank in zip(names, ended.ranks, strict=True) if rank == 0)
    return GroupLine(game.game, names, on, winners, ended.scores)
