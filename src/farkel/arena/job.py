"""A piece of work as plain data, and what comes of it: what threads, processes and other machines are given to do."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from farkel.arena.tally import SEATS
from farkel.draws import SEEDS
from farkel.errors import FarkelError, PlayerError
from farkel.game import new_game
from farkel.players import Player, make_player
from farkel.rules import Rules, load


class ArenaError(FarkelError):
    """A simulation that cannot be: its games, its seed or its limits."""


@dataclass(frozen=True, slots=True)
class Job:
    """Games ``first`` to ``first + games - 1`` of a match: a value that may be sent wherever its players may."""

    rules: str
    """As `farkel.rules.load` reads it."""
    players: tuple[str | Player, ...]
    """As `load_player` reads them, or objects; player number ``(seat + game) % seats`` sits in each seat."""
    seed: int = 0
    first: int = 0
    games: int = 1
    people: tuple[int, ...] = ()
    """People in the team of each player; one each where none are given."""
    limit: float = 1.0
    """Seconds that a player in Python may take for a decision."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called."""
        return tuple(player if isinstance(player, str) else player.name for player in self.players)

    def part(self, first: int, games: int) -> Job:
        """So many games of it, from game number ``first``."""
        return replace(self, first=first, games=games)


def check_job(job: Job) -> tuple[Rules, list[Player]]:
    """The rules and the players of a job.

    Raises `RulesError` and `PlayerError` where there are none such or they do not fit the table, `ArenaError`
    ``bad_seed``, ``bad_games`` or ``bad_limit`` for numbers that cannot be.
    """
    check_numbers(job)
    rules = load(job.rules)
    check_table(rules, len(job.players), job.people)
    return rules, [load_player(player) if isinstance(player, str) else player for player in job.players]


def check_numbers(job: Job) -> None:
    """Raise `ArenaError` for a seed, games or a limit that cannot be."""
    if not 0 <= job.seed < SEEDS:
        raise ArenaError("bad_seed", f"the seed {job.seed} cannot be: seeds are whole numbers from 0 to 2**64 - 1")
    if job.games < 0 or job.first < 0 or job.first + job.games > SEEDS:
        raise ArenaError(
            "bad_games", f"{job.games} games from number {job.first} on cannot be: both are whole numbers from 0 on"
        )
    if not job.limit > 0:
        raise ArenaError("bad_limit", f"a limit of {job.limit} seconds cannot be: it is above 0")


def check_table(rules: Rules, players: int, people: Sequence[int]) -> None:
    """Raise `PlayerError` ``bad_seats`` where so many players and people do not fit the rules."""
    if people and len(people) != players:
        raise PlayerError(
            "bad_seats", f"{len(people)} numbers of people for {players} players: give one for each player, or none"
        )
    new_game(rules, people or (1,) * min(players, SEATS + 1))


def load_player(spec: str) -> Player:
    """The player of that name, such as ``turn`` or ``threshold:500``, or of a class in a file: ``./mine.py:Greedy``.

    Raises `PlayerError`: ``unknown_player`` and others of `farkel.players.make_player`; ``no_such_file``,
    ``no_such_class``, ``bad_file`` or ``not_a_player`` for a player from a file.
    """
    found = player_file(spec)
    if found is None:
        if spec.endswith(".py"):
            raise PlayerError("no_such_class", f'"{spec}": which class? Give it after the file: {spec}:NAME')
        return make_player(spec)
    path, name = found
    return _made(spec, name, _class(path, name))


def player_file(spec: str) -> tuple[Path, str] | None:
    """The file and the class of ``./mine.py:Greedy``; None for a player by name."""
    path, colon, name = spec.rpartition(":")
    return (Path(path), name) if colon and (path.endswith(".py") or "/" in path or "\\" in path) else None


def _class(path: Path, name: str) -> Any:
    if not path.is_file():
        raise PlayerError("no_such_file", f"there is no file {path} to take the player {name} from")
    module = _module(path)
    found = getattr(module, name, None)
    if found is None:
        classes = [key for key, one in vars(module).items() if inspect.isclass(one) and hasattr(one, "decide")]
        there = f"there are: {', '.join(classes)}" if classes else "no class in it has a method decide"
        raise PlayerError("no_such_class", f"{path} has no {name or 'class without a name'}; {there}")
    return found


def _module(path: Path) -> Any:
    """The file as a module, read once for each of its contents."""
    try:
        content = path.read_bytes()
        name = f"farkel_player_{sha256(str(path.resolve()).encode() + content).hexdigest()[:16]}"
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise PlayerError("bad_file", f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except FarkelError:
        raise
    except Exception as error:
        sys.modules.pop(locals().get("name", ""), None)
        raise PlayerError("bad_file", f"{path} cannot be read: {type(error).__name__}: {error}") from error
    return module


def _made(spec: str, name: str, maker: Any) -> Player:
    try:
        player: Any = maker() if callable(maker) else maker
    except Exception as error:
        raise PlayerError("not_a_player", f"{spec} cannot be made: {type(error).__name__}: {error}") from error
    if not callable(getattr(player, "decide", None)):
        raise PlayerError("not_a_player", f"{spec} is no player: it has no method decide(state, generator)")
    if not isinstance(getattr(player, "name", None), str):
        player.name = name
    found: Player = player
    return found
