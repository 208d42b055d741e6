"""Kinds of decisions and stages of a game, by which regret is broken down."""

KINDS = ("bank", "roll", "keep", "take over")
STAGES = ("opening", "middle", "end", "last turn")
