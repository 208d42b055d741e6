"""The package as strangers get it: a wheel, tried out with tools that install nothing for good."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from farkel import __version__

PROJECT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
UNREACHABLE = re.compile(
    "Failed to fetch|error sending request|Could not find a version|Connection(Error| refused)", re.IGNORECASE
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("uv") is None or find_spec("pipx") is None, reason="needs farkel[dev]"),
    pytest.mark.skipif(not (PROJECT / "pyproject.toml").exists(), reason="needs the sources of the package"),
]


def ran(command: Sequence[str | Path], folder: Path, said: str = "") -> subprocess.CompletedProcess[str]:
    """The command, run in an empty folder with caches of its own."""
    own = {
        "UV_CACHE_DIR": str(folder / "uv"),
        "PIPX_HOME": str(folder / "pipx"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    result = subprocess.run(
        command, cwd=folder, env=os.environ | own, input=said, capture_output=True, text=True, check=False
    )
    if UNREACHABLE.search(result.stderr):
        pytest.skip("no packages can be fetched here")
    return result


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = ran([BIN / "python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, PROJECT], folder)
    assert built.returncode == 0, built.stderr
    return next(folder.glob("farkel-*.whl"))


def tools(wheel: Path) -> dict[str, list[str | Path]]:
    return {"uvx": [BIN / "uvx", "--from", wheel], "pipx": [BIN / "pipx", "run", "--spec", wheel]}


@pytest.mark.parametrize("tool", ["uvx", "pipx"])
def test_a_wheel_plays_without_being_installed(tool: str, wheel: Path, tmp_path: Path) -> None:
    farkel = [*tools(wheel)[tool], "farkel"]
    version = ran([*farkel, "--version"], tmp_path)
    assert version.stdout == f"farkel {__version__}\n", version.stderr
    game = ["play", "--plain", "--rules", "standard", "--players", "Ann,bot:cautious", "--seed", "1"]
    played = ran([*farkel, *game], tmp_path, said="quit\n")
    assert "Ann" in played.stdout, played.stderr
    told = ran([*farkel, "odds"], tmp_path)
    assert told.returncode == 1
    assert told.stderr.strip().startswith("Error: farkel odds needs numpy: "), told.stderr
    assert tool in told.stderr
