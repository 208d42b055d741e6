"""What the make targets say while pip fetches packages."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
SAID = """\
Obtaining file:///home/ann/farkel
  Installing build dependencies: started
Collecting numpy>=2 (from farkel==0.1.0)
  Using cached numpy-2.3.1-cp311-cp311-manylinux_2_28_x86_64.whl.metadata (62 kB)
Collecting textual (from farkel==0.1.0)
  Downloading https://files.example/packages/textual-1.0.0-py3-none-any.whl (660 kB)
Requirement already satisfied: click in ./.venv (from farkel==0.1.0) (8.1)
Processing /opt/files/rich-15.0.0-py3-none-any.whl
Using cached numpy-2.3.1-cp311-cp311-manylinux_2_28_x86_64.whl (16.9 MB)
Building wheels for collected packages: farkel
  Building editable for farkel (pyproject.toml): started
  Building editable for farkel (pyproject.toml): finished with status 'done'
Installing collected packages: numpy, textual, rich, farkel
Successfully installed numpy-2.3.1
"""


def installing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install", ROOT / "building" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_package_is_named_with_how_much_was_fetched_so_far() -> None:
    assert list(installing().steps(SAID.splitlines())) == [
        "  fetched textual (660 kB); 0.7 MB so far",
        "  found rich on this computer",
        "  fetched numpy (16.9 MB); 17.6 MB so far",
        "  building farkel",
        "  unpacking 4 packages: the last step",
    ]


def test_a_failure_of_pip_is_one_of_make() -> None:
    command = [sys.executable, str(ROOT / "building" / "install.py"), "--no-index", "no-such-package-of-anybody"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "No matching distribution" in done.stderr
