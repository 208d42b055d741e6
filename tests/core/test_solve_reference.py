"""The solver against the slow one, which knows only the engine: small games of every rule set, solved twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkel.game import Phase
from farkel.solve import best_race, duel
from farkel.solve.compiled_game import compile_board
from named_rules import CATALOGUE, SPAN, rules_of
from random_play import random_states
from reference import Alone, Duel

HUNDREDS = "scoring.5=100, entry=0, minimum=0, "
ENTRY = "scoring.5=100, entry=200, minimum=0, target=200"
GAMES = {
    "build-on": ENTRY,
    "cardgames": HUNDREDS + "target=200",
    "extended": ENTRY,
    "facebook": "scoring.5=100, entry=0, minimum=200, target=200, scoring.aabbcc=700, "
    "penalties.farkles_in_row=2, penalties.farkles_in_row_points=100",
    "guts-and-luck": ENTRY,
    "high-stakes": ENTRY,
    "kcd": "target=400",
    "minimal": "target=500",
    "original": "target=2000, lives.each=2, lives.round_points=1000",
    "patch": HUNDREDS + "target=200",
    "renaissance": HUNDREDS + "target=200, scoring.12345=700",
    "standard": HUNDREDS + "target=200",
    "ten-thousand": HUNDREDS + "target=200",
    "zilch": HUNDREDS + "target=200, finish=at_once, penalties.farkles_in_row=2, penalties.farkles_in_row_points=100",
}
"""The catalogue at targets that the slow solver reaches in seconds: what it does grows with turn totals."""
FEW = (*SPAN, "build-on", "guts-and-luck", "renaissance")
MOST = 50
"""Steps of points above the target with which no player rolls on by choice."""
FEWER = {"high-stakes": 20, "rounds=2, target=0, rolled.111=win, rolled.66=lose": 20}
"""Steps that are enough where the slow solver has most to do: with 12 it does not come to the same."""


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def slow(spec: str, most: int = MOST) -> Duel:
    rules = rules_of(spec)
    compiled = compile_board(rules)
    return Duel(rules, most=rules.target + most * rules.unit, floor=min(0, compiled.lowest))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in FEW else pytest.mark.full) for name in CATALOGUE]
)
def test_a_small_game_of_every_rule_set_is_solved_alike(name: str) -> None:
    reference = slow(f"{name}({GAMES[name]})", FEWER.get(name, MOST))
    solved = duel(reference.rules)
    assert solved.first_player_wins == pytest.approx(reference.first_player_wins, abs=1e-9)
    if solved.nobody_wins is not None:
        assert solved.nobody_wins == pytest.approx(reference.nobody_wins, abs=1e-9)
    for state in random_states(reference.rules, 5, 40, (1, 1)):
        if state.phase is not Phase.START and not state.over and state.points <= reference.rules.target:
            assert solved.chances(state) == pytest.approx(reference.chances(state), abs=1e-9), state


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        "penalties.farkle_first_roll=100, penalties.farkle=100, penalties.below_zero=false",
        "entry=200, take_over.price=free, take_over.on_board=true, finish=last_turns",
        "zones='0-99 never; 200-300 leave'",
        "finish=exact, zones='300-399 never', penalties.farkle=50, penalties.below_zero=false",
        "finish=fewest_rounds, entry=200",
        "finish=equal_turns, ties=first, entry=200",
        "finish=fewest_rounds, hot_dice=forced, penalties.farkle=100, penalties.below_zero=false, rolled.222=-100",
        "finish=exact, take_over.price=free, zones='100-200 leave'",
        "finish=last_turns, rolled.111=win, rolled.44=lose",
        "finish=fewest_rounds, rolled.111=win, rolled.66=lose, penalties.farkles_in_row=2, "
        "penalties.farkles_in_row_points=all",
        "take_over.price=free, take_over.after_farkle=true, rolled.444=win, rolled.66=zero",
        "rounds=2, target=0, rolled.111=win, rolled.66=lose",
        "hot_dice=forced, scoring.333=win",
        "dice=4, most_hot_dice=1, minimum=200",
        "dice=4, most_hot_dice=2, hot_dice=forced",
        "finish=exact, penalties.farkle_all_dice=all, rolled.2233=zero",
    ],
)
def test_single_rules_are_solved_alike(spec: str) -> None:
    target = "" if "target" in spec else "target=400, "
    reference = slow(f"minimal({target}scoring.5=100, {spec})", FEWER.get(spec, MOST))
    assert duel(reference.rules).first_player_wins == pytest.approx(reference.first_player_wins, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        "last_turns_again=tied, entry=200, hot_dice=forced, ties=play_off",
        "last_turns=roll, catching_up.landed_on=to_zero, catching_up.overtaken=100",
        "finish=exact, zones='100-200 leave'",
        "finish=fewest_rounds, minimum=200",
        "finish=at_once, rolled.111=win, rolled.44=zero",
        "finish=at_once, scoring.333=win, penalties.farkle=all",
    ],
)
def test_a_seat_alone_needs_as_many_turns(spec: str) -> None:
    finish = "" if "finish" in spec else "finish=last_turns, "
    rules = rules_of(f"minimal(target=400, scoring.5=100, {finish}{spec})")
    slowly = Alone(rules, most=rules.target + MOST * rules.unit)
    assert best_race(rules).expected_turns == pytest.approx(slowly.expected_turns, abs=1e-8)
