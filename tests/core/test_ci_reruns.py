"""A test that fails once is run again by ``.ci/run``, and named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

AGAIN = Path(__file__).parents[2] / ".ci" / "again.py"
TESTS = """
from pathlib import Path

def test_well():
    pass

def test_once():
    before = Path("before")
    if not before.exists():
        before.touch()
        raise AssertionError
"""

pytestmark = pytest.mark.skipif(not AGAIN.exists(), reason="needs the checkout of the project")


def again(folder: Path, tests: str, *options: str) -> tuple[int, list[str]]:
    """The exit status for these tests, and the names of the unsteady ones."""
    (folder / "test_it.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, str(AGAIN), "unsteady", sys.executable, "-m", "pytest", *options]
    bare = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    status = subprocess.run(command, cwd=folder, env=bare, capture_output=True, check=False).returncode
    named = folder / "unsteady"
    return status, named.read_text().splitlines() if named.exists() else []


def test_what_passes_the_second_time_is_named(tmp_path: Path) -> None:
    assert again(tmp_path, TESTS) == (0, ["test_it.py::test_once"])


def test_what_fails_twice_has_failed(tmp_path: Path) -> None:
    assert again(tmp_path, TESTS + "\ndef test_never():\n    assert False\n")[0] == 1


def test_modules_that_cannot_be_read_have_failed(tmp_path: Path) -> None:
    assert again(tmp_path, "import nothing_of_this_name\n") == (1, [])


def test_a_fault_of_no_test_has_failed(tmp_path: Path) -> None:
    assert again(tmp_path, TESTS, "--no-such-option") == (1, [])


def test_many_failures_are_not_unsteady(tmp_path: Path) -> None:
    many = "import pytest\n@pytest.mark.parametrize('x', range(11))\ndef test(x):\n    assert False\n"
    assert again(tmp_path, many) == (1, [])
