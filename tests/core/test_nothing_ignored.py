"""Nothing that the rules or a game know is ignored: random rules have it, and observations show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

from hypothesis import Phase as HypothesisPhase
from hypothesis import find, settings
from hypothesis.errors import NoSuchExample

from farkel.game import Phase, Seat, State
from farkel.rules import Rules
from farkel.training.observations import Encoder
from named_rules import rules_of
from random_play import random_states
from random_rules import rule_sets

UNSEEN = {
    "rules": "they are the same in all games of an environment",
    "seats": "each is shown by its own fields",
    "people": "the same in all games of an environment",
    "taking": "nothing is to be decided before the first roll of a take-over",
    "tried": "nothing is to be decided between the tries of the last die",
    "thrown": "nothing is to be decided before it is known who starts",
    "winners": "the rewards tell",
    "reason": "the rewards tell",
}
"""Fields of states and seats that an observation need not show, and why."""
RICH = (
    "high-stakes(take_over.price=lives, take_over.choose_dice=true, lives.each=3, lives.farkle=1, rounds=9, "
    "target=5000, hot_dice_multiplier=true, penalties.farkles_in_row=3, penalties.farkles_in_row_points=50, "
    "start=first_seat, beat_previous=true, take_over.toward_entry=false, entry=200, entry_by=triple, most_rolls=4, "
    "scoring.aabb={points=300, confirm=1000}, zones='200-3000 barrel tries 2 fine 100 times 2', extend=each, "
    "extend_points=50, turns_in_row=2)"
)


def flat(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every field by its full name, with its value."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{above}{name}.")
        else:
            yield above + name, value


def test_random_rules_vary_every_field() -> None:
    """What they never vary no referee, position, doubt or note is tested with.

    They are drawn until each field has varied, as what is drawn depends on the modules that Hypothesis has seen.
    """
    found: defaultdict[str, set[Any]] = defaultdict(set)

    def fixed() -> list[str]:
        return [name for name, values in found.items() if len(values) == 1]

    def last(rules: Rules) -> bool:
        tree = rules.model_dump()
        tables = {name: str(tree.pop(name)) for name in ("scoring", "rolled")}
        for name, value in flat(tree | tables):
            found[name].add(value)
        return not fixed()

    drawing = settings(max_examples=10_000, phases=[HypothesisPhase.generate], database=None)
    with suppress(NoSuchExample):
        find(rule_sets(), last, settings=drawing, random=Random(0))
    assert fixed() == []


def changed(state: State, field: str) -> Iterator[State]:
    """The state with that field of its own, or of one of its seats, one more or one less."""
    for step in (1, -1):
        if field in State._fields:
            value = getattr(state, field) + step
            changes: dict[str, Any] = {field: Phase(value % len(Phase)) if field == "phase" else value}
            yield state._replace(**changes)
        else:
            for number, seat in enumerate(state.seats):
                other = seat._replace(**{field: getattr(seat, field) + step})
                yield state._replace(seats=(*state.seats[:number], other, *state.seats[number + 1 :]))


def test_an_observation_shows_every_field_of_a_game() -> None:
    people = (2, 1)
    encoder = Encoder(rules_of(RICH), people)
    states = [
        state for state in random_states(encoder.rules, 3, 400, people) if state.phase in (Phase.KEEP, Phase.OFFER)
    ]
    for field in {*State._fields, *Seat._fields} - set(UNSEEN):
        assert any(shows(encoder, state, other) for state in states for other in changed(state, field)), field


def shows(encoder: Encoder, state: State, other: State) -> bool:
    """Whether the seat that decides sees a difference."""
    try:
        return encoder.encode(state, 0).tobytes() != encoder.encode(other, 0).tobytes()
    except (IndexError, ValueError):
        return False
