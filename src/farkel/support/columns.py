"""Tables of text: columns that are aligned, and wrap or follow below if they are too wide."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap

GAP = 2
"""Columns between two columns of a table."""
LEAST_TEXT = 16
"""Columns of a text in a table, below which it wraps only if its table has no other way to fit."""


def aligned(rows: Sequence[Sequence[str]], align: str, width: int | None = None) -> str:
    """Return the rows with their columns aligned: ``<`` left, ``>`` right.

    A table that is wider than ``width`` wraps heads and texts between words. If that is not enough, its last columns
    follow below, beside the first ones once more.
    """
    columns = range(len(align))
    full = [max(len(row[column]) for row in rows) for column in columns]
    if width is None or _across(full) <= width:
        return _drawn(rows, align, full)
    least = [_least([row[column] for row in rows], align[column] == "<") for column in columns]
    parts = []
    for part in _parts(rows[0], align, least, width):
        widths = _shrunk([full[column] for column in part], [least[column] for column in part], width)
        cells = [[row[column] for column in part] for row in rows]
        parts.append(_drawn(cells, [align[column] for column in part], widths))
    return "\n\n".join(parts)


def _across(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _least(cells: Sequence[str], text: bool) -> int:
    """Return the least width of a column: words are whole, and numbers below their head."""
    longest = max((len(word) for cell in cells for word in cell.split()), default=0)
    if text:
        return max(longest, min(LEAST_TEXT, max(map(len, cells))))
    return max(longest, *(len(cell) for cell in cells[1:]), 0)


def _parts(heads: Sequence[str], align: str, least: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each part of a table: those without a head stay beside the one before them."""
    first = [0, 1] if align[1:2] == "<" and len(align) > 2 else [0]
    groups: list[list[int]] = []
    for column in range(len(first), len(align)):
        if heads[column] or not groups:
            groups.append([])
        groups[-1].append(column)
    parts: list[list[int]] = []
    for group in groups:
        if not parts or _across([least[column] for column in (*parts[-1], *group)]) > width:
            parts.append([*first])
        parts[-1] += group
    return parts or [first]


def _shrunk(widths: list[int], least: Sequence[int], width: int) -> list[int]:
    """Return widths of columns that fit, if their least ones do: the widest are made narrower first."""
    while _across(widths) > width:
        room = [at for at in range(len(widths)) if widths[at] > least[at]]
        if not room:
            break
        widths[max(room, key=lambda at: widths[at])] -= 1
    return widths


def _drawn(rows: Sequence[Sequence[str]], align: Sequence[str], widths: Sequence[int]) -> str:
    lines = []
    for row in rows:
        cells = [
            wrap(cell, width, break_long_words=False, break_on_hyphens=False) if len(cell) > width else [cell]
            for cell, width in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            drawn = (f"{part:{side}{width}}" for part, side, width in zip(parts, align, widths, strict=True))
            lines.append((" " * GAP).join(drawn).rstrip())
    return "\n".join(lines)
