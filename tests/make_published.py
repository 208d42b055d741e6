"""Writes `docs/published.md` from `texts/*.toml`: ``python tests/make_published.py``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from farkel.rules import LANGUAGES

TEXTS = Path(__file__).parent / "texts"
PAGE = Path(__file__).parent.parent / "docs" / "published.md"

HEAD = """# Published rules

Farkle is published in many texts. {number} of them, in {languages} languages, are restated here in this project's own
words and as rules: {done} say everything that their text says, and {open} lack something, which is listed below. Each
text is a file in `tests/texts/`, with its facts, its worked examples and what it leaves unclear. A test loads the rules
of each, checks every fact, and plays every example. This page is made from these files by
`tests/make_published.py`.
"""


def text(path: Path) -> dict[str, Any]:
    """Return a published text, as its file has it."""
    return tomllib.loads(path.read_text("utf-8"))


def missing(published: dict[str, Any]) -> list[str]:
    """Return what the rules of a text cannot say, each once."""
    return list(dict.fromkeys(fact["missing"] for fact in published["facts"] if "missing" in fact))


def page() -> str:
    """Return the whole page."""
    texts = [text(path) for path in sorted(TEXTS.glob("*.toml"))]
    complete = [each for each in texts if not missing(each)]
    lacking = [each for each in texts if missing(each)]
    lines = [
        HEAD.format(
            number=len(texts),
            languages=len({each["language"] for each in texts}),
            done=len(complete),
            open=len(lacking),
        ),
        "## What cannot be said yet",
        "",
        "| text | language | what is missing |",
        "| --- | --- | --- |",
        *(f"| {_named(each)} | {_language(each)} | {'; '.join(missing(each))} |" for each in lacking),
        "",
        "Loaded dice and dice with faces of their own are left out on purpose. Dice here are ordinary and fair, so "
        "that the odds hold for everyone.",
        "",
        "## All texts",
        "",
        "| text | language | base of its rules | left unclear by the text |",
        "| --- | --- | --- | --- |",
        *(
            f"| {_named(each)} | {_language(each)} | `{each['rules']['base']}` | {' '.join(each.get('unclear', []))} |"
            for each in texts
        ),
    ]
    return "\n".join(lines) + "\n"


def _named(published: dict[str, Any]) -> str:
    return f"{published['title']} ({published['source']})"


def _language(published: dict[str, Any]) -> str:
    return LANGUAGES[published["language"]]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
