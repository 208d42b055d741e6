"""Groups over the HTTP API."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Annotated

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from farkel.rules import DEFAULT
from farkel.web.event_loop import off_loop
from farkel.web.game.access import ServiceDep, bearer, may_open
from farkel.web.game.api import OpenedOut, opened_out
from farkel.web.game.submissions import NewGameIn
from farkel.web.groups.groups import MOST_MEMBERS, Groups
from farkel.web.groups.results import Finished, MemberOut, names_of
from farkel.web.groups.store import Played
from farkel.web.http.addresses import base_url
from farkel.web.http.problems import AT_TABLE, POSTED, problems, problems_of_text
from farkel.web.http.requests import ApiRoute
from farkel.web.http.validation import Strict

router = APIRouter(prefix="/api/v1/groups", tags=["groups"], route_class=ApiRoute)

MemberName = Annotated[str, Field(max_length=100, description="1 to 20 characters")]


class GroupIn(Strict):
    """A group to be made."""

    title: Annotated[str, Field(max_length=200, description="1 to 40 characters")]
    members: Annotated[tuple[MemberName, ...], Field(max_length=MOST_MEMBERS)] = ()
    rules: Annotated[str, Field(max_length=4_000, description="House rules: a name or a notation")] = DEFAULT


class GroupMade(Strict):
    """A new group, or a new link of it. Anyone with its token belongs to it."""

    token: str
    link: str


class MemberIn(Strict):
    """A new member."""

    name: MemberName


class GameOut(Strict):
    """A game of a group."""

    game: str
    names: tuple[str, ...]
    opened: int
    """In milliseconds since 1970."""
    over: bool
    ranks: tuple[int, ...] | None
    """Of a finished game: 0 for the winners, and the others by their scores."""
    scores: tuple[int, ...] | None
    luck: tuple[float, ...] | None
    """Of each seat, in winning chance; null if it is not known, or not yet."""


class GroupOut(Strict):
    """A group, its members in the order of the ladder, and its games, the first one first."""

    title: str
    rules: str
    members: tuple[MemberOut, ...]
    games: tuple[GameOut, ...]


async def groups_of(request: Request) -> Groups:
    """Return the groups of the server."""
    groups: Groups = request.app.state.groups
    return groups


GroupsDep = Annotated[Groups, Depends(groups_of)]
Bearer = Annotated[str, Header(description="Bearer TOKEN, of the group")]


@router.post("", status_code=201, responses=problems(*POSTED, 404))
async def make(request: Request, groups: GroupsDep, given: GroupIn) -> GroupMade:
    """Make a group."""
    new = await groups.new(given.title, given.members, given.rules)
    may_open(request)
    await groups.add(new)
    return GroupMade(token=new.token, link=link_of(request, new.token))


def link_of(request: Request, token: str) -> str:
    """Return the link of a group. What stands after the ``#`` is sent to no server and gets into no log."""
    return f"{base_url(request)}/group#{token}"


@router.post("/link", responses=problems(*POSTED, *AT_TABLE))
async def renew(request: Request, groups: GroupsDep, authorization: Bearer = "") -> GroupMade:
    """Make a new link. The old one, and its token, open nothing from then on."""
    token = await groups.renew(await groups.find(bearer(authorization, "group")))
    return GroupMade(token=token, link=link_of(request, token))


@router.get("", responses=problems(*AT_TABLE))
async def show(groups: GroupsDep, authorization: Bearer = "") -> GroupOut:
    """Return the group of the token: members, results, games. The luck of a game may come some seconds
    after its end.
    """
    group = await groups.find(bearer(authorization, "group"))
    found = await groups.overview(group)
    return GroupOut(
        title=group.title,
        rules=group.rules,
        members=found.results,
        games=tuple(_game_out(game, found.finished.get(game.game)) for game in found.games),
    )


def _game_out(game: Played, ended: Finished | None) -> GameOut:
    return GameOut(
        game=game.game,
        names=names_of(game.plan),
        opened=game.opened,
        over=game.over,
        ranks=ended.ranks if ended else None,
        scores=ended.scores if ended else None,
        luck=ended.luck or None if ended else None,
    )


@router.post("/members", status_code=204, responses=problems(*POSTED, *AT_TABLE))
async def join(groups: GroupsDep, given: MemberIn, authorization: Bearer = "") -> Response:
    """Add a member; one who is a member stays one."""
    await groups.join(await groups.find(bearer(authorization, "group")), given.name)
    return Response(status_code=204)


@router.post("/games", status_code=201, responses=problems(*POSTED, *AT_TABLE))
async def open_game(
    request: Request, service: ServiceDep, groups: GroupsDep, given: NewGameIn, authorization: Bearer = ""
) -> OpenedOut:
    """Open a game of the group. Seats count for the members whose names they have."""
    group = await groups.find(bearer(authorization, "group"))
    await groups.may_play(group)
    may_open(request)
    return opened_out(request, await service.open(await off_loop(lambda: given.plan), group.name))


@router.get("/records", response_class=Response, responses=problems_of_text(*AT_TABLE))
async def records(groups: GroupsDep, authorization: Bearer = "") -> Response:
    """Return the records of all games of the group, as a zip file."""
    return zip_file(await groups.zipped(await groups.find(bearer(authorization, "group"))))


def zip_file(file: IO[bytes]) -> Response:
    """Return a file of records, piece by piece; it is closed at the end."""
    headers = {"content-disposition": 'attachment; filename="farkel-games.zip"'}
    return StreamingResponse(_pieces(file), media_type="application/zip", headers=headers)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(io.DEFAULT_BUFFER_SIZE * 8):
            yield piece
