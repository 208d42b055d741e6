"""Tournaments: their plan, their games in a file, the pairings and the standings."""
