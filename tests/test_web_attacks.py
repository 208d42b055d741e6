"""Attacks from one address, in short: players play on, and the attacker is refused with a reason.

`benchmarks/attacks.py` is the same at length, with figures.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ATTACKS = Path(__file__).parent.parent / "benchmarks" / "attacks.py"
CODED = {
    "rules": {"400", "413", "422", "429"},
    "calculations": {"200", "422", "429", "503"},
    "connections": {"408", "429"},
}
"""How each of them is answered, apart from connections that are closed without a word."""


@pytest.mark.parametrize("attack", CODED)
def test_players_can_play_under_an_attack(attack: str) -> None:
    command = [sys.executable, str(ATTACKS), attack, "--seconds", "10", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["moves"] > 10
    assert found["memory_mib"] < 400
    refused = {answer for answer in found["answers"] if answer != "closed"}
    assert refused
    assert {answer.split()[0] for answer in refused} <= CODED[attack]
    # A server that is stopped while it calculates may say that it has not waited for that.
    told = [line for line in done.stderr.splitlines() if "timeout graceful shutdown exceeded" not in line]
    assert told == []
