"""Blocks of memory with named fields, as C lays them out: to machine code a block is a single pointer.

A named tuple is an argument for each of its numbers, and for seven of each array: those take long to compile, and long
to pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from farkel.kernels.arrays import CODES, SIZES, Array, as_numbers, zero_bytes


class Field(NamedTuple):
    """A field of a block."""

    offset: int
    kind: str | Layout
    shape: tuple[int, ...]
    """Empty for a single number or block."""


class Layout:
    """The fields of a block, each at a multiple of its own size."""

    def __init__(self, fields: Sequence[tuple[str, str | Layout] | tuple[str, str | Layout, tuple[int, ...]]]) -> None:
        """fields: the name, the kind of numbers or the layout of a block, and the shape of an array."""
        self.fields: dict[str, Field] = {}
        self.align: int = 1
        self.size: int
        end = 0
        for name, kind, *rest in fields:
            shape: tuple[int, ...] = rest[0] if rest else ()
            size, align = (kind.size, kind.align) if isinstance(kind, Layout) else (SIZES[CODES[kind]],) * 2
            end += -end % align
            self.fields[name] = Field(end, kind, shape)
            end += size * prod(shape)
            self.align = max(self.align, align)
        self.size = end + -end % self.align


class Block:
    """A block of memory, whose fields are attributes: numbers, arrays, and blocks."""

    __slots__ = ("_layout", "_memory", "view")

    def __init__(self, layout: Layout, memory: memoryview) -> None:
        object.__setattr__(self, "_layout", layout)
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "view", None)

    @property
    def layout(self) -> Layout:
        """The fields of the block."""
        found: Layout = self._layout
        return found

    @property
    def memory(self) -> memoryview:
        """All of its bytes."""
        found: memoryview = self._memory
        return found

    def __getattr__(self, name: str) -> Any:
        if name not in self._layout.fields:
            raise AttributeError(name)
        field = self._layout.fields[name]
        if isinstance(field.kind, Layout):
            return Block(field.kind, self._memory[field.offset : field.offset + field.kind.size])
        numbers = _numbers(field, self._memory)
        return numbers if field.shape else numbers.flat[0]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a number, or the beginning of an array."""
        if name == "view":  # as Numba takes it, once it was asked for
            object.__setattr__(self, name, value)
            return
        field = self._layout.fields[name]
        numbers = _numbers(field, self._memory)
        if field.shape:
            numbers.reshape(numbers.size)[: len(value)] = value
        else:
            numbers.flat[0] = value


class Blocks(Sequence[Any]):
    """Blocks of one layout, one after the other."""

    def __init__(self, layout: Layout, count: int, memory: memoryview | None = None) -> None:
        """memory: where they lie, if that is settled."""
        self.layout = layout
        self.memory = zero_bytes(layout.size * count) if memory is None else memory
        self.view: Any = None
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        if not 0 <= at < self._count:
            raise IndexError(at)
        size = self.layout.size
        return Block(self.layout, self.memory[at * size : (at + 1) * size])

    def __iter__(self) -> Iterator[Any]:
        return (self[at] for at in range(self._count))


def block(layout: Layout) -> Block:
    """Return a block of zeros."""
    return Block(layout, memoryview(bytearray(layout.size)))


def _numbers(field: Field, memory: memoryview) -> Array[Any]:
    """Return the numbers of a field."""
    kind = field.kind
    assert isinstance(kind, str)  # noqa: S101  blocks within blocks are no numbers
    size = prod(field.shape) * SIZES[CODES[kind]]
    return Array(as_numbers(memory[field.offset : field.offset + size], CODES[kind]), field.shape or (1,))
