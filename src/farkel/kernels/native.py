"""Machine code that Numba makes of kernels, once; `farkel.kernels.kept` says where it is kept."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config, njit, typeof, types  # type: ignore[attr-defined]  # as its documentation has it
from numba.extending import lower_builtin, overload, register_jitable, type_callable

from farkel.kernels import kept, words
from farkel.kernels.arrays import Array, zeros
from farkel.kernels.blocks import Block, Blocks, Layout
from farkel.kernels.registry import BY_KIND, PARTS, Arguments, Kernel, Result

log = logging.getLogger(__name__)

numba_internals: Any
try:
    from farkel.kernels import numba_internals
except (ImportError, AttributeError):
    numba_internals = None
    log.warning(
        "Farkel does not know Numba %s: results are the same, but compiling takes several times as long; "
        "a version that it knows comes with: pip install 'farkel[native]'",
        numba.__version__,
    )

PART: Any = numba_internals.PART if numba_internals else {"nopython": True}
"""Options of what only machine code calls."""
_PRIVATE = {"_nrt", "forceinline"}
"""Options that Numba does not promise. Code is the same without them, and larger."""
_lock = threading.RLock()
"""Held while functions are told to Numba."""


Placed = TypeVar("Placed")
NUMBERS = {int, float, bool}


class NativeSpace:
    """Kernels as machine code of this computer: arrays stay where they are."""

    threads = True

    def __init__(self) -> None:
        self._views: dict[int, tuple[Any, Any]] = {}
        """What was placed, and as Numba takes it, by `id`."""

    def zeros(self, shape: tuple[int, ...], kind: str) -> Array[Any]:
        return zeros(shape, kind)

    def place(self, value: Placed) -> Placed:
        self.know(value)
        return value

    def know(self, value: Any) -> None:
        """Keep how Numba takes a value."""
        if id(value) not in self._views:
            self._views[id(value)] = value, viewed(value)

    def drop(self, value: Any) -> None:
        self._views.pop(id(value), None)

    def run(self, kernel: Kernel[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
        function = kernel.native or made(kernel)
        found: Result = function(*map(self._view, given), **{name: self._view(one) for name, one in named.items()})
        return found

    def _view(self, value: Any) -> Any:
        if type(value) in NUMBERS:
            return value
        found = self._views.get(id(value))
        return viewed(value) if found is None else found[1]


def viewed(value: Any) -> Any:
    """Return what a kernel is given as Numba takes it: arrays as views of NumPy, also those in named tuples."""
    if type(value) in NUMBERS:
        return value
    if isinstance(value, tuple):
        parts = map(viewed, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, Array):
        if value.view is None:
            value.view = _array(value)
        return value.view
    if isinstance(value, (Block, Blocks)):
        if value.view is None:
            found = np.frombuffer(value.memory, _record(value.layout)).view(np.recarray)
            value.view = found[0] if isinstance(value, Block) else found
        return value.view
    return value


def _array(value: Array[Any]) -> Any:
    """Return an array as NumPy has it."""
    found = np.asarray(value.flat).reshape(value.shape)
    if not value.flat.readonly:
        return found
    # Numba has machine code of its own for memory that is not written to; what kernels write to is never such.
    described = found.__array_interface__
    address, _ = described["data"]
    return np.asarray(SimpleNamespace(__array_interface__={**described, "data": (address, False)}, kept=found))


@lru_cache
def _record(layout: Layout) -> Any:
    """Return the layout of blocks as NumPy has it."""
    fields = []
    for name, (_, kind, shape) in layout.fields.items():
        fields.append((name, _record(kind) if isinstance(kind, Layout) else np.dtype(kind), shape))
    return np.dtype(fields, align=True)


def made(kernel: Kernel[..., Any]) -> Any:
    """Return the function that compiles a kernel when it is first called, and keeps its machine code."""
    with _lock:
        if kernel.native is None:
            told()
            group, options = kernel.group, _known(kernel.group.options)
            folder = kept.folder(group)
            kept.use(folder)
            make = numba_internals.kept if numba_internals else _kept
            kernel.native = make(kernel.plain, folder, options)
        return kernel.native


def told() -> None:
    """Tell Numba what kernels may call. Each function is told once."""
    while PARTS:
        function, options = PARTS.pop()
        register_jitable(**PART, **_known(options))(function)
    while BY_KIND:
        function, choose = BY_KIND.pop()
        overload(function, jit_options=PART)(choose)


def _number(word: Callable[[int], int], kind: Any) -> None:
    """Tell Numba that a word makes a number of that kind."""

    @type_callable(word)
    def _kind(context: Any) -> Any:
        return lambda number: kind

    @lower_builtin(word, types.Number)  # type: ignore[untyped-decorator]
    def _cast(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return context.cast(builder, given[0], signature.args[0], signature.return_type)


_number(words.uint64, types.uint64)
_number(words.uint32, types.uint32)
_number(words.int64, types.int64)


@overload(words.reals, jit_options=PART)
def _reals(size):  # type: ignore[no-untyped-def]  # types of Numba, which are known when it compiles
    return lambda size: np.zeros(size)


@overload(words.real_rows, jit_options=PART)
def _real_rows(rows, columns):  # type: ignore[no-untyped-def]
    return lambda rows, columns: np.zeros((rows, columns))


@overload(words.whole_rows, jit_options=PART)
def _whole_rows(rows, columns):  # type: ignore[no-untyped-def]
    return lambda rows, columns: np.zeros((rows, columns), np.int64)


def types_of(given: Iterable[Any]) -> tuple[Any, ...]:
    """Return the types of arguments as Numba has them."""
    return tuple(typeof(viewed(value)) for value in given)


def is_kept(kernel: Kernel[..., Any], given: Iterable[Any]) -> bool:
    """Return whether machine code of a kernel for such arguments has been made, here or on this computer before."""
    function = made(kernel)
    types = types_of(given)
    if config.DISABLE_JIT or types in function.overloads:
        return True
    if numba_internals:
        return bool(numba_internals.is_kept(function, types))
    folder = function.stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*.{function.__name__}-*.nbi"))


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
