"""The rules over the HTTP API: the catalogue, rules in all their forms, and the exact value of a game."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from farkel.rules import Rules, entry, from_toml, named, names, search, sheet, to_toml, variations
from farkel.web.coaching import questions
from farkel.web.event_loop import off_loop
from farkel.web.game.access import ServiceDep
from farkel.web.game.submissions import RulesIn, rules_of
from farkel.web.http.problems import POSTED, problems
from farkel.web.http.requests import ApiRoute
from farkel.web.http.validation import Strict

router = APIRouter(prefix="/api/v1", route_class=ApiRoute)


@router.get("/rules", tags=["rules"], responses=problems(404, 422))
async def list_rules(
    words: Annotated[
        str, Query(alias="search", max_length=200, description="Only rule sets that match, best match first")
    ] = "",
) -> list[dict[str, Any]]:
    """Return the catalogue: names, titles, families, languages and other names, and the special rules of each set."""
    return await off_loop(_listed, words)


def _listed(words: str) -> list[dict[str, Any]]:
    found = [one.name for one in search(words)] if words.strip() else names()
    return [
        {
            "name": name,
            "title": rules.called,
            "about": rules.about,
            "source": rules.source,
            "family": known.family,
            "language": known.language,
            "aliases": list(known.aliases),
            "variations": {each.name: each.about for each in variations(name)},
        }
        for name in found
        for rules, known in [(named(name), entry(name))]
    ]


class TomlIn(Strict):
    """A rules file."""

    toml: str


@router.post("/rules/read", tags=["rules"], responses=problems(*POSTED, 404))
async def read_rules(given: RulesIn | TomlIn, service: ServiceDep) -> dict[str, Any]:
    """Check rules: all their fields, their notation, digest and file, their sheet, and chances of a farkle."""
    rules, said = await off_loop(_read, given)
    return {**said, "odds": await questions.odds(service, rules)}


def _read(given: RulesIn | TomlIn) -> tuple[Rules, dict[str, Any]]:
    """Return everything said about rules, which takes too long for the loop that all requests share."""
    rules = from_toml(given.toml) if isinstance(given, TomlIn) else rules_of(given.rules)
    made = sheet(rules)
    return rules, {
        "rules": rules.model_dump(),
        "notation": str(rules),
        "digest": rules.digest,
        "toml": to_toml(rules),
        "sheet": {
            "title": made.title,
            "sections": [
                {"heading": section.heading, "sentences": section.sentences, "rows": section.rows}
                for section in made.sections
            ],
        },
    }


@router.post("/rules/value", tags=["rules"], responses=problems(*POSTED, 404))
async def value_of_rules(given: RulesIn, service: ServiceDep) -> dict[str, Any]:
    """Return the exact value of a game of two under these rules: how often the first one wins when both play perfectly.

    Takes seconds; what would take longer is refused with the command that does it.
    """
    return await questions.value(service, await off_loop(rules_of, given.rules))
