"""One game being played: its dice, players and record together, and hints for who plays."""
