"""Numbers, lists and sentences as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

CERTAIN = 1e-9
"""What calculated chances may differ from 0 or 1, and still mean never or always."""


def counted(count: int, one: str, many: str) -> str:
    """Return the number with its noun: ``1 die``, ``2 dice``, ``10,000 games``."""
    return f"{count:,} {one if count == 1 else many}"


def counted_dice(count: int) -> str:
    """Return ``1 die``, ``2 dice``."""
    return counted(count, "die", "dice")


def several(noun: str) -> str:
    """Return the noun in the plural: ``farkles``, ``zilches``."""
    return noun + ("es" if noun.endswith(("ch", "s", "sh", "x")) else "s")


def percent(chance: float | Fraction, places: int = 1) -> str:
    """Return a chance as people write it: ``27.8%``.

    Without decimals, as on pages: ``28%``, ``under 1%``, ``over 99%``; 0% and 100% only if it is certain.
    """
    if not places and CERTAIN < chance < 0.01:
        return "under 1%"
    if not places and 0.99 < chance < 1 - CERTAIN:
        return "over 99%"
    return f"{float(chance):.{places}%}"


def signed_percent(change: float) -> str:
    """Return a change of a chance: ``+2.3%``; what rounds to nothing has no sign."""
    return percent(0) if abs(change) < 0.0005 else f"{change:+.1%}"


def listed(parts: Sequence[str], word: str) -> str:
    """Return the parts with a word before the last: ``a``, ``a and b``, ``a, b or c``."""
    *before, last = parts
    return f"{', '.join(before)} {word} {last}" if before else last


def capital(text: str) -> str:
    """Return the text with a capital letter."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Return the text with a capital letter and a full stop."""
    return f"{capital(text)}{'' if text.endswith(('.', '!', '?')) else '.'}"
