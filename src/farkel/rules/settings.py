"""The fields of the rules one by one, for those that do not simply run the law and declare what they understand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

from farkel.rules.model import Rules

READ = frozenset(("scoring", "rolled"))
"""Tables that everybody reads off the score table, whatever they say."""
ASIDE = frozenset(("name", "title", "source", "about", "team_size", "most_seats"))
"""What the game of given seats is the same without."""


class Setting(NamedTuple):
    """A field with its value in some rules."""

    name: str
    """With dots, as in ``lives.each``."""
    value: Any
    default: Any


def settings(part: BaseModel, before: str = "") -> Iterator[Setting]:
    """Yield every field with its value and its default."""
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            yield from settings(value, f"{before}{name}.")
        else:
            yield Setting(f"{before}{name}", value, field.default)


def declared(parts: dict[str, str]) -> frozenset[str]:
    """The names of fields, given those of each part of the rules in a line."""
    return frozenset(part + name for part, names in parts.items() for name in names.split())


def unknown(rules: Rules, understood: frozenset[str]) -> Setting | None:
    """Return the first field that is not at its default and not among those that somebody understands."""
    known = understood | READ | ASIDE
    found = (one for one in settings(rules) if one.value != one.default and one.name not in known)
    return next(found, None)
