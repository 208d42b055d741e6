"""Finding a rule set: by its names, its family and language, its source, and what its rule sheet says."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from farkel.errors import RulesError
from farkel.rules.as_text import named, text_of
from farkel.rules.catalogue_files import LANGUAGES, entry, names
from farkel.rules.sheets.whole import sheet
from farkel.support.bounds import clipped

MOST_ASKED = 200
"""Characters of a question that are looked at."""
APART = 4
"""Rank of a set whose sheet has the words, but apart from each other: shown only if nothing fits better."""


class Found(NamedTuple):
    """A rule set that fits a search."""

    name: str
    because: str
    """The first sentence of the sheet that fits; "" if the name or description fits."""

    def __str__(self) -> str:
        return " ".join([f"{self.name}: {described(self.name)}", *([f'"{self.because}"'] if self.because else [])])


class Text(NamedTuple):
    """What can be found of a set, in plain words."""

    called: str
    """Name, aliases, title, family and language."""
    about: str
    """Its special rules, and its source."""
    lines: tuple[tuple[str, str], ...]
    """Every line of its sheet, in plain words and as it stands."""


def described(name: str) -> str:
    """Return what is special about a set, and its language if it is not English."""
    language = entry(name).language
    return named(name).about + (f" ({LANGUAGES[language]})" if language != "en" else "")


def search(asked: str) -> tuple[Found, ...]:
    """Return the sets in which every word that is asked for begins a word, the best first.

    Raises `RulesError` ``nothing_found`` if there is none, with words that come close.
    """
    wanted = _plain(text_of(asked, "words to search for", 'such as "lives"')[:MOST_ASKED]).split()
    ranked = [(rank, found) for name in names() for rank, found in [_fit(name, wanted)] if found is not None]
    if not wanted or not ranked:
        raise RulesError("nothing_found", _nothing(asked, wanted))
    together = [one for one in ranked if one[0] < APART]
    return tuple(found for _, found in sorted(together or ranked, key=lambda one: one[0]))


def _fit(name: str, wanted: Sequence[str]) -> tuple[int, Found | None]:
    """Return how well a set fits, 0 best, and what shows it."""
    text = _text(name)
    if " ".join(wanted) in (_plain(each) for each in (name, *entry(name).aliases)):
        return 0, Found(name, "")
    for rank, place in enumerate((text.called, f"{text.called} {text.about}"), 1):
        if _holds(place, wanted):
            return rank, Found(name, "")
    known = f"{text.called} {text.about}"
    rest = [word for word in wanted if not _holds(known, [word])]
    together = next((line for plain, line in text.lines if _holds(plain, rest)), "")
    if together:
        return 3, Found(name, together)
    whole = " ".join(plain for plain, _ in text.lines)
    if _holds(whole, rest):
        return APART, Found(name, next(line for plain, line in text.lines if _holds(plain, rest[:1])))
    return 5, None


def _holds(text: str, words: Sequence[str]) -> bool:
    """Return whether every word begins a word of the text."""
    return all(f" {word}" in f" {text}" for word in words)


@cache
def _text(name: str) -> Text:
    known, rules = entry(name), named(name)
    language = f"{LANGUAGES.get(known.language, '')} {known.language}"
    called = " ".join((name, *known.aliases, rules.title, known.family, language, *known.words))
    lines = [
        line
        for section in sheet(rules).sections
        for line in (*section.sentences, *(f"{dice}: {points}" for dice, points in section.rows))
    ]
    return Text(_plain(called), _plain(f"{rules.about} {rules.source}"), tuple((_plain(line), line) for line in lines))


def _plain(text: str) -> str:
    """Return the words of a text in small letters, without accents, and numbers without marks between thousands."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(sign))
    joined = re.sub(r"(?<=\d)[.,'\s](?=\d{3}\b)", "", bare)
    return " ".join(re.findall(r"\w+", joined))


def _nothing(asked: str, wanted: Sequence[str]) -> str:
    """Say that nothing fits, and what would."""
    known = {word for name in names() for word in _text(name).called.split()}
    close = [near for word in wanted for near in difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.7)]
    alone = [word for word in wanted if any(_fit(name, [word])[1] for name in names())]
    hint = "; search"
    if close and close != list(wanted):
        hint = f'; did you mean "{" ".join(dict.fromkeys(close))}"? Otherwise search'
    elif len(wanted) > 1 and alone:
        hint = f'; ask for less, such as "{alone[0]}", or search'
    return (
        f'no rule set fits "{clipped(asked)}"{hint} by name, game, language or rule, such as "zilch", '
        '"German" or "lives"'
    )
