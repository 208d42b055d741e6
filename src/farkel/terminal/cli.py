"""The command line. Heavy parts are imported by the command that needs them, so that ``farkel --help`` is quick."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from farkel import __version__
from farkel.errors import FarkelError

if TYPE_CHECKING:
    from farkel.match import Match, Setup
    from farkel.rules import Rules

Command = TypeVar("Command", bound=Callable[..., Any])


class Farkel(click.Group):
    """A group whose commands report what a user can mend in one message, without a traceback."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except FarkelError as error:
            raise click.ClickException(error.message) from None


def rules_options(command: Command) -> Command:
    """``--rules`` and ``--set``, as every command takes them."""
    with_set = click.option(
        "--set", "changes", metavar="FIELD=VALUE", multiple=True, help="Change one field: target=5000. Repeatable."
    )
    with_rules = click.option(
        "--rules", "rules", metavar="NAME|FILE", help="A rule set by name, or a .toml or .json file. See: farkel rules"
    )
    return with_rules(with_set(command))


@click.group(cls=Farkel, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="farkel", message="%(prog)s %(version)s")
def main() -> None:
    """Farkel: the dice game Farkle in all its forms, under any house rules.

    Start with: farkel play
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot write stops no game


@main.command()
@rules_options
@click.option(
    "--players", metavar="LIST", help="Who plays, in order: human:Ann,human:Ben,bot:cautious. Bots: see below."
)
@click.option("--teams", metavar="LIST", default="", help="People who share a seat: Reds=Ann+Ben,Blues=Cy+Di.")
@click.option(
    "--dice",
    type=click.Choice(["system", "manual", "committed"]),
    help="system: thrown by the machine. manual: real dice, typed in. committed: can be verified afterwards.",
)
@click.option("--seed", type=int, help="Repeatable dice (with --dice system).")
@click.option("--word", "words", metavar="TEXT", multiple=True, help="A player's own word mixed into committed dice.")
@click.option("--record", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="Where to record it.")
@click.option(
    "--resume", metavar="[FILE]", is_flag=False, flag_value="", help="Go on with a recorded game; the last unfinished."
)
@click.option("--plain", is_flag=True, help="Plain lines, for screen readers, pipes and scripts.")
@click.option("--no-animation", is_flag=True, help="Dice that stay still.")
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
    plain: bool,
    no_animation: bool,
) -> None:
    """Play a game. With no options it asks what it needs.

    Players are human:NAME (or just NAME) and bot:cautious, bot:bold, bot:threshold:N or bot:random.
    """
    from farkel.rules import load

    given = load(rules or _default(), changes) if rules or changes else None
    plain = plain or os.environ.get("TERM") == "dumb" or not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout))
    if resume is not None:
        if any((rules, changes, players, teams, dice, seed is not None, words, record)):
            raise click.UsageError(
                "--resume goes on with a recorded game: its rules, players and dice are in the record"
            )
        match: Match | None = _resumed(resume)
    else:
        setup = _setup(given, players, teams, dice, seed, words)
        if setup is None and plain:
            from farkel.terminal.plain import ask_setup

            setup = ask_setup(given, dice, None if seed is None else str(seed), words)
        match = None if setup is None else _started(setup, record)
    if plain:
        from farkel.terminal.plain import play_plain

        if match is not None:
            sys.exit(play_plain(match))
        return
    from farkel.terminal.app import run_app

    kind = "seeded" if seed is not None else dice
    sys.exit(
        run_app(
            match,
            record=record,
            rules=given,
            dice=kind,  # type: ignore[arg-type]
            seed="" if seed is None else str(seed),
            words=words,
            animate=not no_animation,
        )
    )


@main.command()
@click.argument("name", required=False)
@click.option(
    "--set", "changes", metavar="FIELD=VALUE", multiple=True, help="Change one field: target=5000. Repeatable."
)
@click.option("--toml", "as_toml", is_flag=True, help="Print every field as TOML, explained: a start for your own.")
@click.option("--json", "as_json", is_flag=True, help="Print every field as JSON.")
def rules(name: str | None, changes: tuple[str, ...], as_toml: bool, as_json: bool) -> None:
    """List the rule sets, or print one as a sheet to read aloud at the table."""
    import json

    from farkel.rules import load, named, names, sheet, to_json, to_toml

    if as_toml and as_json:
        raise click.UsageError("--toml or --json, not both")
    if name is None and not changes and not as_toml:
        sets = [named(each) for each in names()]
        if as_json:
            shown = [{"name": s.name, "title": s.title, "about": s.about, "digest": s.digest} for s in sets]
            click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
            return
        widest = max(len(each.name) for each in sets)
        for each in sets:
            click.echo(f"{each.name:<{widest}}  {each.about}")
        click.echo("\nRead one aloud: farkel rules NAME.   Make your own: farkel rules NAME --toml > ours.toml")
        return
    chosen = load(name or _default(), changes)
    if as_toml:
        click.echo(to_toml(chosen), nl=False)
    elif as_json:
        click.echo(to_json(chosen))
    else:
        click.echo(sheet(chosen).text(), nl=False)


@main.command()
@click.argument("roll", nargs=-1)
@rules_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a roll.")
@click.option("--all", "every", is_flag=True, help="Every distinct roll of one die up to all the dice.")
def score(roll: tuple[str, ...], rules: str | None, changes: tuple[str, ...], as_json: bool, every: bool) -> None:
    """Show what a roll is worth and every legal keep: farkel score 112345"""
    from farkel.dice import parse_roll
    from farkel.rules import load
    from farkel.scoring import score_table
    from farkel.terminal.scores import roll_json, roll_line, roll_text

    if bool(roll) == every:
        raise click.UsageError("give a roll, such as 112345, or --all")
    chosen = load(rules or _default(), changes)
    table = score_table(chosen)
    if every:
        for scored in table:
            click.echo(roll_json(scored) if as_json else roll_line(scored))
        return
    faces = parse_roll("".join(roll), chosen.dice)
    if not faces:
        raise click.UsageError("a roll has at least one die, such as 112345")
    click.echo(roll_json(table[faces]) if as_json else roll_text(table, faces))


@main.command()
@click.argument("record", type=click.Path(path_type=Path))
def replay(record: Path) -> None:
    """Show a recorded game, as far as the record is intact."""
    from farkel.record import read
    from farkel.terminal.scores import game_text

    game = read(record)
    click.echo(game_text(game), nl=False)
    if game.problem is not None:
        raise click.ClickException(f"{record}: {game.problem.message}")


@main.command()
@click.argument("record", type=click.Path(path_type=Path))
def verify(record: Path) -> None:
    """Check every event of a record against the rules, and its dice against the revealed secret."""
    from farkel.facts import ending
    from farkel.record import read
    from farkel.record import verify as check

    game = read(record)
    try:
        for said in check(game):
            click.echo(f"ok  {said}")
    except FarkelError as error:
        raise click.ClickException(f"{record}: {error.message}") from None
    if game.state.over:
        click.echo(f"ok  {ending(game.state, game.header.names)}")
    else:
        click.echo("ok  The game is not over; go on with: farkel play --resume " + str(record))


def _is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody sits at the stream; a closed one is None."""
    return stream is not None and stream.isatty()


def _default() -> str:
    from farkel.rules import DEFAULT

    return DEFAULT


def _setup(
    rules: Rules | None, players: str | None, teams: str, dice: str | None, seed: int | None, words: tuple[str, ...]
) -> Setup | None:
    """What is to be played, or None where somebody has to be asked who plays."""
    if seed is not None and dice not in (None, "system"):
        raise click.UsageError(f"--seed repeats the dice of --dice system; with --dice {dice} there is no seed")
    if words and dice != "committed":
        raise click.UsageError("--word is mixed into the dice of --dice committed")
    if players is None and not teams:
        return None
    from farkel.match import Setup
    from farkel.rules import load
    from farkel.terminal.setup import parse_players

    seats = parse_players(players or "", teams)
    kind: Any = "seeded" if seed is not None else dice or "system"
    return Setup(rules or load(_default()), seats, kind, "" if seed is None else str(seed), words)


def _started(setup: Setup, record: Path | None) -> Match:
    from farkel.match import Match
    from farkel.terminal.setup import new_record_path

    return Match.start(setup, record or new_record_path(setup.rules))


def _resumed(path: str) -> Match:
    from farkel.match import Match
    from farkel.terminal.setup import games_folder, unfinished

    found = Path(path) if path else unfinished()
    if found is None:
        raise click.ClickException(f"there is no unfinished game in {games_folder()}")
    return Match.resume(found)
