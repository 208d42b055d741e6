"""Clause P19: combinations that the next roll completes."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from test_scoring import splits_add_up
from test_simulation import same_games
from test_training_vector import compare

from farkel.dice import all_rolls
from farkel.errors import RulesError, SolveError
from farkel.game import Phase, apply
from farkel.game.scoring import held_dice, open_sets, score_table
from farkel.game.story import facts, tell
from farkel.rules import parse, sheet
from farkel.solve import best_turn, duel
from games_in_words import event_of, go, on_turn, options, refused, scores, turn
from naive_scorer import NaiveScorer, Worth
from named_rules import rules_of
from referee import followed

STRAIGHT = "standard(scoring.123456={points=1500, missing=1}, start=first_seat)"
BOTH = 'standard(scoring.123456={points=1500, missing=2}, scoring.aaa={points="100a", missing=1}, start=first_seat)'


def test_P19_the_dice_of_a_straight_may_be_set_aside_though_they_do_not_score() -> None:
    state = go(on_turn(STRAIGHT, 0, 0), "123455")
    assert "12345 roll" in options(state)
    assert "12345 bank" not in options(state)
    assert refused(state, "12345 bank") == "must_confirm"
    tried = go(state, "12345 roll")
    assert (tried.dice, tried.points) == (1, 0)
    done = go(tried, "6")
    assert options(done) == {"6 roll", "6 bank"}
    assert scores(go(done, "6 bank")) == (1500, 0)
    assert go(done, "6 roll").dice == 6


def test_P19_failing_to_complete_is_a_farkle_even_if_the_roll_scores() -> None:
    tried = go(on_turn(STRAIGHT, 0, 0), "123455", "12345 roll")
    for face in "12345":
        assert turn(go(tried, face))[:2] == (Phase.ROLL, 1)
    assert score_table(tried.rules, tried.sets).farkles(1) == Fraction(5, 6)


def test_P19_other_dice_may_be_kept_with_those_that_complete_it() -> None:
    tried = go(on_turn(BOTH, 0, 0), "223346", "33 roll")
    done = go(tried, "1335")
    kept = {"3", "13", "35", "135"}
    assert options(done) == {f"{faces} {then}" for faces in kept for then in ("roll", "bank")}
    assert go(done, "135 roll").points == 450
    assert go(done, "135 roll").dice == 1


def test_P19_of_several_combinations_the_next_roll_may_complete_any() -> None:
    tried = go(on_turn(BOTH, 0, 0), "123456", "1 roll", "23446")
    assert tried.phase is Phase.KEEP
    assert options(tried) == {"44 roll"}  # five dice make no straight
    assert turn(go(tried, "44 roll", "446"))[:2] == (Phase.KEEP, 0)


def test_P19_dice_that_score_anyway_are_kept_for_their_points() -> None:
    state = go(on_turn(BOTH, 0, 0), "112346")
    assert "11 roll" in options(state)
    assert go(state, "11 roll").points == 200


def test_P19_a_roll_that_has_the_combination_does_not_lack_it() -> None:
    assert "44 roll" not in options(go(on_turn(BOTH, 0, 0), "444126"))
    assert "44 roll" in options(go(on_turn(BOTH, 0, 0), "443126"))


def test_P19_the_roll_that_must_complete_is_not_the_first_of_the_turn() -> None:
    rules = STRAIGHT.replace(
        "start=", 'rolled.nothing={points=500, when="first_roll"}, penalties.farkle_first_roll=50, start='
    )
    lost = go(on_turn(rules, 300, 0), "123455", "12345 roll", "2")
    assert (lost.seat, scores(lost)) == (1, (300, 0))


def test_P19_a_last_roll_has_none_after_it() -> None:
    rules = STRAIGHT.replace("start=", "most_rolls=1, start=")
    assert options(go(on_turn(rules, 0, 0), "123455")) == {f"{kept} bank" for kept in ("1", "5", "55", "15", "155")}


def test_P19_the_log_and_the_sheet_say_it() -> None:
    state = go(on_turn(STRAIGHT, 0, 0), "123455")
    event = event_of("12345 roll")
    after = apply(state, event)
    said = [tell(fact, ["Ann", "Ben"], after) for fact in facts(state, event, after)]
    assert said == ["Ann sets 1-2-3-4-5 aside: the next roll must complete them."]
    text = sheet(rules_of(STRAIGHT)).text(10_000)
    assert "A second chance: if a roll lacks one die of a combination, you may set aside those that you have" in text
    assert "This goes for: straight." in text


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("standard(scoring.123456={points=1500, missing=6})", "leaves none of its 6 dice"),
        ("standard(scoring.123456={points=1500, missing=-1})", "missing is a number of dice from 0 to 9"),
        ("standard(scoring.123456={points=0, missing=1})", "dice that pay 0 cannot be kept"),
        ('standard(scoring.123456={points=1500, missing=1, when="first_roll"})', "counts in every roll"),
        ("standard(scoring.123456={points=1500, missing=1}, extend=higher)", "are not played together"),
        ("standard(scoring.123456={points=1500, missing=1}, next_roll=all)", "leaves no dice lying"),
        ("standard(scoring.123456={points=1500, missing=1}, entry=500, entry_by=triple)", "is not said"),
        ("standard(scoring.aabbcc={points=1500, missing=4}, scoring.aaabbb={points=900, missing=4})", "told apart"),
    ],
)
def test_P19_invalid_entries_are_refused(spec: str, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        parse(spec)


def test_P19_is_not_solved() -> None:
    for ask in (best_turn, duel):
        with pytest.raises(SolveError, match="is not solved") as caught:
            ask(rules_of(STRAIGHT))
        assert caught.value.code == "scoring.missing"


TABLES = (
    STRAIGHT,
    BOTH,
    "standard(scoring.123456={points=1500, missing=4}, rolled.222=-300, rolled.44=bank)",
    'minimal(dice=5, keep=all, scoring.aabb={points=300, missing=1, then="roll"}, scoring.12345={points=9, missing=2})',
    'minimal(dice=4, scoring.aaaa={then="win", missing=2}, scoring.345={points=100, missing=1}, rolled.nothing=200)',
)


@pytest.mark.parametrize("spec", TABLES)
def test_P19_agrees_with_the_naive_scorer(spec: str) -> None:
    rules = rules_of(spec)
    scorer = NaiveScorer(rules)
    for place, held in enumerate(((), *held_dice(rules))):
        table = score_table(rules, place)
        for number in range(1, table.dice + 1):
            for roll in all_rolls(number):
                keeps = {one.dice: Worth(one.wins, one.points, 0, -one.owes) for one in table[roll].keeps.values()}
                naive = scorer.score(roll, held=held).keeps
                alike = {part: one._replace(wins=one.wins > 0, must_bank=0) for part, one in naive.items()}
                assert keeps == alike, (held, roll)


@pytest.mark.parametrize("spec", TABLES)
def test_P19_every_keep_is_the_sum_of_its_combinations(spec: str) -> None:
    rules = rules_of(spec)
    for place in range(len(held_dice(rules)) + 1):
        splits_add_up(score_table(rules, place))


@pytest.mark.parametrize("spec", [*TABLES[:2], *(pytest.param(spec, marks=pytest.mark.slow) for spec in TABLES[2:])])
def test_P19_is_the_same_to_referee_arena_and_environments(spec: str) -> None:
    rules = rules_of(spec)
    assert open_sets(rules) == ((),)
    for number in range(8):
        for _ in followed(rules, (1, 1), random.Random(number), 200):
            pass
    same_games(rules, ["random", "cautious", "random"], 5, range(6), rows=8)
    compare(rules, (1, 1), games=3, steps=60, limit=6)
