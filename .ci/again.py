"""Run tests by a command such as ``make test``, and those that failed once more, alone, after the others.

Usage: again.py LIST COMMAND... The names of tests that pass the second time are added to the file LIST: they are
unsteady, which is a fault to repair. Ends with 1 if a test fails twice, or if it is not known which tests failed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(".pytest_cache")
PYTHON = Path(".venv/bin/python")
"""Made by the command, if it is not there yet."""
MOST = 10
"""If more tests fail than this, the fault is not in a test."""


def main(unsteady: Path, *command: str) -> int:
    """Run the command, and the failed tests again; return the exit status."""
    shutil.rmtree(CACHE, ignore_errors=True)
    if not subprocess.run(command, check=False).returncode:
        return 0
    failed = failures()
    if not 0 < len(failed) <= MOST:
        return 1
    shutil.rmtree(CACHE)
    pytest = [str(PYTHON) if PYTHON.exists() else sys.executable, "-m", "pytest", "-p", "no:xdist"]
    for name in failed:
        print(f"\nOnce more, alone: {name}", flush=True)
        if subprocess.run([*pytest, name], check=False).returncode:
            return 1
        with unsteady.open("a") as file:
            file.write(f"{name}\n")
    return 0


def failures() -> list[str]:
    """Return the names of the tests that failed, as pytest remembers them."""
    try:
        return list(json.loads((CACHE / "v" / "cache" / "lastfailed").read_text()))
    except FileNotFoundError:
        return []


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
