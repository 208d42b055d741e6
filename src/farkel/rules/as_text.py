"""Rules as text: the catalogue of named sets, users' own files, changes of single fields, and back to text.

``parse(str(rules)) == rules`` for every rule set, and what `to_toml` and `to_json` print loads back equal.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from farkel import __version__
from farkel.errors import RulesError
from farkel.rules.catalogue_files import Tree, entry, names, rules_tree, variation_trees
from farkel.rules.model import FINE, MOST_POINTS, Rules, RulesPart
from farkel.rules.pattern_tables import NOTHING, PatternTable
from farkel.rules.patterns import PatternError, pattern_of, same
from farkel.rules.settings import literal
from farkel.rules.zones import FORM
from farkel.support.bounds import (
    MOST_FIELDS,
    MOST_QUOTED,
    MOST_TEXT,
    TOO_MANY,
    Excess,
    clipped,
    json_excess,
    json_value,
    not_utf_8,
    quoted,
    toml_excess,
    too_long,
)
from farkel.support.words import listed

DEFAULT = "extended"
"""The rule set that is played if none is given."""

MOST_DEFECTS = 20
"""Faults that an error lists."""
ALL_FIELDS = " All fields are listed by: farkel rules standard --toml"
AnyRules = Rules | str | Path | Mapping[str, Any]
"""Rules as a value, or as `load` reads them: a name, a notation, a file or a mapping of fields."""
UNHEARD = ("extra_forbidden", "literal_error")
"""What pydantic calls a field, and a choice of one, that is not in the model: a newer version may have it."""
FEW = 3
"""Names that an error recommends."""
LIKE = 60
"""Characters of a name that is compared with those that exist."""
MISTYPED = 0.75
"""How much alike a field and one that exists are, if it is only mistyped; 1 is equal."""
LEAST_WORD = 3
"""Letters of a word that is looked for in the names and descriptions of fields."""
TABLES = ("scoring", "rolled")
"""Fields that are tables: their entries are changed one by one."""
CLAUSES = re.compile(r" \((?:[A-Z]\d*(?:-[A-Z]?\d+)?(?:, )?)+\)")
"""Marks of clauses in descriptions of fields."""
BASE = "base"
"""The key of the set that a file changes."""
MARK = re.compile(r"# Rules of Farkel (\d{1,4}(?:\.\d{1,4}){0,3})\b")
"""How a rules file begins that `to_toml` wrote: with the version that wrote it."""


class Variation(NamedTuple):
    """A change that the text of a rule set names."""

    name: str
    about: str
    """Its changes, in words."""
    changes: Tree
    """All fields that it needs, as a file says them that has the set as its base."""

    def __str__(self) -> str:
        return f"{self.name} - {self.about}"


def named(name: str) -> Rules:
    """Return the rule set of that name from the catalogue. Raises `RulesError` ``unknown_rules``."""
    return _named(text_of(name, "the name of a rule set", 'such as "extended"'))


@cache
def _named(name: str) -> Rules:
    if name not in names():
        called = [each for each in names() if name.casefold() in map(str.casefold, entry(each).aliases)]
        close = called or _alike(name, names(), most=FEW)
        hint = f" Did you mean {' or '.join(quoted(each) for each in close)}?" if close else ""
        raise RulesError(
            "unknown_rules",
            f'there is no rule set "{clipped(name)}".{hint} All {len(names())} are listed by: farkel rules. '
            "A file of your own ends in .toml or .json and is given with its path: ./ours.toml",
        )
    return validated(rules_tree(name), f"{name}.toml")


def variations(name: str) -> tuple[Variation, ...]:
    """Return the variations that the text of a rule set of the catalogue names."""
    return _variations(text_of(name, "the name of a rule set", 'such as "extended"'))


@lru_cache(maxsize=256)
def _variations(name: str) -> tuple[Variation, ...]:
    found = variation_trees(name)
    return tuple(Variation(each, changes.pop("about"), changes) for each, changes in found.items())


def varied(rules: AnyRules, name: str) -> Rules:
    """Return the rules with a variation that the text of their set names. Raises `RulesError` ``unknown_variation``."""
    return _varied(as_rules(rules), text_of(name, "the name of a variation", 'such as "five-dice"'))


@lru_cache(maxsize=256)
def _varied(rules: Rules, name: str) -> Rules:
    known = {variation.name: variation for variation in variations(rules.name)}
    if name not in known:
        close = _alike(name, tuple(known))
        hint = f' Did you mean "{rules.name}:{close[0]}"?' if close else ""
        there = f"There are: {', '.join(known)}." if known else "It has none: change its fields."
        raise RulesError("unknown_variation", f'{rules.name} has no variation "{clipped(name)}".{hint} {there}')
    return validated(_with_changes(rules, known[name].changes), f"{rules.name}:{name}")


def load(
    spec: str | Path | Mapping[str, Any], changes: Sequence[str] = (), *, base: str | Path | Rules | None = None
) -> Rules:
    """Return rules from a catalogue name, a file (``.toml`` or ``.json``) or a notation, with
    ``field=value`` changes applied.

    ``base`` is the rule set that a file, or a mapping of fields, changes if it names none: a name, a file, a notation
    or rules. Raises `RulesError` with every fault found, each naming the field, the given value and the allowed ones.
    """
    if isinstance(changes, str) or not isinstance(changes, Sequence):
        raise _wrong("changes", changes, 'a list of changes, such as ["target=5000"]')
    below = base if base is None or isinstance(base, Rules) else _load(base, None, "base")
    return changed(_load(spec, below, "rules"), *changes)


def as_rules(given: AnyRules) -> Rules:
    """Return rules as they are, or as `load` reads them. Raises `RulesError`, for anything else too."""
    return given if isinstance(given, Rules) else _load(given, None, "rules")


def is_file(spec: str) -> bool:
    """Return whether a text is read as the path of a rules file, and not as a name or a notation."""
    return spec.endswith((".toml", ".json")) or ("/" in spec and not re.match(r"\s*[\w:,\s-]+\(", spec))


def _load(spec: object, base: Rules | None, what: str) -> Rules:
    """Return rules from a name, a file, a notation or a mapping."""
    if isinstance(spec, Mapping) and what == "rules":
        return validated(spec, "the rules given", base)
    if not isinstance(spec, str | Path):
        raise _wrong(what, spec, 'a name, a notation or the path of a file, such as "extended" or "ours.toml"')
    text = str(spec)
    if isinstance(spec, Path) or is_file(text):
        return _from_file(Path(text), base)
    if base is not None:
        raise RulesError(
            "base_of_name",
            f'"{clipped(text)}" is a whole rule set, which needs no base: leave out base, or give a file or a mapping '
            "of fields that says what differs from it",
        )
    return parse(text)


def parse(text: str) -> Rules:
    """Return rules from ``name``, ``name:variation,...`` or either with ``(field=value, ...)``, as `notation`.

    Variations apply in the order of their set, whatever the order in the text.
    """
    text = text_of(text, "a notation", 'such as "standard(target=5000)"')
    where = f'"{clipped(text)}"'
    _bounded(too_long(text), where)
    head, opened, inside = text.strip().partition("(")
    name, varied_by, varies = (part.strip() for part in head.partition(":"))
    chosen = [each.strip() for each in varies.split(",")] if varied_by else []
    if twice := [each for each in chosen if chosen.count(each) > 1]:
        raise RulesError("given_twice", f'{where} has the variation "{clipped(twice[0])}" twice; give it once')
    if not all(re.fullmatch(r"[\w-]+", each) for each in (name, *chosen)) or (opened and not inside.endswith(")")):
        raise RulesError(
            "bad_notation",
            f"{where} is not a rule set; write a name, name:variation or name(field=value, ...)",
        )
    rules = named(name)
    order = [variation.name for variation in variations(name)]
    for each in sorted(chosen, key=lambda each: order.index(each) if each in order else len(order)):
        rules = varied(rules, each)
    return _changed(rules, _split(inside[:-1]), where)


def notation(rules: AnyRules) -> str:
    """Return the rules as ``name:variation(field=value, ...)``.

    The name is that of their catalogue set, or ``standard``; variations are those that the rules have whole, and the
    fields are what differs besides.
    """
    return _notation(as_rules(rules))


@lru_cache(maxsize=256)
def _notation(rules: Rules) -> str:
    base, chosen = _nearest(rules)
    before, after = dict(flattened(_with_dice(base, rules.dice))), dict(flattened(rules.model_dump()))
    gone = {field: 0 for field in before if field not in after}
    different = {field: value for field, value in (after | gone).items() if value != before.get(field)}
    for table in TABLES:
        if not _reads_back(base, rules, table):
            different = {field: value for field, value in different.items() if not field.startswith(f"{table}.")}
            different[table] = getattr(rules, table).plain
    said = ", ".join(f"{field}={literal(value)}" for field, value in different.items())
    head = f"{base.name}:{','.join(chosen)}" if chosen else base.name
    return f"{head}({said})" if said else head


def _nearest(rules: Rules) -> tuple[Rules, list[str]]:
    """Return the catalogue set of the rules' name, or ``standard``, with those of its variations that the
    rules have whole.
    """
    if rules.name not in names():
        return named("standard"), []
    base, chosen = named(rules.name), []
    mine = dict(flattened(rules.model_dump()))
    for variation in variations(base.name):
        candidate = varied(base, variation.name)
        before, after = dict(flattened(base.model_dump())), dict(flattened(candidate.model_dump()))
        changes = [field for field in before | after if before.get(field) != after.get(field)]
        if changes and all(mine.get(field) == after.get(field) for field in changes):
            base = candidate
            chosen.append(variation.name)
    return base, chosen


def _reads_back(base: Rules, rules: Rules, field: str) -> bool:
    """Return whether a table is that of the base with its differences put in, and 0 for missing entries."""
    mine: PatternTable[Any] = getattr(rules, field)
    before: PatternTable[Any] = getattr(base, field)
    return type(mine)(dict.fromkeys(before.within(rules.dice), 0) | mine.plain) == mine


def _with_dice(rules: Rules, dice: int) -> Tree:
    """Return the tree of the rules with this many dice: without patterns that they cannot show."""
    return rules.model_dump() | {field: getattr(rules, field).within(dice) for field in TABLES}


# Given to the model from here, as the notation rests on the catalogue and that on the model.
Rules.__str__ = _notation  # type: ignore[method-assign]


def changed(rules: AnyRules, *changes: str) -> Rules:
    """Return the rules with ``field=value`` changes applied: ``scoring.111=300``. Values are TOML or bare words."""
    for change in changes:
        text_of(change, "a change", 'such as "target=5000"')
        _bounded(too_long(change), f'"{clipped(change)}"')
    return _changed(as_rules(rules), changes, "--set")


def _changed(rules: Rules, changes: Sequence[str], where: str) -> Rules:
    """Return the rules with ``field=value`` changes of bounded length; ``where`` names their origin in errors."""
    if not changes:
        return rules
    _bounded(TOO_MANY if len(changes) > MOST_FIELDS else None, where)
    pairs = [_pair(change) for change in changes]
    _once(pairs, where)
    tree = rules.model_dump()
    for dice in (_value(text, field) for field, text in pairs if field == "dice"):
        tree = _with_dice(rules, dice) if isinstance(dice, int) else tree
    for field, text in pairs:
        if field.partition(".")[0] in TABLES:
            _change_table(tree, field, _value(text, field))
            continue
        *path, last = field.split(".")
        branch: Any = tree
        for step in path:
            branch = branch.get(step) if isinstance(branch, dict) else None
        if not isinstance(branch, dict) or last not in branch:
            raise RulesError("unknown_field", _unknown(field))
        if isinstance(branch[last], dict):
            inner = ", ".join(f"{field}.{name}" for name in branch[last])
            raise RulesError("unknown_field", f'"{field}" is a group of fields, not one of them: {inner}')
        branch[last] = _value(text, field)
    return validated(tree, where)


def _pair(change: str) -> tuple[str, str]:
    """Return the field and the value of a change. Raises `RulesError`."""
    field, equals, text = (part.strip() for part in change.partition("="))
    if not equals:
        raise RulesError("bad_change", f'"{clipped(change)}" changes nothing: write FIELD=VALUE, such as target=5000')
    return field, text


def _once(pairs: Sequence[tuple[str, str]], where: str) -> None:
    """Raise `RulesError` ``given_twice`` for two values of one field, or of the same dice in a table."""
    met: dict[str, tuple[str, str]] = {}
    for field, text in pairs:
        table, _, pattern = field.partition(".")
        name = field
        if field in TABLES:
            name = next((one for one in met if one.startswith(f"{table}.")), field)
        elif table in TABLES:
            with suppress(PatternError):
                name = f"{table}.{pattern_of(pattern).text}"
        if name in met:
            values = " and ".join(f"{clipped(one)} = {clipped(value)}" for one, value in (met[name], (field, text)))
            raise RulesError("given_twice", f"{values} are given together ({where}); give one of them")
        met[name] = field, text


def _change_table(tree: Tree, field: str, value: Any) -> None:
    """Put an entry into a table, in place of one for the same dice; or a whole table."""
    table, _, pattern = field.partition(".")
    if field in TABLES:
        if not isinstance(value, dict):
            raise RulesError(
                "unknown_field", f'"{field}" is a table of patterns, not one of them: write {field}.111={quoted(value)}'
            )
        tree[field] = value
        return
    try:
        pattern_of("1" if pattern == NOTHING and table == "rolled" else pattern)
    except PatternError as error:
        raise RulesError("unknown_field", f"{clipped(field)}: {error}") from None
    tree[table] = _with_entries(tree[table], {pattern: value})


def _based(tree: Mapping[str, Any], where: str) -> Tree:
    """Return the whole tree of one that says only what differs from its base, a rule set of the catalogue
    or a notation.
    """
    if BASE not in tree:
        return dict(tree)
    given = {field: value for field, value in tree.items() if field != BASE}
    if not isinstance(tree[BASE], str):
        defect = f"{BASE} = {quoted(tree[BASE])} is not allowed; {BASE} is the name of a rule set or a notation"
        raise RulesError("bad_rules", f"these rules cannot be played ({where}):\n  - {defect}", (defect,))
    try:
        base = parse(tree[BASE])
    except RulesError as error:
        raise RulesError(error.code, f"{where}: base: {error.message}", error.defects, error.unknown) from None
    return _with_changes(base, given)


def _with_changes(base: Rules, given: Mapping[str, Any]) -> Tree:
    """Return the whole tree of rules that differ from others in the given fields."""
    dice = given.get("dice", base.dice)
    whole = _with_dice(base, dice) if isinstance(dice, int) else base.model_dump()
    for field, value in given.items():
        if not isinstance(value, Mapping) or not isinstance(whole.get(field), dict):
            whole[field] = value
        elif field in TABLES:
            whole[field] = _with_entries(whole[field], value)
        else:
            whole[field] = {**whole[field], **value}
    return whole


def _with_entries(table: Tree, entries: Mapping[str, Any]) -> Tree:
    """Return a table with entries put in, in place of those for the same dice."""
    put_in = {str(form): entry for form, entry in entries.items()}  # 111 is a number if rules are data in Python
    kept = {form: entry for form, entry in table.items() if not any(same(form, text) for text in put_in)}
    return {**kept, **put_in}


def validated(tree: Mapping[str, Any], where: str, base: AnyRules | None = None) -> Rules:
    """Return rules from a tree of plain values, which may say only what differs from a ``base``.

    ``where`` names their origin in the error. ``base`` is for a tree that names none itself.
    """
    if not isinstance(tree, Mapping):
        raise _wrong("rules", tree, 'a mapping of fields, such as {"target": 5000}')
    odd = next((field for field in tree if not isinstance(field, str)), None)
    if odd is not None:
        raise _wrong("the name of a field", odd, 'a text, such as "target"')
    tree = _based(tree, where) if base is None or BASE in tree else _with_changes(as_rules(base), tree)
    try:
        return Rules.model_validate(tree)
    except ValidationError as error:
        raise _bad_rules(error, where) from None


def _made(self: RulesPart, /, **given: Any) -> None:
    """Make rules, or a part of them, from fields. Raises `RulesError` with every fault found."""
    kind = type(self)
    try:
        BaseModel.__init__(self, **given)
    except ValidationError as error:
        part = next((name for name, info in Rules.model_fields.items() if info.annotation is kind), None)
        raise _bad_rules(error, kind.__name__, () if part is None else (part,)) from None


# Given to the model from here, as its words for faults rest on the fields. Data are validated without it.
RulesPart.__init__ = _made  # type: ignore[method-assign,assignment]


def _bad_rules(error: ValidationError, where: str, part: tuple[str, ...] = ()) -> RulesError:
    """Return the faults that pydantic found, in words; ``part`` of the rules has all of them, if it is one."""
    details = [ErrorDetails(**{**detail, "loc": (*part, *detail["loc"])}) for detail in error.errors(include_url=False)]
    lines = (line for detail in details for line in _defect(detail))
    defects = tuple(islice(_listed_once(lines), MOST_DEFECTS))
    unknown = tuple(name for detail in details[:MOST_DEFECTS] for name in _unheard(detail))
    more = [f"  - and {len(details) - MOST_DEFECTS:,} more"] if len(details) > MOST_DEFECTS else []
    heading = f"these rules cannot be played ({where}):"
    return RulesError(
        "bad_rules", "\n".join([heading, *(f"  - {defect}" for defect in defects), *more]), defects, unknown
    )


def from_toml(text: str, where: str = "TOML", base: AnyRules | None = None) -> Rules:
    """Return rules from TOML text.

    Raises `RulesError` ``too_large`` or ``too_deep`` before anything is parsed, ``malformed`` with the line,
    ``bad_rules``, or ``version`` for text that a newer version of this program wrote and this one cannot use.
    """
    _bounded(toml_excess(text_of(text, "TOML", 'such as "target = 5000"')), where)
    try:
        return validated(_filled(_toml(text), where), where, base)
    except ValueError as error:
        hint = _unquoted(text)
        said = f"{clipped(str(error), 2 * MOST_QUOTED)}{f'; text needs quotation marks: {hint}' if hint else ''}"
        fault = RulesError("malformed", f"{where} is not TOML: {said}")
    except RulesError as error:
        fault = error
    mark = MARK.match(text)
    if mark is not None and _version(mark[1]) > _version(__version__):
        raise RulesError(
            "version",
            f"{where} was written by a newer version of Farkel ({mark[1]}; this is {__version__}): update Farkel",
            fault.defects,
            fault.unknown,
        )
    raise fault


def from_json(text: str, where: str = "JSON", base: AnyRules | None = None) -> Rules:
    """Return rules from JSON text.

    Raises `RulesError` ``too_large`` or ``too_deep`` before anything is parsed, ``malformed`` with the line, or
    ``bad_rules``.
    """
    _bounded(json_excess(text_of(text, "JSON", """such as '{"target": 5000}'""")), where)
    try:
        tree = json_value(text)
    except ValueError as error:
        raise RulesError("malformed", f"{where} is not JSON: {error}") from None
    if not isinstance(tree, dict):
        raise RulesError("malformed", f"{where} holds {type(tree).__name__}; rules are an object of fields")
    return validated(_filled(tree, where), where, base)


def _filled(tree: Tree, where: str) -> Tree:
    """Return the tree of a text. Raises `RulesError` ``empty`` if it has no fields."""
    if not tree:
        raise RulesError(
            "empty", f'{where} has no rules; write what is different, such as base = "standard" and target = 5000'
        )
    return tree


def to_toml(rules: AnyRules) -> str:
    """Return the rules as TOML with every field explained: the form in which users keep their own."""
    import tomlkit

    def patterns(value: PatternTable[Any], info: FieldInfo) -> Any:
        inner = tomlkit.table()
        inner.add(tomlkit.comment(info.description or ""))
        for form, good_for in value.plain.items():
            item = tomlkit.item(good_for)
            if isinstance(good_for, dict):
                item = tomlkit.inline_table()
                item.update(good_for)
            inner.add(form, item)
            if form != NOTHING and not isinstance(good_for, dict):
                inner[form].comment(pattern_of(form).name)
        return inner

    def table(part: BaseModel, container: Any) -> Any:
        for field, info in type(part).model_fields.items():
            value = getattr(part, field)
            if isinstance(value, PatternTable):
                container.add(tomlkit.nl())
                container.add(field, patterns(value, info))
            elif isinstance(value, BaseModel):
                inner = tomlkit.table()
                inner.comment(_first_line(type(value)))
                container.add(tomlkit.nl())
                container.add(field, table(value, inner))
            else:
                container.add(tomlkit.comment(info.description or field))
                container.add(field, value)
        return container

    return f"# Rules of Farkel {__version__}\n{tomlkit.dumps(table(as_rules(rules), tomlkit.document()))}"


def to_json(rules: AnyRules) -> str:
    """Return the rules as one JSON object, all fields, two spaces deep."""
    return json.dumps(as_rules(rules).model_dump(), indent=2)


def to_lines(rules: AnyRules) -> tuple[str, ...]:
    """Return the fields that differ from their defaults as TOML, one ``field = value`` a line."""
    return tuple(
        f"{field} = {literal(value)}" for field, value in flattened(as_rules(rules).model_dump(exclude_defaults=True))
    )


def fields() -> dict[str, FieldInfo]:
    """Return every single field by its dotted name, in the order of a rules file."""
    return dict(_fields(Rules, ""))


def explained(field: str) -> str:
    """Return what a field means, without the marks of its clauses."""
    return without_clauses(fields()[field].description or field)


def without_clauses(text: str) -> str:
    """Return the description of a field or a group of them without the marks of its clauses, such as ``(S1)``."""
    return CLAUSES.sub("", text)


def allowed(field: str) -> str:
    """Return the values that a field may hold, in words."""
    info = fields()[field]
    annotation = info.annotation
    if field in TABLES:
        example = '1 = 100, aaa = "100a", 123456 = 1500' if field == "scoring" else '2222 = "farkle", 333 = -300'
        return f"a table of patterns, such as {example}"
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(json.dumps(choice) for choice in get_args(annotation))
    if annotation is bool:
        return "true or false"
    limits = {
        limit: getattr(rule, limit)
        for rule in info.metadata
        for limit in ("ge", "le", "max_length")
        if hasattr(rule, limit)
    }
    if annotation == FINE:
        return f'a whole number from 0 to {MOST_POINTS:,}, or "all" for the whole score'
    if annotation is int:
        return f"a whole number from {limits['ge']:,} to {limits['le']:,}"
    if field == "zones":
        return f"text with scores and what they do, {FORM}"
    if field == "name":
        return "a short name of small letters, digits and hyphens"
    return f"text of at most {limits['max_length']} characters, without control characters"


def _from_file(path: Path, base: Rules | None) -> Rules:
    try:
        path = path.expanduser()
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(MOST_TEXT + 1)  # of a file without an end, too
    except FileNotFoundError:
        raise RulesError("no_file", f"there is no file {path}") from None
    except UnicodeDecodeError as error:
        raise RulesError("unreadable", f"{path} cannot be read: {not_utf_8(error.object)}") from None
    except (OSError, ValueError, RuntimeError) as error:  # not readable, or no name, no such home
        raise RulesError("unreadable", f"{path} cannot be read: {error}") from None
    return from_json(text, str(path), base) if path.suffix == ".json" else from_toml(text, str(path), base)


def _wrong(what: str, given: object, right: str) -> RulesError:
    """Return the error for a value of a wrong type."""
    kind = type(given).__name__
    return RulesError("wrong_type", f"{what}: {clipped(quoted(given))} of type {kind} was given; give {right}")


def text_of(given: object, what: str, example: str) -> str:
    """Return a text as it is. Raises `RulesError` for anything else."""
    if not isinstance(given, str):
        raise _wrong(what, given, f"a text, {example}")
    return given


def _bounded(excess: Excess | None, where: str) -> None:
    """Raise `RulesError` for a text that is too much to be parsed."""
    if excess is not None:
        raise RulesError(excess.code, f"{where} {excess.clause}")


def _split(inside: str) -> list[str]:
    """Split ``a=1, b="x, y", c={d=1, e=2}`` at the commas outside quotation marks and braces."""
    parts, depth = [""], 0
    for piece in re.findall(r'"(?:\\.|[^"\\])*+"?|[^,{}"]++|[,{}]', inside, re.DOTALL):
        depth = max(0, depth + {"{": 1, "}": -1}.get(piece, 0))
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return [part for part in parts if part.strip()]


def _toml(text: str) -> Tree:
    """Return a tree from TOML within bounds. Raises `ValueError`."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _value(text: str, field: str) -> Any:
    """Return the value of a change: in TOML, or a bare text.

    Raises `RulesError` for a text that is never closed.
    """
    _bounded(toml_excess(text), f"the value of {field}")  # by itself, as it is parsed
    try:
        tree = _toml(f"value = {text}")
    except ValueError:
        if re.fullmatch(r'"(?:\\.|[^"\\])*+', text, re.DOTALL):
            raise RulesError("bad_change", f"{clipped(text)} lacks its second quotation mark ({field})") from None
        if text.startswith("{") and (hint := _unquoted(text)):
            raise RulesError("bad_change", f"{field}: text within braces needs quotation marks: {hint}") from None
        return text
    return tree["value"] if len(tree) == 1 else text


BARE = re.compile(
    r"""("(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|\#[^\n]*+)"""
    r"""|(?<![\w.-])([\w.-]++)[ \t]*+=[ \t]*+([A-Za-z_][\w-]*+)"""
)
"""A string or a comment, or a key with a bare word as its value."""


def _unquoted(text: str) -> str:
    """Return how the first text that lacks quotation marks in TOML is written: ``when = "first_roll"``; "" if none."""
    found = (match for match in BARE.finditer(text) if match[2] and match[3] not in ("true", "false", "inf", "nan"))
    return next((f'write {match[2]} = "{clipped(match[3])}"' for match in found), "")


def _version(text: str) -> tuple[int, ...]:
    """Return a version as numbers: what stands before anything that is none."""
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", text, maxsplit=1)[0]))


def flattened(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a tree by their whole names, such as ``take_over.price``; a table of patterns is one."""
    for field, value in tree.items():
        if isinstance(value, dict) and prefix.removesuffix(".") not in TABLES:
            yield from flattened(value, f"{prefix}{field}.")
        else:
            yield prefix + field, value


def _fields(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for field, info in model.model_fields.items():
        annotation = info.annotation
        if isinstance(annotation, type) and not isinstance(annotation, UnionType) and issubclass(annotation, BaseModel):
            yield from _fields(annotation, f"{prefix}{field}.")
        else:
            yield prefix + field, info


def _first_line(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").splitlines()[0]


def _alike(name: str, known: Sequence[str], most: int = 1) -> list[str]:
    """Return the known names that are most like the given one, if any are."""
    return difflib.get_close_matches(name, known, n=most) if len(name) <= LIKE else []


def _unknown(field: str) -> str:
    close = [quoted(name) for name in _near(field)]
    meant = f"; did you mean {listed(close, 'or')}?" if close else "."
    return f'there is no field "{clipped(field)}"{meant}{ALL_FIELDS}'


def _near(field: str) -> list[str]:
    """Return the few fields that one may have meant: mistyped, of the same words or group, or described by them."""
    known, asked = fields(), field[:LIKE].casefold()
    group, dot, _ = asked.partition(".")
    words = [word for word in re.split(r"[\W_]+", asked) if len(word) >= LEAST_WORD]
    return (
        difflib.get_close_matches(asked, known, n=1, cutoff=MISTYPED)
        or [name for name in known if words and _begin(words, name.replace("_", " "))]
        or [name for name in known if dot and name.startswith(f"{group}.")]
        or [name for name, info in known.items() if words and _begin(words, (info.description or "").casefold())]
    )[:FEW]


def _begin(words: Iterable[str], text: str) -> bool:
    """Return whether each of the words begins a word of the text."""
    return all(re.search(rf"\b{re.escape(word)}", text) for word in words)


def _listed_once(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines; only the first one that is about an unknown field says what lists all fields."""
    said = False
    for line in lines:
        yield line.removesuffix(ALL_FIELDS).removesuffix(".") if said else line
        said = said or line.endswith(ALL_FIELDS)


def _field(detail: ErrorDetails) -> str:
    return ".".join(str(step) for step in detail["loc"])


def _unheard(detail: ErrorDetails) -> Sequence[str]:
    """Return fields, or choices of them, that this version does not have."""
    if detail["type"] == "value_error":
        error = detail["ctx"]["error"]
        return error.unheard if isinstance(error, PatternError) else ()
    if detail["type"] not in UNHEARD:
        return ()
    field = clipped(_field(detail))
    return [field if detail["type"] == "extra_forbidden" else f"{field} = {quoted(detail['input'])}"]


def _defect(detail: ErrorDetails) -> list[str]:
    """Return one fault that pydantic found, in words: the field, the given value, the allowed ones."""
    field = _field(detail)
    kind = detail["type"]
    if kind == "value_error":
        return str(detail["ctx"]["error"]).splitlines()
    if kind == "extra_forbidden":
        return [_unknown(field)]
    given = quoted(detail["input"])
    if field in fields():
        return [f"{field} = {given} is not allowed; {field} is {allowed(field)}"]
    inner = ", ".join(name for name in fields() if name.startswith(f"{field}."))
    return [f"{field} = {given} is not allowed; {field} is a group of fields: {inner}"]
