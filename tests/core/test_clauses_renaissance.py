"""Clauses R: `renaissance`, and the variations that it names."""

from __future__ import annotations

import pytest

from farkel.game import Offer, Phase, Result
from games_in_words import best, go, is_farkle, offered, on_turn, options, play, points, refused, scores, turn
from named_rules import rules_of

RULES = "renaissance"


def test_R1_any_number_of_players_or_teams_of_two_or_more() -> None:
    assert [seat.people for seat in play(RULES, (2, 3, 4)).seats] == [2, 3, 4]
    assert len(play(RULES, 8).seats) == 8


def test_R1_each_throws_one_die_and_the_highest_starts() -> None:
    state = play(RULES, 3)
    assert state.dice_due == 1
    assert turn(go(state, "2", "3", "6")) == (Phase.ROLL, 2, 0, 6)


def test_R2_target_10000_or_any_other_number() -> None:
    assert rules_of(RULES).target == 10_000
    assert go(on_turn(f"{RULES}(target=3000)", 2_900, 0), "123446", "1 bank").closer == 0


def test_R2_all_others_get_one_more_chance_to_exceed_it() -> None:
    state = go(
        on_turn(RULES, 9_900, 9_800, 9_800), "123446", "1 bank", "fresh", "111234", "111 bank", "fresh", "223446"
    )
    assert state.result == Result((1,), "last_turns")


@pytest.mark.parametrize(
    ("faces", "worth"),
    [
        ("1", 100),
        ("5", 50),
        ("111", 1_000),
        ("222", 200),
        ("333", 300),
        ("444", 400),
        ("555", 500),
        ("666", 600),
        ("12345", 750),
        ("23456", 1_000),
        ("123456", 1_500),
    ],
)
def test_R3_scores(faces: str, worth: int) -> None:
    assert points(RULES, faces) == worth


def test_R3_the_sixth_die_is_left_over_beside_a_short_straight() -> None:
    assert best(RULES, "122345") == 750
    assert best(RULES, "112345") == 850
    assert best(RULES, "234566") == 1_000
    assert best(RULES, "234556") == 1_050
    state = go(on_turn(RULES, 0, 0), "122345", "12345 roll")
    assert turn(state) == (Phase.ROLL, 0, 750, 1)


def test_R3_pairs_and_four_alike_do_not_score() -> None:
    assert is_farkle(RULES, "223344")
    assert best(RULES, "4444") == 400


def test_R4_rolling_on_from_a_heavy_table_is_optional_and_risks_all_of_it() -> None:
    state = go(on_turn(RULES, 0, 0), "123456")
    assert {"123456 roll", "123456 bank"} <= options(state)
    assert scores(go(state, "123456 bank")) == (1_500, 0)
    assert scores(go(state, "123456 roll", "223446")) == (0, 0)


def test_R5_the_next_player_may_piggyback_on_the_dice_not_rolled() -> None:
    state = go(on_turn(RULES, 0, 0), "134446", "1444 bank")
    assert (state.phase, state.offer) == (Phase.OFFER, Offer(500, 2))
    assert options(state) == {"fresh", "take 2"}
    # The new points and those just banked are the new player's; the old one keeps theirs.
    assert scores(go(state, "take 2", "15", "15 bank")) == (500, 650)
    assert scores(go(state, "take 2", "23")) == (500, 0)


def test_R6_no_piggybacking_on_a_heavy_table() -> None:
    state = go(on_turn(RULES, 0, 0), "123456", "123456 bank")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_R7_no_piggybacking() -> None:
    state = go(on_turn(f"{RULES}:no-piggybacking", 0, 0), "134446", "1444 bank")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_R7_five_dice_to_5000() -> None:
    state = on_turn(f"{RULES}(dice=5, target=5000, scoring.123456=0)", 4_900, 0)
    assert state.dice_due == 5
    assert go(state, "12346", "1 bank").closer == 0
    assert turn(go(state, "12345", "12345 roll")) == (Phase.ROLL, 0, 750, 5)


def test_R7_after_three_of_a_kind_the_player_must_bank_and_pass() -> None:
    state = go(on_turn(f"{RULES}(rolled.aaa=bank)", 0, 0), "134446")
    assert options(state) == {"1 bank", "444 bank", "1444 bank"}
    assert refused(state, "1444 roll") == "triple_must_bank"


def test_R7_exactly_10000() -> None:
    state = on_turn(f"{RULES}(finish=exact)", 9_900, 0)
    assert go(state, "123446", "1 bank").result == Result((0,), "exact")
    over = go(state, "155234", "155 bank")
    assert scores(over) == (9_900, 0)
    assert turn(over) == (Phase.ROLL, 1, 0, 6)


def test_R7_three_3s_cost_300() -> None:
    state = go(on_turn(f"{RULES}(rolled.333=-300)", 1_000, 0), "133346")
    assert scores(state) == (700, 0)
    assert options(state) == {"1 roll", "1 bank"}


def test_R7_on_the_board_at_450_and_then_at_least_300_a_turn() -> None:
    rules = f"{RULES}(entry=450, minimum=300)"
    state = go(on_turn(rules, 0, 0, entered=False), "444236")
    assert refused(state, "444 bank") == "below_entry"
    state = go(on_turn(rules, 0, 0, entered=False), "445556", "555 bank", "fresh", "223446")
    assert refused(go(state, "111236"), "1 bank") == "below_minimum"
    assert refused(go(state, "333246"), "333 bank") is None


def test_R7_an_entry_of_450_that_is_met_exactly() -> None:
    state = go(on_turn(f"{RULES}(entry=450, minimum=300)", 0, 0, entered=False), "444526", "4445 bank")
    assert scores(state) == (450, 0)


def test_R5_a_take_over_counts_only_after_a_roll_that_scores() -> None:
    state = offered(RULES, 500, 1, 500, 0)
    for face in "2346":
        assert scores(go(state, "take 1", face)) == (500, 0)
    assert scores(go(state, "take 1", "5", "5 bank")) == (500, 550)
