"""``farkel tournament``: who wins against whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from farkel.support.words import counted
from farkel.terminal.command import Command
from farkel.terminal.commands.measure.simulate import source
from farkel.terminal.options import json_option, machines_options, plot_option
from farkel.terminal.output import result_only, show, table
from farkel.terminal.plots import DARKEST, check_picture, save, titled_page
from farkel.terminal.progress import working
from farkel.terminal.streams import stopped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from farkel.tournament.plan import TournamentPlan
    from farkel.tournament.playing import Report
    from farkel.tournament.standings import Cell, Standing

FORFEITS_SHOWN = 3
"""Reasons of each player."""
NUMBERED = 12
"""Players whose cross table has room for numbers, and not only for greys."""
AVERAGE = 25
"""The rating that OpenSkill begins with."""


@click.command(cls=Command, needs="ratings")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--store",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File that stores the games (default: FILE.sqlite).",
)
@click.option("--results", is_flag=True, help="Show the results so far and play nothing.")
@plot_option("the result")
@machines_options
@json_option
def tournament(
    file: Path,
    store: Path | None,
    results: bool,
    plot: Path | None,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play a tournament: who wins against whom.

    \b
    farkel tournament league.toml

    FILE.toml says who plays, under which rules and how often, each against each or in Swiss rounds; docs/arena.md
    explains it key by key. Every game is saved in FILE.sqlite. If it stops, the same command
    continues.

    \b
    players = ["turn", "cautious", "./mine.py:Greedy"]
    rules = ["extended", "kcd(target=5000)"]
    games = 1000
    """
    check_picture(plot)
    from farkel.tournament.plan import read_plan
    from farkel.tournament.playing import report
    from farkel.tournament.store import Games

    path = store or file.with_suffix(".sqlite")
    if results:
        with Games.look(path) as games:
            found = report(games)
    else:
        with result_only():
            found = _played(path, read_plan(file), file.parent, threads, cluster)
    show(found.data() if as_json else _text(found, path))
    if plot is not None:
        save(report_figure(found), plot)
    if not (results or found.complete):
        stopped("Stopped. The same command continues from here.")


def _played(path: Path, plan: TournamentPlan, folder: Path, threads: int | None, cluster: str | None) -> Report:
    """Return the tournament, played to its end or until Ctrl-C."""
    from farkel.tournament.playing import play_tournament, report
    from farkel.tournament.store import Games

    with Games.open(path, plan) as games:
        with working("Playing games") as progress, suppress(KeyboardInterrupt), source(threads, cluster) as machines:
            play_tournament(games, games.plan, folder, machines, progress)
        return report(games)


# For people ----------------------------------------------------------------------------------------------------------


def _text(found: Report, path: Path) -> str:
    """Return the standings, cross tables and forfeits."""
    from farkel.tournament.standings import cross

    plan = found.plan
    parts = [_head(found, path), _standings_text(found)]
    order = [standing.player for standing in found.standings]
    parts.append(_cross_text(order, cross(found.outcomes), "won against" if len(plan.rules) == 1 else "all rules"))
    if len(plan.rules) > 1:
        parts += [_cross_text(order, cross(found.outcomes, rules.notation), rules.label) for rules in plan.rules]
    if found.forfeited:
        parts.append(_forfeits_text(found))
    return "\n\n".join(parts)


def _head(found: Report, path: Path) -> str:
    plan = found.plan
    state = "all played" if found.complete else f"{found.played:,} of {found.of:,} games played"
    return f"{plan}\n{counted(plan.games, 'game', 'games')} of each match, {found.of:,} in all: {state}, kept in {path}"


def _standings_text(found: Report) -> str:
    plan = found.plan
    swiss, many = plan.kind == "swiss", len(plan.rules) > 1
    head = ["", "player", *(["points"] if swiss else []), "rating", "games", "won", "", "95%"]
    rows = [head + ([rules.label for rules in plan.rules] if many else [])]
    rates = [{one.player: one for one in standings} for standings in found.by_rules]
    for place, one in enumerate(found.standings, 1):
        row = [
            f"{place}",
            one.player,
            *([f"{one.points:g}"] if swiss else []),
            str(one.rating or "–"),
            f"{one.games:,}",
        ]
        row += [f"{one.wins:,.0f}", f"{one.rate:.2%}", f"{one.interval.low:.2%} to {one.interval.high:.2%}"]
        rows.append(row + ([_rate(rate[one.player]) for rate in rates] if many else []))
    nobody = found.played - sum(one.wins for one in found.standings)
    lines = [table(rows, "><" + ">" * (len(rows[0]) - 2))]
    if nobody > 0.5:
        lines.append(f"Nobody won {nobody:,.0f} {'game' if round(nobody) == 1 else 'games'}.")
    return "\n".join(lines)


def _rate(one: Standing) -> str:
    return f"{one.rate:.2%}" if one.games else "–"


def _cross_text(order: list[str], cells: Mapping[tuple[str, str], Cell], title: str) -> str:
    from farkel.tournament.standings import Cell

    rows = [["", title, *(str(place) for place in range(1, len(order) + 1))]]
    for place, player in enumerate(order, 1):
        row = [cells.get((player, other), Cell(0, 0.0)).rate for other in order]
        rows.append([f"{place}", player, *("–" if rate is None else f"{rate:.1%}" for rate in row)])
    return table(rows, "><" + ">" * len(order))


def _forfeits_text(found: Report) -> str:
    labels = {one.notation: one.label for one in found.plan.rules}
    lines = []
    for player, number in found.forfeited.items():
        lines.append(f"{player} forfeited {counted(number, 'game', 'games')}.")
        own = [lost for lost in found.forfeits if lost.match.players[lost.forfeit.player] == player]
        for match, forfeit in own[:FORFEITS_SHOWN]:
            against = ", ".join(other for other in match.players if other != player)
            under = labels.get(match.rules, match.rules)
            lines.append(f"  {under}, against {against}, game {forfeit.game}: {forfeit.reason}")
        lines += ["  ..."] if number > FORFEITS_SHOWN else []
    return "\n".join(lines)


# A picture -----------------------------------------------------------------------------------------------------------


def report_figure(found: Report) -> Figure:
    """Return the ratings with their intervals, and the cross table of all rules. Readable in black and white."""
    from farkel.tournament.standings import cross

    plan = found.plan
    played = f"{found.played:,}" if found.complete else f"{found.played:,} of {found.of:,}"
    games = "game" if found.of == 1 else "games"
    rules = plan.rules[0].label if len(plan.rules) == 1 else f"{len(plan.rules)} rule sets"
    title = f"{plan.title or 'Tournament'}: {played} {games} under {rules}, seed {plan.seed}"
    figure = titled_page(11, 1.8 + 0.35 * len(plan.players), title)
    ratings, crossed = figure.subplots(1, 2, sharey=True)
    _draw_ratings(ratings, found.standings)
    _draw_cross(crossed, [standing.player for standing in found.standings], cross(found.outcomes))
    return figure


def _draw_ratings(axes: Axes, standings: Sequence[Standing]) -> None:
    from farkel.simulation.tally import Z

    for place, one in enumerate(standings):
        if one.rating is not None:
            axes.errorbar(one.rating.mean, place, xerr=Z * one.rating.deviation, fmt="o", color="black", capsize=4)
    axes.set_yticks(range(len(standings)), [f"{one.player}  {place}" for place, one in enumerate(standings, 1)])
    axes.set_ylim(len(standings) - 0.5, -0.5)
    axes.axvline(AVERAGE, color="0.4", linewidth=0.8, linestyle=":")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("rating, with 95% intervals; dotted: an average player")


def _draw_cross(axes: Axes, order: Sequence[str], cells: Mapping[tuple[str, str], Cell]) -> None:
    """Draw how often the row's player wins against the column's: the more, the darker."""
    from matplotlib.patches import Rectangle

    from farkel.tournament.standings import Cell

    places = range(len(order))
    for row, column in product(places, places):
        rate = cells.get((order[row], order[column]), Cell(0, 0.0)).rate
        grey = 1.0 if rate is None else 1 - (1 - DARKEST) * rate
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=f"{grey:.3f}", edgecolor="0.6"))
        if len(order) <= NUMBERED:
            axes.text(column, row, "–" if rate is None else f"{rate:.0%}", ha="center", va="center", fontsize=8)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_xticks(places, [str(place) for place in range(1, len(order) + 1)])
    axes.tick_params(left=False, labelsize=8 if len(order) <= 2 * NUMBERED else 5)
    axes.set_xlabel("games won against this player; darker means more")
