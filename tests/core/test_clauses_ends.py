"""Clauses F10 to F14: last turns that begin again, the fewest rounds, and play-offs."""

from __future__ import annotations

import pytest

from farkel.errors import RulesError
from farkel.game import Result, State, apply
from farkel.game.story import ending, facts, tell
from farkel.rules import load
from games_in_words import event_of, go, on_turn, options, refused, scores

NAMES = ("Ann", "Ben", "Cleo")
LAST = "standard(target=1000, last_turns_again="
NOTHING = "note 0 6 farkle"


def told(state: State, event: str) -> list[str]:
    after = apply(state, event_of(event))
    return [tell(fact, NAMES, after) for fact in facts(state, event_of(event), after)]


def test_f10_a_passed_leader_has_another_turn() -> None:
    state = go(on_turn(LAST + "passed)", 0, 0, 0), "note 1000 0", "note 1100 0")
    assert state.seat == 2
    state = go(state, NOTHING)
    assert state.seat == 0  # Ann was passed; Cleo has failed
    state = go(state, "note 200 0")
    assert state.seat == 1
    assert go(state, "note 100 0").result == Result((0,), "last_turns")
    assert go(state, NOTHING).result == Result((0,), "last_turns")


def test_f10_passed_leaders_are_named() -> None:
    state = go(on_turn(LAST + "passed)", 0, 0, 0), "note 1000 0")
    assert told(state, "note 1100 0")[-1] == "Ann is passed and has another turn."


def test_f10_no_player_passes() -> None:
    state = go(on_turn(LAST + "passed)", 0, 0, 0), "note 1000 0", "note 1000 0", NOTHING)
    assert state.result == Result((0,), "last_turns")


def test_f11_everyone_has_another_turn_when_the_leading_score_is_beaten() -> None:
    state = go(on_turn(LAST + "beaten)", 0, 0, 0), "note 1000 0", NOTHING)
    assert told(state, "note 1100 0")[-1] == "Cleo leads now: everyone else has another turn."
    state = go(state, "note 1100 0", NOTHING)
    assert state.seat == 1
    assert go(state, "note 1100 0").result == Result((2,), "last_turns")
    assert go(state, "note 1200 0", NOTHING, NOTHING).result == Result((1,), "last_turns")


def test_f12_or_tied() -> None:
    state = go(on_turn(LAST + "tied)", 0, 0, 0), "note 1000 0", "note 1000 0", NOTHING)
    assert state.seat == 0
    assert go(state, NOTHING).result == Result((0, 1), "last_turns")
    assert go(state, "note 50 0", NOTHING, NOTHING).result == Result((0,), "last_turns")


def test_f13_the_fewest_rounds_win() -> None:
    state = go(on_turn("standard(target=1000, finish=fewest_rounds)", 0, 500, 0), "note 1000 0", "note 700 0")
    after = go(state, NOTHING)
    assert after.result == Result((0, 1), "fewest_rounds")
    assert ending(after, NAMES) == "Ann and Ben share the win: 1,000 in the fewest rounds."
    assert go(state, "note 5000 0").result == Result((0, 1, 2), "fewest_rounds")


def test_f14_equal_scores_play_off() -> None:
    rules = "standard(target=0, rounds=1, ties=play_off)"
    state = go(on_turn(rules, 0, 0, 0)._replace(rounds_left=1), "note 300 0", "note 100 0")
    assert told(state, "note 300 0")[-1] == "Equal scores: Ann and Cleo play off, one turn each."
    state = go(state, "note 300 0")
    assert state.seat == 0
    state = go(state, "note 200 0")
    assert state.seat == 2
    after = go(state, "note 100 0")
    assert after.result == Result((0,), "play_off")
    assert ending(after, NAMES) == "Ann wins the play-off with 500."
    again = go(state, "note 200 0")
    assert (again.seat, again.result) == (0, None)
    assert go(again, NOTHING, "note 50 0").result == Result((2,), "play_off")


def test_f14_only_tied_players_can_win_the_play_off() -> None:
    rules = "standard(target=0, rounds=1, ties=play_off, penalties.farkle=500)"
    state = go(on_turn(rules, 0, 0, 0)._replace(rounds_left=1), "note 300 0", "note 200 0", "note 300 0")
    state = go(state, NOTHING, "note 600 0 farkle", NOTHING, "note 0 5 farkle", "note 50 0")
    assert scores(state)[1] == 200
    state = go(state, NOTHING)
    assert state.result == Result((0,), "play_off")


def test_f14_players_in_a_play_off_may_leave() -> None:
    state = go(on_turn("standard(target=0, rounds=1, ties=play_off)", 0, 0, 0)._replace(rounds_left=1), *["pass"] * 3)
    assert state.tied == 0b111
    state = go(state, "note 50 0", "leave 2")
    assert go(state, NOTHING).result == Result((0,), "play_off")


def test_f15_a_last_turn_is_one_roll() -> None:
    state = go(on_turn("standard(target=1000, last_turns=roll, hot_dice=forced)", 500, 800), "note 500 0", "111234")
    assert options(state) == {"1 bank", "11 bank", "111 bank"}
    assert refused(state, "1 roll") == "no_roll_left"
    assert go(state, "111 bank").result == Result((1,), "last_turns")
    again = go(on_turn("standard(target=1000, last_turns=roll)", 500, 800), "111234")
    assert "1 roll" in options(again)


def test_f16_only_a_turn_with_hot_dice_reaches_the_target() -> None:
    rules = "standard(target=1000, finish=at_once, hot_dice_to_win=true)"
    state = go(on_turn(rules, 500, 0), "111234")
    assert refused(state, "111 bank") == "needs_hot_dice"
    assert "11 bank" in options(state)
    state = go(state, "111 roll", "155")
    assert refused(state, "15 bank") == "needs_hot_dice"
    assert go(state, "155 bank").result == Result((0,), "target")
    assert go(state, "155 roll", "123446", "1 bank").result == Result((0,), "target")
    exact = go(on_turn("standard(target=1000, finish=exact, hot_dice_to_win=true)", 500, 0), "555123")
    assert refused(exact, "555 bank") == "needs_hot_dice"
    assert scores(go(exact, "1555 bank")) == (500, 0)


def test_f15_an_unbankable_roll_is_a_farkle() -> None:
    state = go(on_turn("standard(target=1000, last_turns=roll, minimum=300)", 500, 800), "note 500 0", "123446")
    assert (scores(state), state.result) == ((1_000, 800), Result((0,), "last_turns"))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("minimal(last_turns=roll)", 'last_turns = "roll" needs finish = "last_turns"'),
        ("standard(last_turns=roll, least_rolls=2)", "nobody could bank in a last turn"),
        ("minimal(last_turns_again=passed)", 'last_turns_again = "passed" needs finish = "last_turns"'),
        ("minimal(ties=play_off)", "no scores can tie"),
        ("minimal(finish=fewest_rounds, target=0, rounds=3)", 'finish = "fewest_rounds" needs a target'),
        ("minimal(finish=fewest_rounds, ties=play_off, rounds=3)", "they do not count"),
    ],
)
def test_contradictions_are_refused(spec: str, says: str) -> None:
    with pytest.raises(RulesError, match=says):
        load(spec)


MOVES = "standard(finish=exact, target=1000, missed_target=1300, start=first_seat)"


def test_f22_a_missed_target_moves_on_for_everyone() -> None:
    state = on_turn(MOVES, 900, 950)
    assert told(state, "note 200 0") == [
        "Ann banks 200 and has 1,100.",
        "Ann passes 1,000: the target is now 1,300 for everyone.",
    ]
    state = go(state, "note 200 0", "note 50 0")
    assert (scores(state), state.over) == ((1_100, 1_000), False)
    assert told(state, "note 250 0") == ["Ann overshoots 1,300 by 50 and scores nothing."]
    assert go(state, "note 200 0").result == Result((0,), "exact")
    assert ending(go(state, "note 200 0"), NAMES) == "Ann wins with exactly 1,300."


def test_f22_a_bank_over_both_targets_adds_nothing_and_one_that_hits_the_second_wins() -> None:
    state = on_turn(MOVES, 900, 0)
    over = go(state, "note 450 0", "note 1000 0")
    assert over.result == Result((1,), "exact")
    assert go(state, "note 400 0").result == Result((0,), "exact")


def test_f22_hitting_the_higher_target_may_be_banked_below_a_minimum() -> None:
    spec = "standard(finish=exact, target=1000, missed_target=1100, minimum=300)"
    state = go(on_turn(spec, 700, 900), "note 350 0", "note 0 6 farkle", "123446")
    assert (scores(state), options(state)) == ((1_050, 900), {"1 roll"})
    state = go(on_turn(spec, 700, 800), "note 350 0", "note 200 0", "note 0 6 farkle", "123446")
    assert "1 bank" in options(state)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("standard(missed_target=13000)", 'missed_target = 13000 needs finish = "exact"'),
        ("standard(finish=exact, missed_target=9000)", "is not above target = 10000"),
        ("standard(finish=exact, missed_target=13020)", "scores move in steps of 50"),
    ],
)
def test_f22_a_target_that_cannot_move_on_is_refused(spec: str, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        load(spec)


CANCELS = "standard(finish=exact, target=1000, entry=500, cancel_win=true, start=first_seat)"


def test_f23_the_next_player_may_cancel_a_win_with_the_dice_left() -> None:
    state = on_turn(CANCELS, 900, 300, 0)
    assert told(go(state, "123446"), "1 bank") == [
        "Ann keeps 1 for 100.",
        "Ann hits 1,000 and leaves 5 dice: if the next player scores with them, that does not count.",
    ]
    state = go(state, "123446", "1 bank")
    assert (state.seat, state.dice, scores(state), state.over) == (1, 5, (900, 300, 0), False)
    assert told(state, "12346") == ["Ben rolls 1-2-3-4-6.", "Ann does not win: the bank of 100 is cancelled."]
    cancelled = go(state, "12346")
    assert (cancelled.seat, cancelled.dice, cancelled.points, scores(cancelled)) == (1, 6, 0, (900, 300, 0))
    won = go(state, "22346")
    assert (won.result, scores(won)) == (Result((0,), "exact"), (1_000, 300, 0))
    assert told(state, "22346")[1:] == ["Ann banks 100 and has 1,000.", "Ann wins with exactly 1,000."]


def test_f23_a_bank_that_leaves_no_dice_or_no_player_to_roll_wins() -> None:
    assert go(on_turn(CANCELS, 0, 0), "note 1000 0").result == Result((0,), "exact")
    assert go(on_turn(CANCELS, 900), "123446", "1 bank").result == Result((0,), "exact")


def test_f23_dice_of_an_offer_that_were_not_taken_are_rolled_too() -> None:
    spec = "original(finish=exact, target=20000, cancel_win=true)"
    state = go(on_turn(spec, 8_000, 9_000), "125566", "1 bank", "take 2", "13", "1 roll", "3")
    assert state.seat == 0
    state = go(on_turn(spec, 8_000, 18_000), "125566", "1 bank", "take 2", "13", "1 bank")
    assert (state.seat, state.dice, state.over) == (0, 4, False)


def test_f23_a_cancelled_bank_is_not_an_entry() -> None:
    state = go(on_turn(CANCELS, 900, 0, entered=False), "123446", "1 bank", "12346")
    assert not state.seats[0].on_board
    assert scores(state) == (900, 0)


def test_f23_absent_players_cancel_nothing_and_a_winner_who_leaves_does_not_win() -> None:
    state = go(on_turn(CANCELS, 900, 0, 0), "123446", "1 bank")
    for event in ("pass", "leave 1", "note 0 5 farkle"):
        assert go(state, event).result == Result((0,), "exact")
    gone = go(state, "leave 0")
    assert (gone.seat, gone.dice, gone.over) == (1, 6, False)
    noted = go(state, "note 600 2")
    assert (noted.seat, scores(noted)) == (2, (900, 600, 0))


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("standard(cancel_win=true)", 'cancel_win = true needs finish = "exact"'),
        ("standard(finish=exact, cancel_win=true, rounds=5)", "are not played together"),
        ("standard(finish=exact, cancel_win=true, next_roll=all)", "needs dice that are left"),
    ],
)
def test_f23_rules_without_dice_left_to_cancel_are_refused(spec: str, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        load(spec)
