"""``farkel simulate`` as it is typed: what it prints, draws and keeps, and what it says to wrong input."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from importlib import util
from pathlib import Path
from typing import Any

import pexpect
import pytest
from click.testing import CliRunner, Result

from farkel.errors import FarkelError
from farkel.rules import load
from farkel.simulation import Batch, Job, Tally, run, simulate
from farkel.simulation.matches import Stopwatch
from farkel.support.extras import advice
from farkel.terminal.cli import main
from farkel.terminal.commands.measure.simulate import simulated
from farkel.terminal.output import whole
from serving import HANG

MINE = """
from farkel.game import Keep, legal_actions


class Early:
    name = "early"

    def decide(self, state, generator):
        actions = list(legal_actions(state))
        return next((one for one in actions if isinstance(one, Keep) and one.then == "bank"), actions[0])


class Broken(Early):
    def decide(self, state, generator):
        if generator.random() < 0.05:
            raise ValueError("no idea")
        return super().decide(state, generator)
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)


def farkel(*words: str) -> Result:
    return CliRunner().invoke(main, ["simulate", *words], prog_name="farkel")


def printed(*words: str) -> str:
    result = farkel(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def content(*words: str) -> Any:
    return json.loads(printed(*words, "--json"))


def refused(*words: str) -> str:
    result = farkel(*words)
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.output
    assert "Error: " in result.output
    return " ".join(result.output.split())


def lines(text: str, *starts: str) -> list[str]:
    squeezed = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in squeezed if line.startswith(starts)]


# What it prints -------------------------------------------------------------------------------------------------------


def test_figures_are_those_of_the_library() -> None:
    found = content("--players", "turn,cautious", "--games", "20000", "--seed", "7", "--threads", "2")
    tally = simulate("extended", ["turn", "cautious"], 20_000, 7).tally
    assert found["games"] == 20_000
    assert found["wins"] == list(tally.wins)
    assert found["intervals"] == [list(interval) for interval in tally.intervals]
    assert found["turns_mean"] == tally.turns_mean
    assert found["games_per_second"] == pytest.approx(found["games"] / found["seconds"])
    assert found["complete"]
    assert found["turns"][0]["farkle_rate"] == tally.farkle_rate(0)
    assert sum(found["lengths"]) == 20_000
    assert [sum(turns) for turns in found["turn_points"]["turns"]] == [tally.turns(0), tally.turns(1)]
    assert list(found)[:6] == ["games", "seconds", "games_per_second", "wins", "intervals", "turns_mean"]


def test_text_for_people() -> None:
    text = printed("--players", "turn,cautious", "--games", "20000", "--seed", "7", "--set", "target=5000")
    tally = simulate("extended(target=5000)", ["turn", "cautious"], 20_000, 7).tally
    low, high = tally.intervals[0]
    assert lines(text, "turn ")[1:2] == [f"turn {tally.wins[0]:,.0f} {tally.win_rates[0]:.2%} {low:.2%} to {high:.2%}"]
    assert "under extended(target=5000), seed 7" in text
    assert "nobody gains by going first" in text
    assert f"won {tally.order_rates[0]:.2%}" in text
    assert lines(text, "nothing") == [f"nothing {tally.farkle_rate(0):.2%} {tally.farkle_rate(1):.2%}"]
    assert f"{tally.turns_mean:.2f} on average" in text


def test_fields_of_only_some_rules() -> None:
    text = printed("--rules", "original", "--players", "bold,cautious,random", "--games", "300", "--seed", "1")
    assert "offers taken" in text
    assert "points lost" in printed("--rules", "zilch", "--players", "bold,bold", "--games", "300", "--seed", "1")
    shared = printed(
        *(
            "--rules",
            "kcd(target=0, rounds=1)",
            "--players",
            "threshold:50,threshold:50",
            "--games",
            "5000",
            "--seed",
            "1",
        )
    )
    assert "shared" in shared
    assert "nobody" in printed("--players", "threshold:1000000", "--games", "1", "--seed", "1")


def test_a_seed_that_is_not_given_is_shown() -> None:
    one = content("--players", "random", "--games", "1")
    assert one["wins"] == [1.0]
    again = content("--players", "random", "--games", "1", "--seed", str(one["seed"]))
    assert again["lengths"] == one["lengths"]


def test_people_in_teams() -> None:
    found = content("--rules", "original", "--players", "bold,bold", "--people", "2,1", "--games", "50", "--seed", "1")
    assert found["wins"] == list(simulate("original", ["bold", "bold"], 50, 1, people=[2, 1]).tally.wins)


def test_players_from_files_and_their_forfeits() -> None:
    words = ("--players", "./mine.py:Broken,bold", "--games", "20", "--seed", "3", "--limit", f"{HANG}")
    found = content(*words)
    assert found["forfeits"][0] == len(found["forfeited"]) > 5
    assert found["forfeited"][0]["reason"] == "early raised ValueError: no idea"
    text = printed(*words)
    assert f"./mine.py:Broken forfeited {found['forfeits'][0]} games." in text
    assert text.rstrip().endswith("...")


# What it keeps --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", ["turn,cautious", ",".join(["bold"] * 8)])
def test_pictures(players: str) -> None:
    printed("--players", players, "--games", "200", "--plot", "games.svg")
    text = Path("games.svg").read_text()
    assert text.startswith("<?xml")
    printed("--players", players, "--games", "1", "--plot", "games.png")
    assert Path("games.png").read_bytes().startswith(b"\x89PNG")


# Interrupted ----------------------------------------------------------------------------------------------------------


def test_ctrl_c_shows_partial_results() -> None:
    command = ["-m", "farkel", "simulate", "--players", "turn,cautious", "--games", "1000000000", "--seed", "7"]
    child = pexpect.spawn(sys.executable, command, encoding="utf-8", timeout=HANG, dimensions=(50, 120))
    child.expect(r"Playing games.*%")
    child.sendintr()
    child.expect(r"Stopped after ([\d,]+) of 1,000,000,000 games")
    assert isinstance(child.match, re.Match)
    games = int(child.match.group(1).replace(",", ""))
    child.expect(pexpect.EOF)
    child.wait()
    child.close()
    assert child.exitstatus == 130
    assert games > 0


def test_ctrl_c_between_batches_splits_none() -> None:
    """The signal comes while a sink takes a batch: the batch is in the sink and in the result."""
    job, taken = Job("extended", ("bold", "bold"), 1, games=1_000), [0]

    def machines(jobs: Sequence[Job], raw: bool) -> Generator[tuple[int, Batch], None, None]:
        for first in range(0, 1_000, 100):
            assert raw
            yield 0, Batch(first, 100, run(jobs[0].part(first, 100)), [])

    def sink(batch: Batch) -> None:
        if taken[0] >= 300:
            signal.raise_signal(signal.SIGINT)
        taken[0] += batch.games

    result = simulated(load("extended"), job, machines, lambda done, of: None, [sink])
    assert not result.complete
    assert result.tally.games == taken[0] == 400
    assert result.tally == simulate("extended", ["bold", "bold"], 400, 1).tally


def test_stopped_before_the_first_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*anything: object) -> Generator[tuple[int, Batch], None, None]:
        yield 0, Batch(0, 0, Tally.nothing(50, 1), [])
        raise KeyboardInterrupt

    monkeypatch.setattr("farkel.simulation.matches.locally", lambda threads: stopped)
    result = farkel("--players", "bold")
    assert result.exit_code == 130
    assert "Stopped before the first game was over." in result.output


# Refused --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--players", "trun"], 'Did you mean "turn"?'),
        (["--players", "turn,"], 'there is no player ""'),
        (["--players", "./other.py:Early"], "there is no file other.py"),
        (["--players", "./mine.py:Late"], "has no Late; there are: Early, Broken"),
        (["--players", "./mine.py"], "names no class"),
        (["--players", "turn", "--games", "0"], "0 is not in the range"),
        (["--players", "turn", "--games", "-5"], "-5 is not in the range"),
        (["--players", "turn", "--seed", "-1"], "-1 is not in the range"),
        (["--players", "turn", "--limit", "0"], "0.0 is not in the range"),
        (["--players", "turn", "--threads", "0"], "0 is not in the range"),
        (["--players", ",".join(["turn"] * 21)], "20"),
        (["--players", "turn", "--people", "two"], "is not a list of numbers"),
        (["--players", "turn", "--rules", "extendet"], 'Did you mean "extended"?'),
        (["--players", "turn", "--set", "targt=1"], 'did you mean "target"?'),
        (["--players", "turn", "--plot", "games.txt"], ".svg, .png or .pdf"),
        (["--players", "turn", "--plot", "nowhere/games.svg"], "there is no folder nowhere"),
        (["--players", "turn", "--parquet", "nowhere/games.parquet"], "there is no folder nowhere"),
        (["--players", "turn", "--parquet", "."], "it is a folder"),
        (["--games", "5"], "--players"),
        pytest.param(
            ["--players", "turn", "--cluster", "127.0.0.1:1"],
            "no Ray cluster answers at 127.0.0.1:1",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["--players", "turn", "--cluster", "nonsense"], "no Ray cluster answers at nonsense", marks=pytest.mark.slow
        ),
    ],
)
def test_wrong_input(words: list[str], said: str) -> None:
    assert said in refused(*words)


@pytest.mark.parametrize(
    ("module", "words", "said", "extra"),
    [
        ("ray", ["--cluster", "auto"], "a cluster needs ray", "cluster"),
        ("pyarrow", ["--parquet", "g.parquet"], "--parquet needs pyarrow", "parquet"),
        ("matplotlib", ["--plot", "g.svg"], "drawing g.svg needs matplotlib", "charts"),
    ],
)
def test_missing_extras_are_named(
    module: str, words: list[str], said: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = util.find_spec
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None if name == module else found(name))
    assert f"{said}: {advice(extra)}" in refused("--players", "turn", *words)
    assert not Path("g.parquet").exists()


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("before")
    with pytest.raises(ZeroDivisionError), whole(path) as part:
        part.write_bytes(bytes([1 // 0]))
    assert path.read_text() == "before"
    with whole(path) as part:
        part.write_text("after")
    assert path.read_text() == "after"
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
    with pytest.raises(FarkelError, match="cannot be written"), whole(path / "two.txt"):
        pass


# Standard output ------------------------------------------------------------------------------------------------------

LOUD = """
import os, subprocess, sys
from farkel.players import Cautious
print("imported")

class Loud(Cautious):
    name = "loud"

    def decide(self, state, generator):
        print("decides")
        os.write(1, b"below Python\\n")
        sys.__stdout__.write("kept back\\n")
        subprocess.run(["echo", "a program"])
        return super().decide(state, generator)
"""
SAID = {"imported", "decides", "below Python", "kept back", "a program"}


def apart(*words: str) -> tuple[int, str, set[str]]:
    """The exit status, standard output, and the lines on standard error, of a program of its own."""
    done = subprocess.run([sys.executable, "-m", "farkel", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, set(done.stderr.splitlines())


def test_prints_of_a_player_do_not_spoil_the_result() -> None:
    Path("loud.py").write_text(LOUD)
    words = ("--players", "./loud.py:Loud,bold", "--games", "2", "--seed", "1", "--limit", f"{HANG}")
    status, out, said = apart("simulate", *words, "--json")
    assert status == 0
    assert json.loads(out)["games"] == 2
    assert said >= SAID
    table = f'players = ["./loud.py:Loud", "bold"]\nrules = ["minimal(target=500)"]\ngames = 2\nlimit = {HANG}'
    Path("all.toml").write_text(table)
    status, out, said = apart("tournament", "all.toml", "--json")
    assert status == 0
    assert json.loads(out)["games"] == 2
    assert said >= SAID


def test_prints_of_a_player_stay_out_of_the_server_game() -> None:
    Path("loud.py").write_text(LOUD)
    status, out, said = apart("bot", f"http://127.0.0.1:9/s/{'x' * 32}", "./loud.py:Loud", "--patience", "0")
    assert (status, out) == (1, "")
    assert "imported" in said


COMPILES = """
import time
from types import SimpleNamespace
from farkel.support import clock
from farkel.players import Cautious

class Compiles(Cautious):
    name = "compiles"
    done = False

    def decide(self, state, generator):
        if not Compiles.done:
            Compiles.done = True
            with clock.CLOCK:  # as if its code were compiled now, and an hour passed
                clock.time = SimpleNamespace(perf_counter=lambda: time.perf_counter() + 3600)
        return super().decide(state, generator)
"""


def test_compiling_counts_neither_as_play_nor_as_thinking() -> None:
    Path("compiles.py").write_text(COMPILES)
    result = simulate("minimal(target=500)", ["./compiles.py:Compiles", "bold"], 2, 1, threads=1, limit=HANG)
    assert result.forfeits == ()
    assert result.seconds < 3600


def test_progress_starts_with_the_first_games(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([50.0, 60.0])
    monkeypatch.setattr(sys.modules[Stopwatch.__module__], "clock", lambda: next(times))
    watch = Stopwatch()
    assert watch.seconds == 0
    for seconds in (2.0, 3.0):
        watch.see(Batch(0, 1, Tally.nothing(50, 1), [], seconds=seconds))
    assert watch.seconds == 12.0
