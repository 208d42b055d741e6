"""Rules of one's own in the set-up: fields that are changed, notations that are typed, searches that find nothing."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from app_helpers import flat, running, said, shows, table, text
from farkel.rules import load, names, parse
from farkel.terminal.app.fields_screen import FieldsScreen, in_words
from farkel.terminal.app.setup_screen import SetupScreen
from farkel.terminal.app.widgets import Picker
from farkel.terminal.commands.rules.rules import listed
from named_rules import CATALOGUE

pytestmark = pytest.mark.usefixtures("surroundings")


def set_up(pilot: Pilot[int]) -> SetupScreen:
    assert isinstance(pilot.app.screen, SetupScreen)
    return pilot.app.screen


async def typed(pilot: Pilot[int], words: str) -> None:
    await pilot.press(*words, "enter")
    await pilot.pause()


async def test_fields_of_the_chosen_set_are_changed_by_typing() -> None:
    async with running() as pilot:
        await pilot.press("e")
        assert shows(pilot, FieldsScreen)
        assert "target = 10000 Score to reach" in flat(text(pilot))
        assert "scoring.111 = 1000 three 1s" in flat(text(pilot))
        await typed(pilot, "target=5000")
        assert said(pilot, "problem") == "Now target = 5000."
        await typed(pilot, "scoring.111=300")
        await typed(pilot, "")
        assert str(set_up(pilot).rules) == "extended:three-ones-300(target=5000)"
        assert "5,000 points" in said(pilot, "about")
        assert "extended (changed)" in text(pilot)
        await pilot.press("enter")
        assert table(pilot).match.rules == load("extended", ["target=5000", "scoring.111=300"])


async def test_a_wrong_value_says_what_would_be_right_and_changes_nothing() -> None:
    async with running() as pilot:
        await pilot.press("e")
        await typed(pilot, "target=much")
        assert 'target = "much" is not allowed; target is a whole number' in flat(said(pilot, "problem"))
        await pilot.press(*["backspace"] * 11)
        await typed(pilot, "ties")
        assert 'It is one of "shared"' in said(pilot, "problem")
        await pilot.press(*["backspace"] * 4)
        await typed(pilot, "colour=red")
        assert 'there is no field "colour"' in said(pilot, "problem")
        await pilot.press(*["backspace"] * 10)
        await typed(pilot, "target=10000")
        assert said(pilot, "problem") == "It was so before: target=10000."
        await typed(pilot, "target=700")
        await pilot.press("escape")
        assert str(set_up(pilot).rules) == "extended"


async def test_a_score_that_is_taken_away_is_named() -> None:
    async with running() as pilot:
        await pilot.press("e")
        await typed(pilot, "scoring.aaabbb=0")
        assert said(pilot, "problem") == "No longer scoring.aaabbb = 2500."


@pytest.mark.parametrize("rules", CATALOGUE)
def test_every_value_that_is_shown_can_be_typed(rules: str) -> None:
    chosen = load(rules)
    values = [line.partition("  ")[0].replace(" = ", "=", 1) for line in in_words(chosen)]
    assert values
    assert load(chosen.name, values) == chosen


async def test_a_notation_is_typed_into_the_search() -> None:
    async with running() as pilot:
        await pilot.press("slash")
        await typed(pilot, "standard(target=5000)")
        assert str(set_up(pilot).rules) == "standard(target=5000)"
        await pilot.press("slash")
        await typed(pilot, "standard:four-of-a-kind")
        assert str(set_up(pilot).rules) == "standard:four-of-a-kind"
        assert [str(each) for each in set_up(pilot).sets][:2] == ["standard(target=5000)", "original"]
        await pilot.press("slash")
        await typed(pilot, "standard(target=x)")
        assert 'target = "x" is not allowed' in said(pilot, "problem")
        await pilot.press("slash")
        await typed(pilot, "(target=5000)")
        assert "is not a rule set; write a name" in flat(said(pilot, "problem"))


async def test_changed_rules_are_chosen_from_the_list_and_changed_again() -> None:
    async with running() as pilot:
        for target in ("3000", "4000"):
            await pilot.press("slash")
            await typed(pilot, f"standard(target={target})")
        screen = set_up(pilot)
        assert [each.target for each in screen.sets[:2]] == [4_000, 3_000]
        screen.query_one("#rules", Picker)._choose(1)
        await pilot.press("e")
        await typed(pilot, "entry=500")
        await typed(pilot, "")
        assert screen.rules == parse("standard(target=3000, entry=500)")
        await pilot.press("slash")
        await typed(pilot, "standard(target=3000)")
        assert screen.rules.target == 3_000
        assert len(screen.sets) == len(names()) + 3


async def test_a_search_that_finds_nothing_names_no_list_of_sets() -> None:
    async with running() as pilot:
        await pilot.press("slash")
        await typed(pilot, "qqq")
        told = said(pilot, "problem")
        assert 'No rule set fits "qqq"' in told
        assert sum(name in told for name in names()) <= 3
        assert listed() not in told
