"""Players: the `Player` protocol, simple players for every rule set, and players that know the best play."""

from typing import TYPE_CHECKING

from farkel.players.protocol import KNOWING, PLAYERS, Player, Thinker, make_player, player_names
from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.players.best_play import Best, Exact, Race
    from farkel.players.rules_of_thumb import Bold, Cautious, Random, Threshold
else:
    __getattr__, __dir__ = offers(__name__)

__all__ = [
    "KNOWING",
    "PLAYERS",
    "Best",
    "Bold",
    "Cautious",
    "Exact",
    "Player",
    "Race",
    "Random",
    "Thinker",
    "Threshold",
    "make_player",
    "player_names",
]
