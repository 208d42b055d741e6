"""``farkel replay``: a recorded game told from the start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from farkel.terminal.command import Command
from farkel.terminal.options import GAME
from farkel.terminal.output import show

if TYPE_CHECKING:
    from farkel.records import Record


@click.command(cls=Command)
@click.argument("record", type=GAME)
def replay(record: Path) -> None:
    """Show a recorded game, as far as the record is intact.

    \b
    farkel replay 1
    """
    from farkel.records import read

    game = read(record)
    show(game_text(game).rstrip("\n"))
    if game.problem is not None:
        raise click.ClickException(f"{record}: {game.problem.message}")


def game_text(game: Record) -> str:
    """Return a recorded game told from the start, a paragraph for each turn."""
    from farkel.terminal.sentences import scores_line, told

    header = game.header
    lines = [
        f"{header.rules}, {header.date}, {header.dice.kind} dice",
        "Seats: " + ", ".join(f"{seat.name} ({seat.player})" for seat in header.seats),
        "",
    ]
    for move in game.moves:
        lines.append(f"{move.number:4}  {' '.join(told(move, header.names))}")
        if move.ends_turn:
            lines += ["      " + scores_line(header.names, move.after), ""]
    if not game.state.over:
        lines.append("The game is not over.")
    return "\n".join(lines).rstrip() + "\n"
