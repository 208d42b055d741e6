"""The games of a database. Every method is one transaction, done in a thread."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    String,
    and_,
    bindparam,
    cast,
    delete,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from farkel.support.bounds import MOST_SEATS
from farkel.web.store.postgres_news import CHANNEL
from farkel.web.store.schema import MOST_FAILED, events, games, group_games, hooks, insert_new, notices, seats
from farkel.web.store.threads import Writer, transaction
from farkel.web.store.values import Append, Begun, Game, NewGame, PutOff, Reseated, Row, Seen, Write

MOST_SAID = 7_900
"""Bytes of a payload: PostgreSQL takes fewer than 8,000."""

NOTIFY = text("SELECT pg_notify(:channel, news) FROM unnest(CAST(:news AS text[])) AS news")
TOUCH = (
    update(games)
    .where(games.c.game == bindparam("of"))
    .values(touched=bindparam("touched"), over=bindparam("over"), due=bindparam("due"))
)


class GameStore:
    """The store of games in a database; `farkel.web.store.values.Store` describes it."""

    def __init__(self, engine: Engine, me: str = "") -> None:
        """``me`` names this process to the others."""
        self.engine = engine
        self._me = me
        self.shared = engine.dialect.name == "postgresql"
        """Whether several processes may serve the same games."""
        self._add = insert_new(engine, events).returning(events.c.game, events.c.number)
        self._writer = Writer(self.write_all)

    async def write(self, write: Write) -> bool:
        return await self._writer.write(write)

    async def close(self) -> None:
        """Write what waits."""
        await self._writer.close()

    @transaction
    def load(self, connection: Connection, game: str) -> Game | None:
        found = connection.execute(select(games).where(games.c.game == game)).one_or_none()
        if found is None:
            return None
        tokens = connection.execute(select(seats.c.seat, seats.c.token).where(seats.c.game == game))
        rows = _rows(connection, game, 0)
        return Game(game, found.plan, bytes(found.secret), found.host, dict(tokens.all()), rows, found.code or "")

    @transaction
    def rows(self, connection: Connection, game: str, after: int) -> tuple[Row, ...]:
        return _rows(connection, game, after)

    def write_all(self, batch: Sequence[Write]) -> list[bool]:
        """Write all of it in one transaction; for each, whether it was written. Blocks until it is done."""
        written = [False] * len(batch)
        # In one order, so that two processes that write to the same games never wait for each other in a circle.
        order = sorted(range(len(batch)), key=lambda index: batch[index].game)
        with self.engine.begin() as connection:
            for _, run in groupby(order, key=lambda index: type(batch[index])):
                places = list(run)
                for place, was_written in zip(
                    places, self._write(connection, [batch[place] for place in places]), strict=True
                ):
                    written[place] = was_written
        return written

    def _write(self, connection: Connection, alike: list[Write]) -> list[bool]:
        """Write changes of one kind."""
        if appends := [one for one in alike if isinstance(one, Append)]:
            return self._append(connection, appends)
        return [self._write_one(connection, one) for one in alike]

    def _write_one(self, connection: Connection, one: Write) -> bool:
        match one:
            case NewGame():
                _open(connection, one)
            case Seen(game, places, at):
                here = and_(seats.c.game == game, seats.c.seat.in_(places))
                connection.execute(update(seats).where(here).values(seen=at))
            case PutOff(game, claimed, due):
                mine = and_(games.c.game == game, games.c.due == claimed)
                return connection.execute(update(games).where(mine).values(due=due)).rowcount > 0
        return True

    def _append(self, connection: Connection, appends: list[Append]) -> list[bool]:
        firsts = [_values(append.game, append.rows[0]) for append in appends]
        fresh = {(game, number) for game, number in connection.execute(self._add, firsts)}
        added = []
        for append in appends:
            first = append.game, append.rows[0].number
            added.append(first in fresh)
            fresh.discard(first)
        self._follow(connection, [append for append, was_added in zip(appends, added, strict=True) if was_added])
        return added

    def _follow(self, connection: Connection, appends: list[Append]) -> None:
        """Store all else of submissions whose first event was stored, and tell the other processes."""
        if not appends:
            return
        # No other transaction can have these numbers: they follow one that was free within this transaction.
        if others := [_values(append.game, row) for append in appends for row in append.rows[1:]]:
            connection.execute(insert(events), others)
        connection.execute(
            TOUCH,
            [
                {"of": append.game, "touched": append.rows[-1].at, "over": append.over, "due": append.due}
                for append in appends
            ],
        )
        for append in appends:
            if append.result is not None:
                _finish(connection, append.game, append.result)
        if begun := [(append.game, append.rows[-1].at, append.begun) for append in appends if append.begun]:
            _note(connection, begun)
        for append in appends:
            if append.plan is not None:
                connection.execute(update(games).where(games.c.game == append.game).values(plan=append.plan))
            if append.reseated is not None:
                for seat in range(append.reseated.first, MOST_SEATS):
                    _forget(connection, append.game, seat)
                _reseat(connection, append.game, append.reseated)
            if append.renew is not None:
                seat, token = append.renew
                _forget(connection, append.game, seat)
                here = and_(seats.c.game == append.game, seats.c.seat == seat)
                if not connection.execute(update(seats).where(here).values(token=token)).rowcount:
                    connection.execute(insert(seats).values(game=append.game, seat=seat, token=token, seen=0))
        self._notify(connection, *(self._news(append) for append in appends))

    @transaction
    def tell(self, connection: Connection, game: str, message: dict[str, object]) -> None:
        self._notify(connection, _json([self._me, game, None, message]))

    def _news(self, append: Append) -> str:
        last = append.rows[-1].number
        said = _json([self._me, append.game, last, append.rows])
        return said if len(said) <= MOST_SAID else _json([self._me, append.game, last, []])

    def _notify(self, connection: Connection, *news: str) -> None:
        if self.shared:
            connection.execute(NOTIFY, {"channel": CHANNEL, "news": list(news)})

    @transaction
    def find_seat(self, connection: Connection, token: str) -> tuple[str, int] | None:
        found = connection.execute(select(seats.c.game, seats.c.seat).where(seats.c.token == token)).one_or_none()
        return None if found is None else (found.game, found.seat)

    @transaction
    def find_code(self, connection: Connection, code: str) -> str | None:
        return connection.execute(select(games.c.game).where(games.c.code == code)).scalar_one_or_none()

    @transaction
    def seen(self, connection: Connection, game: str) -> dict[int, int]:
        found = connection.execute(select(seats.c.seat, seats.c.seen).where(seats.c.game == game))
        return dict(found.all())

    @transaction
    def claim(self, connection: Connection, at: int, until: int, most: int = 100) -> tuple[str, ...]:
        chosen = select(games.c.game).where(games.c.due <= at).order_by(games.c.due).limit(most)
        if self.shared:
            chosen = chosen.with_for_update(skip_locked=True)
        found = tuple(connection.execute(chosen).scalars().all())
        if found:
            connection.execute(update(games).where(games.c.game.in_(found)).values(due=until))
        return found

    @transaction
    def wake(self, connection: Connection, at: int) -> None:
        """Make everything due now that the server has put off: the process that was to do it is gone."""
        connection.execute(update(games).where(games.c.due > at).values(due=at))

    @transaction
    def answers(self, connection: Connection) -> None:
        connection.execute(select(games.c.game).limit(1)).all()

    @transaction
    def open_games(self, connection: Connection, since: int) -> int:
        counted = select(func.count()).where(and_(games.c.over.is_(False), games.c.touched >= since))
        return connection.execute(counted).scalar_one()


def _open(connection: Connection, new: NewGame) -> None:
    connection.execute(
        insert(games).values(
            game=new.game,
            opened=new.opened,
            touched=new.opened,
            over=False,
            plan=new.plan,
            secret=new.secret,
            host=new.host,
            code=new.code,
        )
    )
    _reseat(connection, new.game, Reseated(0, new.tokens))
    _admit(connection, new.game, new.group, new.before)


def _reseat(connection: Connection, game: str, reseated: Reseated) -> None:
    connection.execute(delete(seats).where(and_(seats.c.game == game, seats.c.seat >= reseated.first)))
    if reseated.tokens:
        rows = [{"game": game, "seat": seat, "token": token, "seen": 0} for seat, token in reseated.tokens]
        connection.execute(insert(seats), rows)


def _rows(connection: Connection, game: str, after: int) -> tuple[Row, ...]:
    chosen = (
        select(events.c.number, events.c.at, events.c.kind, events.c.body, events.c.request)
        .where(and_(events.c.game == game, events.c.number > after))
        .order_by(events.c.number)
    )
    return tuple(Row(*row) for row in connection.execute(chosen))


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _values(game: str, row: Row) -> dict[str, object]:
    return {"game": game, **row._asdict()}


def _admit(connection: Connection, game: str, group: str, before: str) -> None:
    """Make a new game one of a group: of the one named, or of that of the game before."""
    if group:
        connection.execute(insert(group_games).values(game=game, of=group))
    elif before:
        same = select(bindparam("the_game", game), group_games.c.of).where(group_games.c.game == before)
        connection.execute(insert(group_games).from_select(["game", "of"], same))


def _finish(connection: Connection, game: str, result: str) -> None:
    """Store the result of a group's game, or, with "", that it is open again."""
    mine = update(group_games).where(group_games.c.game == game)
    connection.execute(mine.values(result=result or None, luck=None))


def _note(connection: Connection, begun: Sequence[tuple[str, int, Begun]]) -> None:
    """Store the webhooks' notices with the events that begin the turns: game, time and turn."""
    given = {"game": String, "turn": Integer, "seat": Integer, "said": String, "due": BigInteger}
    values: dict[str, ColumnElement[Any]] = {name: cast(bindparam(f"the_{name}"), kind) for name, kind in given.items()}
    group = select(group_games.c.of).where(group_games.c.game == bindparam("the_game")).scalar_subquery()
    of_seat = and_(hooks.c.of == bindparam("the_game"), hooks.c.seat == bindparam("the_seat"))
    of_group = and_(hooks.c.of == group, hooks.c.seat.is_(None))
    wanted = select(hooks.c.hook, *values.values(), cast(0, Integer)).where(
        and_(or_(of_seat, of_group), hooks.c.failed < MOST_FAILED)
    )
    adding = insert_new(connection, notices).from_select(["hook", *given, "tries"], wanted)
    rows = [
        {"the_game": game, "the_turn": one.turn, "the_seat": one.seat, "the_said": one.said, "the_due": at}
        for game, at, one in begun
    ]
    connection.execute(adding, rows)


def _forget(connection: Connection, game: str, seat: int) -> None:
    """Remove the webhooks of a seat, which another person may hold from now on."""
    mine = select(hooks.c.hook).where(and_(hooks.c.of == game, hooks.c.seat == seat))
    connection.execute(delete(notices).where(notices.c.hook.in_(mine)))
    connection.execute(delete(hooks).where(and_(hooks.c.of == game, hooks.c.seat == seat)))
