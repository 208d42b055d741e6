"""`farkel play`: a new game or a saved one, on the table or in plain lines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from farkel.terminal.command import Command
from farkel.terminal.options import GAME, chosen_rules, rules_options, table_options
from farkel.terminal.settings import read_settings
from farkel.terminal.streams import on_a_screen

if TYPE_CHECKING:
    from farkel.play.match import Match
    from farkel.terminal.saved_games import SavedGame


@click.command(cls=Command)
@rules_options
@click.option("--players", metavar="LIST", help="Players in order of play: Ann,Ben,bot:cautious.")
@click.option("--teams", metavar="LIST", default="", help="Teams that share a score: Reds=Ann+Ben,Blues=Cy+Di.")
@click.option(
    "--dice",
    type=click.Choice(["system", "manual", "committed"]),
    help="system: rolled by the program. manual: real dice. committed: you can verify them after the game.",
)
@click.option("--seed", type=int, help="Seed that repeats the same dice (with --dice system).")
@click.option(
    "--word", "words", metavar="TEXT", multiple=True, help="A player's word that goes into committed dice. Repeatable."
)
@click.option(
    "--record",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to save the game in (default: your games folder).",
)
@click.option(
    "--resume", metavar="[GAME]", is_flag=False, flag_value="", help="Resume a saved game (default: the last one)."
)
@table_options
def play(
    rules: str | None,
    changes: tuple[str, ...],
    players: str | None,
    teams: str,
    dice: str | None,
    seed: int | None,
    words: tuple[str, ...],
    record: Path | None,
    resume: str | None,
    plain: bool | None,
    speed: str | None,
) -> None:
    """Play a game. Without options or settings it asks for players, rules and dice.

    Players are human:NAME (or just NAME) and bot:cautious, bot:bold, bot:threshold:N, bot:random and bot:card,
    bot:turn, which plays for points, and bot:exact (one against one) and bot:race (against any number), which play
    to win. FILE.py:CLASS is a player of your own. A name with a comma goes in double quotes.

    \b
    farkel play --rules original --players "Ann,Ben,bot:bold"
    farkel play --rules build-on --players Ann,Ben --dice manual
    farkel play --players "Ann,./mine.py:Greedy"
    farkel play --resume
    """
    settings = read_settings()
    typed_seed = "" if seed is None else str(seed)
    given = None
    others: Sequence[SavedGame] = ()
    if resume is not None:
        if any((rules, changes, teams, dice, typed_seed, words, record)):
            raise click.UsageError("--resume continues a saved game: its rules, players and dice are in the record")
        match, others = _resumed(resume, players or "")
    else:
        from farkel.terminal.setup import started

        if rules is not None or changes or settings.rules is not None:
            given = chosen_rules(rules, changes)
        players = settings.players if players is None and not teams else players
        dice = dice or (None if typed_seed or words else settings.dice)
        match = started(given, players, teams, dice, typed_seed, words, record)
    if (settings.plain if plain is None else plain) or not on_a_screen():
        from farkel.terminal.plain import play_plain, start_plain

        sys.exit(play_plain(match or start_plain(given, dice, typed_seed, words, record), others))
    from farkel.terminal.app.app import FarkelApp, run

    app = FarkelApp(
        match,
        record=record,
        rules=given,
        dice="seeded" if typed_seed else dice,  # type: ignore[arg-type]
        seed=typed_seed,
        words=words,
        speed=speed or settings.speed or "normal",
        colours=settings.colours,
        bell=settings.bell,
        others=len(others),
    )
    sys.exit(run(app))


def _resumed(path: str, players: str) -> tuple[Match | None, Sequence[SavedGame]]:
    """Return the game to resume, and other unfinished ones if none was named."""
    from farkel.terminal.saved_games import unfinished
    from farkel.terminal.setup import games_folder, resumed

    if path:
        return resumed(GAME.convert(path, None, None), players), ()
    found = unfinished()
    if not found:
        raise click.ClickException(f"there is no unfinished game in {games_folder()}; start one with: farkel play")
    return resumed(found[0].path, players), found[1:]
