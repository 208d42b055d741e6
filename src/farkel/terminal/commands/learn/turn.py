"""``farkel turn``: the best play for points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, json_option, rules_options
from farkel.terminal.output import show, table
from farkel.terminal.progress import working

if TYPE_CHECKING:
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
    with working("turn"):
        from farkel.solve import best_turn

        found = best_turn(chosen)
    show(_content(found) if as_json else _text(chosen, found))


def _content(turn: Turn) -> dict[str, Any]:
    """Return the points of a turn, and the totals to bank from, by the dice left; null is never."""
    bank_at = {str(dice): points for dice, points in turn.bank_at.items()}
    return {"expected_points": turn.expected_points, "bank_at": bank_at}


def _text(rules: Rules, turn: Turn) -> str:
    """Return the average of the best turn, and the totals to bank from."""
    dice = sorted(turn.bank_at)
    totals = ((each in turn.may_bank, turn.bank_at[each]) for each in dice)
    cells = ("–" if not may else "never" if total is None else f"{total:,}" for may, total in totals)
    rows = [["dice left", *map(str, dice)], ["bank from", *cells]]
    long_run = " in the long run" if rules.penalties.farkles_in_row else ""
    return (
        f"Best play for points under {rules}: {turn.expected_points:,.4f} points per turn{long_run}\n\n"
        f"{table(rows, '<' + '>' * len(dice))}\n\n"
        "Bank once your turn total reaches this number; until then, keep rolling."
        + ("\n–: the rules allow no bank that leaves this many dice." if len(turn.may_bank) < len(dice) else "")
        + (
            f"\nThe entry score of {rules.entry:,} is needed only once; these numbers leave it out."
            if rules.entry
            else ""
        )
        + ("\nThese numbers also leave out the scores where nobody may rest." if rules.zones else "")
    )
