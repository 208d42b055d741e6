"""Record files that are opened: each becomes a game that everyone may watch and nobody plays."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from farkel.records import Header, event_texts, parse_record, record_text, verify
from farkel.web.game.setup import BOT, HERE, MOST_WHO, GamePlan
from farkel.web.game.table import Draft, opening
from farkel.web.tokens import name_of

ANOTHER = "bot:other"
"""Decides for a seat in the plan, if the record names a player that only the program which wrote it knows."""


class RecordFile(NamedTuple):
    """An intact record, as the game that it becomes."""

    game: str
    """Follows from the record: however often it is opened, it is the same game."""
    plan: GamePlan
    draft: Draft
    """All of its rows."""
    over: bool


def record_file(data: bytes) -> RecordFile:
    """Read a record as strictly as ``farkel verify``. Raises `RecordError`."""
    record = parse_record(data)
    verify(record)
    header = record.header
    moves = (("move", text) for text in event_texts(data.decode("utf-8-sig").replace("\r", "")))
    draft = opening(record_text(header, ()), header)
    return RecordFile(
        name_of(sha256(f"opened {record.chain}".encode()).digest()),
        _plan_of(header),
        draft._replace(rows=(*draft.rows, *moves)),
        record.state.over,
    )


def _plan_of(header: Header) -> GamePlan:
    seats = [
        {
            "name": seat.name,
            "people": () if seat.people == (seat.name,) else seat.people,
            "who": HERE if seat.human else _bot(seat.player),
        }
        for seat in header.seats
    ]
    dice = "system" if header.dice.kind == "seeded" else header.dice.kind
    return GamePlan.model_validate({"rules": header.rules, "seats": seats, "dice": dice})


def _bot(player: str) -> str:
    return player if len(player) <= MOST_WHO and re.fullmatch(BOT, player) else ANOTHER
