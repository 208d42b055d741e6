"""The engine: what may happen, why not, and that states are values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farkel.dice import MOST_DICE, all_rolls, ways
from farkel.errors import PlayerError
from farkel.game import (
    REFUSALS,
    Action,
    Event,
    Fresh,
    IllegalEvent,
    Keep,
    Leave,
    Note,
    Offer,
    Phase,
    Seat,
    State,
    TakeOver,
    Throw,
    apply,
    chance_outcomes,
    check,
    is_legal,
    law,
    legal_actions,
    new_game,
    position,
    refusal,
    replay,
)
from farkel.game.events import Then
from farkel.game.law.terms import terms
from farkel.game.scoring import score_table
from farkel.rules import Rules
from games_in_words import event_of, go, kept, offered, on_turn, options, play, refused, words
from named_rules import SPAN, rules_of
from random_play import random_event, random_game, random_people, random_states
from random_rules import examples, rule_sets, tables

# Why not -------------------------------------------------------------------------------------------------------------

STAKE = "high-stakes(take_over.price=stake, take_over.stake=1000)"

PROVOKED: dict[str, tuple[State, Event, str]] = {
    "game_over": (
        go(on_turn("minimal", 9_900, 0), "123446", "1 bank"),
        Throw((1, 2, 3, 4, 4, 6)),
        "the game is over (game over)",
    ),
    "throw_due": (
        on_turn("standard", 0, 0),
        Fresh(),
        "it isn't time to decide: 6 dice are to be rolled first (seat 1 at 0, turn total 0)",
    ),
    "other_decision_due": (
        go(on_turn("standard", 0, 0), "123446"),
        Fresh(),
        "it isn't time for that: first choose what to keep (seat 1 at 0, turn total 0, roll 1-2-3-4-4-6)",
    ),
    "no_throw_due": (
        offered("build-on", 500, 2, 500, 700),
        Throw((1, 2)),
        "it isn't time to roll: first choose whether to start fresh or take over (seat 2 at 700, turn total 0)",
    ),
    "wrong_number_of_dice": (
        go(on_turn("standard", 0, 0), "123446", "1 roll"),
        Throw((1, 2, 3, 4)),
        "the roll has 4 dice, but 5 dice are to be rolled (seat 1 at 0, turn total 100)",
    ),
    "bad_faces": (
        go(on_turn("standard", 0, 0), "123446", "1 roll"),
        Throw((1, 2, 3, 4, 7)),
        "1-2-3-4-7 is not a valid roll: list faces from 1 to 6 in ascending order (seat 1 at 0, turn total 100)",
    ),
    "roll_or_bank": (
        go(on_turn("standard", 0, 0), "123446"),
        Keep((1,), "pass"),  # type: ignore[arg-type]
        "after keeping dice you can only roll or bank (seat 1 at 0, turn total 0, roll 1-2-3-4-4-6)",
    ),
    "keep_nothing": (
        go(on_turn("standard", 0, 0), "123446"),
        Keep((), "roll"),
        "no dice kept: keep at least one scoring die of 1-2-3-4-4-6 (seat 1 at 0, turn total 0, roll 1-2-3-4-4-6)",
    ),
    "dice_not_rolled": (
        go(on_turn("standard", 0, 0), "123446"),
        Keep((1, 1), "roll"),
        "1-1 can't be kept: the roll is 1-2-3-4-4-6 (seat 1 at 0, turn total 0, roll 1-2-3-4-4-6)",
    ),
    "dice_are_fined": (
        go(on_turn("standard(rolled.333=-300)", 900, 0), "133346"),
        Keep((3, 3, 3), "roll"),
        "3-3-3 can't be kept: dice that cost a penalty don't score (seat 1 at 600, turn total 0, roll 1-3-3-3-4-6)",
    ),
    "must_keep_all": (
        go(on_turn("standard(keep=all)", 0, 0), "123456"),
        Keep((1,), "roll"),
        "1 can't be kept alone: every scoring die must be kept; the most that scores in 1-2-3-4-5-6 is 1-5 for 150 "
        "(seat 1 at 0, turn total 0, roll 1-2-3-4-5-6)",
    ),
    "must_confirm": (
        go(on_turn("standard(scoring.333={points=300, confirm=350})", 0, 0), "223336", "333 roll", "124"),
        Keep((1,), "bank"),
        "this turn needs 250 more points before you can bank; keep rolling (seat 1 at 0, turn total 300, roll 1-2-4)",
    ),
    "combination_must_bank": (
        go(on_turn('standard(scoring.aaabb={points=1500, then="bank"})', 0, 0), "223336"),
        Keep((2, 2, 3, 3, 3), "roll"),
        "2-2-3-3-3 ends the turn: bank it (seat 1 at 0, turn total 0, roll 2-2-3-3-3-6)",
    ),
    "wins_the_game": (
        go(on_turn("standard(scoring.66666=win)", 0, 0), "266666"),
        Keep((6, 6, 6, 6, 6), "roll"),
        "6-6-6-6-6 wins the game: bank it (seat 1 at 0, turn total 0, roll 2-6-6-6-6-6)",
    ),
    "dice_do_not_score": (
        go(on_turn("standard", 0, 0), "124446"),
        Keep((1, 2, 4, 4, 4, 6), "bank"),
        "1-2-4-4-4-6 can't be kept: 2-6 doesn't score; the most that scores in 1-2-4-4-4-6 is 1-4-4-4 for 500 "
        "(seat 1 at 0, turn total 0, roll 1-2-4-4-4-6)",
    ),
    "below_entry": (
        go(on_turn("extended", 0, 0, entered=False), "123446"),
        Keep((1,), "bank"),
        "100 points aren't enough to get on the board: the first bank needs 500 in one turn; keep rolling "
        "(seat 1 at 0, turn total 0, roll 1-2-3-4-4-6)",
    ),
    "not_a_multiple": (
        go(on_turn("standard(bank_multiple=200)", 0, 0), "112346"),
        Keep((1,), "bank"),
        "100 points can't be banked: every bank must be a multiple of 200; keep rolling "
        "(seat 1 at 0, turn total 0, roll 1-1-2-3-4-6)",
    ),
    "below_minimum": (
        go(on_turn("zilch", 1_500, 0), "123446", "1 roll", "12346"),
        Keep((1,), "bank"),
        "200 points aren't enough to bank: every turn needs 300; keep rolling "
        "(seat 1 at 1,500, turn total 100, roll 1-2-3-4-6)",
    ),
    "must_roll_hot_dice": (
        go(on_turn("extended(hot_dice=forced)", 0, 0), "123456"),
        Keep((1, 2, 3, 4, 5, 6), "bank"),
        "you kept all dice: hot dice must be rolled at least once more (seat 1 at 0, turn total 0, roll 1-2-3-4-5-6)",
    ),
    "triple_must_bank": (
        go(on_turn("renaissance(rolled.aaa=bank)", 0, 0), "123444"),
        Keep((4, 4, 4), "roll"),
        "this roll ends the turn: you must bank its turn total (seat 1 at 0, turn total 0, roll 1-2-3-4-4-4)",
    ),
    "bought_must_bank": (
        go(offered("original", 4_000, 3, 4_000, 0), "take 1", "5"),
        Keep((5,), "roll"),
        "you kept all the dice you took over, and the others may not be rolled: you must bank "
        "(seat 2 at 0, turn total 4,000, roll 5)",
    ),
    "not_more_than_previous": (
        go(on_turn("minimal(beat_previous=true)", 0, 0), "115236", "11 bank", "115236"),
        kept("11", "bank"),
        "200 points don't beat the 200 that the player before you banked; keep rolling "
        "(seat 2 at 0, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "too_many_dice_left": (
        go(on_turn("minimal(bank_left=1)", 0, 0), "115236"),
        kept("11", "bank"),
        "you can bank with at most 1 die left; keep rolling (seat 1 at 0, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "too_few_rolls": (
        go(on_turn("minimal(least_rolls=2)", 0, 0), "115236"),
        kept("11", "bank"),
        "you can't bank before 2 rolls in a turn; keep rolling (seat 1 at 0, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "must_keep_all_to_win": (
        go(on_turn("minimal(target=1000, keep=all_to_win)", 800, 0), "115236"),
        kept("11", "bank"),
        "to reach 1,000 you must keep every scoring die of 1-1-2-3-5-6: keep 1-1-5 for 250, or keep rolling "
        "(seat 1 at 800, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "too_few_to_roll": (
        go(on_turn("minimal(roll_from=300)", 0, 0), "115236"),
        kept("11", "roll"),
        "200 points aren't enough to roll again: that needs 300 in the turn; bank "
        "(seat 1 at 0, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "hot_dice_must_bank": (
        go(on_turn("minimal(most_hot_dice=1)", 0, 0), "111555"),
        kept("111555", "roll"),
        "you kept all dice, and these hot dice end the turn: bank (seat 1 at 0, turn total 0, roll 1-1-1-5-5-5)",
    ),
    "no_roll_left": (
        go(on_turn("minimal(most_rolls=1)", 0, 0), "115236"),
        kept("11", "roll"),
        "this turn allows at most 1 roll: bank (seat 1 at 0, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "needs_hot_dice": (
        go(on_turn("minimal(hot_dice_to_win=true)", 9_000, 0), "111236"),
        kept("111", "bank"),
        "you need hot dice in the turn that reaches 10,000; keep rolling "
        "(seat 1 at 9,000, turn total 0, roll 1-1-1-2-3-6)",
    ),
    "entry_in_one_roll": (
        go(on_turn("minimal(entry=300, entry_by=roll)", 0, 0, entered=False), "115236", "11 roll", "1234"),
        kept("1", "bank"),
        "the first bank needs one roll worth 300 by itself; keep rolling (seat 1 at 0, turn total 200, roll 1-2-3-4)",
    ),
    "entry_by_triple": (
        go(on_turn("minimal(entry=200, entry_by=triple)", 0, 0, entered=False), "115236"),
        kept("11", "bank"),
        "the first bank needs three of a kind or a larger combination among the kept dice; keep rolling "
        "(seat 1 at 0, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "not_on_board": (
        offered("build-on(take_over.on_board=true)", 500, 2, 500, 0)._replace(
            seats=(Seat(500, entered=-1), Seat(0, entered=0))
        ),
        TakeOver(2),
        "only players on the board can take over: start with all dice and make the entry score of 500 "
        "(seat 2 at 0, turn total 0)",
    ),
    "below_take_over_score": (
        offered("build-on(take_over.from_score=1000)", 500, 2, 500, 950),
        TakeOver(2),
        "only players with 1,000 banked points can take over, and you have 950: start with all dice "
        "(seat 2 at 950, turn total 0)",
    ),
    "forbidden_score": (
        go(on_turn("minimal(zones='300-399 never')", 200, 0), "115236"),
        kept("1", "bank"),
        "100 points would bring your score to 300, and no bank may end from 300 to 399; keep rolling "
        "(seat 1 at 200, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "must_leave": (
        go(on_turn("minimal(zones='200-300 leave')", 200, 0), "115236"),
        kept("1", "bank"),
        "100 points would leave your score at 300, still from 200 to 300: leave that range in one turn; keep rolling "
        "(seat 1 at 200, turn total 0, roll 1-1-2-3-5-6)",
    ),
    "nothing_on_offer": (
        on_turn("build-on", 0, 0),
        TakeOver(2),
        "nothing is on offer: start with all dice (seat 1 at 0, turn total 0)",
    ),
    "not_so_many_dice": (
        offered("original", 4_000, 2, 4_000, 0),
        TakeOver(3),
        "you can't take over 3 dice: 2 dice are on offer (seat 2 at 0, turn total 0)",
    ),
    "all_dice_or_none": (
        offered("build-on", 500, 3, 500, 700),
        TakeOver(2),
        "you can't take over 2 of the dice: 3 dice are on offer, all of them or none (seat 2 at 700, turn total 0)",
    ),
    "too_few_lives": (
        offered("original", 4_000, 3, 4_000, 0, lives=(12, 2)),
        TakeOver(2),
        "not enough lives: 2 dice cost 2 lives and one must remain, but only 2 are left (seat 2 at 0, turn total 0)",
    ),
    "too_few_points": (
        offered(STAKE, 500, 2, 500, 950),
        TakeOver(2),
        "not enough points: taking over stakes 1,000 banked points, but you have 950 (seat 2 at 950, turn total 0)",
    ),
    "bad_noted_points": (
        on_turn("standard", 0, 0),
        Note(1_000_050, 2),
        "a turn of 1,000,050 points can't be entered: enter 0 to 1,000,000 (seat 1 at 0, turn total 0)",
    ),
    "bad_noted_dice": (
        on_turn("standard", 0, 0),
        Note(450, 6),
        "6 dice can't be entered: 0 to 5 can be left after a bank (seat 1 at 0, turn total 0)",
    ),
    "no_such_seat": (
        on_turn("standard", 0, 0),
        Leave(2),
        "there is no seat 3: seats are 1 to 2 (seat 1 at 0, turn total 0)",
    ),
    "seat_is_gone": (
        go(on_turn("standard", 0, 0, 0), "leave 1"),
        Leave(1),
        "seat 2 has left the game (seat 1 at 0, turn total 0)",
    ),
}


def test_every_refusal_has_a_test_that_provokes_it() -> None:
    assert set(PROVOKED) == set(REFUSALS)


@pytest.mark.parametrize("code", PROVOKED)
def test_refusals_name_the_fault_and_its_place(code: str) -> None:
    state, event, message = PROVOKED[code]
    assert refusal(state, event) == code
    assert not is_legal(state, event)
    for act in (apply, check):
        with pytest.raises(IllegalEvent) as refused:
            act(state, event)
        error = refused.value
        assert (error.code, error.message, str(error)) == (code, message, message)
        assert (error.state, error.event) == (state, event)
        assert error.legal == legal_actions(state)
        assert f"({position(state)})" in error.message


def test_a_refusal_names_the_offending_dice() -> None:
    state = go(on_turn("standard", 0, 0), "124446")
    for keep, dead in (((1, 2), (2,)), ((4, 4), (4, 4)), ((1, 4, 4, 6), (4, 4, 6)), ((2, 4, 4, 4), (2,))):
        with pytest.raises(IllegalEvent) as refused:
            apply(state, Keep(keep, "roll"))
        assert refused.value.dice == dead


def test_kept_dice_are_the_same_in_any_order() -> None:
    state = go(on_turn("standard", 500, 0), "123456")
    assert Keep((5, 1), "bank") == Keep((1, 5), "bank")
    assert hash(Keep((5, 1), "bank")) == hash(Keep((1, 5), "bank"))
    assert Keep((5, 1), "bank") in legal_actions(state)
    assert state.turn_total((5, 1)) == state.turn_total(Keep((1, 5), "roll")) == 150
    assert apply(state, Keep((5, 1), "bank")) == apply(state, Keep((1, 5), "bank"))


@pytest.mark.parametrize(
    ("state", "event", "code"),
    [
        (play("standard", 2), Keep((1,), "roll"), "throw_due"),
        (play("standard", 2), TakeOver(1), "throw_due"),
        (play("standard", 2), Throw((1, 2)), "wrong_number_of_dice"),
        (play("standard", 2), Throw((7,)), "bad_faces"),
        (play("standard", 2), Throw(()), "wrong_number_of_dice"),
        (on_turn("standard", 0, 0), Throw((6, 5, 4, 3, 2, 1)), "bad_faces"),
        (on_turn("standard", 0, 0), Throw((0, 1, 2, 3, 4, 5)), "bad_faces"),
        (on_turn("standard", 0, 0), Throw((True, 2, 3, 4, 5, 6)), "bad_faces"),
        (go(on_turn("standard", 0, 0), "123456"), Keep((True, 5), "bank"), "bad_faces"),
        (on_turn("standard", 0, 0), Keep((1,), "bank"), "throw_due"),
        (on_turn("standard", 0, 0), Leave(-1), "no_such_seat"),
        (go(on_turn("standard", 0, 0), "123446"), TakeOver(2), "other_decision_due"),
        (go(on_turn("standard", 0, 0), "123446"), Throw((1,)), "no_throw_due"),
        (offered("build-on", 500, 2, 500, 0), Keep((1,), "roll"), "other_decision_due"),
        (go(offered("build-on", 500, 2, 500, 0), "take 2"), TakeOver(2), "nothing_on_offer"),
        (go(offered("build-on", 500, 2, 500, 0), "take 2"), Fresh(), "throw_due"),
        (go(on_turn("minimal", 9_900, 0), "123446", "1 bank"), Leave(0), "game_over"),
        (go(on_turn("minimal", 9_900, 0), "123446", "1 bank"), Note(0, 0), "game_over"),
        (play("standard", 2), Note(450, 2), "throw_due"),
        (play("standard", 2), Note(0, 0), "throw_due"),
        (on_turn("standard", 0, 0), Note(-50, 2), "bad_noted_points"),
        (on_turn("standard", 0, 0), Note(50, -1), "bad_noted_dice"),
        (on_turn("standard", 0, 0), Note(0, 7, farkle=True), "bad_noted_dice"),
        (on_turn("standard", 0, 0), Note(0, -1, farkle=True), "bad_noted_dice"),
        (on_turn("renaissance", 0, 0), Note(1_000, 5, farkle=True), None),
        (on_turn("renaissance(dice=5, scoring.123456=0)", 0, 0), Note(100, 5), "bad_noted_dice"),
    ],
)
def test_events_are_refused_in_other_phases(state: State, event: Event, code: str | None) -> None:
    assert refusal(state, event) == code


@pytest.mark.parametrize("people", [(), (1,) * 21, (0, 1), (1, -1), (1, 9)])
def test_seats_that_do_not_fit(people: tuple[int, ...]) -> None:
    with pytest.raises(PlayerError) as refused:
        new_game(rules_of("standard"), people)
    assert refused.value.code == "bad_seats"


# What may happen -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", [1, 2, 3, 4, 5, 6])
def test_chance_outcomes_are_all_throws_with_their_ways(dice: int) -> None:
    state = on_turn("standard", 0, 0)._replace(dice=dice)
    outcomes = chance_outcomes(state)
    assert sum(count for _, count in outcomes) == 6**dice
    assert [throw.faces for throw, _ in outcomes] == list(all_rolls(dice))
    assert all(count == ways(throw.faces) for throw, count in outcomes)


def test_chance_outcomes_are_one_die_for_the_start_and_none_without_a_roll() -> None:
    assert chance_outcomes(play("original", 2)) == tuple((Throw((face,)), 1) for face in range(1, 7))
    assert chance_outcomes(go(on_turn("standard", 0, 0), "123446")) == ()
    assert chance_outcomes(offered("build-on", 500, 2, 500, 0)) == ()
    assert chance_outcomes(go(on_turn("minimal", 9_900, 0), "123446", "1 bank")) == ()


def conceivable(state: State) -> Iterator[Action]:
    """Every decision that could be meant in this state: of any dice of the roll, of dice not in it, of any offer."""
    keeps = {part for size in range(len(state.roll) + 1) for part in combinations(state.roll, size)}
    keeps |= set(all_rolls(1)) | set(all_rolls(2)) | {(6,) * 6, (1, 2, 3, 4, 5, 6)}
    for dice in sorted(keeps):
        yield Keep(dice, "roll")
        yield Keep(dice, "bank")
    yield Fresh()
    for number in range(-1, MOST_DICE + 2):
        yield TakeOver(number)


def assert_legal_actions_are_right(state: State) -> None:
    """`legal_actions` against every conceivable decision, tried one by one."""
    legal = legal_actions(state)
    assert len(set(legal)) == len(legal)
    assert set(legal) == {action for action in conceivable(state) if is_legal(state, action)}
    assert bool(legal) == (state.phase in (Phase.OFFER, Phase.KEEP))
    assert bool(chance_outcomes(state)) == (state.phase in (Phase.START, Phase.ROLL))
    for action in conceivable(state):
        code = refusal(state, action)
        assert (code is None) == (action in legal)
        if code is None:
            check(state, action)
            assert apply(state, action) != state
        else:
            with pytest.raises(IllegalEvent) as refused:
                apply(state, action)
            assert refused.value.code == code
            assert position(state) in refused.value.message


@pytest.mark.parametrize("name", SPAN)
def test_legal_actions_are_all_that_is_legal(name: str) -> None:
    for state in random_states(rules_of(name), seed=1, number=60, people=(1, 2)):
        assert_legal_actions_are_right(state)


@given(st.data())
@settings(max_examples=examples(30))
def test_legal_actions_are_all_that_is_legal_under_any_rules(data: st.DataObject) -> None:
    rules = data.draw(rule_sets())
    for state in random_states(rules, data.draw(st.integers(0, 9_999)), number=15, people=data.draw(tables(rules))):
        assert_legal_actions_are_right(state)


def assert_roll_is_asked_right(state: State) -> None:
    """`legal_actions` remembers what it asked about a roll: it holds for other turn totals and seats too."""
    assert state.scored is not None
    every = [Keep(dice, then) for dice in state.scored.keeps for then in get_args(Then)]
    assert legal_actions(state) == tuple(keep for keep in every if is_legal(state, keep))


@given(rule_sets(), st.integers(0, 9_999))
@settings(max_examples=examples(60))
def test_what_was_asked_about_a_roll_holds_for_every_turn_and_seat(rules: Rules, seed: int) -> None:
    for state in random_states(rules, seed, number=300):
        if state.phase is Phase.KEEP:
            assert_roll_is_asked_right(state)


@pytest.mark.parametrize(
    "spec", ["standard(extend=double, minimum=350)", "high-stakes(minimum=400)", "zilch(last_turns=roll)"]
)
def test_what_was_asked_about_a_roll_holds_where_points_multiply_or_turns_end(spec: str) -> None:
    for state in random_states(rules_of(spec), seed=1, number=3_000, people=(1, 1)):
        if state.phase is Phase.KEEP:
            assert_roll_is_asked_right(state)


@given(rule_sets(), st.integers(0, 9_999))
@settings(max_examples=examples(30))
def test_more_points_may_be_banked_if_fewer_may_wherever_the_law_says_so(rules: Rules, seed: int) -> None:
    made = terms(rules, 1)
    for state in random_states(rules, seed, number=30):
        may = [not law.why_not_total(made, state.mine, total) for total in range(50, 3_000, 50)]
        assert may == sorted(may) or not law.rises(made)


@pytest.mark.parametrize("name", SPAN)
def test_every_throw_that_may_fall_can_be_applied(name: str) -> None:
    for dice in range(1, 7):
        state = on_turn(name, 0, 0)._replace(dice=dice, points=1_000)
        for throw, _ in chance_outcomes(state):
            after = apply(state, throw)
            assert (after.phase is Phase.KEEP) != score_table(state.rules)[throw.faces].farkle


def test_a_bank_needs_the_entry_score() -> None:
    assert on_turn("standard", 0, 0).bank_needs == 0
    assert on_turn("zilch", 0, 0).bank_needs == 300
    assert on_turn("extended", 0, 0).bank_needs == 0
    assert on_turn("extended", 0, 0, entered=False).bank_needs == 500
    assert on_turn("extended(minimum=600)", 0, 0, entered=False).bank_needs == 600
    assert on_turn("extended(minimum=300)", 0, 0).bank_needs == 300


def test_the_turn_total_with_some_dice_kept() -> None:
    state = go(on_turn("standard", 0, 0), "123446", "1 roll", "12356")
    assert state.turn_total((1, 5)) == 250
    assert state.turn_total((2,)) == 0
    doubled = go(on_turn("standard(hot_dice_multiplier=true)", 0, 0), "111555", "111555 roll", "123446")
    assert doubled.turn_total((1,)) == 1_700


# States are values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPAN)
def test_replay_leads_to_an_equal_state_that_hashes_alike(name: str) -> None:
    rules, chance = rules_of(name), random.Random(7)
    people = (1, 1, 2)
    state, events = random_game(new_game(rules, people), chance, bound=100)
    again = replay(Rules.model_validate(rules.model_dump()), people, events)
    assert again.rules is not state.rules
    assert again == state
    assert hash(again) == hash(state)
    assert {again: "found"}[state] == "found"


@given(rule_sets(), st.randoms(use_true_random=False))
def test_replay_under_any_rules(rules: Rules, chance: random.Random) -> None:
    people = random_people(rules, chance)
    state, events = random_game(new_game(rules, people), chance, bound=60)
    again = replay(rules, people, events)
    assert again == state
    assert hash(again) == hash(state)


def test_different_ways_to_the_same_position_are_equal() -> None:
    one = go(on_turn("standard", 0, 0), "155236", "1 roll", "15234", "1 bank")
    other = go(on_turn("standard", 0, 0), "112346", "11 bank")
    assert one == other
    assert hash(one) == hash(other)
    assert one != go(on_turn("standard", 0, 0), "112346", "1 bank")


def test_states_are_immutable() -> None:
    state = go(on_turn("original", 0, 0), "134446", "1 bank")
    before = tuple(state)
    for event in ("fresh", "take 1", "take 5", "leave 0", "leave 1"):
        assert go(state, event) != state
    assert tuple(state) == before
    assert state.offer == Offer(1_000, 5)


def test_the_same_events_in_another_seat_order_do_not_share_state() -> None:
    events = ("123446", "1 bank", "111234", "111 bank")
    assert play("minimal", 2, *events) == replay(rules_of("minimal"), (1, 1), map(event_of, events))
    assert play("minimal", 3, *events) != play("minimal", 2, *events)


def test_replay_refuses_illegal_events() -> None:
    with pytest.raises(IllegalEvent) as refused:
        replay(rules_of("minimal"), (1, 1), [Throw((1, 2, 3, 4, 4, 6)), Keep((2,), "roll")])
    assert refused.value.code == "dice_do_not_score"


@pytest.mark.parametrize("name", SPAN)
def test_words_for_events_read_back_equal(name: str) -> None:
    chance = random.Random(3)
    for state in random_states(rules_of(name), seed=3, number=40):
        event = Leave(0) if state.over else random_event(state, chance)
        assert event_of(words(event)) == event
    for event in (Note(450, 2), Note(450, 2, farkle=True), Note(0, 0)):
        assert event_of(words(event)) == event


def test_dice_due() -> None:
    state = on_turn("original", 0, 0)
    assert state.dice_due == 6
    state = go(state, "134446")
    assert state.dice_due == 0
    state = go(state, "1 bank")
    assert state.dice_due == 0
    assert go(state, "take 3").dice_due == 3
    assert play("original", 2).dice_due == 1


def test_options_are_none_when_the_game_is_over() -> None:
    state = go(on_turn("minimal", 9_900, 0), "123446", "1 bank")
    assert options(state) == set()
    assert refused(state, "fresh") == "game_over"
