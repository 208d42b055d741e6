"""How Hypothesis runs, and the fixtures of the application's tests.

All machines get the same examples, so that a failure on one is a failure on all. ``HYPOTHESIS_PROFILE=ci pytest``
tries more of them, as `make slow` does. ``thorough`` tries many, new ones each time: `make fuzz`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import engine, providers

import home
import seeded

if TYPE_CHECKING:
    from postgres import Postgres

home.move()  # before Numba is imported, which reads where it keeps its code
seeded.start()

# A failing rule set has some sixty fields to make simpler; five minutes of that tell no more than a quarter of one.
assert engine.MAX_SHRINKING_SECONDS > 15
engine.MAX_SHRINKING_SECONDS = 15

# Examples would contain numbers and words from modules of ours, and depend on which of them are imported by then.
providers._get_local_constants = lambda: providers._local_constants

settings.register_profile(
    "ci", deadline=None, max_examples=50, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", parent=settings.get_profile("ci"), max_examples=10)
settings.register_profile("thorough", parent=settings.get_profile("ci"), max_examples=300, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their folder."""
    for item in items:
        item.add_marker(item.path.parent.name)
        if "postgres" in getattr(item, "fixturenames", ()):
            item.add_marker("postgresql")


@pytest.fixture(autouse=True)
def _the_same_game_in_each_run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    seeded.begin(request.node.name, monkeypatch)


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A known user in an empty folder with colours."""
    from app_helpers import STARTED  # all of Textual: not for every test

    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "NO_MOTION", "FARKEL_NO_ANIMATION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOGNAME", "ann")
    yield
    while STARTED:
        STARTED.pop().close()


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that has just started, on a machine that has solved nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for kept in ("_turns", "_duels", "_rounded", "_fields", "_trios"):
        monkeypatch.setattr(f"farkel.players.knowledge.{kept}", {})


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
        patch.setattr("farkel.records.writing.os.fsync", fsync)
        yield state


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of this worker's own."""
    from postgres import running

    with running() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def kind(request: pytest.FixtureRequest) -> str:
    """Every test on a database is run on each kind."""
    found: str = request.param
    return found


@pytest.fixture
def database(kind: str, request: pytest.FixtureRequest) -> str:
    """The address of a database without games."""
    if kind == "sqlite":
        address: str = request.getfixturevalue("sqlite")
        return address
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture
def empty(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database that the program has not used yet: it has no tables."""
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'web.sqlite'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.empty()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """The address of a SQLite database without games."""
    from databases import sqlite_at

    return sqlite_at(tmp_path / "web.sqlite")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, for the tests of a worker that need it."""
    from browser_helpers import browsing

    with browsing() as found:
        yield found


@pytest.fixture(scope="session")
def folder(browser: Any) -> Iterator[Path]:
    """The folder of the page; nothing is built where there is no browser."""
    from page_folder import built

    with built() as found:
        yield found


@pytest.fixture
def folder_site(folder: Path, tmp_path: Path) -> Iterator[Any]:
    """A site that serves it."""
    from page_folder import Site

    found = Site(folder, tmp_path / "site")
    yield found
    found.stop()


@pytest.fixture
def visits(browser: Any, folder_site: Any) -> Iterator[Any]:
    """Makes visitors of it. In the end nothing may have been complained of, and nothing asked of others than it."""
    from browser_helpers import PHONE
    from page_folder import Inside

    visitors: list[Inside] = []

    def make(size: dict[str, int] = PHONE, of: Any = browser, **options: Any) -> Inside:
        visitors.append(Inside(of, folder_site.address, size, **options))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()
    assert [complaint for visitor in visitors for complaint in visitor.complaints] == []
    assert [address for visitor in visitors for address in visitor.left] == []


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server that most tests share. A test that needs other settings, or a clock, makes its own."""
    from browser_helpers import serving

    with serving(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Any]:
    """Makes visitors. In the end none of their pages may have complained of anything."""
    from browser_helpers import DESKTOP, Visitor

    visitors: list[Visitor] = []

    def make(size: dict[str, int] = DESKTOP, **options: Any) -> Visitor:
        visitors.append(Visitor(browser, address, size, **options))
        return visitors[-1]

    yield make
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    for visitor in visitors:
        visitor.close()
    assert complaints == []
