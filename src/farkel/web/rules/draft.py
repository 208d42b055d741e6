"""Rules in the editor: the typed text of each field, its faults, and how it differs from the set they started from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args, get_origin

from farkel.errors import RulesError
from farkel.rules import (
    DEFAULT,
    CatchingUp,
    Lives,
    Penalties,
    Rules,
    TakingOver,
    allowed,
    explained,
    fields,
    named,
    names,
    validated,
)
from farkel.rules.as_text import flattened, without_clauses
from farkel.rules.model import FINE
from farkel.support.words import capital, sentence
from farkel.web.rules import pattern_rows as rows

FIELDS = {name: field for name, field in fields().items() if name not in rows.TABLES}
ABOUT = ("name", "title", "about", "source")
GAME = (
    ("game", "The game", ("dice", "rounds", "teams")),
    ("rolling", "Rolling and keeping", ("keep", "least_rolls", "last_die_tries")),
    ("banking", "Banking", ("entry", "entry_by")),
    ("end", "The end", ("finish",)),
)
"""The parts of the fields that are in no group. A field brings those along that follow it in the model, up to the next
one that is named here.
"""
PARTS: tuple[tuple[str, str, type], ...] = (
    ("take_over", "Taking over", TakingOver),
    ("lives", "Lives", Lives),
    ("penalties", "Penalties", Penalties),
    ("catching_up", "Catching up", CatchingUp),
)
"""The parts of the rules: the group of the fields, its heading, and the model that describes it."""

CODE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""Fields and choices as files have them; in the editor they are called what their labels say."""

Kind = Literal["number", "fine", "choice", "switch", "text", "long"]
"""How a field is filled in; a fine is a number or a word."""


class DraftEntry(NamedTuple):
    """One field of the rules in the editor."""

    field: str
    label: str
    explained: str
    kind: Kind
    value: str
    """As it was typed; a switch is ``true`` or empty."""
    choices: tuple[tuple[str, str], ...] = ()
    """A choice, and its label."""
    least: int = 0
    most: int = 0
    step: int = 1
    base: str | None = None
    """The field's value in the set that the rules started from; None if it is the same."""
    defects: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.field.replace(".", "-")


class Part(NamedTuple):
    """Fields that belong together."""

    id: str
    heading: str
    about: str
    entries: tuple[DraftEntry, ...] = ()
    lines: tuple[rows.PatternLine, ...] = ()
    """The rows of a table of patterns."""
    gone: tuple[rows.Gone, ...] = ()
    plain: bool = False
    """Whether it is open from the start."""
    whens: Mapping[str, str] = rows.WHENS
    thens: Mapping[str, str] = rows.THENS["scoring"]

    @property
    def differs(self) -> int:
        """How many of its rules are not as they are in the base."""
        bases = [*(one.base for one in self.entries), *(one.base for one in self.lines)]
        return sum(base is not None for base in bases) + len(self.gone)

    def holds(self, field: str) -> bool:
        """Return whether the field, or the row of a table, is in this part."""
        return any(one.field == field for one in self.entries) or field.startswith(f"{self.id}.")

    @property
    def faulty(self) -> bool:
        return any(one.defects for one in self.entries) or any(one.defects for one in self.lines)


@dataclass(frozen=True)
class RulesDraft:
    """Rules in the editor: the typed text of each field, and the set that they started from."""

    typed: Mapping[str, str]
    tables: rows.Rows
    """The rows of the tables of patterns."""
    base: Rules

    @classmethod
    def of(cls, rules: Rules, base: Rules | None = None) -> RulesDraft:
        """Return the draft that these rules are."""
        return cls(_typed(rules), rows.rows_of(rules), base or _base(rules))

    @cached_property
    def outcome(self) -> Rules | RulesError:
        """The rules, or what keeps them from being any."""
        tree: dict[str, Any] = {table: rows.tree_of(typed) for table, typed in self.tables.items()}
        for field, text in self.typed.items():
            *path, last = field.split(".")
            branch = tree
            for step in path:
                branch = branch.setdefault(step, {})
            branch[last] = _value(field, text)
        twice = tuple(line for table, typed in self.tables.items() for line in rows.doubles(table, typed))
        try:
            found = validated(tree, "the editor")
        except RulesError as error:
            return RulesError(error.code, error.message, (*twice, *error.defects), error.unknown)
        return RulesError("bad_rules", "\n".join(twice), twice) if twice else found

    @property
    def rules(self) -> Rules | None:
        return self.outcome if isinstance(self.outcome, Rules) else None

    @cached_property
    def defects(self) -> tuple[tuple[str, str], ...]:
        """The faults in plain words, each with the field that it begins with."""
        error = self.outcome
        return (
            ()
            if isinstance(error, Rules)
            else tuple(
                (rows.place_of(defect, self.tables) or _field_of(defect), plain(defect)) for defect in error.defects
            )
        )

    @property
    def differs(self) -> int:
        """How many fields are not as they are in the base."""
        before = _typed(self.base)
        return sum(self.typed[field] != before[field] for field in before) + rows.differing(self.tables, self.base)

    def reset(self, field: str) -> RulesDraft:
        """Return the draft with one field as it is in the base; unknown fields change nothing."""
        before = _typed(self.base)
        back = rows.reset(field, self.tables, self.base)
        if back is not None:
            return RulesDraft(self.typed, back, self.base)
        return RulesDraft({**self.typed, field: before[field]}, self.tables, self.base) if field in before else self

    def focus(self, field: str) -> str:
        """Return the field of the form that has the focus after one was set back."""
        table, _, form = field.partition(".")
        if table not in rows.TABLES:
            return field
        forms = [line.row.form for line in rows.lines_of(table, self.tables, self.base, ())]
        return f"{table}.{forms.index(form) if form in forms else forms.index('')}"

    @property
    def parts(self) -> tuple[Part, ...]:
        """All fields, by the part that they belong to."""
        entries = {field: self._entry(field) for field in FIELDS}
        about = Part("about-them", "About these rules", "", tuple(entries[field] for field in ABOUT))
        runs = _runs()
        game = [
            Part(
                name, heading, "", tuple(entries[field] for first in firsts for field in runs[first]), plain=index == 0
            )
            for index, (name, heading, firsts) in enumerate(GAME)
        ]
        groups = [self._part(group, heading, model, entries) for group, heading, model in PARTS]
        return (*game[:1], *(self._table(table) for table in rows.TABLES), *game[1:], *groups, about)

    def _table(self, table: str) -> Part:
        lines = rows.lines_of(table, self.tables, self.base, self.defects)
        return Part(
            table,
            rows.TABLES[table],
            rows.EXPLAINED[table],
            lines=lines,
            gone=rows.gone(table, self.tables, self.base),
            thens=rows.THENS[table],
        )

    def _part(self, group: str, heading: str, model: type, entries: Mapping[str, DraftEntry]) -> Part:
        inside = [field for field in entries if field.rpartition(".")[0] == group]
        about = without_clauses((model.__doc__ or "").splitlines()[0])
        return Part(group, heading, about, tuple(entries[field] for field in inside))

    def _entry(self, field: str) -> DraftEntry:
        info, value, before = FIELDS[field], self.typed[field], _typed(self.base)[field]
        choices: tuple[str, ...] = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
        limits = _limits(field)
        kind = _kind(field)
        meaning = CODE.sub(lambda code: code[0].replace("_", " "), explained(field))
        if kind in ("fine", "text"):
            meaning = f"{meaning}: {allowed(field)}"
        return DraftEntry(
            field,
            label(field),
            sentence(meaning),
            kind,
            value,
            tuple((choice, choice.replace("_", " ")) for choice in choices),
            limits.get("ge", 0),
            limits.get("le", 0),
            50 if limits.get("le", 0) > 1_000 else 1,
            _said(field, before) if value != before else None,
            tuple(defect for where, defect in self.defects if where == field),
        )


def _runs() -> dict[str, list[str]]:
    """Return the fields of `GAME` that follow each other in the model, by the first of them."""
    found, first = dict[str, list[str]](), ""
    begin = {field for _, _, firsts in GAME for field in firsts}
    for field in FIELDS:
        if "." not in field and field not in ABOUT:
            first = field if field in begin else first
            found.setdefault(first, []).append(field)
    return found


def draft_of_form(form: Mapping[str, Any]) -> RulesDraft:
    """Return the posted rules. A missing field is as in the base.

    A switch that is off is not sent: it is off if it is missing and any other field of its group is there.
    """
    sent = {name: text for name, text in form.items() if isinstance(text, str)}
    base = named(sent["base"]) if sent.get("base") in names() else named(DEFAULT)
    groups = {_group(field) for field in sent if field in FIELDS}
    typed = {
        field: sent.get(field, "" if _kind(field) == "switch" and _group(field) in groups else before)
        for field, before in _typed(base).items()
    }
    typed_rows = rows.rows_of_form(sent, base)
    return RulesDraft({field: text.replace("\r\n", "\n").strip() for field, text in typed.items()}, typed_rows, base)


def label(field: str) -> str:
    """Return what a field is called in the editor."""
    return capital(field.rpartition(".")[2].replace("_", " "))


VALUE = re.compile(r'\b([a-z]+(?:_[a-z]+)*(?:\.[a-z]+(?:_[a-z]+)*)*) = ("[^"]*"|-?[\w.]+)')
"""A field and its value in an error, as a file has them."""
ROW = re.compile(r"\b(?:scoring|rolled)\.(\w+)(?: = (-?\w+))?")
"""A pattern of a table, and what it pays."""
IN_FILES = re.compile(r"; or all that it is, such as \{.*?\}")
DOTTED = re.compile(r"\b[a-z_]+\.[a-z_]+\b")
REFUSED = re.compile(r"([\w.]+) = (.+) is not allowed; \1 is (.+)", re.DOTALL)
PATTERN = re.compile(r"(?:scoring|rolled)\.\S+ = .+ is not allowed: (.+)", re.DOTALL)


def plain(defect: str) -> str:
    """Return a fault as people say it, with the labels of the editor and the value that would be right."""
    if found := REFUSED.fullmatch(defect):
        field, given, right = found.groups()
        limits, number = _limits(field) if field in FIELDS else {}, given.strip('"')
        if limits and re.fullmatch(r"-?\d+", number):
            low = int(number) < limits["ge"]
            most = f"{'at least' if low else 'at most'} {limits['ge' if low else 'le']:,}"
            return f"{_called(field)} can’t be {int(number):,}: enter {most}."
        return f"{_called(field)} can’t be {given}: enter {right}."
    if found := PATTERN.fullmatch(defect):
        return sentence(IN_FILES.sub("", found[1]))
    said = ROW.sub(lambda one: f"“{one[1]}”" + (f" {_in_words(one[2])}" if one[2] else ""), IN_FILES.sub("", defect))
    said = VALUE.sub(lambda one: f"{_called(one[1])} {_in_words(one[2])}" if one[1] in FIELDS else one[0], said)
    said = DOTTED.sub(lambda one: _called(one[0]) if one[0] in FIELDS else one[0], said)
    return sentence(CODE.sub(lambda code: code[0].replace("_", " "), said))


def _called(field: str) -> str:
    """Return a field as a sentence names it, with its part if it has one: ``Lives, each``."""
    heading = next((heading for group, heading, _ in PARTS if group == _group(field)), "")
    return f"{heading}, “{label(field)}”" if heading else f"“{label(field)}”"


def _in_words(value: str) -> str:
    """Return a value of an error as people write it."""
    if re.fullmatch(r"-?\d+", value):
        return f"{int(value):,}"
    return {"true": "on", "false": "off"}.get(value, value.strip('"').replace("_", " "))


def _limits(field: str) -> dict[str, int]:
    """Return the least and the most of a whole number: ``ge`` and ``le``."""
    rules = FIELDS[field].metadata
    return {name: getattr(rule, name) for rule in rules for name in ("ge", "le") if hasattr(rule, name)}


def _typed(rules: Rules) -> dict[str, str]:
    """Return what would have to be typed for these rules."""
    return {field: _text(value) for field, value in flattened(rules.model_dump(exclude=set(rows.TABLES)))}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    return str(value)


def _value(field: str, text: str) -> Any:
    """Return a typed text as a value; an invalid one stays a text, which is then found to be wrong."""
    match _kind(field):
        case "switch":
            return text != ""
        case "number" | "fine" if rows.NUMBER.fullmatch(text):
            return int(re.sub(r"[^-\d]", "", text))
        case _:
            return text


def _group(field: str) -> str:
    """Return the group that a field is in; "" for one that is in none."""
    return field.rpartition(".")[0]


def _kind(field: str) -> Kind:
    annotation = FIELDS[field].annotation
    if get_origin(annotation) is Literal:
        return "choice"
    if annotation is bool:
        return "switch"
    if annotation is int:
        return "number"
    if annotation == FINE:
        return "fine"
    return "long" if field in ("source", "about") else "text"


def _said(field: str, typed: str) -> str:
    """Return a value of the base in words."""
    match _kind(field):
        case "switch":
            return "yes" if typed else "no"
        case "number" | "fine" if typed.isdigit():
            return f"{int(typed):,}"
        case "choice":
            return typed.replace("_", " ")
        case _:
            return typed or "empty"


def _base(rules: Rules) -> Rules:
    """Return the set that a notation of these rules starts from."""
    return named(rules.name if rules.name in names() else "standard")


def _field_of(defect: str) -> str:
    """Return the field that a defect begins with; for a whole group its first one; "" for none."""
    match = re.match(r"[\w.]+", defect)
    start = match[0] if match else ""
    return start if start in FIELDS else next((field for field in FIELDS if field.startswith(f"{start}.")), "")
