"""Who has the first turn: chances before it is known, against all throws that there are."""

from __future__ import annotations

from fractions import Fraction

import pytest

from farkel.game import Leave, State, Throw, apply, new_game
from farkel.game.starting import starting
from games_in_words import go
from named_rules import rules_from


def by_throws(state: State, rounds: int) -> list[Fraction]:
    """The chance of each seat to start within so many throws."""
    if state.phase.name != "START":
        return [Fraction(int(seat == state.first)) for seat in range(len(state.seats))]
    if rounds == 0:
        return [Fraction(0)] * len(state.seats)
    after = [by_throws(apply(state, Throw((face,))), rounds - 1) for face in range(1, 7)]
    return [sum(each, Fraction(0)) / 6 for each in zip(*after, strict=True)]


@pytest.mark.parametrize("start", ["first_six", "highest_die", "lowest_die", "first_seat"])
@pytest.mark.parametrize("seats", [2, 3])
def test_chances_to_start_are_those_of_all_throws(start: str, seats: int) -> None:
    state = new_game(rules_from(f"standard(start={start})"), (1,) * seats)
    found, least = starting(state), by_throws(state, 5)
    left = 1 - float(sum(least))
    assert sum(found) == pytest.approx(1)
    assert all(
        float(few) - 1e-12 <= chance <= float(few) + left + 1e-12 for chance, few in zip(found, least, strict=True)
    )


def test_the_highest_total_of_all_the_dice_starts() -> None:
    state = new_game(rules_from("minimal(start=highest_total, dice=2, scoring.aaa=0)"), (1, 1))
    assert starting(state) == (0.5, 0.5)
    after_ten = go(state, "46")
    assert starting(after_ten) == pytest.approx((30 / 36 + 3 / 36 / 2, 3 / 36 + 3 / 36 / 2))
    assert starting(go(after_ten, "55")) == (0.5, 0.5)
    assert starting(go(after_ten, "56")) == (0.0, 1.0)


def test_a_throw_for_the_start_and_a_seat_that_leaves_change_the_chances() -> None:
    state = new_game(rules_from("standard(start=highest_die)"), (1, 1))
    assert starting(go(state, "4")) == pytest.approx((7 / 12, 5 / 12))
    of_three = go(new_game(rules_from("standard(start=first_six)"), (1, 1, 1)), Leave(1))
    assert starting(of_three) == pytest.approx((6 / 11, 0, 5 / 11))
