"""Kinds of decisions and stages of a game, by which regret is distinguished."""

KINDS = ("bank", "roll", "keep", "take over")
STAGES = ("opening", "middle", "end", "last turn")
