"""Published rule texts, each as a file: its rules say every fact that can be said, and its worked examples come out.

A fact names what it sets: fields of the rules, the points of dice (`worth`), a clause of docs/rules.md that holds in
every game, a note on why it is not a rule, or the missing part. An example is a game in words, as in `helpers`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from farkel.game import Phase
from farkel.game.scoring import score_table
from farkel.rules import LANGUAGES, Rules, sheet, to_toml, validated
from farkel.rules.as_text import from_toml
from games_in_words import dice, event_of, go, is_farkle, on_turn
from make_published import PAGE, TEXTS, missing, page, text
from named_rules import rules_from

FILES = sorted(TEXTS.glob("*.toml"))
EXAMPLES = [(file, number) for file in FILES for number in range(len(text(file).get("examples", [])))]
LEAST_COMPLETE = 59
"""Texts of which the rules say everything; raise it with every rule that comes in."""
SAYS = {"fields", "worth", "clause", "note", "missing"}


@cache
def rules_in(path: Path) -> Rules:
    """The rules of a text."""
    return validated(text(path)["rules"], path.name)


def value(rules: Rules, field: str) -> Any:
    """What a dotted field holds; of a pattern that is in no table, 0."""
    table, _, form = field.partition(".")
    if table in ("scoring", "rolled"):
        return getattr(rules, table).plain.get(form, 0)
    found: Any = rules
    for step in field.split("."):
        found = getattr(found, step)
    return found


def points(rules: Rules, kept: str) -> int:
    """What exactly these dice are worth if they are kept together; 0 if they may not be."""
    keep = score_table(rules)[dice(kept)].keeps.get(dice(kept))
    return keep.points if keep else 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_rules_of_a_text_say_its_facts(path: Path) -> None:
    published, rules = text(path), rules_in(path)
    assert published["title"]
    assert published["source"]
    assert published["language"] in LANGUAGES
    clauses = set(re.findall(r"\*\*([A-Z]\d+)\*\*", (PAGE.parent / "rules.md").read_text("utf-8")))
    for fact in published["facts"]:
        assert fact.keys() & SAYS, f"{fact['says']}: nothing checks it"
        assert fact.keys() <= SAYS | {"says"}
        assert {fact.get("clause", "C1")} <= clauses
        for field, expected in fact.get("fields", {}).items():
            assert value(rules, field) == expected, f"{fact['says']}: {field}"
        for kept, expected in fact.get("worth", {}).items():
            assert points(rules, kept) == expected, f"{fact['says']}: {kept}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_rules_of_a_text_are_rules_like_any_other(path: Path) -> None:
    rules = rules_in(path)
    assert from_toml(to_toml(rules)) == rules
    assert rules_from(str(rules)) == rules
    assert sheet(rules).sections


@pytest.mark.parametrize(("path", "number"), EXAMPLES, ids=[f"{path.stem}-{number + 1}" for path, number in EXAMPLES])
def test_a_worked_example_of_a_text_comes_out(path: Path, number: int) -> None:
    example, rules = text(path)["examples"][number], rules_in(path)
    if "waits" in example:
        pytest.skip(f"needs {example['waits']}")
    for kept, expected in example.get("worth", {}).items():
        assert points(rules, kept) == expected
    if "roll" in example:
        best = score_table(rules)[dice(example["roll"])].best
        assert (best.points if best else 0) == example["best"]
    if "play" not in example:
        return
    state = on_turn(rules, *example.get("scores", (0, 0)))
    if "turn" in example:
        state = state._replace(points=example["turn"])
    *before, last = example["play"]
    state = go(state, *before)
    after = go(state, event_of(last))
    if "keeps" in example:
        keeps = score_table(rules)[after.roll].keeps
        assert {kept: keeps[dice(kept)].points for kept in example["keeps"]} == example["keeps"]
    if example.get("farkle"):
        assert is_farkle(rules, last)
        assert after.seat != state.seat
    if "total" in example:
        assert (after.phase, after.points) == (Phase.ROLL, example["total"])
        assert after.dice == example.get("dice", after.dice)
    if "score" in example:
        assert after.seats[state.seat].score == example["score"]


def test_most_texts_are_said_completely() -> None:
    complete = [path.stem for path in FILES if not missing(text(path))]
    assert len(FILES) == 62
    assert len(complete) >= LEAST_COMPLETE


def test_the_page_of_published_rules_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `python tests/make_published.py`"
