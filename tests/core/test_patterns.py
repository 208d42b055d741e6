"""Patterns and their tables: what a text means, which of several counts, and what changes nothing."""

from __future__ import annotations

import pickle
from copy import deepcopy
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkel.dice import FACES, MOST_DICE, roll_of
from farkel.errors import RulesError
from farkel.game.scoring import ScoreTable, score_table
from farkel.rules import PatternError, Pays, Rolled, Rules, Scoring, from_toml, parse, pattern_of, to_toml
from games_in_words import is_farkle, points
from naive_scorer import naive_held
from random_rules import patterns, rolled_tables, scoring_tables

# What a text means ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "form", "name"),
    [
        ("1", "1", "single 1"),
        ("a", "a", "any die"),
        ("66", "66", "two 6s"),
        ("111", "111", "three 1s"),
        ("bbb", "aaa", "three of a kind"),
        ("aaaaaaaaaa", "aaaaaaaaaa", "ten of a kind"),
        ("aa", "aa", "pair"),
        ("bbaa", "aabb", "two pairs"),
        ("abcabc", "aabbcc", "three pairs"),
        ("bbaaa", "aaabb", "full house"),
        ("aabbbb", "aaaabb", "four of a kind and a pair"),
        ("ababab", "aaabbb", "two triplets"),
        ("aaaabbbb", "aaaabbbb", "two sets of four"),
        ("654321", "123456", "straight"),
        ("abcdef", "123456", "straight"),
        ("12345a", "123456", "straight"),
        ("51234", "12345", "low straight"),
        ("23456", "23456", "high straight"),
        ("432", "234", "straight 2-3-4"),
        ("abcde", "abcde", "five different dice"),
        ("511", "115", "1-1-5"),
        ("a1a1", "11aa", "two 1s and a pair"),
        ("1a", "1a", "single 1 and one other die"),
    ],
)
def test_a_pattern_has_one_form_and_a_name(text: str, form: str, name: str) -> None:
    assert (pattern_of(text).text, pattern_of(text).name) == (form, name)
    assert pattern_of(form) == pattern_of(text)


@given(patterns(6))
def test_a_pattern_is_the_dice_that_its_letters_may_show(text: str) -> None:
    assert pattern_of(text).rolls == naive_held(text)


@given(st.text("123456abcdef", min_size=1, max_size=MOST_DICE))
def test_two_texts_are_one_pattern_exactly_if_they_are_the_same_dice(text: str) -> None:
    for other in (text[::-1], text.swapcase().translate(str.maketrans("ABCDEF", "fedcba"))):
        try:
            one, two = pattern_of(text), pattern_of(other)
        except PatternError:
            continue
        assert (one == two) == (one.rolls == two.rolls)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no pattern"),
        ("0", "is no pattern"),
        ("7", "is no pattern"),
        ("g", "is no pattern"),
        ("AAA", "is no pattern"),
        ("1-2-3", "is no pattern"),
        ("1" * 11, "has 11 dice: a pattern has 10 at most"),
        ("1abcdef", "cannot be rolled"),
        ("12345ab", "cannot be rolled"),
        ("x" * 100_000, "is no pattern"),
    ],
    ids=lambda text: text[:12],
)
def test_an_invalid_pattern_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(PatternError, match=why) as refused:
        pattern_of(text)
    assert len(str(refused.value)) < 400


# Which of several counts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "dice", "worth"),
    [
        ('111=1000, aaa="100a"', "111", 1_000),
        ('111=1000, aaa="100a"', "444", 400),
        ('444=0, aaa="100a"', "444", 0),
        ('aaaa="200a", aaa="100a"', "3333", 600),
        ('aaabb="100a"', "22233", 200),
        ('aaabb="100b"', "22233", 300),
        ('bbbaa="100b"', "22233", 200),
        ('aabb="100a"', "2233", 300),
        ('aabb="100b"', "2233", 300),
        ("11aa=500, aabb=100", "1133", 500),
        ("11aa=500, aabb=100", "2233", 100),
        ("11aa=500, aa33=700", "1133", 700),
        ("11aa=500, aa33=700, 1133=0", "1133", 0),
        ('12345a="100a"', "123456", 600),
        ("abcde=1000, 12345=500", "12345", 500),
        ("abcde=1000, 12345=500", "12346", 1_000),
        ("66=100", "66", 100),
    ],
)
def test_the_pattern_with_the_fewest_letters_counts_then_the_one_that_pays_most(
    table: str, dice: str, worth: int
) -> None:
    rules = parse(f"standard(scoring={{1=50, 5=0, {table}}})")
    assert rules.scoring.worth(map(int, dice)) == worth


def test_one_pays_as_a_part_of_more() -> None:
    assert points("standard(scoring.aa=10)", "2233") == 20
    assert points("standard(scoring.a=10)", "123456") == 190
    assert not is_farkle("standard(scoring.aabb=10)", "2233")


def test_a_set_of_ten_dice_is_scored() -> None:
    scoring = Scoring({"aaaaaaaaaa": "500a", "aaabbbccc": 5_000, "1": 10})
    assert scoring.worth((3,) * 10) == 1_500
    assert scoring.worth((1, 1, 1, 3, 3, 3, 6, 6, 6)) == 5_000


def test_a_name_can_be_given() -> None:
    rules = parse('standard(scoring.aaabb={points=1500, name="boat"})')
    (boat,) = score_table(rules).split((2, 2, 3, 3, 3))
    assert (boat.name, boat.points) == ("boat", 1_500)
    assert rules.scoring["aaabb"] == Pays(1_500, "", "boat")
    assert str(rules) == 'standard(scoring.aaabb={points=1500, name="boat"})'
    assert from_toml(to_toml(rules)) == rules
    assert rules.digest == parse("standard(scoring.aaabb=1500)").digest
    assert rules != parse("standard(scoring.aaabb=1500)")
    assert parse('standard(scoring.aaabb={points=1500, name="full house"})') == parse("standard(scoring.bbbaa=1500)")


# What changes nothing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_table", "kept"),
    [
        ({"1": 100, "123456": 0}, {"1": 100}),
        ({"aaa": "100a", "222": 200}, {"aaa": "100a"}),
        ({"aaa": "100a", "222": 0}, {"222": 0, "aaa": "100a"}),
        ({"aaa": 0, "222": 0}, {}),
        ({"aa": 50, "11": 10, "22": 10, "33": 10, "44": 10, "55": 10, "66": 10}, {f"{n}{n}": 10 for n in FACES}),
        ({"aaa": "0a", "1": 5}, {"1": 5}),
    ],
)
def test_entries_that_change_nothing_are_left_out(
    given_table: dict[str, int | str], kept: dict[str, int | str]
) -> None:
    assert Scoring(given_table).plain == kept


@given(scoring_tables(6))
def test_the_order_of_entries_does_not_matter(table: dict[str, int | str]) -> None:
    turned = dict(reversed(table.items()))
    assert Scoring(turned) == Scoring(table)
    assert list(Scoring(turned)) == list(Scoring(table))
    assert Scoring(Scoring(table).plain) == Scoring(table)


@given(rolled_tables(6))
def test_effects_of_rolls_read_back(table: dict[str, int | str]) -> None:
    assert Rolled(Rolled(table).plain) == Rolled(table)


def test_tables_are_values() -> None:
    scoring = Rules().scoring
    assert hash(Scoring(scoring.plain)) == hash(scoring)
    assert pickle.loads(pickle.dumps(scoring)) == deepcopy(scoring) == scoring
    assert repr(scoring) == "Scoring({'1': 100, '5': 50, '111': 1000, 'aaa': '100a'})"
    with pytest.raises(TypeError):
        scoring["1"] = Pays(5)  # type: ignore[index]


def test_more_patterns_than_anybody_plays_with_are_refused() -> None:
    many = {"".join(map(str, dice)): 5 for dice in {roll_of(dice) for dice in product(FACES, repeat=5)}}
    with pytest.raises(RulesError, match=r"scoring has 252 patterns: 200 at most"):
        from_toml("[scoring]\n" + "\n".join(f"{text} = 5" for text in many))


# Rolls ----------------------------------------------------------------------------------------------------------------


def test_a_roll_does_all_that_it_holds() -> None:
    table = ScoreTable(parse('standard(rolled.aaa="bank", rolled.222=-300, rolled.2222="farkle")'))
    found = {roll: table[roll] for roll in ((1, 2, 2, 2), (1, 3, 3, 3), (1, 2, 2, 2, 2), (1, 2, 2, 3))}
    assert [(one.fine, one.binds, one.farkle) for one in found.values()] == [
        (300, True, False),
        (0, True, False),
        (300, True, True),
        (0, False, False),
    ]
    assert list(found[(1, 2, 2, 2)].keeps) == [(1,)]


@pytest.mark.parametrize(
    ("rolled", "roll", "fine"),
    [
        ("rolled.aaa=-100", (2, 2, 2, 3, 3, 3), 200),
        ("rolled.aaa=-100, rolled.333=-300", (2, 2, 2, 3, 3, 3), 400),
        ("rolled.aaa=-100, rolled.333=0", (2, 2, 2, 3, 3, 3), 100),
        ("rolled.aaa=-100, rolled.aaaa=-500", (3, 3, 3, 3), 500),
        ("rolled.66=-50", (6, 6, 6, 6), 50),
        ("rolled.aabb=-50", (1, 1, 4, 4, 5, 5), 150),
    ],
)
def test_fines_add_up_but_for_patterns_within_others(rolled: str, roll: tuple[int, ...], fine: int) -> None:
    assert score_table(parse(f"standard({rolled})"))[roll].fine == fine


def test_two_6s_are_a_farkle() -> None:
    rules = "standard(rolled.66=farkle)"
    assert is_farkle(rules, "1166")
    assert not is_farkle(rules, "1156")


def test_an_exception_from_effects_of_rolls() -> None:
    table = score_table(parse("standard(rolled.aaa=bank, rolled.111=0)"))
    assert [table[(face,) * 3].binds for face in FACES] == [False, True, True, True, True, True]
