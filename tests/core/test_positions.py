"""Positions as people say them at the table."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from farkel.coach import (
    leading_to,
    position,
)
from farkel.coach.fields import UNDERSTOOD as COACHED
from farkel.coach.fields import VALUES
from farkel.dice import parse_roll
from farkel.errors import FarkelError
from farkel.game import (
    Keep,
    Offer,
    Phase,
    State,
    Throw,
    apply,
    is_legal,
    new_game,
)
from farkel.rules import Rules
from games_in_words import play
from named_rules import known_to, rules_from, rules_of
from random_play import random_event, random_people
from random_rules import examples, rule_sets


@pytest.mark.parametrize(
    ("rules", "said", "code", "right"),
    [
        ("extended", {"scores": (4520, 6200)}, "score_unit", "4,500 or 4,550"),
        ("extended", {"scores": (100, 6200)}, "score_below_entry", "500 and more"),
        ("facebook", {"scores": (100, 6200)}, None, ""),
        ("facebook", {"scores": (-2500, 6200)}, None, ""),
        ("extended", {"scores": (-50, 6200)}, "score_below_zero", "nothing brings a score below zero"),
        ("facebook(penalties.below_zero=false)", {"scores": (-50, 0)}, "score_below_zero", ""),
        ("extended", {"scores": ()}, "bad_seats", "there are no players"),
        ("original", {"scores": (0,) * 6}, "bad_seats", "at most 5 players or teams, not 6"),
        ("minimal", {"scores": (10000, 0)}, "game_over", "the target is 10,000"),
        ("minimal", {"scores": (0, 10000)}, "game_over", "the target is 10,000"),
        ("minimal(finish=exact)", {"scores": (0, 10500)}, "game_over", "never passed"),
        ("extended", {"scores": (10000, 9000)}, "game_over", "no more turns"),
        ("extended", {"scores": (9000, 9500), "last_turn": True}, "last_turn", "nobody has reached 10,000"),
        ("minimal", {"scores": (9000, 9500), "last_turn": True}, "last_turn", "no last turns in minimal"),
        ("minimal(finish=equal_turns)", {"scores": (0, 10000), "first": 0}, "game_over", "that round is over"),
        ("minimal(finish=equal_turns)", {"scores": (0, 0, 10000)}, "first_seat", "which seat started"),
        ("minimal", {"scores": (0, 0), "first": 2}, "first_seat", "1 to 2"),
        ("minimal(rounds=9)", {"scores": (0, 0)}, "rounds_left", "how many are left"),
        ("minimal(rounds=9)", {"scores": (0, 0), "rounds_left": 10}, "rounds_left", "1 to 9"),
        ("minimal", {"scores": (0, 0), "rounds_left": 1}, "rounds_left", "not limited"),
        ("minimal", {"scores": (0, 0), "lives": (1, 1)}, "no_lives", ""),
        ("original", {"scores": (0, 0), "lives": (13, 1)}, "lives", "0 to 12"),
        ("original", {"scores": (0, 0), "lives": (1, -1)}, "lives", "0 to 12"),
        ("original", {"scores": (0, 0), "lives": (0, 1)}, "lives", "no lives left"),
        ("original", {"scores": (0, 0), "lives": (1,)}, "wrong_number", "one each"),
        ("original", {"scores": (72_000, 0), "lives": (1, 0), "rounds_left": 11}, "rounds_left", "1 to 10"),
        ("original(lives.last_standing=wins)", {"scores": (0, 0), "lives": (1, 0)}, "game_over", "has won"),
        ("extended(lives.each=3,lives.farkle=1)", {"scores": (0, 10_000), "lives": (3, 0)}, "lives", "out of lives"),
        ("minimal", {"scores": (0, 0), "on_board": (True, True)}, "no_entry", ""),
        ("extended", {"scores": (0, 0), "on_board": (True, False)}, "on_board", "cannot be on the board"),
        ("extended", {"scores": (0, 500), "on_board": (False, False)}, "on_board", "must be on the board"),
        ("minimal", {"scores": (0, 0), "farkles": (1, 0)}, "no_farkle_fine", ""),
        ("zilch", {"scores": (0, 0), "farkles": (0, 3)}, "farkles", "0 to 2"),
        ("minimal", {"scores": (0, 0), "roll": (1,) * 7}, "too_many_dice", "1 to 6"),
        ("minimal", {"scores": (0, 0), "roll": ()}, "too_many_dice", "1 to 6"),
        ("minimal", {"scores": (0, 0), "turn": 100, "dice": 7}, "too_many_dice", "1 to 6"),
        ("minimal", {"scores": (0, 0), "roll": (0, 1, 2, 3, 4, 5)}, "bad_face", "1 to 6"),
        ("minimal", {"scores": (0, 0), "roll": (2, 2, 3, 3, 4, 4)}, "farkle", "it is a farkle"),
        ("minimal", {"scores": (0, 0), "turn": 100, "roll": (1,) * 5, "dice": 4}, "dice_differ", "roll of 5"),
        ("minimal", {"scores": (0, 0), "turn": 100}, "no_dice", "give the roll"),
        ("minimal", {"scores": (0, 0), "turn": 120, "dice": 5}, "turn_unit", "100 or 150"),
        ("minimal", {"scores": (0, 0), "turn": -50, "dice": 5}, "turn_unit", "0 or 50"),
        ("minimal", {"scores": (0, 0), "turn": 50, "dice": 2}, "turn_total", "200, 250, 300"),
        ("minimal", {"scores": (0, 0), "roll": (1, 5)}, "turn_total", "200, 250, 300"),
        ("minimal", {"scores": (0, 0), "turn": 250, "dice": 6}, "turn_total", "300, 350, 400"),
        ("minimal", {"scores": (0, 0), "turn": 100, "dice": 5, "hot": 1}, "hot", "multiply nothing"),
        ("minimal", {"scores": (0, 0), "turn": 100, "dice": 5, "idle": 1}, "idle", "no dice are left unused"),
        ("original", {"scores": (0, 0), "turn": 1000, "dice": 2, "idle": 5}, "idle", "6 in all"),
        ("minimal", {"scores": (0, 500), "offer": Offer(350, 2)}, "no_take_over", "no take-over"),
        ("build-on", {"scores": (500, 500), "offer": Offer(0, 2)}, "no_offer", "a farkle leaves nothing"),
        ("build-on", {"scores": (500,), "offer": Offer(350, 2)}, "no_offer", "their own offer"),
        ("original", {"scores": (0, 900), "lives": (1, 0), "offer": Offer(500, 5)}, "score_unit", ""),
        ("original", {"scores": (0, 1000), "lives": (1, 0), "offer": Offer(500, 5)}, "no_offer", "their own offer"),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 0)}, "offer_dice", "1 to 6"),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 6)}, "offer_dice", "hot dice leave none"),
        ("build-on", {"scores": (500, 900), "offer": Offer(320, 2)}, "turn_unit", "300 or 350"),
        ("build-on", {"scores": (500, 900), "offer": Offer(50, 4)}, "turn_total", "100, 150, 200"),
        ("build-on", {"scores": (500, 600), "offer": Offer(650, 2)}, "offer", "it has 600"),
        ("build-on(minimum=300)", {"scores": (500, 900), "offer": Offer(250, 3)}, "offer", "every turn needs 300"),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 2), "roll": (1, 5)}, "offer_and_turn", ""),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 2), "turn": 350}, "offer_and_turn", ""),
        ("minimal(keep=all)", {"scores": (500, 900), "roll": (1, 2, 2, 3, 4, 6)}, None, ""),
        ("minimal(penalties.farkle=all)", {"scores": (0, 0)}, "penalties.farkle", "is not known to the coach"),
        ("minimal(finish=fewest_rounds)", {"scores": (0, 0)}, "finish", "is not known to the coach"),
    ],
)
def test_an_impossible_position_is_refused_with_its_code(
    rules: str, said: dict[str, Any], code: str | None, right: str
) -> None:
    if code is None:
        assert position(rules_of(rules), **said).seats[0].score == said["scores"][0]
        return
    with pytest.raises(FarkelError) as caught:
        position(rules_of(rules), **said)
    assert caught.value.code == code
    assert right in caught.value.message


def test_omitted_fields_default_to_those_of_the_table() -> None:
    state = position(rules_of("original"), scores=(45_000, 0), turn=17_000, roll=parse_roll("15"))
    assert [seat.lives for seat in state.seats] == [12, 12]
    state = position(rules_of("extended"), scores=(4_500, 0), turn=350, roll=parse_roll("152233"))
    assert [seat.on_board for seat in state.seats] == [True, False]
    assert (state.phase, state.points, state.dice, state.closer) == (Phase.KEEP, 350, 6, -1)
    last = position(rules_of("extended"), scores=(4_500, 9_000, 10_500, 11_000), turn=300, dice=3)
    assert last.closer == 2
    assert last == position(
        rules_of("extended"), scores=(4_500, 9_000, 10_500, 11_000), turn=300, dice=3, last_turn=True
    )
    ends = position(rules_of("minimal(finish=equal_turns)"), scores=(4_500, 10_000))
    assert (ends.first, ends.closer) == (1, 1)
    alone = position(rules_of("original"), scores=(72_000, 90_000), lives=(3, 0))
    assert alone.standing == 3
    assert alone.seats[1].status == "out"


def test_the_roll_is_played_and_takes_its_fine() -> None:
    rules = rules_of("minimal(rolled.333=-300)")
    state = position(rules, scores=(1_000, 0), roll=(1, 2, 3, 3, 3, 4))
    assert state.seats[0].score == 700
    assert state.roll == (1, 2, 3, 3, 3, 4)


def said(state: State) -> dict[str, Any]:
    """What people would say of the state, from the seat that moves on."""
    rules, order = state.rules, [(state.seat + step) % len(state.seats) for step in range(len(state.seats))]
    seats = [state.seats[number] for number in order]
    words: dict[str, Any] = {"scores": [seat.score for seat in seats], "first": order.index(state.first)}
    if state.taking:
        words["scores"][0] += rules.take_over.stake  # the stake is still the seat's own, if the roll scores
    if rules.lives.each:
        words["lives"] = [seat.lives for seat in seats]
    if rules.entry:
        words["on_board"] = [seat.on_board for seat in seats]
    if rules.penalties.farkles_in_row:
        words["farkles"] = [seat.farkles for seat in seats]
    if state.standing or (rules.rounds and state.closer < 0):
        words["rounds_left"] = state.standing or state.rounds_left
    if state.phase is Phase.OFFER:
        return words | {"offer": state.offer}
    return words | {"turn": state.points, "dice": state.dice, "idle": state.idle, "hot": state.hot}


def seen(state: State) -> State:
    """The state from the seat that moves on, without what a position does not say."""
    seats, here = state.seats[state.seat :] + state.seats[: state.seat], state.seat
    return state._replace(
        seats=tuple(seat._replace(people=1, person=0, entered=-1 if seat.on_board else 0, taken=0) for seat in seats),
        seat=0,
        first=(state.first - here) % len(seats),
        closer=(state.closer - here) % len(seats) if state.closer >= 0 else -1,
        rounds_left=0 if state.closer >= 0 or state.standing else state.rounds_left,
        taking=False,
    )


@settings(max_examples=examples(60))
@given(rule_sets().map(partial(known_to, COACHED, values=VALUES)), st.integers(0, 10**9))
@example(rules_from("build-on(target=3000, take_over.toward_entry=false)"), 1)
@example(rules_from("high-stakes(target=3000, take_over.toward_entry=false, rolled.aaa=bank)"), 2)
def test_every_state_of_a_game_can_be_said(rules: Rules, seed: int) -> None:
    chance = random.Random(seed)
    state = new_game(rules, random_people(rules, chance, usual=(1, 2, 2, 3)))
    for _ in range(60):
        if state.over or any(seat.status == "left" for seat in state.seats):
            break
        event = random_event(state, chance)
        after = apply(state, event)
        if state.phase is Phase.OFFER or (state.phase is Phase.ROLL and not state.taking):
            assert seen(position(rules, **said(state))) == seen(state)
        if isinstance(event, Throw) and after.phase is Phase.KEEP:
            words = said(state) | {"roll": event.faces}
            assert seen(position(rules, **words)) == seen(after)
        state = after


def test_P16_a_keep_that_ends_the_turn_is_rolled_on_with_if_hot_dice_must_be() -> None:
    rules = rules_of('standard(hot_dice=forced, scoring.aabbcc={ points = 1525, then = "bank" })')
    played = play(rules, 1, "112233", "112233 roll")
    assert (played.points, played.dice) == (1525, 6)
    assert seen(position(rules, **said(played))) == seen(played)


UNCOUNTED = (
    "minimal(hot_dice_multiplier=true, minimum=200, scoring.1=0, scoring.111=0, take_over.price=free, "
    "take_over.choose_dice=true, take_over.after_farkle=true)"
)
"""All dice may be rolled again without hot dice that multiply: after one of several dice was taken over and kept."""


@settings(max_examples=examples(50))
@given(rule_sets().map(partial(known_to, COACHED, values=VALUES)), st.integers(0, 10**9))
@example(rules_from(UNCOUNTED), 5)
@example(rules_from(UNCOUNTED), 9)
def test_the_derived_keep_leads_to_the_roll(rules: Rules, seed: int) -> None:
    chance = random.Random(seed)
    state = new_game(rules, random_people(rules, chance))
    for _ in range(60):
        if state.over:
            break
        event = random_event(state, chance)
        if state.phase is Phase.KEEP and isinstance(event, Keep) and event.then == "roll":
            state = apply(state, event)
            before, keep = leading_to(state)
            assert before.phase is Phase.KEEP
            assert (
                before._replace(
                    rolled=0, phase=Phase.ROLL, points=state.points, dice=state.dice, hot=state.hot, idle=state.idle
                )
                == state
            )
            if is_legal(before, keep):
                assert apply(before, keep) == state
        else:
            state = apply(state, event)
