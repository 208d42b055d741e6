"""``farkel odds``: the exact chances of one roll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, json_option, rules_options
from farkel.terminal.output import show, table
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from farkel.rules import Rules
    from farkel.solve import DiceOdds


@click.command(cls=Command)
@rules_options
@json_option
def odds(rules: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Show the exact chances of one roll.

    For each number of dice: the chances of a farkle and of hot dice, and the average points if you take the most. A
    farkle counts as 0.
    """
    chosen = chosen_rules(rules, changes)
    with working("Calculating the chances"):
        from farkel.solve import odds as chances

        found = chances(chosen)
    show(_content(found) if as_json else _text(chosen, found))


def _content(odds: Mapping[int, DiceOdds]) -> dict[str, Any]:
    """Return exact fractions, by the number of dice."""
    return {
        "dice": {
            str(dice): {"farkle": str(one.farkle), "hot_dice": str(one.hot_dice), "mean_best": str(one.mean_best)}
            for dice, one in odds.items()
        }
    }


def _text(rules: Rules, odds: Mapping[int, DiceOdds]) -> str:
    """Return a line for each number of dice."""
    rows = [["dice", "farkle", "", "hot dice", "", "average points", ""]]
    for dice, one in odds.items():
        chances = [cell for chance in (one.farkle, one.hot_dice) for cell in (f"{float(chance):.2%}", str(chance))]
        rows.append([str(dice), *chances, f"{float(one.mean_best):,.2f}", str(one.mean_best)])
    return f"One roll under {rules}\n\n{table(rows, '>>>>>>>')}"
