"""Playing: new games, saved games, and what was played."""
