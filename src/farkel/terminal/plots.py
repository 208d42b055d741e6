"""Pictures on paper: whether one can be drawn, an empty page, and how it is written. Readable in black and white.

matplotlib is imported by the functions that draw; no state of it is shared.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farkel.errors import FarkelError
from farkel.support.extras import needs
from farkel.terminal.output import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = (".svg", ".png", ".pdf")
DASHES: Sequence[Any] = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)), (0, (1, 3)), (0, (3, 1, 1, 1)))
"""A kind of line for each seat."""
DARKEST = 0.72
"""The grey of the largest number of a grid: black print stays readable on it."""
LEFT, RIGHT = 0.07, 0.93
"""The margins of a page, as parts of it."""


def check_picture(path: Path | None) -> None:
    """Raise `FarkelError` if a picture is wanted that cannot be drawn there, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in PICTURES:
        raise FarkelError("bad_picture", f"cannot write {path}: the file name must end in .svg, .png or .pdf")
    if not path.absolute().parent.is_dir():
        raise FarkelError("unwritable", f"{path} cannot be written: there is no folder {path.parent}")
    needs("charts", f"drawing {path}")


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


def titled_page(width: float, height: float, title: str) -> Figure:
    """Return a page of this many inches for several pictures under one title."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, fontsize=11, weight="bold", x=0.01, ha="left")
    return figure


def headed(figure: Figure, axes: Axes, title: str) -> None:
    """Write the title above the only picture of a page, and the legend below it."""
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.09), ncols=6, frameon=False, fontsize=7.5, borderaxespad=0)
    figure.text(0.075, 0.955, title, fontsize=11, weight="bold")


def label(name: str) -> str:
    """Return the name for a legend, which passes over those that begin with an underscore."""
    return f" {name}" if name.startswith("_") else name
