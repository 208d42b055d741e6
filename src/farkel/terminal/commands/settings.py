"""`farkel settings`: what is set, where games, caches and settings are, and how large they are."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click

from farkel.terminal.command import CommandGroup
from farkel.terminal.options import json_option
from farkel.terminal.output import show, table, whole
from farkel.terminal.settings import SETTINGS, Settings, read_settings, settings_file, template

UNITS = ("bytes", "kB", "MB", "GB")


@click.group(cls=CommandGroup, invoke_without_command=True)
@json_option
@click.pass_context
def settings(context: click.Context, as_json: bool) -> None:
    """Show what is set, and where Farkel keeps your games, settings and caches.

    Settings are in a file that you may edit. An option goes before the environment (FARKEL_RULES, FARKEL_PLAYERS and so
    on), and the environment before the file.

    \b
    farkel settings edit
    FARKEL_RULES=kcd farkel play
    """
    if context.invoked_subcommand is None:
        found = read_settings()
        show(_content(found) if as_json else _text(found))


@settings.command()
def make() -> None:
    """Make the file of settings, with every line explained and nothing set."""
    path = _made()
    click.echo(f"Set what you like in this file:\n{path}")


@settings.command()
def edit() -> None:
    """Open the file of settings in your editor, and check it afterwards."""
    path = _made()
    click.edit(filename=str(path))
    click.echo(_values(read_settings()))


@settings.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(yes: bool) -> None:
    """Clear the cache: solved games, cards and compiled code, which are made again when they are needed.

    Games and settings stay. Do it while no other farkel calculates.
    """
    kept = [place for place in places() if place.cache and place.path.exists()]
    total = sum(place.size for place in kept)
    if not kept:
        click.echo("The cache is empty.")
        return
    asked = f"Clear {sized(total)}? Long calculations that you have made are lost, and done again when needed."
    if not (yes or click.confirm(asked)):
        return
    for place in kept:
        shutil.rmtree(place.path, ignore_errors=True)
    if left := [str(place.path) for place in kept if place.path.exists()]:
        raise click.ClickException("\n".join(["not all could be removed; remove the rest yourself:", *left]))
    click.echo(f"Cleared {sized(total)}.")


def _made() -> Path:
    """Return the file of settings, which is made if it is missing."""
    path = settings_file()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as part:
            part.write_text(template(), "utf-8")
    return path


class Place(NamedTuple):
    """A file or folder of Farkel's."""

    what: str
    path: Path
    cache: bool = False

    @property
    def size(self) -> int:
        """Its bytes; 0 if it is not there."""
        return sum(_sizes([self.path] if self.path.is_file() else self.path.rglob("*")))


def places() -> tuple[Place, ...]:
    """Return where everything is."""
    from platformdirs import user_cache_path

    from farkel.kernels.kept import kept_module
    from farkel.solve.solution import folder
    from farkel.terminal.setup import games_folder

    games = games_folder()
    return (
        Place("settings", settings_file()),
        Place("last set-up", games.parent / "setup.json"),
        Place("games", games),
        Place("server's games", games.parent / "web.sqlite"),
        Place("solved games", folder(), cache=True),
        Place("compiled code", kept_module("", "", "").parent, cache=True),
        Place("parts of pages", user_cache_path("farkel", appauthor=False) / "page", cache=True),
    )


def _sizes(paths: Iterable[Path]) -> Iterable[int]:
    for path in paths:
        try:
            if path.is_file():
                yield path.stat().st_size
        except OSError:  # it has just gone
            continue


def sized(count: float) -> str:
    """Return a number of bytes as people read it: ``3.1 MB``."""
    for unit in UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} {UNITS[-1]}"


def _values(found: Settings) -> str:
    """Return a line for each setting."""
    rows = []
    for one in SETTINGS:
        value = getattr(found, one.name)
        shown = "not set" if value is None else str(value).lower() if isinstance(value, bool) else value
        origin = found.origins.get(one.name, "")
        rows.append([f"  {one.name}", shown, origin if origin == one.variable else ""])
    return table(rows, "<<<")


def _text(found: Settings) -> str:
    """Return settings and places; each path is on a line of its own, where it can be copied or opened."""
    lines = ["Settings", _values(found), "", "Places"]
    for place in places():
        there = sized(place.size) if place.path.exists() else "nothing yet"
        lines += [f"  {place.what}{' (cache)' if place.cache else ''}: {there}", str(place.path)]
    lines += ["", "Change settings: farkel settings edit", "Empty the cache: farkel settings clear"]
    return "\n".join(lines)


def _content(found: Settings) -> dict[str, Any]:
    return {
        "settings": {one.name: getattr(found, one.name) for one in SETTINGS},
        "origins": dict(found.origins),
        "places": [
            {"what": place.what, "path": str(place.path), "cache": place.cache, "bytes": place.size}
            for place in places()
        ],
    }
