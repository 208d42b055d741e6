"""One word for one thing: names of rule sets and bots, the word for a farkle, and chances."""

from __future__ import annotations

import re

import pytest

from farkel.game import Throw, apply
from farkel.play import hints
from farkel.players import PLAYERS, knowledge
from farkel.rules import farkle_word, named, names
from farkel.support.words import percent
from farkel.web.game.pages.start import ABSENT, OPPONENTS, WHO
from farkel.web.pages.chances import chance, cost, in_points, risk, rolls
from games_in_words import on_turn

LONGEST = 24
"""Letters of a title that a line above the table has room for."""


def test_each_rule_set_has_one_short_name_of_its_own() -> None:
    titles = [named(name).title for name in names()]
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if not 0 < len(title) <= LONGEST] == []


def test_bots_are_described_in_the_same_words_everywhere() -> None:
    for who in OPPONENTS:
        about = PLAYERS[who.removeprefix("bot:")]
        assert OPPONENTS[who].endswith(f", {about}")
        assert WHO[who] == f"bot, {about}"
        assert ABSENT[who] == f"a bot that {about} sits in"


@pytest.mark.parametrize("spec", ["zilch(target=2000)", "minimal(target=2000)"])
def test_hints_say_the_word_of_the_rules(spec: str) -> None:
    state = apply(on_turn(spec, 0, 0)._replace(points=300, dice=3), Throw((1, 4, 6)))
    found = hints.hint(hints.Knowledge(knowledge.turn(state.rules), None), state, places=0)
    word = farkle_word(state.rules.name)
    assert f"is a {word} " in found.why
    assert found.rows[0].split() == ["points", word]
    assert not re.search(r"\d\.\d%", found.why + "".join(found.rows))


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (0, "0%"),
        (1e-6, "under 1%"),
        (0.0099, "under 1%"),
        (0.01, "1%"),
        (0.2777, "28%"),
        (0.9901, "over 99%"),
        (1, "100%"),
    ],
)
def test_a_chance_on_a_page_is_whole_and_certain_only_if_it_is(of: float, said: str) -> None:
    assert chance(of) == said
    assert percent(0.2777) == "27.8%"


@pytest.mark.parametrize(
    ("of", "points", "said"),
    [
        (0.2778, 850, "<b>28 of 100</b> rolls of 3 dice lose the 850."),
        (0.01, 1_850, "<b>1 of 100</b> rolls of 3 dice loses the 1,850."),
        (0.004, 850, "<b>Fewer than 1 of 100</b> rolls of 3 dice lose the 850."),
        (0, 850, "<b>No</b> roll of 3 dice can lose the 850."),
        (1, 850, "<b>Every</b> roll of 3 dice loses the 850."),
        (0.997, 850, "<b>More than 99 of 100</b> rolls of 3 dice lose the 850."),
        (0.2778, 0, "<b>28 of 100</b> rolls of 3 dice score nothing."),
        (0, 0, "<b>Every</b> roll of 3 dice scores."),
    ],
)
def test_a_risk_is_told_in_natural_numbers(of: float, points: int, said: str) -> None:
    assert risk(of, 3, points).__html__() == said


def test_a_farkle_that_keeps_the_turn_total_loses_nothing() -> None:
    assert risk(0.5, 1, 850, stays=True).__html__() == "<b>50 of 100</b> rolls of 1 die end the turn."
    assert rolls(0.5, 1, "fail").__html__() == "<b>50 of 100</b> rolls of 1 die fail."


def test_changes_of_a_chance_are_whole_percentage_points() -> None:
    assert [in_points(change) for change in (0.123, -0.123, 0.004, -0.004, -1.213)] == ["+12", "−12", "0", "0", "−121"]
    assert [cost(error) for error in (0.004, 0.012, 0.24)] == [
        "under 1 percentage point",
        "1 percentage point",
        "24 percentage points",
    ]
