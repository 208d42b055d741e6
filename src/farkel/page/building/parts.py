"""The parts of the page that others make, as their authors publish them: Pyodide, and packages for its Python.

Each is pinned to a version and a digest, fetched once, and kept in the user's cache folder.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from platformdirs import user_cache_path

from farkel.errors import FarkelError

PYODIDE = "314.0.7"
"""Its version; it is Python 3.14."""
INTEGRITY = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""SHA-512 of its npm package."""
MAKING = "making the page"
WHEELS = Path(__file__).parent / "wheels.txt"
OLDEST_NODE = 20


class PageError(FarkelError):
    """The folder cannot be made."""


class Parts(NamedTuple):
    """Where the parts are."""

    pyodide: Path
    """The folder of Pyodide's npm package."""
    wheels: tuple[Path, ...]


def node(doing: str = MAKING) -> str:
    """Return the command that runs Node. Raises `PageError` if it is missing or too old."""
    found = shutil.which("node")
    if found is None:
        raise PageError("no_node", f"{doing} needs Node {OLDEST_NODE} or later, which is not here: {_how()}")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
    number = said.removeprefix("v").partition(".")[0]
    if not number.isdigit() or int(number) < OLDEST_NODE:
        raise PageError("no_node", f"{doing} needs Node {OLDEST_NODE} or later; here is {said}: {_how()}")
    return found


def _how() -> str:
    return "Debian and Ubuntu have it in the package nodejs, Homebrew in node"


def parts(say: Callable[[str], None] = lambda said: None) -> Parts:
    """Return the parts, which are fetched if they are not kept yet, and then named. Raises `PageError`."""
    pins = hashlib.sha256(WHEELS.read_bytes()).hexdigest()[:16]
    pyodide = npm_package("pyodide", PYODIDE, INTEGRITY, say=say)

    def fetch(into: Path) -> None:
        say("Fetching the packages of the page with pip ...")
        _fetch_wheels(into)

    wheels = _kept(f"wheels-{pins}", fetch)
    return Parts(pyodide, tuple(sorted(wheels.glob("*.whl"))))


def npm_package(
    name: str, version: str, integrity: str, doing: str = MAKING, say: Callable[[str], None] = lambda said: None
) -> Path:
    """Return the folder of a package, which is fetched if it is not kept yet. Raises `PageError`."""

    def fetch(into: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise PageError("no_npm", f"{doing} needs npm, which is not here: Debian and Ubuntu have it as npm")
        say(f"Fetching {name} {version} with npm ...")
        with TemporaryDirectory() as new:
            _run([npm, "pack", f"{name}@{version}", "--silent"], new, f"{name} cannot be fetched with npm")
            (package,) = Path(new).glob("*.tgz")
            if hashlib.sha512(package.read_bytes()).digest() != base64.b64decode(integrity):
                raise PageError(f"other_{name}", f"what npm gave as {name} {version} is not what its authors published")
            with tarfile.open(package) as archive:
                archive.extractall(new, filter="data")
            shutil.copytree(Path(new) / "package", into, dirs_exist_ok=True)

    return _kept(f"{name}-{version}", fetch)


def _kept(name: str, fetch: Callable[[Path], None]) -> Path:
    """Return a folder that is kept, whole or not at all; it is fetched if it is missing."""
    folder = user_cache_path("farkel", appauthor=False) / "page" / name
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=".new-") as new:
            made = Path(new) / "made"
            made.mkdir()
            fetch(made)
            with _someone_else_may(folder):
                made.rename(folder)
    return folder


@contextmanager
def _someone_else_may(folder: Path) -> Iterator[None]:
    """Let it pass that the folder was fetched by another program in the meantime."""
    try:
        yield
    except OSError:
        if not folder.is_dir():
            raise


def _fetch_wheels(into: Path) -> None:
    if find_spec("pip") is None:
        raise PageError("no_pip", "making the page needs pip in this Python, to fetch packages: python -m ensurepip")
    wanted = ["--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(WHEELS)]
    # markupsafe is published for computers only; the page takes its Python files, which do without the rest.
    platforms = ["--platform", "pyemscripten_2026_0_wasm32", "--platform", "manylinux2014_x86_64"]
    python = ["--implementation", "cp", "--python-version", "3.14", "--abi", "cp314", "--abi", "none"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    _run([*command, *python, *platforms, *wanted, "-d", str(into)], None, "packages cannot be fetched with pip")


def _run(command: list[str], folder: str | None, failed: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise PageError("not_fetched", f"{failed}: {done.stderr.strip()[-600:]}")
