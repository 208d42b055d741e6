"""The score table against a second scorer that shares nothing with it, and against published counts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given

from farkel.dice import FACES, Roll, all_rolls, roll_of, ways
from farkel.errors import DiceError
from farkel.game.scoring import ScoreTable, score, score_table
from farkel.rules import Rules
from farkel.rules.pattern_tables import MOMENTS
from naive_scorer import NaiveScorer, Worth, naive_combination
from named_rules import CATALOGUE, SPAN, rules_of
from random_rules import rule_sets


@cache
def throws(dice: int) -> Counter[Roll]:
    """Every one of the 6**n throws, counted by its sorted faces."""
    return Counter(roll_of(faces) for faces in product(FACES, repeat=dice))


def agree(rules: Rules) -> None:
    """The table says what the second scorer says, about every roll of 1..n dice."""
    table, scorer = score_table(rules), NaiveScorer(rules)
    for number, first in (*((number, False) for number in range(1, rules.dice + 1)), (rules.dice, True)):
        for roll, count in throws(number).items():
            scored, naive = table.first(roll) if first else table[roll], scorer.score(roll, first)
            points = {dice: Worth(keep.wins, keep.points, 0, -keep.owes) for dice, keep in scored.keeps.items()}
            alike = {dice: worth._replace(wins=worth.wins > 0, must_bank=0) for dice, worth in naive.keeps.items()}
            assert points == alike, roll
            assert all(keep.ends == (naive.keeps[dice].must_bank < 0) for dice, keep in scored.keeps.items())
            assert (scored.roll, scored.ways, scored.fine) == (roll, count, naive.fine)
            assert scored.farkle == (not naive.keeps and naive.ends not in ("win", "again"))
            assert (scored.binds, scored.ends) == (naive.binds, naive.ends)
            for dice, keep in scored.keeps.items():
                left = len(roll) - len(dice)
                assert (keep.dice, keep.left, keep.hot) == (
                    dice,
                    (0 if rules.next_roll == "all" else left) or rules.dice,
                    left == 0,
                )


def splits_add_up(table: ScoreTable) -> None:
    """Every keep is the sum of the combinations that it is split into, die for die."""
    for scored in table.numbered:
        for dice, keep in scored.keeps.items():
            split = table.split(dice, scored)
            if not split:
                assert keep.tries or (dice, keep.points) == (scored.roll, table.rules.rolled.nothing.points)
                continue
            assert sum(combination.points for combination in split) == keep.points
            assert roll_of(face for combination in split for face in combination.dice) == dice


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_table_agrees_with_a_second_scorer(name: str) -> None:
    agree(rules_of(name))


@given(rule_sets())
def test_the_table_agrees_with_a_second_scorer_under_any_rules(rules: Rules) -> None:
    agree(rules)
    splits_add_up(score_table(rules))


@pytest.mark.parametrize("name", CATALOGUE)
def test_splits_add_up_to_the_points_of_every_keep(name: str) -> None:
    splits_add_up(score_table(rules_of(name)))


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_combination_scores_as_its_fields_say(name: str) -> None:
    rules = rules_of(name)
    listed = {combination.dice: combination for combination in rules.combinations_at(MOMENTS[0])}
    for number in range(1, rules.dice + 1):
        for dice in all_rolls(number):
            worth = listed[dice].points if dice in listed else 0
            assert worth == naive_combination(rules, dice).points


@pytest.mark.parametrize("name", CATALOGUE)
def test_keeps_come_best_first(name: str) -> None:
    for scored in score_table(rules_of(name)):
        keeps = list(scored.keeps.values())
        assert keeps == sorted(keeps, key=lambda keep: (-keep.points, len(keep.dice)))
        assert scored.best == (keeps[0] if keeps else None)


@pytest.mark.parametrize(("dice", "distinct"), [(1, 6), (2, 21), (3, 56), (4, 126), (5, 252), (6, 462)])
def test_distinct_rolls_and_their_ways(dice: int, distinct: int) -> None:
    assert len(all_rolls(dice)) == len(set(all_rolls(dice))) == distinct
    assert {roll: ways(roll) for roll in all_rolls(dice)} == throws(dice)
    for name in CATALOGUE:
        scored = score_table(rules_of(name)).rolls(dice)
        assert len(scored) == distinct
        assert sum(one.ways for one in scored) == 6**dice


def test_a_table_holds_every_roll_of_its_dice_and_no_other() -> None:
    six, five = score_table(rules_of("standard")), score_table(rules_of("standard(dice=5)"))
    assert (len(six), len(five)) == (923, 461)
    assert len({scored.roll for scored in six}) == 923
    assert (1, 2, 3, 4, 5, 6) in six
    assert (1, 2, 3, 4, 5, 6) not in five
    assert (2, 1) not in six
    assert (0,) not in six
    assert () not in six


def farkles(name: str, dice: int) -> int:
    return sum(scored.ways for scored in score_table(rules_of(name)).rolls(dice) if scored.farkle)


FARKLES_ON_FEWER = {1: 4, 2: 16, 3: 60, 4: 204, 5: 600}
"""Rolls that score nothing where 1s, 5s and triples score: the widely published odds of a farkle."""

FARKLES_ON_SIX = {
    # Three pairs score, by a field of their own or as pairs beside four alike.
    "original": 1_080,
    "extended": 1_080,
    "build-on": 1_080,
    "guts-and-luck": 1_080,
    "high-stakes": 1_080,
    "cardgames": 1_080,
    "facebook": 1_080,
    "patch": 1_080,
    "ten-thousand": 1_080,
    # They do not.
    "standard": 1_440,
    "renaissance": 1_440,
    "kcd": 1_440,
    "minimal": 1_440,
    # Six dice that score nothing are worth 500.
    "zilch": 0,
}


@pytest.mark.parametrize("name", SPAN)
def test_farkle_counts(name: str) -> None:
    scorer = NaiveScorer(rules_of(name))
    for dice, count in (FARKLES_ON_FEWER | {6: FARKLES_ON_SIX[name]}).items():
        assert farkles(name, dice) == count
        assert score_table(rules_of(name)).farkles(dice) == Fraction(count, 6**dice)
        brute = sum(number for roll, number in throws(dice).items() if not scorer.score(roll).keeps)
        assert brute == count


def test_farkle_counts_of_six_dice_in_circulation() -> None:
    # 45,480 scoring six-dice rolls and 2.3 % farkles for the least of rules are errors that get copied.
    assert 6**6 - farkles("extended", 6) == 45_576
    assert Fraction(farkles("minimal", 6), 6**6) == Fraction(5, 162)
    assert round(100 * farkles("minimal", 6) / 6**6, 2) == 3.09
    assert round(100 * farkles("extended", 6) / 6**6, 2) == 2.31


def hot(name: str, dice: int) -> Fraction:
    """The chance that all of this many dice score together."""
    table = score_table(rules_of(name))
    return Fraction(sum(one.ways for one in table.rolls(dice) if one.roll in one.keeps), 6**dice)


# Where four and five alike score; usually printed as 1 in 3, 9, 18, 25, 32 and 12.
@pytest.mark.parametrize("name", ["extended", "build-on", "guts-and-luck", "cardgames", "patch", "facebook", "zilch"])
def test_chances_of_hot_dice(name: str) -> None:
    chances = [hot(name, dice) for dice in range(1, 6)]
    assert chances == [Fraction(1, 3), Fraction(1, 9), Fraction(1, 18), Fraction(13, 324), Fraction(59, 1944)]


def test_chances_of_hot_dice_as_they_are_printed() -> None:
    # 1944 in 59 is 32.9, printed as 32 at times; the six dice include four of a kind with a pair.
    assert [round(1 / float(hot("patch", dice))) for dice in range(1, 7)] == [3, 9, 18, 25, 33, 12]


def test_chances_of_hot_dice_without_four_alike() -> None:
    assert [hot("standard", dice) for dice in (4, 5, 6)] == [Fraction(1, 27), Fraction(2, 81), Fraction(23, 1296)]


@pytest.mark.parametrize(
    ("shape", "one_in"),
    [
        # Published odds of combinations on one throw of six dice.
        ((4,), Fraction("20.736")),
        ((2, 2, 2), Fraction("25.92")),
        ((1, 1, 1, 1, 1, 1), Fraction("64.8")),
        ((3, 3), Fraction("155.52")),
        ((5,), Fraction("259.2")),
        ((6,), Fraction(7_776)),
    ],
)
def test_chances_of_combinations(shape: tuple[int, ...], one_in: Fraction) -> None:
    def has_shape(roll: Roll) -> bool:
        counts = sorted((roll.count(face) for face in set(roll)), reverse=True)
        return tuple(counts[: len(shape)]) == shape

    assert Fraction(6**6, sum(ways(roll) for roll in all_rolls(6) if has_shape(roll))) == one_in


def test_chance_of_exactly_one_triple() -> None:
    one_triple = sum(ways(roll) for roll in all_rolls(6) if [roll.count(face) for face in FACES].count(3) == 1)
    assert Fraction(6**6, one_triple) == Fraction("3.24")


@pytest.mark.parametrize(
    ("pattern", "one_in"),
    [("123456", "64.8"), ("aabbcc", "25.92"), ("aaabbb", "155.52"), ("aaaaaa", "7776")],
)
def test_chances_of_combinations_in_the_table(pattern: str, one_in: str) -> None:
    # A worth that nothing else has shows in which throws the table finds the combination.
    table = score_table(rules_of(f"extended(scoring.{pattern}=9999950)"))
    found = sum(scored.ways for scored in table.rolls(6) if scored.best and scored.best.points == 9_999_950)
    assert Fraction(6**6, found) == Fraction(one_in)


def test_the_table_is_made_once_for_equal_rules() -> None:
    again = Rules.model_validate(rules_of("extended").model_dump())
    assert score_table(again) is score_table(rules_of("extended"))


def test_a_farkle_has_no_best_keep_and_no_split() -> None:
    table = score_table(rules_of("standard"))
    assert table[(2, 3, 4, 6)].best is None
    assert table.split((2, 3)) == ()
    assert table.split((1, 2)) == ()
    assert table.split(()) == ()
    assert [one.name for one in table.split((1, 1, 1, 1, 5))] == ["three 1s", "single 1", "single 5"]


def test_a_roll_is_found_in_any_order_of_its_faces() -> None:
    table = score_table(rules_of("standard"))
    assert table[5, 1, 1] is table[1, 1, 5]
    assert table[[5, 1, 1]] is table[1, 1, 5]  # type: ignore[index]
    assert score("5-1-1") == score([5, 1, 1], "standard(target=500)") == score((1, 1, 5), rules_of("standard"))


@pytest.mark.parametrize("roll", [(), (7,), (1,) * 7, "115", 5, None, (1, "5"), ((1,),), (True, 0), (True, 5)])
def test_an_invalid_roll_is_refused_with_an_example(roll: Any) -> None:
    with pytest.raises(DiceError, match=r"is no roll of 1 to 6 dice.* such as table\[1, 1, 5, 5, 3, 6\]") as caught:
        score_table(rules_of("standard"))[roll]
    assert caught.value.code == "not_a_roll"
