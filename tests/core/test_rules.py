"""Rules as data: the catalogue, reading and printing, changes, and identity."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import farkel
from farkel.errors import RulesError
from farkel.game.scoring import score_table
from farkel.rules import (
    DEFAULT,
    Rules,
    changed,
    contradictions,
    fields,
    from_json,
    from_toml,
    load,
    named,
    names,
    notation,
    parse,
    to_json,
    to_toml,
    validated,
)
from farkel.support.lazy import homes
from named_rules import CATALOGUE
from random_rules import LABEL, rule_sets

LABELS = ("name", "title", "source", "about")


# The catalogue -------------------------------------------------------------------------------------------------------


def test_the_catalogue_lists_the_sets_of_the_source_texts_first() -> None:
    assert names()[:7] == CATALOGUE[:7]
    assert list(names()[7:]) == sorted(names()[7:])
    assert DEFAULT in names()


@pytest.mark.parametrize("name", names())
def test_every_set_of_the_catalogue_loads_and_describes_itself(name: str) -> None:
    rules = named(name)
    assert rules.name == name
    assert all((rules.title, rules.source, rules.about))
    assert contradictions(rules) == ()


def test_the_catalogue_hands_out_the_same_value_every_time() -> None:
    assert named("standard") is named("standard")
    assert load("standard") is named("standard")


def test_no_two_sets_of_the_catalogue_are_equal() -> None:
    assert len({named(name) for name in names()}) == len(names())


# Text and back -------------------------------------------------------------------------------------------------------


def assert_round_trips(rules: Rules) -> None:
    for back in (parse(str(rules)), from_toml(to_toml(rules)), from_json(to_json(rules))):
        assert back == rules
        assert back.model_dump() == rules.model_dump()
        assert hash(back) == hash(rules)
        assert back.digest == rules.digest


@pytest.mark.parametrize("name", names())
def test_the_catalogue_round_trips(name: str) -> None:
    assert_round_trips(named(name))
    assert str(named(name)) == name


@given(rule_sets())
def test_any_rules_round_trip(rules: Rules) -> None:
    assert_round_trips(rules)


@given(st.text(LABEL, max_size=80), st.sampled_from(["title", "source", "about"]))
def test_any_text_in_a_label_round_trips(text: str, label: str) -> None:
    assert_round_trips(validated(named("zilch").model_dump() | {label: text}, "here"))


@pytest.mark.parametrize("text", ["🎲 Würfel", 'say "bank", (then) = pass\\', "a\nb\tc\r\nd", "\u2028", "# no comment"])
def test_labels_that_are_hard_to_write_round_trip(text: str) -> None:
    assert_round_trips(validated(named("standard").model_dump() | {"about": text}, "here"))


def test_the_notation_names_the_differences() -> None:
    rules = changed(named("standard"), "target=5000", "scoring.111=400")
    assert str(rules) == notation(rules) == "standard(target=5000, scoring.111=400)"
    assert str(rules) in repr(rules)
    ours = changed(named("extended"), "name=ours", "title=Our rules")
    assert parse(str(ours)) == ours
    assert str(ours).startswith('standard(name="ours", title="Our rules", ')


@pytest.mark.parametrize(
    "text",
    ["standard(target=5000)", " standard ( target = 5000 ) ", "standard(\n  target=5_000\n)", "standard(target=5000,)"],
)
def test_a_notation_may_be_spaced(text: str) -> None:
    assert parse(text) == changed(named("standard"), "target=5000")


def test_a_notation_with_a_slash_is_no_file() -> None:
    assert load('standard(title="5/6 dice")').title == "5/6 dice"


def test_toml_explains_every_field() -> None:
    text = to_toml(named("original"))
    for field, info in fields().items():
        assert info.description
        assert f"# {info.description}" in text
        assert f"{field.rsplit('.', 1)[-1]} = " in text or f"[{field}]" in text


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_rules_load_from_a_file(tmp_path: Path, suffix: str) -> None:
    rules = changed(named("renaissance"), "name=ours", "minimum=300")
    file = tmp_path / f"ours.{suffix}"
    file.write_text(to_toml(rules) if suffix == "toml" else to_json(rules), "utf-8")
    assert load(file) == load(str(file)) == rules
    assert load(file, ["minimum=350", "dice=6"]).minimum == 350


def test_a_file_holds_only_differences_from_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text('name = "ours"\ntarget = 5_000\n')
    rules = load(file)
    assert (rules.target, rules.scoring, rules.dice) == (5_000, named("standard").scoring, 6)


def test_a_table_in_a_file_is_all_that_scores() -> None:
    rules = from_toml("[scoring]\n1 = 100\n123456 = 1_500\n")
    assert rules.scoring.plain == {"1": 100, "123456": 1_500}


def test_a_file_with_a_base_holds_only_differences(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(
        'base = "extended"\nname = "ours"\ntarget = 5_000\n[scoring]\nbbbaa = 1_500\n111 = 300\naabbcc = 0\n'
        '[rolled]\n2222 = "farkle"\n[penalties]\nfarkle_all_dice = 100\n'
    )
    changes = ("name=ours", "target=5000", "scoring.aaabb=1500", "scoring.111=300", "scoring.aabbcc=0")
    rules = changed(named("extended"), *changes, "rolled.2222=farkle", "penalties.farkle_all_dice=100")
    assert load(file) == rules
    assert from_json('{"base": "extended(target=5000)", "dice": 5}') == parse("extended(target=5000, dice=5)")


def test_a_file_or_a_mapping_may_hold_only_differences_from_a_base(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text("target = 5000\n[scoring]\naaaabb = 0\n")
    expected = parse("extended(target=5000, scoring.aaaabb=0)")
    assert load(file, base="extended") == load(str(file), base=named("extended")) == expected
    assert load({"target": 5000, "scoring": {"aaaabb": 0}}, base="extended") == expected
    assert load({"base": "extended", "target": 5000}, base="kcd") == parse("extended(target=5000)")
    file.write_text('base = "renaissance:exact"\ntarget = 5000\n')
    assert load(file, base="extended") == parse("renaissance:exact(target=5000)")
    assert load({"target": 4000}, base=file) == parse("renaissance:exact(target=4000)")


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('base = "standart"', "unknown_rules", 'Did you mean "standard"'),
        ("base = 5", "bad_rules", "base is the name of a rule set or a notation"),
        ('base = "./ours.toml"', "bad_notation", "is not a rule set"),
        ('base = "standard"\n[scoring]\n777 = 5', "bad_rules", '"777" is no pattern'),
        ('base = "standard"\nscoring = 5', "bad_rules", "scoring is a table of patterns"),
        ('base = "standard"\ncolour = 5', "bad_rules", 'there is no field "colour"'),
    ],
)
def test_an_unknown_base_and_faults_beside_one(text: str, code: str, said: str) -> None:
    with pytest.raises(RulesError, match=re.escape(said)) as refused:
        from_toml(text)
    assert refused.value.code == code


def test_files_in_the_home_directory_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "ours.toml").write_text('name = "ours"')
    assert load("~/ours.toml").name == "ours"


# Changes -------------------------------------------------------------------------------------------------------------


def test_changes_of_single_fields() -> None:
    rules = load("standard", ["target = 5000", "take_over.price=free", 'title="Ours"', "hot_dice_multiplier=true"])
    assert (rules.target, rules.take_over.price, rules.title, rules.hot_dice_multiplier) == (
        5_000,
        "free",
        "Ours",
        True,
    )
    assert named("standard").target == 10_000


def test_changes_are_judged_together() -> None:
    # Either of the two alone would contradict the other field.
    rules = changed(named("standard"), "take_over.price=stake", "take_over.stake=1000")
    assert rules.take_over.stake == 1_000


def test_no_change_gives_the_same_value() -> None:
    assert changed(named("standard")) is named("standard")


# Identity ------------------------------------------------------------------------------------------------------------

DIGESTS = {
    "original": "551442fcd632a3e2",
    "standard": "4117a5927674072a",
    "extended": "df69b92a72b97be3",
    "build-on": "e24ffb659537675b",
    "guts-and-luck": "a60a8eb9649190a3",
    "high-stakes": "38495e900a725ff9",
    "renaissance": "a774d9bbbf8eea0d",
    "cardgames": "e32a45a984f2484c",
    "facebook": "4d29f8a24e834805",
    "kcd": "de457d34959a0183",
    "minimal": "ebb511d822f379c6",
    "patch": "7a74a560990473c1",
    "ten-thousand": "8f5bf2b1125ce64c",
    "zilch": "90fedb71ee954d85",
}
"""Records, caches and online games are named by these: a change here breaks them all."""


@pytest.mark.parametrize("name", CATALOGUE)
def test_digests_are_stable(name: str) -> None:
    assert named(name).digest == DIGESTS[name]


def test_the_digest_leaves_out_defaults() -> None:
    # SHA-256 of "{}": rules that change nothing keep their digest when a field is added.
    assert Rules().digest == "44136fa355b3678a"


@given(rule_sets(), st.text(LABEL, max_size=10))
def test_the_digest_is_independent_of_the_labels(rules: Rules, text: str) -> None:
    same = validated(rules.model_dump() | {"name": "other", "title": text, "source": text, "about": text}, "here")
    assert same.digest == rules.digest


@given(rule_sets(), rule_sets())
def test_the_digest_tells_different_games_apart(one: Rules, other: Rules) -> None:
    games = [
        (rules.model_dump(exclude={*LABELS, "scoring"}), rules.scoring.amounts if rules.scoring else {})
        for rules in (one, other)
    ]
    assert (one.digest == other.digest) == (games[0] == games[1])


def test_equal_rules_are_equal_and_hash_alike() -> None:
    again = Rules.model_validate(named("zilch").model_dump())
    assert again is not named("zilch")
    assert again == named("zilch")
    assert hash(again) == hash(named("zilch"))
    renamed = changed(again, "title=Zonk")
    assert renamed != again
    assert renamed.digest == again.digest
    assert again != "zilch"


def test_rules_are_immutable() -> None:
    rules = named("standard")
    for part, field in ((rules, "target"), (rules, "scoring"), (rules.take_over, "stake")):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(part, field, 500)


@pytest.mark.parametrize("name", CATALOGUE)
def test_points_move_in_units(name: str) -> None:
    rules = named(name)
    assert rules.unit == (500 if name == "original" else 50)
    assert all(keep.points % rules.unit == 0 for scored in score_table(rules) for keep in scored.keeps.values())


@given(rule_sets())
def test_points_move_in_units_under_any_rules(rules: Rules) -> None:
    table = score_table(rules)
    assert all(keep.points % rules.unit == 0 for scored in table for keep in scored.keeps.values())
    assert all(scored.fine % rules.unit == 0 for scored in table)
    moves = (*rules.penalties.points, rules.take_over.stake, rules.take_over.bonus)
    assert all(points % rules.unit == 0 for points in moves if points != "all")


def test_the_package_offers_the_first_names() -> None:
    assert farkel.Rules is Rules
    assert farkel.load("minimal").name == "minimal"
    offered = set(homes("farkel"))
    assert len(offered) == 19
    assert offered <= set(dir(farkel))
    for name in offered:
        assert getattr(farkel, name).__module__.startswith("farkel."), name
    with pytest.raises(AttributeError, match="no attribute 'Rule'"):
        getattr(farkel, "Rule")  # noqa: B009


def test_a_copy_is_checked_too() -> None:
    rules = named("zilch")
    assert rules.model_copy() == rules
    assert rules.model_copy(update={"target": 5_000}) == parse("zilch(target=5000)")
    with pytest.raises(RulesError, match=r"target = 0 and rounds = 0"):
        rules.model_copy(update={"target": 0})
