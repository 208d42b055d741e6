"""The games that a page keeps, in the browser's own database.

A `PageStore` does what the server's `GameStore` does, for one browser. The shell opens the database in the worker that
has Python, and hands it over::

    import { Database } from "./database.mjs";
    const database = new Database({ name: `farkel ${root}`, replaced: () => postMessage({ replaced: true }) });
    globals.set("database", database);

    store = await PageStore.opened(database)  # after a snapshot of the memory is restored, not in it
    await store.wake(now())  # what bots left when the page was closed
    cookies = await store.thing("cookies")  # and `keep` them when they change

The pages of `farkel.page.kept_pages` say what they need besides.

Only one tab has the database open for Python: a Web Lock, which the shell holds, sees to that. Should two have it open
all the same, no event is lost or overwritten: the database checks the numbers itself.

The heads of all games are in memory, and a game's events are read when it is opened. Whatever is written is on the disk
when `PageStore.write` returns, and is shown only then.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Protocol, Self, TypeVar

from pydantic import Field, ValidationError

from farkel.errors import RecordError
from farkel.web.game.table import KINDS
from farkel.web.http.validation import NAME, Strict, Whole
from farkel.web.store.values import AlreadyStored, Append, Dropped, Game, NewGame, PutOff, Row, Seen, StoreError, Write

T = TypeVar("T")
SECRET = "^([0-9a-f]{64})?$"  # noqa: S105  (a record that was opened has none)
SAFE = "everything before it is safe"
KEPT = "“What this browser keeps”"
"""The page about it, as texts name it."""
SAID = {
    "disk_full": (
        "disk_full",
        f"this browser has no room left for Farkel, so this can't be saved; {SAFE}. Remove old games under {KEPT}, "
        "or make room on the device, and try again",
    ),
    "cleared": (
        "cleared",
        "this game has been deleted from this browser, so nothing more of it can be saved. Reload the page; a file "
        "from “Save all” brings back what is in it",
    ),
    "replaced": (
        "no_database",
        f"another tab has opened a newer version of Farkel; {SAFE}. Reload this page to continue",
    ),
    "newer": ("no_database", f"a newer version of Farkel has saved the games here; {SAFE}. Reload the page to get it"),
    "blocked": (
        "no_database",
        f"another tab holds the games with an older version of Farkel; {SAFE}. Close that tab, and reload this page",
    ),
    "no_database": (
        "no_database",
        f"this browser doesn't open its storage for Farkel just now; {SAFE}. Reload the page, and try again",
    ),
}
"""By what a database calls a failure: our code, and the words for players."""


class Bytes(Protocol):
    """Bytes in JavaScript, as Pyodide shows them."""

    def to_bytes(self) -> bytes:
        """Return them in Python."""


class Database(Protocol):
    """``shell/database.mjs``, which describes it. Text is JSON; an error's ``name`` is one of those in `SAID`."""

    async def heads(self) -> str:
        """Return the heads of all games, as a list."""

    async def events(self, game: str, number: int, /) -> str:
        """Return the events of a game after that number, and whether there is such a game."""

    async def counts(self) -> str:
        """Return the number of events of each game."""

    async def write(self, text: str, /) -> bool:
        """Write heads and events, all or nothing; return whether they were."""

    async def names(self) -> str:
        """Return the names of small things."""

    async def thing(self, name: str, /) -> bytes | Bytes | None:
        """Return what is kept by a name."""

    async def keep(self, name: str, value: bytes, /) -> None:
        """Keep bytes by a name."""

    async def forget(self, name: str, /) -> None:
        """Delete what is kept by a name."""


LATEST = 2**47
"""Milliseconds since 1970 until the year 6429."""
Millis = Annotated[Whole, Field(ge=0, le=LATEST)]
Sign = Annotated[Whole, Field(ge=-LATEST, le=LATEST)]
"""When a page was seen last; negative if it was closed then."""
Hash = Annotated[str, Field(max_length=64)]


class Head(Strict):
    """What is kept of a game apart from its events. Another field is another step of the database's ``UPGRADES``."""

    game: Annotated[str, Field(pattern=NAME)]
    opened: Millis
    touched: Millis
    plan: str
    secret: Annotated[str, Field(pattern=SECRET)]
    """In hexadecimal digits."""
    host: Hash
    tokens: dict[int, Hash] = Field(default_factory=dict)
    """The remote seats, each with the hash of its token; "" for one that is kept for its former owner."""
    seen: dict[int, Sign] = Field(default_factory=dict)
    code: str = ""
    over: bool = False
    due: Millis | None = None
    number: Millis = 0
    """Of the last event."""
    size: Millis = 0
    """Characters of the events."""

    @classmethod
    def of(cls, new: NewGame) -> Head:
        """Return the head of a new game."""
        return cls(
            game=new.game,
            opened=new.opened,
            touched=new.opened,
            plan=new.plan,
            secret=new.secret.hex(),
            host=new.host,
            tokens=dict(new.tokens),
            seen={seat: 0 for seat, _ in new.tokens},
            code=new.code or "",
        )

    def with_events(self, append: Append) -> Head:
        """Return the head after these events."""
        tokens, seen = dict(self.tokens), dict(self.seen)
        if append.reseated is not None:
            first, held = append.reseated
            tokens = {seat: token for seat, token in tokens.items() if seat < first} | dict(held)
            seen = {seat: seen.get(seat, 0) if seat < first else 0 for seat in tokens}
        if append.renew is not None:
            seat, token = append.renew
            tokens[seat] = token
            seen.setdefault(seat, 0)
        changes: dict[str, Any] = {
            "touched": append.rows[-1].at,
            "over": append.over,
            "due": append.due,
            "number": append.rows[-1].number,
            "size": self.size + size_of(append.rows),
            "tokens": tokens,
            "seen": seen,
        }
        return self.model_copy(update=changes if append.plan is None else changes | {"plan": append.plan})

    def with_rows(self, rows: tuple[Row, ...]) -> Game:
        """Return the game, with its events."""
        return Game(self.game, self.plan, bytes.fromhex(self.secret), self.host, dict(self.tokens), rows, self.code)


class Kept(NamedTuple):
    """A game as far as it can be read."""

    game: str
    head: Head | None
    rows: tuple[Row, ...]
    """The events up to the first fault."""
    fault: str = ""
    """What is wrong after that; "" if nothing is."""


class PageStore:
    """The games of this browser: a `farkel.web.store.values.Store`, and the small things beside them."""

    shared = False

    def __init__(self, database: Database) -> None:
        """Use `opened`."""
        self._database = database
        self._heads: dict[str, Head] = {}
        self._faults: dict[str, str] = {}
        """Games whose heads cannot be read, and why."""
        self._found: dict[str, str] = {}
        """What was wrong with games when they were read."""
        self._writing = asyncio.Lock()

    @classmethod
    async def opened(cls, database: Database) -> Self:
        """Return the store of a database. Raises `StoreError`."""
        store = cls(database)
        await store._look()
        return store

    async def _look(self) -> None:
        """Read all heads. Those that are known as they are stay, with what was claimed of them."""
        heads: dict[str, Head] = {}
        faults: dict[str, str] = {}
        for said in json.loads(await _asked(self._database.heads())):
            try:
                head = Head.model_validate(said)
            except ValidationError:
                faults[str(said.get("game"))] = "its beginning can't be read"
            else:
                known = self._heads.get(head.game)
                heads[head.game] = known if known is not None and known.number == head.number else head
        self._heads, self._faults = heads, faults

    # What a store does ------------------------------------------------------------------------------------------------

    async def load(self, game: str) -> Game | None:
        """Return the whole game; None if there is none. Raises `RecordError` ``damaged`` if it cannot be read."""
        if game not in self._heads and game not in self._faults:
            return None
        kept = await self.read(game)
        if kept is None:
            return None
        if kept.fault or kept.head is None:
            raise damaged(kept.fault)
        return kept.head.with_rows(kept.rows)

    async def rows(self, game: str, after: int) -> tuple[Row, ...]:
        """Return the events of a game after that number. Raises `RecordError` ``damaged`` if one cannot be read."""
        _, rows, fault = await self._events(game, after)
        if fault:
            raise damaged(fault)
        return rows

    async def write(self, write: Write) -> bool:
        """Store it; whether it was stored. It is on the disk when this returns."""
        async with self._writing:
            match write:
                case NewGame():
                    return await self._open(Head.of(write))
                case Append():
                    return await self._append(write)
                case Seen(game, seats, at):
                    head = self._heads.get(game)
                    if head is None or not head.seen.keys() & set(seats):
                        return True
                    return await self._put(
                        head.model_copy(update={"seen": head.seen | {seat: at for seat in seats if seat in head.seen}})
                    )
                case PutOff(game, claimed, due):
                    head = self._heads.get(game)
                    if head is None or head.due != claimed:
                        return False
                    return await self._put(head.model_copy(update={"due": due}))
                case Dropped(game):
                    await self._remove(game)
                    return True

    async def _open(self, head: Head) -> bool:
        if not await self._write(add=[head]):
            raise AlreadyStored(*SAID["no_database"], f"there is a game {head.game} or {head.code} already")
        self._heads[head.game] = head
        return True

    async def _append(self, append: Append) -> bool:
        head = self._heads.get(append.game)
        if head is None:
            raise StoreError(*SAID["cleared"], f"there is no game {append.game}")
        if append.rows[0].number != head.number + 1:
            return False
        return await self._put(head.with_events(append), append.rows)

    async def _put(self, head: Head, rows: Sequence[Row] = ()) -> bool:
        written = await self._write(put=[head], rows={head.game: rows})
        if written:
            self._heads[head.game] = head
        return written

    async def _write(
        self,
        *,
        drop: Iterable[str] = (),
        add: Iterable[Head] = (),
        put: Iterable[Head] = (),
        rows: Mapping[str, Iterable[Row]] = {},
    ) -> bool:
        changes = {
            "drop": [*drop],
            "add": [head.model_dump(mode="json") for head in add],
            "put": [head.model_dump(mode="json") for head in put],
            "events": [[game, *row] for game, some in rows.items() for row in some],
        }
        try:
            written = await _asked(self._database.write(json.dumps(changes, ensure_ascii=False)))
        except StoreError as error:
            if error.code == "cleared":
                await self._look()
            raise
        if not written:  # another tab was first, or the same was sent twice
            await self._look()
        return written

    async def tell(self, game: str, message: dict[str, object]) -> None:
        """Tell nobody: there are no other processes."""

    async def find_seat(self, token: str) -> tuple[str, int] | None:
        """Return the game and the seat of a token's hash."""
        held = ((head, seat) for head in self._heads.values() for seat, one in head.tokens.items() if one == token)
        found = max(held, key=lambda one: one[0].touched, default=None) if token else None
        return None if found is None else (found[0].game, found[1])

    async def find_code(self, code: str) -> str | None:
        """Return the game that a code invites to."""
        return next((head.game for head in self._heads.values() if head.code == code), None) if code else None

    async def seen(self, game: str) -> dict[int, int]:
        """Return when the page of each remote seat was last known to be open; negative if it was closed."""
        head = self._heads.get(game)
        return {} if head is None else dict(head.seen)

    async def claim(self, at: int, until: int, most: int = 100) -> tuple[str, ...]:
        """Return games for which something is due, put off until then. That is not written: no other process looks."""
        due = sorted((head.due, head.game) for head in self._heads.values() if head.due is not None and head.due <= at)
        found = tuple(game for _, game in due[:most])
        self._heads |= {game: self._heads[game].model_copy(update={"due": until}) for game in found}
        return found

    async def wake(self, at: int) -> None:
        """Make everything due now that was put off: the page that was to do it is gone."""
        later = [head for head in self._heads.values() if head.due is not None and head.due > at]
        self._heads |= {head.game: head.model_copy(update={"due": at}) for head in later}

    async def answers(self, *, write: bool = False) -> None:
        """Read something. A page tells by its games whether they can be kept."""
        await _asked(self._database.names())

    async def open_games(self, since: int) -> int:
        """Return how many games are not over and were touched since then."""
        return sum(not head.over and head.touched >= since for head in self._heads.values())

    async def unplayed(self, since: int, opened_before: int) -> tuple[str, ...]:
        """Return none: no game of a page has to go for another."""
        return ()

    # What is kept -----------------------------------------------------------------------------------------------------

    async def games(self) -> list[Kept]:
        """Return all games without their events, the latest first; damaged ones as far as that shows, at the end."""
        async with self._writing:
            await self._look()
        counts: dict[str, int] = json.loads(await _asked(self._database.counts()))
        found = []
        for head in sorted(self._heads.values(), key=lambda head: -head.touched):
            whole = counts.get(head.game, 0) == head.number
            fault = self._found.get(head.game, "") if whole else "some of its events are missing"
            found.append(Kept(head.game, head, (), fault))
        lost = {game: "its beginning is missing" for game in counts if game not in self._heads}
        found += [Kept(game, None, (), fault) for game, fault in sorted((lost | self._faults).items())]
        return sorted(found, key=lambda kept: bool(kept.fault))

    async def read(self, game: str) -> Kept | None:
        """Return a game as far as it can be read; None if there is nothing of it."""
        there, rows, fault = await self._events(game, 0)
        if not there:
            self._heads.pop(game, None)
            return Kept(game, None, rows, fault or "its beginning is missing") if rows or fault else None
        head = self._heads.get(game)
        if head is None:
            fault = self._faults.get(game, "its beginning can't be read")
        elif not fault and len(rows) != head.number:
            fault = f"event {len(rows) + 1} is missing"
        self._found[game] = fault
        return Kept(game, head, rows, fault)

    async def _events(self, game: str, after: int) -> tuple[bool, tuple[Row, ...], str]:
        """Return whether there is such a game, its events after that number up to the first fault, and the fault."""
        said = json.loads(await _asked(self._database.events(game, after)))
        rows: list[Row] = []
        for one in said["rows"]:
            number = after + len(rows) + 1
            if not _readable(one):
                return said["there"], tuple(rows), f"event {number} can't be read"
            if one[0] != number:
                return said["there"], tuple(rows), f"event {number} is missing"
            rows.append(Row(*one))
        return said["there"], tuple(rows), ""

    async def add(self, head: Head, rows: Sequence[Row], *, instead: bool = False) -> bool:
        """Add a whole game, or put it in the place of the one of its name; return whether it was added."""
        async with self._writing:
            drop = [head.game] if instead else []
            written = await self._write(drop=drop, add=[head], rows={head.game: rows})
            if written:
                self._heads[head.game] = head
                self._faults.pop(head.game, None)
            return written

    async def remove(self, *games: str) -> None:
        """Delete games, damaged ones too."""
        async with self._writing:
            await self._remove(*games)

    async def _remove(self, *games: str) -> None:
        await self._write(drop=games)
        for game in games:
            self._heads.pop(game, None)
            self._faults.pop(game, None)

    async def thing(self, name: str) -> bytes | None:
        """Return the bytes kept by a name; None if there are none."""
        found = await _asked(self._database.thing(name))
        return found if found is None or isinstance(found, bytes) else found.to_bytes()

    async def keep(self, name: str, value: bytes) -> None:
        """Keep bytes by a name. They are on the disk when this returns."""
        await _asked(self._database.keep(name, value))

    async def forget(self, name: str) -> None:
        """Delete what is kept by a name."""
        await _asked(self._database.forget(name))

    async def things(self) -> list[str]:
        """Return the names of the small things."""
        names: list[str] = json.loads(await _asked(self._database.names()))
        return names


def damaged(fault: str) -> RecordError:
    """Return the error for a game that cannot be read further."""
    return RecordError(
        "damaged", f"this game is damaged: {fault}. Under {KEPT} you can save what is left of it, and remove it"
    )


def size_of(rows: Iterable[Row]) -> int:
    """Return the characters of events."""
    return sum(len(row.body) for row in rows)


def _readable(one: Any) -> bool:
    match one:
        case [int(), int(), str(kind), str(body), None | str()] if kind in KINDS:
            return kind == "move" or _is_object(body)
    return False


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


async def _asked(asking: Awaitable[T]) -> T:
    """Return the database's answer. Raises `StoreError`."""
    try:
        return await asking
    except Exception as error:
        name = getattr(error, "name", "")
        if name not in SAID:
            raise
        raise StoreError(*SAID[name], str(error)) from error
