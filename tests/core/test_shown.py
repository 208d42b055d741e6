"""What the library's values print as, and what notebooks show of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import farkel
from farkel.coach import review
from farkel.coach.regret import Regret
from farkel.errors import FarkelError, PlayerError
from farkel.game import Keep, Throw, apply, new_game
from farkel.game.scoring import open_sets
from farkel.play.match import Bots, Match, Setup
from farkel.players import make_player, player_names
from farkel.records import Seating
from farkel.rules import Scoring, sheet
from farkel.simulation import simulate
from farkel.solve import Field, best_race, best_turn, duel
from farkel.support.notebooks import table
from farkel.tournament.playing import run

RULES = farkel.load("minimal(target=200, dice=3, start=first_seat)")


def played() -> Match:
    seats = [Seating("Ann <b>", ("Ann <b>",)), Seating("Ben", ("Ben",))]
    with TemporaryDirectory() as folder:
        match = Match.start(Setup(RULES, seats, "manual"), Path(folder) / "game.farkel")
        for event in (Throw((1, 1, 1)), Keep((1, 1, 1), "bank")):
            match.act(event)
        match.close()
    return match


VALUES: dict[str, tuple[Callable[[], Any], str]] = {
    "state": (lambda: apply(new_game(RULES), Throw((1, 2, 5))), "decides on 1-2-5"),
    "roll": (lambda: farkel.score("1-2-5", RULES), "1-2-5"),
    "turn": (lambda: best_turn(RULES), "points per turn"),
    "duel": (lambda: duel(RULES), "the first player wins"),
    "race": (lambda: best_race(RULES), "the target takes one player"),
    "simulation": (lambda: simulate(RULES, ["bold", "cautious"], 50, 1), "50 games, seed 1: bold wins "),
    "record": (lambda: played().record, "Ann <b> 1,000, Ben 0; won by Ann <b>"),
    "review": (lambda: review(duel(RULES), played().record), "Ann <b> gave away 0.0% in 1 decision"),
    "regret": (lambda: Regret("bold", RULES, 0, {("opening", "keep"): 0.1}, 0.4, 0.0), "bold wins 40.0%"),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_prints_as_a_sentence_and_is_a_table_in_a_notebook(name: str) -> None:
    make, words = VALUES[name]
    value = make()
    assert words in str(value)
    shown = value._repr_html_()
    assert re.match(
        r"<table><caption>.+</caption><thead><tr>(<th scope=\"col\">[^<]+</th>)+</tr></thead><tbody>", shown
    )
    assert "<b>" not in shown
    assert len(shown) < 4_000


def test_rules_are_their_sheet_in_a_notebook() -> None:
    shown = RULES._repr_html_()  # type: ignore[attr-defined]
    assert shown == sheet(RULES)._repr_html_()
    assert shown.startswith(f"<h3>{RULES.title}</h3>")
    assert "<caption>What dice are worth</caption>" in shown


def test_cells_are_short_and_escaped() -> None:
    shown = table("a & b", [{"win_rate": 1 / 3, "games": 12_345, "who": "<i>", "rating": None, "exact": True}])
    assert "<caption>a &amp; b</caption>" in shown
    assert '<th scope="col">win rate</th>' in shown
    cells = re.findall(r"<td>(.*?)</td>", shown)
    assert cells == ["0.3333", "12,345", "&lt;i&gt;", "", "yes"]


@pytest.mark.parametrize("name", ["random", "cautious", "bold", "threshold:500", "turn", "exact", "race", "card"])
def test_a_player_prints_as_its_name(name: str) -> None:
    assert name.partition(":")[0] in " ".join(player_names())
    assert str(make_player(name)) == name
    assert repr(make_player(name)) == f"<player {name}>"


def test_a_field_prints_its_rules_and_seats() -> None:
    assert str(Field(duel(RULES), 3)) == f"{RULES}: winning chances with 3 seats, by a model of the others"


@pytest.mark.parametrize("names", [["Ann", "Ben"], "Ann", [1, "Ben"]])
def test_names_are_no_numbers_of_people(names: Any) -> None:
    with pytest.raises(PlayerError, match="say how many players there are, such as 2") as refused:
        new_game(RULES, names)
    assert refused.value.code == "bad_seats"


def test_a_pattern_that_is_none_is_refused_with_an_error_of_farkel() -> None:
    with pytest.raises(FarkelError) as refused:
        Scoring({"x": 3})
    assert refused.value.code == "bad_pattern"
    assert "x" in str(refused.value)


def test_bots_and_open_sets_take_rules_by_name() -> None:
    assert open_sets("minimal") == ((),)
    Bots("minimal", [Seating("Bold", ("Bold",), "bot:bold")]).check()


def test_a_tournament_from_python_prints_its_order_and_continues(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text('rules = ["kcd(target=500)"]\nplayers = ["cautious", "bold"]\ngames = 20\n', "utf-8")
    report = run(file)
    assert re.match(r"20 of 20 games played: 1\. \w+ \(\d+\.\d%\), 2\. \w+ \(\d+\.\d%\)$", str(report))
    assert report._repr_html_().startswith("<table><caption>20 of 20")
    assert run(str(file)).rows() == report.rows()


@pytest.mark.parametrize("module", ["spiel", "stable"])
def test_a_training_module_names_the_package_that_it_lacks(module: str) -> None:
    hidden = {"spiel": "pyspiel", "stable": "stable_baselines3"}[module]
    program = f"""
import importlib.util, sys

found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == {hidden!r} else found(name, *more)
from farkel.errors import EnvError

try:
    import farkel.training.{module}
except EnvError as error:
    print(error.code, error.message)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert re.match(f"not_installed farkel.training.{module} needs {hidden}: .* -m pip install ", done.stdout)
