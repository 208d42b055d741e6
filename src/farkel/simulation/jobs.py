"""Jobs for threads, processes and other machines, and their results, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from farkel.dice.simulated import SEEDS
from farkel.errors import ArenaError, PlayerError
from farkel.game import new_game
from farkel.players import Player, Thinker
from farkel.players.own import load_player
from farkel.rules import Rules, load
from farkel.simulation.tally import SEATS, Tally
from farkel.support.progress import silent


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
    """People in the team of each player; one each if none are given."""
    limit: float = 1.0
    """Seconds that a player in Python may take for a decision."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(player if isinstance(player, str) else player.name for player in self.players)

    def part(self, first: int, games: int) -> Job:
        """Return that many of its games, from game number ``first``."""
        return replace(self, first=first, games=games)


class Forfeit(NamedTuple):
    """A player that lost a game by its own fault."""

    game: int
    player: int
    code: str
    """``raised``, ``illegal`` or ``stalled``."""
    reason: str
    """In a sentence."""

    def __str__(self) -> str:
        return f"game {self.game}: {self.reason}"


class Batch(NamedTuple):
    """Games ``first`` to ``first + games - 1``, as they came out."""

    first: int
    games: int
    tally: Tally
    raw: list[list[int]]
    """[game, column]: as `Counters.raw`; no rows if they are not wanted."""
    forfeits: tuple[Forfeit, ...] = ()
    seconds: float = 0.0
    """What playing them took, by `farkel.support.clock.clock`."""

    def __str__(self) -> str:
        return f"from game {self.first} on, {self.tally}"


class Stop(Exception):
    """No more games are wanted. The games so far are kept."""


def check_job(job: Job) -> tuple[Rules, list[Player]]:
    """Return the rules and the players of a job.

    Raises `RulesError` and `PlayerError` if there are none such or they do not fit the table, `ArenaError`
    ``bad_seed``, ``bad_games`` or ``bad_limit`` for invalid numbers.
    """
    check_numbers(job)
    rules = load(job.rules)
    check_table(rules, len(job.players), job.people)
    return rules, [load_player(player) for player in job.players]


def prepare(rules: Rules, players: Sequence[Player], people: Sequence[int]) -> None:
    """Prepare the players. Raises `PlayerError` if one cannot play at such a table."""
    for player in players:
        if isinstance(player, Thinker):
            player.check(rules, people)
            player.prepare(rules, people, silent)


def check_numbers(job: Job) -> None:
    """Raise `ArenaError` for an invalid seed, number of games or limit."""
    if not 0 <= job.seed < SEEDS:
        raise ArenaError("bad_seed", f"the seed {job.seed} cannot be: seeds are whole numbers from 0 to 2**64 - 1")
    if job.games < 0 or job.first < 0 or job.first + job.games > SEEDS:
        raise ArenaError(
            "bad_games", f"{job.games} games from number {job.first} on cannot be: both are whole numbers from 0 on"
        )
    if not job.limit > 0:
        raise ArenaError("bad_limit", f"a limit of {job.limit} seconds cannot be: it is above 0")


def check_table(rules: Rules, players: int, people: Sequence[int]) -> None:
    """Raise `PlayerError` ``bad_seats`` if this many players and people do not fit the rules."""
    if people and len(people) != players:
        raise PlayerError(
            "bad_seats", f"{len(people)} numbers of people for {players} players: give one for each player, or none"
        )
    new_game(rules, people or (1,) * min(players, SEATS + 1))
