"""The fields of the rules that the coach understands. Where another is not at its default, it says so."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from farkel.rules import Rules

_PARTS = {
    "": "dice target finish rounds start entry entry_each minimum bank_multiple hot_dice hot_dice_multiplier teams",
    "take_over.": "price stake choose_dice after_farkle after_hot_dice",
    "lives.": "each farkle farkle_all_dice last_standing round_points",
    "penalties.": "farkles_in_row farkles_in_row_points farkle_all_dice below_zero",
}
UNDERSTOOD = frozenset(part + name for part, names in _PARTS.items() for name in names.split())
"""Fields of play: the law is asked about them, or positions and cards are made for them."""
READ = ("scoring", "rolled")
"""Tables that are read off the score table, whatever they say."""
ASIDE = frozenset(("name", "title", "source", "about", "team_size", "most_seats"))
"""What the game of given seats is the same without."""


def flat(part: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every field with its value."""
    for name, value in part.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def understood(name: str) -> bool:
    """Whether the coach knows what to make of a field."""
    return name in UNDERSTOOD or name in ASIDE or name.partition(".")[0] in READ


@lru_cache(maxsize=64)
def strange(rules: Rules) -> tuple[str, Any] | None:
    """The first field that is not at its default and that the coach does not understand, with its value."""
    found = flat(rules.model_dump(exclude_defaults=True))
    return next(((name, value) for name, value in found if not understood(name)), None)
