"""Tournaments: what their file says, every game once however they are interrupted, standings, ratings, pairings."""

from __future__ import annotations

import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from importlib import util
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from farkel.simulation import ArenaError, Batch, Job, batches, simulate
from farkel.simulation.matches import locally
from farkel.support.extras import advice
from farkel.terminal.cli import main
from farkel.terminal.commands.measure.tournament import report_figure
from farkel.tournament.pairing import NOBODY, factored, pairable, paired, round_robin
from farkel.tournament.plan import KEYS, Fixture, RuleSet, TournamentPlan, parse_plan, read_plan
from farkel.tournament.playing import play_tournament, report
from farkel.tournament.standings import RATED, byes, cross, rate, rated_each, standings, swiss_round
from farkel.tournament.store import Games, MatchOutcome

PLAYERS = ["turn", "cautious", "bold", "random"]
LEAGUE = """
title = "League"
rules = ["extended(target=2000)", "kcd(target=2000)"]
players = ["turn", "cautious", "bold", "random"]
games = 60
seed = 7
"""
MINE = """
from farkel.game import Keep, legal_actions


class Early:
    name = "early"

    def decide(self, state, generator):
        if generator.random() < 0.2:
            return "bank"
        actions = list(legal_actions(state))
        return next((one for one in actions if isinstance(one, Keep) and one.then == "bank"), actions[0])
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("league.toml").write_text(LEAGUE)


def farkel(*words: str) -> Result:
    return CliRunner().invoke(main, ["tournament", *words], prog_name="farkel")


def printed(*words: str) -> str:
    result = farkel(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words: str) -> str:
    result = farkel(*words)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.output.startswith("Error: ")
    return " ".join(result.output.split())


def plan_of(text: str) -> TournamentPlan:
    return parse_plan(text, "one.toml", Path())


def kept(path: str) -> list[Any]:
    """Everything about games that is in the file, the plan too."""
    with closing(sqlite3.connect(path)) as connection:
        tables = ("plan", "match", "game", "forfeit")
        return [connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables[1:]]


def silent(done: int, of: int) -> None: ...


class Stopped(Exception):
    """In place of a kill."""


def stopping(after: int) -> Callable[[Sequence[Job], bool], Generator[tuple[int, Batch], None, None]]:
    """A source of games that dies after this many batches, each of a few games."""
    left = [after]

    def play(jobs: Sequence[Job], raw: bool) -> Generator[tuple[int, Batch], None, None]:
        for place, job in enumerate(jobs):
            for first in range(job.first, job.first + job.games, 25):
                size = min(25, job.first + job.games - first)
                for batch in batches(job.part(first, size), raw=raw):
                    if not left[0]:
                        raise Stopped
                    left[0] -= 1
                    yield place, batch

    return play


# Every game once ------------------------------------------------------------------------------------------------------


def test_all_against_all() -> None:
    found = json.loads(printed("league.toml", "--json"))
    assert found["complete"]
    assert found["games"] == found["of"] == 2 * 6 * 60
    assert len(found["matches"]) == 12
    assert len({match["seed"] for match in found["matches"]}) == 12
    labels = {rules["label"]: rules["notation"] for rules in found["rules"]}
    for match in found["matches"]:
        assert match["games"] == 60
        # Anybody can play the games of a match again.
        tally = simulate(labels[match["rules"]], match["players"], 60, match["seed"]).tally
        assert match["wins"] == list(tally.wins)
    wins = {one["player"]: one["wins"] for one in found["standings"]}
    for player in PLAYERS:
        there = [match for match in found["matches"] if player in match["players"]]
        assert wins[player] == sum(match["wins"][match["players"].index(player)] for match in there)
    assert [one["rate"] for one in found["standings"]] == sorted(
        (one["rate"] for one in found["standings"]), reverse=True
    )


@pytest.mark.parametrize("kind", ["round-robin", 'swiss"\nrounds = "3'])
def test_interrupted_anywhere_it_is_the_same(kind: str) -> None:
    text = LEAGUE + f'kind = "{kind}"\n'.replace('"3"', "3")
    plan = plan_of(text)
    with Games.open(Path("whole.sqlite"), plan) as games:
        play_tournament(games, plan, Path(), locally(), silent)
    chance = random.Random(1)
    for _ in range(30):
        with Games.open(Path("parts.sqlite"), plan) as games:
            before = games.count()
            if before == plan.matches * plan.games:
                break
            with pytest.raises(Stopped):  # in the middle of a batch as well: that one is not there
                play_tournament(games, plan, Path(), stopping(chance.randint(0, 9)), silent)
            assert games.count() >= before
        if chance.random() < 0.2:
            with Games.open(Path("parts.sqlite"), plan) as games:
                play_tournament(games, plan, Path(), stopping(10**9), silent)
    assert kept("parts.sqlite") == kept("whole.sqlite")


@pytest.mark.slow
def test_killed_and_started_again_it_is_the_same() -> None:
    Path("long.toml").write_text(LEAGUE.replace("games = 60", "games = 4000"))
    command = [sys.executable, "-m", "farkel", "tournament", "long.toml"]
    kills = 0
    while kills < 2:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        before = games_there("long.sqlite")
        while child.poll() is None and games_there("long.sqlite") < before + 5_000:
            pass
        if child.poll() is not None:
            break
        child.send_signal(signal.SIGKILL)
        child.wait()
        kills += 1
    assert kills
    assert 0 < games_there("long.sqlite") < 48_000
    assert "48,000 in all: all played" in printed("long.toml")
    printed("long.toml", "--store", "again.sqlite")
    assert kept("long.sqlite") == kept("again.sqlite")


def games_there(path: str) -> int:
    """The number of games that another process has stored by now."""
    try:
        with Games.look(Path(path)) as games:
            return games.count()
    except ArenaError:
        return 0


def test_gaps_are_filled() -> None:
    plan = plan_of(LEAGUE)
    (match, *_) = plan.everybody()
    job = plan.job(match, Path())
    with Games.open(Path("one.sqlite"), plan) as games:
        games.add([match])
        assert games.missing(match, 60) == [(0, 60)]
        for first, size in ((20, 10), (50, 5)):
            for batch in batches(job.part(first, size), raw=True):
                games.keep(match, batch)
        assert games.missing(match, 60) == [(0, 20), (30, 20), (55, 5)]
        assert games.missing(match, 40) == [(0, 20), (30, 20)]
        with pytest.raises(ArenaError, match="UNIQUE"):
            games.keep(match, batch)
        assert games.count() == 15


def test_teams_of_partners() -> None:
    Path("teams.toml").write_text(
        'rules = ["guts-and-luck(target=1500)"]\nplayers = ["turn", "bold", "random"]\ngames = 40\npeople = 2\n'
    )
    found = json.loads(printed("teams.toml", "--json"))
    assert found["people"] == 2
    assert found["games"] == 3 * 40
    for match in found["matches"]:
        tally = simulate("guts-and-luck(target=1500)", match["players"], 40, match["seed"], people=(2, 2)).tally
        assert match["wins"] == list(tally.wins)
    assert "3 players with teams of 2, under guts-and-luck(target=1500)" in printed("teams.toml", "--results")


# A plan that changes --------------------------------------------------------------------------------------------------


def test_a_round_robin_may_grow() -> None:
    printed("league.toml")
    grown = LEAGUE.replace("games = 60", "games = 80").replace('"random"]', '"random", "threshold:500"]')
    Path("league.toml").write_text(grown.replace('["extended', '["minimal(target=2000)", "extended'))
    found = json.loads(printed("league.toml", "--json"))
    assert found["games"] == 3 * 10 * 80
    Path("again.toml").write_text(Path("league.toml").read_text())
    again = json.loads(printed("again.toml", "--json"))
    same = ("standings", "cross", "rules", "players", "games")
    assert [found[key] for key in same] == [again[key] for key in same]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("games = 60", "games = 59", "games was 60, and is only 59 now"),
        ("seed = 7", "seed = 8", "seed was 7, and is 8 now"),
        ('"bold", ', "", "bold has played in it and is not among the players any more"),
        (', "kcd(target=2000)"', "", "games were played under kcd(target=2000)"),
        ("kcd(target=2000)", "kcd(target=2500)", "games were played under kcd(target=2000)"),
        ("games = 60", 'games = 60\nkind = "swiss"', "kind was round-robin, and is swiss now"),
        ("games = 60", "games = 60\nlimit = 2", "limit was 1.0, and is 2.0 now"),
        ("games = 60", "games = 60\nseats = 3", "seats was 2, and is 3 now"),
        ('rules = ["extended', 'people = 2\nrules = ["extended', "people was 1, and is 2 now"),
    ],
)
def test_a_change_that_does_not_fit_is_refused(old: str, new: str, said: str) -> None:
    printed("league.toml")
    before = kept("league.sqlite")
    Path("league.toml").write_text(LEAGUE.replace(old, new))
    answer = refused("league.toml")
    assert "league.sqlite has games of another tournament" in answer
    assert said in answer
    assert "begin anew with another file" in answer
    assert kept("league.sqlite") == before


def test_a_swiss_tournament_may_only_get_more_rounds() -> None:
    Path("league.toml").write_text(LEAGUE + 'kind = "swiss"\nrounds = 2\n')
    assert json.loads(printed("league.toml", "--json"))["games"] == 2 * 2 * 2 * 60
    Path("league.toml").write_text(LEAGUE + 'kind = "swiss"\nrounds = 3\n')
    found = json.loads(printed("league.toml", "--json"))
    assert found["games"] == 3 * 2 * 2 * 60
    assert len({tuple(match["players"]) for match in found["matches"]}) == 6
    Path("league.toml").write_text(LEAGUE.replace("60", "70") + 'kind = "swiss"\nrounds = 3\n')
    assert "games was 60, and is 70 now" in refused("league.toml")


def test_a_player_whose_file_changes_is_another_one() -> None:
    Path("mine.py").write_text(MINE)
    Path("league.toml").write_text(
        'rules = ["minimal(target=500)"]\nplayers = ["./mine.py:Early", "bold"]\ngames = 30\nlimit = 60\n'
    )
    found = json.loads(printed("league.toml", "--json"))
    assert found["games"] == 30
    assert found["forfeits"]["./mine.py:Early"] == len(found["forfeited"]) > 0
    assert found["forfeited"][0]["player"] == "./mine.py:Early"
    assert "early returned 'bank', which is no action" in printed("league.toml", "--results")
    Path("mine.py").write_text(MINE + "# better\n")
    assert "./mine.py:Early is not the player any more that began it: its file has changed" in refused("league.toml")


def test_files_are_found_from_the_tournaments_folder() -> None:
    Path("deep").mkdir()
    Path("deep/mine.py").write_text(MINE)
    Path("deep/ours.toml").write_text('name = "ours"\ntarget = 500\n')
    Path("deep/league.toml").write_text(
        'rules = ["./ours.toml"]\nplayers = ["./mine.py:Early", "bold"]\ngames = 4\nlimit = 60\n'
    )
    found = json.loads(printed("deep/league.toml", "--json"))
    assert found["rules"][0]["label"] == "./ours.toml"
    assert Path("deep/league.sqlite").is_file()


# Output ---------------------------------------------------------------------------------------------------------------


def test_tables_for_people() -> None:
    text = printed("league.toml")
    assert text.startswith("League: Round robin, 4 players, under extended(target=2000), kcd(target=2000), seed 7\n")
    assert "60 games of each match, 720 in all: all played, kept in league.sqlite" in text
    rows = [line.split() for line in text.splitlines()]
    places = [row[1] for row in rows if row[:1] and row[0] in ("1", "2", "3", "4")]
    assert places[:4] == places[4:8] == places[8:12] == places[12:16]
    assert places[3] == "random"
    for title in ("all rules", "extended(target=2000)", "kcd(target=2000)"):
        assert any(line.strip().startswith(title) for line in text.splitlines())
    assert printed("league.toml", "--results") == text


@pytest.mark.parametrize("name", ["league.svg", "league.png", "league.pdf"])
def test_pictures(name: str) -> None:
    printed("league.toml", "--plot", name)
    whole = Path(name).read_bytes()
    assert whole.startswith({".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[Path(name).suffix])
    Path(name).write_text("before")
    assert json.loads(printed("league.toml", "--results", "--json", "--plot", name))["complete"]
    assert len(Path(name).read_bytes()) > 5_000


def test_a_picture_of_many_and_of_nothing_yet() -> None:
    players = [f"threshold:{50 * number}" for number in range(1, 14)]
    plan = plan_of(f'rules = ["kcd", "standard"]\nplayers = {json.dumps(players)}\ngames = 1\n')
    with Games.open(Path("many.sqlite"), plan) as games:
        none = report_figure(report(games))
        play_tournament(games, plan, Path(), locally(), silent)
        all_of_it = report_figure(report(games))
    for figure, said in ((none, "0 of 156 games"), (all_of_it, "156 games")):
        assert figure.get_suptitle() == f"Tournament: {said} under 2 rule sets, seed 0"
        ratings, crossed = figure.axes
        assert len(ratings.get_yticks()) == 13
        assert len(crossed.patches) == 13 * 13
        assert not crossed.texts, "there is no room for numbers"


def test_results_of_an_interrupted_one(monkeypatch: pytest.MonkeyPatch) -> None:
    done = [0]

    def keep(self: Games, match: Fixture, batch: Batch, keep: Any = Games.keep) -> None:
        if done[0] == 5:
            raise KeyboardInterrupt
        done[0] += 1
        keep(self, match, batch)

    monkeypatch.setattr(Games, "keep", keep)
    result = farkel("league.toml")
    assert result.exit_code == 130
    assert "The same command continues from here." in result.stderr
    games = games_there("league.sqlite")
    assert 0 < games < 720
    assert f"{games} of 720 games played" in result.stdout


def test_a_swiss_tournament() -> None:
    Path("swiss.toml").write_text(
        LEAGUE.replace('"random"]', '"random", "threshold:300", "threshold:600", "threshold:900"]') + 'kind = "swiss"\n'
    )
    found = json.loads(printed("swiss.toml", "--json"))
    assert found["games"] == 3 * 3 * 2 * 60
    assert sum(one["points"] for one in found["standings"]) == 3 * 2 * 3 + 3 * 2
    points = [one["points"] for one in found["standings"]]
    assert points == sorted(points, reverse=True)
    text = printed("swiss.toml", "--results")
    assert "Swiss tournament of 3 rounds, 7 players" in text
    assert "points" in text


# Refused --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'rules = ["kcd"]\n\ngamse = 5\nplayers = ["turn", "bold"]',
            'one.toml, line 3: there is no key "gamse"; did you mean "games"?',
        ),
        ('colour = 1\nrules = ["kcd"]', 'one.toml, line 1: there is no key "colour"; there are: title, kind'),
        ("[games]\nx = 1\n", "one.toml: rules is missing; write, for instance: rules = ["),
        ('rules = ["kcd"]', "one.toml: players is missing; write, for instance: players = ["),
        ('players = ["turn", "bold"]\nrules = "kcd"', "one.toml, line 2: this is a list of names"),
        ('rules = []\nplayers = ["turn", "bold"]', "one.toml, line 1: this is a list of names"),
        ('rules = ["kdc"]\nplayers = ["turn", "bold"]', 'line 1: there is no rule set "kdc". Did you mean "kcd"?'),
        ('rules = ["kcd(targt=1)"]\nplayers = ["turn", "bold"]', 'did you mean "target"?'),
        ('rules = ["./no.toml"]\nplayers = ["turn", "bold"]', "there is no file no.toml"),
        ('rules = ["kcd", "kcd()"]\nplayers = ["turn", "bold"]', "kcd() and kcd are the same rules"),
        ('rules = ["kcd"]\nplayers = ["trun", "bold"]', 'line 2: there is no player "trun". Did you mean "turn"?'),
        ('rules = ["kcd"]\nplayers = ["turn", "turn"]', "turn is there twice"),
        ('rules = ["kcd"]\nplayers = ["turn"]', "one player cannot have a tournament"),
        ('rules = ["kcd"]\nplayers = ["./no.py:X", "turn"]', "there is no file no.py"),
        (
            'rules = ["kcd"]\nplayers = ["turn", "bold"]\ngames = 0',
            "line 3: games = 0 cannot be; it is a whole number from 1",
        ),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\ngames = -1', "games = -1 cannot be"),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\ngames = 1.5', "games = 1.5 cannot be"),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\ngames = true', "games = True cannot be"),
        (
            'rules = ["kcd"]\nplayers = ["turn", "bold"]\nseats = 3',
            "seats = 3 cannot be; it is a whole number from 2 to 2",
        ),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\nrounds = 3', "only a Swiss tournament has rounds"),
        (
            'rules = ["kcd"]\nplayers = ["turn", "bold"]\nkind = "swis"',
            'did you mean "swiss"? there are: round-robin, swiss',
        ),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\nkind = "swiss"\nrounds = 2', "rounds = 2 cannot be"),
        ('rules = ["kcd"]\nplayers = ["turn", "bold", "random"]\nkind = "swiss"\nseats = 3', "pairs two players"),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\nlimit = 0', "limit = 0 cannot be"),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\nseed = -1', "seed = -1 cannot be"),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\ntitle = 5', "title is a line of text"),
        ('rules = ["kcd(most_seats=2)"]\nplayers = ["turn", "bold", "random"]\nseats = 3', "line 3: "),
        (
            'rules = ["kcd"]\nplayers = ["turn", "bold"]\npeople = 0',
            "line 3: people = 0 cannot be; it is a whole number from 1 to 8",
        ),
        ('rules = ["kcd"]\nplayers = ["turn", "bold"]\npeople = [2, 2]', "people = [2, 2] cannot be"),
        (
            'rules = ["kcd", "guts-and-luck(team_size=2)"]\nplayers = ["turn", "bold"]\nseats = 2\npeople = 3',
            "line 4: seat 1 has 3 people: a team in guts-and-luck has 1 to 2",
        ),
        (
            'rules = ["kcd(most_seats=2)"]\nplayers = ["turn", "bold", "random"]\npeople = 1\nseats = 3',
            "line 4: too many: ",
        ),
        ("rules = [", "one.toml is no TOML: "),
    ],
)
def test_faults_in_a_file_are_reported(text: str, said: str) -> None:
    with pytest.raises(ArenaError) as caught:
        plan_of(text)
    assert caught.value.code == "bad_plan"
    assert said in caught.value.message


def test_invalid_files_are_refused() -> None:
    assert "there is no file no.toml" in refused("no.toml")
    assert "is a directory" in farkel(".").output
    Path("binary.toml").write_bytes(b"\xff\xfe")
    assert "binary.toml cannot be read: it is UTF-16 text; save it as UTF-8" in refused("binary.toml")
    assert "nothing of this tournament is played yet" in refused("league.toml", "--results")
    assert "there is no folder nowhere" in refused("league.toml", "--store", "nowhere/one.sqlite")
    assert "file name must end in .svg, .png or .pdf" in refused("league.toml", "--plot", "league.gif")
    assert "there is no folder nowhere" in refused("league.toml", "--plot", "nowhere/league.svg")
    assert not Path("league.sqlite").exists()
    assert "it is a folder" in refused("league.toml", "--store", ".")
    Path("other.sqlite").write_text("no database, but long enough to be looked at" * 100)
    assert "no file of a tournament's games" in refused("league.toml", "--store", "other.sqlite")
    assert "no file of a tournament's games" in refused("league.toml", "--store", "other.sqlite", "--results")
    with closing(sqlite3.connect("foreign.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE one (two)")
    assert "no file of a tournament's games" in refused("league.toml", "--store", "foreign.sqlite")
    assert Path("other.sqlite").read_text().startswith("no database")


def test_two_do_not_play_the_same_tournament() -> None:
    plan = read_plan(Path("league.toml"))
    with Games.open(Path("league.sqlite"), plan):
        assert "another program plays this tournament" in refused("league.toml")
        assert "0 of 720 games played" in printed("league.toml", "--results")
    assert "all played" in printed("league.toml")


def test_openskill_is_asked_for_before_anything_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    found = util.find_spec
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None if name == "openskill" else found(name))
    assert f"farkel tournament needs openskill: {advice('ratings')}" in refused("league.toml")
    assert not Path("league.sqlite").exists()


# Standings, ratings, pairings -----------------------------------------------------------------------------------------


def test_a_table_of_three() -> None:
    plan = plan_of('rules = ["kcd"]\nplayers = ["turn", "bold", "random"]\nseats = 3\ngames = 12\n')
    (match,) = plan.everybody()
    assert match.players == ("bold", "random", "turn")
    found = [
        MatchOutcome(match, 0b100, 6, 60),
        MatchOutcome(match, 0b001, 2, 20),
        MatchOutcome(match, 0b101, 3, 30),
        MatchOutcome(match, 0, 1, 9),
    ]
    table = standings(plan, found)
    assert [(one.player, one.games, one.wins, one.outright, one.shared) for one in table] == [
        ("turn", 12, 7.5, 6, 3),
        ("bold", 12, 3.5, 2, 3),
        ("random", 12, 0.0, 0, 0),
    ]
    cells = cross(found)
    assert cells["turn", "bold"] == (11, 7.5)
    assert cells["bold", "turn"] == (11, 3.5)
    assert cells["turn", "random"] == (9, 9.0)
    assert cells["random", "bold"] == (5, 0.0)
    assert cross(found, "standard") == {}
    with Games.open(Path("three.sqlite"), plan) as games:
        play_tournament(games, plan, Path(), locally(), silent)
        found_all = report(games)
    assert found_all.complete
    assert sum(one.wins for one in found_all.standings) == 12


def test_ratings_follow_wins() -> None:
    match = Fixture(1, "kcd", ("bold", "turn"), 1)
    found = rate(["bold", "turn", "random"], [(match, 2), (match, 2), (match, 1), (match, 2)])
    assert found["turn"].mean > 25 > found["bold"].mean
    assert found["turn"].deviation < found["random"].deviation
    assert found["random"].mean == 25
    drawn = rate(["bold", "turn"], [(match, 0), (match, 3)])
    assert drawn["turn"].mean == pytest.approx(drawn["bold"].mean)
    assert rated_each(2) == RATED // 2
    assert rated_each(0) == RATED
    assert rated_each(10**9) == 1


@given(st.integers(2, 12), st.data())
def test_swiss_rounds_pair_new_opponents_in_as_many_rounds_as_there_can_be(players: int, data: st.DataObject) -> None:
    order = [f"p{number}" for number in range(players)]
    before: list[frozenset[frozenset[str]]] = []
    for _ in range(players - 1 + players % 2):
        order = data.draw(st.permutations(order))
        pairs = paired(order, before)
        seated = [player for pair in pairs for player in pair]
        assert len(seated) == len(set(seated)) == players - players % 2
        byes = {frozenset((player, NOBODY)) for player in set(order) - set(seated)}
        assert len(byes) == players % 2
        before.append(frozenset({*map(frozenset, pairs), *byes}))
        assert len(frozenset[frozenset[str]]().union(*before)) == len(before) * ((players + 1) // 2)


@given(st.integers(0, 8), st.data())
def test_possible_pairings(players: int, data: st.DataObject) -> None:
    everybody = [frozenset((one, two)) for one in range(players) for two in range(one)]
    free = data.draw(st.sets(st.sampled_from(everybody))) if everybody else set()

    def can(left: frozenset[int]) -> bool:
        first = min(left, default=None)
        return first is None or any(
            frozenset((first, other)) in free and can(left - {first, other}) for other in left - {first}
        )

    named = {frozenset(map(str, pair)) for pair in free}
    assert pairable([str(player) for player in range(players)], named) == can(frozenset(range(players)))


@pytest.mark.parametrize("players", [2, 4, 6, 10])
def test_a_round_robin_is_a_schedule(players: int) -> None:
    rounds = round_robin([str(number) for number in range(players)])
    assert len(rounds) == players - 1
    assert all(len(frozenset[str]().union(*pairs)) == players == 2 * len(pairs) for pairs in rounds)
    assert len(frozenset[frozenset[str]]().union(*rounds)) == players * (players - 1) // 2
    assert factored(frozenset[frozenset[str]]().union(*rounds), players - 1) is not None


def test_pairs_without_a_schedule_have_none() -> None:
    triangles = {frozenset(pair) for three in ("abc", "def") for pair in combinations(three, 2)}
    assert factored(frozenset(triangles), 2) is None
    assert factored(frozenset([frozenset("ab"), frozenset("cd")]), 2) is None


def test_neighbours_meet_again_only_if_earlier_rounds_left_nothing_else() -> None:
    first = frozenset([frozenset("ab"), frozenset("cd")])
    assert paired(["a", "b", "c", "d"], []) == [("a", "b"), ("c", "d")]
    assert paired(["a", "b", "c", "d"], [first]) == [("a", "c"), ("b", "d")]
    assert paired(["a", "b", "c", "d"], [first, first]) == [("a", "b"), ("c", "d")]
    assert paired(["b", "a", "c"], []) == [("b", "a")]
    assert paired(["a", "b", "c"], [frozenset([frozenset("ab"), frozenset(("c", NOBODY))])]) == [("a", "c")]


def test_seven_players_meet_everybody_once_in_seven_rounds() -> None:
    players = ", ".join(f'"threshold:{number}"' for number in range(300, 601, 50))
    Path("swiss.toml").write_text(
        f'rules = ["standard"]\nplayers = [{players}]\ngames = 20\nkind = "swiss"\nrounds = 7\nseed = 3\n'
    )
    printed("swiss.toml")
    with Games.look(Path("swiss.sqlite")) as games:
        met = Counter(frozenset(match.players) for match in games.matches().values())
        assert len(met) == 21
        assert set(met.values()) == {1}
        assert sorted(byes(games.plan, games.matches().values())) == sorted(games.plan.players)


def test_byes_and_the_points_for_them() -> None:
    plan = plan_of('rules = ["kcd"]\nplayers = ["turn", "bold", "random"]\nkind = "swiss"\ngames = 2\nrounds = 3\n')
    (first,) = swiss_round(plan, 1, [])
    assert first.players == ("bold", "turn")
    assert byes(plan, [first]) == ["random"]
    unfinished = [MatchOutcome(first, 0b10, 1, 9)]
    assert {one.player: one.points for one in standings(plan, unfinished)} == {"turn": 0, "bold": 0, "random": 1}
    over = [MatchOutcome(first, 0b10, 1, 9), MatchOutcome(first, 0b01, 1, 9)]
    assert {one.player: one.points for one in standings(plan, over)} == {"turn": 0.5, "bold": 0.5, "random": 1}
    (second,) = swiss_round(plan, 2, over)
    assert second.players == ("random", "turn")


def test_the_example_of_the_page_explains_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs/arena.md").read_text()
    (example,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    plan = plan_of(example)
    assert plan.matches == 2 * 10
    assert {*tomllib.loads(example), "people", "rounds"} == set(KEYS)


def test_a_plan_reads_back() -> None:
    plan = plan_of(LEAGUE)
    assert TournamentPlan.from_text(plan.text()) == plan
    assert TournamentPlan.from_text(plan.text().replace(', "people": 1', "")) == plan, (
        "as it was kept before there were teams"
    )
    assert plan.matches == len(plan.everybody()) == 12
    seeds = [match.seed for match in plan.everybody()]
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert all(one != two for one, two in pairwise(sorted(seeds)))
    other = plan_of(LEAGUE.replace('"turn", "cautious"', '"cautious", "turn"'))
    assert set(other.everybody()) == set(plan.everybody()), "the order of the players does not matter"


def test_games_under_rules_of_an_older_version_continue(tmp_path: Path) -> None:
    new = parse_plan(LEAGUE, "league.toml", Path())
    written = [RuleSet("kcd", "kcd(scoring.111=1000, target=2000)", "0123456789abcdef"), new.rules[0]]
    old = replace(new, rules=(written[1], written[0]))
    path = tmp_path / "league.sqlite"
    with Games.open(path, old) as games:
        games.add(old.everybody())
        before = games.matches()
    with Games.open(path, new) as games:
        assert games.plan.rules == (new.rules[0], written[0]._replace(label=new.rules[1].label))
        games.add(games.plan.everybody())
        assert games.matches() == before
