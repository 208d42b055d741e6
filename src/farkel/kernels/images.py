"""Arguments of kernels as they lie in the memory of a module: slots of eight bytes, and the arrays that they point to.

Numba passes each number of a named tuple as an argument of its own, and of each array seven or more: where its memory
is counted and by whom, how many numbers it has, their size, where they are, the shape and the strides.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from math import prod
from typing import Any, NamedTuple, Protocol

from farkel.kernels.arrays import Array
from farkel.kernels.blocks import Block, Blocks

STACK = 1 << 19
"""Bytes for the stack of modules, which run one at a time."""
ALIGNED = 64
"""Of what lies in memory, at least."""
RELOCATES = "__wasm_apply_data_relocs"
"""The door of a module that puts addresses into its data; one whose data have none lacks it."""


class Addresses(Protocol):
    """Tells where memory lies in a module, and puts it there if it does not."""

    def __call__(self, memory: memoryview) -> int: ...


class Image(NamedTuple):
    """An argument in slots."""

    kinds: str
    """What it is, in words that are alike for the same machine code."""
    slots: bytes


def kinds(given: Iterable[Any]) -> str:
    """Return what a kernel is given, in words that are alike for the same machine code."""
    return ",".join(image(value, nowhere).kinds for value in given)


def nowhere(memory: memoryview) -> int:
    """Return no address, where only the kinds of arguments count."""
    return 0


def image(value: Any, address: Addresses) -> Image:
    """Return an argument as a kernel of a module takes it."""
    kinds, slots = list[str](), list[bytes]()
    _flatten(value, kinds, slots, address)
    return Image("".join(kinds), b"".join(slots))


def _flatten(value: Any, kinds: list[str], slots: list[bytes], address: Addresses) -> None:
    if value is None:
        kinds.append("n")
        slots.append(bytes(8))
    elif isinstance(value, bool):
        kinds.append("b")
        slots.append(struct.pack("<q", value))
    elif isinstance(value, int):
        kinds.append("i")
        slots.append(struct.pack("<q", value))
    elif isinstance(value, float):
        kinds.append("d")
        slots.append(struct.pack("<d", value))
    elif isinstance(value, Array):
        size, shape = value.flat.itemsize, value.shape
        kinds.append(f"{value.flat.format}{len(shape)}")
        strides = [size * prod(shape[dimension + 1 :]) for dimension in range(len(shape))]
        numbers = 0, 0, value.size, size, address(value.flat.cast("B")), *shape, *strides
        slots.append(struct.pack(f"<{len(numbers)}q", *numbers))
    elif isinstance(value, Block):
        kinds.append(f"[{value.layout.size}]")
        slots.append(struct.pack("<q", address(value.memory)))
    elif isinstance(value, Blocks):
        kinds.append(f"[{value.layout.size}]1")
        numbers = 0, 0, len(value), value.layout.size, address(value.memory), len(value), value.layout.size
        slots.append(struct.pack("<7q", *numbers))
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        kinds.append(f"{type(value).__name__}(" if names else "(")  # kernels may be chosen by it: see `by_kind`
        for number, part in enumerate(value):
            kinds.append(f" {names[number] if names else number}:")
            _flatten(part, kinds, slots, address)
        kinds.append(" )")
    else:
        raise TypeError(f"no kernel takes {value!r}")


def result(kind: str, content: bytes) -> Any:
    """Return what a kernel has returned, from the first of its slots."""
    if kind == "n":
        return None
    if kind == "b":
        return content[0] != 0
    return struct.unpack("<q" if kind == "i" else "<d", content)[0]
