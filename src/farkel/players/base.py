"""What a player is, and how one is named."""

from __future__ import annotations

import difflib
import random
from typing import Protocol

from farkel.errors import PlayerError
from farkel.game import Action, State
from farkel.players.simple import Bold, Cautious, Random, Threshold


class Player(Protocol):
    """Decides for one seat. ``decide`` gets a state that waits for a decision and returns one of its legal actions.

    Chance that a player wants it takes from ``generator``, so that a game can be repeated.
    """

    name: str

    def decide(self, state: State, generator: random.Random) -> Action: ...


PLAYERS = ("cautious", "bold", "threshold:N", "random")


def player_names() -> tuple[str, ...]:
    """The players there are, as they are written in ``bot:NAME``."""
    return PLAYERS


def make_player(spec: str) -> Player:
    """The player of that name: ``cautious``, ``bold``, ``threshold:500`` or ``random``. Raises `PlayerError`."""
    name, _, argument = spec.partition(":")
    if name == "threshold":
        if not argument.isdecimal() or int(argument) == 0:
            raise PlayerError("bad_player", f'"{spec}": threshold needs its points, such as threshold:500')
        return Threshold(int(argument))
    simple: dict[str, Player] = {"cautious": Cautious(), "bold": Bold(), "random": Random()}
    if name in simple and not argument:
        return simple[name]
    close = difflib.get_close_matches(name, [*simple, "threshold"], n=1)
    hint = f' Did you mean "{close[0]}"?' if close else ""
    raise PlayerError("unknown_player", f'there is no player "{spec}".{hint} There are: {", ".join(PLAYERS)}')
