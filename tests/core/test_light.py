"""What a page in a browser will load: the ground floor needs no database, no arrays, no terminal and no processes."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = "sqlalchemy alembic psycopg numpy numba matplotlib textual multiprocessing subprocess"
LIGHT = "errors support dice rules game records players play"
PROGRAM = """
import importlib, pkgutil, sys

for name in {heavy!r}.split():
    sys.modules[name] = None
package = importlib.import_module("farkel.{package}")
for each in pkgutil.walk_packages(getattr(package, "__path__", []), "farkel.{package}."):
    importlib.import_module(each.name)
"""


@pytest.mark.parametrize("package", LIGHT.split())
def test_the_ground_floor_is_imported_without_anything_heavy(package: str) -> None:
    program = PROGRAM.format(heavy=HEAVY, package=package)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
