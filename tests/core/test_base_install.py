"""The base install: everything that people play with works without NumPy, Numba and all that the extras bring."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXTRAS = "numpy numba llvmlite matplotlib openskill scipy pandas polars pyarrow ray gymnasium pettingzoo"
NATIVE = {
    *("bench.data", "kernels.native", "kernels.numba_internals", "solve.three.solution", "solve.three.solver"),
    "training",
}
"""Modules that need one of these packages. Neither playing nor the server imports any of them."""
IN_PAGES = {"kernels.inside"}
"""Modules that are there for Pyodide alone."""
RULES = "minimal(target=400, dice=4, start=first_seat)"
HIDE = f"""
import sys

for name in {EXTRAS.split()!r}:
    sys.modules[name] = None
"""
IMPORTS = f"""{HIDE}
import importlib, json, pkgutil

import farkel

missing = []

def look(path, name):
    for each in pkgutil.iter_modules(path, name + "."):
        if "migrations" in each.name or each.name == "farkel.__main__":
            continue
        try:
            module = importlib.import_module(each.name)
        except Exception as error:
            missing.append((each.name.removeprefix("farkel."), str(error)))
        else:
            look(getattr(module, "__path__", []), each.name)

look(farkel.__path__, "farkel")
print(json.dumps(missing))
"""
PLAYS = f"""{HIDE}
import json, random
from pathlib import Path

from click.testing import CliRunner

from farkel.game import Throw, apply, new_game
from farkel.play import hints
from farkel.players import make_player
from farkel.rules import load
from farkel.terminal.cli import main

said = {{}}

def farkel(name, *words):
    done = CliRunner().invoke(main, [*words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    said[name] = done.output

rules = load({RULES!r})
state = apply(new_game(rules, (1, 1)), Throw((1, 1, 2, 5)))

said["hint by points"] = hints.hint(hints.Knowledge(hints.consult(rules, (1, 1)).turn, None), state).rows
farkel("odds", "odds", "--rules", str(rules))
farkel("turn", "turn", "--rules", str(rules))
farkel("race", "race", "--rules", str(rules))
farkel("solve", "solve", "--rules", str(rules))
farkel("advise", "advise", "--rules", str(rules), "--scores", "100,200", "--roll", "1125")
said["hint by chances"] = hints.hint(hints.consult(rules, (1, 1)), state).rows
for name in ("turn", "exact", "race"):
    said["bot:" + name] = str(make_player(name).decide(state, random.Random(0)))
farkel("simulate", "simulate", "--rules", str(rules), "--players", "exact,turn", "--games", "20", "--seed", "1")
players = "bot:exact,bot:turn"
farkel("play", "play", "--plain", "--rules", str(rules), "--players", players, "--seed", "1", "--record", "a.farkel")
farkel("review", "review", "a.farkel")
said["loaded"] = sorted(name for name in {EXTRAS.split()!r} if sys.modules.get(name))
print(json.dumps(said))
"""


def told(program: str, folder: Path, **settings: str) -> Any:
    """What a program prints, run in a folder with nothing calculated before."""
    own = {"XDG_CACHE_HOME": str(folder / "cache"), **settings}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=os.environ | own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["plain", "shipped"])
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return dict(told(PLAYS, tmp_path_factory.mktemp("base"), FARKEL_KERNELS=request.param))


def test_only_research_needs_the_extras(tmp_path: Path) -> None:
    missing = told(IMPORTS, tmp_path)
    assert {name for name, _ in missing} == NATIVE | IN_PAGES, missing


def test_hints_come_by_points_and_by_chances(said: dict[str, Any]) -> None:
    assert said["hint by points"][1] == "keep 1-1-5, bank     250"
    assert said["hint by chances"][1] == "keep 1-1-5, bank  69.1%     250"


@pytest.mark.parametrize("bot", ["turn", "exact", "race"])
def test_bots_decide_that_calculate(bot: str, said: dict[str, Any]) -> None:
    assert said[f"bot:{bot}"] == "keep 1-1-5, bank"


def test_commands_answer_exactly(said: dict[str, Any]) -> None:
    assert "4  15.74%  17/108     3.70%  1/27          141.32  10175/72" in said["odds"]
    assert "174.6330 points per turn" in said["turn"]
    assert "3.029058 turns at best" in said["race"]
    assert "the first player wins   0.59502130" in said["solve"]
    assert "Best: keep 1-1, roll." in said["advise"]


def test_games_are_played_and_reviewed(said: dict[str, Any]) -> None:
    assert re.search(r"exact +15  75.00%.*\nturn +5  25.00%", said["simulate"])
    assert "Exact wins with 450" in said["play"]
    assert re.search(r"Exact +59.5%  \+40.5%", said["review"])


def test_nothing_that_an_extra_brings_was_loaded(said: dict[str, Any]) -> None:
    assert not said["loaded"]
