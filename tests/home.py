"""A home of the run's own: tests, and the programs they start, neither read nor change what a user keeps.

Solutions, saved games and settings of whoever runs the tests would change what the program answers.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

RUN = "FARKEL_TESTS_RUN"
"""Names the folder of this run in the environment, for worker processes."""
OURS = (
    "HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "MPLCONFIGDIR",
    "NUMBA_CACHE_DIR",
)
"""Variables that say where a program keeps its files."""
COMPILED = Path(__file__).parents[1] / ".cache"
"""Machine code is kept here between runs: it depends on the sources alone."""


def move() -> None:
    """Let this process, and the programs that it starts, live in folders of this run."""
    if RUN not in os.environ:
        os.environ[RUN] = tempfile.mkdtemp(prefix="farkel-tests-")
        atexit.register(shutil.rmtree, os.environ[RUN], ignore_errors=True)
        if (pip := Path.home() / ".config" / "pip" / "pip.conf").exists():
            os.environ.setdefault("PIP_CONFIG_FILE", str(pip))  # where packages come from is not the tests' business
        if (npm := Path.home() / ".npmrc").exists():
            os.environ.setdefault("NPM_CONFIG_USERCONFIG", str(npm))
    run = Path(os.environ[RUN])
    home = run / os.environ.get("PYTEST_XDIST_WORKER", "home")
    home.mkdir(exist_ok=True)
    os.environ |= {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"),
        "MPLCONFIGDIR": str(run / "matplotlib"),
    }
    os.environ.setdefault("NUMBA_CACHE_DIR", str(COMPILED))
    for size in ("COLUMNS", "LINES"):  # readline leaves them to processes of workers
        os.environ.pop(size, None)


def environment(**more: str) -> dict[str, str]:
    """Return the variables of a bare shell in the home of the tests, with more of them."""
    return {"PATH": os.environ["PATH"]} | {name: os.environ[name] for name in OURS} | more
