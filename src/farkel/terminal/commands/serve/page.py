"""``farkel page``: the game as a folder that any file host serves."""

from __future__ import annotations

from pathlib import Path

import click

from farkel.terminal.command import Command


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path))
def page(folder: Path) -> None:
    """Make a folder with the whole game in a page, which any file host serves.

    \b
    farkel page build/page
    python -m http.server --directory build/page --bind 127.0.0.1

    Whoever opens the page plays in their own browser: against bots, round one device, or with real dice, offline too.
    Nothing that they do leaves it. A folder that was made before is replaced.

    Making it needs Node 20 or later, with npm, and a network for the first time.
    """
    from farkel.page.building.folder import make

    parts = make(folder, lambda said: click.echo(said, err=True))
    packed = sum(part.packed for part in parts if part.first)
    click.echo(f"Made {folder}: {packed / 1e6:.1f} MB come before the first roll.")
    click.echo(f"To look at it: python -m http.server --directory {folder} --bind 127.0.0.1")
    click.echo("then open http://127.0.0.1:8000. For others, put the folder on any file host with https.")
