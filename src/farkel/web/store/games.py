"""The games of a database. Every method is one transaction, done in a thread."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from farkel.support.bounds import MOST_SEATS
from farkel.web.store.postgres_news import CHANNEL
from farkel.web.store.schema import MOST_FAILED, events, games, group_games, hooks, insert_new, notices, seats
from farkel.web.store.threads import BatchWriter, Tables, transaction
from farkel.web.store.values import Append, Dropped, Game, NewGame, PutOff, Reseated, Row, Seen, TurnBegun, Write

MINUTE = 60_000
"""Milliseconds."""
MOST_SAID = 7_900
"""Bytes of a payload: PostgreSQL takes fewer than 8,000."""

TRIED: dict[str, Any] = {"game": "-", "opened": 0, "touched": 0, "over": True, "plan": "x" * 16_384}
TRIED |= {"secret": b"", "host": "", "opened_before": 0}
"""Written to see whether there is room; no game has this name."""
NOTIFY = sa.text("SELECT pg_notify(:channel, news) FROM unnest(CAST(:news AS text[])) AS news")
TOUCH = (
    sa.update(games)
    .where(games.c.game == sa.bindparam("of"))
    .values(touched=sa.bindparam("touched"), over=sa.bindparam("over"), due=sa.bindparam("due"))
)


class GameStore(Tables):
    """The store of games in a database; `farkel.web.store.values.Store` describes it."""

    def __init__(self, engine: sa.Engine, me: str = "") -> None:
        """``me`` names this process to the others."""
        super().__init__(engine)
        self._me = me
        self.shared = engine.dialect.name == "postgresql"
        """Whether several processes may serve the same games."""
        self._add = insert_new(engine, events).returning(events.c.game, events.c.number)
        self._writer = BatchWriter(self.write_all)

    async def write(self, write: Write) -> bool:
        return await self._writer.write(write)

    async def close(self) -> None:
        """Write what waits."""
        await self._writer.close()

    @transaction
    def load(self, connection: sa.Connection, game: str) -> Game | None:
        found = connection.execute(sa.select(games).where(games.c.game == game)).one_or_none()
        if found is None:
            return None
        tokens = connection.execute(sa.select(seats.c.seat, seats.c.token).where(seats.c.game == game))
        rows = _rows(connection, game, 0)
        return Game(game, found.plan, bytes(found.secret), found.host, dict(tokens.all()), rows, found.code or "")

    @transaction
    def rows(self, connection: sa.Connection, game: str, after: int) -> tuple[Row, ...]:
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

    def _write(self, connection: sa.Connection, alike: list[Write]) -> list[bool]:
        """Write changes of one kind."""
        if appends := [one for one in alike if isinstance(one, Append)]:
            return self._append(connection, appends)
        return [self._write_one(connection, one) for one in alike]

    def _write_one(self, connection: sa.Connection, one: Write) -> bool:
        match one:
            case NewGame():
                _open(connection, one)
            case Seen(game, places, at):
                here = sa.and_(seats.c.game == game, seats.c.seat.in_(places))
                connection.execute(sa.update(seats).where(here).values(seen=at))
            case PutOff(game, claimed, due):
                mine = sa.and_(games.c.game == game, games.c.due == claimed)
                return connection.execute(sa.update(games).where(mine).values(due=due)).rowcount > 0
            case Dropped(game):
                _drop(connection, game)
        return True

    def _append(self, connection: sa.Connection, appends: list[Append]) -> list[bool]:
        firsts = [_values(append.game, append.rows[0]) for append in appends]
        fresh = {(game, number) for game, number in connection.execute(self._add, firsts)}
        added = []
        for append in appends:
            first = append.game, append.rows[0].number
            added.append(first in fresh)
            fresh.discard(first)
        self._follow(connection, [append for append, was_added in zip(appends, added, strict=True) if was_added])
        return added

    def _follow(self, connection: sa.Connection, appends: list[Append]) -> None:
        """Store all else of submissions whose first event was stored, and tell the other processes."""
        if not appends:
            return
        # No other transaction can have these numbers: they follow one that was free within this transaction.
        if others := [_values(append.game, row) for append in appends for row in append.rows[1:]]:
            connection.execute(sa.insert(events), others)
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
            _rearrange(connection, append)
        self._notify(connection, *(self._news(append) for append in appends))

    @transaction
    def tell(self, connection: sa.Connection, game: str, message: dict[str, object]) -> None:
        self._notify(connection, _json([self._me, game, None, message]))

    def _news(self, append: Append) -> str:
        last = append.rows[-1].number
        said = _json([self._me, append.game, last, append.rows])
        return said if len(said) <= MOST_SAID else _json([self._me, append.game, last, []])

    def _notify(self, connection: sa.Connection, *news: str) -> None:
        if self.shared:
            connection.execute(NOTIFY, {"channel": CHANNEL, "news": list(news)})

    @transaction
    def find_seat(self, connection: sa.Connection, token: str) -> tuple[str, int] | None:
        found = connection.execute(sa.select(seats.c.game, seats.c.seat).where(seats.c.token == token)).one_or_none()
        return None if found is None else (found.game, found.seat)

    @transaction
    def find_code(self, connection: sa.Connection, code: str) -> str | None:
        return connection.execute(sa.select(games.c.game).where(games.c.code == code)).scalar_one_or_none()

    @transaction
    def seen(self, connection: sa.Connection, game: str) -> dict[int, int]:
        found = connection.execute(sa.select(seats.c.seat, seats.c.seen).where(seats.c.game == game))
        return dict(found.all())

    @transaction
    def claim(self, connection: sa.Connection, at: int, until: int, most: int = 100) -> tuple[str, ...]:
        chosen = sa.select(games.c.game).where(games.c.due <= at).order_by(games.c.due).limit(most)
        if self.shared:
            chosen = chosen.with_for_update(skip_locked=True)
        found = tuple(connection.execute(chosen).scalars().all())
        if found:
            connection.execute(sa.update(games).where(games.c.game.in_(found)).values(due=until))
        return found

    @transaction
    def wake(self, connection: sa.Connection, at: int) -> None:
        """Make everything due now that the server has put off: the process that was to do it is gone."""
        connection.execute(sa.update(games).where(games.c.due > at).values(due=at))

    @transaction
    def answers(self, connection: sa.Connection, *, write: bool = False) -> None:
        connection.execute(sa.select(games.c.game).limit(1)).all()
        if write:
            connection.execute(sa.insert(games).values(TRIED))
            connection.execute(sa.delete(games).where(games.c.game == TRIED["game"]))

    @transaction
    def open_games(self, connection: sa.Connection, since: int) -> int:
        counted = sa.select(sa.func.count()).where(sa.and_(games.c.over.is_(False), games.c.touched >= since))
        return connection.execute(counted).scalar_one()

    @transaction
    def unplayed(self, connection: sa.Connection, since: int, opened_before: int, most: int = 100) -> tuple[str, ...]:
        left = sa.and_(
            games.c.over.is_(False),
            games.c.touched >= since,
            games.c.touched <= games.c.opened + MINUTE,
            games.c.opened_before >= opened_before,
        )
        chosen = sa.select(games.c.game).where(left).order_by(games.c.opened_before.desc(), games.c.touched)
        return tuple(connection.execute(chosen.limit(most)).scalars().all())


def _open(connection: sa.Connection, new: NewGame) -> None:
    connection.execute(
        sa.insert(games).values(
            game=new.game,
            opened=new.opened,
            touched=new.opened,
            over=False,
            plan=new.plan,
            secret=new.secret,
            host=new.host,
            code=new.code,
            opened_before=new.opened_before,
        )
    )
    _reseat(connection, new.game, Reseated(0, new.tokens))
    _admit(connection, new.game, new.group, new.before)


def _rearrange(connection: sa.Connection, append: Append) -> None:
    """Store the plan, the seats and the link that a submission changes."""
    game = append.game
    if append.plan is not None:
        connection.execute(sa.update(games).where(games.c.game == game).values(plan=append.plan))
    if append.reseated is not None:
        for seat in range(append.reseated.first, MOST_SEATS):
            _forget(connection, game, seat)
        _reseat(connection, game, append.reseated)
    if append.renew is not None:
        seat, token = append.renew
        _forget(connection, game, seat)
        here = sa.and_(seats.c.game == game, seats.c.seat == seat)
        if not connection.execute(sa.update(seats).where(here).values(token=token)).rowcount:
            connection.execute(sa.insert(seats).values(game=game, seat=seat, token=token, seen=0))


def _reseat(connection: sa.Connection, game: str, reseated: Reseated) -> None:
    connection.execute(sa.delete(seats).where(sa.and_(seats.c.game == game, seats.c.seat >= reseated.first)))
    if reseated.tokens:
        rows = [{"game": game, "seat": seat, "token": token, "seen": 0} for seat, token in reseated.tokens]
        connection.execute(sa.insert(seats), rows)


def _rows(connection: sa.Connection, game: str, after: int) -> tuple[Row, ...]:
    chosen = (
        sa.select(events.c.number, events.c.at, events.c.kind, events.c.body, events.c.request)
        .where(sa.and_(events.c.game == game, events.c.number > after))
        .order_by(events.c.number)
    )
    return tuple(Row(*row) for row in connection.execute(chosen))


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _values(game: str, row: Row) -> dict[str, object]:
    return {"game": game, **row._asdict()}


def _admit(connection: sa.Connection, game: str, group: str, before: str) -> None:
    """Make a new game one of a group: of the one named, or of that of the game before."""
    if group:
        connection.execute(sa.insert(group_games).values(game=game, of=group))
    elif before:
        same = sa.select(sa.bindparam("the_game", game), group_games.c.of).where(group_games.c.game == before)
        connection.execute(sa.insert(group_games).from_select(["game", "of"], same))


def _finish(connection: sa.Connection, game: str, result: str) -> None:
    """Store the result of a group's game, or, with "", that it is open again."""
    mine = sa.update(group_games).where(group_games.c.game == game)
    connection.execute(mine.values(result=result or None, luck=None))


def _note(connection: sa.Connection, begun: Sequence[tuple[str, int, TurnBegun]]) -> None:
    """Store the webhooks' notices with the events that begin the turns: game, time and turn."""
    given = {"game": sa.String, "turn": sa.Integer, "seat": sa.Integer, "said": sa.String, "due": sa.BigInteger}
    values: dict[str, sa.ColumnElement[Any]] = {
        name: sa.cast(sa.bindparam(f"the_{name}"), kind) for name, kind in given.items()
    }
    group = sa.select(group_games.c.of).where(group_games.c.game == sa.bindparam("the_game")).scalar_subquery()
    of_seat = sa.and_(hooks.c.of == sa.bindparam("the_game"), hooks.c.seat == sa.bindparam("the_seat"))
    of_group = sa.and_(hooks.c.of == group, hooks.c.seat.is_(None))
    wanted = sa.select(hooks.c.hook, *values.values(), sa.cast(0, sa.Integer))
    wanted = wanted.where(sa.and_(sa.or_(of_seat, of_group), hooks.c.failed < MOST_FAILED))
    adding = insert_new(connection, notices).from_select(["hook", *given, "tries"], wanted)
    rows = [
        {"the_game": game, "the_turn": one.turn, "the_seat": one.seat, "the_said": one.said, "the_due": at}
        for game, at, one in begun
    ]
    connection.execute(adding, rows)


def _drop(connection: sa.Connection, game: str) -> None:
    connection.execute(sa.delete(notices).where(notices.c.game == game))
    connection.execute(sa.delete(hooks).where(hooks.c.of == game))
    connection.execute(sa.delete(games).where(games.c.game == game))


def _forget(connection: sa.Connection, game: str, seat: int) -> None:
    """Remove the webhooks of a seat, which another person may hold from now on."""
    mine = sa.select(hooks.c.hook).where(sa.and_(hooks.c.of == game, hooks.c.seat == seat))
    connection.execute(sa.delete(notices).where(notices.c.hook.in_(mine)))
    connection.execute(sa.delete(hooks).where(sa.and_(hooks.c.of == game, hooks.c.seat == seat)))
