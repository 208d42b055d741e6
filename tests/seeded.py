"""Chance that repeats: what a test plays follows from its name and from nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from farkel.dice.chance import SYSTEM, Chance
from home import RUN

if TYPE_CHECKING:
    import pytest


@dataclass
class _Test:
    """The test that runs, for servers that serve several tests."""

    name: str = ""
    given: Counter[str] = field(default_factory=Counter)
    """How many names and tokens there are for a purpose."""
    folder: str = ""
    """Where the programs that it started count them together; "" before it starts one."""


Replace = Callable[[object, str, object], None]
"""As `setattr`."""

_running = _Test()
_counting = threading.Lock()


class Seeded(Chance):
    """Bytes that follow from a seed, the running test and the purpose. Processes with the same folder count together
    what they give out; threads do so anyway.
    """

    def __init__(self, seed: str = "", folder: str = "") -> None:
        self.seed = seed
        self.folder = folder

    def draw(self, size: int, *about: object) -> bytes:
        return hashlib.shake_256(self._purpose(about).encode()).digest(size)

    def unique(self, size: int, *about: object) -> bytes:
        purpose = self._purpose(about)
        return hashlib.shake_256(f"{purpose} {self._count(purpose)}".encode()).digest(size)

    def _purpose(self, about: tuple[object, ...]) -> str:
        return json.dumps([self.seed, _running.name, *map(str, about)])

    def _count(self, purpose: str) -> int:
        if not self.folder:
            with _counting:
                _running.given[purpose] += 1
                return _running.given[purpose]
        with Path(self.folder, hashlib.sha256(purpose.encode()).hexdigest()).open("ab", buffering=0) as file:
            file.write(b".")  # at the end, whoever else writes at the same time
            return file.tell()


def start() -> None:
    """Let the program's chance repeat in this process, also for fixtures that play before a test begins."""
    _of_the_program(Seeded(), setattr)


def begin(test: str, patch: pytest.MonkeyPatch) -> None:
    """Let all chance follow from this test's name until the patch is undone."""
    _running.given.clear()
    patch.setattr(sys.modules[__name__], "_running", _Test(test))
    _of_the_system(Seeded(), patch.setattr)


def _of_the_program(chance: Seeded, replace: Replace) -> None:
    replace(SYSTEM, "draw", chance.draw)
    replace(SYSTEM, "unique", chance.unique)


def _of_the_system(chance: Seeded, replace: Replace) -> None:
    """What parts of the program ask for themselves."""
    replace(os, "urandom", lambda size: chance.unique(size, "system"))
    replace(secrets, "randbits", lambda bits: random.Random(chance.unique(32, "system")).getrandbits(bits))
    replace(random, "SystemRandom", lambda: random.Random(chance.unique(32, "system")))


# Programs that a test starts ------------------------------------------------------------------------------------------


def program() -> list[str]:
    """What Python is given before the words of ``farkel``, to run it with the chance of the running test."""
    return ["-c", f"{repeating()}from farkel.terminal.cli import main\nmain(prog_name='farkel')\n"]


def repeating() -> str:
    """The first lines of a program with the chance of the running test, also in the processes that it starts."""
    if not _running.folder:
        _running.folder = tempfile.mkdtemp(prefix="given-", dir=os.environ[RUN])
    found = f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\nimport seeded\n"
    return f"{found}seeded.repeat({_running.name!r}, {_running.folder!r})\n"


def repeat(test: str, folder: str) -> None:
    """Let all chance of this process follow from the test's name, and that of processes which get `SYSTEM` from it."""
    chance = Seeded(test, folder)
    _of_the_program(chance, setattr)
    _of_the_system(chance, setattr)
