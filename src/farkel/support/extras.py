"""Parts of the package that are installed only if they are wanted: what each needs, and how to get it.

How to get it depends on how this installation was made: the answer is a line to copy into a shell.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from farkel.errors import FarkelError
from farkel.support.system import has_threads

NATIVE = ("numba", "numpy")
SERVER = (
    "alembic",
    "fastapi",
    "httptools",
    "httpx",
    "jinja2",
    "openskill",
    "prometheus_client",
    "python_multipart",
    "segno",
    "sqlalchemy",
    "uvicorn",
)
MODULES: Mapping[str, tuple[str, ...]] = {
    "web": SERVER,
    "mcp": ("mcp", *SERVER),
    "postgres": ("psycopg",),
    "native": NATIVE,
    "charts": ("matplotlib",),
    "ratings": ("openskill",),
    "train": (*NATIVE, "gymnasium", "pettingzoo"),
    "frames": ("pandas",),
    "parquet": ("numpy", "pyarrow"),
    "cluster": (*NATIVE, "ray"),
}
"""The extras of the package, and the modules that each brings."""
LARGE: Mapping[str, str] = {"native": "250 MB"}
"""Extras that somebody who plays may meet, and that take more room than all the rest."""

ON_A_COMPUTER = "play with farkel serve, on a computer"
"""What to do about something that a page does not have."""


def needs(extra: str, who: str = "this", error: type[FarkelError] = FarkelError, modules: Sequence[str] = ()) -> None:
    """Raise the error with code ``not_installed`` if a module of an extra is missing; of these ones, if given."""
    for module in modules or MODULES[extra]:
        if find_spec(module) is None:
            size = f" (about {LARGE[extra]})" if extra in LARGE else ""
            raise error("not_installed", f"{who} needs {module}{size}: {advice(extra)}")


def beside(module: str, package: str, who: str, error: type[FarkelError]) -> None:
    """Raise the error with code ``not_installed`` if a module of a package that no extra brings is missing."""
    if find_spec(module) is None:
        raise error("not_installed", f"{who} needs {module}: {sys.executable} -m pip install {package}")


def once(command: str) -> str:
    """Return how to get what only a command calculates; in a browser there are none."""
    return f"do it once with: {command}" if has_threads() else f"{ON_A_COMPUTER}, after: {command}"


def advice(extra: str) -> str:
    """Return the command that installs an extra in addition to the installed ones; in a browser, what to do instead."""
    if not has_threads():
        return f"a page cannot have it; {ON_A_COMPUTER}"
    what = shlex.quote(_requirement(_origin(), extra))
    prefix = Path(sys.prefix)
    if prefix.parent.name == "venvs" and "pipx" in prefix.parts:
        return f"pipx install --force {what}"
    if prefix.parent.name == "tools" and "uv" in prefix.parts:
        return f"uv tool install --force {what}"
    if "archive-v0" in prefix.parts:
        return f"uvx --from {what} farkel"
    if prefix.parent.name == "pipx":
        return f"pipx run --spec {what} farkel"
    editable = "-e " if _origin().get("dir_info", {}).get("editable") else ""
    python = shlex.quote(_near(Path(sys.executable)))
    if find_spec("pip") is None:
        return f"uv pip install --python {python} {editable}{what}"
    return f"{python} -m pip install {editable}{what}"


def _origin() -> dict[str, Any]:
    """Return where this installation came from, as PEP 610 has it; nothing if it came from an index."""
    try:
        text = distribution("farkel").read_text("direct_url.json")
        found = json.loads(text) if text else {}
    except (PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _requirement(origin: Mapping[str, Any], extra: str) -> str:
    """Return the requirement to install, as pip takes it."""
    url = str(origin.get("url", ""))
    if "vcs_info" in origin:
        return f"farkel[{extra}] @ {origin['vcs_info'].get('vcs', 'git')}+{url}"
    if url.startswith("file:"):
        return f"{_near(Path(unquote(urlsplit(url).path)))}[{extra}]"
    return f"farkel[{extra}] @ {url}" if url else f"farkel[{extra}]"


def _near(path: Path) -> str:
    """Return a path as it is shortest to type: from the working folder if it is within it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
