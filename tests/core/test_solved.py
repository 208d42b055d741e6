"""The page of the solved catalogue: made from the answers that are kept, and some of these computed again."""

from __future__ import annotations

import json
from typing import Any

import pytest

import make_solved
from farkel.rules import load, names
from farkel.solve import best_race, best_turn, duel, head_start, life_lost

FOUND: dict[str, dict[str, Any]] = json.loads(make_solved.FOUND.read_text("utf-8"))
SAMPLE = ("minimal", "standard", "extended", "kcd", "patch", "ten-thousand")


def test_the_page_agrees_with_the_commands() -> None:
    assert make_solved.PAGE.read_text("utf-8") == make_solved.page(FOUND)


def test_the_page_covers_the_catalogue() -> None:
    asked = {name: {command.key for command in make_solved.commands(load(name))} for name in names()}
    assert {name: set(answers) for name, answers in FOUND.items()} == asked


def test_an_answer_is_that_of_the_rules_of_today() -> None:
    solved = {name: answers["solve"]["digest"] for name, answers in FOUND.items() if "digest" in answers["solve"]}
    assert solved == {name: load(name).digest for name in solved}


@pytest.mark.parametrize("name", make_solved.PUBLISHED)
def test_a_published_figure_agrees_as_far_as_it_is_printed(name: tuple[str, str]) -> None:
    published, _ = make_solved.PUBLISHED[name]
    digits = len(f"{published:g}".partition(".")[2])
    assert round(make_solved.figures(FOUND[name[0]])[name[1]], digits) == published


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_of_the_page_is_computed_again(name: str) -> None:
    rules, kept = load(name), FOUND[name]
    solved = duel(rules)
    assert solved.first_player_wins == pytest.approx(kept["solve"]["first_player_wins"], abs=1e-9)
    assert head_start(solved)._asdict() == pytest.approx(kept["solve"]["head_start"], abs=1e-9)
    assert best_turn(rules).expected_points == pytest.approx(kept["turn"]["expected_points"], abs=1e-9)
    assert best_race(rules).expected_turns == pytest.approx(kept["race"]["expected_turns"], abs=1e-9)


def test_a_life_less_costs_chance_and_a_head_start_makes_the_game_fair() -> None:
    solved = duel(load("original(target=10000, lives.each=3)"))
    fair = head_start(solved)
    even = (1 - (solved.nobody_wins or 0.0)) / 2
    step = solved.rules.unit
    around = [
        abs(solved.handicapped(points) - even) for points in (fair.points - step, fair.points, fair.points + step)
    ]
    assert fair.first_player_wins == solved.handicapped(fair.points)
    assert around[1] == min(around)
    lost = life_lost(solved)
    assert lost is not None
    assert 0 < lost < solved.first_player_wins
    assert life_lost(duel(load("minimal(target=1000)"))) is None


def test_begins_with_points_is_the_value_after_them() -> None:
    solved = duel(load("minimal(target=1000)"))
    assert solved.handicapped() == solved.first_player_wins
    assert solved.handicapped(950) < solved.handicapped(500) < solved.handicapped(0)
