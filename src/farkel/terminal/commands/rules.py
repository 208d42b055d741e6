"""The list of rule sets: all of them by family, or those that fit a search."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from farkel.rules import LANGUAGES, entry, families, named, names, search

WIDTH = 78
READ = (
    "Read one aloud, with its variations: farkel rules NAME\n"
    "Find one: farkel rules --search WORDS\n"
    "Make your own: farkel rules NAME --toml > ours.toml"
)


def listed(asked: str | None = None) -> str:
    """Return the list as text: a name and the set's special rules, under the name of its family."""
    if asked is not None:
        found = search(asked)
        widest = max(len(one.name) for one in found)
        lines = [line for one in found for line in _lines(one.name, widest, one.because)]
        return "\n".join([*lines, "", READ])
    widest = max(map(len, names()))
    blocks = [
        [family, *(line for name in sets for line in _lines(name, widest))] for family, sets in families().items()
    ]
    return "\n\n".join(["\n".join(block) for block in blocks] + [READ])


def listed_json(asked: str | None = None) -> str:
    """Return the list as JSON."""
    found = dict.fromkeys(names(), "") if asked is None else {one.name: one.because for one in search(asked)}
    return json.dumps([_about(name, because) for name, because in found.items()], indent=2, ensure_ascii=False)


def _lines(name: str, widest: int, because: str = "") -> list[str]:
    language = entry(name).language
    about = named(name).about + (f" ({LANGUAGES[language]})" if language != "en" else "")
    shown = [about, *([f'"{because}"'] if because else [])]
    wrapped = [line for text in shown for line in textwrap.wrap(text, WIDTH - widest - 4)]
    return [f"  {name if at == 0 else '':<{widest}}  {line}" for at, line in enumerate(wrapped)]


def _about(name: str, because: str) -> dict[str, Any]:
    rules, known = named(name), entry(name)
    about = {
        "name": name,
        "title": rules.title,
        "about": rules.about,
        "family": known.family,
        "language": known.language,
        "aliases": known.aliases,
        "digest": rules.digest,
    }
    return about | ({"because": because} if because else {})
