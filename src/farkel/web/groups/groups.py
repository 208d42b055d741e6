"""What members do with their groups: make one, join it, play in it, and take its records along."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import IO, NamedTuple

from farkel.errors import FarkelError, PlayerError, SolveError
from farkel.game import Note
from farkel.records import naming
from farkel.rules import parse
from farkel.web.coaching import questions
from farkel.web.event_loop import off_loop
from farkel.web.game.service import GameService
from farkel.web.game.table import Table, TableError
from farkel.web.groups.results import Finished, MemberOut, finished, record_of, results
from farkel.web.groups.store import Group, GroupStore, Played
from farkel.web.store.values import StoreError
from farkel.web.tokens import hashed, new_name, new_token

log = logging.getLogger(__name__)

MOST_MEMBERS = 30
MOST_GAMES = 1_000
"""Of one group."""
NO_GROUP = "this link belongs to no group, or the group has a newer one; ask a member for it"
ZIPPED = 8 * 1024 * 1024
"""Bytes of a download that are kept in memory; the rest goes to the disk."""


class GroupError(FarkelError):
    """Something that a group cannot do; ``code`` is stable."""


class NewGroup(NamedTuple):
    """A group about to be made, with the only copy of its token."""

    group: Group
    token: str
    members: tuple[str, ...]


class Overview(NamedTuple):
    """A group's members, games and results."""

    members: tuple[str, ...]
    games: tuple[Played, ...]
    finished: dict[str, Finished]
    """Those games that are over, by name."""
    results: tuple[MemberOut, ...]
    """Best rating first."""
    waits: bool
    """Whether the luck of a game is still to be calculated."""


class Groups:
    """The groups of a server."""

    def __init__(self, store: GroupStore, service: GameService) -> None:
        self.store = store
        self._service = service
        self._seeking: set[str] = set()
        """Groups whose luck is being found out."""
        self._zipping = asyncio.Semaphore(2)

    async def find(self, token: str) -> Group:
        """Return the group of a link. Raises `GroupError` ``no_such_group``."""
        found = await self.store.find(hashed(token))
        if found is None:
            raise GroupError("no_such_group", NO_GROUP)
        return found

    async def renew(self, group: Group) -> str:
        """Give a group a new token, which is returned. The old one opens nothing from then on. Raises `GroupError`."""
        token = new_token(self._service.chance, group.name, group.token)
        if not await self.store.renew(group, hashed(token)):
            raise GroupError("no_such_group", NO_GROUP)
        return token

    async def new(self, title: str, members: Sequence[str], rules: str) -> NewGroup:
        """Return a new group, to be added. Raises `GroupError` or `RulesError`."""
        names = tuple(_checked_member(one) for one in members if one.strip())
        _apart(names)
        if len(names) > MOST_MEMBERS:
            raise GroupError("too_many_members", f"a group has at most {MOST_MEMBERS} members")
        title, notation = _checked_title(title), str(await off_loop(parse, rules))
        name = new_name(self._service.chance, "group", title, notation)
        token = new_token(self._service.chance, name)
        return NewGroup(Group(name, hashed(token), title, notation, self._service.now()), token, names)

    async def add(self, new: NewGroup) -> None:
        """Store a new group with its members."""
        await self.store.add(new.group)
        for place, name in enumerate(new.members):
            await self.store.join(new.group.name, name, new.group.made + place, MOST_MEMBERS)

    async def change(self, group: Group, title: str, rules: str) -> None:
        """Give a group another title and other house rules. Raises `GroupError` or `RulesError`."""
        title, notation = _checked_title(title), str(await off_loop(parse, rules))
        await self.store.change(group.name, title=title, rules=notation)

    async def join(self, group: Group, name: str) -> None:
        """Add a member; one who is a member stays one. Raises `GroupError`."""
        said = _checked_member(name)
        _apart([*await self.store.members(group.name), said])
        if not await self.store.join(group.name, said, self._service.now(), MOST_MEMBERS):
            raise GroupError("too_many_members", f"a group has at most {MOST_MEMBERS} members")

    async def may_play(self, group: Group) -> None:
        """Raise `GroupError` for a group that has as many games as it may."""
        if await self.store.count(group.name) >= MOST_GAMES:
            raise GroupError("too_many_group_games", f"a group has at most {MOST_GAMES:,} games; make a new group")

    async def overview(self, group: Group) -> Overview:
        """Return what there is to see of a group. The luck of a game may come some seconds after its end."""
        members, games = await self.store.members(group.name), await self.store.games(group.name)
        ended = finished(games)
        waits = any(game.result is not None and game.luck is None for game in games)
        if waits:
            self._service.beside(self._seek_luck(group.name))
        return Overview(members, games, ended, await off_loop(results, members, [*ended.values()]), waits)

    async def zipped(self, group: Group) -> IO[bytes]:
        """Return the records of all games of a group as a zip file, which the caller closes."""
        file = tempfile.SpooledTemporaryFile(ZIPPED)  # noqa: SIM115  (the sender closes it)
        async with self._zipping:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for game in await self.store.games(group.name):
                    found = await self._service.store.load(game.game)
                    if found is not None and (text := await off_loop(record_of, found)):
                        on = datetime.fromtimestamp(game.opened / 1_000, UTC)
                        await off_loop(archive.writestr, f"{on:%Y-%m-%d}-{game.game}.farkel", text)
        file.seek(0)
        return file

    async def _seek_luck(self, group: str) -> None:
        """Find out how lucky the seats of a group's finished games were, game by game, and keep it."""
        if group in self._seeking:
            return
        self._seeking.add(group)
        try:
            for game in await self.store.games(group):
                if game.result is not None and game.luck is None:
                    found = await self._luck(await self._service.table(game.game))
                    await self.store.keep_luck(game.game, json.dumps(found))
        except (FarkelError, StoreError) as error:  # the server is busy; the page will ask again
            log.info("group %s: luck is calculated another time: %s", group, error)
        finally:
            self._seeking.discard(group)

    async def _luck(self, table: Table) -> list[float]:
        """Return the luck of each seat in winning chance; [] if mistakes cannot be told from it within seconds."""
        moves = table.playing.moves
        if any(isinstance(move.event, Note) and not move.event.passes for move in moves):
            return []
        try:
            return [float(seat["luck"]) for seat in (await questions.review(self._service, table))["seats"]]
        except (SolveError, TableError):
            return []


def _checked_title(title: str) -> str:
    """Return the name of a group as it is kept. Raises `GroupError`."""
    said = " ".join(title.split())
    if not (1 <= len(said) <= 40 and said.isprintable()):
        raise GroupError("bad_title", "name the group with 1 to 40 characters")
    return said


def _checked_member(name: str) -> str:
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
