"""The fields of the rules one by one, for interpreters that declare the fields they understand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import BaseModel

from farkel.rules.model import Rules
from farkel.rules.pattern_tables import NOTHING, PAY_THENS, THENS, WHENS

READ = frozenset(("scoring", "rolled"))
"""Tables that every interpreter reads off the score table, whatever they say."""
ASIDE = frozenset(("name", "title", "source", "about", "team_size", "most_seats"))
"""Fields without which a game of given seats is the same."""


PLAIN = frozenset(("scoring.", "scoring.all_dice", "rolled.", "rolled.all_dice", "rolled.farkle", "rolled.bank"))
"""What entries of tables may say that is told by the score table alone. Everything else is `special`."""
SPECIAL = (
    frozenset(f"scoring.{word}" for word in (*WHENS, *PAY_THENS, "confirm", "missing"))
    | frozenset(f"rolled.{word}" for word in (*WHENS, *THENS, "bonus"))
) - PLAIN
"""The names of what readers of the score table must understand besides."""


class Setting(NamedTuple):
    """A field with its value in some rules."""

    name: str
    """With dots, as in ``lives.each``."""
    value: Any
    default: Any

    @property
    def written(self) -> str:
        """What it says, as people write it: ``rolled.2222 = "win"``."""
        table, _, _ = self.name.partition(".")
        return f"{table}.{self.value}" if table in READ else f"{self.name} = {literal(self.value)}"


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
        yield from _special("scoring", form, pays.plain, said)
    for form, effect in rules.rolled.items():
        said = {effect.when, effect.then, "bonus" if effect.points > 0 and form != NOTHING else ""}
        yield from _special("rolled", form, effect.plain, said)


def _special(table: str, form: str, entry: object, said: set[str]) -> Iterator[Setting]:
    names = sorted({f"{table}.{word}" for word in said} - PLAIN)
    yield from (Setting(name, f"{form} = {literal(entry)}", "") for name in names)


def literal(value: object) -> str:
    """Return a value as TOML on one line: numbers, truth values and texts as in JSON, but that TOML escapes
    DEL as well.
    """
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}={literal(inner)}' for key, inner in value.items())}}}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def declared(parts: dict[str, str]) -> frozenset[str]:
    """Return the names of fields, given those of each part of the rules in a line."""
    return frozenset(part + name for part, names in parts.items() for name in names.split())


Values = Mapping[str, tuple[object, ...]]
"""Values of fields, by their names."""


def unknown(
    rules: Rules, understood: frozenset[str], but: Values = MappingProxyType({}), read: frozenset[str] = READ
) -> Setting | None:
    """Return the first field that is neither at its default nor understood, or has a value that is not.

    understood: as `declared` makes it. but: values of understood fields that are not. read: tables whose entries are
    read off the score table.
    """
    known = understood | read | ASIDE
    differing = (one for one in settings(rules) if one.value != one.default)
    strange = (one for one in chain(differing, special(rules)) if one.name not in known)
    return next(chain(strange, (one for one in settings(rules) if one.value in but.get(one.name, ()))), None)
