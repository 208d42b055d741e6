"""Results as data frames of the libraries that people use, or an error that says what to install."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import farkel
from farkel.coach import review
from farkel.coach.regret import Regret
from farkel.coach.skill import played, skills
from farkel.errors import FarkelError
from farkel.play.match import Match, Setup
from farkel.records import Seating, read
from farkel.rules import load
from farkel.solve import best_race, best_turn, duel, odds, trio
from farkel.support import frames
from farkel.support.frames import Library, frame

LIBRARIES: tuple[Library, ...] = ("pandas", "polars")
RULES = "minimal(target=500)"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_simulation_is_a_table_of_players(library: Library) -> None:
    result = farkel.simulate(RULES, ["turn", "cautious"], games=50, seed=7)
    table = result.to_frame(library)
    assert type(table).__module__.startswith(library)
    assert list(table["player"]) == ["turn", "cautious"]
    assert list(table["wins"]) == list(result.tally.wins)
    assert all(table["low"] <= table["win_rate"])
    assert all(table["win_rate"] <= table["high"])


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_review_is_a_table_of_decisions(library: Library, tmp_path: Path) -> None:
    rules = load(RULES)
    seats = (Seating("Cora", ("Cora",), "bot:cautious"), Seating("Bo", ("Bo",), "bot:bold"))
    match = Match.start(Setup(rules, seats, "seeded", "7"), tmp_path / "game.farkel")
    while not match.state.over:
        action = match.decide()
        match.throw() if action is None else match.act(action)
    match.close()
    solved, record = duel(rules), read(tmp_path / "game.farkel")
    reviewed = review(solved, record)
    table = reviewed.to_frame(library)
    assert len(table) == len(reviewed.decisions)
    assert sum(table["error"]) == pytest.approx(sum(seat.errors for seat in reviewed.seats))
    skill = frame(skills([played(solved, record)]), library)
    assert {"name", "wins_mean", "skill_mean"} <= set(skill.columns)


def test_exact_answers_are_tables_by_number_of_dice() -> None:
    rules = load(RULES)
    chances = odds(rules).to_frame()
    assert list(chances["dice"]) == [1, 2, 3, 4, 5, 6]
    assert chances["farkle"][2] == pytest.approx(5 / 18)
    assert list(best_turn(rules).to_frame()["bank_at"])[:3] == [best_turn(rules).bank_at[dice] for dice in (1, 2, 3)]


def test_solved_games_are_tables_of_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules = load("minimal(target=500)")
    two, three, alone = duel(rules), trio(rules), best_race(rules)
    assert list(two.to_frame()["wins"]) == pytest.approx([two.first_player_wins, 1.0 - two.first_player_wins])
    assert list(three.to_frame()["wins"]) == list(three.wins)
    assert list(alone.to_frame()["expected_turns"]) == [alone.expected_turns]
    lost = duel(load("original(target=3000, lives.each=1, lives.round_points=3000)"))
    assert sum(lost.to_frame()["wins"]) == pytest.approx(1.0 - (lost.nobody_wins or 0.0))


def test_regret_is_a_table_of_stages_and_kinds() -> None:
    given = {("opening", "bank"): 0.01, ("end", "keep"): 0.02}
    table = Regret("bold", load(RULES), 0, given, 0.47, 0.0).to_frame()
    assert list(table["stage"]) == ["opening", "end"]
    assert sum(table["given"]) == pytest.approx(0.03)


def test_without_a_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def only(*names: str) -> Any:
        return lambda name: find_spec(name) if name in names else None

    monkeypatch.setattr(frames, "find_spec", only("polars"))
    assert type(odds(load(RULES)).to_frame()).__module__.startswith("polars")
    monkeypatch.setattr(frames, "find_spec", only())
    with pytest.raises(FarkelError, match=r"^a table needs pandas or polars: .*\[frames\]") as caught:
        odds(load(RULES)).to_frame()
    assert caught.value.code == "not_installed"
    with pytest.raises(FarkelError, match='"excel" makes no tables here') as caught:
        frame([], "excel")  # type: ignore[arg-type]
    assert caught.value.code == "bad_library"


def test_a_scored_roll_explains_itself() -> None:
    table = farkel.score_table(load("standard"))
    assert str(table[5, 1]) == "1-5: keep 1-5 for 150 (hot dice), 1 for 100, 5 for 50"
    assert str(table[4, 2, 3]) == "2-3-4: a farkle"
