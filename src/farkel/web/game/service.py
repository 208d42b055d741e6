"""The service opens games, takes submissions, lets bots play, and notifies everyone. It stores first, then notifies."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar

from farkel.dice import SECRET, Roll
from farkel.dice.chance import Chance
from farkel.errors import FarkelError, PlayerError, RecordError
from farkel.game import Phase
from farkel.players import KNOWING
from farkel.rules.pattern_tables import contains
from farkel.web import metrics
from farkel.web.event_loop import off_loop
from farkel.web.game import bots, own_moves
from farkel.web.game.announcements import begun, result_of
from farkel.web.game.given import Calculator, Clock, Webhooks
from farkel.web.game.held_tables import HeldTables, NoGame
from farkel.web.game.record_files import record_file
from farkel.web.game.room import Room
from farkel.web.game.setup import FAR, GamePlan, SeatPlan
from farkel.web.game.table import UNHELD, Draft, Presence, Table, TableError, stored
from farkel.web.http.limits import OPENED, Full
from farkel.web.settings import NEEDS_SERVER, Settings
from farkel.web.store.news import Message, News
from farkel.web.store.values import AlreadyStored, Append, NewGame, PutOff, Row, Seen, Store, StoreError
from farkel.web.tokens import Key, code_of, following, following_game, hashed, new_code, new_name, new_token

log = logging.getLogger(__name__)

T = TypeVar("T")
LONGEST = 5.0
"""Seconds between two tries of the server's own part while the database does not answer."""
CHOOSING = 100
"""Milliseconds between two choices of dice that a table is shown."""
OPENING = 4
"""Games that are opened at once: those that are played come first, however many want to open one."""
WRITES = 30_000
"""Milliseconds for which the database is believed to write."""
SLOWED = 30.0
"""Seconds that a page without a stream is there for longer: browsers let hidden pages ask only once a minute."""


def no_such_link() -> NoGame:
    """Return the message for a link that opens nothing."""
    return NoGame("no_such_link", "this link belongs to no seat; ask the host for yours")


class Stale(FarkelError):
    """Something happened that the sender had not seen: ``missed``."""

    def __init__(self, missed: Sequence[Row], number: int) -> None:
        super().__init__("stale", "the game has moved on since your page was updated; look again, then decide")
        self.missed = tuple(missed)
        self.number = number


class Opened(NamedTuple):
    """A game that was opened, with the only copies of its tokens."""

    game: str
    host: str
    seats: dict[int, str]
    """The tokens of the seats that are far away."""


class NextGame(NamedTuple):
    """The next game of the same seats."""

    game: str
    tokens: dict[str, str]
    """For each token that opened something at the old table, the one that opens the same there."""


class Submitted(NamedTuple):
    """What became of a submission."""

    rows: tuple[Row, ...]
    """The stored rows; none for a submission that had been accepted before."""
    number: int
    """Of the last event now."""
    repeated: bool = False


class GameService:
    """All games of one server process. `farkel.web.startup` makes it."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        news: News,
        calculator: Calculator,
        webhooks: Webhooks,
        clock: Clock,
        chance: Chance,
    ) -> None:
        self.settings = settings
        self.store = store
        self.news = news
        self.now = clock
        self.chance = chance
        self.calculator = calculator
        self._webhooks = webhooks
        self.tables = HeldTables(settings, store, news, chance)
        self.room = Room(settings, store, news, self.tables, clock)
        self._chosen: dict[str, int] = {}
        """When dice were last seen to be chosen in a game."""
        self._driving: set[asyncio.Task[Any]] = set()
        """Work that may be broken off at any moment."""
        self._storing: set[asyncio.Task[Any]] = set()
        """Work that is finished whether or not anyone still waits for it."""
        self._driven: set[str] = set()
        self._pages: Counter[tuple[str, int]] = Counter()
        self._looking = asyncio.Lock()
        self._opening = asyncio.Semaphore(OPENING)
        self._asking: asyncio.Task[None] | None = None
        self._wrote = 0
        """When the database was seen to write something."""
        self.closing = asyncio.Event()

    def today(self) -> datetime:
        """Return the local time, for the date of a record."""
        return datetime.fromtimestamp(self.now() / 1_000)

    # Opening and finding ----------------------------------------------------------------------------------------------

    async def open(self, plan: GamePlan, group: str = "") -> Opened:
        """Open a game, of a group if one is named. Its free seats have an invitation.

        Raises `PlayerError` for an unplayable plan, `Full` if there are too many games.
        """
        name = new_name(self.chance, "game", plan.model_dump_json(), group)
        seats = {seat: new_token(self.chance, name, seat) for seat in sorted(plan.far)}
        opened = Opened(name, new_token(self.chance, name, "host"), seats)
        try:
            await self._open(plan, opened, group=group)
        except AlreadyStored:
            there = await self.store.load(name)
            if there is None or there.host != hashed(opened.host):
                raise
            # The same request opened it before, in a page that was closed before it had the answer.
        return opened

    async def join(self, code: str, name: str, once: str = "") -> tuple[str, int, str]:
        """Take a free seat of the game that the code invites to: the game, the seat, and the token that holds it.

        ``once`` is a token of the sender's page: sent again it takes no second seat. Raises `NoGame` if no game has
        the code, `TableError` ``no_free_seat`` if all its seats are taken, and what `Table.joins` raises.
        """
        game, name = await self.invited(code), " ".join(name.split())
        token = following(once, game) if once else new_token(self.chance, game, "joins")
        found = hashed(token)
        for seat in await self.free(game):
            joins = partial(Table.joins, seat=seat, name=name, token=found)
            try:
                await self.submit(game, joins)
            except TableError as error:
                if error.code == "joined":
                    break
                if error.code != "taken":
                    raise
            else:
                return game, seat, token
        held = [seat for seat, one in (await self.table(game)).tokens.items() if one == found]
        if not held:
            raise TableError("no_free_seat", "every seat of this game is taken; ask the host to open another one")
        return game, held[0], token

    async def invited(self, code: str) -> str:
        """Return the game that a code invites to. Raises `NoGame`."""
        found = await self.store.find_code(code_of(code)) if code_of(code) else None
        if found is None:
            raise NoGame("no_such_code", "no game has this code; a code has six letters and digits, such as 7K2-P9Q")
        return found

    async def came(self, game: str, seat: int) -> None:
        """Note that the seat's own link has been opened, so that no invitation opens the seat."""
        if not (await self.store.seen(game)).get(seat):
            await self.store.write(Seen(game, (seat,), -self.now()))

    async def free(self, game: str) -> list[int]:
        """Return the seats that an invitation opens now. Raises `NoGame`."""
        seen = await self.store.seen(game)
        return (await self.table(game)).free(seen)

    async def add_seat(self, game: str, key: Key, seat: SeatPlan) -> tuple[int, str]:
        """Add a seat before the start; return its number, and the token that holds it if it is far away, else "".

        Raises what `Table.adds` raises, and `PlayerError` for a bot that there is not.
        """
        token = new_token(self.chance, game, "added seat")
        outcome = await self.submit(game, lambda table: table.adds(key, seat, hashed(token)))
        seats = json.loads(outcome.rows[-1].body)["seats"]
        return len(seats) - 1, token if seat.who == FAR else ""

    async def drop_seat(self, game: str, key: Key, seat: int) -> None:
        """Remove a seat before the start. Raises what `Table.drops` raises."""
        free = await self.free(game)
        await self.submit(game, lambda table: table.drops(key, seat, free))

    async def _check(self, plan: GamePlan) -> None:
        """Raise `PlayerError` if the plan cannot be played."""
        if plan.far:
            self._reach()
        await off_loop(plan.check)
        people = plan.header((), "").people
        for player in sorted({seat.who.removeprefix("bot:") for seat in plan.seats} & {*KNOWING}):
            about = "check", player, plan.rules.digest, people
            await self.calculator.ask(about, bots.check, player, plan.rules, people)

    def _reach(self) -> None:
        """Raise `PlayerError` ``needs_server`` if no other device can reach these games."""
        if self.settings.alone:
            raise PlayerError("needs_server", NEEDS_SERVER)

    async def _open(self, plan: GamePlan, opened: Opened, *, group: str = "", before: str = "") -> None:
        """Open a game of that name, with these tokens. Seats that have none are kept for who had them before."""
        self.room.refuse_if_full()
        await self._check(plan)
        async with self._opening:
            await self._store_new(plan, opened, group, before)

    async def _store_new(self, plan: GamePlan, opened: Opened, group: str, before: str) -> None:
        code = new_code(self.chance, opened.game) if plan.far else None
        while code and await self.store.find_code(code):
            code = new_code(self.chance, opened.game)
        await self.room.make()
        new = NewGame(
            opened.game,
            self.now(),
            plan.model_dump_json(),
            self.chance.draw(SECRET, opened.game, "secret"),
            hashed(opened.host),
            tuple((seat, hashed(opened.seats[seat]) if seat in opened.seats else UNHELD) for seat in sorted(plan.far)),
            group,
            before,
            code,
            OPENED.get(),
        )
        await self.store.write(new)

    async def open_record(self, data: bytes) -> str:
        """Open a record as a game that everyone may watch and nobody plays. The same record is the same game.

        Raises `RecordError` if it is not intact or too large, `Full` if there are too many games.
        """
        if len(data) > self.settings.most_record:
            most = self.settings.most_record
            raise RecordError("too_large", f"the record has {len(data):,} bytes; at most {most:,} can be opened here")
        made = await off_loop(record_file, data)
        if await self.store.load(made.game) is None:
            await self.room.make()
            with suppress(AlreadyStored):
                new = NewGame(
                    made.game, self.now(), made.plan.model_dump_json(), b"", "", (), opened_before=OPENED.get()
                )
                await self.store.write(new)
        table = await self.tables.hold(made.game)
        if not table.started:  # whoever is first stores all of it
            await self.store.write(Append(made.game, stored(made.draft, 0, self.now(), None), None, made.over))
            async with self.tables.lock(made.game):
                await self.tables.catch_up(table)
        return made.game

    async def answers(self) -> None:
        """Ask the database for a sign of life; callers meanwhile wait for the same answer. Raises `StoreError`.

        Now and then, and as long as that fails, it has to write something, too: its disk may be full.
        """
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._answers())
            self._asking.add_done_callback(lambda asking: asking.cancelled() or asking.exception())
        await asyncio.shield(self._asking)

    async def _answers(self) -> None:
        write = self.now() - self._wrote >= WRITES
        await self.store.answers(write=write)
        if write:
            self._wrote = self.now()

    async def again(self, game: str, *tokens: str) -> NextGame:
        """Return the next game of the same seats, and what these tokens open there; the host's token opens it first.

        However often it is asked for, and of whichever process, it is the same game and the same tokens. A seat that
        was given another link in the next game is not among them. Raises `TableError` ``no_next`` if the host has
        not opened it yet, ``not_over``, and what `open` raises.
        """
        keys = {token: key for token in tokens if not (key := await self.key(game, token)).watches}
        if not (await self.table(game)).next:
            host = next((token for token, key in keys.items() if key.host), None)
            if host is None:
                raise TableError("no_next", "the host has not started another game with the same seats")
            await self._open_again(game, host, keys)
        opened = (await self.table(game)).next
        there = {token: following(token, opened) for token in keys}
        for token, key in keys.items():
            for seat in () if key.host else key.seats:
                await self._sit_down(opened, seat, hashed(there[token]))
        table = await self.tables.hold(opened)
        return NextGame(opened, {token: one for token, one in there.items() if not table.key(one).watches})

    async def _open_again(self, game: str, host: str, keys: dict[str, Key]) -> None:
        """Open the next game, with tokens for the seats of these keys, and say so at the table."""
        table, name = await self.table(game), following_game(host)
        draft = partial(Table.again, game=name)
        draft(table)
        seats = {seat: following(token, name) for token, key in keys.items() if not key.host for seat in key.seats}
        with suppress(AlreadyStored):  # it was opened when this was asked before, but has not been announced yet
            await self._open(table.replayed, Opened(name, following(host, name), seats), before=game)
            await self._webhooks.follow(game, name)
        await self.submit(game, draft, request=f"again-{name}")

    async def _sit_down(self, game: str, seat: int, token: str) -> None:
        """Take a seat that is kept for its former owner, with a token that has this hash."""
        if (await self.table(game)).tokens.get(seat) == UNHELD:
            with suppress(TableError):  # another was first
                await self.submit(game, partial(Table.sits_down, seat=seat, token=token))

    async def table(self, game: str, at_least: int | None = None) -> Table:
        """Return the game as it is; if ``at_least`` that event is enough, the database need not be asked.

        Raises `NoGame`.
        """
        table = await self.tables.hold(game)
        if self.store.shared if at_least is None else table.number < at_least:
            async with self.tables.lock(game):
                if at_least is None or table.number < at_least:
                    await self.tables.catch_up(table)
        return table

    async def key(self, game: str, *tokens: str) -> Key:
        """Return what these tokens open at that table, together; those that are not of this table open nothing.

        A link that another process has just replaced opens its seat until this one hears of that, but nothing can be
        stored with it: see `Key.at`.
        """
        table = await self.tables.hold(game)
        if self.store.shared and (not self.news.hears or any(table.key(token).watches for token in tokens)):
            await self.table(game)  # another process may have made a new link
        return table.key(*tokens)

    async def seat_of(self, token: str) -> tuple[str, int]:
        """Return the game and seat of a link. Raises `NoGame`."""
        found = await self.store.find_seat(hashed(token))
        if found is None:
            raise no_such_link()
        return found

    async def rows(self, game: str, after: int) -> tuple[Row, ...]:
        """Return the events of a game after that number, as far as `table` was at least. Raises `NoGame`."""
        table = await self.tables.hold(game)
        if table.number > after and table.recent[0].number <= after + 1:
            return tuple(row for row in table.recent if row.number > after)
        return await self.store.rows(game, after)

    # Playing ----------------------------------------------------------------------------------------------------------

    async def submit(
        self, game: str, draft: Callable[[Table], Draft], *, seen: int | None = None, request: str | None = None
    ) -> Submitted:
        """Change a table: ``draft`` returns the rows to store, given the table as it is.

        ``seen`` is the number of the last event that the sender has seen: `Stale` is raised if more has happened
        since. ``request`` is a name that the sender made up: the same one again changes nothing and succeeds. Raises
        what ``draft`` raises.
        """
        # The caller may be gone by now; stored events are shown all the same.
        return await asyncio.shield(self._spawn(self._submit(game, draft, seen, request), self._storing))

    async def _submit(
        self, game: str, draft: Callable[[Table], Draft], seen: int | None, request: str | None
    ) -> Submitted:
        table = await self.tables.hold(game)
        async with self.tables.lock(game):
            for _ in range(20):
                if request is not None and request in table.requests:
                    return Submitted((), table.number, repeated=True)
                if seen is not None and seen < table.number:
                    raise Stale(await self.rows(game, seen), table.number)
                try:
                    made = draft(table)
                except FarkelError:
                    if self.store.shared and await self.tables.catch_up(table):
                        continue  # it may fit what another process has stored
                    raise
                if made.plan is not None and made.plan.playing != table.plan.playing:
                    number = table.number
                    await self._check(made.plan)
                    if table.number != number:
                        continue  # another process has announced something meanwhile
                rows = stored(made, table.number, self.now(), request)
                turn = begun(table, made, rows[-1].number)
                append = Append(
                    game,
                    rows,
                    own_moves.due(self.settings, table, made, self.now()),
                    own_moves.is_over(table, made),
                    made.renewed,
                    turn,
                    result_of(table, made),
                    None if made.plan is None else made.plan.model_dump_json(),
                    made.reseated,
                )
                if await self.store.write(append):
                    table.take(rows)
                    if append.over:
                        self.room.one_ended()
                    if turn is not None:
                        self._webhooks.wake()
                    break
                await self.tables.catch_up(table)  # another process was first
            else:
                raise Full("busy", "too much is happening at this table; try again", 1.0)
        metrics.MOVES.inc()
        self.news.tell(game, Message(table.number))
        if table.goes_on:
            self._drive_soon(game)
        return Submitted(rows, rows[-1].number)

    async def renew(self, game: str, key: Key, seat: int) -> str:
        """Return a new token for a seat; the old one no longer opens anything. Raises `PlayerError` as `open` does."""
        self._reach()
        token = new_token(self.chance, game, seat)
        await self.submit(game, lambda table: table.link(key, seat, hashed(token)))
        return token

    async def pass_on(self, game: str, message: dict[str, Any]) -> None:
        """Send the whole table something that is not stored: a reaction, or who is there."""
        await self.tables.hold(game)
        self.news.tell(game, Message(None, message))
        if self.store.shared:
            await self.store.tell(game, message)

    async def choosing(self, game: str, key: Key, dice: Roll, seen: int) -> None:
        """Show the table the dice that the player on turn is about to keep. Nothing of it is stored.

        It is dropped if more has happened since the event ``seen``, if they do not lie there, or if it follows the last
        one too soon. Raises `TableError` for other players.
        """
        table = await self.tables.hold(game)
        state, now = table.playing.state, self.now()
        table.check_mine(key, state.seat)
        if seen != table.number or state.phase is not Phase.KEEP or not contains(state.roll, dice):
            return
        if now - self._chosen.get(game, 0) < CHOOSING:
            return
        self._chosen[game] = now
        await self.pass_on(game, {"kind": "choosing", "number": seen, "dice": dice})

    @asynccontextmanager
    async def page(self, game: str, seats: frozenset[int]) -> AsyncIterator[Callable[[], Coroutine[Any, Any, None]]]:
        """Hold these seats while a page of them is open. It says so with this name, now and then."""
        table = await self.tables.hold(game)
        far = seats & table.far
        if not far:
            yield _nothing
            return

        there = partial(self._saw, game, far)
        for seat in far:
            self._pages[game, seat] += 1
        try:
            await there()
            await self.pass_on(game, {"kind": "presence"})
            await self.give_back(game, far)
            yield there
        finally:
            for seat in far:
                self._pages[game, seat] -= 1
                if not self._pages[game, seat]:
                    del self._pages[game, seat]
            if not self.closing.is_set():
                self._spawn(self._gone(game, far), self._storing)

    async def asked(self, game: str, seats: frozenset[int]) -> None:
        """Note that a page of these seats is open without a stream: it asks for its board now and then."""
        far = seats & (await self.tables.hold(game)).far
        if not far:
            return
        back = far & (await self.presence(game)).away.keys()
        await self._saw(game, far, SLOWED)
        if back:
            await self.pass_on(game, {"kind": "presence"})
        await self.give_back(game, far)

    async def _saw(self, game: str, seats: frozenset[int], longer: float = 0.0) -> None:
        try:
            await self.store.write(Seen(game, tuple(seats), self.now() + int(1_000 * longer)))
        except StoreError as error:  # a full disk: the page still shows what happens
            log.info("game %s: that a page is open could not be noted: %s", game, error)

    async def give_back(self, game: str, seats: frozenset[int]) -> None:
        """Let the owners of these seats play again if a bot sits in for them."""
        for seat in seats & set((await self.tables.hold(game)).away):
            with suppress(TableError):
                await self.submit(game, partial(Table.returns, seat=seat))

    async def _gone(self, game: str, seats: frozenset[int]) -> None:
        gone = tuple(seat for seat in seats if (game, seat) not in self._pages)
        try:
            if gone:
                await self.store.write(Seen(game, gone, -self.now()))
                await self.pass_on(game, {"kind": "presence"})
        except (FarkelError, StoreError) as error:
            log.warning("game %s: that a page was closed could not be noted: %s", game, error)

    async def presence(self, game: str) -> Presence:
        """Return who is there and who is not."""
        table = await self.tables.hold(game)
        if not table.far:
            return Presence()
        now = self.now()
        return own_moves.presence(self.settings, table, await self.store.seen(game), now)

    # The server's own moves -------------------------------------------------------------------------------------------

    def _drive_soon(self, game: str) -> None:
        """Play for bots and absent players."""
        if game not in self._driven and not self.closing.is_set():
            self._driven.add(game)
            self._spawn(self._drive(game), self._driving)

    async def _drive(self, game: str) -> None:
        """Play for bots and absent players until it is a person's turn."""
        late = 0.0
        try:
            while (table := await self.tables.hold(game)).goes_on:
                await asyncio.sleep(late or own_moves.pause(self.settings, table))
                try:
                    await self._serve(game)
                    late = 0.0
                except StoreError as error:  # people wait for it: it is tried again before the game is due
                    late = min(LONGEST, max(1.0, 2 * late))
                    log.warning("game %s: the database does not take the server's own part: %s", game, error)
        except (FarkelError, StoreError) as error:  # the game stays due, and is taken up again
            log.warning("game %s: the server's own part cannot be played just now: %s", game, error)
        except Exception:
            log.exception("game %s: the server's own part cannot be played", game)
        finally:
            self._driven.discard(game)

    async def _see_to(self, game: str, until: int) -> None:
        """Check a game that is due: a player may be away too long, or a bot was left in its turn.

        It was claimed until then.
        """
        table = await self.tables.hold(game)
        async with self.tables.lock(game):
            await self.tables.catch_up(table)
        due = own_moves.patience(self.settings, table, await self.store.seen(game), self.now())
        if due == 0.0:
            await self._sit_in(game, table)
        elif table.goes_on:
            self._drive_soon(game)
        else:
            await self.store.write(PutOff(game, until, None if due is None else self.now() + int(1_000 * due) + 1))

    async def _sit_in(self, game: str, table: Table) -> None:
        """Let a bot sit in for the seat on turn, as the host wants it."""
        seat, by = table.state.seat, table.allowed.absent
        with suppress(Stale):
            await self.submit(game, lambda table: table.sits_in(seat, by), seen=table.number)

    async def _serve(self, game: str) -> None:
        """Do one thing that the server does itself."""
        table = await self.table(game)
        if not table.goes_on:
            return
        number, event = table.number, await own_moves.decide(table, self.calculator, self.chance)
        with suppress(Stale):
            await self.submit(game, lambda table: table.serve(event), seen=number)

    async def look_after(self) -> None:
        """Check games that are due, again and again, and forget those that no page looks at."""
        while not self.closing.is_set():
            metrics.measure_process()
            try:
                await self.look()
            except StoreError as error:
                log.warning("the database does not answer: %s", error)
            except Exception:  # whatever it was, the other games continue
                log.exception("the server could not look for what it has to do")
            with suppress(TimeoutError):
                await asyncio.wait_for(self.closing.wait(), self.settings.look)

    async def look(self) -> None:
        """Look once; one after the other, so that everything claimed before is seen to when this returns."""
        async with self._looking:
            now = self.now()
            until = now + int(1_000 * self.settings.working)
            for game in await self.store.claim(now, until):
                try:
                    await self._see_to(game, until)
                except StoreError:
                    raise
                except Exception:  # an unreadable game does not hold up others
                    log.exception("game %s: the server cannot do its part", game)
            self.tables.let_go_idle(self._driven)
            self._chosen = {game: at for game, at in self._chosen.items() if now - at < CHOOSING}

    # Tasks -----------------------------------------------------------------------------------------------------------

    def _spawn(self, work: Coroutine[Any, Any, T], tasks: set[asyncio.Task[Any]]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that is not waited for, and that may be broken off."""
        self._spawn(work, self._driving)

    async def settled(self) -> None:
        """Wait until there is nothing that the server does itself just now."""
        while at_work := self._driving | self._storing:
            await asyncio.wait(at_work)

    def end_streams(self) -> None:
        """End the event streams, as the server is about to stop and must not wait for them."""
        self.closing.set()
        self.news.wake()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look after the games until the end of the block."""
        looking = asyncio.create_task(self.look_after())
        try:
            yield
        finally:
            await self.close()
            await looking

    async def close(self) -> None:
        """Stop the server's own moves and calculations. Rows being stored are still stored."""
        self.closing.set()
        for task in self._driving:
            task.cancel()
        await self.settled()
        await self.calculator.close()


async def _nothing() -> None:
    """Do nothing, for spectators."""
