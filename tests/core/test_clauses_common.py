"""Clauses C: what every rule set shares. C9, dice that fall off the table, is tested with the record."""

from __future__ import annotations

import pytest

from farkel.game import Keep, Phase, legal_actions
from farkel.game.scoring import score_table
from games_in_words import go, is_farkle, on_turn, options, play, points, refused, scores, turn
from named_rules import SPAN, rules_of


@pytest.mark.parametrize("name", SPAN)
def test_C1_a_turn_starts_with_all_the_dice(name: str) -> None:
    state = on_turn(name, 0, 0)
    assert state.dice_due == 6
    farkled = go(state, "234466") if is_farkle(name, "234466") else go(state, "222346", "222 roll", "346")
    assert turn(farkled) == (Phase.ROLL, 1, 0, 6)


def test_C1_five_dice_if_the_rules_say_five() -> None:
    state = play("standard(dice=5, start=first_seat)", 2)
    assert state.dice_due == 5
    assert turn(go(state, "12346", "1 bank")) == (Phase.ROLL, 1, 0, 5)


def test_C2_any_dice_that_split_into_combinations_may_be_kept() -> None:
    table = score_table(rules_of("standard"))
    kept = {"".join(map(str, dice)) for dice in table[(1, 2, 3, 3, 3, 5)].keeps}
    assert kept == {"1", "5", "333", "15", "1333", "3335", "13335"}


def test_C2_at_least_one_scoring_die_is_set_aside_before_rolling_again() -> None:
    state = go(on_turn("standard", 0, 0), "123335")
    assert refused(state, "135") == "no_throw_due"
    assert all(isinstance(action, Keep) and action.dice for action in legal_actions(state))
    assert refused(state, Keep((), "roll")) == "keep_nothing"
    assert refused(state, "2 roll") == "dice_do_not_score"
    assert refused(state, "33 roll") == "dice_do_not_score"
    assert refused(state, "12 roll") == "dice_do_not_score"


def test_C2_the_player_chooses_which_scoring_dice_and_rolls_the_others() -> None:
    state = go(on_turn("standard", 0, 0), "123335")
    assert turn(go(state, "5 roll")) == (Phase.ROLL, 0, 50, 5)
    assert turn(go(state, "333 roll")) == (Phase.ROLL, 0, 300, 3)
    assert turn(go(state, "13335 roll")) == (Phase.ROLL, 0, 450, 1)


@pytest.mark.parametrize(
    ("spec", "faces", "worth"),
    [
        ("standard", "555", 500),  # never 150
        ("standard", "111", 1_000),
        ("standard", "1115", 1_050),
        ("standard", "11155", 1_100),
        ("standard", "111111", 2_000),
        ("extended", "111111", 3_000),
        ("extended", "1111", 1_100),  # three and one more, above four of a kind
        ("extended", "222222", 3_000),  # six alike, above two triplets that they are not
        ("extended", "222333", 2_500),
        ("extended", "111155", 1_500),  # three pairs they are not; four and a pair, above 1,000 + 100
        ("build-on", "111", 300),
        ("kcd", "123456", 1_500),  # above 500 for 1-5 with a 6 that does not score
        ("original", "112233", 10_000),
    ],
)
def test_C3_kept_dice_are_worth_their_best_split(spec: str, faces: str, worth: int) -> None:
    assert points(spec, faces) == worth


def test_C4_dice_kept_earlier_never_join_a_later_roll() -> None:
    # Two single 1s, then a third with the four dice that remain (the text of `standard`): 300, not 1,000.
    state = go(on_turn("standard", 0, 0), "112346", "11 roll", "1346")
    assert options(state) == {"1 roll", "1 bank"}
    assert scores(go(state, "1 bank")) == (300, 0)


def test_C4_kept_dice_do_not_complete_four_of_a_kind() -> None:
    # A six cannot be added to three 6s rolled before (the text of `guts-and-luck`).
    assert scores(go(on_turn("extended", 0, 0), "234666", "666 roll", "346")) == (0, 0)


def test_C5_any_scoring_roll_may_be_banked_with_its_kept_dice() -> None:
    state = go(on_turn("standard", 0, 0), "134446", "444 roll", "156")
    assert {"15 bank", "1 bank", "5 bank"} < options(state)
    assert scores(go(state, "15 bank")) == (550, 0)
    assert scores(go(state, "5 bank")) == (450, 0)


def test_C5_banked_points_are_never_lost() -> None:
    state = go(on_turn("standard", 900, 0), "123446", "1 roll", "23446")
    assert scores(state) == (900, 0)


def test_C6_a_farkle_ends_the_turn_and_loses_the_turn_total() -> None:
    state = go(on_turn("standard", 900, 0), "134446", "1444 roll")
    assert turn(state) == (Phase.ROLL, 0, 500, 2)
    after = go(state, "23")
    assert turn(after) == (Phase.ROLL, 1, 0, 6)
    assert scores(after) == (900, 0)


def test_C7_hot_dice_roll_all_again_for_the_same_turn_total() -> None:
    state = go(on_turn("standard", 0, 0), "111555", "111555 roll")
    assert turn(state) == (Phase.ROLL, 0, 1_500, 6)
    assert scores(go(state, "123446", "1 bank")) == (1_600, 0)
    assert scores(go(state, "223446")) == (0, 0)


def test_C7_hot_dice_may_come_in_several_rolls() -> None:
    state = go(on_turn("standard", 0, 0), "134446", "444 roll", "156", "15 roll", "5", "5 roll")
    assert turn(state) == (Phase.ROLL, 0, 600, 6)


def test_C8_the_dice_pass_to_the_left() -> None:
    state = on_turn("standard", 0, 0, 0)
    seats = []
    for _ in range(4):
        seats.append(state.seat)
        state = go(state, "123446", "1 bank")
    assert seats == [0, 1, 2, 0]


def test_C8_the_dice_pass_over_seats_that_are_gone() -> None:
    state = go(on_turn("standard", 0, 0, 0, 0), "leave 1", "leave 2", "123446", "1 bank")
    assert state.seat == 3
    assert go(state, "223446").seat == 0
