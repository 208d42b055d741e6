"""Raw games of ``farkel simulate --parquet``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pexpect
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from farkel.terminal.cli import main
from serving import LONG


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def content(*words: str) -> dict[str, Any]:
    """What the command says to programs."""
    result = CliRunner().invoke(main, ["simulate", *words, "--json"], prog_name="farkel")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_raw_games_add_up_to_the_wins() -> None:
    found = content("--players", "turn,bold,random", "--games", "70000", "--seed", "7", "--parquet", "games.parquet")
    games = pq.read_table("games.parquet")
    assert games["game"].to_pylist() == list(range(70_000))
    winners = games["winners"].to_pylist()
    assert [sum(winner >> player & 1 for winner in winners) for player in range(3)] == found["wins"]
    assert sum(games["turns"].to_pylist()) == pytest.approx(found["turns_mean"] * 70_000)
    assert set(games["reason"].to_pylist()) == {"last_turns"}
    assert (
        min(max(scores) for scores in zip(*(games[f"score_{p}"].to_pylist() for p in range(3)), strict=True)) >= 10_000
    )
    metadata = games.schema.metadata
    assert metadata[b"rules"] == b"extended"
    assert json.loads(metadata[b"players"]) == ["turn", "bold", "random"]
    assert metadata[b"seed"] == b"7"
    assert [one.name for one in Path().iterdir() if "part" in one.name] == []


def test_ctrl_c_keeps_whole_games() -> None:
    command = ["-m", "farkel", "simulate", "--players", "turn,cautious", "--games", "1000000000", "--seed", "7"]
    child = pexpect.spawn(
        sys.executable, [*command, "--parquet", "g.parquet"], encoding="utf-8", timeout=LONG, dimensions=(50, 120)
    )
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
    assert pq.ParquetFile("g.parquet").metadata.num_rows == games
