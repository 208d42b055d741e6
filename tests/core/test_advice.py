"""Advice for one decision, and the reason for it in words."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from farkel.coach import (
    Advice,
    Chances,
    PositionError,
    advise,
    chances,
    position,
    reason,
)
from farkel.dice import FACES
from farkel.game import (
    Keep,
    Offer,
    State,
    apply,
    legal_actions,
    new_game,
)
from farkel.game.scoring import score_table
from named_rules import rules_of
from small_games import GAMES, Gain, Whole, modest_event, small, solved


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
            if not state.dice_due:
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
            assert option.total == state.turn_total(option.action.dice)
            assert option.points == after.seats[state.seat].score - state.mine.score
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


def test_whether_to_roll_on_can_be_asked_without_the_kept_dice() -> None:
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
def test_without_a_decision_there_is_no_advice(words: dict[str, Any]) -> None:
    state = position(small("at once"), scores=(0, 0), **words)
    with pytest.raises(PositionError) as caught:
        advise(solved("at once"), Gain(), state)
    assert caught.value.code == "nothing_to_decide"
    with pytest.raises(PositionError):
        advise(solved("at once"), Gain(), new_game(small("lives")))


class Said:
    """Chances by the last event: a bank, a roll with N dice, a fresh start, a take-over."""

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
            "Banking 400 wins 48.2%. Rolling 2 dice is a farkle 44.4% of the time, risks 400 points and wins 46.9%.",
        ),
        (
            "minimal",
            {"scores": (0, 0), "turn": 300, "roll": (1, 2, 2)},
            {"bank": 0.4, "roll2": 0.469},
            "Rolling 2 dice is a farkle 44.4% of the time, risks 400 points and still wins 46.9%; banking 400 wins "
            "40.0%.",
        ),
        (
            "minimal",
            {"scores": (0, 0), "roll": (1, 2, 2, 3, 4, 5)},
            {"bank": 0.4, "roll5": 0.46921, "roll4": 0.46879},
            "Rolling 5 dice is a farkle 7.7% of the time, risks 100 points and still wins 46.9%; banking 150 wins "
            "40.0%. "
            "Keeping 1-5 for 150 leaves 4 dice and wins 46.88%.",
        ),
        (
            "minimal",
            {"scores": (9_700, 0), "turn": 200, "roll": (1, 2, 2)},
            {"roll2": 0.7},
            "Banking 300 wins the game. Rolling 2 dice is a farkle 44.4% of the time, risks 300 points and wins 70.0%.",
        ),
        (
            "extended",
            {"scores": (0, 10_000), "turn": 400, "roll": (1, 2, 2)},
            {"roll2": 0.2},
            "Rolling 2 dice is a farkle 44.4% of the time, risks 500 points and still wins 20.0%; banking 500 loses "
            "the "
            "game.",
        ),
        (
            "extended",
            {"scores": (0, 900), "roll": (1, 2, 2, 3, 4, 5)},
            {"roll5": 0.4, "roll4": 0.5},
            "150 points aren't enough to get on the board: the first bank needs 500 in one turn. Rolling 4 dice "
            "is a farkle 15.7% of the time, risks 150 points and wins 50.0%.",
        ),
        (
            "extended",
            {"scores": (0, 900), "roll": (1, 2, 2, 3, 4, 4)},
            {"roll5": 0.4},
            "You have no choice but to keep 1 and roll on. 100 points aren't enough to get on the board: the first "
            "bank needs 500 in one turn.",
        ),
        (
            "minimal(hot_dice=forced)",
            {"scores": (0, 900), "turn": 600, "dice": 6},
            {"roll6": 0.4},
            "You have no choice but to roll. You kept all dice: hot dice must be rolled at least once more.",
        ),
        (
            "minimal(rolled.aaa=bank)",
            {"scores": (0, 900), "roll": (2, 2, 2, 3, 4, 4)},
            {"bank": 0.4},
            "You have no choice but to keep 2-2-2 and bank. This roll ends the turn: you must bank its turn total.",
        ),
        (
            "minimal",
            {"scores": (0, 9_000), "turn": 300, "roll": (1, 2, 2)},
            {"bank": 0.0, "roll2": 0.0},
            "You can no longer win, whatever you do.",
        ),
        (
            "minimal",
            {"scores": (9_000, 0), "turn": 300, "roll": (1, 2, 2)},
            {"bank": 0.75, "roll2": 0.75},
            "It makes no difference: your winning chance is 75.0%.",
        ),
        (
            "build-on",
            {"scores": (500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.49, "take": 0.5},
            "Taking over 350 points with 2 dice is a bust 44.4% of the time and still wins 50.0%; starting fresh wins "
            "49.0%.",
        ),
        (
            "build-on",
            {"scores": (500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.49, "take": 0.4},
            "Starting fresh wins 49.0%. Taking over 350 points with 2 dice is a bust 44.4% of the time and wins 40.0%.",
        ),
        (
            "original",
            {"scores": (500, 17_000), "lives": (2, 9), "offer": Offer(17_000, 2)},
            {"roll6": 0.3, "take": 0.4},
            "Taking over 17,000 points with 1 die costs 1 life, is a Farkel Out 66.7% of the time (and then costs 1 "
            "life) and "
            "still wins 40.0%; starting fresh wins 30.0%.",
        ),
        (
            "original",
            {"scores": (500, 17_000), "lives": (1, 9), "offer": Offer(17_000, 2)},
            {"roll6": 0.3},
            "You have no choice but to start fresh. Not enough lives: 1 die costs a life and one "
            "must remain, but only 1 is left.",
        ),
        (
            "build-on(take_over.price=stake, take_over.stake=1000)",
            {"scores": (500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.3},
            "You have no choice but to start fresh. Not enough points: taking over stakes 1,000 banked points, but you "
            "have 500.",
        ),
        (
            "build-on(take_over.price=stake, take_over.stake=1000)",
            {"scores": (1_500, 900), "offer": Offer(350, 2)},
            {"roll6": 0.3, "take": 0.2},
            "Starting fresh wins 30.0%. Taking over 350 points with 2 dice stakes 1,000 banked points, is a bust 44.4% "
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
