"""Records read back, line by line, and checked."""

from __future__ import annotations

import codecs
import os
import re
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

from farkel.dice import parse_roll
from farkel.errors import CONTROL, DiceError, PlayerError, RecordError, RulesError
from farkel.game import (
    Event,
    Fresh,
    IllegalEvent,
    Keep,
    Leave,
    Note,
    State,
    TakeOver,
    Throw,
    apply,
)
from farkel.records import naming
from farkel.records.lines import (
    EVENTS,
    FIRST_LINE,
    KEYS,
    SAID,
    SEAT,
    VERSION,
    chained,
    event_said,
    fall_text,
    is_wrong,
    seat_text,
)
from farkel.records.naming import unquoted
from farkel.records.record import DiceSpec, Header, Move, Record, Seating, check_names
from farkel.rules import Rules, from_toml
from farkel.support.bounds import UTF_16, clipped, not_utf_8

MOST_BYTES = 16 * 2**20
"""Bytes of a record: some 220,000 events."""

MOST_LINES = 250_000


MOST_LINE = 8_192
"""Bytes of a line: a rules text of 1,000 characters has 4,000 at most."""

MOST_HEADER = 1_000
"""Lines of a header."""

TAIL = 4096
"""Bytes at the end of a record that hold its last lines."""

SECRET = re.compile(rb" *\d+  secret ")


GAME_OVER = re.compile(rb' *\d+  (?:"(?:[^"\\]|\\.)*"|[^:"]+): [^;"]+ ; (?:.*, )?game over, ')


HUMAN_DECISION = re.compile(
    rb'(?ms)^    (?P<name>"(?:[^"\\\n]|\\.)*"|[^:("\n]+?)(?: \((?:"(?:[^"\\\n]|\\.)*"|[^)"\n])*\))?: human\r?$'
    rb".*?^ *\d+  (?P=name): (?:keeps|takes|starts|notes) "
)


def read(path: Path | str) -> Record:
    """Read a record as far as it is intact. Raises `RecordError` with the path if its header is damaged."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)  # of a file without an end, too
    except FileNotFoundError:
        raise RecordError("no_file", f"there is no record {path}") from None
    except (OSError, ValueError) as error:  # not readable, or no name
        raise RecordError("unreadable", f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return parsed(data, path)


def parsed(data: bytes, path: Path) -> Record:
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
                    f'the last line is incomplete: "{quoted(lines[index])}"; everything above it is intact, '
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
    chain = chained("", "\n".join(body))
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
    check_names(seats)
    header.new_game()
    return header


@lru_cache(maxsize=256)
def _rules(written: str) -> Rules:
    """Return the rules of a header; many records share them."""
    return from_toml(written, "the record's rules") if written else Rules()


def _parse_seat(line: str) -> Seating:
    match = SEAT.fullmatch(line)
    if match is not None:
        name = unquoted(match["name"])
        people = tuple(map(unquoted, naming.parts(match["people"], ","))) if match["people"] else (name,)
        seat = Seating(name, people, match["player"])
        if seat_text(seat) == line:
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
    chain = chained(record.chain, body)
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
    said = event_said(event, before, record.header.names)
    note = text.removeprefix(said).removeprefix(" ; ")
    if text not in (said, f"{said} ; {note}") or is_wrong(note, event, before, after):
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
    return _parse_turn(verb, header, number)


def _parse_turn(verb: str, header: Header, number: int) -> Event:
    """Return what the seat to move does."""
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


def quoted(torn: bytes) -> str:
    """Return the readable part of a torn line, at most 60 characters."""
    text = torn[:240].decode(errors="replace").strip()[:60]
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
