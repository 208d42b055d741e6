"""Numba's internals: code is compiled in less than half of the time, and kept for all processes of a computer.

No other module uses them. A version of Numba that lacks one of their names makes this import fail, and
`farkel.kernels.native` leaves all of it to Numba.
"""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import config, njit  # type: ignore[attr-defined]  # as its documentation has it
from numba.core import event, typed_passes, untyped_passes
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUTargetOptions
from numba.core.targetconfig import ConfigStack

from farkel.support.clock import CLOCK
from farkel.support.locks import Claim

log = logging.getLogger(__name__)

LOOKS = 0.05
"""Seconds between two looks at whether another process has compiled a function."""
PATIENCE = 300.0
"""Seconds after which a function is compiled here too, as the process that compiles it may have been suspended."""

_NEEDED: Mapping[Any, tuple[str, ...]] = {
    config: ("OPT", "SLP_VECTORIZE"),
    Compiler: ("compile_extra", "define_pipelines"),
    ConfigStack: ("top_or_none",),
    CPUTargetOptions: ("_nrt", "forceinline", "no_cfunc_wrapper"),
    FunctionCache: ("_impl_class", "_index_key", "flush", "load_overload", "save_overload"),
    IndexDataCacheFile: ("_load_index",),
    CompileResultCacheImpl: ("_locator_classes",),
    JITCodeLibrary: (
        "_ensure_finalized",
        "_finalize_dynamic_globals",
        "_finalize_final_module",
        "_finalized",
        "_optimize_final_module",
        "codegen",
        "get_pointer_to_function",
    ),
    PassManager: ("finalize",),
    _CacheLocator: ("from_function", "get_cache_path", "get_disambiguator", "get_source_stamp"),
}
"""Names that are first used when something is compiled. One that is missing shows here, and not in the middle of it."""
for _owner, _names in _NEEDED.items():
    for _name in _names:
        getattr(_owner, _name)

NO_C: dict[str, Any] = {"no_cfunc_wrapper": True}
"""Options of all functions: neither C nor anything like it calls them."""


def kept(function: Any, folder: Path, options: dict[str, Any]) -> Any:
    """Return a function that is compiled when it is first called, with code that is kept in the folder."""
    made: Any = njit(**options, **NO_C, pipeline_class=_Whole)(function)
    if not config.DISABLE_JIT:
        made._cache = _cache(function, folder)
    return made


def is_kept(function: Any, types: tuple[Any, ...]) -> bool:
    """Return whether a function's code for arguments of these types is kept, and can be read."""
    cache = function._cache
    try:
        found = cache._cache_file._load_index()
        return cache._index_key(types, function.targetctx.codegen()) in found
    except Exception:  # a damaged file may raise anything
        return False


# How parts are compiled -----------------------------------------------------------------------------------------------


class _Whole(Compiler):  # type: ignore[misc]  # Numba has no types
    """Numba's compiler for what Python calls, with settings of LLVM that are Numba's own again after it.

    The first level of optimisation takes a fifth less time than the third, and games are no slower for it, as parts
    are inlined by name. Neighbouring numbers become vectors, as in the eight lanes of `farkel.solve.turn_sweep`.
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
        return _WithoutEnvironment(super().codegen)


class _WithoutEnvironment:
    """The compiler, for a part: there is no code yet that could be told the places of its Python objects."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, env: Any) -> None:
        """Do nothing: parts hold no Python objects."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


PART: dict[str, Any] = {"pipeline_class": _Part, **NO_C}
"""Options of what only machine code calls."""


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
        lost = "" if os.access(folder, os.W_OK) else f"; it cannot be kept, as {folder} cannot be written"
        log.info("Compiling for this computer, which takes about ten seconds and is done once%s ...", lost)


def _cache(function: Any, folder: Path) -> Any:
    """Return Numba's cache for the folder: unreadable code is compiled again, and unwritable code is not kept."""

    class Locator(_CacheLocator):  # type: ignore[misc]
        @classmethod
        def from_function(cls, function: Any, file: str) -> Any:
            return cls()

        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return ""  # the folder is for these sources alone

        def get_disambiguator(self) -> str:
            return f"{function.__module__}-{function.__code__.co_firstlineno}"

    class Compiled(CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class Cache(FunctionCache):  # type: ignore[misc]
        _impl_class = Compiled

        def __init__(self) -> None:
            super().__init__(function)
            self._claim = Claim(folder / f"{function.__module__}.{function.__name__}.lock")

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
                    self.flush()
                return None

        def _wait(self) -> None:
            """Take the claim to compile this function, or wait for the process that has it."""
            until = time.monotonic() + PATIENCE
            with suppress(OSError):
                while not self._claim.take() and time.monotonic() < until:
                    time.sleep(LOOKS)

    return Cache()
