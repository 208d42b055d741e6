"""A game as a file: written line by line as it is played, read back, checked.

The format is described in ``docs/notation.md``. A record stands alone: it holds the rules, the seats, where the dice
came from and every event. Each line carries a check that depends on all lines above it, so that a damaged, cut off or
edited line is found and everything above it can still be trusted.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from farkel import naming
from farkel.dice import Roll, commitment, derive, faces_text, parse_roll, seeded
from farkel.errors import CONTROL, DiceError, PlayerError, RecordError, RulesError
from farkel.game import (
    Event,
    Fresh,
    IllegalEvent,
    Keep,
    Leave,
    Note,
    Phase,
    State,
    TakeOver,
    Throw,
    apply,
    ends_turn,
    new_game,
)
from farkel.game.story import counted, facts
from farkel.naming import unquoted, written
from farkel.rules import Rules, from_toml, to_lines
from farkel.support.bounds import UTF_16, clipped, not_utf_8
from farkel.support.system import lock, sync, sync_folder

VERSION = 1
"""Raised whenever an older reader would misunderstand a newer record."""

FIRST_LINE = f"farkel record {VERSION}"
KEYS = ("date", "rules", "seats", "dice", "word")
"""The fields of a header. A key that is missing here is one of a newer version."""
MOST_BYTES = 16 * 2**20
"""Bytes of a record: some 220,000 events."""
MOST_LINES = 250_000
MOST_LINE = 8_192
"""Bytes of a line: a rules text of 1,000 characters has 4,000 at most."""
MOST_HEADER = 1_000
"""Lines of a header."""
SEAT = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"|[^:("]+?)(?: \((?P<people>(?:"(?:[^"\\]|\\.)*"|[^)"])*)\))?: (?P<player>.+)'
)
"""The line of a seat. Names that could be mistaken for something else are in quotation marks."""
SAID = re.compile(r'(?P<who>"(?:[^"\\]|\\.)*"|[^:"]+): (?P<verb>[^;]+?)(?: ; .*)?')
"""The line of an event."""

DiceKind = Literal["system", "manual", "seeded", "committed"]


class Seating(NamedTuple):
    """One seat: its name, its people, and who decides, ``human`` or ``bot:...``."""

    name: str
    people: tuple[str, ...]
    player: str = "human"

    @property
    def human(self) -> bool:
        return self.player == "human"


class DiceSpec(NamedTuple):
    """The source of a game's dice, with the seed of ``seeded`` or the fingerprint of ``committed`` dice."""

    kind: DiceKind = "system"
    value: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """The choices made before the first event."""

    rules: Rules
    seats: tuple[Seating, ...]
    dice: DiceSpec
    date: str
    """When the game began: ``2026-11-21 14:03``."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)

    def new_game(self) -> State:
        """Return the state before the first event."""
        return new_game(self.rules, [len(seat.people) for seat in self.seats])


class Move(NamedTuple):
    """An event with the number of its line among the events, and the states around it."""

    number: int
    event: Event
    before: State
    after: State

    @property
    def ends_turn(self) -> bool:
        """Whether it ends the turn of the seat to move, or the game."""
        return ends_turn(self.before, self.event, self.after)


@dataclass(slots=True)
class Record:
    """A record as far as it is intact. ``problem`` says what is wrong after that, if anything."""

    header: Header
    moves: list[Move] = field(default_factory=list)
    """The lines that count, without undone ones."""
    number: int = 0
    """Number of the last intact line of events."""
    falls: list[int] = field(default_factory=list)
    """Numbers of the lines that say that dice left the table and were rolled again (C9), without those taken back."""
    secret: bytes | None = None
    problem: RecordError | None = None
    dropped: str = ""
    """Text of a last line that was cut off in writing, if resuming the game has removed one."""
    size: int = 0
    """Bytes up to the end of the last intact line."""
    chain: str = ""

    @property
    def state(self) -> State:
        """The state after the last move that was not undone."""
        return self.moves[-1].after if self.moves else self.header.new_game()

    def go_back(self, number: int) -> None:
        """Undo everything after the event line with that number."""
        self.moves = [move for move in self.moves if move.number <= number]
        self.falls = [fall for fall in self.falls if fall <= number]

    @property
    def fallen(self) -> int:
        """The number of times that dice left the table and were rolled again."""
        return len(self.falls)

    @property
    def throws(self) -> int:
        """The number of throws that were not undone, which is the index of the next one."""
        return sum(isinstance(move.event, Throw) for move in self.moves)


def check_seats(seats: Sequence[Seating]) -> None:
    """Raise `PlayerError` ``bad_name`` for names that cannot be used at a new table, or that look alike there.

    A record that is there already may have them: see `_check_names`.
    """
    for name in _names(seats):
        naming.check(name)
    for names in (tuple(seat.name for seat in seats), *(seat.people for seat in seats)):
        naming.check_apart(names)


def _check_names(seats: Sequence[Seating]) -> None:
    """Raise `PlayerError` ``bad_name`` if no program ever let seats have these names."""
    for name in _names(seats):
        if not naming.is_plain(name):
            naming.check(name)
    names = [seat.name for seat in seats]
    if len(set(names)) < len(names):
        naming.check_apart(names)


def _names(seats: Sequence[Seating]) -> Iterator[str]:
    for seat in seats:
        yield from (seat.name, *seat.people)


# Writing -------------------------------------------------------------------------------------------------------------


class Writer:
    """Appends to one record file, alone. Every line is on the disk before `append` returns."""

    def __init__(self, path: Path, file: BinaryIO, chain: str, number: int, size: int) -> None:
        self.path = path
        self._file = file
        self._chain = chain
        self._size = size
        self.number = number

    @classmethod
    def create(cls, path: Path, header: Header) -> Writer:
        """Start a record. Raises `RecordError` ``exists`` rather than overwrite a file, and ``unwritable``."""
        text, chain = _opening(header)
        if path.is_dir():
            raise RecordError("unwritable", f"{path} is a folder: name a file for the record")
        _make_folder(path.parent)
        with _writing(path):
            file = path.open("xb", buffering=0)
        writer = cls(path, file, chain, 0, 0)
        try:
            _play_alone(file, path)
            writer._write(text)
            with _writing(path):
                sync_folder(path.parent)
        except RecordError:
            writer.discard()
            raise
        return writer

    @classmethod
    def reopen(cls, path: Path) -> tuple[Writer, Record]:
        """Resume a record. If its last line was cut off, it goes to ``dropped``; other damage is a `RecordError`."""
        if not path.exists():
            raise RecordError("no_file", f"there is no record {path}")
        with _writing(path):
            file = path.open("r+b", buffering=0)
        _play_alone(file, path)  # before reading, as the program that holds it may be writing a line
        try:
            with _writing(path):
                data = file.read(MOST_BYTES + 1)
            record = _parsed(data, path)
            if record.problem is not None and record.problem.code != "cut_off":
                raise record.problem.of(path)
            writer = cls(path, file, record.chain, record.number, record.size)
            writer._cut()
        except RecordError:
            file.close()
            raise
        return writer, replace(record, problem=None, dropped=_shown(data[record.size :]))

    def append(self, text: str) -> int:
        """Write one numbered line and return its number."""
        line, chain = _line(self.number + 1, text, self._chain)
        self._write(line)
        self._chain = chain
        self.number += 1
        return self.number

    def close(self) -> None:
        self._file.close()

    def discard(self) -> None:
        """Close and remove a record in which nothing was played."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _write(self, text: str) -> None:
        data = text.encode()
        if self._size + len(data) > MOST_BYTES:
            raise RecordError("too_large", f"{self.path} is full: a record has at most {MOST_BYTES:,} bytes")
        self._cut()
        try:
            with _writing(self.path):
                rest = data
                while rest:
                    rest = rest[self._file.write(rest) :]
                sync(self._file.fileno())
        except RecordError:
            with suppress(RecordError):  # the rest of the line is removed before the next one is written
                self._cut()
            raise
        self._size += len(data)

    def _cut(self) -> None:
        """Remove everything after the last stored line, and go to its end."""
        with _writing(self.path):
            if self._file.seek(0, os.SEEK_END) > self._size:
                self._file.truncate(self._size)
            self._file.seek(self._size)


def record_text(header: Header, events: Iterable[str]) -> str:
    """Return a whole record as text, from the texts of its event lines as `take` reads them."""
    text, chain = _opening(header)
    lines = [text]
    for number, event in enumerate(events, 1):
        line, chain = _line(number, event, chain)
        lines.append(line)
    return "".join(lines)


def header_lines(header: Header) -> list[str]:
    """Return the lines above the events."""
    return [
        FIRST_LINE,
        f"date: {header.date}",
        f"rules: {header.rules.digest}",
        *(f"    {line}" for line in to_lines(header.rules)),
        "seats:",
        *(f"    {_seat_text(seat)}" for seat in header.seats),
        f"dice: {' '.join(filter(None, (header.dice.kind, header.dice.value)))}",
        *(f"word: {word}" for word in header.dice.words),
    ]


def _opening(header: Header) -> tuple[str, str]:
    """Return the text above the events and its check, from which the checks of the lines follow."""
    lines = header_lines(header)
    chain = _link("", "\n".join(lines))
    return "\n".join([*lines, "", f"{EVENTS} ~{chain[:8]}", ""]), chain


def _line(number: int, text: str, chain: str) -> tuple[str, str]:
    """Return a numbered line and its check, which depends on all lines above it."""
    body = f"{number:4}  {text}"
    chain = _link(chain, body)
    return f"{body:<62} ~{chain[:8]}\n", chain


def event_text(event: Event, before: State, after: State, names: Sequence[str]) -> str:
    """Return an event as a record has it, without its number: ``Ann: keeps 1 5, banks ; +450 = 1,200``."""
    note = _note(event, before, after)
    return _said(event, before, names) + (f" ; {note}" if note else "")


def _said(event: Event, before: State, names: Sequence[str]) -> str:
    """Return only the event, which is read again, without the note of its result."""
    return f"{written(names[event.seat if isinstance(event, Leave) else before.seat])}: {_verb(event, before)}"


def fall_text(name: str) -> str:
    """Return that dice of a player left the table, as a record has it."""
    return f"{written(name)}: dice fell"


def _verb(event: Event, before: State) -> str:
    match event:
        case Throw(faces):
            return f"{'throws' if before.phase is Phase.START else 'rolls'} {faces_text(faces, ' ')}"
        case Keep(dice, then):
            return f"keeps {faces_text(dice, ' ')}, {'banks' if then == 'bank' else 'rolls on'}"
        case TakeOver(dice):
            return f"takes over {dice}"
        case Fresh():
            return "starts fresh"
        case Leave():
            return "leaves the table"
        case Note() if event.passes:
            return "is passed over"
        case Note(points, dice, farkle):
            end = f"{counted(dice, 'die', 'dice')} left"
            if farkle:
                end = f"farkle with {counted(dice, 'die', 'dice')}" if dice else "farkle"
            return f"notes {points:,}, {end}"


def _note(event: Event, before: State, after: State) -> str:
    """Return the note of an event's result, for readers. Its words may change; its figures are checked (`_wrong`)."""
    notes = []
    for fact in facts(before, event, after):
        match fact.kind:
            case "kept" if isinstance(event, Keep) and event.then == "roll":
                notes.append(f"{after.points:,}")
            case "banked":
                notes.append(f"+{fact.points:,} = {fact.count:,}")
            case "farkle":
                notes.append(f"farkle, {-fact.points:,}" if fact.points else "farkle")
            case "lives_paid" | "lives_lost":
                notes.append(f"lives {fact.points}")
            case "fined" | "penalty" | "stake_lost" | "staked":
                notes.append(f"{fact.kind.replace('_', ' ')} {fact.points:,}")
            case "took_over":
                notes.append(f"for {fact.points:,}")
            case "gift" | "overtaken":
                notes.append(f"{fact.kind} {fact.points:,}")
            case "sent_back":
                notes.append(f"sent back to {fact.count:,}")
            case "kept_total":
                notes.append("farkle")
            case (
                "went_over"
                | "target_moved"
                | "win_waits"
                | "win_cancelled"
                | "out"
                | "last_turns"
                | "last_round"
                | "standing"
                | "another_turn"
                | "turns_again"
                | "turns_off"
                | "play_off"
                | "on_board"
                | "starts"
            ):
                notes.append(fact.kind.replace("_", " "))
            case "over" if after.result is not None:
                notes.append(f"game over, {after.result.reason}")
            case _:
                pass
    return ", ".join(notes)


def _wrong(note: str, event: Event, before: State, after: State) -> bool:
    """Return whether a note has a wrong figure. Its words are ignored: they differ between versions."""
    figures = {part for part in note.split(", ") if FIGURE.fullmatch(part)}
    if not figures:
        return False
    true = {f"{after.points:,}"} if isinstance(event, Keep) and event.then == "roll" else set()
    for fact in facts(before, event, after):
        match fact.kind:
            case "banked":
                true.add(f"+{fact.points:,} = {fact.count:,}")
            case "farkle":
                true.add(f"{-fact.points:,}")
            case _:
                pass
    return not figures <= true


# Reading -------------------------------------------------------------------------------------------------------------

EVENTS = "events:"
FIGURE = re.compile(r"-?[0-9][0-9,]*|\+[0-9][0-9,]* = -?[0-9][0-9,]*")
"""A part of a note that is checked: a turn total, points lost, or points banked and the score that they make."""
TAIL = 4096
"""Bytes at the end of a record that hold its last lines."""
SECRET = re.compile(rb" *\d+  secret ")
GAME_OVER = re.compile(rb' *\d+  (?:"(?:[^"\\]|\\.)*"|[^:"]+): [^;"]+ ; (?:.*, )?game over, ')
HUMAN_DECISION = re.compile(
    rb'(?ms)^    (?P<name>"(?:[^"\\\n]|\\.)*"|[^:("\n]+?)(?: \((?:"(?:[^"\\\n]|\\.)*"|[^)"\n])*\))?: human\r?$'
    rb".*?^ *\d+  (?P=name): (?:keeps|takes|starts|notes) "
)


def read(path: Path) -> Record:
    """Read a record as far as it is intact. Raises `RecordError` with the path if its header is damaged."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)  # of a file without an end, too
    except FileNotFoundError:
        raise RecordError("no_file", f"there is no record {path}") from None
    except OSError as error:
        raise RecordError("unreadable", f"{path} cannot be read: {error.strerror or error}") from None
    return _parsed(data, path)


def _parsed(data: bytes, path: Path) -> Record:
    """Return the record in a file. Raises `RecordError` with the path."""
    try:
        return parse_record(data)
    except RecordError as error:
        raise error.of(path) from None


def finished(path: Path) -> bool:
    """Return whether the game is over, as the last line of its record says; nothing else is read, nothing is checked.

    Raises `OSError` if the file cannot be read.
    """
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
        *lines, _ = file.read().split(b"\n")  # what stands after the last newline was cut off in writing
    while lines and SECRET.match(lines[-1]):
        lines.pop()
    return bool(lines) and GAME_OVER.match(lines[-1]) is not None


def person_decided(path: Path) -> bool:
    """Return whether a person has decided anything in the game, undone or not; nothing is checked.

    Raises `OSError` if the file cannot be read.
    """
    return HUMAN_DECISION.search(path.read_bytes()) is not None


def parse_record(data: bytes) -> Record:
    """Return a record from its bytes, as far as they are intact. Raises `RecordError` if the header is damaged.

    Files of a newer version of Farkel are refused as such (``version``), and files larger than any record
    is not looked at (``too_large``).
    """
    if data.startswith(UTF_16):
        raise RecordError("unreadable", not_utf_8(data))
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0  # some editors put it before a text
    lines = data[mark:].split(b"\n", MOST_LINES)
    if len(data) > MOST_BYTES or len(lines) > MOST_LINES:
        raise RecordError("too_large", f"a record has at most {MOST_BYTES:,} bytes and {MOST_LINES:,} lines")
    header, used, chain = _read_header(lines)
    record = Record(header, chain=chain, size=mark + sum(len(line) + 1 for line in lines[:used]))
    last = len(lines) - 1
    for index in range(used, len(lines)):
        if index == last and not lines[index]:
            break
        try:
            if index == last:
                raise RecordError(
                    "cut_off",
                    f'the last line is incomplete: "{_shown(lines[index])}"; everything above it is intact, '
                    "and the game can be resumed",
                    index + 1,
                )
            _read_line(record, lines[index], index + 1)
        except RecordError as problem:
            record.problem = problem
            break
        record.size += len(lines[index]) + 1
    return record


def _read_header(lines: list[bytes]) -> tuple[Header, int, str]:
    first = lines[0][:40].decode(errors="replace").rstrip("\r")
    if first != FIRST_LINE:
        if version := re.fullmatch(r"farkel record ([0-9]{1,9})", first):
            if int(version[1]) > VERSION:
                raise _newer(f'it is a "{first}"', 1)
            raise RecordError("version", f'this is "{first}"; this program reads "{FIRST_LINE}"', 1)
        raise RecordError("not_a_record", f'a record begins with "{FIRST_LINE}", this file with "{first}"', 1)
    text = [_decoded(line, number) for number, line in enumerate(lines[: _header_end(lines)], 1)]
    close = re.fullmatch(rf"{EVENTS} ~([0-9a-f]{{8}})", text[-1])
    if close is None:
        raise RecordError("cut_off_header", f'the header ends without its line "{EVENTS}"', len(text))
    body = text[:-1]
    while body and not body[-1]:
        body.pop()
    chain = _link("", "\n".join(body))
    if chain[:8] != close[1]:
        raise RecordError("edited", "the header was changed: its checksum does not match", len(text))
    try:
        return _parse_header(body), len(text), chain
    except RulesError as error:
        if error.unknown:
            raise _newer(f"its rules have {', '.join(error.unknown)}") from None
        raise RecordError("malformed", f"the header cannot be played: {error.message}") from None
    except PlayerError as error:
        raise RecordError("malformed", f"the header cannot be played: {error.message}") from None


def _newer(why: str, line: int | None = None) -> RecordError:
    """Return the error for an intact record that has something this version does not know."""
    return RecordError("version", f"written by a newer version of Farkel: {why}; update Farkel", line)


def _header_end(lines: list[bytes]) -> int:
    for number, line in enumerate(lines[:MOST_HEADER], 1):
        if line.startswith(EVENTS.encode()):
            return number
    return min(len(lines), MOST_HEADER)


def _parse_header(text: list[str]) -> Header:
    values: dict[str, str] = {}
    blocks: dict[str, list[str]] = {}
    words: list[str] = []
    key = ""
    for number, line in enumerate(text[1:], 2):
        if line.startswith("    ") and key in ("rules", "seats"):
            blocks.setdefault(key, []).append(line.strip())
            continue
        key, colon, value = line.partition(":")
        if not re.fullmatch(r"[a-z][a-z -]*", key) or not colon:
            raise RecordError("malformed", f'"{clipped(line)}" is not a header line', number)
        if key not in KEYS:
            raise _newer(f'its header has "{clipped(key)}:"', number)
        if key == "word":
            words.append(value.strip())
        elif key in values:
            raise RecordError("malformed", f'the header has "{key}:" twice', number)
        values[key] = value.strip()
    missing = [key for key in ("date", "rules", "seats", "dice") if key not in values]
    if missing:
        raise RecordError("malformed", f"the header has no {missing[0]}", 1)
    rules = _rules("\n".join(blocks.get("rules", [])))
    if values["rules"] != rules.digest:
        raise RecordError("rules_differ", f"the rules have the digest {rules.digest}, not {values['rules']}")
    seats = tuple(_parse_seat(line) for line in blocks.get("seats", []))
    kind, _, value = values["dice"].partition(" ")
    if kind not in ("system", "manual", "seeded", "committed"):
        raise RecordError("malformed", f'there are no dice "{kind}"')
    header = Header(rules, seats, DiceSpec(kind, value, tuple(words)), values["date"])  # type: ignore[arg-type]
    _check_names(seats)
    header.new_game()
    return header


@lru_cache(maxsize=256)
def _rules(written: str) -> Rules:
    """Return the rules of a header; many records share them."""
    return from_toml(written, "the record's rules") if written else Rules()


def _seat_text(seat: Seating) -> str:
    people = "" if seat.people == (seat.name,) else f" ({', '.join(map(written, seat.people))})"
    return f"{written(seat.name)}{people}: {seat.player}"


def _parse_seat(line: str) -> Seating:
    match = SEAT.fullmatch(line)
    if match is not None:
        name = unquoted(match["name"])
        people = tuple(map(unquoted, naming.parts(match["people"], ","))) if match["people"] else (name,)
        seat = Seating(name, people, match["player"])
        if _seat_text(seat) == line:
            return seat
    raise RecordError("malformed", f'"{clipped(line)}" is not a valid seat')


def _read_line(record: Record, data: bytes, number: int) -> None:
    """Take one line of events into the record, or raise `RecordError` and leave the record as it was."""
    line = _decoded(data, number)
    body, _, check = line.rpartition("~")
    body = body.rstrip(" ")
    match = re.fullmatch(r" *([0-9]{1,9})  (.*)", body)
    if match is None or not re.fullmatch(r"[0-9a-f]{8}", check):
        raise RecordError("malformed", f'"{line[:60]}" is not a line of a record', number)
    chain = _link(record.chain, body)
    if chain[:8] != check:
        raise RecordError("edited", "this line or one above it was changed: its checksum does not match", number)
    if int(match[1]) != record.number + 1:
        raise RecordError("malformed", f"event {match[1]} follows event {record.number}", number)
    take(record, match[2], number)
    record.chain = chain


def take(record: Record, text: str, line: int | None = None) -> None:
    """Take the next event line into the record: an event, an undo, or a revealed secret.

    Raises `RecordError` with the number of the line, by default that of the event, and leaves the record as it was.
    """
    number = record.number + 1 if line is None else line
    if back := re.fullmatch(r"back to ([0-9]{1,9})", text):
        _take_back(record, int(back[1]), number)
    elif secret := re.fullmatch(r"secret ([0-9a-f]{64})", text):
        if record.header.dice.kind != "committed" or not record.state.over:
            raise RecordError("illegal", "a secret is revealed when a game with committed dice is over", number)
        record.secret = bytes.fromhex(secret[1])
    elif text == fall_text(record.header.names[record.state.seat]) and record.header.dice.kind == "manual":
        record.falls.append(record.number + 1)
    else:
        _play(record, text, number)
    record.number += 1


def _take_back(record: Record, number: int, line: int) -> None:
    gone = record.moves[bisect_right(record.moves, number, key=lambda move: move.number) :]
    if not gone and not any(fall > number for fall in record.falls):
        raise RecordError("malformed", f"there is nothing after event {number} to take back", line)
    if record.header.dice.kind != "manual" and any(isinstance(move.event, Throw) for move in gone):
        raise RecordError("illegal", "a roll is undone: only rolls of real dice can be", line)
    record.go_back(number)


def _play(record: Record, text: str, number: int) -> None:
    before = record.state
    event = _parse_event(text, record.header, before, number)
    try:
        after = apply(before, event)
    except IllegalEvent as error:
        raise RecordError("illegal", f"against the rules: {error.message}", number) from None
    said = _said(event, before, record.header.names)
    note = text.removeprefix(said).removeprefix(" ; ")
    if text not in (said, f"{said} ; {note}") or _wrong(note, event, before, after):
        raise RecordError("wrong_note", f'"{text}" does not match what happened', number)
    record.moves.append(Move(record.number + 1, event, before, after))


def _parse_event(text: str, header: Header, state: State, number: int) -> Event:
    match = SAID.fullmatch(text)
    who = unquoted(match["who"]) if match else ""
    if match is None or who not in header.names:
        raise RecordError("malformed", f'"{text}" is not a valid event', number)
    seat, verb = header.names.index(who), match["verb"]
    if verb == "leaves the table":
        return Leave(seat)
    if seat != state.seat and not state.over:
        raise RecordError("illegal", f"it is the turn of {header.names[state.seat]}, not of {who}", number)
    try:
        if roll := re.fullmatch(r"(?:throws|rolls) ([1-6 ]+)", verb):
            return Throw(parse_roll(roll[1]))
        if keep := re.fullmatch(r"keeps ([1-6 ]+), (banks|rolls on)", verb):
            return Keep(parse_roll(keep[1]), "bank" if keep[2] == "banks" else "roll")
    except DiceError as error:
        raise RecordError("malformed", error.message, number) from None
    if take := re.fullmatch(r"takes over ([1-9]|10)", verb):
        return TakeOver(int(take[1]))
    if verb == "starts fresh":
        return Fresh()
    if verb == "is passed over":
        return Note(0, 0)
    if note := re.fullmatch(
        r"notes ([0-9,]{1,9}), (?:([0-9]) (?:die|dice) left|farkle(?: with ([0-9]|10) (?:die|dice))?)", verb
    ):
        if header.dice.kind != "manual":
            raise RecordError("illegal", "a turn is entered: only turns with real dice can be", number)
        return Note(int(note[1].replace(",", "") or 0), int(note[2] or note[3] or 0), farkle=note[2] is None)
    raise RecordError("malformed", f'"{verb}" is not a valid event', number)


def _decoded(data: bytes, number: int) -> str:
    if len(data) > MOST_LINE:
        raise RecordError("too_large", f"the line has {len(data):,} bytes; at most {MOST_LINE:,} are allowed", number)
    try:
        text = data.decode().rstrip("\r")
    except UnicodeDecodeError:
        raise RecordError("malformed", "the line is not UTF-8 text", number) from None
    if CONTROL.search(text):
        raise RecordError("malformed", "the line has control characters", number)
    return text


# Checking ------------------------------------------------------------------------------------------------------------


def verify(record: Record) -> list[str]:
    """Check a record and return the checks made. Raises `RecordError` at the first fault.

    Reading has already checked every event against the rules and every line against its check; here the dice follow:
    committed dice against the revealed secret, seeded ones against the seed.
    """
    if record.problem is not None:
        raise record.problem
    header, said = record.header, []
    said.append(f"{len(record.moves)} events, all within the rules ({header.rules.name}, {header.rules.digest})")
    kind = header.dice.kind
    throws = [move for move in record.moves if isinstance(move.event, Throw)]
    noted = sum(isinstance(move.event, Note) and not move.event.passes for move in record.moves)
    if noted:
        said.append(f"{counted(noted, 'turn', 'turns')} entered by people, which nothing can check")
    if kind == "manual":
        said.append(
            f"{len(throws)} rolls of real dice, entered by people; {counted(record.fallen, 'time', 'times')} dice fell"
        )
    elif kind == "system":
        said.append(f"{len(throws)} rolls by the system's generator, which cannot be checked afterwards")
    elif kind == "seeded":
        _check_throws(throws, seeded(header.dice.value).key, (), "the seed")
        said.append(f"{len(throws)} rolls follow from the seed {header.dice.value}")
    elif record.secret is None:
        said.append(f"{len(throws)} rolls cannot be checked yet: the secret is revealed when the game is over")
    else:
        if commitment(record.secret) != header.dice.value:
            raise RecordError("wrong_secret", "the revealed secret is not the one committed to before the game")
        _check_throws(throws, record.secret, header.dice.words, "the secret")
        said.append(f"{len(throws)} rolls follow from the secret committed to before the game")
    return said


def _check_throws(throws: list[Move], key: bytes, words: tuple[str, ...], origin: str) -> None:
    for index, move in enumerate(throws):
        faces: Roll = move.event.faces if isinstance(move.event, Throw) else ()
        due = derive(key, words, index, len(faces))
        if faces != due:
            raise RecordError(
                "wrong_dice",
                f"event {move.number}: the roll {faces_text(faces, '-')} does not follow from {origin}; "
                f"it should be {faces_text(due, '-')}",
            )


# Small things --------------------------------------------------------------------------------------------------------


def _shown(torn: bytes) -> str:
    """Return the readable part of a torn line, at most 60 characters."""
    text = torn[:240].decode(errors="replace").strip()[:60]
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _link(chain: str, text: str) -> str:
    return hashlib.sha256(f"{chain}\n{text}".encode()).hexdigest()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise RecordError(
            "exists", f"{path} exists already, and a record is never overwritten; choose another name"
        ) from None
    except OSError as error:
        raise RecordError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise RecordError(
            "unwritable", f"{folder} is a file, not a folder: choose another folder for records"
        ) from None
    except OSError as error:
        raise RecordError("unwritable", f"the folder {folder} cannot be created: {error.strerror or error}") from None


def _play_alone(file: BinaryIO, path: Path) -> None:
    """Keep a second program from writing to the same game; the lock goes with the file."""
    try:
        with _writing(path):
            if not lock(file.fileno(), wait=False):
                raise RecordError("in_use", f"{path} is being played by another program")
    except RecordError:
        file.close()
        raise
