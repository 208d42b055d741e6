"""Machine code that Numba makes: kept in the user's cache folder, made once, and dropped with its sources.

Each part of the program that compiles has a folder there for each state of its sources, so that code made from other
sources is never loaded, and several versions of Farkel may be used side by side.
"""

from __future__ import annotations

import gc
import logging
import os
import platform
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

import llvmlite
import numba
from numba import njit
from numba.core import config, event, typed_passes, untyped_passes
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.targetconfig import ConfigStack
from numba.extending import register_jitable
from platformdirs import user_cache_path

from farkel import __version__
from farkel.claims import Claim
from farkel.clock import CLOCK

log = logging.getLogger(__name__)

NO_C: dict[str, Any] = {"no_cfunc_wrapper": True}
"""Options of all functions: neither C nor anything like it calls them."""
Function = TypeVar("Function", bound=Callable[..., Any])

KEPT = 4
"""States of the sources of a part whose machine code is kept, by when they were last used."""
LOOKS = 0.05
"""Seconds between two looks at whether another process has compiled a function."""
PATIENCE = 300.0
"""Seconds after which a function is compiled here too, as the process that compiles it may have been suspended."""


class Compiles(Protocol):
    """A decorator that compiles a function when it is first called."""

    def __call__(self, function: Function, /, **options: Any) -> Function: ...


def compiler(file: str, sources: Sequence[str], **options: Any) -> Compiles:
    """Return a decorator for the functions of a part of the program that Python calls; their machine code is kept.

    file: of the module that calls this. sources: all files that the machine code is made from, callees and constants
    included, from the folder of ``file`` and without ".py". options: as `numba.njit`.
    """
    place = Path(file).parent
    folder = _folder(place.name, _digest(place, sources, options))
    cache = _cache(folder)

    def compiled(function: Function, /, **more: Any) -> Function:
        made: Any = njit(**options, **more, **NO_C, pipeline_class=_Whole)(function)
        if not config.DISABLE_JIT:
            made._cache = cache(function)
        kept: Function = made
        return kept

    return compiled


def is_kept(function: Any) -> bool:
    """Return whether machine code of a function that Python calls has been made, here or on this computer before."""
    if config.DISABLE_JIT or function.signatures:
        return True
    return Path(function._cache._cache_file._index_path).exists()


def parts(**options: Any) -> Compiles:
    """Return a decorator that lets compiled functions call a function, which stays as it is for Python.

    Machine code is made of what Python calls alone, with all its parts in it. options: as `numba.njit`.
    """

    def part(function: Function, /, **more: Any) -> Function:
        called: Function = register_jitable(**PART, **options, **more)(function)
        return called

    return part


def callable_from_code(function: Function, inline: bool = True) -> Function:
    """Let compiled functions call this one, which stays as it is for Python; it may not make arrays.

    inline: make it part of its callers. Passing rules and rows takes longer than most of the work on them.
    """
    # Without Numba's counting of references, which costs as much as the work itself.
    return parts(error_model="numpy", _nrt=False, forceinline=inline)(function)


# How parts are compiled -----------------------------------------------------------------------------------------------


class _Whole(Compiler):  # type: ignore[misc]  # Numba has no types
    """Numba's compiler for what Python calls, with settings of LLVM that are Numba's own again after it.

    The first level of optimisation takes a fifth less time than the third, and games are no slower for it, as parts
    are inlined by name. Neighbouring numbers become vectors, as in the eight lanes of `farkel.solve.kernel`.
    """

    def compile_extra(self, function: Any) -> Any:
        before = config.OPT, config.SLP_VECTORIZE
        config.OPT, config.SLP_VECTORIZE = min(config.OPT, type(config.OPT)(1)), 1
        try:
            return super().compile_extra(function)
        finally:
            config.OPT, config.SLP_VECTORIZE = before


_NEEDLESS = {
    untyped_passes.WithLifting,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.InlineClosureLikes,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
}
"""Steps of Numba for what parts do not have: closures, ``with``, errors, array expressions, and functions inlined
before they have types. They took a ninth of the time to compile the games."""


class _Part(Compiler):  # type: ignore[misc]
    """Numba's compiler for what only machine code calls.

    Numba makes each function fit to be called from Python, its parts included, and then does the same with what calls
    it: a function five calls down is optimised and translated six times. That took half of the time to compile.
    """

    def define_pipelines(self) -> Any:
        self.state.library = _Unlinked(self.state.targetctx.codegen(), "part")
        # Its callees are compiled again for callers whose options differ. Parts that are not inlined are called by the
        # same ones as those that are, and set their own options.
        ConfigStack.top_or_none().forceinline = True
        (manager,) = super().define_pipelines()
        manager.passes = [(one, said) for one, said in manager.passes if one not in _NEEDLESS]
        manager.finalize()
        return [manager]


class _Unlinked(JITCodeLibrary):  # type: ignore[misc]
    """The code of a part, as it is linked into what calls it; there it is optimised and translated."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironment(self._codegen)


class _WithoutEnvironment:
    """The compiler, for a part: there is no code yet that could be told the places of its Python objects."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, env: Any) -> None:
        """Do nothing: parts hold no Python objects."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


PART: Any = {"pipeline_class": _Part, **NO_C}
"""Options of what only machine code calls."""


# Where it is kept -----------------------------------------------------------------------------------------------------


def _digest(place: Path, sources: Sequence[str], options: Any) -> str:
    """Return the sources and versions that the machine code depends on. Numba itself distinguishes processors."""
    found = sha256()
    made_with = __version__, platform.python_version(), numba.__version__, llvmlite.__version__
    sets = {name: sorted(option) if isinstance(option, set) else option for name, option in options.items()}
    found.update(repr((made_with, sets)).encode())
    for name in sources:
        with suppress(OSError):  # where no sources are installed, the version stands for them
            found.update((place / f"{name}.py").read_bytes())
    return found.hexdigest()[:16]


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


# How it is kept -------------------------------------------------------------------------------------------------------


class _Compiling(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Stops the clock while Numba compiles, which it does in one thread at a time, and looks for no garbage.

    Numba makes objects by the million and keeps them: looking through them takes a sixth of the time.
    """

    def __init__(self) -> None:
        self._within = 0
        self._looks = False

    def on_start(self, event: Any) -> None:
        CLOCK.__enter__()
        if self._within == 0:
            self._looks = gc.isenabled()
            gc.disable()
        self._within += 1

    def on_end(self, event: Any) -> None:
        self._within -= 1
        if self._within == 0 and self._looks:
            gc.enable()
        CLOCK.__exit__()


event.register("numba:compile", _Compiling())
_told = set[Path]()


def _tell(folder: Path) -> None:
    """Say once that the code of a folder is being compiled."""
    if folder not in _told:
        _told.add(folder)
        kept = "" if os.access(folder, os.W_OK) else f"; it cannot be kept, as {folder} cannot be written"
        log.info("Compiling for this computer, which takes about ten seconds and is done once%s ...", kept)


def _cache(folder: Path) -> Callable[[Any], Any]:
    """Return Numba's cache for the folder: unreadable code is compiled again, and unwritable code is not kept."""

    class Locator(_CacheLocator):  # type: ignore[misc]
        @classmethod
        def from_function(cls, function: Any, file: str) -> Any:
            found = cls()
            found.function = function
            return found

        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return ""  # the folder is for these sources alone

        def get_disambiguator(self) -> str:
            return f"{self.function.__module__}-{self.function.__code__.co_firstlineno}"

    class Compiled(CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class Cache(FunctionCache):  # type: ignore[misc]
        _impl_class = Compiled

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._claim = Claim(folder / f"{self._impl.filename_base}.lock")

        def load_overload(self, signature: Any, context: Any) -> Any:
            with CLOCK:
                found = self._load(signature, context)
                if found is None and not self._claim.held:
                    self._wait()
                    found = self._load(signature, context)
                    if found is not None:
                        self._claim.leave()
                if found is None:
                    _tell(folder)
                return found

        def save_overload(self, signature: Any, data: Any) -> None:
            with CLOCK, self._claim, suppress(OSError):
                super().save_overload(signature, data)

        def _load(self, signature: Any, context: Any) -> Any:
            try:
                return super().load_overload(signature, context)
            except Exception:  # a damaged file may raise anything: what there is of the function is made again
                with suppress(OSError):
                    Path(self._cache_file._index_path).unlink(missing_ok=True)
                return None

        def _wait(self) -> None:
            """Take the claim to compile this function, or wait for the process that has it."""
            until = time.monotonic() + PATIENCE
            with suppress(OSError):
                while not self._claim.take() and time.monotonic() < until:
                    time.sleep(LOOKS)

    found: Callable[[Any], Any] = Cache
    return found
