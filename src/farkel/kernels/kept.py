"""Where machine code of this computer is kept: in the user's cache folder, and dropped with its sources.

Each group of kernels has a folder there for each state of its sources, so that code made from other sources is never
loaded, and several versions of Farkel may be used side by side. Nothing here needs Numba.
"""

from __future__ import annotations

import os
import platform
import shutil
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from platformdirs import user_cache_path

from farkel import __version__
from farkel.kernels.registry import Group, Kernel

KEPT = 4
"""States of the sources of a group whose machine code is kept, by when they were last used."""
NUMBA = "NUMBA_CACHE_DIR"
"""Numba's own variable for where it keeps code."""


def folder(group: Group) -> Path:
    """Return the folder for the machine code of a group. Raises `PackageNotFoundError` without Numba."""
    return _base() / f"{group.name}-{_digest(group)}"


def has_code(kernel: Kernel[..., Any]) -> bool:
    """Return whether some machine code of a kernel has been made on this computer, for arguments of any kinds."""
    return kernel.plain.__name__ in _codes(kernel.group)


@lru_cache
def _codes(group: Group) -> set[str]:
    """Return the functions of a group that machine code is kept of."""
    try:
        return {path.name.split("-")[0].rpartition(".")[2] for path in folder(group).rglob("*.nbi")}
    except (PackageNotFoundError, OSError):
        return set()


def kept_module(name: str, digest: str, made_by: str) -> Path:
    """Return the file for machine code of a module that is shipped, by its digest and the version of what made it."""
    return _base() / f"module-{name}-{digest[:16]}-{made_by}-{platform.machine()}.bin"


def replace(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all, in place of older ones of its kind. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as new:
        new.write(content)
    Path(new.name).replace(path)
    kind = "-".join(path.name.split("-")[:2])
    found = sorted(path.parent.glob(f"{kind}-*.bin"), key=lambda each: each.stat().st_mtime, reverse=True)
    for old in found[KEPT:]:
        old.unlink(missing_ok=True)


def use(folder: Path) -> None:
    """Make the folder and note that it is used, if it can be written."""
    with suppress(OSError):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            os.utime(folder)
        else:
            _sweep(folder.name.partition("-")[0])


def _digest(group: Group) -> str:
    """Return the sources and versions that the machine code depends on. Numba itself distinguishes processors."""
    found = sha256()
    made_with = __version__, platform.python_version(), version("numba"), version("llvmlite")
    sets = {name: sorted(option) if isinstance(option, set) else option for name, option in group.options.items()}
    found.update(repr((made_with, sets, sources_digest(group))).encode())
    return found.hexdigest()[:16]


def has_sources() -> bool:
    """Return whether Farkel is here as it was written; a page has it compiled."""
    return Path(__file__).suffix == ".py" and Path(__file__).exists()


def sources_digest(group: Group) -> str:
    """Return a digest of all that the machine code of a group is made from."""
    found = sha256()
    for source in group.sources:
        found.update(_content(source))
    return found.hexdigest()[:16]


@lru_cache
def _content(source: Path) -> bytes:
    """Return a digest of a module, or of all modules in a folder: their names and what is in them."""
    found = sha256()
    for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
        with suppress(OSError):  # where no sources are installed, the version stands for them
            text = path.read_bytes().replace(b"\r\n", b"\n")  # as Git has it on Windows
            found.update(f"{path.relative_to(source.parent).as_posix()} {len(text)} ".encode() + text)
    return found.digest()


def _base() -> Path:
    """Return the folder of all machine code: within NUMBA_CACHE_DIR if that is set, else in the user's cache folder."""
    given = os.environ.get(NUMBA)
    return (Path(given) / "farkel" if given else user_cache_path("farkel", appauthor=False)) / "compiled"


def _sweep(group: str) -> None:
    """Remove machine code of a group that has not been used for longest. A process that uses it compiles again."""
    found = sorted(_base().glob(f"{group}-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for old in found[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
