"""How to play in a minute: the sentences of the rule sheet that a player needs first, and where they are shown."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given

from farkel.rules import Rules, load, named, names, scoring_rows, sheet
from farkel.rules.sheets.first_minute import MOST_PAID, MOST_SAID, in_a_minute
from random_rules import rule_sets
from web_helpers import EVERYTHING, plan_of, sited


def on_the_sheet(rules: Rules) -> set[str]:
    return {sentence for section in sheet(rules).sections for sentence in section.sentences}


@given(rule_sets())
def test_whatever_is_said_in_a_minute_is_on_the_sheet(rules: Rules) -> None:
    minute, scoring = in_a_minute(rules), scoring_rows(rules)
    assert on_the_sheet(rules).issuperset(minute.sentences)
    assert len(minute.sentences) <= MOST_SAID
    assert set(scoring).issuperset(minute.rows)
    assert len(minute.rows) <= MOST_PAID


@pytest.mark.parametrize("name", names())
def test_each_set_can_be_begun_after_six_to_eight_sentences(name: str) -> None:
    minute = in_a_minute(named(name))
    assert 6 <= len(minute.sentences) <= 8
    assert sum(len(sentence.split()) for sentence in minute.sentences) <= 200
    assert minute.rows[0][0] == "each 1"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (load("extended"), "at least 500 points in one turn"),
        (load("original"), "Everyone starts with 12 lives"),
        (load("zilch"), "Three zilches in a row cost 500"),
        (load("build-on"), "take over"),
        (load("standard", ["finish=exact"]), "exactly 10,000"),
    ],
)
def test_what_is_unusual_is_said(rules: Rules, said: str) -> None:
    assert said in " ".join(in_a_minute(rules).sentences)


async def test_the_table_and_a_page_of_the_start_page_say_how_to_play_these_rules(sqlite: str) -> None:
    async with sited(sqlite) as site:
        start = await site.client.get("/", params={"rules": "zilch"})
        assert 'href="/rules/minute?rules=zilch" aria-label="How to play"' in start.text
        rules = load("zilch")
        opened = await site.service.open(plan_of(rules, "here", "here", dice="system"))
        assert 'popovertarget="minute"' in (await site.client.get(f"/g/{opened.game}")).text
        await site.service.submit(opened.game, lambda table: table.start(EVERYTHING, site.service.today()))
        table = (await site.client.get(f"/g/{opened.game}")).text
        assert 'popovertarget="minute"' in table
        page = (await site.client.get("/rules/minute", params={"rules": "zilch"})).text
        for sentence in in_a_minute(rules).sentences:
            assert escape(sentence) in table
            assert escape(sentence) in page
