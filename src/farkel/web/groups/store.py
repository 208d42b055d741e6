"""Groups as the database has them: members, games, and what came of these."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Engine, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from farkel.web.store.schema import events, games, group_games, groups, members
from farkel.web.store.threads import threaded


class Group(NamedTuple):
    """A group. See `farkel.web.store.schema.groups`."""

    name: str
    token: str
    """The hash of it."""
    title: str
    rules: str
    made: int


class Played(NamedTuple):
    """A game of a group."""

    game: str
    plan: str
    opened: int
    touched: int
    over: bool
    result: str | None
    luck: str | None


class Kept(NamedTuple):
    """The parts of a record."""

    game: str
    plan: str
    secret: bytes
    rows: tuple[tuple[str, str], ...]
    """Kind and body of each event."""


class GroupStore:
    """The groups of a database. Times are milliseconds since 1970."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @threaded
    def add(self, group: Group) -> None:
        """Store a new group."""
        with self._engine.begin() as connection:
            connection.execute(insert(groups).values(group._asdict()))

    @threaded
    def find(self, token: str) -> Group | None:
        """Return the group of a token's hash."""
        with self._engine.connect() as connection:
            found = connection.execute(select(groups).where(groups.c.token == token)).one_or_none()
            return None if found is None else Group(*found)

    @threaded
    def change(self, name: str, *, title: str, rules: str) -> None:
        """Give a group another title and other default rules."""
        with self._engine.begin() as connection:
            connection.execute(update(groups).where(groups.c.name == name).values(title=title, rules=rules))

    @threaded
    def members(self, name: str) -> tuple[str, ...]:
        """Return the members of a group, in the order in which they joined."""
        with self._engine.connect() as connection:
            mine = select(members.c.member).where(members.c.of == name)
            return tuple(connection.execute(mine.order_by(members.c.joined, members.c.member)).scalars())

    @threaded
    def join(self, name: str, member: str, at: int, most: int) -> bool:
        """Add a member; False if there are ``most`` already. One who is a member stays one."""
        try:
            with self._engine.begin() as connection:
                mine = select(func.count()).select_from(members).where(members.c.of == name)
                if connection.execute(mine).scalar_one() >= most:
                    return False
                connection.execute(insert(members).values(of=name, member=member, joined=at))
        except IntegrityError:
            pass
        return True

    @threaded
    def leave(self, name: str, member: str) -> None:
        """Remove a member. Games stay."""
        with self._engine.begin() as connection:
            connection.execute(delete(members).where(and_(members.c.of == name, members.c.member == member)))

    @threaded
    def count(self, name: str) -> int:
        """Return how many games a group has."""
        with self._engine.connect() as connection:
            mine = select(func.count()).select_from(group_games).where(group_games.c.of == name)
            return connection.execute(mine).scalar_one()

    @threaded
    def games(self, name: str) -> tuple[Played, ...]:
        """Return the games of a group, the first one first."""
        wanted = (
            select(
                games.c.game,
                games.c.plan,
                games.c.opened,
                games.c.touched,
                games.c.over,
                group_games.c.result,
                group_games.c.luck,
            )
            .join_from(group_games, games, group_games.c.game == games.c.game)
            .where(group_games.c.of == name)
            .order_by(games.c.opened, games.c.game)
        )
        with self._engine.connect() as connection:
            return tuple(Played(*row) for row in connection.execute(wanted))

    @threaded
    def keep_luck(self, game: str, luck: str) -> None:
        """Keep how lucky each seat of a finished game was."""
        with self._engine.begin() as connection:
            finished = and_(group_games.c.game == game, group_games.c.result.is_not(None))
            connection.execute(update(group_games).where(finished).values(luck=luck))

    @threaded
    def kept(self, game: str) -> Kept:
        """Return the parts of a game's record."""
        with self._engine.connect() as connection:
            found = connection.execute(select(games.c.plan, games.c.secret).where(games.c.game == game)).one()
            rows = select(events.c.kind, events.c.body).where(events.c.game == game).order_by(events.c.number)
            return Kept(
                game, found.plan, bytes(found.secret), tuple((row[0], row[1]) for row in connection.execute(rows))
            )
