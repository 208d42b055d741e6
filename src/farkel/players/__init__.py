"""Players: the `Player` protocol, simple players for every rule set, and players that know the best play."""

from farkel.players.best_play import Best, Exact, Race
from farkel.players.protocol import KNOWING, PLAYERS, Player, Thinker, make_player, needs_know, player_names
from farkel.players.rules_of_thumb import Bold, Cautious, Random, Threshold

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
    "needs_know",
    "player_names",
]
