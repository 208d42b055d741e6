"""Clauses W: how the words of the source texts are read."""

from __future__ import annotations

from farkel.game import Offer, Phase, Result
from games_in_words import go, offered, on_turn, options, scores


def test_W1_fewer_dice_than_score_may_be_banked_and_more_are_on_offer() -> None:
    rolled = go(on_turn("original", 0, 0), "115234")
    assert {"1 bank", "11 bank", "5 bank", "115 bank"} <= options(rolled)
    assert go(rolled, "1 bank").offer == Offer(1_000, 5)
    assert go(rolled, "115 bank").offer == Offer(2_500, 3)


def test_W2_the_target_itself_is_enough() -> None:
    assert go(on_turn("original", 99_000, 0), "123446", "1 bank").result == Result((0,), "target")
    assert go(on_turn("standard", 9_900, 0), "123446", "1 bank").closer == 0


def test_W3_one_die_that_is_left_may_be_taken_over() -> None:
    assert options(offered("high-stakes", 950, 1, 600, 600)) == {"fresh", "take 1"}


def test_W4_partners_share_one_last_turn() -> None:
    state = go(on_turn("guts-and-luck", 9_900, 9_000, people=(1, 2)), "123446", "1 bank", "223446")
    assert state.over


def test_W5_a_lost_stake_leaves_the_game() -> None:
    state = offered("high-stakes:stake", 950, 2, 3_000, 3_000)
    before = scores(state)
    assert sum(scores(go(state, "take 2", "23"))) == sum(before) - 1_000


def test_W6_a_bank_beyond_an_exact_target_leaves_no_offer_and_is_not_an_entry() -> None:
    state = on_turn("build-on(finish=exact, target=550, bank_multiple=0)", 0, 0, entered=False)
    over = go(state, "111234", "111 roll", "555", "555 bank")
    assert (over.phase, over.seat, over.offer) == (Phase.ROLL, 1, None)
    assert scores(over) == (0, 0)
    assert not over.seats[0].on_board
