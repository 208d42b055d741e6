"""Chance that nobody may foresee: secrets, tokens, dice without a seed, and the generators of bots.

A `Chance` is handed in next to the clock, so that a test can hand in one that repeats. Every draw names what it is for,
such as a game, an event and a purpose, and depends on nothing else: not on the draws before it, nor on which request
comes first. Games with a seed, and simulated games, do not draw from it.
"""

from __future__ import annotations

import random
import secrets


class Chance:
    """The system's secure generator."""

    def draw(self, size: int, *about: object) -> bytes:
        """Return ``size`` bytes for the purpose that ``about`` names.

        A chance that repeats returns the same bytes whenever the purpose is the same.
        """
        return secrets.token_bytes(size)

    def unique(self, size: int, *about: object) -> bytes:
        """Return ``size`` bytes that no other call gets, for a name or a token."""
        return secrets.token_bytes(size)

    def generator(self, *about: object) -> random.Random:
        """Return a generator for the purpose, such as one decision of a bot."""
        return random.Random(self.draw(32, *about))


SYSTEM = Chance()
"""Where nothing else is handed in."""
