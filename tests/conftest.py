"""How Hypothesis runs, and the fixtures of the application's tests.

All machines get the same examples, so that a failure on one is a failure on all. ``HYPOTHESIS_PROFILE=ci pytest``
tries more of them, as `make slow` does. ``thorough`` tries many, new ones each time: `make fuzz`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import engine

import home

if TYPE_CHECKING:
    from postgres import Postgres

home.move()  # before Numba is imported, which reads where it keeps its code

# A failing rule set has some sixty fields to make simpler; five minutes of that tell no more than a quarter of one.
assert engine.MAX_SHRINKING_SECONDS > 15
engine.MAX_SHRINKING_SECONDS = 15

settings.register_profile(
    "ci", deadline=None, max_examples=50, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", parent=settings.get_profile("ci"), max_examples=20)
settings.register_profile("thorough", parent=settings.get_profile("ci"), max_examples=300, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A known user in an empty folder with colours, and a pilot that looks more often whether the app is idle."""
    from app_helpers import STARTED  # all of Textual: not for every test

    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "NO_MOTION", "FARKEL_NO_ANIMATION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.setattr("textual._wait.SLEEP_GRANULARITY", 1 / 200)
    monkeypatch.setattr("textual._wait.SLEEP_IDLE", 1 / 4000)
    yield
    while STARTED:
        STARTED.pop().close()


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that has just started, on a machine that has solved nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for kept in ("_turns", "_duels", "_fields", "_trios"):
        monkeypatch.setattr(f"farkel.players.known.{kept}", {})


@pytest.fixture
def disk() -> Iterator[dict[str, bool]]:
    """A disk that is full while ``full`` is true."""
    state = {"full": False}
    real = os.fsync

    def fsync(handle: int) -> None:
        if state["full"]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("farkel.record.os.fsync", fsync)
        yield state


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of this worker's own."""
    from postgres import running

    with running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a fresh database: every test is run on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'web.sqlite'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """The address of a fresh SQLite database."""
    return f"sqlite:///{tmp_path / 'web.sqlite'}"
