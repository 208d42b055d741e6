"""Clauses B: `build-on`."""

from __future__ import annotations

import pytest

from farkel.game import Offer, Phase, Result
from games_in_words import best, go, offered, on_turn, options, points, refused, scores, turn

RULES = "build-on"


@pytest.mark.parametrize(
    ("faces", "worth"),
    [
        ("1", 100),
        ("5", 50),
        ("222", 200),
        ("333", 300),
        ("444", 400),
        ("555", 500),
        ("666", 600),
        ("114466", 1_500),
        ("123456", 1_500),
        ("2222", 1_000),
        ("22222", 2_000),
        ("222222", 3_000),
        ("222555", 2_500),
    ],
)
def test_B1_all_combinations_of_S4(faces: str, worth: int) -> None:
    assert points(RULES, faces) == worth


def test_B1_but_not_four_and_a_pair() -> None:
    assert best(RULES, "222244") == 1_000
    assert points(RULES, "222244") == 0


def test_B1_three_1s_are_worth_300_as_three_single_ones() -> None:
    assert points(RULES, "111") == 300
    assert points(RULES, "1115") == 350


def test_B2_a_first_bank_of_500_and_then_anything_from_50() -> None:
    state = go(on_turn(RULES, 0, 0, entered=False), "144423")
    assert refused(state, "1444 bank") is None
    assert refused(state, "444 bank") == "below_entry"
    assert refused(state, "1 bank") == "below_entry"
    state = go(state, "1444 bank", "fresh", "223446", "523446")
    assert scores(go(state, "5 bank")) == (550, 0)


def test_B3_target_10000_and_one_last_turn_for_all_others_to_surpass() -> None:
    state = go(on_turn(RULES, 9_900, 9_900, 9_950), "123446", "1 bank")
    assert state.closer == 0
    equal = go(state, "fresh", "123446", "1 bank", "fresh", "223446")
    assert scores(equal) == (10_000, 10_000, 9_950)
    assert equal.result == Result((0,), "last_turns")
    more = go(state, "fresh", "123446", "1 bank", "fresh", "123446", "1 bank")
    assert more.result == Result((2,), "last_turns")


def test_B4_after_a_bank_the_next_starts_fresh_or_builds_on_the_remaining_dice() -> None:
    state = go(on_turn(RULES, 0, 0), "134446", "1444 bank")
    assert (state.phase, state.offer) == (Phase.OFFER, Offer(500, 2))
    assert options(state) == {"fresh", "take 2"}
    assert refused(state, "take 1") == "all_dice_or_none"
    assert turn(go(state, "fresh")) == (Phase.ROLL, 1, 0, 6)
    assert turn(go(state, "take 2")) == (Phase.ROLL, 1, 500, 2)
    assert scores(go(state, "take 2", "15", "15 bank")) == (500, 650)


def test_B4_after_a_farkle_the_next_must_start_fresh() -> None:
    state = go(on_turn(RULES, 0, 0), "134446", "1444 roll", "23")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    assert refused(state, "take 2") == "nothing_on_offer"


def test_B5_it_costs_nothing_and_the_banked_points_stay_banked() -> None:
    taken = go(offered(RULES, 500, 2, 500, 700), "take 2")
    assert scores(taken) == (500, 700)
    assert scores(go(taken, "23")) == (500, 700)
    assert scores(go(taken, "12", "1 bank")) == (500, 1_300)


def test_B6_if_all_six_were_used_the_next_starts_fresh() -> None:
    state = go(on_turn(RULES, 0, 0), "123456", "123456 bank")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    assert state.offer is None
