"""The memory of the set-up between games: players, rules, dice, and files of house rules.

It is kept in a small file beside the folder of games. A file that is missing, damaged or too large is ignored, and one
that cannot be written is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from farkel.errors import FarkelError
from farkel.records import DiceKind, Seating, check_seats
from farkel.rules import Rules, parse
from farkel.support.bounds import json_excess, json_value
from farkel.terminal.output import whole
from farkel.terminal.setup import games_folder

MOST_BYTES = 20_000
MOST_FILES = 9
DICE: tuple[DiceKind, ...] = ("system", "committed", "manual")

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Remembered:
    """The choices of the last game that was set up; empty before the first one."""

    rules: Rules | None = None
    seats: tuple[Seating, ...] = ()
    dice: DiceKind | None = None
    files: tuple[str, ...] = ()
    """Files of house rules, the last one first."""
    bell: bool = False
    """Whether a bell rings when it is a person's turn."""
    theme: str = ""


def memory(folder: Path | None) -> Path:
    """Return the file for games in this folder."""
    return (folder or games_folder()).parent / "setup.json"


def recall(path: Path) -> Remembered:
    """Return the memory in the file, without unusable parts."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1).decode("utf-8")
        content = json_value(text) if len(text) <= MOST_BYTES and not json_excess(text) else None
    except (OSError, ValueError, RecursionError):
        content = None
    found: Mapping[str, Any] = content if isinstance(content, dict) else {}
    return Remembered(
        rules=_read(lambda: parse(found["rules"]), None),
        seats=_read(lambda: _seats(found["seats"]), ()),
        dice=_read(lambda: cast("DiceKind", found["dice"]) if found["dice"] in DICE else None, None),
        files=_read(lambda: _texts(found["files"])[:MOST_FILES], ()),
        bell=found.get("bell") is True,
        theme=_read(lambda: _texts([found["theme"]])[0], ""),
    )


def remember(path: Path, remembered: Remembered) -> None:
    """Keep this for the next game, if it can be written."""
    content = {
        "rules": str(remembered.rules) if remembered.rules else None,
        "seats": [seat._asdict() for seat in remembered.seats],
        "dice": remembered.dice,
        "files": remembered.files[:MOST_FILES],
        "bell": remembered.bell,
        "theme": remembered.theme,
    }
    with suppress(OSError, FarkelError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as part:
            part.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _read(read: Callable[[], Value], otherwise: Value) -> Value:
    try:
        return read()
    except (FarkelError, KeyError, TypeError, ValueError):
        return otherwise


def _seats(content: Any) -> tuple[Seating, ...]:
    seats = tuple(Seating(seat["name"], _texts(seat["people"]), *_texts([seat["player"]])) for seat in content)
    check_seats(seats)
    return seats


def _texts(content: Any) -> tuple[str, ...]:
    if not isinstance(content, Sequence) or not all(isinstance(text, str) for text in content):
        raise TypeError("not a list of texts")
    return tuple(content)
