"""``farkel chart``: a card to play by, as text and on paper, and the sheet of thresholds for analysts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from farkel import __version__
from farkel.errors import SolveError
from farkel.support.progress import Steps
from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, json_option, rules_options
from farkel.terminal.output import show
from farkel.terminal.plots import DARKEST, LEFT, RIGHT, blank_page, check_picture, save
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from farkel.coach.card import Guide
    from farkel.coach.chart import Cell, Chart, ChartTable
    from farkel.rules import Rules

PAPER = 100
"""Letters of a line on paper."""
A4 = (8.27, 11.69)
"""Inches."""
TOP, BOTTOM = 0.965, 0.035
"""The margins of the sheet, as parts of the page."""
LINE = 0.0175
"""The height of a line of a table across the page."""
SMALL = 0.0148
"""The height of a line of a table beside another."""
GAP = 0.03
"""Between two tables side by side."""
LABELS = 0.29
"""The part of the page's width for the labels of a table across it."""


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="The same as FILE.")
@rules_options
@click.option("--full", is_flag=True, help="The sheet for analysts: thresholds of best play by scores, on one page.")
@json_option
def chart(
    file: Path | None, output: Path | None, rules: str | None, changes: tuple[str, ...], full: bool, as_json: bool
) -> None:
    """Print a card to play by, or draw it: FILE.pdf, FILE.svg or FILE.png.

    Half a page of easy numbers and sentences, found for the rules, with how often they win against perfect play:
    bot:card plays just so. The first time it has to be calculated.

    With --full, from the exact solution for two sides: when to bank by dice left and turn total, how the scores shift
    that, and what to take over. Without FILE that is farkel-NAME.pdf in this folder.
    """
    if file is not None and output is not None:
        raise click.UsageError("give FILE or --output, not both")
    chosen, path = chosen_rules(rules, changes), file or output
    if full:
        _sheet(chosen, path or Path(f"farkel-{chosen.name}.pdf"), as_json)
    else:
        _card(chosen, path, as_json)


# The card to play by -------------------------------------------------------------------------------------------------


def _card(rules: Rules, path: Path | None, as_json: bool) -> None:
    check_picture(path)
    with working("Looking for the best card") as progress:
        from farkel.coach.card import guide
        from farkel.players import tuning

        try:
            tuning.check(rules)
        except SolveError as error:
            raise click.ClickException(f"{error.message}; for the thresholds of best play add --full") from None
        found = guide(rules, progress)
    if path is not None:
        save(_card_figure(found), path)
    if as_json or path is None:
        from farkel.terminal.coach_text import guide_text

        show(_card_content(found) if as_json else guide_text(found))
    else:
        show(f"The card is in {path}")


def _card_content(guide: Guide) -> dict[str, Any]:
    """Return numbers, sentences and how well they do."""
    return {
        "rules": str(guide.rules),
        "numbers": guide.numbers._asdict(),
        "bank": [{"left": left, "from": least} for left, least in guide.bank],
        "sentences": [{"text": one.text, "worth": one.worth} for one in guide.sentences],
        "scoring": [{"dice": dice, "points": points} for dice, points in guide.scoring],
        "wins": guide.wins,
        "worst": guide.worst,
    }


def _card_figure(guide: Guide) -> Figure:
    """Return the card on half a page."""
    figure, rules = blank_page(8.27, 5.85), guide.rules
    title = f"How to play {rules.called}"
    figure.text(LEFT, 0.93, title, fontsize=min(17.0, 17.0 * 48 / len(title)), weight="bold", va="top")
    _rows(figure, [("Dice left", "Bank from"), *guide.bank], LEFT, 0.34, 0.82, 10.5)
    _rows(figure, [("Dice", "Worth"), *guide.scoring], 0.52, RIGHT, 0.82, min(9.0, 9.0 * 11 / (len(guide.scoring) + 1)))
    top = 0.82 - 0.056 * (len(guide.bank) + 1) - 0.02
    top = min(top, 0.82 - 0.0415 * min(12, len(guide.scoring) + 1) - 0.02)
    for number, one in enumerate(guide.sentences, 1):
        lines = wrap(str(one), PAPER)
        figure.text(LEFT, top, f"{number}.", fontsize=9, va="top")
        figure.text(LEFT + 0.025, top, "\n".join(lines), fontsize=9, va="top", linespacing=1.25)
        top -= 0.031 * len(lines) + 0.012
    notes = wrap(f"{guide.figures} farkel {__version__}, {rules.name} ({rules.digest})", 150)
    figure.text(LEFT, 0.03, "\n".join(notes), fontsize=6.5, va="bottom", color="0.25")
    return figure


def _rows(figure: Figure, rows: list[tuple[str, str]], left: float, right: float, top: float, size: float) -> None:
    for number, (name, value) in enumerate(rows):
        weight = "bold" if number == 0 else "normal"
        height = top - number * size * 0.0053
        figure.text(left, height, name, fontsize=size, va="top", weight=weight)
        figure.text(right, height, value, fontsize=size, va="top", ha="right", weight=weight)


# The sheet for analysts ----------------------------------------------------------------------------------------------


def _sheet(rules: Rules, path: Path, as_json: bool) -> None:
    from farkel.coach.chart import make_card

    if not as_json:
        check_picture(path)
    with working("Solving the game") as progress:
        from farkel.solve import best_turn, duel
        from farkel.solve import odds as chances

        steps = Steps(progress, {"Solving the game": 2.0, "Filling the tables": 1.0})
        solved = duel(rules, steps.begin("Solving the game"))
        card = make_card(rules, solved, best_turn(rules), chances(rules), steps.begin("Filling the tables"))
    if as_json:
        show(_sheet_content(card))
        return
    save(_sheet_figure(card), path)
    show(f"The card is in {path}")


def _sheet_content(card: Chart) -> dict[str, Any]:
    """Return the tables of the sheet, row by row."""
    return {
        "rules": str(card.rules),
        "first_player_wins": card.first_player_wins,
        "expected_points": card.expected_points,
        "tables": [
            {
                "title": one.title,
                "note": one.note,
                "columns": one.columns,
                "rows": [{"label": label, "cells": cells} for label, cells in zip(one.labels, one.cells, strict=True)],
            }
            for one in card.tables
        ],
    }


def _sheet_figure(card: Chart) -> Figure:
    """Return the sheet on one page, upright."""
    from farkel.coach.chart import legend

    figure = blank_page(*A4)
    odds, bank = (next(one for one in card.tables if one.name == name) for name in ("odds", "bank"))
    grids = [one for one in card.tables if one.name == "grid"]
    takes = [one for one in card.tables if one.name == "take"]
    top = _head(figure, card)
    top = _wide(figure, odds, top)
    top = _wide(figure, bank, top, "   ".join(legend([bank, *grids])))
    room = top - BOTTOM - 0.02 - _takes_height(takes)
    top = _grids(figure, grids, top, room)
    if len(takes) == 1:
        _wide(figure, takes[0], top, card.fresh)
    elif takes:
        _pair(figure, takes, top)
    return figure


def _head(figure: Figure, card: Chart) -> float:
    rules = card.rules
    title = rules.called
    figure.text(LEFT, TOP, "STRATEGY CARD", fontsize=7.5, va="top", color="0.25")
    figure.text(LEFT, TOP - 0.013, title, fontsize=min(17.0, 17.0 * 48 / len(title)), weight="bold", va="top")
    figure.text(LEFT, TOP - 0.041, _terms(rules), fontsize=8.5, va="top", linespacing=1.35)
    figure.text(
        LEFT,
        BOTTOM,
        f"{card.wins} farkel {__version__}, {_named(rules)}",
        fontsize=6.5,
        va="bottom",
        color="0.25",
    )
    return TOP - 0.08


def _named(rules: Rules) -> str:
    """Return the rules by their notation, if that is short, and their digest."""
    return f"{rules} ({rules.digest})" if len(str(rules)) <= 60 else f"{rules.name} ({rules.digest})"


def _terms(rules: Rules) -> str:
    """Return what of the rules matters to the numbers, in two lines."""
    ends = {
        "at_once": "the first there wins",
        "last_turns": "then everyone else has one last turn",
        "equal_turns": "then the round is finished",
        "fewest_rounds": "in the fewest rounds",
        "exact": "exactly",
        "welfare": "exactly; what goes over is given away",
    }
    first = [f"To {rules.target:,}, {ends[rules.finish]}."]
    if rules.rounds:
        first.append(f"After {rules.rounds} rounds the highest score wins.")
    if rules.entry:
        first.append(f"Getting on the board: {rules.entry:,} in one turn.")
    if rules.minimum:
        first.append(f"Every bank: at least {rules.minimum:,}.")
    if rules.hot_dice == "forced":
        first.append("Hot dice must be rolled.")
    second = []
    if rules.lives.each:
        second.append(f"{rules.lives.each} lives each.")
    if rules.take_over.allowed:
        price = {
            "free": "free",
            "stake": f"for a stake of {rules.take_over.stake:,}",
            "lives": "for a life a die",
        }
        second.append(f"Dice left may be taken over, {price[rules.take_over.price]}.")
    fines = rules.penalties
    if fines.farkles_in_row:
        second.append(f"{fines.farkles_in_row} farkles in a row cost {fines.farkles_in_row_points:,}.")
    if fines.farkle_all_dice:
        second.append(f"A farkle on all dice costs {fines.farkle_all_dice:,}.")
    if rules.rolled.nothing.points:
        second.append(f"All dice and nothing scores: {rules.rolled.nothing.points:,}.")
    return " ".join(first) + "\n" + " ".join(second)


def _title(figure: Figure, title: str, note: str, top: float) -> float:
    figure.text(LEFT, top, title, fontsize=11, weight="bold", va="top")
    figure.text(RIGHT, top - 0.002, note, fontsize=8, va="top", ha="right")
    return top - 0.019


def _wide(figure: Figure, table: ChartTable, top: float, legend: str = "") -> float:
    """Draw a table across the page, with a legend below, and return where the next one begins."""
    top = _title(figure, table.title, table.note, top)
    height = LINE * (len(table.labels) + 1)
    _cells(_axes(figure, LEFT, top - height, RIGHT - LEFT, height), table, LABELS)
    if legend:
        figure.text(LEFT, top - height - 0.005, legend, fontsize=7.5, va="top")
    return top - height - (0.03 if legend else 0.016)


def _grids(figure: Figure, tables: Sequence[ChartTable], top: float, room: float) -> float:
    """Return grids of scores against scores, two side by side, in so much room."""
    top = _title(figure, "How the scores shift it", "down: your score; across: the other's; darker: later", top)
    width = (RIGHT - LEFT - GAP) / 2
    height = min(0.2, (room - 0.019) / ((len(tables) + 1) // 2) - 0.032)
    for place in range(0, len(tables), 2):
        for column, table in enumerate(tables[place : place + 2]):
            left = LEFT + column * (width + GAP)
            figure.text(left, top, table.title, fontsize=9, va="top")
            _cells(_axes(figure, left, top - 0.016 - height, width, height), table, 0.155, shades=True, size=6.8)
        top -= height + 0.032
    return top


def _pair(figure: Figure, tables: Sequence[ChartTable], top: float) -> None:
    """Draw two small tables side by side, each with its note below its title."""
    width = (RIGHT - LEFT - GAP) / 2
    height = SMALL * (len(tables[0].labels) + 1)
    for column, table in enumerate(tables):
        left = LEFT + column * (width + GAP)
        figure.text(left, top, table.title, fontsize=11, weight="bold", va="top")
        figure.text(left, top - 0.018, table.note, fontsize=8, va="top")
        _cells(_axes(figure, left, top - 0.033 - height, width, height), table, 0.2, shades=True, size=7.5)


def _takes_height(tables: Sequence[ChartTable]) -> float:
    """Return the room that the tables of offers take up."""
    if not tables:
        return 0.0
    lines = len(tables[0].labels) + 1
    return 0.019 + LINE * lines + 0.03 if len(tables) == 1 else 0.033 + SMALL * lines


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Return a place to draw in whose corners are (0, 0) and (1, 1), with (0, 0) above."""
    axes = figure.add_axes((left, bottom, width, height))
    axes.set_xlim(0, 1)
    axes.set_ylim(1, 0)
    axes.axis("off")
    return axes


def _cells(axes: Axes, table: ChartTable, labels: float, shades: bool = False, size: float = 8.5) -> None:
    """Draw a table: its columns' names, and a line for each label. ``labels`` is the part of the width for those.

    Shades repeat the numbers.
    """
    from matplotlib.patches import Rectangle

    from farkel.coach.chart import cell_text

    high = 1 / (len(table.labels) + 1)
    wide = (1 - labels) / len(table.columns)
    axes.text(labels - 0.012, high / 2, table.corner, fontsize=size - 1, ha="right", va="center", style="italic")
    for row, label in enumerate(table.labels, 1):
        axes.text(labels - 0.012, (row + 0.5) * high, label, fontsize=size - 0.5, ha="right", va="center")
    span = _span(cell for row in table.cells for cell in row)
    for column, name in enumerate(table.columns):
        left = labels + column * wide
        axes.text(left + wide / 2, high / 2, name, fontsize=size, ha="center", va="center", weight="bold")
        for row, cell in enumerate((cells[column] for cells in table.cells), 1):
            hatch = "///" if cell == "goal" else ""
            grey = _grey(cell, *span) if shades else "white"
            axes.add_patch(
                Rectangle((left, row * high), wide, high, linewidth=0.5, facecolor=grey, edgecolor="0.6", hatch=hatch)
            )
            text = cell_text(cell)
            axes.text(
                left + wide / 2,
                (row + 0.5) * high,
                text,
                fontsize=size if len(text) < 12 else size * 0.82,
                ha="center",
                va="center",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2} if hatch else None,
            )


def _span(cells: Iterable[Cell]) -> tuple[int, int]:
    """Return the smallest and the largest number among the cells."""
    numbers = [cell for cell in cells if isinstance(cell, int)]
    return min(numbers, default=0), max(numbers, default=0)


def _grey(cell: Cell, least: int, most: int) -> str:
    if not isinstance(cell, int) or most == least:
        return "white"
    return f"{1 - (1 - DARKEST) * (cell - least) / (most - least):.3f}"
