"""Clauses F1 to F9, F20 and F21: losing points, catching up, and who starts."""

from __future__ import annotations

import pytest

from farkel.errors import RulesError
from farkel.game import Phase, State, apply
from farkel.game.story import facts, tell
from farkel.rules import load
from games_in_words import event_of, go, offered, on_turn, play, scores, turn
from named_rules import rules_of


def told(state: State, event: str) -> list[str]:
    """What people are told of the event."""
    after = apply(state, event_of(event))
    return [tell(fact, ("Ann", "Ben", "Cleo"), after) for fact in facts(state, event_of(event), after)]


def test_f1_a_farkle_on_all_dice_costs_the_whole_score() -> None:
    state = on_turn("minimal(penalties.farkle_all_dice=all, penalties.farkle=50)", 1_250, 300)
    assert scores(go(state, "223446")) == (0, 300)
    assert scores(go(state, "123446", "1 roll", "23446")) == (1_200, 300)
    assert "Ann loses 1,250 banked points as a penalty." in told(state, "223446")


def test_f1_a_score_below_zero_does_not_change() -> None:
    state = on_turn("minimal(penalties.farkle_all_dice=all)", -100, 300)
    assert scores(go(state, "223446")) == (-100, 300)


def test_f1_three_farkles_in_a_row_cost_the_whole_score() -> None:
    rules = "minimal(penalties.farkles_in_row=3, penalties.farkles_in_row_points=all)"
    state = play(rules, 1, "111234", "111 bank", "223446", "223446")
    assert scores(state) == (1_000,)
    assert scores(go(state, "223446")) == (0,)


def test_f1_a_fine_is_points_or_all() -> None:
    with pytest.raises(RulesError, match=r'farkle = "some" is not allowed; penalties\.farkle is a whole number from 0'):
        load("minimal(penalties.farkle=some)")
    assert str(load("minimal(penalties.farkle=all)")) == 'minimal(penalties.farkle="all")'


def test_f2_penalties_of_one_farkle_are_added_up() -> None:
    state = on_turn("minimal(penalties.farkle=50, penalties.farkle_all_dice=500)", 1_000, 0)
    assert scores(go(state, "223446")) == (450, 0)


def test_f3_a_farkle_on_the_first_roll() -> None:
    state = on_turn("minimal(penalties.farkle_first_roll=100)", 1_000, 0)
    assert scores(go(state, "223446")) == (900, 0)
    assert scores(go(state, "123446", "1 roll", "23446")) == (1_000, 0)
    assert scores(go(state, "note 0 6 farkle")) == (900, 0)
    assert scores(go(state, "note 0 2 farkle")) == scores(go(state, "note 300 6 farkle")) == (1_000, 0)


def test_f3_the_first_roll_of_a_take_over() -> None:
    state = offered("minimal(penalties.farkle_first_roll=100, take_over.price=free)", 500, 3, 1_000, 1_000)
    assert scores(go(state, "take 3", "234")) == (1_000, 900)
    assert scores(go(state, "take 3", "123", "1 roll", "23")) == (1_000, 1_000)


def test_f17_failing_to_beat_the_player_before() -> None:
    state = go(on_turn("standard(beat_previous=true, penalties.not_beaten=100)", 0, 1_000), "115236", "11 bank")
    assert scores(go(state, "223446")) == (200, 900)
    # The next player has nothing to beat.
    assert scores(go(state, "223446", "223446")) == (200, 900)


def test_f4_a_farkle_subtracts_the_turn_total() -> None:
    state = on_turn("minimal(penalties.turn_total=subtracted)", 1_000, 0)
    assert scores(go(state, "111234", "111 roll", "234")) == (0, 0)
    assert scores(go(state, "note 350 2 farkle")) == (650, 0)
    taken = offered("minimal(penalties.turn_total=subtracted, take_over.price=free)", 500, 3, 1_000, 1_000)
    assert scores(go(taken, "take 3", "234")) == (1_000, 1_000)
    assert scores(go(taken, "take 3", "123", "1 roll", "23")) == (1_000, 400)


def test_f5_a_farkle_keeps_the_turn_total() -> None:
    state = on_turn("minimal(penalties.turn_total=kept, penalties.farkle=50)", 1_000, 0)
    state = go(state, "111234", "111 roll")
    assert scores(go(state, "234")) == (2_000, 0)
    assert told(state, "234")[1:] == [
        "Farkle! Ann keeps the turn total of 1,000.",
        "Ann banks 1,000 and has 2,000.",
    ]
    assert scores(go(on_turn(state.rules, 1_000, 0), "223446")) == (950, 0)
    assert go(on_turn(state.rules, 9_000, 0), "111234", "111 roll", "234").result is not None


def test_f5_points_that_may_not_be_banked_are_lost() -> None:
    state = go(on_turn("minimal(penalties.turn_total=kept, minimum=300)", 1_000, 0), "123446", "1 roll", "23446")
    assert scores(state) == (1_000, 0)


def test_f5_the_dice_of_the_farkle_lie_there_as_after_a_bank() -> None:
    state = on_turn("minimal(penalties.turn_total=kept, take_over.price=free)", 0, 0)
    state = go(state, "111234", "111 roll", "234")
    assert state.offer == (1_000, 3)


def test_f7_a_bank_that_lands_on_a_score_sends_it_to_zero() -> None:
    state = on_turn("minimal(catching_up.landed_on=to_zero)", 1_000, 2_000, 2_100)
    assert scores(go(state, "111234", "111 bank")) == (2_000, 0, 2_100)
    assert told(go(state, "111234"), "111 bank")[-1] == "Ben is sent back to 0."
    assert scores(go(state, "note 1100 3")) == (2_100, 2_000, 0)


def test_f8_or_back_to_the_score_before_the_last_bank() -> None:
    rules = "minimal(catching_up.landed_on=back)"
    state = play(rules, 2, "note 500 0", "note 300 0", "note 200 0", "note 400 0")
    assert scores(state) == (500, 700)
    state = go(state, "note 300 0", "note 300 0")
    assert scores(state) == (800, 1_000)
    state = go(state, "note 200 0")
    assert scores(state) == (1_000, 700)


def test_f9_an_overtaken_player_loses_points() -> None:
    state = on_turn("minimal(catching_up.overtaken=100, penalties.below_zero=false)", 500, 50, 550, 1_500, 1_000)
    after = go(state, "note 1000 0")
    assert scores(after) == (1_500, 50, 450, 1_500, 900)
    assert scores(go(on_turn(state.rules, 0, 50), "note 100 0")) == (100, 0)


def test_f9_players_who_are_out_are_not_overtaken() -> None:
    state = go(on_turn("minimal(catching_up.overtaken=100)", 500, 550, 550), "leave 1", "note 1000 0")
    assert scores(state) == (1_500, 550, 450)


def test_f20_the_lowest_die_starts() -> None:
    rules = "minimal(start=lowest_die)"
    assert turn(play(rules, 3, "3", "2", "5"))[:2] == (Phase.ROLL, 1)
    state = play(rules, 3, "3", "2", "2")
    assert turn(state)[:2] == (Phase.START, 1)
    assert state.throws == (-1, 0, 0)
    assert turn(go(state, "6", "1"))[:2] == (Phase.ROLL, 2)


@pytest.mark.parametrize("start", ["youngest", "oldest", "chosen"])
def test_f21_the_first_entered_player_starts(start: str) -> None:
    assert turn(play(rules_of(f"minimal(start={start})"), 3))[:2] == (Phase.ROLL, 0)
