"""What a player chose the last time: players, rules, dice, files of house rules, the bell and the colours.

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
from farkel.terminal.setup import DICE, games_folder

MOST_BYTES = 20_000
MOST_FILES = 9

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Preferences:
    """The choices of the last game that was set up; empty before the first one."""

    rules: Rules | None = None
    seats: tuple[Seating, ...] = ()
    dice: DiceKind | None = None
    files: tuple[str, ...] = ()
    """Files of house rules, the last one first."""
    bell: bool = False
    """Whether a bell rings when it is a person's turn."""
    theme: str = ""


def preferences_file(folder: Path | None) -> Path:
    """Return the file for games in this folder."""
    return (folder or games_folder()).parent / "setup.json"


def read_preferences(path: Path) -> Preferences:
    """Return what the file has, without unusable parts."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1).decode("utf-8")
        content = json_value(text) if len(text) <= MOST_BYTES and not json_excess(text) else None
    except (OSError, ValueError, RecursionError):
        content = None
    found: Mapping[str, Any] = content if isinstance(content, dict) else {}
    return Preferences(
        rules=_read(lambda: parse(found["rules"]), None),
        seats=_read(lambda: _seats(found["seats"]), ()),
        dice=_read(lambda: cast("DiceKind", found["dice"]) if found["dice"] in DICE else None, None),
        files=_read(lambda: _texts(found["files"])[:MOST_FILES], ()),
        bell=found.get("bell") is True,
        theme=_read(lambda: _texts([found["theme"]])[0], ""),
    )


def write_preferences(path: Path, preferences: Preferences) -> None:
    """Keep this for the next game, if it can be written."""
    content = {
        "rules": str(preferences.rules) if preferences.rules else None,
        "seats": [seat._asdict() for seat in preferences.seats],
        "dice": preferences.dice,
        "files": preferences.files[:MOST_FILES],
        "bell": preferences.bell,
        "theme": preferences.theme,
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
