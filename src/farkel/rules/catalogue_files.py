"""The files of the catalogue, and their facts besides the rules: where a set belongs, and the words of its text."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from farkel.support.caching import remembered

Tree = dict[str, Any]

ORDER = ("original", "standard", "extended", "build-on", "guts-and-luck", "high-stakes", "renaissance")
"""The sets of the five source texts come first in a list, in this order; the others follow by name."""

LANGUAGES = {
    "da": "Danish",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
}
"""Languages of published rules, by their codes."""

VARIATIONS = "variations"
"""Where a set of the catalogue says which variations its text names."""


class OwnWords(NamedTuple):
    """The words of the set's text for things that every game has; "" if it uses the usual words."""

    farkle: str = ""
    """A roll in which nothing scores."""
    farkle_all_dice: str = ""
    """The same with all the dice."""
    hot_dice: str = ""
    """All dice kept."""
    take_over: str = ""
    """Starting a turn from the offer of the player before."""


class Entry(NamedTuple):
    """Facts of the catalogue about a set besides its rules; they do not change the game."""

    family: str = ""
    """The game that it is a kind of, by which sets are listed together."""
    language: str = "en"
    """Code of the language in which the rules were published."""
    aliases: tuple[str, ...] = ()
    """Other names under which people look for it."""
    words: OwnWords = OwnWords()
    hint_card: bool = False
    """Whether its text comes with a hint card."""


@remembered()
def names() -> tuple[str, ...]:
    """Return the names of the rule sets in the catalogue, those of the source texts first."""
    found = {file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml")}
    return tuple(sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)))


@remembered(256)
def entry(name: str) -> Entry:
    """Return the catalogue's facts about a set; empty for a name that it lacks."""
    tree = _tree(name)
    return Entry(
        tree.get("family", ""),
        tree.get("language", "en"),
        tuple(tree.get("aliases", ())),
        OwnWords(**tree.get("words", {})),
        tree.get("hint_card", False),
    )


def farkle_word(name: str) -> str:
    """Return the word for a farkle in games of a set: its text's own, such as ``zilch``, or ``farkle``."""
    return entry(name).words.farkle or "farkle"


def rules_tree(name: str) -> Tree:
    """Return the rules of a set as its file has them."""
    return {field: value for field, value in _tree(name).items() if field not in (*Entry._fields, VARIATIONS)}


def variation_trees(name: str) -> dict[str, Tree]:
    """Return the variations of a set as its file has them."""
    return {each: dict(tree) for each, tree in _tree(name).get(VARIATIONS, {}).items()}


def families() -> dict[str, list[str]]:
    """Return the names of the sets by family, families and sets in the order of the catalogue."""
    found: dict[str, list[str]] = {}
    for name in names():
        found.setdefault(entry(name).family, []).append(name)
    return found


@lru_cache(maxsize=256)
def _tree(name: str) -> Tree:
    return tomllib.loads(_folder().joinpath(f"{name}.toml").read_text("utf-8")) if name in names() else {}


def _folder() -> Any:
    return resources.files("farkel.rules").joinpath("catalogue")
