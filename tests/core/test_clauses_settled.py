"""Clauses D: what the source texts leave open, as this project settles it."""

from __future__ import annotations

import pytest

from farkel.game import Offer, Phase, Result
from farkel.game.story import ending
from games_in_words import best, go, is_farkle, lives, offered, on_turn, options, play, points, refused, scores, turn
from named_rules import rules_of

# D1 to D9: as the rules page has them -----------------------------------------------------------------------------


def test_D1_an_equal_score_does_not_beat_the_one_that_was_there_first() -> None:
    state = go(on_turn("standard", 9_900, 9_900), "123446", "1 bank", "123446", "1 bank")
    assert scores(state) == (10_000, 10_000)
    assert state.result == Result((0,), "last_turns")
    assert ending(state, ("Ann", "Ben")) == (
        "Ann wins with 10,000, the highest score after the last turns, and the first to reach it."
    )


def test_D1_of_tied_overtakers_the_first_wins() -> None:
    state = go(on_turn("standard", 9_900, 9_000, 9_000), "123446", "1 bank", "111555", "111555 bank")
    state = go(state, "111555", "111555 bank")
    assert scores(state) == (10_000, 10_500, 10_500)
    assert state.result == Result((1,), "last_turns")


def test_D1_the_seat_that_closed_counts_as_first_wherever_it_sits() -> None:
    state = go(on_turn("standard", 9_900, 9_900, seat=1), "123446", "1 bank", "123446", "1 bank")
    assert state.result == Result((1,), "last_turns")


def test_D2_a_take_over_is_possible_in_a_last_turn_too() -> None:
    state = go(on_turn("build-on", 9_600, 9_500), "134446", "1444 bank")
    assert state.closer == 0
    assert options(state) == {"fresh", "take 2"}
    assert go(state, "take 2", "12", "1 bank").result == Result((0,), "last_turns")
    assert go(state, "take 2", "11", "11 bank").result == Result((1,), "last_turns")


def test_D2_taken_points_count_for_the_entry_score() -> None:
    state = go(on_turn("build-on", 0, 0, entered=False), "144456", "1444 bank", "take 2", "25")
    assert refused(state, "5 bank") is None
    assert scores(go(state, "5 bank")) == (500, 550)


def test_D2_taken_points_count_for_a_minimum() -> None:
    state = go(offered("renaissance(minimum=300)", 300, 2, 300, 0), "take 2", "25")
    assert refused(state, "5 bank") is None
    fresh = go(offered("renaissance(minimum=300)", 300, 2, 300, 0), "fresh", "523446")
    assert refused(fresh, "5 bank") == "below_minimum"


def test_D3_without_the_minimum_the_player_rolls_on() -> None:
    state = go(on_turn("renaissance(minimum=300)", 0, 0), "123446")
    assert options(state) == {"1 roll"}


def test_D3_without_the_minimum_and_all_dice_used_it_is_hot_dice() -> None:
    state = go(on_turn("standard(minimum=1000)", 0, 0), "222444")
    assert "222444 bank" not in options(state)
    assert turn(go(state, "222444 roll")) == (Phase.ROLL, 0, 600, 6)


def test_D4_a_bank_that_would_pass_the_target_adds_nothing_and_ends_the_turn() -> None:
    state = go(on_turn("standard(finish=exact)", 9_900, 0), "555234", "555 bank")
    assert scores(state) == (9_900, 0)
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_D4_hitting_the_target_wins_immediately() -> None:
    state = go(on_turn("standard(finish=exact)", 9_900, 9_900), "123446", "1 bank")
    assert state.result == Result((0,), "exact")


def test_D4_a_bank_that_adds_nothing_leaves_no_offer() -> None:
    state = go(on_turn("build-on(finish=exact)", 9_900, 0), "555234", "555 bank")
    assert (state.phase, state.seat, state.offer) == (Phase.ROLL, 1, None)


def test_D5_three_alike_end_the_turn_with_a_bank() -> None:
    state = go(on_turn("standard(rolled.aaa=bank)", 0, 0), "144423")
    assert options(state) == {"1 bank", "444 bank", "1444 bank"}


def test_D5_also_if_the_triple_itself_is_not_kept_or_is_more_than_three() -> None:
    state = go(on_turn("standard(rolled.aaa=bank)", 0, 0), "144443")
    assert options(state) == {"1 bank", "444 bank", "1444 bank"}


def test_D5_two_alike_do_not() -> None:
    state = go(on_turn("standard(rolled.aaa=bank)", 0, 0), "114423")
    assert {"11 roll", "1 roll"} < options(state)


def test_D5_unless_D3_forbids_the_bank() -> None:
    state = go(on_turn("standard(rolled.aaa=bank, minimum=1000)", 0, 0), "144423")
    assert options(state) == {"1 roll", "444 roll", "1444 roll"}


def test_D5_a_keep_too_small_to_bank_does_not_avoid_it() -> None:
    state = go(on_turn("standard(rolled.aaa=bank, minimum=300)", 0, 0), "144423")
    assert options(state) == {"444 bank", "1444 bank"}
    assert refused(state, "1 roll") == "triple_must_bank"
    assert refused(state, "1 bank") == "below_minimum"


def test_D5_it_ends_the_turn_on_forced_hot_dice_too() -> None:
    state = go(on_turn("standard(rolled.aaa=bank, hot_dice=forced)", 0, 0), "222444")
    assert refused(state, "222444 roll") == "triple_must_bank"
    assert scores(go(state, "222444 bank")) == (600, 0)


FINED = "standard(rolled.333=-300)"


@pytest.mark.parametrize("faces", ["133345", "133334", "133333"])
def test_D6_three_or_more_3s_take_300_from_the_banked_score_immediately(faces: str) -> None:
    assert scores(go(on_turn(FINED, 1_000, 0), faces)) == (700, 0)


def test_D6_those_3s_neither_score_nor_can_be_kept() -> None:
    state = go(on_turn(FINED, 1_000, 0), "133345")
    assert options(state) == {f"{keep} {then}" for keep in ("1", "5", "15") for then in ("roll", "bank")}
    assert refused(state, "333 roll") == "dice_are_fined"
    assert refused(state, "1333 roll") == "dice_are_fined"


def test_D6_two_3s_cost_nothing() -> None:
    assert scores(go(on_turn(FINED, 1_000, 0), "133245")) == (1_000, 0)


def test_D6_the_score_may_fall_below_zero() -> None:
    assert scores(go(on_turn(FINED, 100, 0), "133346")) == (-200, 0)
    assert scores(go(on_turn("standard(rolled.333=-300, penalties.below_zero=false)", 100, 0), "133346")) == (
        0,
        0,
    )


def test_D6_it_is_also_a_farkle_if_nothing_else_scores() -> None:
    state = go(on_turn(FINED, 1_000, 0), "123456", "1 roll", "33346")
    assert scores(state) == (700, 0)
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_D6_four_3s_are_fined_if_four_of_a_kind_score() -> None:
    spec = "extended(rolled.333=-300)"
    assert is_farkle(spec, "333344")
    assert best(spec, "133334") == 100


def test_D7_a_team_without_lives_is_out_with_its_score_on_the_sheet() -> None:
    state = go(on_turn("original", 90_000, 0, 0, lives=(2, 12, 12)), "223446")
    assert state.seats[0].status == "out"
    assert scores(state) == (90_000, 0, 0)


def test_D7_a_team_that_is_out_does_not_win_with_the_highest_score() -> None:
    spec = "standard(rounds=1, lives.each=1, lives.farkle=1, lives.farkle_all_dice=1)"
    state = go(on_turn(spec, 5_000, 0, 100), "223446", "123446", "1 bank", "123446", "1 bank")
    assert scores(state) == (5_000, 100, 200)
    assert state.result == Result((2,), "rounds")


def test_D8_a_team_that_is_out_has_no_last_turn() -> None:
    spec = "standard(lives.each=3, lives.farkle=1, lives.farkle_all_dice=1)"
    state = go(on_turn(spec, 9_900, 9_900, 0, lives=(3, 1, 3), seat=1), "223446", "223446", "123446", "1 bank")
    assert state.closer == 0
    assert state.seat == 2
    assert go(state, "223446").result == Result((0,), "last_turns")


def test_D8_a_last_turn_that_takes_the_last_life_does_not_disturb_the_end() -> None:
    spec = "standard(lives.each=3, lives.farkle=1, lives.farkle_all_dice=1)"
    state = go(on_turn(spec, 9_900, 0, 0, lives=(3, 1, 1)), "123446", "1 bank", "223446", "223446")
    assert [seat.status for seat in state.seats] == ["in", "out", "out"]
    assert state.result == Result((0,), "last_turns")


def test_D9_an_offer_is_gone_when_the_next_turn_has_started() -> None:
    state = go(offered("build-on", 500, 2, 500, 0, 0), "fresh")
    assert state.offer is None
    assert refused(state, "take 2") == "nothing_on_offer"
    assert turn(go(state, "223446")) == (Phase.ROLL, 2, 0, 6)


def test_D9_only_the_next_seat_may_take_it() -> None:
    state = go(on_turn("build-on", 0, 0, 0), "134446", "1444 bank")
    assert state.seat == 1
    assert turn(go(state, "take 2", "23")) == (Phase.ROLL, 2, 0, 6)


# D10 to D23: added where the project met further questions ----------------------------------------------------------


def test_D10_equal_highest_scores_share_the_win_with_equal_turns() -> None:
    state = go(
        on_turn("standard(finish=equal_turns)", 9_900, 9_900, 0), "123446", "1 bank", "123446", "1 bank", "223446"
    )
    assert state.result == Result((0, 1), "equal_turns")


def test_D10_equal_turns_finish_the_round_and_no_more() -> None:
    spec = "standard(finish=equal_turns)"
    last = go(on_turn(spec, 9_950, 0, 9_900, seat=2), "123446", "1 bank")
    assert last.result == Result((2,), "equal_turns")
    middle = go(on_turn(spec, 9_950, 9_900, 0, seat=1), "123446", "1 bank")
    assert (middle.seat, middle.over) == (2, False)
    assert go(middle, "223446").result == Result((1,), "equal_turns")


def test_D10_the_round_ends_before_the_seat_that_started() -> None:
    state = play("standard(finish=equal_turns, target=50)", 3, "1", "6", "2")
    assert (state.seat, state.first) == (1, 1)
    state = go(state, "223446", "223446", "523446", "5 bank")
    assert state.result == Result((0,), "equal_turns")


def test_D10_equal_highest_scores_share_the_win_after_a_number_of_rounds() -> None:
    state = go(on_turn("standard(rounds=2)", 0, 0, 0), *["123446", "1 bank"] * 4, "223446")
    assert not state.over
    state = go(state, "123446", "1 bank")
    assert scores(state) == (200, 100, 200)
    assert state.result == Result((0, 2), "rounds")


def test_D11_a_bank_that_hits_the_exact_target_is_allowed_below_the_minimum() -> None:
    for finish in ("exact", "welfare"):
        state = go(on_turn(f"standard(finish={finish}, minimum=300)", 9_900, 0), "155234")
        assert options(state) == {"1 bank", "55 bank", "1 roll", "5 roll", "15 roll", "55 roll", "155 roll"}
        assert go(state, "1 bank").result == Result((0,), "exact")


def test_D11_a_bank_that_hits_the_exact_target_is_allowed_below_the_entry() -> None:
    state = go(on_turn("standard(finish=exact, entry=500)", 9_900, 0, entered=False), "123446")
    assert go(state, "1 bank").result == Result((0,), "exact")
    short = go(on_turn("standard(finish=exact, entry=500)", 9_800, 0, entered=False), "123446")
    assert refused(short, "1 bank") == "below_entry"


def test_D11_does_not_apply_if_the_target_may_be_passed() -> None:
    state = go(on_turn("standard(minimum=300)", 9_900, 0), "123446")
    assert refused(state, "1 bank") == "below_minimum"


def test_D12_a_buyer_who_may_not_bank_yet_rolls_all_dice() -> None:
    state = go(offered("original(entry=10000)", 3_000, 3, 3_000, 0), "take 2")
    state = state._replace(seats=tuple(seat._replace(entered=0) for seat in state.seats))
    state = go(state, "15")
    assert refused(state, "15 bank") == "below_entry"
    state = go(state, "15 roll")
    assert turn(state) == (Phase.ROLL, 1, 4_500, 6)
    assert state.idle == 0


def test_D12_they_are_not_hot_dice_that_would_multiply() -> None:
    state = go(offered("original(entry=10000, hot_dice_multiplier=true)", 3_000, 3, 3_000, 0), "take 2")
    state = state._replace(seats=tuple(seat._replace(entered=0) for seat in state.seats))
    state = go(state, "15", "15 roll", "123446", "1 roll")
    assert turn(state) == (Phase.ROLL, 1, 5_500, 5)


WELFARE = "standard(finish=welfare)"


def test_D13_the_excess_goes_to_the_lowest_other_score() -> None:
    state = go(on_turn(WELFARE, 9_900, 3_000, 2_000, 4_000), "155234", "155 bank")
    assert scores(state) == (9_900, 3_000, 2_100, 4_000)
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_D13_the_first_to_the_left_among_equals() -> None:
    state = go(on_turn(WELFARE, 2_000, 9_900, 3_000, 2_000, seat=1), "155234", "155 bank")
    assert scores(state) == (2_000, 9_900, 3_000, 2_100)


def test_D13_never_to_the_banker_even_with_the_lowest_score() -> None:
    state = go(on_turn("standard(finish=welfare, target=1000)", 0, 500), "111523", "1115 bank")
    assert scores(state) == (0, 550)


def test_D13_the_excess_is_lost_in_a_game_alone() -> None:
    state = go(on_turn("standard(finish=welfare, target=1000)", 100), "111234", "111 bank")
    assert scores(state) == (100,)


def test_D13_a_gift_that_would_pass_the_target_is_not_given() -> None:
    state = go(on_turn(WELFARE, 9_900, 9_950), "155234", "155 bank")
    assert scores(state) == (9_900, 9_950)
    assert not state.over


def test_D13_a_gift_that_hits_the_target_wins() -> None:
    state = go(on_turn(WELFARE, 9_900, 9_900), "155234", "155 bank")
    assert scores(state) == (9_900, 10_000)
    assert state.result == Result((1,), "exact")


def test_D13_seats_that_are_gone_are_given_nothing() -> None:
    state = go(on_turn(WELFARE, 9_900, 1_000, 2_000), "leave 1", "155234", "155 bank")
    assert scores(state) == (9_900, 1_000, 2_100)


def test_D14_a_seat_alone_does_not_take_over_from_itself() -> None:
    state = go(on_turn("build-on", 0), "134446", "1444 bank")
    assert turn(state) == (Phase.ROLL, 0, 0, 6)
    assert state.offer is None


def test_D14_nor_does_the_last_team_standing() -> None:
    state = go(on_turn("original", 0, 0, seat=1, lives=(12, 1)), "223446", "123446", "1 bank")
    assert turn(state) == (Phase.ROLL, 0, 0, 6)


AFTER_FARKLE = "build-on(take_over.after_farkle=true)"


def test_D15_the_lost_turn_total_and_the_dice_that_farkled_are_offered() -> None:
    state = go(on_turn(AFTER_FARKLE, 0, 0), "134446", "1444 roll", "23")
    assert (state.phase, state.seat, state.offer) == (Phase.OFFER, 1, Offer(500, 2))
    assert scores(go(state, "take 2", "12", "1 bank")) == (0, 600)


def test_D15_with_the_dice_that_lay_idle() -> None:
    spec = "original(take_over.after_farkle=true)"
    state = go(offered(spec, 4_000, 4, 4_000, 0, 0), "take 3", "123", "1 roll", "23")
    assert (state.seat, state.offer) == (2, Offer(5_000, 3))


def test_D15_all_the_dice_if_hot_dice_farkled() -> None:
    state = go(on_turn(AFTER_FARKLE, 0, 0), "123456", "123456 roll", "223446")
    assert state.offer == Offer(1_500, 6)


def test_D15_a_farkle_on_the_first_roll_of_a_turn_offers_nothing() -> None:
    assert turn(go(on_turn(AFTER_FARKLE, 0, 0), "223446")) == (Phase.ROLL, 1, 0, 6)


def test_D15_a_farkle_on_the_first_roll_of_a_take_over_offers_nothing() -> None:
    state = go(on_turn(AFTER_FARKLE, 0, 0, 0), "134446", "1444 roll", "23", "take 2", "23")
    assert turn(state) == (Phase.ROLL, 2, 0, 6)


def test_D16_after_hot_dice_points_count_twice_then_three_times() -> None:
    state = go(on_turn("standard(hot_dice_multiplier=true)", 0, 0), "111555", "111555 roll")
    assert state.points == 1_500
    state = go(state, "222555", "222555 roll")
    assert state.points == 1_500 + 2 * 700
    state = go(state, "123446", "1 roll")
    assert state.points == 1_500 + 2 * 700 + 3 * 100
    assert scores(go(state, "52346", "5 bank")) == (1_500 + 1_400 + 300 + 150, 0)


def test_D16_within_that_turn_only() -> None:
    state = go(on_turn("standard(hot_dice_multiplier=true)", 0, 0), "111555", "111555 roll", "123446", "1 bank")
    assert scores(state) == (1_700, 0)
    assert scores(go(state, "123446", "1 bank")) == (1_700, 100)


def test_D16_a_minimum_is_met_with_the_multiplied_points() -> None:
    state = go(on_turn("standard(hot_dice_multiplier=true, minimum=1700)", 0, 0), "111555", "111555 roll", "123446")
    assert refused(state, "1 bank") is None


def test_D17_the_turn_of_a_seat_that_leaves_ends_with_no_offer() -> None:
    state = go(on_turn("build-on", 0, 0, 0), "134446", "1444 roll", "leave 0")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    assert state.seats[0].status == "left"


def test_D17_a_seat_that_leaves_an_offer_unanswered_leaves_none() -> None:
    state = go(offered("build-on", 500, 2, 500, 0, 0), "leave 1")
    assert turn(state) == (Phase.ROLL, 2, 0, 6)


def test_D17_a_seat_that_leaves_out_of_turn_changes_nothing() -> None:
    before = go(on_turn("build-on", 0, 0, 0), "134446", "1444 roll")
    assert turn(go(before, "leave 1")) == turn(before)
    assert go(before, "leave 1", "23").seat == 2


def test_D17_an_offer_outlives_the_seat_that_made_it() -> None:
    state = go(offered("build-on", 500, 2, 500, 0, 0), "leave 0")
    assert options(state) == {"fresh", "take 2"}


def test_D17_the_last_one_left_wins() -> None:
    state = go(on_turn("standard", 0, 5_000, 0), "leave 1", "leave 2")
    assert state.result == Result((0,), "left")
    assert scores(state) == (0, 5_000, 0)


def test_D17_a_game_alone_has_no_winner_after_leaving() -> None:
    assert go(on_turn("standard", 9_000), "leave 0").result == Result((), "nobody")


def test_D17_while_the_start_is_thrown_for_too() -> None:
    assert go(play("standard", 2), "4", "leave 0").result == Result((1,), "left")
    state = go(play("standard", 3), "4", "leave 1", "2")
    assert turn(state) == (Phase.ROLL, 0, 0, 6)
    state = go(play("standard", 3), "4", "4", "2", "leave 0")
    assert (state.phase, state.seat) == (Phase.START, 1)
    state = go(play("original", 3), "leave 0", "6")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_D17_the_last_one_left_before_the_start_plays_the_last_rounds() -> None:
    state = go(play("original", 2), "3", "leave 1")
    assert (turn(state), state.standing) == ((Phase.ROLL, 0, 0, 6), 10)
    assert go(play("original", 2), "3", "leave 0").standing == 10


def test_D17_with_last_rounds_the_last_one_left_plays_them() -> None:
    state = go(on_turn("original", 72_000, 0), "leave 1")
    assert (turn(state), state.standing) == ((Phase.ROLL, 0, 0, 6), 3)
    state = go(state, *["223446"] * 2)
    assert not state.over
    assert go(state, "223446").result == Result((), "nobody")


def test_D17_with_last_rounds_after_the_turn_of_the_leaver() -> None:
    state = go(on_turn("original", 0, 72_000), "123446", "1 roll", "leave 0")
    assert (turn(state), state.standing) == ((Phase.ROLL, 1, 0, 6), 3)
    assert lives(state) == (12, 12)


REACHED = "last_turns last_turns_again=passed last_turns_again=beaten last_turns_again=tied equal_turns fewest_rounds"


@pytest.mark.parametrize("ends", REACHED.split())
def test_D26_last_turns_are_off_if_the_one_who_reached_the_target_leaves(ends: str) -> None:
    spec = f"standard(target=1000, finish={ends.replace('last_turns_', 'last_turns, last_turns_')})"
    reached = go(on_turn(spec, 900, 0, 300), "123446", "1 bank")
    assert reached.closer == 0
    state = go(reached, "leave 0")
    assert (state.closer, state.seat, state.owed, scores(state)) == (-1, 1, 0, (1_000, 0, 300))
    state = go(state, "223446", "223446", "223446")
    assert (state.over, state.seat) == (False, 2)
    state = go(state, "111446", "111 bank")
    assert state.closer == 2


def test_D26_last_turns_go_on_if_another_player_has_reached_the_target() -> None:
    state = go(on_turn("standard", 9_900, 9_900, 0), "123446", "1 bank", "111446", "111 bank", "leave 0")
    assert (state.closer, state.seat) == (0, 2)
    assert go(state, "223446").result == Result((1,), "last_turns")
    assert go(state, "leave 1").result == Result((2,), "left")


def test_D26_last_turns_are_off_once_all_who_reached_the_target_have_left() -> None:
    state = go(on_turn("standard", 9_900, 9_900, 0, 0), "123446", "1 bank", "111446", "111 bank", "leave 0", "leave 1")
    assert (state.closer, state.seat) == (-1, 2)
    assert not go(state, "223446", "223446", "223446").over


def test_D26_a_play_off_is_off_too() -> None:
    spec = "standard(finish=equal_turns, ties=play_off)"
    state = go(on_turn(spec, 9_900, 9_900, 0, 0), "123446", "1 bank", "123446", "1 bank", "223446", "223446")
    assert state.tied == 0b11
    assert go(state, "leave 0").tied == 0b11
    state = go(state, "leave 1", "leave 0")
    assert (state.closer, state.tied, state.owed, state.seat) == (-1, 0, 0, 2)


def test_D26_whoever_else_leaves_changes_nothing() -> None:
    state = go(on_turn("standard", 9_900, 0, 0), "123446", "1 bank", "leave 2")
    assert (state.closer, go(state, "223446").result) == (0, Result((0,), "last_turns"))


def test_D26_rounds_that_began_in_the_last_turns_count() -> None:
    rounds = "standard(target=1000, rounds=3)"
    state = go(on_turn(rounds, 0, 900, 0), "223446", "123446", "1 bank", "223446")
    assert (state.closer, state.seat, state.rounds_left) == (1, 0, 2)
    state = go(state, "leave 1", "223446", "223446", "223446")
    assert (state.over, state.rounds_left) == (False, 1)
    assert go(state, "123446", "1 bank").result == Result((2,), "rounds")


def test_D26_the_last_one_left_plays_the_last_rounds() -> None:
    rules = "original(finish=last_turns, take_over.price=none, take_over.choose_dice=false)"
    state = go(on_turn(rules, 99_900, 72_000), "123446", "1 bank", "leave 0")
    assert (state.closer, state.seat, state.standing) == (-1, 1, 3)


TOXIC = "extended(rolled.2222=farkle)"


@pytest.mark.parametrize("faces", ["2222", "22225", "122225", "222222", "222211"])
def test_D18_toxic_twos_are_a_farkle_in_every_respect(faces: str) -> None:
    assert is_farkle(TOXIC, faces)
    assert not is_farkle("extended", faces)


def test_D18_three_2s_are_not_toxic() -> None:
    assert best(TOXIC, "122235") == 350


def test_D18_toxic_twos_lose_the_turn_total_a_life_and_count_in_a_row() -> None:
    spec = (
        "extended(rolled.2222=farkle, lives.each=9, lives.farkle=1, lives.farkle_all_dice=2, "
        "penalties.farkles_in_row=2, penalties.farkles_in_row_points=500)"
    )
    state = go(on_turn(spec, 1_000, 0), "112346", "11 roll", "2222")
    assert (scores(state), lives(state), state.seats[0].farkles) == ((1_000, 0), (8, 9), 1)
    state = go(state, "123446", "1 bank", "122225")
    assert (scores(state), lives(state)) == ((500, 100), (6, 9))


NOTHING = "zilch"


def test_D19_six_dice_that_score_nothing_are_all_set_aside_for_500() -> None:
    state = go(on_turn(NOTHING, 0, 0), "223446")
    assert options(state) == {"223446 roll", "223446 bank"}
    assert scores(go(state, "223446 bank")) == (500, 0)
    assert turn(go(state, "223446 roll")) == (Phase.ROLL, 0, 500, 6)


def test_D19_they_may_be_banked_only_if_the_rules_allow_it() -> None:
    low = go(on_turn("zilch(rolled.nothing=200)", 0, 0), "223446")
    assert refused(low, "223446 bank") == "below_minimum"
    forced = go(on_turn("zilch(hot_dice=forced)", 0, 0), "223446")
    assert refused(forced, "223446 bank") == "must_roll_hot_dice"


def test_D19_fewer_dice_that_score_nothing_are_a_farkle() -> None:
    assert is_farkle(NOTHING, "22346")
    assert points(NOTHING, "223446") == 500
    assert points("zilch(dice=5, scoring.123456=0, scoring.aabbcc=0, scoring.aaaabb=0)", "22346") == 500


def test_D19_six_dice_that_are_fined_or_toxic_are_not_nothing() -> None:
    assert is_farkle("zilch(rolled.2222=farkle, scoring.aaaabb=0)", "222246")
    assert is_farkle("zilch(rolled.333=-300)", "233346")


def test_D20_a_limit_of_rounds_does_not_cut_last_turns_short() -> None:
    # The last round's last seat reaches the target: the others still have their last turns.
    state = go(on_turn("standard(rounds=1)", 9_000, 9_900), "223446", "123446", "1 bank")
    assert (state.over, state.seat) == (False, 0)
    state = go(state, "111555", "111555 bank")
    assert state.result == Result((0,), "last_turns")


def test_D20_a_limit_of_rounds_ends_the_game_before_them() -> None:
    state = go(on_turn("standard(rounds=1)", 9_000, 9_800), "223446", "123446", "1 bank")
    assert state.result == Result((1,), "rounds")


def test_D21_two_triplets_and_three_pairs_are_of_different_faces() -> None:
    assert points("extended(scoring.aaaaaa=0)", "222222") == 400
    assert points("extended(scoring.aaaaaa=0)", "444444") == 800
    assert points("extended(scoring.aaaa=0, scoring.aaaabb=0)", "444466") == 0
    assert points("extended", "444466") == 1_500
    assert points("extended", "444666") == 2_500
    assert points("extended", "224466") == 1_500


@pytest.mark.parametrize("finish", ["last_turns", "equal_turns", "at_once"])
def test_D22_a_seat_alone_ends_its_game_the_moment_it_banks_the_target(finish: str) -> None:
    state = go(on_turn(f"standard(finish={finish})", 9_900), "123446", "1 bank")
    assert state.result == Result((0,), "target")


def test_D22_with_an_exact_target_too() -> None:
    state = go(on_turn("standard(finish=exact)", 9_900), "123446", "1 bank")
    assert state.result == Result((0,), "exact")


def test_D23_the_person_alternates_with_every_turn_of_the_team() -> None:
    # A bank, a farkle and a turn without a choice all count as turns; those of others do not.
    state = on_turn("guts-and-luck", 0, 0, people=(2, 1))
    people = [state.seats[0].person]
    for first in (("123446", "1 bank"), ("223446",), ("222222", "222222 bank")):
        state = go(state, *first, "223446")
        people.append(state.seats[0].person)
    assert people == [0, 1, 0, 1]


def test_D23_a_team_that_plays_together_has_one_person() -> None:
    assert rules_of("extended").teams == "together"
    state = go(on_turn("extended", 0, 0, people=(2, 1)), "223446", "223446")
    assert state.seats[0].person == 0


# D24: turns that are only noted ------------------------------------------------------------------------------------


def test_D24_a_noted_bank_adds_its_points_and_the_next_seat_is_on_turn() -> None:
    state = go(on_turn("standard", 1_000, 0), "note 450 2")
    assert scores(state) == (1_450, 0)
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_D24_its_dice_are_on_offer() -> None:
    state = go(on_turn("build-on", 600, 700), "note 450 2")
    assert (state.phase, state.offer) == (Phase.OFFER, Offer(450, 2))
    assert go(on_turn("build-on", 600, 700), "note 450 0").offer is None
    hot = go(on_turn("build-on(take_over.after_hot_dice=true)", 600, 700), "note 450 0")
    assert hot.offer == Offer(450, 6)


def test_D24_on_an_offer_the_noted_turn_began_with_all_dice() -> None:
    state = go(on_turn("build-on", 600, 700), "note 450 2", "note 250 4")
    assert (scores(state), state.seat, state.offer) == ((1_050, 950), 0, Offer(250, 4))


def test_D24_the_points_are_the_whole_turn_total_whatever_was_typed_before() -> None:
    state = go(on_turn("standard", 0, 0), "123446", "1 roll", "12346")
    assert scores(go(state, "note 150 3")) == (150, 0)
    taken = go(on_turn("build-on", 600, 700), "note 450 2", "take 2", "note 500 1")
    assert (scores(taken), taken.offer) == ((1_050, 1_200), Offer(500, 1))


def test_D24_the_table_decides_about_illegal_notes() -> None:
    state = go(on_turn("extended(minimum=300)", 0, 0, entered=False), "note 175 5")
    assert scores(state) == (175, 0)
    assert state.seats[0].on_board


def test_D24_a_noted_farkle_loses_the_turn() -> None:
    state = go(on_turn("standard", 1_000, 0), "note 300 3 farkle")
    assert scores(state) == (1_000, 0)
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_D24_its_points_may_be_taken_over_if_farkled_totals_may() -> None:
    start = on_turn("build-on(take_over.after_farkle=true)", 600, 700)
    assert go(start, "note 300 3 farkle").offer == Offer(300, 3)
    assert go(start, "note 0 6 farkle").offer is None
    assert go(start, "note 300 0 farkle").offer is None, "nobody knows with how many dice"


def test_D24_a_farkle_of_all_dice_has_its_penalty() -> None:
    start = on_turn("original", 0, 0)
    assert lives(go(start, "note 0 6 farkle")) == (10, 12)
    assert lives(go(start, "note 0 3 farkle")) == (11, 12)
    assert lives(go(start, "note 0 0 farkle")) == (11, 12)


def test_D24_noted_farkles_in_a_row_are_fined() -> None:
    state = go(on_turn("zilch", 2_000, 0), *["note 0 4 farkle", "pass"] * 3)
    assert scores(state) == (1_500, 0)
    assert scores(go(on_turn("zilch", 2_000, 0), *["note 0 4 farkle", "note 300 2"] * 2, "note 350 3")) == (2_350, 600)


def test_D24_a_noted_farkle_of_the_last_life_is_the_end_of_a_team() -> None:
    state = go(on_turn("original", 0, 0, 0, lives=(1, 12, 12)), "note 0 4 farkle")
    assert [seat.status for seat in state.seats] == ["out", "in", "in"]


def test_D24_a_noted_take_over_gives_the_stake_back_once_its_first_roll_has_scored() -> None:
    staked = go(offered("high-stakes(take_over.price=stake, take_over.stake=1000)", 450, 2, 450, 1_200), "take 2")
    assert scores(staked) == (450, 200)
    assert scores(go(staked, "note 500 1")) == (450, 1_700)
    assert scores(go(staked, "note 500 1 farkle")) == (450, 1_200)
    assert scores(go(staked, "note 450 2 farkle")) == (450, 200)
    assert scores(go(staked, "note 0 2 farkle")) == (450, 200)


def test_D24_dice_of_an_offer_that_were_not_taken_lie_there_after_a_farkle_too() -> None:
    bought = go(offered("original(take_over.after_farkle=true)", 4_000, 4, 4_000, 0), "take 3")
    assert go(bought, "note 5000 2 farkle").offer == Offer(5_000, 3)
    assert go(bought, "note 4000 3 farkle").offer is None, "a farkle on the first roll leaves nothing (D15)"
    assert go(bought, "note 9000 5 farkle").offer == Offer(9_000, 5), "all the dice have been rolled since (D12)"


def test_D24_a_noted_bank_ends_a_game_like_any_other() -> None:
    assert go(on_turn("minimal", 9_900, 0), "note 100 5").result == Result((0,), "target")
    assert go(on_turn("standard(finish=exact)", 9_900, 0), "note 100 5").result == Result((0,), "exact")
    over = go(on_turn("standard(finish=exact)", 9_900, 0), "note 150 4")
    assert (scores(over), over.seat) == ((9_900, 0), 1)
    last = go(on_turn("standard", 9_900, 9_500), "note 100 5", "note 600 3")
    assert last.result == Result((1,), "last_turns")
    gift = go(on_turn("kcd(finish=welfare)", 3_900, 500, 400), "note 400 2")
    assert scores(gift) == (3_900, 500, 700)


def test_D24_each_partner_makes_the_entry_score_in_noted_turns_too() -> None:
    state = go(play("high-stakes(start=first_seat)", (2, 1)), "note 500 2", "pass", "note 550 2", "note 500 3")
    assert [seat.on_board for seat in state.seats] == [True, True]
    half = go(play("high-stakes(start=first_seat)", (2, 1)), "note 500 2", "pass")
    assert [half.seats[0].person, half.seats[0].on_board] == [1, False]


def test_D24_a_skipped_seat_has_no_turn_but_the_round_continues() -> None:
    start = on_turn("zilch", 2_000, 0)
    farkled = go(start, "note 0 4 farkle", "note 300 2")
    passed = go(farkled, "pass")
    assert passed.seats == farkled.seats
    assert turn(passed) == (Phase.ROLL, 1, 0, 6)
    state = go(play("kcd(target=0, rounds=1)", 2), "note 300 2", "pass")
    assert state.result == Result((0,), "rounds")


def test_D24_an_offer_does_not_wait_for_the_seat_after_the_one_passed_over() -> None:
    state = go(on_turn("build-on", 600, 700, 800), "note 450 2", "pass")
    assert turn(state) == (Phase.ROLL, 2, 0, 6)


def test_D24_a_noted_turn_is_one_of_the_last_team_standing() -> None:
    state = go(on_turn("original", 85_000, 0, lives=(12, 1), seat=1), "note 0 4 farkle")
    assert state.standing == 2
    assert go(state, "note 1000 3").standing == 1
    assert go(state, "pass", "pass").result == Result((), "nobody")


# D25: banks that must be multiples -----------------------------------------------------------------------------------


def test_D25_only_a_multiple_may_be_banked() -> None:
    state = go(on_turn("standard(bank_multiple=200)", 0, 0), "112346")
    assert options(state) == {"1 roll", "11 roll", "11 bank"}
    assert refused(state, "1 bank") == "not_a_multiple"
    assert scores(go(state, "11 bank")) == (200, 0)


def test_D25_it_is_the_whole_turn_total_that_counts() -> None:
    state = go(on_turn("standard(bank_multiple=200)", 0, 0), "123346", "1 roll", "12346")
    assert options(state) == {"1 roll", "1 bank"}


def test_D25_hot_dice_that_are_none_are_rolled() -> None:
    state = go(on_turn("standard(bank_multiple=1000)", 0, 0), "111555")
    assert options(state) == {"1 roll", "11 roll", "111 roll", "5 roll", "55 roll", "555 roll"} | {
        "15 roll", "115 roll", "1115 roll", "155 roll", "1155 roll", "11155 roll",
        "1555 roll", "11555 roll", "111555 roll", "111 bank",
    }  # fmt: skip


def test_D25_a_bank_that_hits_the_exact_target_is_allowed() -> None:
    state = go(on_turn("standard(finish=exact, bank_multiple=500)", 9_900, 0), "123446")
    assert go(state, "1 bank").result == Result((0,), "exact")


def test_D25_the_entry_score_counts_as_well() -> None:
    state = go(on_turn("standard(entry=500, bank_multiple=300)", 0, 0, entered=False), "333446")
    assert refused(state, "333 bank") == "below_entry"
