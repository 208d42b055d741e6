"""Games on a real cluster of two nodes on this machine, one of which is killed in the middle."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from farkel import __version__
from farkel.dice.simulated import DERIVATION
from farkel.simulation import ArenaError, Batch, Job
from farkel.simulation import cluster as machines
from farkel.simulation.cluster import connected, files_of, play_part
from farkel.simulation.matches import Source, locally
from farkel.simulation.tally import total
from farkel.terminal.cli import main
from serving import LONG, patiently

VERSIONS = (__version__, DERIVATION)
pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray")
"""It is not imported here: it reads the environment when it is."""

MINE = """
import os
import time
from pathlib import Path

from farkel.game import Keep, legal_actions


class Marking:
    name = "marking"

    def __init__(self):
        if "FARKEL_MARKS" in os.environ and "RAY_RAYLET_PID" in os.environ:
            marks = Path(os.environ["FARKEL_MARKS"])
            (marks / os.environ["RAY_RAYLET_PID"]).touch()
            for _ in range(60_000):  # without both marks the test fails in the end
                if len(list(marks.iterdir())) == 2:
                    break
                time.sleep(0.01)

    def decide(self, state, generator):
        if generator.random() < 0.001:
            raise ValueError("no idea")
        return next((one for one in legal_actions(state) if isinstance(one, Keep) and one.then == "bank"), None) or (
            next(iter(legal_actions(state)))
        )
"""
"""A player who leaves a mark of its node of the cluster, and plays there once both nodes have their marks."""


class Node(NamedTuple):
    """A node of the cluster: a session of processes."""

    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)


def start(environment: dict[str, str], *words: str) -> Node:
    command = [
        str(Path(sys.executable).with_name("ray")),
        "start",
        "--node-ip-address=127.0.0.1",
        "--num-cpus=1",
        "--object-store-memory=80000000",
        "--disable-usage-stats",
        "--min-worker-port=0",  # these and all other ports are chosen by the programs that open them
        "--max-worker-port=0",
        "--dashboard-agent-listen-port=0",
        *words,
    ]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said, start_new_session=True)
        if process.wait(LONG):
            said.seek(0)
            raise AssertionError(said.read().decode())
    return Node(process)


class Cluster(NamedTuple):
    address: str
    second: Node
    marks: Path


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two nodes. Paths are short, as those of sockets have to be."""
    folder = Path(tempfile.mkdtemp(prefix="farkel-"))
    (folder / "marks").mkdir()
    mine = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_health_check_period_ms": "300",  # a lost node is noticed sooner
        "RAY_health_check_timeout_ms": "60000",  # and one that is merely slow is not taken for lost
        "RAY_health_check_failure_threshold": "3",
        "RAY_gcs_server_port_wait_time_s": "60",
        "FARKEL_MARKS": str(folder / "marks"),
    }
    nodes = []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in mine.items():
            patch.setenv(name, value)
        try:
            environment = dict(os.environ)
            head = "--head", "--port=0", "--include-dashboard=false"
            nodes.append(start(environment, *head, f"--temp-dir={folder}/ray"))
            address = (folder / "ray" / "ray_current_cluster").read_text()
            nodes.append(start(environment, f"--address={address}"))
            yield Cluster(address, nodes[1], folder / "marks")
        finally:
            for node in nodes:
                with suppress(ProcessLookupError):
                    node.kill()
            shutil.rmtree(folder, ignore_errors=True)


def together(source: Source, jobs: Sequence[Job], kill: Node | None = None) -> list[Batch]:
    """All games of each job in one batch; the node is killed when the first of them are there."""
    found: list[list[Batch]] = [[] for _ in jobs]
    for place, batch in source(jobs, True):
        assert batch.first == sum(one.games for one in found[place]), "games come in their order"
        found[place].append(batch)
        if kill is not None:
            kill.kill()
            kill = None
    assert kill is None
    return [
        Batch(
            0,
            sum(batch.games for batch in batches),
            total((batch.tally for batch in batches[1:]), batches[0].tally),
            [game for batch in batches for game in batch.raw],
            tuple(forfeit for batch in batches for forfeit in batch.forfeits),
        )
        for batches in found
    ]


@pytest.mark.slow
def test_the_commands_on_a_cluster(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["simulate", "--players", "turn,cautious", "--games", "50000", "--seed", "7", "--json"]
    theirs, ours = (json.loads(printed(*words, *more)) for more in (["--cluster", cluster.address], []))
    timed = ("seconds", "games_per_second")
    assert {key: theirs[key] for key in theirs if key not in timed} == {
        key: ours[key] for key in ours if key not in timed
    }
    Path("one.toml").write_text('rules = ["kcd", "standard"]\nplayers = ["turn", "bold", "random"]\ngames = 100\n')
    Path("two.toml").write_text(Path("one.toml").read_text())
    alone = printed("tournament", "one.toml", "--json")
    assert printed("tournament", "two.toml", "--json", "--cluster", cluster.address) == alone
    assert json.loads(alone)["complete"]


def printed(*words: str) -> str:
    result = CliRunner().invoke(main, words, prog_name="farkel")
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.slow
def test_a_cluster_that_loses_a_node_plays_the_same_games(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.setattr(machines, "FIRST", 40)
    jobs = [
        Job("kcd", (f"{tmp_path}/mine.py:Marking", "bold"), 5, games=500),
        Job("extended", ("turn", "cautious", "bold"), 7, games=200_000),
    ]
    with connected(cluster.address) as source:
        import ray

        nodes: Callable[[], list[dict[str, Any]]] = ray.nodes
        assert [node["Alive"] for node in nodes()] == [True, True]
        theirs = together(source, jobs, kill=cluster.second)
        for _ in patiently():
            if sum(node["Alive"] for node in nodes()) == 1:
                break
    ours = together(locally(), jobs)
    for one, other in zip(theirs, ours, strict=True):
        assert one.tally == other.tally
        assert one.raw == other.raw
        assert one.forfeits == other.forfeits
    assert theirs[0].forfeits
    assert theirs[0].games == 500
    assert len(list(cluster.marks.iterdir())) == 2, "both nodes have played"


# What a machine does with a part, without a cluster -------------------------------------------------------------------


def test_a_part_is_played_with_the_files_that_came_along(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    job = Job("kcd", ("bold", f"{tmp_path}/mine.py:Marking"), 5, first=3, games=20)
    files = files_of(job)
    (tmp_path / "mine.py").unlink()
    batch, seconds = play_part(job, files, True, VERSIONS)
    assert isinstance(batch, Batch)
    assert (batch.first, batch.games, len(batch.raw)) == (3, 20, 20)
    assert isinstance(seconds, float)
    with pytest.raises(ArenaError, match="cannot be read"):
        files_of(job)


def test_refusals_of_the_kernel_are_explained() -> None:
    job = Job("kcd", ("bold", "bold"), 5, games=20)
    code, said = play_part(job, (None, None), False, ("0.0.1", DERIVATION))
    assert code == "other_version"
    assert "not 0.0.1" in str(said)
    assert play_part(replace(job, rules="kdc"), (None, None), False, VERSIONS)[0] == "unknown_rules"
    with pytest.raises(ArenaError, match=r"not 0\.0\.1"):
        machines._answer((str(code), str(said)))
