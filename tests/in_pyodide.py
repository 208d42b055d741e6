"""Pyodide under Node, for tests: Farkel as it is here, in the Python that pages have."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import farkel
from home import COMPILED

if TYPE_CHECKING:
    from farkel.page.building.parts import Parts

HERE = Path(__file__).parent
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None and "FARKEL_ALL_TESTS" not in os.environ, reason="needs Node: apt-get install nodejs"
)
TESTING = "_pytest", "pytest", "py", "pluggy", "iniconfig", "packaging", "sortedcontainers", "pygments"
"""Packages that run tests, which are Python alone: they are taken as they are installed here."""


def kept() -> Parts:
    """Return Pyodide and its packages; they are fetched once, and kept beside the sources."""
    from farkel.page.building.parts import parts

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(COMPILED))  # that of the tests is gone after each run
        return parts()


def hypothesis() -> Path:
    """Return the wheel of Hypothesis, in the version that is here; it is fetched once."""
    folder = COMPILED / "farkel" / "page" / f"hypothesis-{version('hypothesis')}"
    if not any(folder.glob("*.whl")):
        python = ["--implementation", "cp", "--python-version", "3.14", "--abi", "cp314"]
        fetch = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", *python]
        wanted = ["--platform", "pyemscripten_2026_0_wasm32", f"hypothesis=={version('hypothesis')}"]
        subprocess.run([sys.executable, "-m", "pip", *fetch, *wanted, "-d", str(folder)], check=True)
    (found,) = folder.glob("*.whl")
    return found


def given(folder: Path, *wheels: Path, **folders: Path) -> Path:
    """Write what scripts for Node are given: where Pyodide and packages are, and folders that its Python sees."""
    found = kept()
    seen = {"/farkel": Path(farkel.__file__).parents[1]} | {f"/{name}": place for name, place in folders.items()}
    told = {
        "pyodide": str(found.pyodide),
        "wheels": [str(wheel) for wheel in (*found.wheels, *wheels)],
        "folders": {place: str(path) for place, path in seen.items()},
    }
    path = folder / "given.json"
    path.write_text(json.dumps(told))
    return path


def node(script: str, *arguments: Path) -> str:
    """Return what a script for Node prints."""
    assert NODE is not None
    command = [NODE, str(HERE / "servers" / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # Node quotes the line in which an error was thrown, and Pyodide has a single one.
    assert done.returncode == 0, "\n".join(line[:500] for line in (done.stdout + done.stderr).splitlines()[-80:])
    return done.stdout


def packages(folder: Path) -> Path:
    """Fill a folder with the packages that run tests."""
    for name in TESTING:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(origin, folder)
    return folder
