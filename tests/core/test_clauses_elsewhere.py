"""Table X: rule sets met elsewhere, and the options that their players name."""

from __future__ import annotations

import pytest

from farkel.game import Result
from games_in_words import best, go, is_farkle, lives, on_turn, options, play, points, refused, scores
from named_rules import rules_of

ELSEWHERE = ("minimal", "patch", "cardgames", "zilch", "facebook", "kcd", "ten-thousand")


@pytest.mark.parametrize("name", ELSEWHERE)
def test_X_common_rules(name: str) -> None:
    rules = rules_of(name)
    assert rules.dice == 6
    assert rules.target == (4_000 if name == "kcd" else 10_000)
    assert rules.finish == ("at_once" if name in ("minimal", "kcd") else "last_turns")
    assert [points(name, "1"), points(name, "5")] == [100, 50]
    assert points(name, "111") == (300 if name == "patch" else 1_000)
    assert [points(name, str(face) * 3) for face in range(2, 7)] == [200, 300, 400, 500, 600]


TABLE_X: dict[str, dict[str, int]] = {
    "minimal": {"3333": 0, "33333": 0, "333333": 600, "123456": 0, "223344": 0, "222233": 0, "222333": 500},
    "patch": {
        "3333": 1_000,
        "33333": 2_000,
        "333333": 3_000,
        "1111": 1_000,
        "123456": 1_500,
        "223344": 1_500,
        "222233": 1_500,
        "222333": 2_500,
    },
    "cardgames": {
        "3333": 1_000,
        "33333": 2_000,
        "333333": 3_000,
        "123456": 2_500,
        "223344": 1_500,
        "222233": 1_500,
        "222333": 500,
    },
    "zilch": {
        "3333": 600,
        "33333": 1_200,
        "333333": 2_400,
        "1111": 2_000,
        "111111": 8_000,
        "123456": 1_500,
        "223344": 1_500,
        "222233": 1_500,
        "222333": 500,
    },
    "facebook": {
        "3333": 600,
        "33333": 900,
        "333333": 1_200,
        "1111": 2_000,
        "11111": 3_000,
        "111111": 4_000,
        "123456": 1_500,
        "223344": 750,
        "222233": 0,
        "222333": 500,
    },
    "kcd": {
        "3333": 600,
        "33333": 1_200,
        "333333": 2_400,
        "1111": 2_000,
        "111111": 8_000,
        "12345": 500,
        "23456": 750,
        "123456": 1_500,
        "223344": 0,
        "222233": 0,
        "222333": 500,
    },
    "ten-thousand": {
        "3333": 600,
        "33333": 1_200,
        "333333": 2_400,
        "111111": 8_000,
        "123456": 2_000,
        "223344": 1_500,
        "222233": 0,
        "222333": 500,
    },
}


@pytest.mark.parametrize(
    ("name", "faces", "worth"),
    [(name, faces, worth) for name, row in TABLE_X.items() for faces, worth in row.items()],
)
def test_X_the_table(name: str, faces: str, worth: int) -> None:
    assert points(name, faces) == worth


def test_X_every_set_elsewhere_has_its_row() -> None:
    assert set(TABLE_X) == set(ELSEWHERE)


def test_X_minimal_and_kcd_end_with_the_winning_bank() -> None:
    assert go(on_turn("minimal", 9_900, 0), "123446", "1 bank").result == Result((0,), "target")
    assert go(on_turn("kcd", 3_900, 0), "123446", "1 bank").result == Result((0,), "target")


def test_X_patch_asks_500_to_enter() -> None:
    state = go(on_turn("patch", 0, 0, entered=False), "123446")
    assert options(state) == {"1 roll"}


@pytest.mark.parametrize("name", ["zilch", "facebook"])
def test_X_zilch_and_facebook_ask_300_a_turn(name: str) -> None:
    assert refused(go(on_turn(name, 0, 0), "115234"), "115 bank") == "below_minimum"
    assert refused(go(on_turn(name, 0, 0), "333214"), "333 bank") is None


def test_X_the_third_zilch_in_a_row_costs_500() -> None:
    state = on_turn("zilch", 2_000, 0)
    for score in (2_000, 2_000, 1_500):
        state = go(state, "115234", "115 roll", "223", "115234", "115 roll", "223")
        assert state.seats[0].score == score


def test_X_the_third_farkle_in_a_row_costs_1000_and_resets_the_count() -> None:
    state = on_turn("facebook", 2_500, 0)
    for score in (2_500, 2_500, 1_500, 1_500, 1_500, 500, 500, 500, -500):
        state = go(state, "222346", "222 roll", "346", "333246", "333 bank")
        assert state.seats[0].score == score


def test_X_a_bank_breaks_the_row() -> None:
    state = on_turn("facebook", 2_500, 0)
    for turn in (("234466",), ("234466",), ("333246", "333 bank"), ("234466",), ("234466",)):
        state = go(state, *turn, "333246", "333 bank")
    assert state.seats[0].score == 2_800


def test_X_the_score_may_fall_below_zero_or_not() -> None:
    assert scores(go(on_turn("facebook", 0, 0), *["234466"] * 6)) == (-1_000, -1_000)
    assert scores(go(on_turn("facebook(penalties.below_zero=false)", 300, 0), *["234466"] * 6)) == (0, 0)


def test_X_six_dice_that_score_nothing_are_500_in_zilch() -> None:
    assert best("zilch", "234466") == 500
    assert "234466 roll" in options(go(on_turn("zilch", 0, 0), "234466"))


def test_X_kcd_keeps_a_short_straight_and_the_sixth_die() -> None:
    assert best("kcd", "112345") == 600
    assert best("kcd", "234556") == 800


def test_X_toxic_twos_end_the_turn_with_nothing() -> None:
    spec = "patch(rolled.2222=farkle)"
    assert is_farkle(spec, "222215")
    state = go(on_turn(spec, 900, 0), "112346", "11 roll", "2222")
    assert (scores(state), state.seat) == ((900, 0), 1)


def test_X_welfare_gives_the_excess_to_the_lowest_score() -> None:
    state = go(on_turn("minimal(finish=welfare)", 9_900, 5_000, 4_000), "111234", "111 bank")
    assert scores(state) == (9_900, 5_000, 4_900)


def test_X_the_next_player_may_take_up_a_farkled_total() -> None:
    state = go(on_turn("renaissance(take_over.after_farkle=true)", 0, 0), "111234", "111 roll", "234")
    assert options(state) == {"fresh", "take 3"}
    assert scores(go(state, "take 3", "125", "15 bank")) == (0, 1_150)


def test_X_a_hot_dice_multiplier() -> None:
    state = go(on_turn("patch(hot_dice_multiplier=true)", 0, 0), "123456", "123456 roll", "123446", "1 bank")
    assert scores(state) == (1_700, 0)


def test_X_points_lost_for_a_farkle_on_six_dice() -> None:
    spec = "standard(penalties.farkle_all_dice=500)"
    assert scores(go(on_turn(spec, 900, 0), "223446")) == (400, 0)
    assert scores(go(on_turn(spec, 900, 0), "123446", "1 roll", "23446")) == (900, 0)
    assert scores(go(on_turn(spec, 900, 0), "222444", "222444 roll", "223446")) == (400, 0)
    assert scores(go(on_turn(spec, 400, 0), "223446")) == (-100, 0)


def test_X_a_game_of_a_fixed_number_of_rounds() -> None:
    state = on_turn("standard(target=0, rounds=2)", 0, 0)
    state = go(state, "123446", "1 bank", "223446", "223446", "111234", "111 bank")
    assert state.result == Result((1,), "rounds")
    assert scores(state) == (100, 1_000)


def test_X_a_round_begins_with_the_seat_that_started() -> None:
    state = go(play("standard(target=0, rounds=2)", 3, "1", "6", "2"), *["223446"] * 5)
    assert (state.over, state.seat) == (False, 0)
    assert go(state, "123446", "1 bank").result == Result((0,), "rounds")


def test_X_a_round_continues_when_its_starter_leaves() -> None:
    state = go(on_turn("standard(target=0, rounds=2)", 0, 0, 0), "223446", "223446", "leave 0", "223446")
    assert (state.over, state.seat, state.rounds_left) == (False, 1, 1)
    assert go(state, "223446", "123446", "1 bank").result == Result((2,), "rounds")


def test_X_a_game_of_rounds_alone() -> None:
    state = go(on_turn("standard(target=0, rounds=3)", 0), "123446", "1 bank", "223446")
    assert not state.over
    assert go(state, "123446", "1 bank").result == Result((0,), "rounds")


def test_X_equal_turns_finish_the_round_and_then_the_highest_wins() -> None:
    state = go(on_turn("standard(finish=equal_turns)", 9_900, 9_900, 9_900), "123446", "1 bank", "111234", "111 bank")
    assert not state.over
    assert go(state, "223446").result == Result((1,), "equal_turns")


def test_X_the_last_one_standing_may_win_outright() -> None:
    spec = "standard(lives.each=3, lives.farkle=1, lives.farkle_all_dice=1, lives.last_standing=wins)"
    state = go(on_turn(spec, 0, 5_000, seat=1, lives=(3, 1)), "223446")
    assert state.result == Result((0,), "standing")
    assert lives(state) == (3, 0)


def test_X_banked_hot_dice_may_be_taken_over_with_all_the_dice() -> None:
    state = go(
        on_turn("renaissance(take_over.after_hot_dice=true, take_over.heavy=false)", 0, 0), "123456", "123456 bank"
    )
    assert options(state) == {"fresh", "take 6"}
    assert scores(go(state, "take 6", "123446", "1 bank")) == (1_500, 1_600)
