"""Machine code that Numba makes: kept in the user's cache folder, made once, and dropped with its sources.

Each part of the program that compiles has a folder there for each state of its sources, so that code made from other
sources is never loaded, and several versions of Farkel may be used side by side.
"""

from __future__ import annotations

import logging
import os
import platform
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

import llvmlite
import numba
from numba import config, njit  # type: ignore[attr-defined]  # as its documentation has it
from numba.extending import register_jitable
from platformdirs import user_cache_path

from farkel import __version__

log = logging.getLogger(__name__)

numba_internals: Any
try:
    from farkel.kernels import numba_internals
except (ImportError, AttributeError):
    numba_internals = None
    log.warning(
        "Farkel does not know Numba %s: results are the same, but compiling takes several times as long; "
        "a version that it knows comes with: pip install 'farkel[know]'",
        numba.__version__,
    )

PART: Any = numba_internals.PART if numba_internals else {"nopython": True}
"""Options of what only machine code calls."""
_PRIVATE = {"_nrt", "forceinline"}
"""Options that Numba does not promise. Code is the same without them, and larger."""
Function = TypeVar("Function", bound=Callable[..., Any])

KEPT = 4
"""States of the sources of a part whose machine code is kept, by when they were last used."""
PROGRAM = Path(__file__).parents[1]
COMMON = ("kernels", "game", "dice")
"""What the machine code of every part may be made from, within `PROGRAM`: how it is compiled, the law and chance."""


class Compiles(Protocol):
    """A decorator that compiles a function when it is first called."""

    def __call__(self, function: Function, /, **options: Any) -> Function: ...


def compiler(file: str, *others: str, **options: Any) -> Compiles:
    """Return a decorator for the functions of a part of the program that Python calls; their machine code is kept.

    file: of the module that calls this. The code is taken to be made from all that its folder holds, from `COMMON`, and
    from ``others``, more folders of Farkel. options: as `numba.njit`.
    """
    place = Path(file).parent
    sources = [place, *(PROGRAM / name for name in (*COMMON, *others))]
    folder = _folder(place.name, _digest(sources, options))

    def compiled(function: Function, /, **more: Any) -> Function:
        make = numba_internals.kept if numba_internals else _kept
        made: Function = make(function, folder, _known({**options, **more}))
        return made

    return compiled


def is_kept(function: Any) -> bool:
    """Return whether machine code of a function that Python calls has been made, here or on this computer before."""
    if config.DISABLE_JIT or function.signatures:
        return True
    folder = function.stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*.{function.__name__}-*.nbi"))


def parts(**options: Any) -> Compiles:
    """Return a decorator that lets compiled functions call a function, which stays as it is for Python.

    Machine code is made of what Python calls alone, with all its parts in it. options: as `numba.njit`.
    """

    def part(function: Function, /, **more: Any) -> Function:
        called: Function = register_jitable(**PART, **_known({**options, **more}))(function)
        return called

    return part


def callable_from_code(function: Function, inline: bool = True) -> Function:
    """Let compiled functions call this one, which stays as it is for Python; it may not make arrays.

    inline: make it part of its callers. Passing rules and rows takes longer than most of the work on them.
    """
    # Without Numba's counting of references, which costs as much as the work itself.
    return parts(error_model="numpy", _nrt=False, forceinline=inline)(function)


def _known(options: dict[str, Any]) -> dict[str, Any]:
    """Return those of the options that this version of Numba has."""
    return options if numba_internals else {name: options[name] for name in options.keys() - _PRIVATE}


def _kept(function: Any, folder: Path, options: dict[str, Any]) -> Any:
    """Return a function that Numba compiles and keeps in the folder in its own way; see `numba_internals`."""
    # Beside the sources, where Numba keeps code otherwise, nothing would tell that other files have changed.
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        return njit(cache=os.access(folder, os.W_OK), **options)(function)
    finally:
        config.CACHE_DIR = before


# Where it is kept -----------------------------------------------------------------------------------------------------


def _digest(sources: list[Path], options: Any) -> str:
    """Return the sources and versions that the machine code depends on. Numba itself distinguishes processors."""
    found = sha256()
    made_with = __version__, platform.python_version(), numba.__version__, llvmlite.__version__, numba_internals is None
    sets = {name: sorted(option) if isinstance(option, set) else option for name, option in options.items()}
    found.update(repr((made_with, sets)).encode())
    for source in sources:
        found.update(_content(source))
    return found.hexdigest()[:16]


@lru_cache
def _content(source: Path) -> bytes:
    """Return a digest of a module, or of all modules in a folder: their names and what is in them."""
    found = sha256()
    for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
        with suppress(OSError):  # where no sources are installed, the version stands for them
            text = path.read_bytes()
            found.update(f"{path.relative_to(source.parent).as_posix()} {len(text)} ".encode() + text)
    return found.digest()


def _folder(part: str, digest: str) -> Path:
    """Return the folder for machine code of that digest, made and noted as used if it can be written."""
    folder = _base() / f"{part}-{digest}"
    with suppress(OSError):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            os.utime(folder)
        else:
            _sweep(part)
    return folder


def _base() -> Path:
    """Return the folder of all machine code: within NUMBA_CACHE_DIR if that is set, else in the user's cache folder."""
    found = Path(config.CACHE_DIR) / "farkel" if config.CACHE_DIR else user_cache_path("farkel", appauthor=False)
    return found / "compiled"


def _sweep(part: str) -> None:
    """Remove machine code of the part that has not been used for longest. A process that uses it compiles again."""
    found = sorted(_base().glob(f"{part}-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for old in found[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
