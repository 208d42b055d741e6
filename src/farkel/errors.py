"""The errors that a user can meet: each has a stable code and says what was wrong, where, and what would be right.

All of them are here except `farkel.game.IllegalEvent`, which holds a state of the game.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""Characters that a terminal obeys."""


class FarkelError(Exception):
    """The base of all errors. ``code`` is stable; ``message`` is for people.

    Messages quote what was given: control characters in them are written as escapes, apart from ends of lines.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = CONTROL.sub(lambda found: _escaped(found[0]), message)
        super().__init__(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        # Without this, errors whose arguments are not their message could not be sent between processes.
        return _restored, (type(self), self.args, self.__dict__)


def _escaped(sign: str) -> str:
    return sign if sign == "\n" else sign.encode("unicode_escape").decode()


def _restored(kind: type[FarkelError], args: tuple[Any, ...], values: dict[str, Any]) -> FarkelError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(values)
    return error


class RulesError(FarkelError):
    """Rules that cannot be read, or that contradict themselves.

    ``defects`` holds one sentence for each fault, ``unknown`` the fields and choices that this version does not have.
    """

    def __init__(self, code: str, message: str, defects: tuple[str, ...] = (), unknown: tuple[str, ...] = ()) -> None:
        super().__init__(code, message)
        self.defects = defects
        self.unknown = unknown


class DiceError(FarkelError):
    """Invalid dice: wrong faces, too many dice, or a source that cannot roll."""


class RecordError(FarkelError):
    """A record that cannot be read or written. ``line`` is the line at fault, counted from 1, if there is one."""

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        super().__init__(code, message if line is None else f"line {line}: {message}")
        self.line = line

    def of(self, path: Path) -> RecordError:
        """Return this error with the file's name in front of its message."""
        error = RecordError(self.code, f"{path}: {self.message}")
        error.line = self.line
        return error


class PlayerError(FarkelError):
    """An invalid player or seating: an unknown bot, names that clash, too many seats."""


class SolveError(FarkelError):
    """An exact answer is impossible: rules that are not solved, or too little memory or disk."""


class PositionError(FarkelError):
    """A position that cannot occur under the rules, or that asks for no decision."""


class ArenaError(FarkelError):
    """An invalid simulation: its games, its seed or its limits."""


class EnvError(FarkelError):
    """An invalid training environment, or an action that it does not take.

    Codes: ``not_installed``, ``bad_option``, ``illegal_action``.
    """


class CannotUndo(FarkelError):
    """Nothing can be undone now; the message says why."""


class ServerError(FarkelError):
    """A refusal of a server, with its own ``code`` and ``message``. ``body`` is its whole answer."""

    def __init__(self, code: str, message: str, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(code, message)
        self.status = status
        self.body = body


class Unreachable(FarkelError):
    """The server does not answer."""
