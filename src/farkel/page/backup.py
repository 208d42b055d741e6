"""Everything that a page keeps as one file, and such a file taken back.

The file is a zip of plain text. What is in it, and what each is good for:

``games/DATE-GAME.farkel``
    The record of each game that has begun, as ``farkel verify``, ``farkel replay`` and ``farkel review`` read it.
``games/GAME.jsonl``
    The whole game, as `unpacked` reads it: on the first line what a record does not say (the plan, the secret of the
    dice, the hashes of tokens, and the cookies, which hold the tokens), and then each event on a line of its own.
``rules/NAME.toml``
    The house rules of these games.
``settings.jsonl``
    What scripts keep (``localStorage``), a name and a value on each line.
``farkel.json``
    Which format this is, and when it was saved.

A file that is opened may come from anyone. It is bounded before it is unpacked, and each game is played again under its
rules before it is stored.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from hashlib import sha256
from io import BytesIO
from itertools import chain
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, Field, Json, TypeAdapter, ValidationError

from farkel.errors import FarkelError
from farkel.game import IllegalEvent
from farkel.page.store import Head, Kept, Millis, PageStore, Sign, size_of
from farkel.records import MOST_LINES, record_text
from farkel.rules import Rules, named, names, to_toml
from farkel.support.bounds import MOST_SEATS, json_excess, json_value
from farkel.support.words import counted, listed
from farkel.web.event_loop import off_loop
from farkel.web.game.record_files import record_file
from farkel.web.game.setup import Allowed, GamePlan, SeatPlan
from farkel.web.game.table import Table
from farkel.web.http import validation
from farkel.web.http.cookies import LINKS, MOST_TOKENS, SEAT, YEAR
from farkel.web.http.validation import Strict, Whole
from farkel.web.store.values import Game, Row, StoreError
from farkel.web.tokens import LETTERS

FORMAT = "farkel backup"
VERSION = 1
MIB = 2**20
MOST_BYTES = 64 * MIB
"""Bytes of a file."""
MOST_UNPACKED = 256 * MIB
MOST_PART = 16 * MIB
"""Bytes of one game."""
MOST_PARTS = 20_000
MOST_SETTINGS = 2_000
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
    ValueError,
    OverflowError,
)
"""What a zip raises that is damaged, or has a password."""
COOKIE = re.compile(rf"{SEAT}[0-9a-f]{{8}}|{LINKS}")
VALUE = re.compile(r"[A-Za-z0-9_:.-]{1,2000}")
BEGINNINGS = {
    b"PK\x03\x04": "backup",
    b"PK\x05\x06": "backup",
    b"farkel record ": "record",
    b"\xef\xbb\xbffarkel record ": "record",
    b'{"game":"': "game",
}
"""How files begin, but those with rules."""
HASH = "^([0-9a-f]{64})?$"


class BackupError(FarkelError):
    """A file that cannot be opened, or a backup that would be too large."""


class Cookies(Protocol):
    """The page's cookies, as `farkel.page.cookies.Cookies` has them."""

    def as_kept(self) -> Mapping[str, str]:
        """Return their values by ``PATH NAME``."""

    def take(self, header: str) -> None:
        """Take what an answer sets."""


# Saving ---------------------------------------------------------------------------------------------------------------


async def saved(store: PageStore, cookies: Cookies, settings: Mapping[str, str], now: datetime) -> bytes:
    """Return everything as one file. Raises `BackupError` ``too_large``, `StoreError`."""
    file, games, size, rules = BytesIO(), 0, 0, dict[str, Rules]()
    kept = cookies.as_kept()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name: str, text: str) -> None:
            nonlocal size
            data = text.encode("utf-8", "replace")
            size += len(data)
            if size > MOST_UNPACKED or file.tell() > MOST_BYTES or len(archive.infolist()) >= MOST_PARTS:
                raise BackupError(
                    "too_large",
                    "there is more here than one file may hold: save the largest games one by one, and remove them",
                )
            info = zipfile.ZipInfo(name, now.timetuple()[:6])
            info.external_attr = 0o644 << 16  # else nobody may read what is unpacked
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)

        async for game in _all(store):
            games += 1
            texts, played = await off_loop(_packed, game, kept)
            for name, text in texts.items():
                add(f"games/{name}", text)
            if played is not None:
                rules.setdefault(played.digest, played)
        for name, text in _house_rules(rules.values()):
            add(f"rules/{name}.toml", text)
        add("settings.jsonl", "".join(_line([name, value]) for name, value in _settings(settings.items())))
        about = {"format": f"{FORMAT} {VERSION}", "saved": f"{now:%Y-%m-%d %H:%M}", "games": games}
        add("farkel.json", json.dumps(about, indent=2) + "\n")
    return file.getvalue()


def record_of(kept: Kept) -> str:
    """Return the record of a game as far as it can be read; "" if it has none."""
    start = next((row for row in kept.rows if row.kind == "start"), None)
    if kept.head is None or start is None:
        return ""
    try:
        plan = GamePlan.model_validate_json(kept.head.plan)
        header = Table(kept.game, plan, bytes.fromhex(kept.head.secret)).header(json.loads(start.body))
        return record_text(header, (row.body for row in kept.rows if row.kind == "move"))
    except (FarkelError, KeyError, TypeError, ValueError):
        return ""


def packed(kept: Kept, cookies: Mapping[str, str] = {}) -> str:
    """Return a whole game as text, as `unpacked` reads it; a damaged one as far as it can be read."""
    head = {"game": kept.game} if kept.head is None else kept.head.model_dump(mode="json", exclude={*DERIVED})
    path = f"/g/{kept.game} "
    mine = {name.removeprefix(path): value for name, value in cookies.items() if name.startswith(path)}
    return "".join(_line(one) for one in chain([head | {"cookies": mine}], kept.rows))


def file_name(kept: Kept, end: str) -> str:
    """Return the name of a game's file."""
    day = f"{date.fromtimestamp(kept.head.touched / 1_000)}-" if kept.head is not None else ""
    return f"{day}{kept.game}.{end}"


async def _all(store: PageStore) -> AsyncIterator[Kept]:
    for one in await store.games():
        kept = await store.read(one.game)
        if kept is not None:
            yield kept


def _packed(kept: Kept, cookies: Mapping[str, str]) -> tuple[dict[str, str], Rules | None]:
    """Return the texts of a game by their names, and its rules if they can be read."""
    texts = {f"{kept.game}.jsonl": packed(kept, cookies)}
    if record := record_of(kept):
        texts[file_name(kept, "farkel")] = record
    try:
        return texts, None if kept.head is None else GamePlan.model_validate_json(kept.head.plan).rules
    except ValidationError:
        return texts, None


def _house_rules(played: Iterable[Rules]) -> Iterator[tuple[str, str]]:
    """Yield names and texts of rules that are not in the catalogue."""
    known = {named(name).digest for name in names()}
    used = set[str]()
    for rules in played:
        if rules.digest not in known:
            name = rules.name if rules.name not in used else f"{rules.name}-{rules.digest[:8]}"
            used.add(name)
            yield name, to_toml(rules)


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


# Opening --------------------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What became of a file."""

    added: int = 0
    continued: int = 0
    """Games that went on further in the file."""
    same: int = 0
    """Games that were here already, as they are in the file or further."""
    copied: int = 0
    """Games that went on differently in the file."""
    faults: tuple[str, ...] = ()
    """What is wrong with those that were left out."""
    settings: Mapping[str, str] = {}
    """For the scripts."""
    games: tuple[str, ...] = ()
    """The names of those that are here now."""
    stopped: str = ""
    """Why the rest was not taken."""

    @property
    def sentence(self) -> str:
        """What was done, in one sentence."""
        copied = "differs and became a copy" if self.copied == 1 else "differ and became copies"
        damaged = "is damaged and stayed out" if len(self.faults) == 1 else "are damaged and stayed out"
        done = {
            f"{'was' if self.added == 1 else 'were'} added": self.added,
            f"{'was' if self.continued == 1 else 'were'} brought up to date": self.continued,
            f"{'was' if self.same == 1 else 'were'} here already": self.same,
            copied: self.copied,
            f"{damaged} ({self.faults[0] if self.faults else ''})": len(self.faults),
        }
        parts = [(count, what) for what, count in done.items() if count]
        first = counted(parts[0][0], "game", "games") if parts else ""
        said = [f"{count:,} {what}" if place else f"{first} {what}" for place, (count, what) in enumerate(parts)]
        text = listed(said, "and") or "the file holds no games"
        return f"{text}; then it stopped: {self.stopped}" if self.stopped else text


def kind_of(data: bytes) -> str:
    """Return what a file is by its beginning: a ``backup``, a ``game`` out of one, a ``record``, or ``rules``."""
    return next((kind for beginning, kind in BEGINNINGS.items() if data.startswith(beginning)), "rules")


async def opened(store: PageStore, cookies: Cookies, data: bytes) -> Outcome:
    """Take back a file. Nothing that is here is lost by it. Raises `BackupError`."""
    with _archive(data) as archive:
        outcome = Outcome(settings=await off_loop(_read_settings, archive))
        for info in archive.infolist():
            if not re.fullmatch(r"games/[a-z0-9]{12}\.jsonl", info.filename):
                continue
            try:
                game = await off_loop(unpacked, _part(archive, info))
                outcome = await _take(store, cookies, game, outcome)
            except BackupError as error:
                outcome = outcome._replace(faults=(*outcome.faults, f"{info.filename[6:18]}: {error.message}"))
            except StoreError as error:
                return outcome._replace(stopped=error.message)
    return outcome


async def opened_game(store: PageStore, cookies: Cookies, data: bytes) -> Outcome:
    """Take back a single game. Raises `BackupError`, `StoreError`."""
    if len(data) > MOST_PART:
        raise BackupError("too_large", f"a game has at most {MOST_PART // MIB} MB")
    return await _take(store, cookies, await off_loop(unpacked, data), Outcome())


class Unpacked(NamedTuple):
    """A game from a file."""

    head: Head
    rows: tuple[Row, ...]
    cookies: Mapping[str, str]


Seat = Annotated[Whole, Field(ge=0, lt=MOST_SEATS)]
Hash = Annotated[str, Field(pattern=HASH)]
Said = Annotated[str, Field(min_length=1, max_length=40)]


class _Packed(Strict):
    """The first line of a game."""

    game: Annotated[str, Field(pattern=validation.NAME)]
    opened: Millis
    touched: Millis
    plan: str
    secret: Hash
    """"" in a record that was opened: nobody plays it."""
    host: Hash
    tokens: dict[Seat, Hash]
    seen: dict[Seat, Sign]
    code: Annotated[str, Field(pattern="^[2-9A-Z]{0,6}$")]
    cookies: Annotated[dict[str, str], Field(max_length=MOST_TOKENS + 1)]


DERIVED = frozenset({"over", "due", "number", "size"})
"""What follows from the rest."""


class _Word(Strict):
    seat: Seat
    word: Said


class _Start(Strict):
    date: datetime
    words: Annotated[tuple[Said, ...], Field(max_length=MOST_SEATS)]
    record: str = ""
    """The head of a record that was opened."""


class _Away(Strict):
    seat: Seat
    by: Annotated[str, Field(pattern="^(pass|bot:cautious|bot:bold|bot:turn)$")]


class _Back(Strict):
    seat: Seat


class _Link(Strict):
    seat: Seat
    token: Hash


class _Again(Strict):
    game: Annotated[str, Field(pattern=validation.NAME)]


class _Plan(Strict):
    rules: Rules | None = None
    seats: Annotated[tuple[SeatPlan, ...] | None, Field(min_length=1, max_length=MOST_SEATS)] = None
    first: Seat = 0
    tokens: dict[Seat, Hash] = Field(default_factory=dict)


BODIES: Mapping[str, type[BaseModel]] = {
    "word": _Word,
    "start": _Start,
    "away": _Away,
    "back": _Back,
    "allow": Allowed,
    "link": _Link,
    "again": _Again,
    "plan": _Plan,
}
"""What an event says that is not a line of the record, by its kind."""
Line = tuple[
    Millis,
    Millis,
    Annotated[str, Field(pattern=f"^(move|{'|'.join(BODIES)})$")],
    str,
    Annotated[str, Field(pattern=validation.REQUEST)] | None,
]
_lines: TypeAdapter[Line] = TypeAdapter(Line)


def unpacked(data: bytes) -> Unpacked:
    """Return a game from its text, played again under its rules. Raises `BackupError`."""
    try:
        lines = data.decode().split("\n", MOST_LINES)
        if len(lines) > MOST_LINES or lines.pop():
            raise BackupError("malformed", f"its last line is cut off, or it has more than {MOST_LINES:,}")
        said = _Packed.model_validate(_value(lines[0]))
        rows = tuple(_row(_value(line), number) for number, line in enumerate(lines[1:], 1))
        if len({row.request for row in rows if row.request}) < sum(row.request is not None for row in rows):
            raise BackupError("malformed", "two of its submissions have the same name")
        GamePlan.model_validate(_value(said.plan)).check()
        game = Game(said.game, said.plan, bytes.fromhex(said.secret), said.host, dict(said.tokens), rows, said.code)
        table = Table.of(game)
        if not {*table.tokens, *table.words, *table.away, *said.tokens, *said.seen} <= {*range(len(table.names))}:
            raise BackupError("malformed", "it speaks of seats that are not there")
        if not said.secret or any(row.kind == "start" and "record" in json_value(row.body) for row in rows):
            _check_opened(said, rows, table)
    except ValidationError as error:
        raise BackupError("malformed", validation.said(error.errors(), "its text")) from None
    except IllegalEvent as error:
        raise BackupError("malformed", error.message) from None
    except BackupError:
        raise
    except FarkelError as error:
        raise BackupError(error.code, error.message) from None
    except (IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise BackupError("malformed", f"it can't be read: {error}") from None
    head = Head(
        **said.model_dump(exclude={"cookies"}),
        over=table.over,
        due=None if table.over else said.touched,
        number=len(rows),
        size=size_of(rows),
    )
    return Unpacked(head, rows, _cookies(said.cookies))


def _check_opened(said: _Packed, rows: tuple[Row, ...], table: Table) -> None:
    """Raise `BackupError` unless this is what a record becomes when it is opened."""
    made = record_file(table.text(rows).encode())
    there = said.game, said.secret, said.host, said.tokens, [(row.kind, row.body) for row in rows]
    if there != (made.game, "", "", {}, [*made.draft.rows]):
        raise BackupError("malformed", "it is not the game of the record in it")


def _value(line: str) -> Any:
    """Return the value of a line of JSON."""
    if excess := json_excess(line):
        raise BackupError(excess.code, f"one of its lines {excess.clause}")
    return json_value(line)


def _row(said: Any, number: int) -> Row:
    row = Row(*_lines.validate_python(said))
    if row.number != number:
        raise BackupError("malformed", f"event {number} is missing")
    if row.kind != "move":
        body = BODIES[row.kind].model_validate(_value(row.body))
        if not all(word.isprintable() for word in getattr(body, "words", ())):
            raise BackupError("malformed", f"event {number} has a word that can't be printed")
    return row


def _cookies(said: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in said.items() if COOKIE.fullmatch(name) and VALUE.fullmatch(value)}


async def _take(store: PageStore, cookies: Cookies, game: Unpacked, outcome: Outcome) -> Outcome:
    """Store a game from a file, unless it is here already."""
    head, rows = game.head, game.rows
    here = await store.read(head.game)
    if here is not None and _differs(here, game):
        copy = _renamed(game)
        there = await store.read(copy.head.game)
        if there is None:
            await _add(store, cookies, copy)
            return outcome._replace(copied=outcome.copied + 1, games=(*outcome.games, copy.head.game))
        return outcome._replace(same=outcome.same + 1, games=(*outcome.games, copy.head.game))
    outcome = outcome._replace(games=(*outcome.games, head.game))
    if here is not None and (len(rows), here.head is None) <= (len(here.rows), False):
        _keep_cookies(cookies, game)
        return outcome._replace(same=outcome.same + 1)
    await _add(store, cookies, game, instead=here is not None)
    if here is None:
        return outcome._replace(added=outcome.added + 1)
    return outcome._replace(continued=outcome.continued + 1)


def _differs(here: Kept, game: Unpacked) -> bool:
    """Return whether the game here is another one, or went on differently."""
    head = here.head
    if head is not None and (head.secret, head.host) != (game.head.secret, game.head.host):
        return True
    both = min(len(here.rows), len(game.rows))
    return here.rows[:both] != game.rows[:both]


def _renamed(game: Unpacked) -> Unpacked:
    """Return the game by a name that follows from what is in it, so that the same file makes no second copy."""
    said = json.dumps([game.head.game, game.head.secret, game.rows])
    name = "".join(LETTERS[byte % 32] for byte in sha256(said.encode()).digest()[:12])
    return game._replace(head=game.head.model_copy(update={"game": name, "code": ""}))


async def _add(store: PageStore, cookies: Cookies, game: Unpacked, *, instead: bool = False) -> None:
    head = game.head
    if await store.find_code(head.code) not in (None, head.game):
        head = head.model_copy(update={"code": ""})
    await store.add(head, game.rows, instead=instead)
    _keep_cookies(cookies, game)


def _keep_cookies(cookies: Cookies, game: Unpacked) -> None:
    """Take the cookies of a game that are not here."""
    path, here = f"/g/{game.head.game}", cookies.as_kept()
    for name, value in game.cookies.items():
        if f"{path} {name}" not in here:
            cookies.take(f"{name}={value}; Path={path}; Max-Age={YEAR}; HttpOnly; SameSite=lax")


def forget_cookies(cookies: Cookies, game: str) -> None:
    """Delete the cookies of a game."""
    path = f"/g/{game}"
    for place in [*cookies.as_kept()]:
        if place.startswith(f"{path} "):
            cookies.take(f'{place.removeprefix(path).strip()}=""; Path={path}; Max-Age=0')


def _archive(data: bytes) -> zipfile.ZipFile:
    """Return the archive in a file, if it is one of ours that is not too large. Raises `BackupError`."""
    # Counted as they are found, since a zip may lie about itself. Each part has such a mark.
    if len(data) > MOST_BYTES or data.count(b"PK\x01\x02") > MOST_PARTS:
        raise BackupError(
            "too_large", f"a file of this kind has at most {MOST_BYTES // MIB} MB and {MOST_PARTS:,} parts"
        )
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except UNREADABLE:
        raise BackupError(
            "unreadable", "this file is damaged, or only a part of it: open the one that “Save all” made"
        ) from None
    if sum(info.file_size for info in archive.infolist()) > MOST_UNPACKED:
        raise BackupError("too_large", f"this file unpacks to more than {MOST_UNPACKED // MIB} MB")
    try:
        about = json_value(_part(archive, archive.getinfo("farkel.json")).decode())
        found = re.fullmatch(rf"{FORMAT} ([0-9]{{1,9}})", about["format"])
    except (KeyError, TypeError, *UNREADABLE):
        found = None
    if found is None:
        raise BackupError("not_a_backup", "this zip is not from “Save all”: it has no farkel.json that says so")
    if int(found[1]) > VERSION:
        raise BackupError("version", "a newer version of Farkel has saved this file; update Farkel to open it")
    return archive


def _part(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return a part of an archive. Raises `BackupError`."""
    if info.file_size > MOST_PART:
        raise BackupError("too_large", f"it has more than {MOST_PART // MIB} MB")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BackupError("unreadable", "it is packed in an unknown way")
    try:
        return archive.read(info)
    except UNREADABLE:
        raise BackupError("unreadable", "a part of it is damaged, or has a password") from None


def _read_settings(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return what scripts keep, as far as it can be read."""
    try:
        lines = _part(archive, archive.getinfo("settings.jsonl")).decode().split("\n", MOST_SETTINGS)[:MOST_SETTINGS]
        return dict(_settings(_value(line) for line in lines if line))
    except (BackupError, KeyError, TypeError, ValueError):
        return {}


class _Setup(Strict):
    rules: str = ""
    variations: tuple[str, ...] = ()
    seats: Annotated[tuple[tuple[str, str], ...], Field(max_length=MOST_SEATS)] = ()
    way: str = ""


class _Mine(Strict):
    game: Annotated[str, Field(pattern=validation.NAME)]
    given: Annotated[float, Field(ge=0)] = 0.0
    """Winning chance that decisions cost, as the review of the game said."""


SETTINGS: Mapping[str, TypeAdapter[Any]] = {
    "farkel-(settings|last|opponent|word-[a-z0-9]{12}-[0-9]+)": TypeAdapter(Json[dict[str, str | int]]),
    "farkel-start": TypeAdapter(Json[_Setup]),
    "farkel-tips": TypeAdapter(Json[tuple[str, ...]]),
    "farkel-games": TypeAdapter(Json[tuple[_Mine, ...]]),
    "farkel-notify": TypeAdapter(Literal["on", "off"]),
    "farkel-told-[a-z0-9]{12}": TypeAdapter(Annotated[str, Field(pattern="^[0-9]{1,9}$")]),
    "farkel-commitment-[a-z0-9]{12}": TypeAdapter(Hash),
}
"""What scripts keep in this browser, and what it is made of. What belongs to a server is not saved: its groups, and the
entries that wait for it."""


def _settings(said: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield names and values that may be among those of scripts."""
    for pair in said:
        match pair:
            case [str(name), str(value)] if not json_excess(value):
                form = next((form for names, form in SETTINGS.items() if re.fullmatch(names, name)), None)
                with suppress(ValidationError, ValueError):
                    if form is not None:
                        form.validate_python(value)
                        yield name, value
