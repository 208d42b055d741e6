"""Kernels as WebAssembly, which comes with Farkel: the package ``wasmtime`` runs them, and nothing has to be compiled.

The modules of a space share one memory, of 4 GiB at most. What is placed there stays; everything else is copied for a
call, and back after it.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from math import prod
from typing import Any, TypeVar
from weakref import WeakMethod, finalize

import wasmtime

from farkel.kernels.arrays import CODES, SIZES, Array, as_numbers
from farkel.kernels.blocks import Block, Blocks
from farkel.kernels.images import ALIGNED, RELOCATES, STACK, Image, image, nowhere, result
from farkel.kernels.kept import kept_module, replace
from farkel.kernels.registry import Arguments, Group, Kernel, Result
from farkel.kernels.texts import door_of, miss, read_module

Placed = TypeVar("Placed")
SPARE = 1 << 20
"""Bytes for arrays that kernels make."""
PAGE = 1 << 16
DATA = 1 << 20
"""Bytes for the data of all modules, which lie above the stack."""
FIRST = STACK + DATA
"""From here on arguments lie."""
NUMBER = wasmtime.ValType.i32()


class _Lasting:
    """Leaves memory to the operating system when the program ends: by then wasmtime can no longer free it."""

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ends():
            super().__del__()  # type: ignore[misc]


class _Engine(_Lasting, wasmtime.Engine):
    pass


class _Code(_Lasting, wasmtime.Module):
    pass


class _Store(_Lasting, wasmtime.Store):
    pass


@lru_cache
def engine() -> wasmtime.Engine:
    """Return what translates modules."""
    return _Engine()


@lru_cache
def code(group: Group) -> wasmtime.Module:
    """Return the module of a group as machine code of this computer, which is kept. Raises as `read_module`."""
    module = read_module(group)
    place = kept_module(group.name, module.text.module, version("wasmtime"))
    with suppress(OSError, wasmtime.WasmtimeError):
        if place.exists():
            return _Code.deserialize_file(engine(), str(place))
    made = _Code(engine(), module.content)
    with suppress(OSError):
        replace(place, bytes(made.serialize()))
    return made


class ShippedSpace:
    """Kernels as WebAssembly. Calls wait for each other."""

    threads = False

    def __init__(self) -> None:
        """Raises `OSError` if the computer has no addresses for it."""
        self._store = _Store(engine())
        kind = wasmtime.MemoryType(wasmtime.Limits((FIRST + SPARE) // PAGE, None))
        try:
            self._memory = wasmtime.Memory(self._store, kind)
        except wasmtime.WasmtimeError as error:
            raise OSError(f"4 GiB of addresses are needed: {error}") from None
        self._base = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        self._exports: dict[str, Any] = {}
        """By module."""
        self._imports: dict[str, Any] = {"memory": self._memory, "__stack_pointer": self._global(STACK, changes=True)}
        self._data = STACK
        """From here on no module has data."""
        self._top = FIRST
        """From here on nothing is placed."""
        self._spare = defaultdict[int, list[int]](list)
        """Places that are free again, by their size."""
        self._images: dict[int, tuple[Any, Image]] = {}
        """What was placed, by `id`."""
        self._lock = threading.RLock()

    def zeros(self, shape: tuple[int, ...], kind: str) -> Array[Any]:
        with self._lock:
            return Array(as_numbers(self._room(SIZES[CODES[kind]] * prod(shape)), CODES[kind]), shape)

    def place(self, value: Placed) -> Placed:
        with self._lock:
            placed: Placed = self._moved(value, {})
            self._images[id(placed)] = placed, image(placed, self._known)
            return placed

    def kinds(self, given: Iterable[Any]) -> str:
        """Return what a kernel is given, as doors are found by it."""
        return ",".join(self._kinds(value) for value in given)

    def is_placed(self, value: Any) -> bool:
        """Return whether a value was placed."""
        return id(value) in self._images

    def _kinds(self, value: Any) -> str:
        placed = self._images.get(id(value))
        return image(value, nowhere).kinds if placed is None else placed[1].kinds

    def drop(self, value: Any) -> None:
        with self._lock:
            self._images.pop(id(value), None)

    def run(self, kernel: Kernel[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
        assert not named  # noqa: S101  arguments of kernels have an order
        with self._lock:
            call = Call(self)
            images = [self._image(value, call) for value in given]
            door = door_of(kernel, ",".join(one.kinds for one in images))
            if door is None:
                miss(kernel.name)
                return kernel.plain(*given, **named)
            slots = b"".join(one.slots for one in images)
            block = call.take(8 + len(slots))
            ctypes.memmove(self._base + block + 8, slots, len(slots))
            exports = self._exports.get(kernel.group.name) or self._instance(kernel.group)
            if kernel.group.options.get("_nrt", True):  # else no kernel of the group makes arrays
                exports["farkel_reset"](self._store, call.end, self._memory.data_len(self._store))
            if exports[door.name](self._store, block):
                raise RuntimeError(f"{kernel.name} failed")
            call.give_back()
            found: Result = result(door.result, ctypes.string_at(self._base + block, 8))
            return found

    def _instance(self, group: Group) -> Any:
        base, self._data = self._data, self._data + -(-read_module(group).text.data // ALIGNED) * ALIGNED
        if self._data > FIRST:
            raise MemoryError("modules have too much data of their own")
        module, more = code(group), _weakly(self._more)
        given = self._imports | {
            "__memory_base": self._global(base),
            "__table_base": self._global(0),
            "farkel_more": wasmtime.Func(self._store, wasmtime.FuncType([NUMBER], [NUMBER]), more),
        }
        made = wasmtime.Instance(self._store, module, [given[str(each.name)] for each in module.imports])
        exports: Any = made.exports(self._store)
        self._exports[group.name] = exports
        if RELOCATES in exports:
            exports[RELOCATES](self._store)
        return exports

    def _global(self, number: int, changes: bool = False) -> wasmtime.Global:
        return wasmtime.Global(self._store, wasmtime.GlobalType(NUMBER, changes), wasmtime.Val.i32(number))

    def _more(self, size: int) -> int:
        """Return where a kernel may make arrays of so many bytes."""
        return PAGE * self._add(-(-(size % (1 << 32)) // PAGE))

    def _image(self, value: Any, call: Call) -> Image:
        """Return the image of an argument, whose arrays are copied if they lie elsewhere."""
        placed = self._images.get(id(value))
        return image(value, call.copied) if placed is None else placed[1]

    def _moved(self, value: Any, done: dict[int, Any]) -> Any:
        """Return a value whose arrays and blocks lie in the space."""
        if isinstance(value, tuple):
            parts = [self._moved(part, done) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if not isinstance(value, Array | Block | Blocks):
            return value
        memory = value.flat.cast("B") if isinstance(value, Array) else value.memory
        if self.address(memory) is not None:
            return value
        if id(value) not in done:
            place = self._room(memory.nbytes)
            if memory.nbytes:
                place[:] = memory
            if isinstance(value, Array):
                done[id(value)] = Array(as_numbers(place, value.flat.format), value.shape)
            elif isinstance(value, Block):
                done[id(value)] = Block(value.layout, place)
            else:
                done[id(value)] = Blocks(value.layout, len(value), place)
        return done[id(value)]

    def _room(self, size: int) -> memoryview[int]:
        """Return so many bytes, all zero, which are free again when nothing refers to them."""
        taken = size + -size % ALIGNED
        spare = self._spare[taken]
        if spare:
            at = spare.pop()
            ctypes.memset(self._base + at, 0, taken)
        else:
            at, before = self._top, self._memory.data_len(self._store)
            self._top += taken
            self.grow(self._top)
            # Calls left their arguments there; what is beyond has never been used.
            ctypes.memset(self._base + at, 0, max(0, min(taken, before - at)))
        memory = self._memory_at(at, size)
        finalize(memory, spare.append, at).atexit = False
        return memoryview(memory).cast("B")

    def grow(self, end: int) -> None:
        """Make the memory so large, and spare more. Raises `MemoryError` beyond 4 GiB."""
        more = -(-(end + SPARE - self._memory.data_len(self._store)) // PAGE)
        if more > 0:
            self._add(more)

    def _add(self, pages: int) -> int:
        """Make the memory larger; return how many pages it had. Raises `MemoryError` beyond 4 GiB."""
        try:
            before: int = self._memory.grow(self._store, pages)
        except wasmtime.WasmtimeError as error:
            raise MemoryError(f"a module has at most 4 GiB of memory: {error}") from None
        if ctypes.addressof(self._memory.data_ptr(self._store).contents) != self._base:
            raise MemoryError("the memory of a module was moved, with arrays in it")
        return before

    def _memory_at(self, at: int, size: int) -> Any:
        found: Any = (ctypes.c_ubyte * size).from_address(self._base + at)
        found.store = self._store  # the memory is gone with it, and so it stays with its views
        return found

    def _bytes(self, at: int, size: int) -> memoryview[int]:
        return memoryview(self._memory_at(at, size)).cast("B")

    def address(self, memory: memoryview) -> int | None:
        """Return where memory lies in the space; None if it does not."""
        if not memory.nbytes or memory.readonly:
            return None
        at = ctypes.addressof(ctypes.c_ubyte.from_buffer(memory)) - self._base
        return at if 0 <= at < self._top else None

    def _known(self, memory: memoryview) -> int:
        return self.address(memory) or 0

    def read(self, at: int, memory: memoryview) -> None:
        """Copy bytes of the space."""
        memory[:] = self._bytes(at, memory.nbytes)

    def write(self, at: int, memory: memoryview) -> None:
        """Copy bytes into the space."""
        self._bytes(at, memory.nbytes)[:] = memory

    @property
    def top(self) -> int:
        """From here on nothing is placed."""
        return self._top


class Call:
    """The room of one call, beyond what is placed."""

    def __init__(self, space: ShippedSpace) -> None:
        self._space = space
        self.end = space.top + -space.top % ALIGNED
        self._given: dict[int, tuple[memoryview, int]] = {}
        """What was copied, by where it lies."""

    def take(self, size: int) -> int:
        """Return the place of so many bytes."""
        at, self.end = self.end, self.end + size + -size % ALIGNED
        self._space.grow(self.end)
        return at

    def copied(self, memory: memoryview) -> int:
        """Return where memory lies for this call."""
        at = self._space.address(memory)
        if at is not None or not memory.nbytes:
            return at or 0
        if memory.readonly:
            at = self.take(memory.nbytes)
            self._space.write(at, memory)
            return at
        where = ctypes.addressof(ctypes.c_ubyte.from_buffer(memory))
        if where not in self._given or self._given[where][0].nbytes < memory.nbytes:
            at = self.take(memory.nbytes)
            self._space.write(at, memory)
            self._given[where] = memory, at
        return self._given[where][1]

    def give_back(self) -> None:
        """Copy arrays back, which the kernel may have changed."""
        for memory, at in self._given.values():
            self._space.read(at, memory)


def _weakly(method: Callable[[int], int]) -> Callable[[int], int]:
    """Return a method that does not keep what it is of: a store keeps its functions, and a space its store."""
    weak = WeakMethod(method)

    def call(given: int) -> int:
        found = weak()
        assert found is not None  # noqa: S101  whoever calls holds it
        return found(given)

    return call
