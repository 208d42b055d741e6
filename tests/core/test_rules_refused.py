"""Rules that cannot be played: fields that contradict each other, values that are not allowed, unknown names."""

from __future__ import annotations

from typing import Any

import pytest

from farkel.errors import RulesError
from farkel.rules import Lives, Rules, allowed, changed, fields, from_json, from_toml, load, named, validated

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
