"""`farkel watch`: a saved game on the table again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from farkel.terminal.command import Command
from farkel.terminal.options import GAME


@click.command(cls=Command)
@click.argument("record", type=GAME)
def watch(record: Path) -> None:
    """Watch a saved game on the table, move by move.

    Step, play, or jump to mistakes, with the winning chances beside it. Without a terminal, see: farkel replay
    """
    from farkel.records import read

    game = read(record)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(f"farkel watch needs a terminal; print the game with: farkel replay {record}")
    from farkel.terminal.app.app import FarkelApp, run

    sys.exit(run(FarkelApp(watched=game)))
