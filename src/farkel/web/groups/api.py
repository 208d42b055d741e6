"""Groups of people who play together: the JSON interface, and the parts that pages share with it."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import IO, Annotated

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from farkel.errors import FarkelError, PlayerError
from farkel.records import naming
from farkel.rules import DEFAULT, parse
from farkel.web.coaching import questions
from farkel.web.game.access import ServiceDep, bearer, may_open
from farkel.web.game.api import OpenedOut, told_of
from farkel.web.game.service import GameService
from farkel.web.game.submissions import NewGameIn
from farkel.web.groups.results import MOST_GAMES, MOST_MEMBERS, finished, names_of, record_of, results
from farkel.web.groups.store import Group
from farkel.web.http.addresses import base_url
from farkel.web.http.problems import AT_TABLE, POSTED, problems, problems_of_text
from farkel.web.http.requests import ApiRoute
from farkel.web.http.validation import Strict
from farkel.web.tokens import hashed, new_name, new_token

router = APIRouter(prefix="/api/v1/groups", tags=["groups"], route_class=ApiRoute)

ZIPPED = 8 * 1024 * 1024
"""Bytes of a download that are kept in memory; the rest goes to the disk."""
_zipping = asyncio.Semaphore(2)

MemberName = Annotated[str, Field(max_length=100, description="1 to 20 characters")]


class GroupError(FarkelError):
    """Something that a group cannot do; ``code`` is stable."""


class GroupIn(Strict):
    """A group to be made."""

    title: Annotated[str, Field(max_length=200, description="1 to 40 characters")]
    members: Annotated[tuple[MemberName, ...], Field(max_length=MOST_MEMBERS)] = ()
    rules: Annotated[str, Field(max_length=4_000, description="House rules: a name or a notation")] = DEFAULT


class GroupMade(Strict):
    """A new group. Anyone with its token belongs to it."""

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


class MemberOut(Strict):
    """A member, and their results."""

    name: str
    rating: float | None
    """OpenSkill's careful estimate; null before the first game among members."""
    games: int
    wins: float
    luck_known: int
    """Games whose luck is known."""
    luck: float
    """The luck of these games, in wins."""
    wins_without_luck: float
    """Wins in these games minus the luck."""
    beat: dict[str, int]
    """How often they finished before each other member."""


class GroupOut(Strict):
    """A group, its members in the order of the ladder, and its games, the first one first."""

    title: str
    rules: str
    members: tuple[MemberOut, ...]
    games: tuple[GameOut, ...]


Bearer = Annotated[str, Header(description="Bearer TOKEN, of the group")]


@router.post("", status_code=201, responses=problems(*POSTED, 404))
async def make(request: Request, service: ServiceDep, given: GroupIn) -> GroupMade:
    """Make a group."""
    group, token, names = await asyncio.to_thread(made, service, given.title, given.members, given.rules)
    may_open(request)
    await asyncio.to_thread(kept, service, group, names)
    return GroupMade(token=token, link=f"{base_url(request)}/group/{token}")


@router.get("", responses=problems(*AT_TABLE))
async def show(service: ServiceDep, authorization: Bearer = "") -> GroupOut:
    """Return the group of the token: members, results, games. The luck of a game may come some seconds
    after its end.
    """
    group = await _group(service, authorization)
    members = await asyncio.to_thread(service.groups.members, group.name)
    games = await asyncio.to_thread(service.groups.games, group.name)
    ended = {game.game: game for game in finished(games)}
    if any(game.result is not None and game.luck is None for game in games):
        service.beside(questions.seek_luck(service, group.name))
    found = await asyncio.to_thread(results, members, list(ended.values()))
    return GroupOut(
        title=group.title,
        rules=group.rules,
        members=tuple(
            MemberOut(
                name=row.member,
                rating=row.rating,
                games=row.games,
                wins=row.wins,
                luck_known=row.known,
                luck=row.luck,
                wins_without_luck=row.deserved,
                beat={other: found.beat[row.member, other] for other in members if other != row.member},
            )
            for row in found.rows
        ),
        games=tuple(
            GameOut(
                game=game.game,
                names=names_of(game.plan),
                opened=game.opened,
                over=game.over,
                ranks=ended[game.game].ranks if game.game in ended else None,
                scores=ended[game.game].scores if game.game in ended else None,
                luck=ended[game.game].luck or None if game.game in ended else None,
            )
            for game in games
        ),
    )


@router.post("/members", status_code=204, responses=problems(*POSTED, *AT_TABLE))
async def join(service: ServiceDep, given: MemberIn, authorization: Bearer = "") -> Response:
    """Add a member; one who is a member stays one."""
    await joined(service, await _group(service, authorization), given.name)
    return Response(status_code=204)


@router.post("/games", status_code=201, responses=problems(*POSTED, *AT_TABLE))
async def open_game(request: Request, service: ServiceDep, given: NewGameIn, authorization: Bearer = "") -> OpenedOut:
    """Open a game of the group. Seats count for the members whose names they have."""
    group = await _group(service, authorization)
    await may_play(service, group)
    may_open(request)
    return told_of(request, await service.open(await asyncio.to_thread(lambda: given.plan), group.name))


@router.get("/records", response_class=Response, responses=problems_of_text(*AT_TABLE))
async def records(service: ServiceDep, authorization: Bearer = "") -> Response:
    """Return the records of all games of the group, as a zip file."""
    return await zipped(service, await _group(service, authorization))


async def _group(service: GameService, authorization: str) -> Group:
    return await group_of(service, bearer(authorization, "group"))


async def group_of(service: GameService, token: str) -> Group:
    """Return the group of a link. Raises `GroupError` ``no_such_group``."""
    found = await asyncio.to_thread(service.groups.find, hashed(token))
    if found is None:
        raise GroupError("no_such_group", "this link belongs to no group; ask a member for the right one")
    return found


def checked_title(title: str) -> str:
    """Return the name of a group as it is kept. Raises `GroupError`."""
    said = " ".join(title.split())
    if not (1 <= len(said) <= 40 and said.isprintable()):
        raise GroupError("bad_title", "name the group with 1 to 40 characters")
    return said


def checked_member(name: str) -> str:
    """Return the name of a member as it is kept. Raises `GroupError`."""
    said = " ".join(name.split())
    try:
        naming.check(said)
    except PlayerError as error:
        raise GroupError("bad_member", error.message) from None
    return said


def _apart(names: Sequence[str]) -> None:
    """Raise `GroupError` for members whose names look alike; the same name again changes nothing."""
    try:
        naming.check_apart(list(dict.fromkeys(names)))
    except PlayerError as error:
        raise GroupError("bad_member", error.message) from None


def made(service: GameService, title: str, members: Sequence[str], rules: str) -> tuple[Group, str, list[str]]:
    """Return a new group, its token and its members. Raises `GroupError` or `RulesError`."""
    names = [checked_member(one) for one in members if one.strip()]
    _apart(names)
    if len(names) > MOST_MEMBERS:
        raise GroupError("too_many_members", f"a group has at most {MOST_MEMBERS} members")
    title, notation = checked_title(title), str(parse(rules))
    name = new_name(service.chance, "group", title, notation)
    token = new_token(service.chance, name)
    return Group(name, hashed(token), title, notation, service.now()), token, names


def kept(service: GameService, group: Group, names: list[str]) -> None:
    """Store a new group with its members."""
    service.groups.add(group)
    for place, name in enumerate(names):
        service.groups.join(group.name, name, group.made + place, MOST_MEMBERS)


async def joined(service: GameService, group: Group, name: str) -> None:
    """Add a member. Raises `GroupError`."""
    said = checked_member(name)
    _apart([*await asyncio.to_thread(service.groups.members, group.name), said])
    if not await asyncio.to_thread(service.groups.join, group.name, said, service.now(), MOST_MEMBERS):
        raise GroupError("too_many_members", f"a group has at most {MOST_MEMBERS} members")


async def may_play(service: GameService, group: Group) -> None:
    """Raise `GroupError` for a group that has as many games as it may."""
    if await asyncio.to_thread(service.groups.count, group.name) >= MOST_GAMES:
        raise GroupError("too_many_group_games", f"a group has at most {MOST_GAMES:,} games; make a new group")


async def zipped(service: GameService, group: Group) -> Response:
    """Return the records of all games of a group as a zip file."""
    async with _zipping:
        file = await asyncio.to_thread(_zipped, service, group)
    headers = {"content-disposition": 'attachment; filename="farkel-games.zip"'}
    return StreamingResponse(_pieces(file), media_type="application/zip", headers=headers)


def _zipped(service: GameService, group: Group) -> IO[bytes]:
    """Write the records of a group's games to a file."""
    file = tempfile.SpooledTemporaryFile(ZIPPED)  # noqa: SIM115  (the sender closes it)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for game in service.groups.games(group.name):
            if text := record_of(service.groups.kept(game.game)):
                on = datetime.fromtimestamp(game.opened / 1_000, UTC)
                archive.writestr(f"{on:%Y-%m-%d}-{game.game}.farkel", text)
    file.seek(0)
    return file


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(io.DEFAULT_BUFFER_SIZE * 8):
            yield piece
