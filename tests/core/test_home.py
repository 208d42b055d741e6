"""Tests, and the programs they start, do not see the home of whoever runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from farkel.rules import load
from farkel.solve.solution import stored
from farkel.terminal.setup import games_folder
from farkel.web.store.database import default_url
from home import OURS, RUN, environment

TESTS = Path(__file__).parent
SEE_THEM = (
    "test_web_calculator.py::test_refusals_have_codes_for_programs",
    "test_web_rules.py::test_a_value_that_takes_too_long_says_so_without_a_command",
    "test_cli.py::test_names_that_the_terminal_cannot_write_stop_no_game",
    "test_terminal.py::test_a_finished_game_names_the_winner_and_the_record",
)
"""Tests of what is solved, and tests that start programs in a shell of their own."""
WATCH = """
import os, sys

def watch(event, found):
    if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect") and isinstance(found[0], str):
        if found[0].startswith(HOME):
            with os.fdopen(os.open(SEEN, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a") as file:
                file.write(f"{event} {found[0]}\\n")

sys.addaudithook(watch)
"""


def places() -> list[Path]:
    database = Path(default_url().removeprefix("sqlite:///"))
    return [stored(load("original")), games_folder(), database, platformdirs.user_config_path("farkel")]


def test_everything_that_a_user_keeps_is_in_a_folder_of_this_run() -> None:
    run = Path(os.environ[RUN])
    assert all(place.is_relative_to(run) for place in [Path.home(), *places()])
    assert environment().keys() == {"PATH", *OURS}


def test_what_the_user_keeps_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, seen = tmp_path / "real", tmp_path / "seen"
    for name in OURS[:-1]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(real))
    solution, games, _, settings = places()
    for path in (solution, settings / "settings.toml", games / "2026-01-01-0000-standard.farkel"):
        assert path.is_relative_to(real)
        path.parent.mkdir(parents=True)
        path.write_text("whatever a user keeps")
    monkeypatch.delenv(RUN)
    (tmp_path / "sitecustomize.py").write_text(f"HOME, SEEN = {str(real)!r}, {str(seen)!r}\n{WATCH}")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    listed = subprocess.run([sys.executable, "-m", "farkel", "games"], capture_output=True, text=True, check=False)
    assert str(games) in seen.read_text(), listed.stderr  # reading is noticed
    seen.unlink()
    here = [str(TESTS / name) for name in SEE_THEM]
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not slow", *here]
    done = subprocess.run(command, cwd=TESTS.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert not seen.exists(), seen.read_text()
