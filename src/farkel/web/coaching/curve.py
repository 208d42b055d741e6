"""The curve of the winning chances after a game, as points for an SVG and as a table for people who do not see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from farkel.records import Record
from farkel.web.game.table import turn_spans

WIDTH, HEIGHT = 600, 200


class Drawn(NamedTuple):
    """The curve, ready for the page."""

    lines: tuple[str, ...]
    """Points of each seat's line, in a field of `WIDTH` by `HEIGHT`."""
    rows: tuple[tuple[int, str, tuple[float, ...]], ...]
    """After each turn: its number from 1, whose it was, and the chances."""
    width: int = WIDTH
    height: int = HEIGHT


def drawn(chances: Sequence[Sequence[float]], record: Record) -> Drawn:
    """Return the curve of a record. ``chances``: of every seat at the start, and after every move."""
    steps = max(1, len(chances) - 1)
    lines = tuple(
        " ".join(f"{WIDTH * at / steps:.1f},{HEIGHT * (1 - now[seat]):.1f}" for at, now in enumerate(chances))
        for seat in range(len(record.header.seats))
    )
    names = record.header.names
    spans = list(turn_spans(record.moves))
    rows = tuple(
        (number, names[record.moves[first].before.seat], tuple(chances[after]))
        for number, (first, after) in enumerate(spans, 1)
        if after < len(chances)
    )
    return Drawn(lines, rows)
