"""The fields of the rules one by one, for interpreters that declare the fields they understand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from pydantic import BaseModel

from farkel.rules.model import Rules
from farkel.rules.tables import NOTHING

READ = frozenset(("scoring", "rolled"))
"""Tables that every interpreter reads off the score table, whatever they say."""
ASIDE = frozenset(("name", "title", "source", "about", "team_size", "most_seats"))
"""Fields without which a game of given seats is the same."""


SPECIAL_COMBINATIONS = frozenset(("first_roll", "after_set", "roll", "confirm", "bank", "win", "missing"))
SPECIAL_ROLLS = frozenset(("first_roll", "after_set", "win", "lose", "zero", "again", "bonus"))
"""What entries of tables may say that readers of the score table must understand besides."""
SPECIAL = frozenset([f"scoring.{word}" for word in SPECIAL_COMBINATIONS] + [f"rolled.{word}" for word in SPECIAL_ROLLS])
"""Their names."""


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


def special(rules: Rules) -> Iterator[Setting]:
    """Yield what entries of tables say that a score table alone does not tell.

    Each has a name of its own, such as ``scoring.win``.
    """
    for form, pays in rules.scoring.items():
        said = {pays.when, pays.then, "confirm" if pays.confirm else "", "missing" if pays.missing else ""}
        yield from (Setting(f"scoring.{word}", f"{form} = {pays.plain}", "") for word in said & SPECIAL_COMBINATIONS)
    for form, effect in rules.rolled.items():
        said = {effect.when, effect.then, "bonus" if effect.points > 0 and form != NOTHING else ""}
        yield from (Setting(f"rolled.{word}", f"{form} = {effect.plain}", "") for word in said & SPECIAL_ROLLS)


def declared(parts: dict[str, str]) -> frozenset[str]:
    """Return the names of fields, given those of each part of the rules in a line."""
    return frozenset(part + name for part, names in parts.items() for name in names.split())


def unknown(rules: Rules, understood: frozenset[str]) -> Setting | None:
    """Return the first field that is neither at its default nor among the understood ones."""
    known = understood | READ | ASIDE
    differing = (one for one in settings(rules) if one.value != one.default)
    return next((one for one in chain(differing, special(rules)) if one.name not in known), None)
