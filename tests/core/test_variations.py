"""Variations of the sets of the catalogue, by their names."""

from __future__ import annotations

from itertools import combinations

import pytest

from farkel.errors import RulesError
from farkel.game.scoring import score_table
from farkel.rules import from_toml, named, names, parse, sheet, validated, variations
from farkel.rules.as_text import Variation

VARIED = [(name, variation) for name in names() for variation in variations(name)]


@pytest.mark.parametrize(("name", "variation"), VARIED, ids=[f"{name}:{one.name}" for name, one in VARIED])
def test_E12_a_variation_is_asked_for_by_name_and_printed_so(name: str, variation: Variation) -> None:
    spec = f"{name}:{variation.name}"
    rules = parse(spec)
    assert str(rules) == spec
    assert rules.digest != named(name).digest
    assert any(spec in sentence for section in sheet(named(name)).sections for sentence in section.sentences)
    assert rules == validated({"base": name, **variation.changes}, "test")


@pytest.mark.parametrize(
    ("spec", "same"),
    [
        ("renaissance:exact,minimum", "renaissance(finish=exact, entry=450, minimum=300)"),
        ("renaissance : minimum , exact", "renaissance(finish=exact, entry=450, minimum=300)"),
        ("standard:forced-hot-dice", "standard(hot_dice=forced)"),
        ("high-stakes:stake(target=20000)", "high-stakes(take_over.price=stake, take_over.stake=1000, target=20000)"),
        ("renaissance:five-dice", "renaissance(dice=5, target=5000, scoring.123456=0)"),
    ],
)
def test_E12_a_variation_switches_on_all_that_it_needs(spec: str, same: str) -> None:
    assert parse(spec) == parse(same)
    assert str(parse(spec)) == str(parse(same))
    assert parse(str(parse(spec))) == parse(spec)


SEEDS = {
    "standard": "to-20000 three-ones-300 four-of-a-kind four-and-pair five-of-a-kind six-of-a-kind straight "
    "three-pairs two-triplets entry forced-hot-dice first-player-starts",
    "guts-and-luck": "three-ones-1000 to-5000 four-and-pair high-stakes stake",
    "high-stakes": "three-ones-1000 to-5000 four-and-pair stake",
    "renaissance": "no-piggybacking five-dice must-bank-triples exact costly-threes minimum",
}
"""The variations that the five source texts name; `original` and `build-on` name none."""


@pytest.mark.parametrize("name", SEEDS)
def test_S8_L13_R7_every_variation_that_a_source_text_names_is_one_of_its_set(name: str) -> None:
    assert [one.name for one in variations(name)] == SEEDS[name].split()


@pytest.mark.parametrize(
    ("variation", "dice", "points"),
    [
        ("four-of-a-kind", "2222", 1_000),
        ("four-and-pair", "222233", 1_500),
        ("five-of-a-kind", "22222", 2_000),
        ("six-of-a-kind", "222222", 3_000),
        ("straight", "123456", 1_500),
        ("three-pairs", "224466", 1_500),
        ("two-triplets", "222333", 2_500),
    ],
)
def test_S8_each_extra_combination_is_a_variation_of_standard(variation: str, dice: str, points: int) -> None:
    roll = tuple(map(int, dice))
    kept = score_table(parse(f"standard:{variation}"))[roll].keeps[roll]
    without = score_table(named("standard"))[roll].keeps.get(roll)
    assert kept.points == points
    assert without is None or without.points < points


def test_S8_all_extra_combinations_and_the_entry_are_extended() -> None:
    every = SEEDS["standard"].split()
    assert parse(f"standard:{','.join(every[2:10])}").digest == named("extended").digest


@pytest.mark.parametrize("name", [name for name in names() if variations(name)])
def test_variations_go_together_in_any_order(name: str) -> None:
    every = [one.name for one in variations(name)]
    for chosen in (*combinations(every, 2), every):
        rules = parse(f"{name}:{','.join(chosen)}")
        assert rules == parse(f"{name}:{','.join(reversed(chosen))}")
        assert parse(str(rules)) == rules
        assert "(" not in str(rules)


def test_L13_a_variation_that_another_one_includes_changes_nothing_more() -> None:
    assert str(parse("guts-and-luck:high-stakes,stake")) == "guts-and-luck:stake"
    assert parse("guts-and-luck:stake").digest == parse("high-stakes:stake").digest


def test_E12_changed_variations_lose_their_name() -> None:
    assert str(parse("renaissance:five-dice(target=6000)")) == "renaissance(dice=5, target=6000)"
    assert str(parse("renaissance:minimum(minimum=350)")) == "renaissance(entry=450, minimum=350)"


@pytest.mark.parametrize(
    ("spec", "code", "part"),
    [
        ("renaissance:five-dise", "unknown_variation", 'Did you mean "renaissance:five-dice"? There are: no-piggyback'),
        ("minimal:exact", "unknown_variation", 'minimal has no variation "exact". It has none: change its fields.'),
        ("renaissance:", "bad_notation", "write a name, name:variation or"),
        ("renaissance:exact,", "bad_notation", "write a name, name:variation or"),
        (":exact", "bad_notation", "is not a rule set"),
    ],
)
def test_E12_a_variation_that_is_none(spec: str, code: str, part: str) -> None:
    with pytest.raises(RulesError) as refused:
        parse(spec)
    assert refused.value.code == code
    assert part in refused.value.message


def test_E12_a_file_may_be_based_on_a_variation() -> None:
    rules = from_toml('base = "renaissance:exact"\ntarget = 5000')
    assert (rules.finish, rules.target) == ("exact", 5000)
