"""Attacks from one address, in short: players play on, and the attacker is refused with a reason.

`benchmarks/attacks.py` is the same at length, with figures.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from serving import LONG

pytestmark = pytest.mark.slow

ATTACKS = Path(__file__).parents[2] / "benchmarks" / "attacks.py"
CODED = {
    "rules": {"400", "413", "422", "429"},
    "calculations": {"200", "422", "429", "503"},
    "connections": {"408", "429"},
    "pages": {"200", "429"},
    "addresses": {"200", "429"},
    "places": {"201", "429", "503"},
    "room": {"200"},
}
"""How each of them is answered, apart from connections that are closed without a word."""
STOPPED = "timeout graceful shutdown exceeded"
CANCELLED = re.compile(rf"ERROR: +Exception in ASGI application\n(?:(?!ERROR:).*\n)*?.*CancelledError: .*{STOPPED}\n?")
"""A request that was still being answered then."""


def test_only_cancelled_requests_are_left_out() -> None:
    trace = "ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n  File, line 1\n{}\n"
    cancelled = trace.format(f"asyncio.exceptions.CancelledError: Task cancelled, {STOPPED}")
    other = trace.format("ValueError: 1")
    assert CANCELLED.sub("", cancelled + cancelled) == ""
    assert CANCELLED.sub("", other + cancelled + other) == other + other


@pytest.mark.parametrize("attack", CODED)
def test_players_can_play_under_an_attack(attack: str) -> None:
    command = [sys.executable, str(ATTACKS), attack, "--seconds", "10", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["moves"] > 0
    # Long work takes 417 MiB (benchmarks/README.md, the soak), which a fast machine comes to within seconds.
    assert found["memory_mib"] < 500
    refused = {answer for answer in found["answers"] if answer != "closed"}
    assert refused
    assert {answer.split()[0] for answer in refused} <= CODED[attack]
    # A server that is stopped while it calculates may say that it has not waited for that, and where it was.
    told = [line for line in CANCELLED.sub("", done.stderr).splitlines() if STOPPED not in line]
    assert told == []
