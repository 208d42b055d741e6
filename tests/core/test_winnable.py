"""Games that nobody could win are refused, and no others."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farkel.errors import RulesError, SolveError
from farkel.game import Keep, Phase, legal_actions
from farkel.rules import Rules, load
from farkel.rules.winnable import fewest_left, most_at_first
from farkel.simulation import simulate
from farkel.solve import best_race, duel, odds
from named_rules import rules_of
from random_play import random_states
from random_rules import examples, rule_sets

ONLY_WINS = 'standard(scoring.1="win", scoring.5=0, scoring.aaa=0, scoring.111=0)'
NOTHING = 'standard(dice=1, rolled.1="farkle", rolled.5="farkle"{})'
TRIPLES = "standard(dice=5, scoring.1=0, scoring.5=0{})"
"""No turn of it has hot dice, and none brings more than three 1s."""


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (NOTHING.format(""), "rolled: nothing may be kept of any roll of all the dice"),
        ("standard(minimum=5000, most_rolls=1)", "minimum = 5000: a roll brings 2,000 points at most"),
        ("standard(minimum=5000, most_rolls=2)", "minimum = 5000: a turn brings 4,000 points at most"),
        ("standard(entry=2100, most_rolls=1)", "entry = 2100: a roll brings 2,000 points at most"),
        ("standard(bank_multiple=4500, most_rolls=2)", "bank_multiple = 4500: a turn brings 4,000 points at most"),
        (TRIPLES.format(", minimum=1050"), "minimum = 1050: a turn brings 1,000 points at most"),
        (TRIPLES.format(", bank_left=1"), "bank_left = 1: a turn always leaves 2 dice or more"),
        (TRIPLES.format(", hot_dice_to_win=true"), "hot_dice_to_win = true: a turn never sets all dice aside"),
        ('standard(most_rolls=1, zones="50-2000 never")', "nobody could ever pass these scores"),
    ],
)
def test_D27_games_that_nobody_can_win_are_refused(spec: str, said: str) -> None:
    with pytest.raises(RulesError, match="nobody could ever") as caught:
        load(spec)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "spec",
    [
        ONLY_WINS,
        NOTHING.format(', rolled.2="win"'),
        NOTHING.format(', rolled.2="lose"'),
        NOTHING.format(", rolled.2=50"),
        NOTHING.format(", rounds=3"),
        'standard(dice=1, rolled.1="farkle")',
        "standard(minimum=2000, most_rolls=1)",
        "standard(minimum=5000)",
        "standard(minimum=5000, most_rolls=2, hot_dice_multiplier=true)",
        "standard(minimum=5000, most_rolls=2, hot_dice_bonus=500)",
        "standard(minimum=5000, most_rolls=2, extend=double)",
        "standard(minimum=5000, most_rolls=2, take_over.price=free, take_over.after_farkle=true)",
        "standard(minimum=5000, most_rolls=2, lives.each=3, lives.farkle=1, lives.last_standing=wins)",
        "standard(minimum=5000, most_rolls=2, hot_dice_bonus=50, hot_dice_bonus_to=score)",
        'standard(minimum=5000, most_rolls=2, rolled.123456="win")',
        'standard(minimum=5000, most_rolls=2, scoring.123456="win")',
        TRIPLES.format(", bank_left=2"),
        TRIPLES.format(", bank_left=1, penalties.turn_total=kept"),
        TRIPLES.format(", minimum=5000, next_roll=all"),
        'standard(most_rolls=1, zones="50-1950 never")',
    ],
)
def test_D27_games_that_can_be_won_are_not(spec: str) -> None:
    load(spec)


@settings(max_examples=examples(10))
@given(rule_sets(), st.integers(0, 1_000))
def test_no_turn_brings_more_or_leaves_fewer_dice_than_is_said(rules: Rules, seed: int) -> None:
    most, fewest = most_at_first(rules), fewest_left(rules)
    alone = rules.model_copy(update={"most_seats": 1})  # nothing is taken over
    for state in random_states(alone, seed, 150):
        if state.phase is Phase.KEEP:
            for dice in {action.dice for action in legal_actions(state) if isinstance(action, Keep)}:
                later = rules.entry_rolls and state.mine.on_board
                assert most is None or later or state.turn_total(dice) <= most
                assert not fewest or len(dice) <= state.dice - fewest


def test_a_game_that_only_dice_win_is_played() -> None:
    rules = rules_of(ONLY_WINS)
    farkle = odds(rules)[6].farkle
    assert farkle == Fraction(5, 6) ** 6
    assert best_race(rules).expected_turns == pytest.approx(1 / (1 - float(farkle)))
    assert duel(rules).first_player_wins == pytest.approx(1 / (1 + float(farkle)))
    assert simulate(rules, ["cautious", "bold"], 20, 1).tally.reasons == {"dice": 20}


def test_a_game_of_rolls_of_which_nothing_is_kept_is_not_solved() -> None:
    rules = rules_of(NOTHING.format(", rounds=3"))
    assert odds(rules)[1].farkle == 1
    with pytest.raises(SolveError, match="nothing may be kept of any roll"):
        duel(rules)
