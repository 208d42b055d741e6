"""``farkel race``: the fewest turns to the target for one player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, json_option, rules_options
from farkel.terminal.output import show
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from farkel.solve import FewestTurns


@click.command(cls=Command)
@rules_options
@json_option
def race(rules: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Calculate the fewest turns to the target for one player."""
    chosen = chosen_rules(rules, changes)
    with working("Calculating the race") as progress:
        from farkel.solve import best_race

        found = best_race(chosen, progress)
    show(_content(found) if as_json else _text(found))


def _content(race: FewestTurns) -> dict[str, Any]:
    """Return the turns of a player alone; with lives also the chance to reach the target before they run out."""
    content = {"expected_turns": race.expected_turns}
    return content | ({"reaches": race.reaches} if race.rules.lives.each else {})


def _text(race: FewestTurns) -> str:
    """Return the turns of a player alone, in a sentence."""
    rules = race.rules
    if rules.lives.each:
        return (
            f"Alone to {rules.target:,} under {rules}: reached with a chance of {race.reaches:.6f} at best, "
            f"in {race.expected_turns:.6f} turns on average until then or until no life is left"
        )
    return f"Alone to {rules.target:,} under {rules}: {race.expected_turns:.6f} turns at best, on average"
