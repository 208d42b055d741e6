"""Clauses O: `original`, with lives and bought points. O22, the score sheet, is tested with the terminal."""

from __future__ import annotations

import pytest

from farkel.errors import PlayerError
from farkel.game import Offer, Phase, Result, new_game
from games_in_words import best, go, is_farkle, lives, offered, on_turn, options, play, points, refused, scores, turn
from named_rules import rules_of

RULES = "original"


def test_O1_two_to_five_teams_of_one_or_two_people() -> None:
    rules = rules_of(RULES)
    for teams in ((1, 1), (2, 2), (1, 2, 1, 2, 1)):
        assert len(new_game(rules, teams).seats) == len(teams)
    with pytest.raises(PlayerError, match="at most 5 players or teams, not 6") as too_many:
        new_game(rules, (1,) * 6)
    with pytest.raises(PlayerError, match="seat 2 has 3 people") as too_large:
        new_game(rules, (1, 3))
    assert too_many.value.code == too_large.value.code == "bad_seats"


def test_O1_a_team_decides_together_with_one_score_and_one_row_of_lives() -> None:
    state = on_turn(RULES, 0, 0, people=(2, 2))
    state = go(state, "123446", "1 bank", "fresh", "223446")
    assert [(seat.score, seat.lives, seat.person) for seat in state.seats] == [(1_000, 12, 0), (0, 10, 0)]


@pytest.mark.parametrize("before", [99_000, 99_500])
def test_O2_the_first_to_bank_100000_or_more_wins_immediately(before: int) -> None:
    state = go(on_turn(RULES, before, 50_000), "123446", "1 bank")
    assert state.over
    assert state.result == Result((0,), "target")


def test_O2_less_than_100000_does_not_win() -> None:
    assert not go(on_turn(RULES, 98_500, 0), "123446", "1 bank").over


def test_O2_the_winner_has_a_life_left() -> None:
    state = go(on_turn(RULES, 99_000, 0, lives=(1, 1)), "123446", "1 bank")
    assert state.result == Result((0,), "target")
    assert state.seats[0].lives == 1
    # The turn total is worth nothing to a team whose last life is lost before it banks.
    lost = go(on_turn(RULES, 99_000, 0, lives=(1, 1)), "123446", "1 roll", "23446")
    assert lost.seats[0].status == "out"
    assert scores(lost) == (99_000, 0)


def test_O3_each_1_is_1000_and_each_5_is_500() -> None:
    assert [points(RULES, dice) for dice in ("1", "11", "5", "55", "15", "1155")] == [
        1_000,
        2_000,
        500,
        1_000,
        1_500,
        3_000,
    ]


def test_O4_three_of_a_kind_is_1000_times_the_face_and_three_1s_are_10000() -> None:
    worth = [points(RULES, str(face) * 3) for face in range(1, 7)]
    assert worth == [10_000, 2_000, 3_000, 4_000, 5_000, 6_000]


def test_O5_a_full_straight_is_10000() -> None:
    assert points(RULES, "123456") == 10_000
    assert best(RULES, "12345") == 1_500
    assert best(RULES, "23456") == 500


def test_O6_three_different_pairs_are_10000() -> None:
    assert points(RULES, "223355") == 10_000
    assert points(RULES, "112266") == 10_000


def test_O6_four_of_a_kind_with_a_pair_is_not_three_pairs() -> None:
    assert best(RULES, "444466") == 4_000
    assert points(RULES, "444466") == 0
    assert points("original(scoring.aaaabb=10000)", "444466") == 10_000


def test_O7_four_or_more_of_a_kind_do_not_score_as_such() -> None:
    assert best(RULES, "4444") == 4_000
    assert points(RULES, "4444") == 0
    assert best(RULES, "44444") == 4_000
    assert points(RULES, "444444") == 8_000


def test_O8_every_team_starts_with_12_lives() -> None:
    assert lives(play(RULES, 3)) == (12, 12, 12)


def test_O9_a_farkle_costs_one_life() -> None:
    state = go(on_turn(RULES, 0, 0), "123446", "1 roll", "23446")
    assert lives(state) == (11, 12)


def test_O10_a_fanny_farkel_costs_two() -> None:
    # The example of the text: 2-6-2-4-3-6.
    assert is_farkle(RULES, "262436")
    assert lives(go(on_turn(RULES, 0, 0), "262436")) == (10, 12)
    after_hot_dice = go(on_turn(RULES, 0, 0), "123456", "123456 roll", "262436")
    assert lives(after_hot_dice) == (10, 12)


def test_O11_a_team_with_no_life_left_is_out() -> None:
    state = go(on_turn(RULES, 5_000, 0, 0, lives=(1, 12, 12)), "123446", "1 roll", "23446")
    assert (state.seats[0].status, state.seats[0].lives) == ("out", 0)
    assert go(state, "223446", "223446").seat == 1


def test_O11_lives_never_fall_below_none() -> None:
    state = go(on_turn(RULES, 0, 0, 0, lives=(1, 12, 12)), "223446")
    assert (state.seats[0].status, state.seats[0].lives) == ("out", 0)


def test_O12_the_first_to_throw_a_6_starts() -> None:
    state = play(RULES, 3)
    assert state.phase is Phase.START
    assert state.seat == 0
    state = go(state, "1", "5", "3", "5")
    assert (state.phase, state.seat) == (Phase.START, 1)
    assert turn(go(state, "6")) == (Phase.ROLL, 1, 0, 6)


def test_O13_the_next_team_may_start_fresh_or_buy_some_of_the_unused_dice() -> None:
    state = go(on_turn(RULES, 0, 0), "134446", "1 bank")
    assert state.phase is Phase.OFFER
    assert state.offer == Offer(1_000, 5)
    assert options(state) == {"fresh", "take 1", "take 2", "take 3", "take 4", "take 5"}
    assert refused(state, "take 6") == "not_so_many_dice"
    assert refused(state, "take 0") == "not_so_many_dice"


@pytest.mark.parametrize("bought", [1, 2, 3, 4, 5])
def test_O13_it_pays_one_life_for_each(bought: int) -> None:
    state = go(on_turn(RULES, 0, 0), "134446", "1 bank", f"take {bought}")
    assert lives(state) == (12, 12 - bought)
    assert (state.dice, state.idle) == (bought, 5 - bought)


def test_O13_starting_fresh_is_free_and_begins_at_nothing() -> None:
    state = go(on_turn(RULES, 0, 0), "134446", "1 bank", "fresh")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    assert lives(state) == (12, 12)


def test_O13_nothing_is_for_sale_after_a_farkle() -> None:
    state = go(on_turn(RULES, 0, 0), "134446", "1 roll", "23446")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    assert refused(state, "take 1") == "nothing_on_offer"


def test_O14_a_team_keeps_at_least_one_life_when_it_buys() -> None:
    state = go(on_turn(RULES, 0, 0, lives=(12, 3)), "134446", "1 bank")
    assert options(state) == {"fresh", "take 1", "take 2"}
    assert refused(state, "take 3") == "too_few_lives"
    assert lives(go(state, "take 2")) == (12, 1)


def test_O14_a_team_with_one_life_cannot_buy() -> None:
    state = go(on_turn(RULES, 0, 0, lives=(12, 1)), "134446", "1 bank")
    assert options(state) == {"fresh"}


def test_O15_a_first_roll_that_scores_brings_the_offered_points_and_its_own() -> None:
    state = go(offered(RULES, 17_000, 2, 17_000, 0), "take 2", "25", "5 bank")
    # The team that banked them keeps them too.
    assert scores(state) == (17_000, 17_500)


def test_O16_a_first_roll_that_does_not_score_costs_one_more_life_and_gains_nothing() -> None:
    state = go(offered(RULES, 17_000, 2, 17_000, 3_000), "take 2", "23")
    assert scores(state) == (17_000, 3_000)
    assert lives(state) == (12, 9)
    assert turn(state) == (Phase.ROLL, 0, 0, 6)


def test_O16_two_more_lives_only_if_six_dice_were_rolled() -> None:
    spec = "original(take_over.after_hot_dice=true)"
    assert lives(go(offered(spec, 10_000, 6, 10_000, 0), "take 6", "223446")) == (12, 4)
    assert lives(go(offered(spec, 10_000, 6, 10_000, 0), "take 5", "22346")) == (12, 6)


def test_O16_a_farkle_after_buying_can_put_a_team_out() -> None:
    state = go(offered(RULES, 17_000, 2, 17_000, 0, 0, lives=(12, 3, 12)), "take 2", "23")
    assert (state.seats[1].lives, state.seats[1].status) == (0, "out")
    assert state.seat == 2


def test_O17_the_buyer_rolls_on_or_banks_with_the_bought_dice() -> None:
    state = go(offered(RULES, 4_000, 3, 4_000, 0), "take 2", "25")
    assert options(state) == {"5 roll", "5 bank"}
    assert turn(go(state, "5 roll")) == (Phase.ROLL, 1, 4_500, 1)


def test_O17_dice_that_were_not_bought_may_not_be_rolled() -> None:
    state = go(offered(RULES, 4_000, 3, 4_000, 0), "take 1", "5")
    assert options(state) == {"5 bank"}
    assert refused(state, "5 roll") == "bought_must_bank"


def test_O17_all_bought_and_all_set_aside_is_hot_dice() -> None:
    state = go(offered(RULES, 4_000, 2, 4_000, 0), "take 2", "15")
    assert {"15 roll", "15 bank"} < options(state)
    assert turn(go(state, "15 roll")) == (Phase.ROLL, 1, 5_500, 6)


def test_O17_some_bought_and_all_of_those_set_aside_must_bank() -> None:
    state = go(offered(RULES, 4_000, 3, 4_000, 0), "take 2", "15")
    assert options(state) == {"15 bank", "1 roll", "1 bank", "5 roll", "5 bank"}
    later = go(state, "1 roll", "5")
    assert options(later) == {"5 bank"}


def test_O17_must_bank_even_if_hot_dice_are_forced() -> None:
    # Not all the dice of the turn are set aside: those not bought lie idle.
    state = go(offered("original(hot_dice=forced)", 4_000, 3, 4_000, 0), "take 1", "5")
    assert options(state) == {"5 bank"}
    all_bought = go(offered("original(hot_dice=forced)", 4_000, 1, 4_000, 0), "take 1", "5")
    assert options(all_bought) == {"5 roll"}


def test_O18_the_buyer_leaves_an_offer_of_its_own() -> None:
    # One of three dice bought and not set aside, one not bought: two dice for the next team.
    state = go(offered(RULES, 4_000, 3, 4_000, 0, 0), "take 2", "25", "5 bank")
    assert state.seat == 2
    assert state.offer == Offer(4_500, 2)


def test_O18_dice_never_bought_stay_on_offer() -> None:
    state = go(offered(RULES, 4_000, 3, 4_000, 0, 0), "take 1", "1", "1 bank")
    assert state.offer == Offer(5_000, 2)


def test_O19_no_offer_after_hot_dice_that_are_banked() -> None:
    state = go(on_turn(RULES, 0, 0), "123456", "123456 bank")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    assert state.offer is None


@pytest.mark.parametrize(
    ("banked", "rounds"), [(72_000, 3), (70_000, 3), (70_500, 3), (69_500, 4), (0, 10), (99_500, 1), (90_000, 1)]
)
def test_O20_the_last_team_standing_plays_a_round_for_every_10000_or_part_of_it(banked: int, rounds: int) -> None:
    state = go(on_turn(RULES, banked, 5_000, seat=1, lives=(12, 1)), "223446")
    assert state.seats[1].status == "out"
    for _ in range(rounds):
        assert turn(state) == (Phase.ROLL, 0, 0, 6)
        state = go(state, "123446", "1 roll", "23446")
    assert state.over
    assert state.result == Result((), "nobody")


def test_O20_a_bank_completes_a_round_too() -> None:
    state = go(on_turn(RULES, 72_000, 5_000, seat=1, lives=(12, 1)), "223446")
    # The number of rounds is fixed at that moment: nearing the target takes none away.
    state = go(state, "111234", "111 bank", "123446", "1 bank")
    assert not state.over
    assert go(state, "123446", "1 bank").result == Result((), "nobody")


def test_O20_the_last_team_wins_by_banking_the_target() -> None:
    state = go(on_turn(RULES, 95_000, 5_000, seat=1, lives=(12, 1)), "223446", "555234", "555 bank")
    assert state.result == Result((0,), "target")


def test_O20_only_while_it_has_a_life() -> None:
    state = go(on_turn(RULES, 0, 5_000, seat=1, lives=(2, 1)), "223446", "223446")
    assert state.result == Result((), "nobody")
    assert lives(state) == (0, 0)


def test_O20_rounds_are_those_of_the_one_team_left_of_many() -> None:
    state = go(on_turn(RULES, 5_000, 72_000, 0, lives=(1, 12, 1)), "223446")
    assert state.standing == 0
    state = go(state, "223446", "223446")
    assert (turn(state), state.standing) == ((Phase.ROLL, 1, 0, 6), 3)


def test_O21_a_game_may_end_without_a_winner() -> None:
    state = go(on_turn(RULES, 90_000, 80_000, lives=(1, 2)), "223446", "223446")
    assert state.over
    assert state.result == Result((), "nobody")
    assert scores(state) == (90_000, 80_000)


def test_O23_the_worked_round_move_by_move() -> None:
    state = play(RULES, 2, "6")
    state = go(state, "434416")
    assert options(state) == {f"{keep} {then}" for keep in ("444", "1", "1444") for then in ("roll", "bank")}
    assert scores(go(state, "4441 bank")) == (5_000, 0)
    assert turn(go(state, "4441 roll")) == (Phase.ROLL, 0, 5_000, 2)

    state = go(state, "444 roll")
    assert turn(state) == (Phase.ROLL, 0, 4_000, 3)
    state = go(state, "165")
    assert options(state) == {f"{keep} {then}" for keep in ("1", "5", "15") for then in ("roll", "bank")}
    assert scores(go(state, "15 bank")) == (5_500, 0)

    state = go(state, "15 roll")
    assert turn(state) == (Phase.ROLL, 0, 5_500, 1)
    for face in "2346":
        farkled = go(state, face)
        assert (scores(farkled), lives(farkled), farkled.seat) == ((0, 0), (11, 12), 1)
    state = go(state, "5")
    assert scores(go(state, "5 bank")) == (6_000, 0)

    state = go(state, "5 roll")
    assert turn(state) == (Phase.ROLL, 0, 6_000, 6)
    assert scores(go(state, "262436")) == (0, 0)


def test_O23_buying_both_of_two_dice_move_by_move() -> None:
    # A straight for 10,000, then of all six again three 6s for 6,000 and a 1: 17,000 points, and two dice are left.
    state = play(RULES, 3, "6", "123456", "123456 roll", "666123", "666 roll", "123", "1 bank")
    assert scores(state) == (17_000, 0, 0)
    assert state.offer == Offer(17_000, 2)
    assert options(state) == {"fresh", "take 1", "take 2"}

    state = go(state, "take 2")
    assert lives(state) == (12, 10, 12)
    state = go(state, "25")
    assert options(state) == {"5 roll", "5 bank"}
    assert turn(go(state, "5 roll")) == (Phase.ROLL, 1, 17_500, 1)
    state = go(state, "5 bank")
    assert scores(state) == (17_000, 17_500, 0)
    assert (state.seat, state.offer) == (2, Offer(17_500, 1))
    assert options(state) == {"fresh", "take 1"}


def test_O23_buying_one_of_two_dice_move_by_move() -> None:
    state = offered(RULES, 17_000, 2, 17_000, 0, 0)
    state = go(state, "take 1")
    assert lives(state) == (12, 11, 12)
    state = go(state, "5")
    assert options(state) == {"5 bank"}
    state = go(state, "5 bank")
    assert scores(state) == (17_000, 17_500, 0)
    assert (state.seat, state.offer) == (2, Offer(17_500, 1))


def test_O23_buying_and_farkling_move_by_move() -> None:
    state = go(offered(RULES, 17_000, 2, 17_000, 0, 0), "take 2", "34")
    assert lives(state) == (12, 9, 12)
    assert scores(state) == (17_000, 0, 0)
    assert turn(state) == (Phase.ROLL, 2, 0, 6)
