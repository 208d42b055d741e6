"""Players: their protocol and their names."""

from __future__ import annotations

import difflib
import inspect
import random
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from farkel.errors import PlayerError
from farkel.game import Action, Fresh, Keep, State, TakeOver
from farkel.rules import Rules
from farkel.support.bounds import clipped
from farkel.support.progress import Progress, told


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


PLAYERS = {
    "cautious": "banks early",
    "bold": "takes risks",
    "threshold:N": "banks at N points",
    "random": "does anything",
    "card": "plays by the card of the rules",
    "turn": "plays for points",
    "exact": "plays to win, one against one",
    "race": "plays to win",
}
"""The built-in players, as written in ``bot:NAME``, with a description of each."""
CLASSES = {
    "cautious": "rules_of_thumb:Cautious",
    "bold": "rules_of_thumb:Bold",
    "threshold": "rules_of_thumb:Threshold",
    "random": "rules_of_thumb:Random",
    "card": "card:Card",
    "turn": "best_play:Best",
    "exact": "best_play:Exact",
    "race": "best_play:Race",
}
"""Modules beside this one and their classes; one is imported when such a player is made."""
KNOWING = ("card", "turn", "exact", "race")
"""Those that calculate before they play."""


def player_names() -> tuple[str, ...]:
    """Return the players there are, as they are written in ``bot:NAME``."""
    return tuple(PLAYERS)


def make_player(spec: str | Player) -> Player:
    """Return the player of that name: ``cautious``, ``threshold:500``, ``exact`` and so on; an object as it is.

    Raises `PlayerError`.
    """
    if not isinstance(spec, str):
        return check_player(spec)
    name, _, argument = spec.partition(":")
    if name == "threshold":
        if not argument.isdecimal() or int(argument) == 0:
            raise PlayerError("bad_player", f'"{spec}": threshold needs its points, such as threshold:500')
        return _made(name, int(argument))
    if name in CLASSES and not argument:
        return _made(name)
    close = difflib.get_close_matches(name, CLASSES, n=1)
    hint = f' Did you mean "{close[0]}"?' if close else ""
    raise PlayerError("unknown_player", f'there is no player "{spec}".{hint} There are: {", ".join(PLAYERS)}')


OWN = """\
{what} is not a player: a player is an object with a method decide. Write

class Mine:
    name = "{name}"

    def decide(self, state, generator):
        return {call}

and give Mine()"""
"""What is said of a function."""


def check_player(player: Any, name: str = "", spec: str = "") -> Player:
    """Return the object as a player, with that name, or its class's, if it has none.

    ``spec`` is what the player is called in errors. Raises `PlayerError` ``not_a_player``, with what to write instead.
    """
    if inspect.isclass(player):
        what = player.__name__
        raise PlayerError("not_a_player", f"{spec or what} is a class, not a player: give an object of it, {what}()")
    if not callable(getattr(player, "decide", None)):
        raise PlayerError("not_a_player", _no_player(player, spec))
    if not isinstance(getattr(player, "name", None), str):
        player.name = name or type(player).__name__
    found: Player = player
    return found


def _no_player(given: Any, spec: str) -> str:
    """Return why that is no player, and what would be one."""
    if not callable(given):
        what = spec or clipped(repr(given))
        missing = f"{what} is not a player: it has no method decide(state, generator)"
        return f'{missing}; give an object that has one, or a name such as "turn"'
    name = getattr(given, "__name__", "")
    name = name if name.isidentifier() else "mine"
    try:
        both = len(inspect.signature(given).parameters) > 1
    except (TypeError, ValueError):
        both = False
    call = f"{name}(state, generator)" if both else f"{name}(state)"
    return OWN.format(what=spec or f"the function {name}", name=name, call=call)


def _made(name: str, *arguments: int) -> Player:
    module, kind = CLASSES[name].split(":")
    made: Player = getattr(import_module(f"{__package__}.{module}"), kind)(*arguments)
    return made


def built_in(player: Player) -> str:
    """Return the name of a built-in player without its argument; "" for all others, also if made from one of these."""
    kind = type(player)
    at = f"{kind.__module__.removeprefix(f'{__package__}.')}:{kind.__name__}"
    return next((name for name, class_ in CLASSES.items() if class_ == at), "")


def prepare(rules: Rules, players: Iterable[Player], people: Sequence[int]) -> None:
    """Let players that have something to work out do so. Raises `PlayerError` if one cannot play such a game."""
    for player in players:
        if isinstance(player, Thinker):
            player.check(rules, people)
            player.prepare(rules, people, told)
