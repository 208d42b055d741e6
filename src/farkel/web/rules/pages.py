"""The rules in the browser: the catalogue, sheets to read or print, and the editor for house rules.

The editor is a form that works by itself; if scripts run, the same form is posted while you type, and what
comes back is put in its place. Rules come from typed fields, a notation or an uploaded file, never from a file of
the server's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin
from urllib.parse import urlencode

from fastapi import APIRouter, File, Query, Request, Response, UploadFile
from fastapi.responses import PlainTextResponse, RedirectResponse

from farkel.errors import FarkelError, RulesError
from farkel.game.story import percent
from farkel.rules import (
    DEFAULT,
    CatchingUp,
    Lives,
    Penalties,
    Rules,
    Sheet,
    TakeOver,
    allowed,
    families,
    fields,
    from_json,
    from_toml,
    named,
    names,
    parse,
    search,
    sheet,
    to_toml,
    validated,
    variations,
)
from farkel.rules.model import FINE
from farkel.support.bounds import clipped, not_utf_8
from farkel.web.coaching import questions
from farkel.web.http.addresses import base_url, only_here
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import page, partial
from farkel.web.rules import pattern_rows

router = APIRouter(include_in_schema=False, route_class=BoundedRoute)

MOST_LINK = 2_000
"""Characters of a link that every program passes on whole."""
MOST_CODE = 500
"""Characters of a link whose code a phone reads from a screen."""

FIELDS = {name: field for name, field in fields().items() if name not in pattern_rows.TABLES}
ABOUT = ("name", "title", "about", "source")
PARTS: tuple[tuple[str, str, type | None], ...] = (
    ("", "The game", None),
    ("take_over", "Taking over", TakeOver),
    ("lives", "Lives", Lives),
    ("penalties", "Penalties", Penalties),
    ("catching_up", "Catching up", CatchingUp),
)
"""The parts of the rules: the group of the fields, its heading, and the model that describes it."""

CLAUSES = re.compile(r" \((?:[A-Z]\d*(?:-[A-Z]?\d+)?(?:, )?)+\)")
"""Numbers of clauses in explanations, which lead to the written rules and say nothing here."""
CODE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""Fields and choices as files have them; in the editor they are called what their labels say."""
RulesText = Annotated[str, Query(max_length=20_000, description="A name or a notation")]


# Input ----------------------------------------------------------------------------------------------------------------


Kind = Literal["number", "fine", "choice", "switch", "text", "long"]
"""How a field is filled in; a fine is a number or a word."""


class Entry(NamedTuple):
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
    entries: tuple[Entry, ...] = ()
    lines: tuple[pattern_rows.Line, ...] = ()
    """The rows of a table of patterns."""
    gone: tuple[pattern_rows.Gone, ...] = ()
    whens: Mapping[str, str] = pattern_rows.WHENS
    thens: Mapping[str, str] = pattern_rows.THENS["scoring"]


@dataclass(frozen=True)
class Draft:
    """Rules in the editor: the typed text of each field, and the set that they started from."""

    typed: Mapping[str, str]
    tables: pattern_rows.Rows
    """The rows of the tables of patterns."""
    base: Rules

    @classmethod
    def of(cls, rules: Rules, base: Rules | None = None) -> Draft:
        """Return the draft that these rules are."""
        return cls(_typed(rules), pattern_rows.rows_of(rules), base or _base(rules))

    @cached_property
    def outcome(self) -> Rules | RulesError:
        """The rules, or what keeps them from being any."""
        tree: dict[str, Any] = {table: pattern_rows.tree_of(typed) for table, typed in self.tables.items()}
        for field, text in self.typed.items():
            *path, last = field.split(".")
            branch = tree
            for step in path:
                branch = branch.setdefault(step, {})
            branch[last] = _value(field, text)
        twice = tuple(line for table, typed in self.tables.items() for line in pattern_rows.doubles(table, typed))
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
        """The faults, each with the field that it begins with."""
        error = self.outcome
        return (
            ()
            if isinstance(error, Rules)
            else tuple(
                (pattern_rows.place_of(defect, self.tables) or _field_of(defect), defect) for defect in error.defects
            )
        )

    @property
    def differs(self) -> int:
        """How many fields are not as they are in the base."""
        before = _typed(self.base)
        return sum(self.typed[field] != before[field] for field in before) + pattern_rows.differing(
            self.tables, self.base
        )

    def reset(self, field: str) -> Draft:
        """Return the draft with one field as it is in the base; unknown fields change nothing."""
        before = _typed(self.base)
        back = pattern_rows.reset(field, self.tables, self.base)
        if back is not None:
            return Draft(self.typed, back, self.base)
        return Draft({**self.typed, field: before[field]}, self.tables, self.base) if field in before else self

    def focus(self, field: str) -> str:
        """Return the field of the form that has the focus after one was set back."""
        table, _, form = field.partition(".")
        if table not in pattern_rows.TABLES:
            return field
        forms = [line.row.form for line in pattern_rows.lines_of(table, self.tables, self.base, ())]
        return f"{table}.{forms.index(form) if form in forms else forms.index('')}"

    @property
    def parts(self) -> tuple[Part, ...]:
        """All fields, by the part that they belong to."""
        entries = {field: self._entry(field) for field in FIELDS}
        about = Part("about-them", "About these rules", "", tuple(entries[field] for field in ABOUT))
        game, *groups = (self._part(group, heading, model, entries) for group, heading, model in PARTS)
        return (about, game, *(self._table(table) for table in pattern_rows.TABLES), *groups)

    def _table(self, table: str) -> Part:
        lines = pattern_rows.lines_of(table, self.tables, self.base, self.defects)
        return Part(
            table,
            pattern_rows.TABLES[table],
            pattern_rows.EXPLAINED[table],
            lines=lines,
            gone=pattern_rows.gone(table, self.tables, self.base),
            thens=pattern_rows.THENS[table],
        )

    def _part(self, group: str, heading: str, model: type | None, entries: Mapping[str, Entry]) -> Part:
        inside = [field for field in entries if field.rpartition(".")[0] == group and field not in ABOUT]
        about = CLAUSES.sub("", (model.__doc__ or "").splitlines()[0]) if model else ""
        return Part(group or "game", heading, about, tuple(entries[field] for field in inside))

    def _entry(self, field: str) -> Entry:
        info, value, before = FIELDS[field], self.typed[field], _typed(self.base)[field]
        last = field.rpartition(".")[2].replace("_", " ")
        choices: tuple[str, ...] = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
        limits = {name: getattr(rule, name) for rule in info.metadata for name in ("ge", "le") if hasattr(rule, name)}
        kind = _kind(field)
        explained = CODE.sub(lambda code: code[0].replace("_", " "), CLAUSES.sub("", info.description or ""))
        if kind in ("number", "fine", "text"):
            explained = f"{explained}: {allowed(field)}"
        return Entry(
            field,
            last[0].upper() + last[1:],
            f"{explained}.",
            kind,
            value,
            tuple((choice, choice.replace("_", " ")) for choice in choices),
            limits.get("ge", 0),
            limits.get("le", 0),
            50 if limits.get("le", 0) > 1_000 else 1,
            _said(field, before) if value != before else None,
            tuple(defect for where, defect in self.defects if where == field),
        )


def draft_of_form(form: Mapping[str, Any]) -> Draft:
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
    typed_rows = pattern_rows.rows_of_form(sent, base)
    return Draft({field: text.replace("\r\n", "\n").strip() for field, text in typed.items()}, typed_rows, base)


def _typed(rules: Rules) -> dict[str, str]:
    """Return what would have to be typed for these rules."""
    return {field: _text(value) for field, value in _flat(rules.model_dump(exclude=set(pattern_rows.TABLES)))}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    return str(value)


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _value(field: str, text: str) -> Any:
    """Return a typed text as a value; an invalid one stays a text, which is then found to be wrong."""
    match _kind(field):
        case "switch":
            return text != ""
        case "number" | "fine" if pattern_rows.NUMBER.fullmatch(text):
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


# Views ----------------------------------------------------------------------------------------------------------------


class Odds(NamedTuple):
    """The chance of a farkle with this many dice."""

    dice: int
    exact: str
    percent: str
    one_in: str


class Shown(NamedTuple):
    """Rules as pages show them."""

    notation: str
    sheet: Sheet
    odds: tuple[Odds, ...]
    link: str
    """To be passed on; "" if it is too long for that."""
    whole: bool
    """Whether the link holds everything, or leaves out the source and description of the rules."""
    code: str
    """The link as a picture for phones, as a data address; "" if it is too long."""
    query: str
    """``rules=...``, for links on this site."""
    only_here: bool
    """Whether the link opens nothing on other devices."""


async def shown(request: Request, rules: Rules) -> Shown:
    """Return everything that a page shows of rules."""
    brief = await asyncio.to_thread(_brief, rules)
    query = urlencode({"rules": str(brief)})
    link = f"{base_url(request)}/rules/sheet?{query}"
    link = link if len(link) <= MOST_LINK else ""
    return Shown(
        str(rules),
        sheet(rules),
        farkle_odds(await questions.farkles(request.app.state.house, rules)),
        link,
        brief is rules,
        _code(link) if 0 < len(link) <= MOST_CODE else "",
        query,
        only_here(request),
    )


def farkle_odds(chances: Mapping[int, Fraction]) -> tuple[Odds, ...]:
    """Return the chance of a farkle by the number of dice, exactly and rounded."""
    found = []
    for dice, chance in chances.items():
        rare = f"1 in {float(1 / chance):,.1f}" if chance else "never"
        found.append(Odds(dice, str(chance), percent(float(chance), 2), rare))
    return tuple(found)


def _brief(rules: Rules) -> Rules:
    """Return the rules for a link: without their descriptions if it would be too long with them."""
    if len(urlencode({"rules": str(rules)})) <= MOST_LINK - 100:
        return rules
    return validated({**rules.model_dump(), "source": "", "about": ""}, "the rules")


def _code(link: str) -> str:
    import segno

    uri: str = segno.make(link, micro=False, error="l").svg_data_uri(scale=4, border=3, light="#fff")
    return uri


# Pages ----------------------------------------------------------------------------------------------------------------


@router.get("/rules")
async def catalogue(words: Annotated[str, Query(alias="search", max_length=200)] = "") -> Response:
    """Return the catalogue by family, or the sets that fit a search."""
    found, nothing = await asyncio.to_thread(_found, words.strip())
    return page("rules/catalogue.html", families=found, asked=words, nothing=nothing)


def _found(words: str) -> tuple[list[tuple[str, list[Rules]]], str]:
    """Return rule sets by family, or those that fit the words, the best first; and why there are none."""
    if not words:
        return [(family, [named(name) for name in sets]) for family, sets in families().items()], ""
    try:
        return [("", [named(one.name) for one in search(words)])], ""
    except RulesError as error:
        return [], error.message


@router.get("/rules/sheet")
async def rule_sheet(request: Request, rules: RulesText = DEFAULT) -> Response:
    """Return a rule sheet to read, to print and to pass on."""
    return page("rules/sheet.html", shown=await shown(request, await asyncio.to_thread(parse, rules)))


@router.get("/rules/file")
async def rules_file(rules: RulesText = DEFAULT) -> Response:
    """Return the rules as a file."""
    return await asyncio.to_thread(_file, await asyncio.to_thread(parse, rules))


@router.get("/rules/edit")
async def editor(
    request: Request,
    rules: RulesText = DEFAULT,
    varied_by: Annotated[list[str] | None, Query(alias="with", max_length=20)] = None,
) -> Response:
    """Return the editor for house rules, from a set with some of its variations."""
    chosen = f"{rules}:{','.join(varied_by)}" if varied_by else rules
    return await _editor(request, Draft.of(await asyncio.to_thread(parse, chosen)))


@router.post("/rules/edit")
async def edited(request: Request) -> Response:
    """Return the rules typed so far: with their faults or their sheet; as a file; or with the value of the game."""
    form = await request.form()
    draft = draft_of_form(form)
    rules = await asyncio.to_thread(lambda: draft.rules)
    todo, reset = form.get("do"), form.get("reset")
    if isinstance(reset, str):
        back = draft.reset(reset)
        return await _editor(request, back, focus=back.focus(reset))
    if todo == "file" and rules is not None:
        return await asyncio.to_thread(_file, rules)
    if todo == "value" and rules is not None:
        worth = await _worth(request, rules)
        return (
            page("rules/_value.html", worth=worth) if partial(request) else await _editor(request, draft, worth=worth)
        )
    return await _editor(request, draft)


@router.post("/rules/file")
async def uploaded(request: Request, file: Annotated[UploadFile, File()]) -> Response:
    """Take an uploaded rules file into the editor."""
    try:
        rules = await asyncio.to_thread(_read, clipped(file.filename or "the file"), await file.read())
    except RulesError as error:
        return await _editor(request, Draft.of(named(DEFAULT)), refused=error)
    query = urlencode({"rules": await asyncio.to_thread(str, rules)})
    if len(query) <= MOST_LINK:
        return RedirectResponse(f"/rules/edit?{query}", 303)
    return await _editor(request, Draft.of(rules))


async def _editor(
    request: Request,
    draft: Draft,
    *,
    focus: str = "",
    worth: Worth | None = None,
    refused: RulesError | None = None,
) -> Response:
    rules = await asyncio.to_thread(lambda: draft.rules)
    context: dict[str, Any] = {
        "draft": draft,
        "shown": None if rules is None else await shown(request, rules),
        "focus": focus,
        "worth": worth,
    }
    if partial(request):
        return page("rules/_draft.html", **context)
    status = 200 if rules is not None and refused is None else 422
    sets = [(family, [(name, named(name).title) for name in each]) for family, each in families().items()]
    varied = str(rules).partition("(")[0].partition(":")[2].split(",") if rules is not None else []
    known = variations(draft.base.name)
    return page("rules/edit.html", status, sets=sets, variations=known, varied=varied, refused=refused, **context)


class Worth(NamedTuple):
    """The value of the game under exact play, or why that is not known."""

    first: str = ""
    second: str = ""
    nobody: str = ""
    points: str = ""
    refused: str = ""


async def _worth(request: Request, rules: Rules) -> Worth:
    try:
        found = await questions.value(request.app.state.house, rules)
    except FarkelError as error:
        return Worth(refused=error.message)
    first, nobody = found["first_player_wins"], found["nobody_wins"] or 0.0
    return Worth(
        percent(first, 3),
        percent(1 - first - nobody, 3),
        percent(nobody, 3) if nobody > 0 else "",
        f"{found['expected_points']:,.1f}",
    )


def _file(rules: Rules) -> Response:
    name = f'attachment; filename="{rules.name}.toml"'
    return PlainTextResponse(to_toml(rules), media_type="application/toml", headers={"content-disposition": name})


def _read(name: str, data: bytes) -> Rules:
    """Return rules from a file that was sent. Raises `RulesError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RulesError("unreadable", f"{name} cannot be read: {not_utf_8(data)}") from None
    return from_json(text, name) if text.lstrip().startswith("{") else from_toml(text, name)
