"""The errors that a user can meet: each has a stable code and says what was wrong, where, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class FarkelError(Exception):
    """Something a user gave cannot be used. ``code`` is stable; the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        # Without this, errors whose arguments are not their message could not be sent between processes.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[FarkelError], args: tuple[Any, ...], values: dict[str, Any]) -> FarkelError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(values)
    return error


class RulesError(FarkelError):
    """A rule set cannot be read, or contradicts itself.

    ``defects`` holds one sentence for each fault found, ``unknown`` the fields and choices that
    this version does not have.
    """

    def __init__(self, code: str, message: str, defects: tuple[str, ...] = (), unknown: tuple[str, ...] = ()) -> None:
        super().__init__(code, message)
        self.defects = defects
        self.unknown = unknown


class DiceError(FarkelError):
    """Dice that cannot be: wrong faces, too many, or a source that cannot throw."""


class RecordError(FarkelError):
    """A record cannot be read or written. ``line`` is the 1-based line at fault, where there is one."""

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        super().__init__(code, message if line is None else f"line {line}: {message}")
        self.line = line

    def of(self, path: Path) -> RecordError:
        """Return the same error, with the file's name in front of its message."""
        error = RecordError(self.code, f"{path}: {self.message}")
        error.line = self.line
        return error


class PlayerError(FarkelError):
    """A player or a seating that cannot be: an unknown bot, names that clash, too many seats."""


class SolveError(FarkelError):
    """An exact answer that cannot be given: rules that it is not made for, or not enough memory or disk."""
