"""Players: their protocol and their names."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from farkel.errors import PlayerError
from farkel.game import Action, Fresh, Keep, State, TakeOver
from farkel.players.best_play import Best, Exact, Race
from farkel.players.card import Card
from farkel.players.rules_of_thumb import Bold, Cautious, Random, Threshold
from farkel.rules import Rules
from farkel.support.extras import needs
from farkel.support.progress import Progress, silent


class Player(Protocol):
    """Decides for one seat. ``decide`` gets a state that waits for a decision and returns one of its legal actions.

    Chance that a player wants it takes from ``generator``, so that a game can be repeated.
    """

    name: str

    def decide(self, state: State, generator: random.Random) -> Action: ...


@runtime_checkable
class Thinker(Player, Protocol):
    """A player that works something out before its first decision in games of a kind, once for all of them.

    ``people`` are those of each seat, as `farkel.game.new_game` takes them. A player that was not prepared decides all
    the same, but the first time it takes as long as `prepare`.
    """

    def check(self, rules: Rules, people: Sequence[int]) -> None:
        """Raise `PlayerError` if the player cannot play such a game, or only after much work."""

    def ready(self, rules: Rules, people: Sequence[int]) -> bool:
        """Return whether it decides without delay."""

    def prepare(self, rules: Rules, people: Sequence[int], progress: Progress) -> None:
        """Work it out. Raises `SolveError` if that fails, and what ``progress`` raises to stop it."""


def as_sent(action: Action) -> dict[str, Any]:
    """Return an action as the HTTP API and programs that speak JSON lines have it."""
    match action:
        case Keep(dice, then):
            return {"do": "keep", "dice": list(dice), "then": then}
        case TakeOver(dice):
            return {"do": "take_over", "dice": dice}
        case Fresh():
            return {"do": "fresh"}


def prepare(rules: Rules, players: Iterable[Player], people: Sequence[int]) -> None:
    """Prepare those that work something out. Raises `PlayerError` if one cannot play at such a table."""
    for player in players:
        if isinstance(player, Thinker):
            player.check(rules, people)
            player.prepare(rules, people, silent)


PLAYERS = {
    "cautious": "banks early",
    "bold": "takes risks",
    "threshold:N": "banks at N points",
    "random": "does anything",
    "card": "plays by the card of the rules",
    "turn": "plays for the most points",
    "exact": "plays for the win, one against one",
    "race": "plays for the win against any number",
}
"""The built-in players, as written in ``bot:NAME``, with a description of each."""
MAKERS: dict[str, Callable[[], Player]] = {
    "cautious": Cautious,
    "bold": Bold,
    "random": Random,
    "card": Card,
    "turn": Best,
    "exact": Exact,
    "race": Race,
}
KNOWING = ("card", "turn", "exact", "race")
"""Those that need the extra ``know``."""


def player_names() -> tuple[str, ...]:
    """Return the players there are, as they are written in ``bot:NAME``."""
    return tuple(PLAYERS)


def make_player(spec: str) -> Player:
    """Return the player of that name: ``cautious``, ``threshold:500``, ``exact`` and so on. Raises `PlayerError`."""
    name, _, argument = spec.partition(":")
    if name == "threshold":
        if not argument.isdecimal() or int(argument) == 0:
            raise PlayerError("bad_player", f'"{spec}": threshold needs its points, such as threshold:500')
        return Threshold(int(argument))
    if name in MAKERS and not argument:
        if name in KNOWING:
            needs_know(f"bot:{name}")
        return MAKERS[name]()
    close = difflib.get_close_matches(name, [*MAKERS, "threshold"], n=1)
    hint = f' Did you mean "{close[0]}"?' if close else ""
    raise PlayerError("unknown_player", f'there is no player "{spec}".{hint} There are: {", ".join(PLAYERS)}')


def needs_know(who: str) -> None:
    """Raise `PlayerError` ``not_installed`` if what exact answers need is missing."""
    needs("know", who, PlayerError)
