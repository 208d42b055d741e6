"""Clauses S: `standard` and `extended`."""

from __future__ import annotations

import pytest

from farkel.game import Phase, Result
from games_in_words import best, go, is_farkle, on_turn, options, play, points, refused, scores, turn
from named_rules import rules_of


def test_S1_the_target_is_10000() -> None:
    assert rules_of("standard").target == 10_000
    state = go(on_turn("standard", 9_900, 0), "123446", "1 bank")
    assert state.closer == 0
    assert go(on_turn("standard", 9_850, 0), "123446", "1 bank").closer == -1


def test_S1_two_or_more_players() -> None:
    assert [len(play("standard", seats).seats) for seats in range(2, 9)] == [2, 3, 4, 5, 6, 7, 8]


def test_S1_20000_is_a_variation() -> None:
    state = go(on_turn("standard(target=20000)", 9_900, 0), "123446", "1 bank")
    assert state.closer == -1
    assert go(on_turn("standard(target=20000)", 19_900, 0), "123446", "1 bank").closer == 0


def test_S2_scoring_dice() -> None:
    worth = [points("standard", dice) for dice in ("1", "5", "111", "222", "333", "444", "555", "666")]
    assert worth == [100, 50, 1_000, 200, 300, 400, 500, 600]
    assert points("standard(scoring.111=300)", "111") == 300


def test_S2_nothing_else_scores_in_standard() -> None:
    assert best("standard", "2222") == 200
    assert best("standard", "22222") == 200
    assert points("standard", "222222") == 400
    assert best("standard", "123456") == 150
    assert is_farkle("standard", "223344")
    assert best("standard", "222333") == 500
    assert best("standard", "222233") == 200


def test_S2_the_worked_example_in_its_five_ways() -> None:
    state = go(on_turn("standard", 0, 0), "123335")
    assert turn(go(state, "333 roll")) == (Phase.ROLL, 0, 300, 3)
    assert turn(go(state, "1 roll")) == (Phase.ROLL, 0, 100, 5)
    assert turn(go(state, "5 roll")) == (Phase.ROLL, 0, 50, 5)
    assert turn(go(state, "13335 roll")) == (Phase.ROLL, 0, 450, 1)
    assert scores(go(state, "13335 bank")) == (450, 0)


def test_S2_the_last_die_of_the_worked_example_may_bring_hot_dice() -> None:
    one_left = go(on_turn("standard", 0, 0), "123335", "13335 roll")
    assert turn(go(one_left, "1", "1 roll")) == (Phase.ROLL, 0, 550, 6)
    assert turn(go(one_left, "5", "5 roll")) == (Phase.ROLL, 0, 500, 6)
    for face in "2346":
        assert scores(go(one_left, face)) == (0, 0)


def test_S3_every_other_player_has_one_last_turn() -> None:
    state = go(on_turn("standard", 0, 9_900, 0, seat=1), "123446", "1 bank")
    assert (state.seat, state.over) == (2, False)
    state = go(state, "223446")
    assert (state.seat, state.over) == (0, False)
    state = go(state, "223446")
    assert state.result == Result((1,), "last_turns")


def test_S3_the_last_turn_may_surpass_the_high_score() -> None:
    state = go(on_turn("standard", 9_900, 9_950, 9_000), "123446", "1 bank", "123446", "1 bank", "223446")
    assert scores(state) == (10_000, 10_050, 9_000)
    assert state.result == Result((1,), "last_turns")


def test_S3_reaching_the_target_in_a_last_turn_gives_no_more_turns() -> None:
    state = go(on_turn("standard", 9_900, 9_950, 9_990), "123446", "1 bank", "123446", "1 bank", "111234", "111 bank")
    assert state.result == Result((2,), "last_turns")


@pytest.mark.parametrize(
    ("dice", "faces", "worth"),
    [
        ("aaaa", "3333", 1_000),
        ("aaaabb", "333344", 1_500),
        ("aaaaa", "33333", 2_000),
        ("aaaaaa", "333333", 3_000),
        ("123456", "123456", 1_500),
        ("aabbcc", "223344", 1_500),
        ("aaabbb", "222333", 2_500),
    ],
)
def test_S4_each_extra_combination_is_a_switch_with_its_own_points(dice: str, faces: str, worth: int) -> None:
    assert points("extended", faces) == worth
    assert points("standard", faces) < worth
    assert points(f"standard(scoring.{dice}={worth})", faces) == worth
    assert points(f"standard(scoring.{dice}=4444)", faces) == 4_444
    assert points(f"extended(scoring.{dice}=0)", faces) < worth


def test_S4_extended_is_standard_with_all_of_these_and_an_entry_score() -> None:
    standard, extended = rules_of("standard"), rules_of("extended")
    assert standard.scoring.plain.items() <= extended.scoring.plain.items()
    assert (extended.entry, standard.entry) == (500, 0)
    same = ("dice", "target", "finish", "start", "minimum", "hot_dice", "take_over", "lives", "penalties")
    assert all(getattr(extended, field) == getattr(standard, field) for field in same)


def test_S5_the_highest_die_starts() -> None:
    state = play("standard", 3)
    assert state.phase is Phase.START
    assert turn(go(state, "2", "5", "3")) == (Phase.ROLL, 1, 0, 6)


def test_S5_ties_throw_again() -> None:
    state = go(play("standard", 4), "5", "2", "5", "5")
    assert (state.phase, state.seat) == (Phase.START, 0)
    state = go(state, "4")
    assert state.seat == 2, "seat 1 threw less and is out of it"
    state = go(state, "6", "6")
    assert (state.phase, state.seat) == (Phase.START, 2)
    assert turn(go(state, "1", "3")) == (Phase.ROLL, 3, 0, 6)


def test_S6_the_first_bank_needs_500_in_one_turn() -> None:
    state = go(on_turn("extended", 0, 0, entered=False), "123446")
    assert options(state) == {"1 roll"}
    assert refused(state, "1 bank") == "below_entry"


def test_S6_until_then_the_player_rolls_until_500_or_a_farkle() -> None:
    state = go(on_turn("extended", 0, 0, entered=False), "134446", "444 roll", "156")
    assert options(state) == {"1 roll", "1 bank", "5 roll", "15 roll", "15 bank"}
    assert scores(go(state, "1 bank")) == (500, 0)
    assert scores(go(state, "5 roll", "23")) == (0, 0)


def test_S6_once_on_the_board_any_score_may_be_banked() -> None:
    state = go(on_turn("extended", 0, 0, entered=False), "222234", "2222 bank", "223446")
    assert scores(go(state, "523446", "5 bank")) == (1_050, 0)


def test_S6_a_farkle_does_not_put_a_player_on_the_board() -> None:
    state = go(on_turn("extended", 0, 0, entered=False), "222234", "2222 roll", "34", "223446")
    assert options(go(state, "123446")) == {"1 roll"}


def test_S7_hot_dice_may_have_to_be_thrown_once_more() -> None:
    state = go(on_turn("extended(hot_dice=forced)", 0, 0), "123456")
    assert "123456 bank" not in options(state)
    assert refused(state, "123456 bank") == "must_roll_hot_dice"
    assert "1 bank" in options(state)
    assert scores(go(state, "123456 roll", "123446", "1 bank")) == (1_600, 0)


def test_S7_hot_dice_are_optional_elsewhere() -> None:
    assert scores(go(on_turn("extended", 0, 0), "123456", "123456 bank")) == (1_500, 0)
