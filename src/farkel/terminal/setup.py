"""Choices before a game: who sits where, which dice, and the path of the record."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from farkel.errors import PlayerError
from farkel.play.match import Match, Setup, own_players
from farkel.players.own import load_player, player_file
from farkel.records import DiceKind, Seating, check_seats, naming
from farkel.rules import DEFAULT, Rules, load

DICE: tuple[DiceKind, ...] = ("system", "committed", "manual")
"""Those that players choose from."""


def started(
    rules: Rules | None,
    players: str | None,
    teams: str,
    dice: str | None,
    seed: str,
    words: tuple[str, ...],
    record: Path | None,
) -> Match | None:
    """Start the game that the options of ``farkel play`` describe; return None if the players must be asked for.

    Raises `click.UsageError` for options that contradict each other, and what `parse_players` raises.
    """
    if seed and dice not in (None, "system"):
        raise click.UsageError(f"--seed needs --dice system: with --dice {dice} there is no seed")
    if words and dice != "committed":
        raise click.UsageError("--word needs --dice committed")
    if players is None and not teams:
        return None
    seats = parse_players(players or "", teams)
    kind: Any = "seeded" if seed else dice or "system"
    chosen = rules or load(DEFAULT)
    return Match.start(Setup(chosen, seats, kind, seed, words), record or new_record_path(chosen))


def parse_players(text: str, teams: str = "") -> tuple[Seating, ...]:
    """Return the seats of ``human:Ann,human:Ben,bot:cautious``, with people joined into teams by ``Reds=Ann+Ben``.

    A bare name is a person too; a bot gets the name of its kind, and a player in a file, ``./mine.py:Greedy``, that of
    its class. A name with a comma is written in quotation marks, as in JSON, and so is a bare one with a colon. Raises
    `PlayerError` with what would be right.
    """
    players: list[Seating] = []
    for part in naming.parts(text, ","):
        kind, colon, rest = ("human", ":", part) if naming.QUOTED.fullmatch(part) else part.partition(":")
        if kind == "bot":
            players.append(bot(rest, players))
        elif kind != "human" and (player_file(part) is not None or part.endswith(".py")):
            players.append(bot(part, players))
        elif kind == "human" or not colon:
            name = naming.unquoted((rest if kind == "human" else part).strip()) or f"Player {len(players) + 1}"
            players.append(Seating(name, (name,)))
        else:
            raise PlayerError(
                "bad_player",
                f'"{part}" is not a player: write human:NAME, a bare name, bot:KIND or FILE.py:CLASS; if it is a name, '
                f"write human:{naming.typed(part)}",
            )
    seats = _join(players, teams) if teams.strip() else tuple(players)
    if not seats:
        raise PlayerError("no_players", "there are no players; name at least one, such as human:Ann,bot:cautious")
    check_seats(seats)
    return seats


def you() -> str:
    """Return a name for the person at the keyboard: the one of the login, if it is a name."""
    try:
        name = getpass.getuser().capitalize()
    except (OSError, KeyError, ImportError):  # ImportError: on Windows, without a name in the environment
        return "Player"
    return name if name.isalnum() and len(name) <= 20 and name != "Root" else "Player"


def games_folder() -> Path:
    """Return where records go by default: ``games`` in the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("farkel", appauthor=False) / "games"


def new_record_path(rules: Rules, folder: Path | None = None) -> Path:
    """Return a name for a new record that is not taken: ``2026-11-21-1403-build-on.farkel``."""
    stem = f"{datetime.now():%Y-%m-%d-%H%M}-{rules.name}"
    folder = folder or games_folder()
    candidates = (folder / f"{stem}{f'-{number}' if number else ''}.farkel" for number in range(10_000))
    return next(path for path in candidates if not path.exists())


def resumed(path: Path, players: str = "") -> Match:
    """Resume a game. Raises `FarkelError` if that is not possible, and then says how it would be.

    Python files that a record names for its players are run only if the record is in the user's own folder, or if
    ``players`` names them again: a record may come from a stranger.
    """
    own = own_players(parse_players(players)) if players else {}
    try:
        return Match.resume(path, own, files=path.resolve().parent == games_folder().resolve())
    except PlayerError as error:
        if error.code != "own_player":
            raise
        how = f"farkel play --resume {path} --players FILE.py:CLASS"
        raise PlayerError(error.code, f"{error.message}; if you trust it, give it again: {how}") from None


def saved(path: Path, *, over: bool, plain: bool = False) -> str:
    """Return that a game is saved, and the command that resumes it, or shows it again if it is over."""
    if over:
        return f"Your game is saved. Look back on it with: farkel watch {_plain(plain)}{called(path)}"
    return f"Your game is saved. Resume it with: {resuming(path, plain=plain)}"


def resuming(path: Path, *, plain: bool = False) -> str:
    """Return the command that resumes a game."""
    return f"farkel play {_plain(plain)}--resume {called(path)}"


def _plain(plain: bool) -> str:
    return "--plain " if plain else ""


def called(path: Path) -> str:
    """Return how a game is called in a command: by its name if it is one of the user's own folder."""
    own = path.resolve().parent == games_folder().resolve()
    return shlex.quote(path.stem if own else str(path))


def bot(kind: str, others: Sequence[Seating] = ()) -> Seating:
    """Return a seat for the bot of that kind, or a player in a file, with a name that none of the others has."""
    kind = kind.strip()
    load_player(kind)
    found = player_file(kind)
    if found is None:
        plain = kind.partition(":")[0].capitalize()
    else:
        plain = found[1][:20]
        kind = f"{found[0].resolve()}:{found[1]}"  # the game may be resumed from another folder
    names = (plain if number == 1 else f"{plain[:17]} {number}" for number in range(1, 100))
    name = naming.unused(names, [seat.name for seat in others])
    return Seating(name, (name,), f"bot:{kind}")


def _join(players: list[Seating], teams: str) -> tuple[Seating, ...]:
    """Join people into teams; a team sits where the first of its people sat."""
    check_seats(players)
    by_name = {player.name: player for player in players}
    team_of: dict[str, Seating] = {}
    for part in naming.parts(teams, ","):
        *named, inside = naming.parts(part, "=") or [part]
        people = tuple(map(naming.unquoted, naming.parts(inside, "+")))
        if len(set(people)) < len(people):
            raise PlayerError("bad_team", f'a person is in this team twice: "{part}"')
        for person in people:
            if players and person not in by_name:
                raise PlayerError(
                    "bad_team", f'"{person}" in team "{part}" is not one of the players: {", ".join(by_name)}'
                )
            if person in team_of:
                raise PlayerError("bad_team", f'"{person}" is in two teams')
            if person in by_name and not by_name[person].human:
                raise PlayerError("bad_team", f'"{person}" is a bot: only people can be in teams')
        team = Seating(naming.unquoted("=".join(named)) if named else " & ".join(people), people)
        team_of |= dict.fromkeys(people, team)
    order = players or [Seating(person, (person,)) for person in team_of]
    return tuple(dict.fromkeys(team_of.get(player.name, player) for player in order))
