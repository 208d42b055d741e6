"""Groups as the database has them: members, games, and what came of these."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from farkel.web.store.schema import games, group_games, groups, insert_new, members
from farkel.web.store.threads import Tables, transaction


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


class GroupStore(Tables):
    """The groups of a database. Times are milliseconds since 1970."""

    @transaction
    def add(self, connection: Connection, group: Group) -> None:
        """Store a new group."""
        connection.execute(insert(groups).values(group._asdict()))

    @transaction
    def find(self, connection: Connection, token: str) -> Group | None:
        """Return the group of a token's hash."""
        found = connection.execute(select(groups).where(groups.c.token == token)).one_or_none()
        return None if found is None else Group(*found)

    @transaction
    def renew(self, connection: Connection, group: Group, token: str) -> bool:
        """Replace a group's token by one of that hash; False if it has another one by now."""
        mine = and_(groups.c.name == group.name, groups.c.token == group.token)
        return connection.execute(update(groups).where(mine).values(token=token)).rowcount == 1

    @transaction
    def change(self, connection: Connection, name: str, *, title: str, rules: str) -> None:
        """Give a group another title and other default rules."""
        connection.execute(update(groups).where(groups.c.name == name).values(title=title, rules=rules))

    @transaction
    def members(self, connection: Connection, name: str) -> tuple[str, ...]:
        """Return the members of a group, in the order in which they joined."""
        mine = select(members.c.member).where(members.c.of == name)
        return tuple(connection.execute(mine.order_by(members.c.joined, members.c.member)).scalars())

    @transaction
    def join(self, connection: Connection, name: str, member: str, at: int, most: int) -> bool:
        """Add a member; False if there are ``most`` already. One who is a member stays one."""
        mine = select(func.count()).select_from(members).where(members.c.of == name)
        if connection.execute(mine).scalar_one() >= most:
            return False
        connection.execute(insert_new(connection, members).values(of=name, member=member, joined=at))
        return True

    @transaction
    def leave(self, connection: Connection, name: str, member: str) -> None:
        """Remove a member. Games stay."""
        connection.execute(delete(members).where(and_(members.c.of == name, members.c.member == member)))

    @transaction
    def count(self, connection: Connection, name: str) -> int:
        """Return how many games a group has."""
        mine = select(func.count()).select_from(group_games).where(group_games.c.of == name)
        return connection.execute(mine).scalar_one()

    @transaction
    def games(self, connection: Connection, name: str) -> tuple[Played, ...]:
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
        return tuple(Played(*row) for row in connection.execute(wanted))

    @transaction
    def keep_luck(self, connection: Connection, game: str, luck: str) -> None:
        """Keep how lucky each seat of a finished game was."""
        finished = and_(group_games.c.game == game, group_games.c.result.is_not(None))
        connection.execute(update(group_games).where(finished).values(luck=luck))
