"""Webhooks in the database: their turns, and notices still to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, insert, literal, null, select, update

from farkel.web.store.schema import MOST_FAILED, hooks, notices
from farkel.web.store.threads import Tables, transaction

HELLO = 0
"""In place of a turn's number: the first notice, which says that the webhook works."""


class Hook(NamedTuple):
    """A webhook. See `farkel.web.store.schema.hooks`."""

    hook: str
    of: str
    seat: int | None
    url: str
    form: str
    secret: str
    base: str
    owner: int
    host: str
    failed: int = 0
    last: str = ""

    @property
    def off(self) -> bool:
        """Whether it failed so often that nothing more is sent to it."""
        return self.failed >= MOST_FAILED


class Notice(NamedTuple):
    """Something to be sent to a webhook now."""

    notice: int
    hook: Hook
    game: str
    turn: int
    seat: int
    said: str
    tries: int
    """How often it was tried before."""


class Room(NamedTuple):
    """How many notices may be claimed: in all, and with those under way of one owner, and to one host."""

    most: int
    of_one: int
    owners: Mapping[int, int]
    to_one: int
    hosts: Mapping[str, int]


class HookStore(Tables):
    """The webhooks of a database. Times are milliseconds since 1970."""

    @transaction
    def add(self, connection: Connection, hook: Hook, said: str, at: int, most: int) -> bool:
        """Store a webhook with its first notice, unless there are ``most`` of its seat already."""
        alike = and_(hooks.c.of == hook.of, hooks.c.seat.is_not_distinct_from(hook.seat))
        if connection.execute(select(func.count()).select_from(hooks).where(alike)).scalar_one() >= most:
            return False
        connection.execute(insert(hooks).values(hook._asdict()))
        first = {"hook": hook.hook, "game": hook.of, "turn": HELLO, "seat": hook.seat or 0}
        connection.execute(insert(notices).values(**first, said=said, due=at, tries=0))
        return True

    @transaction
    def list(self, connection: Connection, of: str) -> tuple[Hook, ...]:
        """Return the webhooks of a game's seats."""
        found = connection.execute(select(hooks).where(hooks.c.of == of).order_by(hooks.c.seat, hooks.c.hook))
        return tuple(Hook(*row) for row in found)

    @transaction
    def drop(self, connection: Connection, hook: str) -> None:
        """Remove a webhook, and what waits for it."""
        connection.execute(delete(notices).where(notices.c.hook == hook))
        connection.execute(delete(hooks).where(hooks.c.hook == hook))

    @transaction
    def copy(self, connection: Connection, old: Sequence[tuple[Hook, str]], game: str) -> None:
        """Store webhooks for the same seats of another game, each with the name it has there."""
        if old:
            connection.execute(insert(hooks), [hook._replace(hook=name, of=game)._asdict() for hook, name in old])

    @transaction
    def claim(self, connection: Connection, at: int, until: int, room: Room) -> tuple[Notice, ...]:
        """Return notices that are due, at most one of each webhook, put off until then so that no other
        process sends them.

        A notice waits for those before it of the same webhook. Owners take turns, and so do those who send to one host.
        """
        before = notices.alias("before")
        earlier = select(before.c.notice).where(
            and_(before.c.hook == notices.c.hook, before.c.due.is_not(None), before.c.notice < notices.c.notice)
        )
        order = notices.c.due, notices.c.notice
        nth = func.row_number().over(partition_by=hooks.c.owner, order_by=order) + _taken(room.owners, hooks.c.owner)
        due = (
            select(notices.c.notice, notices.c.due, hooks.c.host, nth.label("nth"))
            .join_from(notices, hooks, notices.c.hook == hooks.c.hook)
            .where(and_(notices.c.due <= at, ~earlier.exists()))
            .subquery()
        )
        turns = due.c.nth, due.c.due, due.c.notice
        to_host = func.row_number().over(partition_by=due.c.host, order_by=turns) + _taken(room.hosts, due.c.host)
        fair = select(due, to_host.label("to_host")).where(due.c.nth <= room.of_one).subquery()
        first = select(fair.c.notice).where(fair.c.to_host <= room.to_one)
        first = first.order_by(fair.c.nth, fair.c.due, fair.c.notice).limit(room.most)
        chosen = select(notices.c.notice).where(notices.c.notice.in_(first))
        if connection.dialect.name == "postgresql":
            chosen = chosen.with_for_update(skip_locked=True)
        seen = connection.execute(chosen).scalars().all()
        if not seen:
            return ()
        # SQLite reads without a lock: another process may have claimed them since.
        mine = update(notices).where(and_(notices.c.notice.in_(seen), notices.c.due <= at))
        found = connection.execute(mine.values(due=until).returning(notices.c.notice)).scalars().all()
        wanted = select(
            notices.c.notice, notices.c.game, notices.c.turn, notices.c.seat, notices.c.said, notices.c.tries, hooks
        ).join_from(notices, hooks, notices.c.hook == hooks.c.hook)
        rows = connection.execute(wanted.where(notices.c.notice.in_(found)).order_by(notices.c.notice))
        return tuple(Notice(row[0], Hook(*row[6:]), *row[1:6]) for row in rows)

    @transaction
    def settle(self, connection: Connection, notice: Notice, last: str, due: int | None, failed: int) -> None:
        """Note what became of a try, when to try again, and how many notices were given up in a row."""
        tried = update(notices).where(notices.c.notice == notice.notice)
        connection.execute(tried.values(due=due, tries=notice.tries + 1))
        of_hook = update(hooks).where(hooks.c.hook == notice.hook.hook)
        connection.execute(of_hook.values(last=last, failed=failed))
        if failed >= MOST_FAILED:
            connection.execute(update(notices).where(notices.c.hook == notice.hook.hook).values(due=null()))


def _taken(under_way: Mapping[Any, int], column: ColumnElement[Any]) -> ColumnElement[int]:
    """Return how many are under way already of what a column names."""
    return case(dict(under_way), value=column, else_=0) if under_way else literal(0)
