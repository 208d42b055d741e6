"""The rules in the browser: the catalogue, sheets to read or print, and the editor for house rules.

The editor is a form that works by itself; if scripts run, the same form is posted while you type, and what
comes back is put in its place. Rules come from typed fields, a notation or an uploaded file, never from a file of
the server's.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, File, Query, Request, Response, UploadFile
from fastapi.responses import PlainTextResponse, RedirectResponse

from farkel.errors import FarkelError, RulesError
from farkel.rules import (
    DEFAULT,
    Rules,
    Sheet,
    families,
    from_json,
    from_toml,
    named,
    parse,
    search,
    sheet,
    to_toml,
    validated,
    variations,
)
from farkel.rules.sheets.first_minute import in_a_minute
from farkel.rules.sheets.scoring_table import scoring_rows
from farkel.support.bounds import clipped, not_utf_8
from farkel.web.coaching import questions
from farkel.web.event_loop import off_loop
from farkel.web.http.addresses import only_here, rules_link
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import partial, rendered
from farkel.web.rules.draft import RulesDraft, draft_of_form

router = APIRouter(include_in_schema=False, route_class=BoundedRoute)

AGAIN = "stopped", "broken_off", "busy", "too_many_calculations"
"""Codes of errors after which a calculation may be asked for again."""
MOST_LINK = 2_000
"""Characters of a link that every program passes on whole."""
MOST_CODE = 500
"""Characters of a link whose code a phone reads from a screen."""

RulesText = Annotated[str, Query(max_length=20_000, description="A name or a notation")]


# Views ----------------------------------------------------------------------------------------------------------------


class RulesShown(NamedTuple):
    """Rules as pages show them."""

    notation: str
    sheet: Sheet
    odds: Mapping[int, Fraction]
    """The chance of a farkle by the number of dice."""
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


async def rules_shown(request: Request, rules: Rules) -> RulesShown:
    """Return everything that a page shows of rules."""
    return await off_loop(_shown, request, rules, await questions.farkles(request.app.state.service, rules))


def _shown(request: Request, rules: Rules, odds: Mapping[int, Fraction]) -> RulesShown:
    brief = _brief(rules)
    link = rules_link(request, str(brief))
    link = link if len(link) <= MOST_LINK else ""
    return RulesShown(
        str(rules),
        sheet(rules),
        odds,
        link,
        brief is rules,
        _code(link) if 0 < len(link) <= MOST_CODE else "",
        urlencode({"rules": str(brief)}),
        only_here(request),
    )


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
    found, nothing = await off_loop(_found, words.strip())
    return await rendered("rules/catalogue.html", families=found, asked=words, nothing=nothing)


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
    return await rendered("rules/sheet.html", shown=await rules_shown(request, await off_loop(parse, rules)))


@router.get("/rules/minute")
async def minute(rules: RulesText = DEFAULT) -> Response:
    """Return how to play, in a minute."""
    chosen = await off_loop(parse, rules)
    return await rendered(
        "rules/minute.html",
        chosen=chosen,
        query=urlencode({"rules": str(await off_loop(_brief, chosen))}),
        minute=await off_loop(in_a_minute, chosen),
    )


@router.get("/rules/card")
async def card(request: Request, rules: RulesText = DEFAULT, whole: bool = False) -> Response:
    """Return the card to play by: at once the numbers that score most, and the whole card when it is asked for."""
    chosen, service = await off_loop(parse, rules), request.app.state.service
    found, totals, missing, again = questions.known_card(chosen), None, "", False
    try:
        if whole and found is None:
            found = await questions.card(service, chosen)
    except FarkelError as error:
        missing, again = questions.on_a_page(error), error.code in AGAIN
    try:
        totals = await questions.thresholds(service, chosen) if found is None else None
    except FarkelError as error:
        missing = missing or error.message
    return await rendered(
        "rules/_card.html" if partial(request) else "rules/card.html",
        chosen=chosen,
        query=urlencode({"rules": str(await off_loop(_brief, chosen))}),
        found=found,
        totals=totals,
        missing=missing or (totals or {}).get("missing", ""),
        again=again,
        scoring=await off_loop(scoring_rows, chosen),
    )


@router.get("/rules/file")
async def rules_file(rules: RulesText = DEFAULT) -> Response:
    """Return the rules as a file."""
    return await off_loop(_file, await off_loop(parse, rules))


@router.get("/rules/edit")
async def editor(
    request: Request,
    rules: RulesText = DEFAULT,
    varied_by: Annotated[list[str] | None, Query(alias="with", max_length=20)] = None,
) -> Response:
    """Return the editor for house rules, from a set with some of its variations."""
    chosen = f"{rules}:{','.join(varied_by)}" if varied_by else rules
    return await _editor(request, await off_loop(lambda: RulesDraft.of(parse(chosen))))


@router.post("/rules/edit")
async def edited(request: Request) -> Response:
    """Return the rules typed so far: with their faults or their sheet; as a file; or with the value of the game."""
    form = await request.form()
    draft = await off_loop(draft_of_form, form)
    rules = await off_loop(lambda: draft.rules)
    todo, reset = form.get("do"), form.get("reset")
    if isinstance(reset, str):
        back = await off_loop(draft.reset, reset)
        return await _editor(request, back, focus=await off_loop(back.focus, reset))
    if todo == "file" and rules is not None:
        return await off_loop(_file, rules)
    if todo == "value" and rules is not None:
        worth = await _worth(request, rules)
        return (
            await rendered("rules/_value.html", worth=worth)
            if partial(request)
            else await _editor(request, draft, worth=worth)
        )
    return await _editor(request, draft)


@router.post("/rules/file")
async def uploaded(request: Request, file: Annotated[UploadFile, File()]) -> Response:
    """Take an uploaded rules file into the editor."""
    try:
        rules = await off_loop(_read, clipped(file.filename or "the file"), await file.read())
    except RulesError as error:
        return await _editor(request, RulesDraft.of(named(DEFAULT)), refused=error)
    query = urlencode({"rules": await off_loop(str, rules)})
    if len(query) <= MOST_LINK:
        return RedirectResponse(f"/rules/edit?{query}", 303)
    return await _editor(request, await off_loop(RulesDraft.of, rules))


async def _editor(
    request: Request,
    draft: RulesDraft,
    *,
    focus: str = "",
    worth: dict[str, Any] | None = None,
    refused: RulesError | None = None,
) -> Response:
    rules = await off_loop(lambda: draft.rules)
    shown = None if rules is None else await rules_shown(request, rules)
    context: dict[str, Any] = {"draft": draft, "shown": shown, "focus": focus, "worth": worth}
    if partial(request):
        return await rendered("rules/_draft.html", **context)
    status = 200 if rules is not None and refused is None else 422
    sets = [(family, [(name, named(name).title) for name in each]) for family, each in families().items()]
    varied = shown.notation.partition("(")[0].partition(":")[2].split(",") if shown is not None else []
    known = variations(draft.base.name)
    return await rendered(
        "rules/edit.html", status, sets=sets, variations=known, varied=varied, refused=refused, **context
    )


async def _worth(request: Request, rules: Rules) -> dict[str, Any]:
    """Return the value of the game under exact play, or why that is not known."""
    try:
        return await questions.value(request.app.state.service, rules)
    except FarkelError as error:
        return {"refused": questions.on_a_page(error)}


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
