"""The lines of a record: what an event is written as, and what a line says about it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from farkel.dice import faces_text
from farkel.game import (
    Event,
    Fresh,
    Keep,
    Leave,
    Note,
    Phase,
    State,
    TakeOver,
    Throw,
)
from farkel.game.story import facts
from farkel.records.naming import written
from farkel.records.record import Header, Seating
from farkel.rules import to_lines
from farkel.support.words import counted_dice

VERSION = 1
"""Raised whenever an older reader would misunderstand a newer record."""

FIRST_LINE = f"farkel record {VERSION}"


KEYS = ("date", "rules", "seats", "dice", "word")
"""The fields of a header. A key that is missing here is one of a newer version."""

SEAT = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"|[^:("]+?)(?: \((?P<people>(?:"(?:[^"\\]|\\.)*"|[^)"])*)\))?: (?P<player>.+)'
)
"""The line of a seat. Names that could be mistaken for something else are in quotation marks."""

SAID = re.compile(r'(?P<who>"(?:[^"\\]|\\.)*"|[^:"]+): (?P<verb>[^;]+?)(?: ; .*)?')
"""The line of an event."""


def record_text(header: Header, events: Iterable[str]) -> str:
    """Return a whole record as text, from the texts of its event lines as `take` reads them."""
    text, chain = opening(header)
    lines = [text]
    for number, event in enumerate(events, 1):
        line, chain = numbered_line(number, event, chain)
        lines.append(line)
    return "".join(lines)


def event_texts(text: str) -> Iterator[str]:
    """Yield the texts of the event lines of an intact record, as `record_text` takes them."""
    _, _, events = text.partition(f"\n{EVENTS}")
    for line in events.split("\n")[1:]:
        if body := line.rpartition("~")[0].rstrip(" "):
            yield body.lstrip(" ").partition("  ")[2]


def header_lines(header: Header) -> list[str]:
    """Return the lines above the events."""
    return [
        FIRST_LINE,
        f"date: {header.date}",
        f"rules: {header.rules.digest}",
        *(f"    {line}" for line in to_lines(header.rules)),
        "seats:",
        *(f"    {seat_text(seat)}" for seat in header.seats),
        f"dice: {header.dice}",
        *(f"word: {word}" for word in header.dice.words),
    ]


def opening(header: Header) -> tuple[str, str]:
    """Return the text above the events and its check, from which the checks of the lines follow."""
    lines = header_lines(header)
    chain = chained("", "\n".join(lines))
    return "\n".join([*lines, "", f"{EVENTS} ~{chain[:8]}", ""]), chain


def numbered_line(number: int, text: str, chain: str) -> tuple[str, str]:
    """Return a numbered line and its check, which depends on all lines above it."""
    body = f"{number:4}  {text}"
    chain = chained(chain, body)
    return f"{body:<62} ~{chain[:8]}\n", chain


def event_text(event: Event, before: State, after: State, names: Sequence[str]) -> str:
    """Return an event as a record has it, without its number: ``Ann: keeps 1 5, banks ; +450 = 1,200``."""
    note = _note(event, before, after)
    return event_said(event, before, names) + (f" ; {note}" if note else "")


def event_said(event: Event, before: State, names: Sequence[str]) -> str:
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
            end = f"{counted_dice(dice)} left"
            if farkle:
                end = f"farkle with {counted_dice(dice)}" if dice else "farkle"
            return f"notes {points:,}, {end}"


def _note(event: Event, before: State, after: State) -> str:
    """Return the note of an event's result, for readers. Its words may change; its figures are checked (`is_wrong`)."""
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
            case "fined" | "turn_fined" | "penalty" | "stake_lost" | "staked":
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
                | "exact_hit"
                | "knocked_out"
                | "turns_off"
                | "play_off"
                | "on_board"
                | "off_board"
                | "starts"
            ):
                notes.append(fact.kind.replace("_", " "))
            case "over" if after.result is not None:
                notes.append(f"game over, {after.result.reason}")
            case _:
                pass
    return ", ".join(notes)


def is_wrong(note: str, event: Event, before: State, after: State) -> bool:
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


EVENTS = "events:"


FIGURE = re.compile(r"-?[0-9][0-9,]*|\+[0-9][0-9,]* = -?[0-9][0-9,]*")
"""A part of a note that is checked: a turn total, points lost, or points banked and the score that they make."""


def seat_text(seat: Seating) -> str:
    """Return a seat as a line of the header has it."""
    people = "" if seat.people == (seat.name,) else f" ({', '.join(map(written, seat.people))})"
    return f"{written(seat.name)}{people}: {seat.player}"


def chained(chain: str, text: str) -> str:
    """Return the check of a text that follows the lines with that check."""
    return hashlib.sha256(f"{chain}\n{text}".encode()).hexdigest()
