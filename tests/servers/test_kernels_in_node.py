"""The modules of kernels in the engine that browsers have: every byte that a call leaves is as Python has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from farkel.kernels.images import STACK
from farkel.kernels.shipped import ShippedSpace
from farkel.kernels.spaces import SETTING
from farkel.kernels.texts import FOLDER
from farkel.simulation import simulate
from farkel.solve import best_turn
from farkel.solve.compiled_game import compile_board
from farkel.solve.last_turns import complete
from farkel.solve.solver import Solver
from named_rules import rules_of

RESET = "farkel_reset"
MOST = 3
"""Calls of each door that are tried."""
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None and "FARKEL_ALL_TESTS" not in os.environ, reason="needs Node: apt-get install nodejs"
)


class Calls:
    """What doors were called with, and what they left in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.listed: list[dict[str, Any]] = []

    def of(self, name: str, base: int, memory: Any, doors: Any) -> Any:
        """Return doors of a module, whose own data lie there, that note their calls."""
        calls = self

        class Noting:
            def __getitem__(self, door: str) -> Any:
                def called(store: Any, *given: int) -> Any:
                    if door == RESET or sum(each["door"] == door for each in calls.listed) >= MOST:
                        return doors[door](store, *given)
                    before = calls.write(memory.read(store))
                    failed = doors[door](store, *given)
                    told = {"name": name, "door": door, "block": given[0], "base": base, "stack": STACK}
                    calls.listed.append({**told, "before": before, "after": calls.write(memory.read(store))})
                    return failed

                return called

        return Noting()

    def write(self, content: bytes) -> str:
        """Keep the memory in a file."""
        path = self.folder / f"{len(list(self.folder.iterdir()))}.bin"
        path.write_bytes(content)
        return str(path)


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calls:
    folder = tmp_path / "memory"
    folder.mkdir()
    found = Calls(folder)
    instance = ShippedSpace._instance

    def noting(self: Any, group: Any) -> Any:
        base, doors = self._data, instance(self, group)
        self._exports[group.name] = found.of(group.name, base, self._memory, doors)
        return self._exports[group.name]

    monkeypatch.setattr(ShippedSpace, "_instance", noting)
    monkeypatch.setenv(SETTING, "shipped")
    return found


@needs_node
def test_node_leaves_the_same_memory_as_python(calls: Calls, tmp_path: Path) -> None:
    for name in ("build-on(target=500)", "minimal(target=0, rounds=2)"):
        rules = rules_of(name)
        best_turn(rules)
        Solver(complete(compile_board(rules)), threads=1).run()
    simulate(rules_of("minimal(target=1000)"), ("cautious", "turn"), 5, threads=1)
    doors = {(call["name"], call["door"]) for call in calls.listed}
    assert {name for name, _ in doors} == {"solve", "games"}
    assert len(doors) >= 10
    listed = tmp_path / "calls.json"
    listed.write_text(json.dumps(calls.listed))
    assert NODE is not None
    command = [NODE, str(Path(__file__).with_name("run_doors.mjs")), str(FOLDER), str(listed)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.stderr == ""
    assert found.stdout.splitlines() == [f"{call['name']} {call['door']} same" for call in calls.listed]
