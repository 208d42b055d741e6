"""`farkel watch`: a saved game on the table again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from farkel.terminal.command import Command
from farkel.terminal.options import GAME, plain_option
from farkel.terminal.settings import read_settings
from farkel.terminal.streams import on_a_screen


@click.command(cls=Command)
@click.argument("record", type=GAME)
@plain_option
def watch(record: Path, plain: bool | None) -> None:
    """Watch a saved game on the table, move by move.

    \b
    farkel watch 1

    Step, play, or jump to mistakes, with the winning chances beside it. Without a terminal, see: farkel replay
    """
    from farkel.records import read

    game = read(record)
    settings = read_settings()
    if settings.plain if plain is None else plain:
        from farkel.terminal.watch_lines import watch_lines

        watch_lines(game)
        return
    if not on_a_screen():
        raise click.ClickException(
            f"farkel watch needs a terminal; print the game with: farkel replay {record}, "
            f"or step through its lines with: farkel watch --plain {record}"
        )
    from farkel.terminal.app.app import FarkelApp, run

    sys.exit(run(FarkelApp(watched=game, speed=settings.speed or "normal", colours=settings.colours)))
