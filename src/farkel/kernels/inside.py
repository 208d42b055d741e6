"""Kernels as WebAssembly in a page, whose Python is WebAssembly itself (Pyodide): modules run in the memory of Python.

So arrays are read and written where they are: nothing is copied or moved. What a module needs for itself, its data and
a stack, are arrays of Python as well, and so is what its kernels make.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any, TypeVar

import js
import pyodide_js
from pyodide.ffi import JsException, create_proxy, to_js

from farkel.kernels.arrays import Array, zeros
from farkel.kernels.images import ALIGNED, RELOCATES, STACK, Image, image, result
from farkel.kernels.registry import Arguments, Group, Kernel, Result
from farkel.kernels.texts import door_of, miss, read_module

Placed = TypeVar("Placed")
SPARE = 1 << 20
"""Bytes for arrays that kernels make; there is more when it is full."""


class _View(ctypes.Structure):
    """What Python tells of memory."""

    _fields_ = (("address", ctypes.c_void_p), ("rest", ctypes.c_byte * 64))


def address(memory: memoryview | bytearray) -> int:
    """Return where memory lies in that of the page."""
    found = _View()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(memory), ctypes.byref(found), 0)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(found))
    return found.address or 0


class _Room:
    """What all modules share: a stack, as they run one at a time, and memory for arrays that kernels make."""

    def __init__(self) -> None:
        self._stack = bytearray(STACK)
        self._chunks = [bytearray(SPARE)]
        self._top = address(self._stack) + STACK & -ALIGNED
        self._pointer = _number(self._top, mutable=True)
        self.imports = {
            "memory": pyodide_js._module.memory,
            "__stack_pointer": self._pointer,
            "__table_base": _number(0),
            "farkel_more": create_proxy(self._more),
        }

    def _more(self, size: int) -> int:
        self._chunks.append(bytearray(size % (1 << 32)))
        return address(self._chunks[-1])

    def first(self) -> tuple[int, int]:
        """Return from where on, and up to where, arrays are made."""
        begin = address(self._chunks[0])
        return begin, begin + SPARE

    def clear(self) -> None:
        """Forget what a kernel has made, and what a failed one has left on the stack."""
        del self._chunks[1:]
        self._pointer.value = self._top


@lru_cache
def _room() -> _Room:
    return _Room()


class _Running:
    """A module that runs in the page."""

    def __init__(self, group: Group) -> None:
        module = read_module(group)
        self._data = bytearray(module.text.data + ALIGNED)
        base = address(self._data) + ALIGNED - 1 & -ALIGNED
        given = _object(env=_object(__memory_base=_number(base), **_room().imports))
        try:
            code = js.WebAssembly.Module.new(to_js(module.content))
            self.exports = js.WebAssembly.Instance.new(code, given).exports
        except JsException as error:
            raise OSError(f"the browser does not take the module {group.name}: {error}") from None
        if hasattr(self.exports, RELOCATES):
            getattr(self.exports, RELOCATES)()


@lru_cache
def running(group: Group) -> _Running:
    """Return the module of a group. Raises as `read_module`, and `OSError` if the browser cannot run it."""
    return _Running(group)


def _object(**given: Any) -> Any:
    return to_js(given, dict_converter=js.Object.fromEntries)


def _number(value: int, mutable: bool = False) -> Any:
    return js.WebAssembly.Global.new(_object(value="i32", mutable=mutable), value)


class InsideSpace:
    """Kernels as WebAssembly, in the memory that Python has in a page."""

    threads = False

    def __init__(self) -> None:
        self._images: dict[int, tuple[Any, Image]] = {}
        """What was placed, by `id`."""

    def zeros(self, shape: tuple[int, ...], kind: str) -> Array[Any]:
        return zeros(shape, kind)

    def place(self, value: Placed) -> Placed:
        self._images[id(value)] = value, image(value, address)
        return value

    def drop(self, value: Any) -> None:
        self._images.pop(id(value), None)

    def run(self, kernel: Kernel[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
        assert not named  # noqa: S101  arguments of kernels have an order
        images = [self._image(value) for value in given]
        door = door_of(kernel, ",".join(one.kinds for one in images))
        if door is None:
            miss(kernel.name)
            return kernel.plain(*given, **named)
        exports, room = running(kernel.group).exports, _room()
        block = bytearray(8) + b"".join(one.slots for one in images)
        try:
            exports.farkel_reset(*room.first())
            if getattr(exports, door.name)(address(block)):
                raise RuntimeError(f"{kernel.name} failed")
        finally:
            room.clear()
        found: Result = result(door.result, bytes(block[:8]))
        return found

    def _image(self, value: Any) -> Image:
        placed = self._images.get(id(value))
        return image(value, address) if placed is None else placed[1]
