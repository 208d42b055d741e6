"""``farkel turn``: the best play for points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from farkel.terminal.command import Command
from farkel.terminal.fitting import room
from farkel.terminal.options import chosen_rules, json_option, rules_options
from farkel.terminal.output import show
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from farkel.coach.card import Thresholds
    from farkel.rules import Rules
    from farkel.solve import Turn


@click.command(cls=Command)
@rules_options
@json_option
def turn(rules: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Show the best play for points.

    Prints the average points of the best turn and, for each number of dice left, the turn total from which to bank.
    """
    chosen = chosen_rules(rules, changes)
    with working("Calculating the best turn"):
        from farkel.coach.card import thresholds
        from farkel.solve import best_turn

        found = best_turn(chosen)
    show(_content(found) if as_json else _text(chosen, thresholds(chosen)))


def _content(turn: Turn) -> dict[str, Any]:
    """Return the points of a turn, and the totals to bank from, by the dice left; null is never."""
    bank_at = {str(dice): points for dice, points in turn.bank_at.items()}
    return {"expected_points": turn.expected_points, "bank_at": bank_at}


def _text(rules: Rules, found: Thresholds) -> str:
    """Return the average of the best turn, and the totals to bank from."""
    return f"Best play for points under {rules}: {found.text(room())}"
