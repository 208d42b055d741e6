"""The fields of the rules that the coach understands. Where another is not at its default, it says so."""

from __future__ import annotations

from functools import lru_cache

from farkel.rules import Rules
from farkel.rules.settings import Setting, declared, unknown

UNDERSTOOD = declared(
    {
        "": "dice target finish rounds start entry entry_each minimum bank_multiple hot_dice hot_dice_multiplier "
        "hot_dice_bonus keep teams",
        "scoring.": "bank",
        "take_over.": "price stake choose_dice after_farkle after_hot_dice",
        "lives.": "each farkle farkle_all_dice last_standing round_points",
        "penalties.": "farkles_in_row farkles_in_row_points farkle_all_dice below_zero",
    }
)
"""Fields of play: the law is asked about them, or positions and cards are made for them."""


@lru_cache(maxsize=64)
def strange(rules: Rules) -> Setting | None:
    """Return the first field that is not at its default and that the coach does not understand."""
    return unknown(rules, UNDERSTOOD)
