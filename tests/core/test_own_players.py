"""Players of one's own at the table: classes in files, and objects given to `Match`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from test_cli import printed, refused

from farkel.errors import PlayerError
from farkel.game import Action, Keep, State
from farkel.play.match import Bots, Match, Setup
from farkel.records import Seating, read
from farkel.rules import load
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.setup import games_folder, parse_players

GREEDY = """
from farkel.game import Keep

class Greedy:
    name = "Greedy"

    def decide(self, state, generator):
        return Keep(next(iter(state.scored.keeps)), "bank")

class Broken:
    def decide(self, state, generator):
        raise ValueError("no idea")

class Cheat:
    def decide(self, state, generator):
        return Keep((1, 1, 1, 1, 1, 1), "bank")

class Confused:
    def decide(self, state, generator):
        return "bank"

class Nothing:
    pass
"""
RULES = "minimal(start=first_seat, target=1000)"


class Greedy:
    name = "Greedy"

    def decide(self, state: State, generator: random.Random) -> Action:
        assert state.scored is not None
        return Keep(next(iter(state.scored.keeps)), "bank")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Path("mine.py").write_text(GREEDY)


def test_a_class_in_a_file_plays_and_the_record_says_which(tmp_path: Path) -> None:
    said = printed("play", "--plain", "--rules", RULES, "--players", "./mine.py:Greedy,bot:bold", "--seed", "1")
    assert "Greedy banks" in said
    (path,) = games_folder().glob("*.farkel")
    assert read(path).header.seats[0] == Seating("Greedy", ("Greedy",), f"bot:{tmp_path / 'mine.py'}:Greedy")


def test_two_of_a_kind_have_different_names() -> None:
    seats = parse_players("Ann,./mine.py:Greedy,bot:./mine.py:Greedy,./mine.py:Broken")
    assert [seat.name for seat in seats] == ["Ann", "Greedy", "Greedy 2", "Broken"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("./mine.py", "names no class; write it after the file: ./mine.py:NAME"),
        ("./mine.py:Other", "mine.py has no Other; there are: Greedy, Broken, Cheat, Confused"),
        ("./mine.py:Nothing", "it has no method decide"),
        ("./gone.py:Greedy", "there is no file gone.py"),
        ("./bad.py:Greedy", "bad.py cannot be imported: NameError: name 'farkle' is not defined (bad.py, line 2)"),
    ],
)
def test_an_unloadable_player_is_refused_before_the_game(spec: str, said: str) -> None:
    Path("bad.py").write_text("\nfarkle\n")
    assert said in " ".join(refused("play", "--plain", "--rules", RULES, "--players", f"Ann,{spec}").split())
    assert not games_folder().exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Broken", "Broken failed to decide: ValueError: no idea (mine.py, line 12)"),
        ("Cheat", "Cheat broke the rules with Keep"),
        ("Confused", "Confused returned 'bank'; a decision is a Keep, Fresh or TakeOver"),
    ],
)
def test_a_player_that_fails_stops_the_game_which_is_resumed_when_it_is_mended(name: str, said: str) -> None:
    words = ("--plain", "--rules", RULES, "--players", f"bot:bold,./mine.py:{name}", "--seed", "3")
    told = refused("play", *words)
    assert f"The game has stopped: {said}" in told
    assert "Your game is saved. Resume it with: farkel play --plain --resume" in told
    moves = len(read(next(games_folder().glob("*.farkel"))).moves)
    assert moves
    Path("mine.py").write_text(f"{GREEDY}\nclass {name}(Greedy):\n    pass\n")
    assert "wins" in printed("play", "--plain", "--resume")


def test_a_record_from_elsewhere_runs_no_file_until_it_is_named_again() -> None:
    words = ("--plain", "--rules", RULES, "--seed", "3", "--record", "game.farkel")
    refused("play", *words, "--players", "bot:bold,./mine.py:Broken")
    mended = f"{GREEDY}\nclass Broken(Greedy):\n    pass\n"
    Path("mine.py").write_text(f"import os\nos.mkdir('ran')\n{mended}")
    told = refused("play", "--plain", "--resume", "game.farkel")
    assert "if you trust it, give it again: farkel play --resume game.farkel --players FILE.py:CLASS" in told
    assert not Path("ran").exists()
    resume = ("play", "--plain", "--resume", "game.farkel", "--players")
    assert "did not play this game" in refused(*resume, "./mine.py:Greedy")
    assert "wins" in printed(*resume, "./mine.py:Broken")
    assert Path("ran").exists()


def test_seats_of_strangers_load_no_file() -> None:
    with pytest.raises(PlayerError) as caught:
        Bots(load(RULES), [Seating("Greedy", ("Greedy",), "bot:./mine.py:Greedy")])
    assert caught.value.code == "own_player"


def test_a_match_takes_a_player_as_an_object_and_the_record_says_its_class(tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    setup = Setup(load(RULES), parse_players("Greedy,bot:bold"), "seeded", "1")
    match = Match.start(setup, path, own={"Greedy": Greedy()})
    while not match.state.over:
        action = match.decide()
        match.throw() if action is None else match.act(action)
    match.close()
    assert read(path).header.seats[0].player == "bot:python:test_own_players.Greedy"
    with pytest.raises(PlayerError) as caught:
        Match.resume(path)
    assert caught.value.code == "own_player"
    Match.resume(path, own={"Greedy": Greedy()}).close()
    for own in ({"Bold": Greedy()}, {"Else": Greedy()}):
        with pytest.raises(PlayerError, match="did not play this game as a player of your own; there: Greedy"):
            Match.resume(path, own=own)
    with pytest.raises(PlayerError, match='"Else" has no seat: Greedy, Bold'):
        Match.start(setup, tmp_path / "other.farkel", own={"Else": Greedy()})
    with pytest.raises(PlayerError, match="it has no method decide"):
        Match.start(setup, tmp_path / "other.farkel", own={"Greedy": 3})  # type: ignore[dict-item]
    assert not (tmp_path / "other.farkel").exists()


async def test_at_the_table_a_failing_player_is_reported_and_the_game_is_saved(surroundings: None) -> None:
    from app_helpers import new_match, running, seen

    Path("mine.py").write_text(GREEDY)
    match = new_match(RULES, "bot:bold,./mine.py:Broken")
    async with running(match) as pilot:
        await seen(pilot, "Broken failed to decide: ValueError: no idea", "The game is saved")
        assert isinstance(pilot.app.screen, GameScreen)
    assert read(match.path).problem is None
