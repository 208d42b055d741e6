"""Rules as data: the catalogue, reading and printing, identity, and errors about unplayable rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import farkel
from farkel.errors import RulesError, SolveError
from farkel.game.scoring import score_table
from farkel.rules import (
    DEFAULT,
    Lives,
    Rules,
    allowed,
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
    sheet,
    to_json,
    to_toml,
    validated,
    variations,
)
from farkel.rules.finding import search
from farkel.rules.writing import Variation, varied
from farkel.solve import best_turn
from farkel.support.lazy import homes
from helpers import CATALOGUE, LABEL, rule_sets

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


@pytest.mark.parametrize("sign", ["\x1b[2J", "\x9b2J", "\x07", "\r", "\x7f"])
def test_a_label_holds_nothing_that_a_terminal_obeys(sign: str) -> None:
    for label in ("title", "source", "about"):
        code, message = code_of(partial(changed, named("standard"), f"{label}=A{sign}B"))
        assert code == "bad_rules"
        assert "without control characters" in message
        assert sign not in message


def test_the_notation_names_the_differences() -> None:
    rules = changed(named("standard"), "target=5000", "scoring.111=400")
    assert str(rules) == notation(rules) == "standard(target=5000, scoring.111=400)"
    assert str(rules) in repr(rules)
    ours = changed(named("extended"), "name=ours", "title=Our rules")
    assert parse(str(ours)) == ours
    assert str(ours).startswith('standard(name="ours", title="Our rules", ')


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


@pytest.mark.parametrize(
    "text",
    ["standard(target=5000)", " standard ( target = 5000 ) ", "standard(\n  target=5_000\n)", "standard(target=5000,)"],
)
def test_a_notation_may_be_spaced(text: str) -> None:
    assert parse(text) == changed(named("standard"), "target=5000")


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


# Rules that cannot be played -----------------------------------------------------------------------------------------

CONTRADICTIONS: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (("target=0",), ("target = 0", "rounds = 0")),
    (("target=0", "rounds=5", "finish=exact"), ('finish = "exact"', "target is 0")),
    (("target=0", "rounds=5", "finish=welfare"), ('finish = "welfare"', "target is 0")),
    (("entry=10050",), ("entry = 10050", "target = 10000")),
    (("minimum=10050",), ("minimum = 10050", "target = 10000")),
    (("entry_each=true", "entry=500"), ("entry_each = true", 'teams is "together"')),
    (("entry_each=true", "teams=partners"), ("entry_each = true", "entry is 0")),
    (("dice=5", "scoring.123456=1500"), ("scoring.123456 = 1500 needs six dice", "dice = 5")),
    (("dice=5", "scoring.aabbcc=1500"), ("scoring.aabbcc = 1500 needs six dice", "dice = 5")),
    (("scoring.aaaaaaaa=1500",), ("scoring.aaaaaaaa = 1500 needs eight dice", "dice = 6")),
    (("dice=5", "rolled.222222=farkle"), ('rolled.222222 = "farkle" needs six dice', "dice = 5")),
    (
        ("scoring.1=0", "scoring.5=0", "scoring.111=0", "scoring.aaa=0", "scoring.123456=1500"),
        ("scoring: nothing scores of one, two or three dice",),
    ),
    (
        ("scoring.1=0", "scoring.5=0", "rolled.aaa=-100", "scoring.123456=1500"),
        ("scoring: nothing scores of one, two or three dice",),
    ),
    (("finish=exact", "target=10025"), ("target = 10025", 'finish = "exact"')),
    (("finish=welfare", "target=10025"), ("target = 10025", 'finish = "welfare"')),
    (("take_over.price=stake",), ('take_over.price = "stake"', "take_over.stake above 0")),
    (("take_over.stake=1000",), ("take_over.stake = 1000", 'take_over.price = "stake"')),
    (("take_over.price=free", "take_over.stake=1000"), ("take_over.stake = 1000", 'it is "free"')),
    (("take_over.price=lives",), ('take_over.price = "lives"', "lives.each above 0")),
    (("take_over.choose_dice=true",), ("take_over.choose_dice = true", 'take_over.price is "none"')),
    (("take_over.after_farkle=true",), ("take_over.after_farkle = true", 'take_over.price is "none"')),
    (("take_over.after_hot_dice=true",), ("take_over.after_hot_dice = true", 'take_over.price is "none"')),
    (("lives.each=3",), ("lives.each = 3", "lives.farkle")),
    (("lives.farkle=1",), ("lives.farkle = 1", "lives.each above 0")),
    (("lives.farkle_all_dice=2",), ("lives.farkle_all_dice = 2", "lives.each above 0")),
    (
        ("lives.each=3", "lives.farkle=1", "lives.round_points=0"),
        ('lives.last_standing = "rounds"', "round_points is 0"),
    ),
    (("lives.each=3", "lives.farkle=1", "target=0", "rounds=5"), ('lives.last_standing = "rounds"', "target is 0")),
    (("penalties.farkles_in_row=3",), ("penalties.farkles_in_row = 3", "penalties.farkles_in_row_points = 0")),
    (
        ("penalties.farkles_in_row_points=500",),
        ("penalties.farkles_in_row = 0", "penalties.farkles_in_row_points = 500"),
    ),
]


@pytest.mark.parametrize(("changes", "named_fields"), CONTRADICTIONS, ids=lambda value: " ".join(value)[:60])
def test_contradictory_fields_are_refused_naming_both(changes: tuple[str, ...], named_fields: tuple[str, ...]) -> None:
    with pytest.raises(RulesError) as refused:
        changed(named("standard"), *changes)
    assert refused.value.code == "bad_rules"
    assert len(refused.value.defects) == 1
    for field in named_fields:
        assert field in refused.value.defects[0]
        assert field in str(refused.value)


def test_all_contradictions_are_reported_together() -> None:
    with pytest.raises(RulesError) as refused:
        changed(named("standard"), "target=0", "take_over.stake=1000", "lives.farkle=1")
    assert len(refused.value.defects) == 3


def test_a_value_made_in_python_is_refused_too() -> None:
    with pytest.raises(RulesError, match=r"target = 0 and rounds = 0"):
        Rules(target=0)
    with pytest.raises(RulesError) as refused:
        Rules(target=-1, dice=0)
    assert refused.value.code == "bad_rules"
    assert refused.value.defects == (
        "dice = 0 is not allowed; dice is a whole number from 1 to 10",
        "target = -1 is not allowed; target is a whole number from 0 to 10,000,000",
    )
    with pytest.raises(RulesError, match=r"lives.each = -1 is not allowed; lives.each is a whole number from 0 to"):
        Lives(each=-1)


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


TYPES: list[tuple[dict[str, Any], str, str]] = [
    ({"target": "5000"}, 'target = "5000"', "a whole number from 0 to 10,000,000"),
    ({"target": True}, "target = true", "a whole number from 0 to 10,000,000"),
    ({"target": 5_000.0}, "target = 5000.0", "a whole number from 0 to 10,000,000"),
    ({"target": 0.5}, "target = 0.5", "a whole number from 0 to 10,000,000"),
    ({"target": -50}, "target = -50", "a whole number from 0 to 10,000,000"),
    ({"target": 10_000_001}, "target = 10000001", "a whole number from 0 to 10,000,000"),
    ({"target": None}, "target = null", "a whole number from 0 to 10,000,000"),
    ({"target": [5_000]}, "target = [5000]", "a whole number from 0 to 10,000,000"),
    ({"rounds": 1_001}, "rounds = 1001", "a whole number from 0 to 1,000"),
    ({"team_size": 0}, "team_size = 0", "a whole number from 1 to 8"),
    ({"most_seats": 21}, "most_seats = 21", "a whole number from 1 to 20"),
    ({"dice": 11}, "dice = 11", "a whole number from 1 to 10"),
    ({"dice": True}, "dice = true", "a whole number from 1 to 10"),
    ({"dice": "6"}, 'dice = "6"', "a whole number from 1 to 10"),
    ({"dice": 5.0}, "dice = 5.0", "a whole number from 1 to 10"),
    (
        {"finish": "sometime"},
        'finish = "sometime"',
        'one of "at_once", "last_turns", "equal_turns", "exact", "welfare"',
    ),
    ({"hot_dice_multiplier": 1}, "hot_dice_multiplier = 1", "true or false"),
    ({"hot_dice_multiplier": "yes"}, 'hot_dice_multiplier = "yes"', "true or false"),
    ({"name": "Our Rules"}, 'name = "Our Rules"', "a short name of small letters, digits and hyphens"),
    ({"name": ""}, 'name = ""', "a short name of small letters, digits and hyphens"),
    ({"title": 5}, "title = 5", "text of at most 80 characters"),
    ({"about": "x" * 1_001}, "about = ", "text of at most 1000 characters"),
    ({"scoring": 100}, "scoring = 100", "a table of patterns, such as 1 = 100"),
    ({"rolled": [1]}, "rolled = [1]", 'a table of patterns, such as 2222 = "farkle"'),
    ({"scoring": {"1": "100"}}, 'scoring.1 = "100"', "a whole number from 0 to 10,000,000"),
    ({"scoring": {"1": -100}}, "scoring.1 = -100", "a whole number from 0 to 10,000,000"),
    ({"scoring": {"1": True}}, "scoring.1 = true", "a whole number from 0 to 10,000,000"),
    ({"scoring": {"aaa": "1.5a"}}, 'scoring.aaa = "1.5a"', 'or times the face of a letter, such as "200a"'),
    ({"scoring": {"aaa": "1000001a"}}, 'scoring.aaa = "1000001a"', "or times the face of a letter"),
    ({"scoring": {"aaa": "100b"}}, 'scoring.aaa = "100b"', "times the letter b, but the pattern has a"),
    ({"scoring": {"111": "100a"}}, 'scoring.111 = "100a"', "but the pattern has no letter"),
    ({"scoring": {"0": 5}}, "scoring.0 = 5", '"0" is no pattern: write the dice that make it'),
    ({"scoring": {"1abcdef": 5}}, "scoring.1abcdef = 5", '"1abcdef" cannot be rolled: each letter is a face'),
    ({"scoring": {"1" * 11: 5}}, f"scoring.{'1' * 11} = 5", "a pattern has 10 at most"),
    ({"scoring": {"x" * 5_000: 5}}, "scoring.xxx", "is no pattern"),
    ({"scoring": {"aaabb": 5, "bbbaa": 6}}, "scoring.bbbaa and scoring.aaabb are the same dice", "give one of them"),
    ({"scoring": {"abcdef": 5, "123456": 6}}, "scoring.123456 and scoring.abcdef", "the same dice"),
    ({"scoring": {"aaa": {"points": 5, "worth": 6}}}, "scoring.aaa = ", '"confirm", "missing", not "worth"'),
    ({"scoring": {"aaa": {"points": 5, "then": "stop"}}}, "scoring.aaa = ", 'one of "roll", "bank", "win", not "stop"'),
    ({"scoring": {"aaa": {"points": 5, "when": "late"}}}, "scoring.aaa = ", '"all_dice", "after_set", not'),
    ({"scoring": {"aaa": {"points": 5, "confirm": -1}}}, "scoring.aaa = ", "a whole number of points from 0 to"),
    ({"scoring": {"aaa": {"points": 5, "confirm": "350"}}}, "scoring.aaa = ", "a whole number of points from 0 to"),
    ({"scoring": {"aaa": {"points": 5, "confirm": True}}}, "scoring.aaa = ", "a whole number of points from 0 to"),
    ({"scoring": {"aaa": {"points": 5, "then": "win"}}}, "scoring.aaa = ", 'need no points; write "win"'),
    ({"scoring": {"aaa": {"points": 5, "then": "bank", "confirm": 5}}}, "scoring.aaa = ", "leave out confirm = 5 or"),
    ({"scoring": {"aaa": {"points": 5, "then": "roll", "confirm": 5}}}, "scoring.aaa = ", "asks for another roll any"),
    ({"scoring": {"aaa": {"then": "win", "confirm": 5}}}, "scoring.aaa = ", "a game that is won needs no confirming"),
    ({"scoring": {"aaa": {"points": 0, "then": "roll"}}}, "scoring.aaa = ", "pay 0 cannot be kept"),
    ({"scoring": {"aaa": "lose"}}, 'scoring.aaa = "lose"', "a whole number from 0 to 10,000,000"),
    ({"rolled": {"333": {"points": 5, "then": "lose"}}}, "rolled.333 = ", 'moves no points besides; write "lose"'),
    ({"rolled": {"333": {"points": -5, "then": "zero"}}}, "rolled.333 = ", 'moves no points besides; write "zero"'),
    ({"rolled": {"333": {"then": "roll"}}}, "rolled.333 = ", 'one of "bank", "again", "farkle", "zero", "lose", "win"'),
    ({"rolled": {"333": {"points": 5, "when": "now"}}}, "rolled.333 = ", 'one of "first_roll", "all_dice"'),
    ({"rolled": {"333": {"points": 5, "confirm": 5}}}, "rolled.333 = ", '"points", "then", "when", not "confirm"'),
    ({"rolled": {"nothing": "farkle"}}, 'rolled.nothing = "farkle"', "are a farkle anyway; write"),
    ({"rolled": {"nothing": "bank"}}, 'rolled.nothing = "bank"', "dice that pay nothing cannot be banked; write"),
    ({"hot_dice_bonus_to": "score"}, 'hot_dice_bonus_to = "score"', "needs hot_dice_bonus above 0"),
    ({"keep": "most"}, 'keep = "most"', 'one of "any", "all"'),
    ({"scoring": {"aaa": {"name": "boat"}}}, "scoring.aaa = ", "it lacks its points"),
    ({"scoring": {"aaa": {"points": 5, "name": "x" * 41}}}, "scoring.aaa = ", "a line of at most 40 characters"),
    ({"rolled": {"333": 10_000_001}}, "rolled.333 = 10000001", "score from -10,000,000 to 10,000,000"),
    ({"rolled": {"333": "stop"}}, 'rolled.333 = "stop"', 'what a roll does is "bank", "again", "farkle"'),
    ({"rolled": {"333": {"points": -5, "then": "win"}}}, "rolled.333 = ", 'moves no points besides; write "win"'),
    ({"rolled": {"nothing": -5}}, "rolled.nothing = -5", "a whole number from 0 to 10,000,000"),
    ({"lives": {"each": 1.5}}, "lives.each = 1.5", "a whole number from 0 to 1,000"),
]


@pytest.mark.parametrize(("tree", "given_text", "allowed_text"), TYPES, ids=lambda value: str(value)[:50])
def test_wrong_values_are_reported_with_allowed_ones(tree: dict[str, Any], given_text: str, allowed_text: str) -> None:
    with pytest.raises(RulesError) as refused:
        validated(tree, "ours.toml")
    assert refused.value.code == "bad_rules"
    assert "ours.toml" in str(refused.value)
    assert len(refused.value.defects) == 1
    assert given_text in refused.value.defects[0]
    assert allowed_text in refused.value.defects[0]


def test_every_fault_is_reported() -> None:
    with pytest.raises(RulesError) as refused:
        from_json('{"target": "x", "dice": 0, "scoring": {"1": 1.5}, "colour": "red"}')
    assert len(refused.value.defects) == 4
    assert all(defect in str(refused.value) for defect in refused.value.defects)


@pytest.mark.parametrize("field", list(fields()))
def test_every_field_names_its_allowed_values(field: str) -> None:
    # A list is wrong for every field; the refusal names the field and its allowed values.
    *group, last = field.split(".")
    tree: dict[str, Any] = {last: []} if not group else {group[0]: {last: []}}
    with pytest.raises(RulesError) as refused:
        validated(tree, "here")
    assert refused.value.defects == (f"{field} = [] is not allowed; {field} is {allowed(field)}",)


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("taget", '"target"'),
        ("Target", '"target"'),
        ("lives.eech", '"lives.each"'),
        ("price", '"take_over.price"'),
        ("turns", '"last_turns", "last_turns_again" or "turns_in_row"'),
        ("lives.xyzzy", '"lives.each", "lives.farkle" or "lives.farkle_all_dice"'),
        ("winning", '"cancel_win"'),
    ],
)
def test_unknown_fields_are_reported_with_the_nearest_few(field: str, meant: str) -> None:
    with pytest.raises(RulesError) as refused:
        changed(named("standard"), f"{field}=5")
    assert refused.value.code == "unknown_field"
    assert f'"{field}"' in str(refused.value)
    assert f"did you mean {meant}? All fields are listed by: farkel" in str(refused.value)


@pytest.mark.parametrize("field", ["zzzzzz", "a.b", "", "x"])
def test_an_unknown_field_without_a_similar_one_is_reported_with_where_all_are_listed(field: str) -> None:
    with pytest.raises(RulesError) as refused:
        changed(named("standard"), f"{field}=5")
    all_fields = "All fields are listed by: farkel rules standard --toml"
    assert str(refused.value) == f'there is no field "{field}". {all_fields}'
    with pytest.raises(RulesError) as refused:
        from_toml("zzzzzz = 1\nyyyyyy = 2", "ours.toml")
    assert str(refused.value).count(all_fields) == 1


def test_unknown_fields_in_a_file() -> None:
    with pytest.raises(RulesError, match=r'no field "lives.eech"; did you mean "lives.each"') as refused:
        from_toml("[lives]\neech = 3", "ours.toml")
    assert refused.value.code == "bad_rules"


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("three_ones", '"111"'),
        ("three_one", '"111"'),
        ("straigt", '"123456"'),
        ("full_house", '"aaabb"'),
        ("threepairs", '"aabbcc"'),
    ],
)
def test_a_name_in_place_of_a_pattern_is_reported_with_the_pattern(pattern: str, meant: str) -> None:
    with pytest.raises(RulesError, match=f"did you mean {meant}"):
        changed(named("standard"), f"scoring.{pattern}=5")
    with pytest.raises(RulesError, match=f"did you mean {meant}"):
        from_toml(f"[scoring]\n{pattern} = 5")


@pytest.mark.parametrize("field", ["more_alike", "four_alike", "nothing", "1.2", ""])
def test_an_entry_that_is_no_pattern_is_reported_with_the_form_of_patterns(field: str) -> None:
    form = f'"{field}" is no pattern: write the dice that make it'
    with pytest.raises(RulesError, match=form) as refused:
        changed(named("standard"), f"scoring.{field}=5")
    assert refused.value.code == "unknown_field"
    with pytest.raises(RulesError, match=form):
        validated({"scoring": {field: 5}}, "here")


@pytest.mark.parametrize("field", ["scoring", "rolled"])
def test_a_table_is_changed_entry_by_entry(field: str) -> None:
    with pytest.raises(RulesError, match=rf'"{field}" is a table of patterns, not one of them') as refused:
        changed(named("standard"), f"{field}=5")
    assert refused.value.code == "unknown_field"


@pytest.mark.parametrize("field", ["take_over", "lives", "penalties"])
def test_a_group_of_fields_is_not_a_field(field: str) -> None:
    with pytest.raises(RulesError, match=rf'"{field}" is a group of fields') as refused:
        changed(named("standard"), f"{field}=5")
    assert refused.value.code == "unknown_field"


def test_a_field_is_not_a_group() -> None:
    with pytest.raises(RulesError) as refused:
        changed(named("standard"), "target.points=5")
    assert refused.value.code == "unknown_field"


def test_a_change_without_a_value() -> None:
    with pytest.raises(RulesError, match="FIELD=VALUE") as refused:
        changed(named("standard"), "target")
    assert refused.value.code == "bad_change"


def test_unknown_names_are_reported_with_a_suggestion() -> None:
    with pytest.raises(RulesError, match='Did you mean "standard"') as refused:
        load("standart")
    assert refused.value.code == "unknown_rules"
    assert "All 44 are listed by: farkel rules" in str(refused.value)
    assert len(str(refused.value)) < 200
    with pytest.raises(RulesError) as nothing_like_it:
        load("xyzzy")
    assert "Did you mean" not in str(nothing_like_it.value)


@pytest.mark.parametrize("text", ["", "standard(target=5000", "standard target=5000", "target=5000)", "a b"])
def test_a_notation_that_is_none(text: str) -> None:
    with pytest.raises(RulesError, match=r"name\(field=value, \.\.\.\)") as refused:
        parse(text)
    assert refused.value.code == "bad_notation"


def code_of(act: Callable[[], object]) -> tuple[str, str]:
    """The code and the message with which ``act`` fails."""
    with pytest.raises(RulesError) as refused:
        act()
    return refused.value.code, str(refused.value)


@pytest.mark.parametrize(
    "text",
    ["target = ", "target = 5000\ntarget = 6000", "[scoring", "target: 5000", "target = " + "9" * 5_000],
    ids=lambda text: text[:20],
)
def test_malformed_toml(text: str) -> None:
    code, message = code_of(lambda: from_toml(text, "ours.toml"))
    assert code == "malformed"
    assert "ours.toml is not TOML" in message


def test_malformed_toml_names_the_line() -> None:
    assert "line 2" in code_of(lambda: from_toml("target = 5000\ndice = six\n", "ours.toml"))[1]


@pytest.mark.parametrize("text", ["", "{", '{"target": }', '{"target": 5000,}', "nonsense"], ids=lambda text: text[:20])
def test_malformed_json(text: str) -> None:
    code, message = code_of(lambda: from_json(text, "ours.json"))
    assert code == "malformed"
    assert "ours.json is not JSON" in message


@pytest.mark.parametrize("text", ["[]", "5", '"standard"', "null"])
def test_json_that_is_not_an_object(text: str) -> None:
    code, message = code_of(lambda: from_json(text, "ours.json"))
    assert code == "malformed"
    assert "object" in message


def test_malformed_json_names_the_line() -> None:
    assert "line 2" in code_of(lambda: from_json('{"target": 5000,\n "dice": six}'))[1]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    code, message = code_of(lambda: load(tmp_path / "none.toml"))
    assert code == "no_file"
    assert "none.toml" in message


def test_a_directory_is_refused_as_a_file(tmp_path: Path) -> None:
    assert code_of(lambda: load(tmp_path))[0] == "unreadable"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_bytes(b"title = \xff\xfe")
    code, message = code_of(lambda: load(file))
    assert code == "unreadable"
    assert "ours.toml cannot be read: it is not UTF-8 text; save it as UTF-8" in message
    file.write_text('title = "Ours"', "utf-16")
    assert "it is UTF-16 text; save it as UTF-8, in PowerShell with -Encoding utf8" in code_of(lambda: load(file))[1]


@pytest.mark.parametrize(
    "name",
    ["~nobody-of-that-name/ours.toml", "ours\0.toml", "x" * 5_000 + ".toml"],
    ids=["no such home", "null", "too long"],
)
def test_impossible_file_names(name: str) -> None:
    assert code_of(lambda: load(name))[0] in ("no_file", "unreadable")


@pytest.mark.parametrize("value", ["9" * 5_000, "0x" + "f" * 20_000, "[[", "[1,"], ids=["huge", "hex", "deep", "list"])
def test_unreadable_changes_to_values(value: str) -> None:
    code, message = code_of(lambda: changed(named("standard"), f"target={value}"))
    assert code == "bad_rules"
    assert "target is a whole number from 0 to 10,000,000" in message


# Values of wrong types -----------------------------------------------------------------------------------------------

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=8)
    | st.binary(max_size=4)
    | st.sampled_from(["standard", "target", "scoring", "111", "aaa", "lives", "each", "free", "100a", object(), Path]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(
            st.sampled_from([*Rules.model_fields, "base", "111", "points", "each", 1]) | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


def _outcome(attempt: Callable[[], object]) -> str:
    try:
        return str(attempt())
    except RulesError as error:
        return error.message


@given(ODD, ODD)
def test_values_of_any_type_make_rules_or_are_refused_with_a_sentence(one: Any, other: Any) -> None:
    standard = named("standard")
    for attempt in (
        lambda: load(one),
        lambda: load(one, base=other),
        lambda: load("standard", other),
        lambda: load({"target": one}, base=other),
        lambda: load({"scoring": one, "take_over": other}, base="standard"),
        lambda: load({"base": one, "lives": other}),
        lambda: parse(one),
        lambda: changed(one, other),
        lambda: changed(standard, one),
        lambda: named(one),
        lambda: varied(standard, one),
        lambda: varied(one, "to-20000"),
        lambda: from_toml(one),
        lambda: from_json(one),
        lambda: validated(one, "here"),
        lambda: validated({"rolled": one, "name": other, "finish": one}, "here"),
        lambda: search(one),
    ):
        assert 1 <= len(_outcome(attempt)) < 10_000


def untyped(value: Any) -> Any:
    """A value of whose type nothing is known."""
    return value


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (lambda: load(untyped(5)), "rules: 5 of type int was given; give a name, a notation or the path of a file"),
        (lambda: load(untyped(None)), "rules: null of type NoneType was given; give a name"),
        (lambda: load("standard", "target=5000"), 'give a list of changes, such as ["target=5000"]'),
        (
            lambda: load("standard", untyped([5])),
            "a change: 5 of type int was given; give a text",
        ),
        (lambda: load("standard", base="extended"), '"standard" is a whole rule set, which needs no base'),
        (lambda: parse(untyped(b"standard")), "of type bytes was given; give a text"),
        (lambda: changed(untyped(5), "target=5000"), "rules: 5 of type int was given; give a name"),
        (lambda: from_toml(untyped(b"")), 'give a text, such as "target = 5000"'),
        (lambda: validated(untyped([]), "here"), 'give a mapping of fields, such as {"target": 5000}'),
        (
            lambda: validated(untyped({5: 5}), "here"),
            "the name of a field: 5 of type int was given; give",
        ),
        (lambda: search(untyped(7)), "give a text, such as"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused_with_a_remedy(attempt: Any, said: str) -> None:
    with pytest.raises(RulesError) as refused:
        attempt()
    assert said in refused.value.message


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


# What was accepted in silence ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "both"),
    [
        ("standard(target=5000, target=6000)", "target = 5000 and target = 6000"),
        ("standard(lives.each=3, lives.farkle=1, lives.each=4)", "lives.each = 3 and lives.each = 4"),
        ("standard(scoring.aaa=5, scoring.bbb=6)", "scoring.aaa = 5 and scoring.bbb = 6"),
        ('standard(rolled.66="win", rolled.66="lose")', 'rolled.66 = "win" and rolled.66 = "lose"'),
        ("standard(scoring.111=5, scoring={1=100})", "scoring.111 = 5 and scoring = {1=100}"),
        ("renaissance:exact,exact", 'the variation "exact" twice'),
    ],
)
def test_a_field_is_given_once(spec: str, both: str) -> None:
    code, message = code_of(lambda: parse(spec))
    assert code == "given_twice"
    assert both in message
    if "(" in spec:
        changes = spec.partition("(")[2][:-1].split(", ")
        assert code_of(lambda: changed(named("standard"), *changes))[0] == "given_twice"
    assert changed(parse("standard(target=5000)"), "target=6000").target == 6_000


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ('standard(scoring.111="win", rolled.111="lose")', 'scoring says "win" for 111 and rolled says "lose"'),
        ('standard(scoring.2222="win", rolled.222="farkle")', 'scoring says "win" for 2222 and rolled says "farkle"'),
        ('standard(rolled.1a="win", rolled.2a="lose")', 'rolled.1a = "win" and rolled.2a = "lose" are both for 12'),
    ],
)
def test_dice_do_not_win_and_lose(spec: str, said: str) -> None:
    assert said in code_of(lambda: parse(spec))[1]
    parse('standard(rolled.11="win", rolled.66="lose")')  # of two in one roll the win counts (P13)
    parse('standard(rolled.1a="win", rolled.2a="lose", rolled.12="win")')
    parse('standard(rolled.111="lose", rolled.aaa="win")')


@pytest.mark.parametrize("text", ["", "\n# nothing yet\n"])
def test_a_file_without_rules_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(text)
    code, message = code_of(lambda: load(file))
    assert code == "empty"
    assert "ours.toml has no rules" in message
    assert code_of(lambda: from_json("{}"))[0] == "empty"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[scoring]\n123456 = {points = 1500, when = first_roll}", 'write when = "first_roll"'),
        ("# hot_dice = forced\ntitle = 'a = b'\nhot_dice = forced", 'write hot_dice = "forced"'),
    ],
)
def test_missing_quotation_marks_are_named(text: str, said: str) -> None:
    message = code_of(lambda: from_toml(text))[1]
    assert said in message
    assert "line" in message


def test_missing_quotation_marks_are_named_in_a_notation() -> None:
    code, message = code_of(lambda: parse("standard(scoring.123456={points=1500, when=first_roll})"))
    assert code == "bad_change"
    assert 'write when = "first_roll"' in message


def test_a_refused_base_names_the_file() -> None:
    code, message = code_of(lambda: from_toml('base = "standart"', "ours.toml"))
    assert code == "unknown_rules"
    assert message.startswith('ours.toml: base: there is no rule set "standart". Did you mean "standard"?')


def test_no_refusal_recommends_what_is_refused() -> None:
    assert '"farkle"' not in code_of(lambda: parse("standard(rolled.nothing=farkle)"))[1].partition("write ")[2]
    assert "-9999" not in code_of(lambda: parse('standard(zones="10000-10050 never")'))[1]
    fined = "standard(scoring.1=0, scoring.5=0, rolled.aaa=-100)"
    assert code_of(lambda: parse(fined))[1].endswith("let some pay, such as scoring.1 = 100")
    assert "set beat_previous=false" in solve_refusal("standard(beat_previous=true)")


def solve_refusal(spec: str) -> str:
    with pytest.raises(SolveError) as refused:
        best_turn(parse(spec))
    return str(refused.value)


def test_a_notation_with_a_slash_is_no_file() -> None:
    assert load('standard(title="5/6 dice")').title == "5/6 dice"


def test_the_sheet_names_the_file_and_no_source_of_other_rules() -> None:
    ours = load("standard(target=5000)")
    assert "From: Standard Farkle as adapted from Wikipedia" in sheet(named("standard")).text()
    assert sheet(ours).source == f"{named('standard').source}, with changes"
    assert sheet(ours, "ours.toml").source == f"ours.toml: {named('standard').source}, with changes"
    assert sheet(changed(ours, 'source="Grandma"'), "ours.toml").source == "ours.toml: Grandma"
    assert sheet(changed(ours, "name=ours")).source == f"{named('standard').source}, with changes"
    assert sheet(load({"target": 5000}), "ours.toml").source == "ours.toml"
    assert sheet(parse("renaissance:five-dice")).source == named("renaissance").source
