"""The package as strangers get it: a wheel, tried out with tools that install nothing for good."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from farkel import __version__
from farkel.support.extras import MODULES
from farkel.terminal.cli import main
from farkel.terminal.command import Command
from home import RUN

TRIED = {
    "": "farkel turn --rules minimal",
    "native": "farkel solve --rules 'minimal(target=500)' --seats 3",
    "charts": "farkel simulate --rules minimal --players cautious,bold --games 50 --seed 1 --plot games.svg",
    "ratings": "python -c 'import openskill, farkel.tournament.standings'",
    "frames": "python -c 'import farkel; print(farkel.best_turn(farkel.load(\"minimal\")).to_frame())'",
    "parquet": "farkel simulate --rules minimal --players turn,bold --games 50 --seed 1 --parquet games.parquet",
    "cluster": "python -c 'import ray, farkel.simulation.cluster'",
    "train": "python -c 'from farkel.training import VectorFarkel; VectorFarkel(num_envs=2).reset(seed=7)'",
    "web": "python -c 'from farkel.web.app import make_app; from farkel.client import Client'",
    "postgres": "python -c 'import psycopg; from farkel.web.app import make_app'",
    "mcp": "python -c 'import mcp, farkel.client'",
}
"""For each extra, and for none, what it is there for."""
SCRIPTS = {
    "score": ("README.md", "Farkel", 0, ""),
    "rules": ("docs/tutorials/python.md", "Rules", 0, ""),
    "game": ("docs/tutorials/python.md", "A game", 0, ""),
    "own player": ("docs/tutorials/python.md", "A player of your own", 0, ""),
    "solve": ("docs/tutorials/python.md", "Best play", 0, ""),
    "coach": ("docs/api.md", "The coach", 0, ""),
    "frames": ("docs/tutorials/python.md", "Who wins", 1, "frames"),
    "tournament": ("docs/arena.md", "A tournament", 0, "ratings"),
    "agent": ("docs/training.md", "One seat", 0, "train"),
    "notebook": ("docs/notebooks/house-rules.ipynb", "", 0, "frames"),
}
"""Scripts of the documentation: their page, the heading above them, their number under it, and the extra they need."""
PACKAGES = Path(os.environ[RUN], "uv")
EACH_RUN = {"", "web"}
"""Those that people play with, which need neither NumPy nor Numba."""
PROJECT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
NEED_MORE = {name for name, one in main.commands.items() if isinstance(one, Command) and one.needs}
UNREACHABLE = re.compile(
    "Failed to fetch|error sending request|Could not find a version|Connection(Error| refused)", re.IGNORECASE
)

pytestmark = [
    pytest.mark.skipif(find_spec("uv") is None or find_spec("pipx") is None, reason="needs uv and pipx: make setup"),
    pytest.mark.skipif(not (PROJECT / "pyproject.toml").exists(), reason="needs the sources of the package"),
]


def ran(command: Sequence[str | Path], folder: Path, said: str = "") -> subprocess.CompletedProcess[str]:
    """The command, run in an empty folder; packages are fetched once for all."""
    own = {
        "UV_CACHE_DIR": str(PACKAGES),
        "PIPX_HOME": str(folder / "pipx"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "FARKEL_KERNELS": "",  # as strangers have it, not as tests do
        "PYTHONPATH": "",
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
    assert told.returncode == 0, told.stderr
    told = ran([*farkel, "solve", "--rules", "minimal", "--seats", "3"], tmp_path)
    assert told.returncode == 1
    assert "needs numba (about 250 MB): " in told.stderr, told.stderr
    assert tool in told.stderr


@pytest.mark.parametrize(
    "extra", [extra if extra in EACH_RUN else pytest.param(extra, marks=pytest.mark.full) for extra in TRIED]
)
def test_each_extra_installs_its_packages(extra: str, wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    assert ran([BIN / "uv", "venv", "-q", "--python", sys.executable, home], tmp_path).returncode == 0
    requirement = f"{wheel}[{extra}]" if extra else str(wheel)
    pinned: list[str | Path] = ["-c", PROJECT / "constraints.txt", "--python", home / "bin" / "python"]
    installed = ran([BIN / "uv", "pip", "install", "-q", *pinned, requirement], tmp_path)
    assert installed.returncode == 0, installed.stderr
    program, *words = shlex.split(TRIED[extra])
    done = ran([home / "bin" / program, *words], tmp_path)
    assert done.returncode == 0, done.stderr
    if extra in EACH_RUN:
        assert not {*home.rglob("numpy"), *home.rglob("numba")}
    if not extra:
        for command in commands_of_the_readme():
            done = ran([home / "bin" / "farkel", *command], tmp_path)
            assert done.stderr.startswith(f"Error: farkel {command[0]} needs "), (command, done.stdout, done.stderr)


def described(project: Path, into: Path) -> str:
    """Build a wheel of a project, and return what an index would show of it."""
    built = ran([BIN / "uv", "build", "-q", "--wheel", "-o", into, project], into)
    assert built.returncode == 0, built.stderr
    (wheel,) = into.glob("*.whl")
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return archive.read(metadata).decode("utf-8")


@pytest.mark.parametrize("source", [None, "https://example.org/farkel"])
def test_links_and_picture_work_on_an_index(source: str | None, tmp_path: Path) -> None:
    """Build a package with the description alone, as if the project had this address."""
    project = tmp_path / "project"
    for name in ("README.md", "LICENSE", "building/description.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes((PROJECT / name).read_bytes())
    (project / "src/farkel").mkdir(parents=True)
    (project / "src/farkel/__init__.py").touch()
    declared = (PROJECT / "pyproject.toml").read_text("utf-8")
    urls = f'[project.urls]\nSource = "{source}"\n' if source else ""
    (project / "pyproject.toml").write_text(f"{declared}\n{urls}", "utf-8")
    text = described(project, tmp_path)
    targets = re.findall(r"\]\(([^)]+)\)|src=\"([^\"]+)\"", text)
    assert all(target.startswith("https://") for pair in targets for target in pair if target)
    assert (f'<img src="{source}/raw/main/docs/images/' in text) is bool(source)
    installing = f"[Installing]({source}/blob/main/docs/install.md)" if source else "Installing (`docs/install.md`)"
    assert installing in text


@pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="needs the git checkout")
def test_the_source_package_holds_all_sources(tmp_path: Path) -> None:
    """So its own tests find whatever they read."""
    tracked = subprocess.run(["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True, check=True)
    built = ran([BIN / "uv", "build", "-q", "--sdist", "-o", tmp_path, PROJECT], tmp_path)
    assert built.returncode == 0, built.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in tracked.stdout.splitlines() if (PROJECT / name).exists()} - held == set()


def test_the_wheel_has_the_licences_of_what_others_made(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        kept = {name.partition("/licenses/")[2] for name in archive.namelist() if ".dist-info/licenses/" in name}
    vendored = PROJECT / "src/farkel/web/static/vendor"
    assert kept == {"LICENSE", *(str(path.relative_to(PROJECT)) for path in vendored.glob("*/LICENSE"))}


def script(page: str, heading: str, number: int) -> str:
    """Return a script as the documentation has it: a block of Python, or the cells of a notebook."""
    text = (PROJECT / page).read_text("utf-8")
    if page.endswith(".ipynb"):
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")
    _, above, section = text.partition(f"# {heading}\n")
    assert above, f"{page} has no heading {heading}"
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    return blocks[number]


@pytest.fixture(scope="module")
def environments(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the Python of a fresh environment with the wheel and an extra, made when it is first asked for."""

    @cache
    def made(extra: str) -> Path:
        home = tmp_path_factory.mktemp("environment")
        python = home / "env" / "bin" / "python"
        assert ran([BIN / "uv", "venv", "-q", "--python", sys.executable, home / "env"], home).returncode == 0
        requirement = f"{wheel}[{extra}]" if extra else str(wheel)
        command: list[str | Path] = [
            BIN / "uv",
            "pip",
            "install",
            "-q",
            "-c",
            PROJECT / "constraints.txt",
            "--python",
            python,
            requirement,
        ]
        installed = ran(command, home)
        assert installed.returncode == 0, installed.stderr
        return python

    return made


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_of_the_documentation_runs_for_a_stranger(
    name: str, environments: Callable[[str], Path], tmp_path: Path
) -> None:
    page, heading, number, extra = SCRIPTS[name]
    (tmp_path / "script.py").write_text(script(page, heading, number), "utf-8")
    done = ran([environments(extra), "script.py"], tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_extra_of_the_package_is_tried() -> None:
    assert set(TRIED) - {""} == set(MODULES)


def commands_of_the_readme() -> list[list[str]]:
    """Return the commands of the README that a bare installation cannot carry out."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (PROJECT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    return [line[1:] for line in lines if line[0] == "farkel" and line[1] in NEED_MORE]
