"""Clauses L: `guts-and-luck` and `high-stakes`."""

from __future__ import annotations

import pytest

from farkel.game import Offer, Phase, Result
from games_in_words import best, go, offered, on_turn, options, play, points, refused, scores, turn

RULES = "guts-and-luck"
STAKE = "high-stakes(take_over.price=stake, take_over.stake=1000)"


@pytest.mark.parametrize("rules", [RULES, "high-stakes"])
@pytest.mark.parametrize(
    ("faces", "worth"),
    [
        ("1", 100),
        ("5", 50),
        ("111", 300),
        ("222", 200),
        ("333", 300),
        ("444", 400),
        ("555", 500),
        ("666", 600),
        ("3333", 1_000),
        ("33333", 2_000),
        ("333333", 3_000),
        ("123456", 1_500),
        ("223344", 1_500),
        ("222444", 2_500),
    ],
)
def test_L1_scores(rules: str, faces: str, worth: int) -> None:
    assert points(rules, faces) == worth


def test_L1_three_1s_are_1000_as_an_option() -> None:
    assert points(f"{RULES}(scoring.111=1000)", "111") == 1_000


def test_L2_entry_of_500_in_one_turn() -> None:
    state = go(on_turn(RULES, 0, 0, entered=False), "144423")
    assert refused(state, "444 bank") == "below_entry"
    assert scores(go(state, "1444 bank")) == (500, 0)


def test_L3_all_others_get_one_more_turn_and_the_highest_wins() -> None:
    state = go(on_turn(RULES, 9_900, 9_000, 9_950), "123446", "1 bank", "223446")
    assert not state.over
    state = go(state, "123446", "1 bank")
    assert scores(state) == (10_000, 9_000, 10_050)
    assert state.result == Result((2,), "last_turns")


def test_L4_dice_that_fall_off_are_thrown_again_all_that_were_due() -> None:
    # C9: until a whole throw lies on the table the engine has seen no throw at all.
    state = go(on_turn(RULES, 0, 0), "123446", "1 roll")
    assert refused(state, "2344") == "wrong_number_of_dice"
    assert turn(state) == (Phase.ROLL, 0, 100, 5)


def test_L5_partners_add_their_scores_under_one_name() -> None:
    state = play(RULES, (2, 1), "222223", "22222 bank", "223446", "222223", "22222 bank")
    assert scores(state) == (4_000, 0)


def test_L5_partners_take_the_turns_of_the_team_alternately() -> None:
    state = play(RULES, (2, 3))
    people = []
    for _ in range(8):
        people.append((state.seat, state.mine.person))
        state = go(state, "223446")
    assert people == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (1, 2), (0, 1), (1, 0)]


def test_L5_each_partner_makes_the_entry_score_himself() -> None:
    state = play(RULES, (2, 1), "222234", "2222 bank", "223446", "123446")
    assert options(state) == {"1 roll"}
    assert refused(state, "1 bank") == "below_entry"
    # The partner who is on the board may bank anything in the next turn, the other one still may not.
    state = go(state, "1 roll", "23446", "223446", "123446")
    assert refused(state, "1 bank") is None
    state = go(state, "1 bank", "223446", "222223", "22222 bank", "223446", "123446")
    assert refused(state, "1 bank") is None
    state = go(state, "1 bank", "223446", "523446")
    assert scores(go(state, "5 bank")) == (3_250, 0)


def test_L5_together_one_entry_score_is_enough_for_a_team() -> None:
    state = play("patch", (2, 1), "222234", "2222 bank", "223446", "123446")
    assert refused(state, "1 bank") is None


def test_L6_the_next_player_may_roll_the_dice_that_were_left() -> None:
    state = go(on_turn("high-stakes", 0, 0), "134446", "1444 bank")
    assert state.offer == Offer(500, 2)
    assert options(state) == {"fresh", "take 2"}
    assert scores(go(state, "take 2", "12", "1 bank")) == (500, 600)


def test_L6_a_farkle_loses_the_turn() -> None:
    state = go(offered("high-stakes", 500, 2, 500, 700), "take 2", "23")
    assert scores(state) == (500, 700)
    assert turn(state) == (Phase.ROLL, 0, 0, 6)


def test_L6_there_is_none_of_it_without_high_stakes() -> None:
    assert turn(go(on_turn(RULES, 0, 0), "134446", "1444 bank")) == (Phase.ROLL, 1, 0, 6)


def test_L7_a_try_stakes_1000_banked_points() -> None:
    assert scores(go(offered(STAKE, 500, 2, 500, 1_200), "take 2")) == (500, 200)


def test_L7_the_stake_is_lost_if_the_first_roll_farkles() -> None:
    assert scores(go(offered(STAKE, 500, 2, 500, 1_200), "take 2", "23")) == (500, 200)


def test_L7_the_stake_is_returned_if_it_scores() -> None:
    state = go(offered(STAKE, 500, 2, 500, 1_200), "take 2", "12")
    assert scores(state) == (500, 1_200)
    assert scores(go(state, "1 bank")) == (500, 1_800)
    # A farkle later in the turn costs the turn total alone.
    assert scores(go(state, "1 roll", "2")) == (500, 1_200)


def test_L7_the_stake_is_returned_once() -> None:
    state = go(offered(STAKE, 500, 2, 500, 1_200), "take 2", "12", "1 roll", "5")
    assert scores(state) == (500, 1_200)
    assert scores(go(state, "5 roll", "123446")) == (500, 1_200)
    assert scores(go(offered(STAKE, 500, 2, 500, 1_200), "fresh", "123446")) == (500, 1_200)


def test_L7_less_than_the_stake_may_not_try() -> None:
    assert options(offered(STAKE, 500, 2, 500, 950)) == {"fresh"}
    assert refused(offered(STAKE, 500, 2, 500, 950), "take 2") == "too_few_points"
    assert options(offered(STAKE, 500, 2, 500, 1_000)) == {"fresh", "take 2"}


def test_L10_a_game_to_5000_for_more_than_four_players() -> None:
    state = on_turn(f"{RULES}(target=5000)", 4_900, 0, 0, 0, 0)
    assert go(state, "123446", "1 bank").closer == 0


def test_L12_four_and_a_pair_count_as_three_pairs_if_switched_on() -> None:
    assert best(RULES, "444466") == 1_000
    assert points(f"{RULES}(scoring.aaaabb=1500)", "444466") == 1_500
    assert points(f"{RULES}(scoring.aaaabb=1750)", "444466") == 1_750
