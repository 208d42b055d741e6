"""``farkel regret``: what players give away against perfect play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, json_option, plot_option, rules_options
from farkel.terminal.output import show, table
from farkel.terminal.plots import blank_page, check_picture, headed, save
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from farkel.coach.regret import Regret

FILLS = (("white", ""), ("0.75", ""), ("white", "///"), ("0.45", ""))
"""Grey and hatching for each kind of decision."""


@click.command(cls=Command)
@rules_options
@click.option(
    "--players", metavar="LIST", required=True, help="Players to measure, such as turn,cautious or ./mine.py:Greedy."
)
@click.option(
    "--games", metavar="N", type=click.IntRange(min=2), default=100, show_default=True, help="Number of games."
)
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**64 - 1), default=0, help="Seed for other games.")
@plot_option("the result")
@json_option
def regret(
    rules: str | None,
    changes: tuple[str, ...],
    players: str,
    games: int,
    seed: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Measure what players give away against perfect play, by kind of decision and stage of the game.

    \b
    farkel regret --players turn,cautious --rules kcd

    It is exact for players whose choices are known for every position, such as turn and cautious. Others play --games
    games against perfect play.
    """
    check_picture(plot)
    chosen = chosen_rules(rules, changes)
    with working("Solving the game") as progress:
        from farkel.coach.regret import regrets

        found = regrets(chosen, players.split(","), games, seed, progress)
    show(_content(found) if as_json else _text(found))
    if plot is not None:
        save(_figure(found), plot)


def _content(found: Sequence[Regret]) -> dict[str, Any]:
    """Return what players give away."""
    return {
        "rules": str(found[0].rules),
        "players": [
            {
                "player": one.player,
                "exact": one.games == 0,
                "games": one.games,
                "wins": one.wins,
                "given_away": one.total,
                "interval": [one.total - one.error, one.total + one.error],
                "by": [
                    {"stage": stage, "kind": kind, "given_away": given} for (stage, kind), given in one.given.items()
                ],
            }
            for one in found
        ],
    }


def _text(found: Sequence[Regret]) -> str:
    """Return a table for each player: stages of the game by kinds of decisions."""
    from farkel.coach.kinds import KINDS, STAGES

    parts = []
    for one in found:
        how = f"in {one.games:,} games, ±{one.error:.2%} (95%)" if one.games else "exactly"
        kinds = [kind for kind in KINDS if any(one.given[stage, kind] for stage in STAGES)]
        rows = [["", *kinds, "all"]]
        for stage in STAGES:
            given = [one.given[stage, kind] for kind in kinds]
            rows.append([stage, *(f"{each:.3%}" for each in given), f"{sum(given):.3%}"])
        sums = [sum(one.given[stage, kind] for stage in STAGES) for kind in kinds]
        rows.append(["all", *(f"{each:.3%}" for each in sums), f"{one.total:.3%}"])
        parts.append(
            f"{one.player} under {one.rules} wins {one.wins:.2%} against perfect play and gives away, {how}:\n\n"
            f"{table(rows, '<' + '>' * (len(kinds) + 1))}"
        )
    parts.append("Winning chance per game, both seats counted equally. end: a score of 80% of the target or more.")
    return "\n\n".join(parts)


def _figure(found: Sequence[Regret]) -> Figure:
    """Return a bar for each player and stage of the game, in parts by kind of decision."""
    from farkel.coach.kinds import KINDS, STAGES

    figure = blank_page(10, 5.2)
    axes = figure.add_axes((0.075, 0.16, 0.85, 0.72))
    kinds = [kind for kind in KINDS if any(one.given[stage, kind] > 0 for one in found for stage in STAGES)]
    width = 0.8 / len(found)
    for number, one in enumerate(found):
        places = [place - 0.4 + width * (number + 0.5) for place in range(len(STAGES))]
        bottom = [0.0] * len(STAGES)
        for kind, (grey, hatch) in zip(kinds, FILLS, strict=False):
            heights = [100 * one.given[stage, kind] for stage in STAGES]
            label = kind if number == 0 else None
            axes.bar(
                places, heights, 0.9 * width, bottom, color=grey, hatch=hatch, edgecolor="black", lw=0.6, label=label
            )
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
        for place, top in zip(places, bottom, strict=True):
            axes.annotate(one.player, (place, top), (0, 3), textcoords="offset points", ha="center", fontsize=7.5)
    axes.set_xticks(range(len(STAGES)), STAGES)
    axes.set_ylabel("winning chance given away per game (%)")
    headed(figure, axes, f"What decisions give away, {found[0].rules.name}")
    return figure
