"""``farkel verify``: a record against the rules, and its dice against the revealed secret."""

from __future__ import annotations

from pathlib import Path

import click

from farkel.errors import FarkelError
from farkel.terminal.command import Command
from farkel.terminal.options import GAME
from farkel.terminal.output import show


@click.command(cls=Command)
@click.argument("record", type=GAME)
def verify(record: Path) -> None:
    """Check every event of a record against the rules, and its dice against the revealed secret.

    \b
    farkel verify 1
    """
    from farkel.game.story import ending
    from farkel.records import read
    from farkel.records import verify as check

    game = read(record)
    try:
        for said in check(game):
            show(f"ok  {said}")
    except FarkelError as error:
        raise click.ClickException(f"{record}: {error.message}") from None
    if game.state.over:
        show(f"ok  {ending(game.state, game.header.names)}")
    else:
        show("ok  The game is not over; go on with: farkel play --resume " + str(record))
