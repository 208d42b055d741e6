"""The fields of the rules that the coach understands. If another is not at its default, it says so."""

from __future__ import annotations

from functools import lru_cache

from farkel.rules import Rules
from farkel.rules.settings import Setting, declared, unknown

UNDERSTOOD = declared(
    {
        "": "dice target finish rounds start entry entry_each minimum bank_multiple hot_dice hot_dice_multiplier "
        "hot_dice_bonus keep next_roll fallen teams ties",
        "scoring.": "bank",
        "take_over.": "price stake choose_dice after_farkle after_hot_dice heavy on_board from_score toward_entry",
        "lives.": "each farkle farkle_all_dice last_standing round_points",
        "penalties.": "farkles_in_row farkles_in_row_points farkle_all_dice farkle below_zero",
    }
)
"""Fields of play: the law is asked about them, or positions and cards are made for them."""
IN_A_TURN = declared(
    {
        "": "turns_in_row entry_again exact_hit last_turns_again extend extend_points last_die_tries most_hot_dice",
        "penalties.": "farkle_first_roll turn_total",
        "catching_up.": "landed_on overtaken",
    }
)
"""Fields that doubts understand, or that do not matter to what dice can bring about in a turn; positions and cards do
not: it is not known which sets may be extended."""
UNTOLD = {"extend": ("double", "again")}
"""Values of other fields under which turn totals cannot be judged: the points of a keep depend on the total before, or
the number of rolls on the dice."""
VALUES = {
    "penalties.farkle": ("all",),
    "penalties.farkle_all_dice": ("all",),
    "penalties.farkles_in_row_points": ("all",),
    "finish": ("fewest_rounds",),
    "keep": ("all_to_win",),
    "ties": ("play_off",),
}
"""Values of other fields that positions and cards are not made for."""


@lru_cache(maxsize=64)
def strange(rules: Rules, in_a_turn: bool = False) -> Setting | None:
    """Return the first field that is not at its default and that the coach does not understand.

    in_a_turn: only what dice can bring about in a turn is asked.
    """
    understood, values = (UNDERSTOOD | IN_A_TURN, UNTOLD) if in_a_turn else (UNDERSTOOD, VALUES | UNTOLD)
    return unknown(rules, understood, values)
