"""Pictures on paper: the curve of a review, and the strategy card. Readable in black and white.

matplotlib is imported by the functions that draw; no state of it is shared.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farkel import __version__
from farkel.coach import Review
from farkel.coach.chart import LARGEST, Card, Cell, Table
from farkel.coach.kinds import KINDS, STAGES
from farkel.rules import Rules
from farkel.terminal.output import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from farkel.coach.regret import Regret

DASHES: Sequence[Any] = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)), (0, (1, 3)), (0, (3, 1, 1, 1)))
"""A kind of line for each seat."""
MARKS = {"inaccuracy": ("o", "white"), "mistake": ("s", "0.6"), "blunder": ("X", "black")}
"""The shape and filling for each grade of error."""

FILLS = (("white", ""), ("0.75", ""), ("white", "///"), ("0.45", ""))
"""Grey and hatching for each kind of decision."""

A4 = (8.27, 11.69)
"""Inches."""
DARKEST = 0.72
"""The grey of the largest number of a grid: black print stays readable on it."""
LEFT, RIGHT, TOP, BOTTOM = 0.07, 0.93, 0.965, 0.035
"""The margins of the card, as parts of the page."""
LINE = 0.0175
"""The height of a line of a table across the page."""
SMALL = 0.0148
"""The height of a line of a table beside another."""
GAP = 0.03
"""Between two tables side by side."""
LABELS = 0.29
"""The part of the page's width for the labels of a table across it."""


def save(figure: Figure, path: Path) -> None:
    """Write the picture, whole or not at all, in the format of its name. Raises `FarkelError` ``unwritable``."""
    with whole(path) as part:
        draw(figure, part)


def draw(figure: Figure, path: Path) -> None:
    """Draw the picture into the file, in the format that its name ends in."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_parse_math(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters of a name that the font does not have
        figure.savefig(path, format=path.suffix[1:].lower(), dpi=200)


def blank_page(width: float, height: float) -> Figure:
    """Return an empty page of this many inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


# The curve of a review -----------------------------------------------------------------------------------------------


def review_figure(review: Review, title: str) -> Figure:
    """Return the chance of each seat after each move, with the errors as marks and the turns as bands.

    Of two seats that share everything one line says all.
    """
    figure = blank_page(10, 5.2)
    axes = figure.add_axes((0.075, 0.12, 0.85, 0.76))
    curve, names = review.curve, review.names
    both = len(names) == 2 and all(abs(sum(chances) - 1) < 1e-6 for chances in curve)
    _bands(axes, review)
    places = range(len(curve))
    for seat in range(1 if both else len(names)):
        chances = [one[seat] for one in curve]
        axes.plot(places, chances, color="black", linewidth=1.4, linestyle=DASHES[seat], label=_label(names[seat]))
    _marks(axes, review, both)
    axes.axhline(1 / len(names), color="0.6", linewidth=0.6)
    axes.set_xlim(0, max(1, len(curve) - 1))
    axes.set_ylim(0, 1)
    ticks = [0, 0.25, 0.5, 0.75, 1]
    axes.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
    axes.set_xlabel("moves" + (f"; grey: turns of {names[1]}" if len(names) == 2 else "; bands: turns"))
    axes.set_ylabel(f"chance that {names[0]} wins" if both else "chance to win")
    if both:
        other = axes.secondary_yaxis("right", functions=(_opposite, _opposite))
        other.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
        other.set_ylabel(f"chance that {names[1]} wins")
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.09), ncols=6, frameon=False, fontsize=7.5, borderaxespad=0)
    figure.text(0.075, 0.955, title, fontsize=11, weight="bold")
    return figure


def _label(name: str) -> str:
    """Return the name for a legend, which passes over those that begin with an underscore."""
    return f" {name}" if name.startswith("_") else name


def _opposite(chance: Any) -> Any:
    return 1 - chance


def _bands(axes: Axes, review: Review) -> None:
    """Draw the turns of every second seat in grey."""
    start = 0
    seats = [step.move.before.seat for step in review.steps]
    for place in range(1, len(seats) + 1):
        if place == len(seats) or seats[place] != seats[start]:
            if seats[start] % 2:
                axes.axvspan(start, place, color="0.92", linewidth=0, zorder=0)
            start = place


def _marks(axes: Axes, review: Review, both: bool) -> None:
    """Mark where an error was made, on the line of the seat that made it."""
    for grade, (shape, fill) in MARKS.items():
        found = [
            (place, step.after[0 if both else step.move.before.seat])
            for place, step in enumerate(review.steps, 1)
            if step.decision is not None and step.decision.grade == grade
        ]
        if found:
            places, chances = zip(*found, strict=True)
            axes.plot(
                places,
                chances,
                linestyle="none",
                marker=shape,
                markersize=7,
                markerfacecolor=fill,
                markeredgecolor="black",
                label=grade,
                zorder=3,
                clip_on=False,
            )


# What decisions give away --------------------------------------------------------------------------------------------


def regret_figure(found: Sequence[Regret]) -> Figure:
    """Return a bar for each player and stage of the game, in parts by kind of decision."""
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
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.09), ncols=6, frameon=False, fontsize=7.5, borderaxespad=0)
    figure.text(0.075, 0.955, f"What decisions give away, {found[0].rules.name}", fontsize=11, weight="bold")
    return figure


# The strategy card ---------------------------------------------------------------------------------------------------


def card_figure(card: Card) -> Figure:
    """Return the card on one page, upright."""
    figure = blank_page(*A4)
    odds, bank = (next(one for one in card.tables if one.name == name) for name in ("odds", "bank"))
    grids = [one for one in card.tables if one.name == "grid"]
    takes = [one for one in card.tables if one.name == "take"]
    top = _head(figure, card)
    top = _strip(figure, odds, top)
    top = _wide(figure, bank, top, _legend([bank, *grids]))
    room = top - BOTTOM - 0.02 - _takes_height(takes)
    top = _grids(figure, grids, top, room)
    if len(takes) == 1:
        _wide(figure, takes[0], top, f"fresh: start fresh, for up to {LARGEST * card.rules.unit:,} on offer.")
    elif takes:
        _pair(figure, takes, top)
    return figure


def _legend(tables: Sequence[Table]) -> str:
    """Return the meaning of cells that are not plain numbers."""
    cells = {cell for table in tables for row in table.cells for cell in row if not isinstance(cell, int)}
    words = {"roll": "roll: never bank.", "goal": "goal: only to reach the target.", None: "–: cannot be."}
    found = [text for cell, text in words.items() if cell in cells]
    if any(cell is not None and "–" in cell for cell in cells):
        found.append("400–900: from 400 on, but not above 900.")
    return "   ".join([*found, "Exceptions of a few totals are left out."])


def _head(figure: Figure, card: Card) -> float:
    rules = card.rules
    title = rules.title or rules.name
    figure.text(LEFT, TOP, "STRATEGY CARD", fontsize=7.5, va="top", color="0.25")
    figure.text(LEFT, TOP - 0.013, title, fontsize=min(17.0, 17.0 * 48 / len(title)), weight="bold", va="top")
    figure.text(LEFT, TOP - 0.041, _terms(rules), fontsize=8.5, va="top", linespacing=1.35)
    figure.text(
        LEFT,
        BOTTOM,
        f"Exact for two sides that both play their best: the one that starts wins {card.first_player_wins:.2%}. "
        f"farkel {__version__}, {_named(rules)}",
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


def _strip(figure: Figure, table: Table, top: float) -> float:
    """Return the odds of one roll."""
    top = _title(figure, table.title, table.note, top)
    height = LINE * (len(table.labels) + 1)
    _cells(_axes(figure, LEFT, top - height, RIGHT - LEFT, height), table, LABELS)
    return top - height - 0.016


def _wide(figure: Figure, table: Table, top: float, legend: str) -> float:
    """Return a table across the page, with a legend below."""
    top = _title(figure, table.title, table.note, top)
    height = LINE * (len(table.labels) + 1)
    _cells(_axes(figure, LEFT, top - height, RIGHT - LEFT, height), table, LABELS)
    figure.text(LEFT, top - height - 0.005, legend, fontsize=7.5, va="top")
    return top - height - 0.03


def _grids(figure: Figure, tables: Sequence[Table], top: float, room: float) -> float:
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


def _pair(figure: Figure, tables: Sequence[Table], top: float) -> None:
    """Draw two small tables side by side, each with its note below its title."""
    width = (RIGHT - LEFT - GAP) / 2
    height = SMALL * (len(tables[0].labels) + 1)
    for column, table in enumerate(tables):
        left = LEFT + column * (width + GAP)
        figure.text(left, top, table.title, fontsize=11, weight="bold", va="top")
        figure.text(left, top - 0.018, table.note, fontsize=8, va="top")
        _cells(_axes(figure, left, top - 0.033 - height, width, height), table, 0.2, shades=True, size=7.5)


def _takes_height(tables: Sequence[Table]) -> float:
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


def _cells(axes: Axes, table: Table, labels: float, shades: bool = False, size: float = 8.5) -> None:
    """Draw a table: its columns' names, and a line for each label. ``labels`` is the part of the width for those.

    Shades repeat the numbers.
    """
    from matplotlib.patches import Rectangle

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
            text = "–" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell
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
