"""Players of one's own at the table: classes in files, and objects given to `Match`."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_cli import printed, refused

from farkel.coach.policies import followed
from farkel.coach.regret import regrets
from farkel.errors import PlayerError
from farkel.game import Action, Keep, State, legal_actions, new_game
from farkel.play.match import Bots, Match, Setup
from farkel.players import make_player
from farkel.players.own import load_player
from farkel.records import Seating, read
from farkel.rules import load
from farkel.simulation import Job, run, simulate
from farkel.solve.evaluation import table
from farkel.support.progress import silent
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


def first(state: State) -> Action:
    return legal_actions(state)[0]


def first_or_any(state: State, generator: random.Random) -> Action:
    return generator.choice(legal_actions(state))


WAYS: dict[str, Callable[[Any], object]] = {
    "simulate": lambda given: simulate(RULES, [given, "bold"], 1, 1),
    "job": lambda given: run(Job(RULES, (given, "bold"))),
    "make_player": make_player,
    "load_player": load_player,
    "match": lambda given: Match.start(
        Setup(RULES, parse_players("Mine,bot:bold")), Path("mine.farkel"), own={"Mine": given}
    ),
    "regrets": lambda given: regrets(RULES, [given], 1, 1),
    "followed": lambda given: followed(table(load(RULES)), given, silent),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_function_is_refused_with_the_class_to_write_around_it(way: str) -> None:
    for function, call in ((first, "first(state)"), (first_or_any, "first_or_any(state, generator)")):
        with pytest.raises(PlayerError) as refusal:
            WAYS[way](function)
        assert refusal.value.code == "not_a_player"
        who = "Mine" if way == "match" else f"the function {function.__name__}"
        assert refusal.value.message == (
            f"{who} is not a player: a player is an object with a method decide. Write\n\n"
            "class Mine:\n"
            f'    name = "{function.__name__}"\n\n'
            "    def decide(self, state, generator):\n"
            f"        return {call}\n\n"
            "and give Mine()"
        )


@pytest.mark.parametrize("way", WAYS)
def test_a_class_and_anything_else_is_no_player(way: str) -> None:
    with pytest.raises(PlayerError, match=r"is a class, not a player: give an object of it, Greedy\(\)$"):
        WAYS[way](Greedy)
    with pytest.raises(
        PlayerError, match=r'has no method decide.*; give an object that has one, or a name such as "turn"$'
    ):
        WAYS[way](3)


def test_the_class_that_is_written_around_a_function_plays() -> None:
    with pytest.raises(PlayerError) as refusal:
        make_player(first)  # type: ignore[arg-type]
    written = refusal.value.message.split("\n\n", 1)[1].rsplit("\n\n", 1)[0]
    names: dict[str, Any] = {"first": first}
    exec(written, names)
    result = simulate(RULES, [names["Mine"](), "bold"], 2, 1)
    assert result.players == ("first", "bold")
    assert not result.forfeits


def test_a_function_in_a_file_is_refused_as_an_object_is() -> None:
    Path("mine.py").write_text("def mine(state):\n    return None\n")
    with pytest.raises(PlayerError, match=r"mine\.py:mine is not a player: a player is an object with a method decide"):
        load_player("./mine.py:mine")


def test_a_lambda_and_an_object_without_a_name_get_one() -> None:
    with pytest.raises(PlayerError, match="the function mine is not a player"):
        make_player(lambda state: None)  # type: ignore[arg-type]

    class Nameless:
        decide = Greedy.decide

    assert simulate(RULES, [Nameless(), "bold"], 1, 1).players == ("Nameless", "bold")  # type: ignore[list-item]


@pytest.mark.parametrize("players", ["bold", first, 2])
def test_players_of_a_simulation_are_several(players: Any) -> None:
    with pytest.raises(PlayerError, match="players are given in a list") as refusal:
        simulate(RULES, players, 1, 1)
    assert refusal.value.code == "bad_players"


def test_a_seat_names_its_player_and_takes_no_object(tmp_path: Path) -> None:
    seats = [Seating("Mine", ("Mine",), Greedy()), Seating("Bo", ("Bo",), "bot:bold")]  # type: ignore[arg-type]
    with pytest.raises(
        PlayerError, match=r'leave it out of the seat, and give it as own=\{"Mine": \.\.\.\}$'
    ) as refusal:
        Match.start(Setup(RULES, seats), tmp_path / "mine.farkel")
    assert refusal.value.code == "bad_player"


@pytest.mark.parametrize("people", [first, Greedy(), [Greedy(), "bold"]])
def test_a_new_game_takes_numbers_and_no_players(people: Any) -> None:
    with pytest.raises(PlayerError, match="people are given by number, not as") as refusal:
        new_game(RULES, people)
    assert refusal.value.code == "bad_seats"
