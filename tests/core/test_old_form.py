"""Rules and records written before scoring was a table of patterns: they are read, and mean the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from farkel.errors import RulesError
from farkel.game import apply
from farkel.match import Match
from farkel.record import read
from farkel.rules import Rules, digests, from_json, from_toml, load, named, parse, validated
from farkel.scoring import score_table
from farkel.web.store import Game
from farkel.web.table import Table
from web_helpers import plan_of

OLD = Path(__file__).parents[1] / "old_form"
SWITCHES = (
    "extended(target=6000, toxic_twos=true, triple_ends_turn=true, scoring.three_threes=-300, scoring.four_alike=0, "
    "scoring.three_ones=300, scoring.nothing=250, minimum=200, most_seats=8)"
)
AS_PATTERNS = (
    "extended(target=6000, minimum=200, scoring.111=300, scoring.aaaa=0, rolled.333=-300, rolled.2222=farkle, "
    "rolled.aaa=bank, rolled.nothing=250, most_seats=8)"
)
DIGESTS = {
    "original": "e4eecd757ccd328d",
    "facebook": "be42ce2605141e0b",
    "renaissance": "908e6ba3e2680a0c",
    "zilch": "086a5644535c95e4",
}
"""What these sets were named by in the old form."""


def played(rules: Rules) -> dict[str, Any]:
    """Every field but the texts, which the catalogue may reword."""
    return rules.model_dump(exclude={"title", "source", "about"})


@pytest.mark.parametrize("path", sorted(OLD.glob("*.farkel")), ids=lambda path: path.stem)
def test_a_record_of_the_old_form_is_read_to_its_end(path: Path) -> None:
    record = read(path)
    assert record.problem is None
    assert record.state.over
    state = record.header.new_game()
    for move in record.moves:
        state = apply(state, move.event)
    assert state == record.state
    if path.stem in DIGESTS:
        assert DIGESTS[path.stem] in path.read_text("utf-8")
        assert record.header.rules.combinations == named(path.stem).combinations


def test_a_record_of_the_old_form_can_be_resumed(tmp_path: Path) -> None:
    whole = (OLD / "zilch.farkel").read_bytes()
    path = tmp_path / "half.farkel"
    path.write_bytes(b"\n".join(whole.split(b"\n")[:60]) + b"\n")
    match = Match.resume(path)
    while not match.state.over:
        action = match.decide()
        match.throw() if action is None else match.act(action)
    match.close()
    assert read(path).state == read(OLD / "zilch.farkel").state


def test_a_record_whose_rules_were_changed_is_refused() -> None:
    text = (OLD / "zilch.farkel").read_text("utf-8")
    rules = text.partition("rules: ")[2].partition("seats:")[0].splitlines()[1:]
    assert DIGESTS["zilch"] in digests("\n".join(line.strip() for line in rules))
    assert DIGESTS["zilch"] not in digests("\n".join(rules).replace("1500", "1550").replace("    ", ""))


@pytest.mark.parametrize("name", ["switches.toml", "switches.json"])
def test_a_file_of_the_old_form_means_the_same(name: str) -> None:
    text = (OLD / name).read_text("utf-8")
    rules = from_toml(text) if name.endswith("toml") else from_json(text)
    assert played(rules) == played(parse(SWITCHES)) == played(parse(AS_PATTERNS))


def test_a_game_stored_in_the_old_form_continues() -> None:
    plan = plan_of("minimal", "here", "here")
    stored = json.loads(plan.model_dump_json()) | {"rules": json.loads((OLD / "switches.json").read_text("utf-8"))}
    table = Table.of(Game("aaa", json.dumps(stored), bytes(32), "host", {}, ()))
    assert played(table.plan.rules) == played(parse(AS_PATTERNS))


@pytest.mark.parametrize(
    ("old", "patterns"),
    [
        ("standard(scoring.three_ones=300)", "standard(scoring.111=300)"),
        (
            "kcd(scoring.three_ones=300)",
            "kcd(scoring.111=300, scoring.1111=600, scoring.11111=1200, scoring.111111=2400)",
        ),
        (
            "facebook(scoring.three_twos=500)",
            "facebook(scoring.222=500, scoring.2222=1000, scoring.22222=1500, scoring.222222=2000)",
        ),
        ("zilch(scoring.nothing=0)", "zilch(rolled.nothing=0)"),
        ("zilch(scoring.four_alike=1000)", "zilch(scoring.1111=1000, scoring.aaaa=1000)"),
        ("extended(scoring.three_threes=-300)", "extended(rolled.333=-300)"),
        ("extended(rolled.333=-300, scoring.three_threes=300)", "extended"),
        ("extended(toxic_twos=true, triple_ends_turn=true)", 'extended(rolled.2222="farkle", rolled.aaa="bank")'),
        ("extended(rolled.2222=farkle, toxic_twos=false)", "extended"),
    ],
)
def test_old_fields_in_a_notation_change_patterns(old: str, patterns: str) -> None:
    one, two = parse(old), parse(patterns)
    assert {roll.roll: dict(roll.keeps) for roll in score_table(one)} == {
        roll.roll: dict(roll.keeps) for roll in score_table(two)
    }
    assert one.rolled == two.rolled


def test_more_alike_in_a_notation() -> None:
    doubled = parse("standard(scoring.more_alike=double)").scoring
    assert doubled == parse("kcd(scoring.12345=0, scoring.23456=0, scoring.123456=0)").scoring
    added = parse("standard(scoring.more_alike=add)").scoring
    assert added == parse("facebook(scoring.aabbcc=0, scoring.123456=0)").scoring
    assert parse("kcd(scoring.more_alike=points, scoring.five_alike=700)").scoring.plain == {
        "1": 100,
        "5": 50,
        "111": 1_000,
        "aaa": "100a",
        "12345": 500,
        "23456": 750,
        "aaaaa": 700,
        "123456": 1_500,
    }


@pytest.mark.parametrize(
    "change", ["scoring.more_alike=triple", "toxic_twos=2", "scoring.one=many", "scoring.nothing=-5"]
)
def test_old_fields_with_values_that_they_never_had_are_refused(change: str) -> None:
    with pytest.raises(RulesError) as refused:
        load("standard", [change])
    assert refused.value.code == "bad_rules"


@pytest.mark.parametrize(
    "tree",
    [
        {"scoring": {"more_alike": ["double"]}},
        {"scoring": {"three_ones": "²a", "three_twos": "9" * 5_000 + "a", "aaa": "9" * 5_000 + "a"}},
        {"scoring": {"one": {"points": []}, "nothing": {}}},
        {"scoring": {"three_sixes": None}, "rolled": 5, "toxic_twos": []},
        {"scoring": {"four_alike": "many"}, "dice": "six"},
        {"scoring": 5, "toxic_twos": True},
    ],
    ids=str,
)
def test_nonsense_in_old_fields_is_refused(tree: dict[str, Any]) -> None:
    with pytest.raises(RulesError) as refused:
        validated(tree, "here")
    assert refused.value.code == "bad_rules"
