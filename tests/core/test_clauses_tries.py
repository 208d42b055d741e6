"""Clause K10: the tries of a last die."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from test_simulation import same_games
from test_solve import assert_agrees
from test_training_vector import compare

from farkel.coach import doubts
from farkel.errors import RulesError, SolveError
from farkel.game import Note, Phase, Throw, apply
from farkel.game.scoring import score_table
from farkel.game.story import facts, tell
from farkel.rules import parse, sheet
from farkel.solve import best_turn, duel, odds
from games_in_words import go, offered, on_turn, options, scores, turn
from named_rules import rules_of
from referee import followed

THREE = "standard(last_die_tries=3)"
FIVE = ("111236", "111 roll", "155", "15 roll")
"""Rolls and keeps after which one die is left, with 1,150 points."""


def test_K10_only_the_last_try_farkles() -> None:
    state = go(on_turn(THREE, 0, 0), *FIVE)
    assert (state.dice, state.points, state.tries_left) == (1, 1150, 3)
    once = go(state, "4")
    assert (once.phase, once.seat, once.dice, once.points, once.tries_left) == (Phase.ROLL, 0, 1, 1150, 2)
    assert options(once) == set()
    twice = go(once, "6")
    assert (twice.seat, twice.tries_left) == (0, 1)
    assert turn(go(twice, "2"))[:2] == (Phase.ROLL, 1)
    assert options(go(twice, "5")) == {"5 roll", "5 bank"}


def test_K10_each_last_die_has_all_its_tries() -> None:
    state = go(on_turn(THREE, 0, 0), *FIVE, "4", "6", "1", "1 roll", *FIVE)
    assert (state.points, state.tries_left) == (2400, 3)
    assert go(on_turn(THREE, 0, 0), *FIVE, "4", "6", "2").tries_left == 1


def test_K10_more_dice_have_one_try() -> None:
    state = go(on_turn(THREE, 0, 0), "111236", "111 roll")
    assert state.tries_left == 1
    assert go(state, "236").seat == 1


def test_K10_the_tries_are_one_roll_of_the_turn() -> None:
    least = go(on_turn("standard(last_die_tries=2, least_rolls=4)", 0, 0), *FIVE, "4", "5")
    assert options(least) == {"5 roll"}
    most = go(on_turn("standard(last_die_tries=2, most_rolls=3)", 0, 0), *FIVE, "4", "5")
    assert options(most) == {"5 bank"}


def test_K10_a_taken_die_has_its_tries_too() -> None:
    rules = "standard(last_die_tries=2, take_over.price=stake, take_over.stake=100)"
    state = go(offered(rules, 500, 1, 0, 500), "take 1")
    assert scores(go(state, "4")) == scores(state) == (0, 400)
    assert scores(go(state, "4", "5")) == (0, 500)
    lost = go(state, "4", "6")
    assert (lost.seat, scores(lost)) == (0, (0, 400))


def test_K10_effects_of_a_roll_apply_in_each_try() -> None:
    fined = go(on_turn("standard(last_die_tries=3, rolled.4=-50)", 500, 0), *FIVE, "4", "4")
    assert (fined.seat, scores(fined)) == (0, (400, 0))
    lost = go(on_turn("standard(last_die_tries=3, rolled.4=zero)", 500, 0), *FIVE, "2", "4")
    assert (lost.seat, scores(lost)) == (1, (0, 0))


def test_K10_a_die_that_falls_is_given_no_other_try_if_it_farkles() -> None:
    state = go(on_turn(THREE, 0, 0), *FIVE, "4")
    assert apply(state, Note(1150, 1, farkle=True)).seat == 1


def test_K10_the_log_says_how_often_the_die_may_be_rolled() -> None:
    state, said = go(on_turn(THREE, 0, 0), *FIVE), []
    for face in (4, 6, 2):
        after = apply(state, Throw((face,)))
        said.append([tell(fact, ["Ann", "Ben"], after) for fact in facts(state, Throw((face,)), after)])
        state = after
    assert said == [
        ["Ann rolls 4.", "Ann may roll the last die twice more."],
        ["Ann rolls 6.", "Ann may roll the last die once more."],
        ["Ann rolls 2.", "Farkle! Ann loses the turn total of 1,150."],
    ]


def test_K10_the_sheet_says_it() -> None:
    said = "you farkle (with one die left, only once three tries to score with it have failed)"
    assert said in sheet(rules_of(THREE)).text(10_000)


def test_K10_all_tries_make_the_chance_of_a_farkle() -> None:
    table = score_table(rules_of(THREE))
    assert [table.farkles(1, tried=tried) for tried in range(3)] == [Fraction(2, 3) ** tries for tries in (3, 2, 1)]
    assert table.farkles(2) == score_table(rules_of("standard")).farkles(2)
    one = odds(rules_of(THREE))[1]
    assert (one.farkle, one.hot_dice) == (Fraction(8, 27), Fraction(19, 27))
    assert one.mean_best == 75 * Fraction(19, 27)


@pytest.mark.parametrize("spec", ["standard(last_die_tries=0)", "standard(last_die_tries=21)"])
def test_K10_there_are_1_to_20_tries(spec: str) -> None:
    with pytest.raises(RulesError, match="last_die_tries"):
        parse(spec)


SMALL = (
    "minimal(target=1000, last_die_tries=3)",
    "standard(target=1200, last_die_tries=2, take_over.price=free, entry=300)",
    "minimal(target=800, last_die_tries=3, dice=1)",
    "standard(target=1000, last_die_tries=2, extend=each, extend_points=100, most_rolls=3)",
)


@pytest.mark.parametrize("spec", SMALL)
def test_K10_values_are_those_of_the_engines_states(spec: str) -> None:
    assert_agrees(rules_of(spec))


def test_K10_the_best_turn_rolls_a_last_die_sooner() -> None:
    plain, tries = best_turn(rules_of("minimal")), best_turn(rules_of("minimal(last_die_tries=3)"))
    assert tries.expected(0, 6) > plain.expected(0, 6)
    assert (plain.bank_from(1), tries.bank_from(1)) == (250, 1000)


def test_K10_effects_in_each_try_are_not_solved() -> None:
    with pytest.raises(SolveError, match="not solved with rolls of one die that do something") as caught:
        duel(rules_of("standard(last_die_tries=2, rolled.2=-50)"))
    assert caught.value.code == "last_die_tries"


def test_K10_doubts_know_the_tries() -> None:
    state = on_turn(THREE, 0, 0)
    assert [doubt.code for doubt in doubts(on_turn("standard", 0, 0), Note(7_000, 0))] == ["unlikely"]
    assert not doubts(state, Note(7_000, 0))
    assert not doubts(go(state, *FIVE, "4"), Note(1150, 1, farkle=True))


@pytest.mark.parametrize(
    "spec",
    [
        "minimal(last_die_tries=3, target=3000)",
        "minimal(last_die_tries=2, dice=1, target=600)",
        "standard(last_die_tries=3, target=3000, take_over.price=free, penalties.farkles_in_row=2, "
        "penalties.farkles_in_row_points=100)",
    ],
)
def test_K10_tries_are_the_same_to_referee_arena_and_environments(spec: str) -> None:
    for number in range(8):
        for _ in followed(rules_of(spec), (1, 1), random.Random(number), 200):
            pass
    same_games(rules_of(spec), ["random", "bold", "turn"], 5, range(6), rows=8)
    compare(rules_of(spec), (1, 1), games=3, steps=60, limit=6)
