"""The benchmark of decisions: agents of every kind against perfect play, under rules that are drawn."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from farkel.bench import agent_of, drawn_rules, measure, named, play_game, summary
from farkel.bench.agents import KnownAgent, ProgramAgent
from farkel.bench.protocol import MOST_LINE, decide_message, state_of
from farkel.coach.regret import regrets
from farkel.errors import FarkelError
from farkel.game import legal_actions
from farkel.players import make_player
from farkel.players.knowledge import duel
from farkel.simulation.python_games import Broken
from farkel.support.progress import silent
from farkel.terminal.cli import main
from named_rules import rules_of
from serving import serving

SMALL = "minimal(target=2000)"
MINE = """
import sys
from farkel.game import legal_actions

class First:
    def decide(self, state, generator):
        print("this is not an answer")
        return legal_actions(state)[0]

class Raises:
    def decide(self, state, generator):
        raise ValueError("no idea")

class Cheats:
    def decide(self, state, generator):
        return "win"

class Leaves:
    def decide(self, state, generator):
        import os
        os._exit(3)

class Sleeps:
    def decide(self, state, generator):
        import threading
        threading.Event().wait()
"""
PLAIN = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"ready": True} if asked["do"] == "game" else ANSWER), flush=True)
"""


def nothing(*_: Any) -> None:
    pass


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def program(tmp_path: Path, answer: str) -> ProgramAgent:
    path = tmp_path / "agent.py"
    path.write_text(PLAIN.replace("ANSWER", answer))
    return ProgramAgent([sys.executable, str(path)], "agent", 30.0)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments])


def test_perfect_play_gives_nothing_away_and_others_as_much_as_is_known_exactly() -> None:
    course = named([SMALL])
    (exact,) = measure(agent_of("bot:exact", 1.0), course, 20, 0, silent, nothing)
    assert (exact.regret.mean, exact.best, exact.forfeits) == (0.0, exact.decisions, 0)
    (bold,) = measure(agent_of("bold", 1.0), course, 200, 0, silent, nothing)
    (known,) = regrets(course.rules[0], [make_player("bold")], 1, 0, silent)
    assert bold.regret.mean == pytest.approx(known.total, abs=1.5 * bold.regret.margin)
    assert sum(bold.given.values()) == pytest.approx(bold.regret.mean)
    assert 0 < bold.best < bold.decisions


def test_a_player_in_a_file_decides_as_it_would_in_this_process(mine: Path) -> None:
    class First:
        name = "First"

        def decide(self, state: Any, generator: Any) -> Any:
            return legal_actions(state)[0]

    rules, here = rules_of("build-on(target=1000, entry=200)"), KnownAgent(First())
    there = agent_of(f"{mine}:First", 30.0)
    try:
        for number in range(3):
            assert play_game(rules, duel(rules), there, 5, number) == play_game(rules, duel(rules), here, 5, number)
    finally:
        there.close()


@pytest.mark.parametrize(
    "name", ["original(target=10000, lives.each=3)", "build-on(target=1000, entry=200)", "zilch(target=300)"]
)
def test_states_read_back_equal(name: str) -> None:
    from farkel.simulation.python_games import play

    met = []
    play(rules_of(name), (make_player("random"),) * 2, 3, 0, watches=lambda before, *_: met.append(before))
    for state in met:
        if legal_actions(state):
            sent = json.loads(json.dumps(decide_message(state, legal_actions(state))))
            assert state_of(state.rules, sent["state"]) == state


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Raises", "raised ValueError: no idea"),
        ("Cheats", "chose 'win', which is not legal"),
        ("Leaves", "ended with exit code 3"),
    ],
)
def test_a_broken_agent_forfeits_its_remaining_chance(mine: Path, name: str, why: str) -> None:
    agent = agent_of(f"{mine}:{name}", 30.0)
    try:
        (found,) = measure(agent, named([SMALL]), 2, 0, silent, nothing)
    finally:
        agent.close()
    assert (found.forfeits, found.wins, found.decisions) == (2, 0.0, 0)
    assert why in found.why[0]
    assert found.regret.mean > 0.2


def test_an_agent_that_stalls_is_ended_and_started_again(mine: Path) -> None:
    agent = agent_of(f"{mine}:Sleeps", 0.05)
    try:
        (found,) = measure(agent, named([SMALL]), 2, 0, silent, nothing)
    finally:
        agent.close()
    assert found.forfeits == 2
    assert found.why == ("Sleeps did not answer within 0.05 s",)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('{"choose": 99}', '"choose" must be the place of an action, 0 to'),
        ('{"choose": True}', '"choose" must be the place of an action'),
        ("[1]", "a line that is not a JSON object"),
        ('"x" * 70_000', f"a line of more than {MOST_LINE:,} characters"),
        ('json.loads("[" * 20 + "]" * 20)', "a line that is nested too deeply"),
        ('(print("{}"), {"choose": 0})[1]', "must be the place of an action"),
    ],
)
def test_answers_outside_the_protocol_are_reported(tmp_path: Path, answer: str, why: str) -> None:
    agent, rules = program(tmp_path, answer), rules_of(SMALL)
    try:
        game = play_game(rules, duel(rules), agent, 1, 0)
    finally:
        agent.close()
    assert why in game.forfeit


def test_an_unexpected_line_is_reported(tmp_path: Path) -> None:
    agent, rules = program(tmp_path, '(print(\'{"choose": 0}\'), {"choose": 0})[1]'), rules_of(SMALL)
    try:
        game = play_game(rules, duel(rules), agent, 1, 0)
    finally:
        agent.close()
    assert "a line that answers nothing" in game.forfeit


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("run:", "give a command after run:"),
        ("run:/no/such/program", "cannot be started: No such file"),
        (f"run:{sys.executable} -c 1", "cannot be measured: it"),
        ("nobody", 'there is no player "nobody"'),
    ],
)
def test_agents_that_do_not_start_are_refused(spec: str, why: str) -> None:
    found = run(spec, "--rules", SMALL, "--games", "2")
    assert found.exit_code == 1
    assert why in found.output


def test_drawn_rules_follow_from_their_seed_and_place_and_are_solved() -> None:
    some = [drawn_rules(7, place) for place in range(6)]
    assert some == [drawn_rules(7, place) for place in range(6)]
    assert len({rules.digest for rules in [*some, drawn_rules(8, 0)]}) == 7


def test_rules_that_are_not_solved_in_seconds_are_refused() -> None:
    with pytest.raises(FarkelError, match="farkel solve --rules original"):
        named(["original"])


def test_the_interval_over_drawn_rules_covers_how_they_differ() -> None:
    course = named([SMALL, "minimal(target=2000, scoring.1=300)"])
    scores = measure(agent_of("cautious", 1.0), course, 40, 0, silent, nothing)
    chosen, sample = summary(scores, False), summary(scores, True)
    assert chosen.regret.mean == sample.regret.mean
    assert sample.regret.margin >= chosen.regret.margin
    assert chosen.games == 80


def test_the_command_compares_agents_and_exports_their_decisions(tmp_path: Path, mine: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs farkel[parquet]")
    np = pytest.importorskip("numpy")
    env = pytest.importorskip("farkel.training", reason="needs farkel[train]")
    file = tmp_path / "decisions.parquet"
    found = run(
        "turn",
        "bot:exact",
        f"{mine}:First",
        "--rules",
        SMALL,
        "--games",
        "4",
        "--limit",
        "30",
        "--decisions",
        str(file),
        "--json",
    )
    assert found.exit_code == 0, found.output
    content = json.loads(found.stdout)
    by = {one["agent"]: one for one in content["summaries"]}
    assert by["exact"]["regret"] == 0.0 < by["First"]["regret"]
    rows = parquet.read_table(file).to_pylist()
    assert len(rows) == sum(one["decisions"] for one in by.values())
    numbers = env.actions(rules_of(SMALL))
    for row in rows:
        values = np.array(row["values"])
        assert len(row["observation"]) == env.Encoder(rules_of(SMALL), (1, 1)).size
        assert len(values) == numbers.size
        assert (np.isfinite(values) == np.array(row["mask"], bool)).all()
        assert row["regret"] == pytest.approx(np.nanmax(values) - values[row["action"]], abs=1e-6)
    text = run("turn", "cautious", "--rules", SMALL, "--games", "4", "--each").output
    assert "4 games per agent" in text
    assert text.index("turn ") < text.index("cautious ")


def test_an_agent_plays_the_seats_that_are_opened_on_a_server(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="needs farkel[web]")
    from farkel.bench.site import measure_site
    from farkel.client import Client, play

    threads = list[threading.Thread]()
    with serving(tmp_path) as (url, _):

        def plays(link: str) -> None:
            with Client.of(link) as client:
                play(client, *client.seat(), make_player("bold"))

        def said(line: str) -> None:
            threads.append(threading.Thread(target=plays, args=(line.rpartition(" ")[2],)))
            threads[-1].start()

        games = list[Any]()
        (found,) = measure_site(url, named([SMALL]), 2, said, lambda name, game: games.append(game))
        for thread in threads:
            thread.join(60)
    assert [game.seat for game in games] == [0, 1]
    assert found.decisions == sum(len(game.decisions) for game in games) > 0
    assert found.regret.mean > 0
    assert found.forfeits == 0


def test_broken_agents_differ_from_unmeasurable_ones(tmp_path: Path) -> None:
    agent = program(tmp_path, '{"error": "I am lost"}')
    rules = rules_of(SMALL)
    try:
        agent.begin(rules, 0, 1)
        with pytest.raises(Broken, match="I am lost"):
            agent.decide(play_game(rules, duel(rules), agent_of("bold", 1.0), 1, 0).decisions[0].state)
    finally:
        agent.close()
