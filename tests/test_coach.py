"""Positions as people say them, advice for one decision, and the review of whole games."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from farkel.coach import (
    Advice,
    Chances,
    PositionError,
    advise,
    chances,
    grade,
    leading_to,
    position,
    reason,
    review,
)
from farkel.coach.advice import EVEN
from farkel.coach.card import _first_run, banks_from, make_card
from farkel.coach.table import totals
from farkel.dice import FACES, parse_roll
from farkel.errors import FarkelError
from farkel.game import (
    Action,
    Keep,
    Leave,
    Note,
    Offer,
    Phase,
    State,
    Throw,
    apply,
    chance_outcomes,
    dice_due,
    is_legal,
    legal_actions,
    new_game,
    turn_total,
)
from farkel.record import DiceSpec, Header, Move, Record, Seating
from farkel.rules import Rules
from farkel.scoring import score_table
from farkel.solve import duel
from helpers import examples, random_event, random_people, rule_sets, rules_from, rules_of
from reference import Duel

# Positions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "said", "code", "right"),
    [
        ("extended", {"scores": (4520, 6200)}, "score_unit", "4,500 or 4,550"),
        ("extended", {"scores": (100, 6200)}, "score_below_entry", "500 and more"),
        ("facebook", {"scores": (100, 6200)}, None, ""),
        ("facebook", {"scores": (-2500, 6200)}, None, ""),
        ("extended", {"scores": (-50, 6200)}, "score_below_zero", "nothing brings a score below zero"),
        ("facebook(penalties.below_zero=false)", {"scores": (-50, 0)}, "score_below_zero", ""),
        ("extended", {"scores": ()}, "bad_seats", "1 to 8"),
        ("original", {"scores": (0,) * 6}, "bad_seats", "1 to 5"),
        ("minimal", {"scores": (10000, 0)}, "game_over", "the target is 10,000"),
        ("minimal", {"scores": (0, 10000)}, "game_over", "the target is 10,000"),
        ("minimal(finish=exact)", {"scores": (0, 10500)}, "game_over", "never passed"),
        ("extended", {"scores": (10000, 9000)}, "game_over", "no turn any more"),
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
        ("original", {"scores": (0, 0), "lives": (0, 1)}, "lives", "out of the game"),
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
        ("minimal", {"scores": (0, 0), "turn": 100}, "no_dice", "what was rolled"),
        ("minimal", {"scores": (0, 0), "turn": 120, "dice": 5}, "turn_unit", "100 or 150"),
        ("minimal", {"scores": (0, 0), "turn": -50, "dice": 5}, "turn_unit", "0 or 50"),
        ("minimal", {"scores": (0, 0), "turn": 50, "dice": 2}, "turn_total", "200, 250, 300"),
        ("minimal", {"scores": (0, 0), "roll": (1, 5)}, "turn_total", "200, 250, 300"),
        ("minimal", {"scores": (0, 0), "turn": 250, "dice": 6}, "turn_total", "300, 350, 400"),
        ("minimal", {"scores": (0, 0), "turn": 100, "dice": 5, "hot": 1}, "hot", "multiply nothing"),
        ("minimal", {"scores": (0, 0), "turn": 100, "dice": 5, "idle": 1}, "idle", "no dice lie idle"),
        ("original", {"scores": (0, 0), "turn": 1000, "dice": 2, "idle": 5}, "idle", "6 in all"),
        ("minimal", {"scores": (0, 500), "offer": Offer(350, 2)}, "no_take_over", "no take-over"),
        ("build-on", {"scores": (500, 500), "offer": Offer(0, 2)}, "no_offer", "a farkle leaves nothing"),
        ("build-on", {"scores": (500,), "offer": Offer(350, 2)}, "no_offer", "alone"),
        ("original", {"scores": (0, 900), "lives": (1, 0), "offer": Offer(500, 5)}, "score_unit", ""),
        ("original", {"scores": (0, 1000), "lives": (1, 0), "offer": Offer(500, 5)}, "no_offer", "alone"),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 0)}, "offer_dice", "1 to 6"),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 6)}, "offer_dice", "hot dice leave none"),
        ("build-on", {"scores": (500, 900), "offer": Offer(320, 2)}, "turn_unit", "300 or 350"),
        ("build-on", {"scores": (500, 900), "offer": Offer(50, 4)}, "turn_total", "100, 150, 200"),
        ("build-on", {"scores": (500, 600), "offer": Offer(650, 2)}, "offer", "it has 600"),
        ("build-on(minimum=300)", {"scores": (500, 900), "offer": Offer(250, 3)}, "offer", "every turn needs 300"),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 2), "roll": (1, 5)}, "offer_and_turn", ""),
        ("build-on", {"scores": (500, 900), "offer": Offer(350, 2), "turn": 350}, "offer_and_turn", ""),
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


def test_what_is_not_said_is_as_it_would_be_at_the_table() -> None:
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
    rules = rules_of("minimal(scoring.three_threes=-300)")
    state = position(rules, scores=(1_000, 0), roll=(1, 2, 3, 3, 3, 4))
    assert state.seats[0].score == 700
    assert state.roll == (1, 2, 3, 3, 3, 4)


def said(state: State) -> dict[str, Any]:
    """What people would say of the state, from the seat that moves on."""
    rules, order = state.rules, [(state.seat + step) % len(state.seats) for step in range(len(state.seats))]
    seats = [state.seats[number] for number in order]
    words: dict[str, Any] = {"scores": [seat.score for seat in seats], "first": order.index(state.first)}
    if state.taking:
        words["scores"][0] += rules.take_over.stake  # what is put up is still the seat's own, if the roll scores
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
        seats=tuple(seat._replace(people=1, person=0, entered=-1 if seat.on_board else 0) for seat in seats),
        seat=0,
        first=(state.first - here) % len(seats),
        closer=(state.closer - here) % len(seats) if state.closer >= 0 else -1,
        rounds_left=0 if state.closer >= 0 or state.standing else state.rounds_left,
        taking=False,
    )


@settings(max_examples=examples(60))
@given(rule_sets(), st.integers(0, 10**9))
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


UNCOUNTED = (
    "minimal(hot_dice_multiplier=true, minimum=200, scoring.one=0, scoring.three_ones=0, take_over.price=free, "
    "take_over.choose_dice=true, take_over.after_farkle=true)"
)
"""All dice may be rolled again without hot dice that multiply: after one of several dice was taken over and kept."""


@settings(max_examples=examples(50))
@given(rule_sets(), st.integers(0, 10**9))
@example(rules_from(UNCOUNTED), 5)
@example(rules_from(UNCOUNTED), 9)
def test_what_led_to_a_roll_leads_to_it(rules: Rules, seed: int) -> None:
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


# Advice --------------------------------------------------------------------------------------------------------------

SMALL = (
    "minimal(dice=5, scoring.five=100, scoring.three_ones=400, scoring.three_twos=200, scoring.three_threes=300, "
    "scoring.three_fours=300, scoring.three_fives=300, scoring.three_sixes=300, {})"
)
"""Scores in steps of 100, so that the slow solver is quick."""

GAMES = {
    "at once": "target=400",
    "last turns": "target=400, finish=last_turns, entry=200, start=highest_die",
    "take over": "target=400, finish=last_turns, take_over.price=free",
    "farkles": "target=400, take_over.price=free, take_over.after_farkle=true, take_over.after_hot_dice=true",
    "stakes": "target=400, finish=last_turns, take_over.price=stake, take_over.stake=100",
    "lives": "target=400, lives.each=2, lives.farkle=1, take_over.price=lives, take_over.choose_dice=true, "
    "lives.round_points=200, start=first_six",
    "exact": "target=400, finish=exact, hot_dice=forced",
    "welfare": "target=400, finish=welfare, minimum=200",
    "equal turns": "target=400, finish=equal_turns, penalties.farkles_in_row=2, penalties.farkles_in_row_points=100, "
    "penalties.below_zero=false",
    "rounds": "target=0, rounds=2, triple_ends_turn=true",
}
MOST = 1_000
"""Where the slow solver cuts turn totals."""


class Whole:
    """The slow solver with a game's throws for the start, which it leaves to others."""

    def __init__(self, rules: Rules) -> None:
        self.slow = Duel(rules, most=MOST)

    def chances(self, state: State) -> Chances:
        if state.phase is not Phase.START:
            return self.slow.chances(state)
        begins = [begun(state, seat) for seat in (0, 1)]
        first, second = (self.slow.chances(each) for each in begins)
        return tuple(
            self._first(state) * one + (1 - self._first(state)) * other
            for one, other in zip(first, second, strict=True)
        )

    def _first(self, state: State) -> float:
        """The chance that seat 0 starts."""
        if state.rules.start == "first_six":
            return 6 / 11 if state.seat == 0 else 5 / 11
        thrown = state.throws[0]
        return 0.5 if thrown == 0 else (thrown - 1 + 0.5) / 6


def begun(state: State, seat: int) -> State:
    seats = tuple(one._replace(thrown=0) for one in state.seats)
    return state._replace(phase=Phase.ROLL, seats=seats, seat=seat, first=seat, dice=state.rules.dice)


class Gain:
    """A turn that is worth what is set aside and 100 more."""

    def worth(self, state: State) -> float:
        return state.points + 100.0


@cache
def solved(game: str) -> Whole:
    return Whole(rules_of(SMALL.format(GAMES[game])))


def small(game: str) -> Rules:
    return rules_of(SMALL.format(GAMES[game]))


def wins(option: float) -> str:
    return f"{option:.1%}"


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_action_is_ranked(game: str) -> None:
    rules, evaluator, chance = small(game), solved(game), random.Random(game)
    for events in range(5):
        state = new_game(rules)
        for _ in range(40):
            if state.over:
                break
            if not dice_due(state):
                checked(evaluator, advise(evaluator, Gain(), state))
            state = apply(state, modest_event(state, chance, leaves=events == 0))


def checked(evaluator: Whole, advice: Advice) -> None:
    """Assert what holds for any advice."""
    state, options = advice.state, advice.options
    assert sorted(map(repr, legal_actions(state))) == sorted(repr(option.action) for option in options)
    assert advice.exact
    highest = max(chances(evaluator, apply(state, action))[state.seat] for action in legal_actions(state))
    assert options[0].cost == 0
    for one, other in pairwise(options):
        assert one.cost <= other.cost
    for option in options:
        after = apply(state, option.action)
        assert option.after == after
        assert option.chances == chances(evaluator, after)
        assert option.cost == highest - advice.chance(option) >= 0
        if option.banks:
            assert isinstance(option.action, Keep)
            assert option.total == turn_total(state, option.action.dice)
            assert option.points == after.seats[state.seat].score - state.seats[state.seat].score
            assert option.farkle == option.dice == 0
        else:
            assert option.points == after.points + 100
            assert option.dice == after.dice
            falls = product(FACES, repeat=after.dice)
            farkles = sum(score_table(state.rules)[tuple(sorted(faces))].farkle for faces in falls)
            assert option.farkle == Fraction(farkles, 6**after.dice)
    text = reason(advice)
    assert text.endswith(".")
    assert "None" not in text


def test_whether_to_roll_on_can_be_asked_without_saying_what_was_kept() -> None:
    rules, evaluator = small("at once"), solved("at once")
    state = position(rules, scores=(100, 200), turn=200, dice=3)
    short = advise(evaluator, Gain(), state)
    full = advise(evaluator, Gain(), position(rules, scores=(100, 200), turn=100, roll=(1, 2, 3, 4)))
    assert [(each.total, each.dice, each.chances) for each in short.options] == [
        (each.total, each.dice, each.chances) for each in full.options
    ]
    forced = position(small("exact"), scores=(0, 0), turn=500, dice=5)
    assert [option.action for option in advise(solved("exact"), Gain(), forced).options] == [Keep((), "roll")]


@pytest.mark.parametrize("words", [{}, {"turn": 0}, {"dice": 5}])
def test_where_nothing_is_to_be_decided_there_is_no_advice(words: dict[str, Any]) -> None:
    state = position(small("at once"), scores=(0, 0), **words)
    with pytest.raises(PositionError) as caught:
        advise(solved("at once"), Gain(), state)
    assert caught.value.code == "nothing_to_decide"
    with pytest.raises(PositionError):
        advise(solved("at once"), Gain(), new_game(small("lives")))


class Said:
    """Chances by what was done last: of a bank, of a roll with so many dice, of a fresh start, of a take-over."""

    exact = True

    def __init__(self, **known: float) -> None:
        self.known = known

    def chances(self, state: State) -> Chances:
        key = "take" if state.taking else "bank" if state.seat else f"roll{state.dice}"
        chance = self.known[key]
        return chance, 1 - chance


@pytest.mark.parametrize(
    ("rules", "words", "known", "expected"),
    [
        (
            "minimal",
            {"scores": (0, 0), "turn": 300, "roll": (1, 2, 2)},
            {"bank": 0.482, "roll2": 0.469},
            "Banking 400 wins 48.2%. Rolling 2 dice farkles 44.4% of the time, risks 400 points and wins 46.9%.",
        ),
        (
            "minimal",
            {"scores": (0, 0), "turn": 300, "roll": (1, 2, 2)},
            {"bank": 0.4, "roll2": 0.469},
            "Rolling 2 dice farkles 44.4% of the time, risks 400 points and still wins 46.9%; banking 400 wins 40.0%.",
        ),
        (
            "minimal",
            {"scores": (0, 0), "roll": (1, 2, 2, 3, 4, 5)},
            {"bank": 0.4, "roll5": 0.46921, "roll4": 0.46879},
            "Rolling 5 dice farkles 7.7% of the time, risks 100 points and still wins 46.9%; banking 150 wins 40.0%. "
            "Setting aside 1-5 for 150 leaves 4 dice and wins 46.88%.",
        ),
        (
            "minimal",
            {"scores": (9_700, 0), "turn": 200, "roll": (1, 2, 2)},
            {"roll2": 0.7},
            "Banking 300 wins the game. Rolling 2 dice farkles 44.4% of the time, risks 300 points and wins 70.0%.",
        ),
        (
            "extended",
            {"scores": (0, 10_000), "turn": 400, "roll": (1, 2, 2)},
            {"roll2": 0.2},
            "Rolling 2 dice farkles 44.4% of the time, risks 500 points and still wins 20.0%; banking 500 loses the "
            "game.",
        ),
        (
            "extended",
            {"scores": (0, 900), "roll": (1, 2, 2, 3, 4, 5)},
            {"roll5": 0.4, "roll4": 0.5},
            "150 points are too few to get on the board: the first bank needs 500 in one turn. Rolling 4 dice farkles "
            "15.7% of the time, risks 150 points and wins 50.0%.",
        ),
        (
            "extended",
            {"scores": (0, 900), "roll": (1, 2, 2, 3, 4, 4)},
            {"roll5": 0.4},
            "There is no choice but to keep 1 and roll on. 100 points are too few to get on the board: the first bank "
            "needs 500 in one turn.",
        ),
        (
            "minimal(hot_dice=forced)",
            {"scores": (0, 900), "turn": 600, "dice": 6},
            {"roll6": 0.4},
            "There is no choice but to roll. All dice are set aside: hot dice must be rolled at least once more.",
        ),
        (
            "minimal(triple_ends_turn=true)",
            {"scores": (0, 900), "roll": (2, 2, 2, 3, 4, 4)},
            {"bank": 0.4},
            "There is no choice but to keep 2-2-2 and bank. This roll ends the turn: its turn total must be banked.",
        ),
        (
            "minimal",
            {"scores": (0, 9_000), "turn": 300, "roll": (1, 2, 2)},
            {"bank": 0.0, "roll2": 0.0},
            "Nothing wins any more, whatever is done.",
        ),
        (
            "minimal",
            {"scores": (9_000, 0), "turn": 300, "roll": (1, 2, 2)},
            {"bank": 0.75, "roll2": 0.75},
            "It makes no difference: everything wins 75.0%.",
        ),
        (
            "build-on",
            {"scores": (500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.49, "take": 0.5},
            "Taking over 350 points with 2 dice farkles 44.4% of the time and still wins 50.0%; starting fresh wins "
            "49.0%.",
        ),
        (
            "build-on",
            {"scores": (500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.49, "take": 0.4},
            "Starting fresh wins 49.0%. Taking over 350 points with 2 dice farkles 44.4% of the time and wins 40.0%.",
        ),
        (
            "original",
            {"scores": (500, 17_000), "lives": (2, 9), "offer": Offer(17_000, 2)},
            {"roll6": 0.3, "take": 0.4},
            "Taking over 17,000 points with 1 die costs 1 life, farkles 66.7% of the time (and then costs 1 life) and "
            "still wins 40.0%; starting fresh wins 30.0%.",
        ),
        (
            "original",
            {"scores": (500, 17_000), "lives": (1, 9), "offer": Offer(17_000, 2)},
            {"roll6": 0.3},
            "There is no choice but to start fresh. Each die costs a life and one life must remain: with 1 left there "
            "are too few for 1.",
        ),
        (
            "build-on(take_over.price=stake, take_over.stake=1000)",
            {"scores": (500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.3},
            "There is no choice but to start fresh. A take-over stakes 1,000 banked points, but there are 500.",
        ),
        (
            "build-on(take_over.price=stake, take_over.stake=1000)",
            {"scores": (1_500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.3, "take": 0.2},
            "Starting fresh wins 30.0%. Taking over 350 points with 2 dice stakes 1,000 banked points, farkles 44.4% "
            "of the time and wins 20.0%.",
        ),
    ],
)
def test_the_reason_in_words(rules: str, words: dict[str, Any], known: dict[str, float], expected: str) -> None:
    state = position(rules_of(rules), **words)
    assert reason(advise(Said(**known), Gain(), state)) == expected


def test_an_approximation_is_called_one() -> None:
    evaluator = Said(bank=0.482, roll2=0.469)
    evaluator.exact = False
    text = reason(advise(evaluator, Gain(), position(rules_of("minimal"), scores=(0, 0), turn=300, roll=(1, 2, 2))))
    assert text.startswith("Banking 400 wins about 48.2%.")


# Review --------------------------------------------------------------------------------------------------------------


def modest_event(state: State, chance: random.Random, leaves: bool = False) -> Throw | Action | Leave:
    """Dice that fall, or a random decision that leaves no turn total beyond the slow solver's cut."""
    if leaves and chance.random() < 0.02:
        return Leave(chance.randrange(2))
    if dice_due(state):
        return Throw(tuple(sorted(chance.choices(FACES, k=dice_due(state)))))
    banks = [action for action in legal_actions(state) if isinstance(action, Keep) and action.then == "bank"]
    high = [action for action in banks if turn_total(state, action.dice) >= MOST // 2]
    return chance.choice(high or legal_actions(state))


def random_record(rules: Rules, chance: random.Random, bound: int, leaves: bool = False) -> Record:
    """A game of random decisions, as far as it goes in so many moves."""
    header = Header(rules, (Seating("Ann", ("Ann",)), Seating("Ben", ("Ben",))), DiceSpec(), "2026-11-21 14:03")
    record = Record(header)
    while not record.state.over and len(record.moves) < bound:
        before = record.state
        event = modest_event(before, chance, leaves)
        record.moves.append(Move(len(record.moves) + 1, event, before, apply(before, event)))
    return record


@pytest.mark.parametrize("game", GAMES)
def test_result_minus_start_is_luck_minus_errors(game: str) -> None:
    """The identity of DESIGN.md, for each seat, in whole and in unfinished games, and with seats that leave."""
    rules, evaluator, chance = small(game), solved(game), random.Random(game)
    for number in range(examples(12)):
        record = random_record(rules, chance, bound=chance.choice((0, 1, 7, 200)), leaves=number % 3 == 0)
        found = review(evaluator, record)
        result = chances(evaluator, record.state)
        for seat, account in enumerate(found.seats):
            assert account.start == chances(evaluator, new_game(rules))[seat]
            assert account.end == result[seat]
            assert account.errors >= 0
            assert account.rest == pytest.approx(0, abs=1e-9)
            explained = account.luck - account.errors + account.from_others + account.left
            assert account.end - account.start == pytest.approx(explained, abs=1e-9)
        assert len(found.curve) == len(record.moves) + 1
        assert found.curve[-1] == result


class Loose:
    """An evaluator that does not say that it is exact: nothing it says is taken for granted."""

    exact = False

    def __init__(self, evaluator: Whole) -> None:
        self.chances = evaluator.chances


@pytest.mark.parametrize("game", GAMES)
def test_the_mean_over_all_rolls_is_the_chance_before_them(game: str) -> None:
    """What a review of exact chances relies on; the sums are the same where each roll is averaged over."""
    rules, evaluator, chance = small(game), solved(game), random.Random(f"{game} loose")
    record = random_record(rules, chance, bound=60)
    one, other = review(evaluator, record), review(Loose(evaluator), record)
    assert (one.exact, other.exact) == (True, False)
    for account, same in zip(one.seats, other.seats, strict=True):
        assert same.luck == pytest.approx(account.luck, abs=1e-9)
        assert same.rest == pytest.approx(0, abs=1e-9)
        assert (same.errors, same.from_others) == (account.errors, account.from_others)


@pytest.mark.parametrize("game", GAMES)
def test_luck_and_errors_are_what_they_are_said_to_be(game: str) -> None:
    rules, evaluator, chance = small(game), solved(game), random.Random(f"{game} again")
    record = random_record(rules, chance, bound=120)
    for step in review(evaluator, record).steps:
        before, event, after = step.move.before, step.move.event, step.move.after
        if isinstance(event, Throw):
            ways = {throw.faces: ways for throw, ways in chance_outcomes(before)}
            for seat in (0, 1):
                mean = sum(
                    count * chances(evaluator, apply(before, Throw(faces)))[seat] for faces, count in ways.items()
                ) / sum(ways.values())
                assert step.luck[seat] == pytest.approx(chances(evaluator, after)[seat] - mean, abs=1e-12)
            assert step.decision is None
            continue
        worth = [chances(evaluator, apply(before, action))[before.seat] for action in legal_actions(before)]
        if len(worth) == 1:
            assert step.decision is None
            continue
        assert step.decision is not None
        error = max(worth) - chances(evaluator, after)[before.seat]
        assert step.decision.error == pytest.approx(error, abs=1e-9)
        assert step.decision.error >= 0
        assert step.decision.grade == grade(error)
        assert step.given[before.seat] == pytest.approx(-error, abs=1e-9)
        assert chances(evaluator, apply(before, step.decision.best))[before.seat] >= max(worth) - EVEN


def with_notes(record: Record, chance: random.Random) -> Record:
    """The same game with some of its turns only noted, as far as a note leads where the turn led."""
    noted = Record(record.header)
    began: State | None = None
    for move in record.moves:
        before = move.before
        if before.phase is Phase.ROLL and before.dice == before.rules.dice and not before.points:
            began, mark = before, len(noted.moves)
        noted.moves.append(move)
        note = note_of(move)
        if began is not None and note is not None and apply(began, note) == move.after and chance.random() < 0.5:
            noted.moves[mark:] = [Move(move.number, note, began, move.after)]
        if note is not None:
            began = None
    return noted


def note_of(move: Move) -> Note | None:
    """The note for the turn that ends with this move."""
    before, event = move.before, move.event
    if isinstance(event, Keep) and event.then == "bank":
        kept = score_table(before.rules)[before.roll].keeps[event.dice]
        return Note(turn_total(before, event.dice), (0 if kept.hot else kept.left) + before.idle)
    farkled = isinstance(event, Throw) and before.phase is Phase.ROLL and move.after.phase is not Phase.KEEP
    return Note(before.points, before.dice, farkle=True) if farkled else None


@pytest.mark.parametrize("game", GAMES)
def test_noted_turns_are_neither_luck_nor_errors_and_the_account_still_adds_up(game: str) -> None:
    rules, evaluator, chance = small(game), solved(game), random.Random(f"{game} noted")
    met = 0
    for _ in range(examples(8)):
        record = with_notes(random_record(rules, chance, bound=120), chance)
        if not record.state.over:
            passed = Note(0, 0)
            record.moves.append(Move(999, passed, record.state, apply(record.state, passed)))
        found = review(evaluator, record)
        for step in found.steps:
            if isinstance(step.move.event, Note):
                met += 1
                assert (step.luck, step.given, step.decision) == ((), (), None)
        for seat, account in enumerate(found.seats):
            explained = account.luck - account.errors + account.from_others + account.left + account.noted
            assert account.rest == pytest.approx(0, abs=1e-9)
            assert account.end - account.start == pytest.approx(explained, abs=1e-9)
            noted = [step for step in found.steps if isinstance(step.move.event, Note)]
            assert account.noted == pytest.approx(
                sum(step.after[seat] - step.before[seat] for step in noted), abs=1e-12
            )
    assert met


@pytest.mark.parametrize(
    ("rules", "note", "code", "right"),
    [
        (
            "minimal(target=1000)",
            Note(475, 2),
            "score_unit",
            "after event 1, a noted turn: the score 475 of seat 1 cannot be: scores move in steps of 50 (450 or 500)",
        ),
        (
            "minimal(target=1000, take_over.price=free, take_over.after_farkle=true)",
            Note(475, 2, farkle=True),
            "turn_unit",
            "after event 1, a noted turn: an offer of 475 cannot be: points come in steps of 50",
        ),
    ],
)
def test_a_noted_turn_of_points_that_cannot_be_is_not_reviewed(rules: str, note: Note, code: str, right: str) -> None:
    record = Record(Header(rules_of(rules), (Seating("Ann", ("Ann",)), Seating("Ben", ("Ben",))), DiceSpec(), ""))
    record.moves.append(Move(1, note, record.state, apply(record.state, note)))
    with pytest.raises(PositionError) as refused:
        review(solved("at once"), record)
    assert (refused.value.code, refused.value.message) == (code, right)


def test_best_play_makes_no_errors() -> None:
    rules, evaluator, chance = small("take over"), solved("take over"), random.Random(5)
    header = Header(rules, (Seating("Ann", ("Ann",)), Seating("Ben", ("Ben",))), DiceSpec(), "2026-11-21 14:03")
    record = Record(header)
    while not record.state.over:
        before = record.state
        event = (
            Throw(tuple(sorted(chance.choices(FACES, k=dice_due(before)))))
            if dice_due(before)
            else advise(evaluator, Gain(), before).best.action
        )
        record.moves.append(Move(len(record.moves) + 1, event, before, apply(before, event)))
    found = review(evaluator, record)
    assert found.errors == ()
    assert [account.errors for account in found.seats] == pytest.approx([0, 0], abs=1e-9)
    assert sum(account.decisions for account in found.seats) == len(found.decisions) > 0
    assert sorted(account.end for account in found.seats) == [0, 1]


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (0, "good"),
        (0.0049, "good"),
        (0.005, "inaccuracy"),
        (0.0199, "inaccuracy"),
        (0.02, "mistake"),
        (0.0499, "mistake"),
        (0.05, "blunder"),
        (1, "blunder"),
    ],
)
def test_the_words_for_errors(error: float, word: str) -> None:
    assert grade(error) == word


def test_turning_points_are_the_largest_swings_in_order() -> None:
    found = review(solved("at once"), random_record(small("at once"), random.Random(3), bound=200))
    points = found.turning_points
    assert 0 < len(points) <= 5
    assert [step.move.number for step in points] == sorted(step.move.number for step in points)
    assert min(step.swing for step in points) >= max(
        (step.swing for step in found.steps if step not in points), default=0
    )


def test_a_review_tells_how_far_it_is() -> None:
    told: list[tuple[float, float]] = []
    record = random_record(small("at once"), random.Random(3), bound=9)
    review(solved("at once"), record, lambda done, of: told.append((done, of)))
    assert told == [(number, len(record.moves)) for number in range(1, len(record.moves) + 1)]


# The strategy card ---------------------------------------------------------------------------------------------------


class Plain:
    """What a card takes from the best turn and the odds."""

    expected_points = 100.0
    farkle = hot_dice = mean_best = Fraction(1, 3)
    bank_at: ClassVar[dict[int, int | None]] = {1: 100, 2: 200, 3: 300, 4: 400, 5: None}


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("......", None),
        ("..####", (300, None)),
        ("..#######", (300, None)),
        ("..######......######", (300, 800)),
        ("..######.....######", (300, None)),
        ("..#####......######", (1400, None)),
        (".#.#.#", (600, None)),
    ],
)
def test_a_threshold_passes_over_few_exceptions(right: str, expected: tuple[int, int | None] | None) -> None:
    assert _first_run((100 * place, mark == "#") for place, mark in enumerate(right, 1)) == expected


@pytest.fixture
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.usefixtures("_cache")
@pytest.mark.parametrize("game", ["at once", "last turns", "exact"])
def test_thresholds_are_where_banking_begins_to_be_best(game: str) -> None:
    rules = small(game)
    evaluator = duel(rules)
    for own, other in ((0, 0), (200, 300), (300, 200)):
        for dice in range(1, 6):
            found = banks_from(evaluator, position(rules, scores=(own, other)), dice)
            wrong = 0
            for total in totals(rules, dice, 0, rules.target - own)[dice == 5 :]:
                best = advise(evaluator, Gain(), position(rules, scores=(own, other), turn=total, dice=dice))
                banks = any(option.banks and option.cost < EVEN for option in best.options)
                expected = found is not None and found[0] <= total <= (found[1] or total)
                wrong += banks != expected
            assert wrong < 6


@pytest.mark.usefixtures("_cache")
@pytest.mark.parametrize("game", ["at once", "last turns", "take over", "stakes", "lives", "exact", "equal turns"])
def test_a_card_has_all_its_tables(game: str) -> None:
    rules = small(game)
    evaluator = duel(rules)
    odds = {dice: Plain() for dice in range(1, 6)}
    told: list[tuple[float, float]] = []
    card = make_card(rules, evaluator, Plain(), odds, lambda done, of: told.append((done, of)))
    assert card.first_player_wins == evaluator.chances(position(rules, scores=(0, 0)))[0]
    takes = {"take over": 1, "stakes": 1, "lives": 1}.get(game, 0)
    assert [table.name for table in card.tables] == ["odds", "bank", *["grid"] * 4, *["take"] * takes]
    assert len(told) == len(card.tables)
    for table in card.tables:
        assert len(table.cells) == len(table.labels)
        assert all(len(cells) == len(table.columns) for cells in table.cells)
    bank = card.tables[1]
    assert bank.labels[0].startswith("getting on the board" if rules.entry else "early")
    assert bank.cells[-1] == (100, 200, 300, 400, "roll")
