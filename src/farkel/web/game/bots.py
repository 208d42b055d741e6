"""What bots that calculate are asked: plain functions, which may run in another process."""

from __future__ import annotations

import random
from collections.abc import Sequence

from farkel.errors import PlayerError
from farkel.game import Action, State
from farkel.players import PLAYERS, Thinker, make_player
from farkel.players.protocol import prepare
from farkel.rules import Rules


def check(player: str, rules: Rules, people: Sequence[int]) -> None:
    """Raise `PlayerError` if the player cannot play such a game, or only after much work."""
    made = make_player(player)
    if not isinstance(made, Thinker):
        return
    try:
        made.check(rules, people)
    except PlayerError as error:
        if error.code == "not_solved":
            about = f"a bot that {PLAYERS[player]}"
            right = f"one that {PLAYERS['turn']} (bot:turn)"
            raise PlayerError("not_solved", f"{about} needs many minutes to learn these rules; take {right}") from None
        if error.code != "not_installed":
            raise
        # Where a server is installed is nobody's business.
        raise PlayerError("bad_player", f"bot:{player} cannot play such a game here; take bot:race") from None


def decide(player: str, state: State, seed: bytes) -> Action:
    """Return the player's decision, with chance from a seed. It is prepared first, which may take seconds."""
    made = make_player(player)
    prepare(state.rules, [made], state.people)
    return made.decide(state, random.Random(seed))


def decides_at_once(player: str, state: State, seed: bytes) -> bool:
    """Return whether the player is prepared, or need not be."""
    made = make_player(player)
    return not isinstance(made, Thinker) or made.ready(state.rules, state.people)
