"""Games of random players: each ends, and its events lead to the same end again."""

from __future__ import annotations

import random

import pytest

from farkel.game import Phase, new_game, replay
from named_rules import SPAN, rules_of
from random_play import random_game, random_people

GAMES = 250
BOUND = 20_000
"""Far more events than any random game needs: a few hundred are usual."""


@pytest.mark.parametrize("name", SPAN)
def test_random_games_end_and_replay(name: str) -> None:
    rules, chance = rules_of(name), random.Random(name)
    for number in range(GAMES):
        people = random_people(rules, chance, usual=(1, 1, 1, 2, 2, 3))
        state, events = random_game(new_game(rules, people), chance, BOUND)
        assert state.phase is Phase.OVER, f"game {number} has not ended"
        assert state.result is not None
        assert replay(rules, people, events) == state
