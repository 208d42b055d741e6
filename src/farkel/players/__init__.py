"""Those who decide: the `Player` protocol, and the simple players that play every rule set to its end."""

from farkel.players.base import Player, make_player, player_names
from farkel.players.simple import Bold, Cautious, Random, Threshold

__all__ = ["Bold", "Cautious", "Player", "Random", "Threshold", "make_player", "player_names"]
