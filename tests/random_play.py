"""Games played at random."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache

from farkel.dice import FACES, Roll
from farkel.game import Event, State, Throw, apply, legal_actions, new_game
from farkel.rules import Rules


@cache
def _throw(faces: Roll) -> Throw:
    return Throw(faces)


def random_event(state: State, chance: random.Random) -> Event:
    """Dice that fall at random, or any legal decision."""
    due = state.dice_due
    if due:
        return _throw(tuple(sorted(chance.choices(FACES, k=due))))
    return chance.choice(legal_actions(state))


def random_game(start: State, chance: random.Random, bound: int) -> tuple[State, list[Event]]:
    """Play at random until the game is over, or for ``bound`` events; the last state and the events."""
    state = start
    events: list[Event] = []
    while not state.over and len(events) < bound:
        event = random_event(state, chance)
        state = apply(state, event)
        events.append(event)
    return state, events


def random_people(rules: Rules, chance: random.Random, usual: Sequence[int] = (1, 1, 2, 2, 3)) -> tuple[int, ...]:
    """Seats for a random game, mostly as ``usual``, at times as many as the rules allow; teams of all sizes."""
    seats = chance.choice(usual) if chance.random() < 0.95 else chance.randint(1, rules.most_seats)
    seats = min(seats, rules.most_seats)
    return tuple(chance.choice((1, chance.randint(1, rules.team_size))) for _ in range(seats))


def random_states(rules: Rules, seed: int, number: int, people: Sequence[int] | None = None) -> Iterable[State]:
    """States met in random games under the rules, one after another."""
    chance = random.Random(seed)
    state = new_game(rules, people or random_people(rules, chance))
    for _ in range(number):
        yield state
        state = (
            new_game(rules, people or random_people(rules, chance))
            if state.over
            else apply(state, random_event(state, chance))
        )
    yield state
