"""Numbers in rows, as kernels of every form read them: memory with a shape.

NumPy is not needed: ``numpy.asarray`` gives a view of an array, and so does a memoryview. Indexing goes from the first
dimension on, and gives a number, or a view where dimensions are left.
"""

from __future__ import annotations

from array import array as packed
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import prod
from struct import calcsize
from typing import Any, Generic, Self, TypeVar

from farkel.support.system import pages

Number = TypeVar("Number", int, float, bool)

CODES = {
    "bool": "?",
    "float32": "f",
    "float64": "d",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
}
"""Kinds of numbers, and how `struct` calls them."""
SIZES = {code: calcsize(code) for code in CODES.values()}
"""Bytes of a number of each kind."""
KINDS = {code: kind for kind, code in CODES.items()}
LARGE = 1 << 17
"""Bytes for which the system is asked: it gives zeros, and memory only when it is used."""


class Array(Generic[Number]):
    """Numbers of one kind in memory, with a shape."""

    __slots__ = ("flat", "shape", "view")

    shape: tuple[int, ...]
    """How many numbers there are in each dimension."""

    def __init__(self, flat: memoryview[Any], shape: tuple[int, ...]) -> None:
        """flat: the numbers one after the other, the last dimension's side by side."""
        self.flat = flat
        self.shape = shape
        self.view: Any = None
        """As Numba takes it, once it was asked for."""

    @property
    def kind(self) -> str:
        """The kind of numbers: ``float64``, ``int64``, ..."""
        return KINDS[self.flat.format]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.flat)

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.flat) if len(self.shape) == 1 else (self[row] for row in range(self.shape[0]))

    def __getitem__(self, at: Any) -> Any:
        first, shape = self._place(at)
        return Array(self.flat[first : first + prod(shape)], shape) if shape else self.flat[first]

    def __setitem__(self, at: Any, value: Any) -> None:
        first, shape = self._place(at)
        if not shape:
            self.flat[first] = value
            return
        size = prod(shape)
        if isinstance(value, Array):
            if value.shape != shape:
                raise ValueError(f"an array of shape {shape} takes none of shape {value.shape}")
            self.flat[first : first + size] = value.flat
        else:
            self.flat[first : first + size] = _filled(value, size, self.flat.format)

    def _place(self, at: Any) -> tuple[int, tuple[int, ...]]:
        """Return where an index begins, and the shape of what is there."""
        shape: tuple[int, ...] = self.shape
        size, first = len(self.flat), 0
        indices = () if at is Ellipsis else at if isinstance(at, tuple) else (at,)
        for number, one in enumerate(indices, 1):
            length = shape[0]
            size = size // length if length else 0
            if isinstance(one, slice):
                begin, end, step = one.indices(length)
                if step != 1 or number < len(indices):
                    raise IndexError("only the last index may be a slice, and has no steps")
                return first + begin * size, (max(0, end - begin), *shape[1:])
            place = one + length if one < 0 else one
            if not 0 <= place < length:
                raise IndexError(f"{one} is none of {length}")
            first, shape = first + place * size, shape[1:]
        return first, shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return a view as NumPy has it."""
        import numpy as np

        found = np.asarray(self.flat).reshape(self.shape)
        return found if dtype is None and not copy else np.array(found, dtype, copy=copy)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.tobytes(), self.flat.format, self.shape)

    def reshape(self, *shape: int) -> Self:
        """Return a view with another shape."""
        if prod(shape) != self.size:
            raise ValueError(f"{self.size} numbers have no shape {shape}")
        return type(self)(self.flat, shape)

    def copy(self) -> Array[Number]:
        """Return the same numbers in memory of their own."""
        return Array(as_numbers(bytearray(self.flat), self.flat.format), self.shape)

    def tolist(self) -> Any:
        """Return lists of lists of numbers."""
        return self.flat.tolist() if len(self.shape) == 1 else [row.tolist() for row in self]

    def tobytes(self) -> bytes:
        """Return the memory."""
        return self.flat.tobytes()

    def any(self) -> bool:
        """Return whether a number is not zero."""
        return any(self.flat)

    def max(self) -> Any:
        """Return the largest number. Raises `ValueError` if there is none."""
        found: Any = max(self.flat)
        return found

    def sum(self) -> Any:
        """Return the sum of all numbers."""
        found: Any = sum(self.flat)
        return found

    def __repr__(self) -> str:
        return f"<{self.kind} {self.shape}>"


Numbers = Array[int]
"""Whole numbers of eight bytes, with a sign."""
Indices = Array[int]
"""Whole numbers without a sign, in as few bytes as hold them."""
Values = Array[float]
Truths = Array[bool]


def zeros(shape: int | tuple[int, ...], kind: str = "float64") -> Array[Any]:
    """Return as many zeros. Memory that nothing is written to costs next to nothing."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    code = CODES[kind]
    return Array(as_numbers(zero_bytes(prod(shape) * SIZES[code]), code), shape)


def zero_bytes(size: int) -> memoryview[int]:
    """Return so many bytes of zeros."""
    if size < LARGE:
        return memoryview(bytearray(size))
    return memoryview(pages(size))


def full(shape: int | tuple[int, ...], value: float, kind: str = "float64") -> Array[Any]:
    """Return the same number as often as the shape has places."""
    found = zeros(shape, kind)
    found[...] = value
    return found


def array(numbers: Iterable[Any], kind: str = "float64") -> Array[Any]:
    """Return numbers, or rows of rows of them that are equally long, as an array."""
    rows = list(numbers)
    shape = [len(rows)]
    while rows and isinstance(rows[0], Sequence | Array):
        shape.append(len(rows[0]))
        rows = list(chain.from_iterable(rows))
    return shaped(rows, tuple(shape), kind)


def shaped(numbers: Sequence[Any], shape: tuple[int, ...], kind: str = "float64") -> Array[Any]:
    """Return numbers, one after the other, as an array of that shape."""
    if len(numbers) != prod(shape):
        raise ValueError(f"{len(numbers)} numbers have no shape {shape}")
    found = zeros(shape, kind)
    if numbers:
        found.flat[:] = _packed(numbers, CODES[kind])
    return found


def over(memory: Any) -> Array[Any]:
    """Return an array of the numbers that are in some memory: of an array of NumPy, as they lie there."""
    view = memoryview(memory)
    flat = view.cast("B") if view.nbytes else memoryview(bytearray())  # what has no numbers cannot be cast
    return Array(as_numbers(flat, _ALIKE.get(view.format, view.format)), view.shape or ())


def _restored(content: bytes, code: str, shape: tuple[int, ...]) -> Array[Any]:
    """Return an array that was sent to another process."""
    return Array(as_numbers(bytearray(content), code), shape)


_ALIKE = {"l": "q", "L": "Q"} if calcsize("l") == calcsize("q") else {"l": "i", "L": "I"}
"""Numbers that C calls long, which are as many bytes as something else."""


def as_numbers(memory: Any, code: str) -> memoryview[Any]:
    """Return bytes as numbers of that kind."""
    kind: Any = code
    return memoryview(memory).cast(kind)


def _filled(value: Any, size: int, code: str) -> memoryview[Any]:
    """Return a number so often, or numbers as they are."""
    if isinstance(value, int | float):
        return as_numbers(_packed([value], code).tobytes() * size, code)
    return _packed(list(value), code)


def _packed(numbers: Sequence[Any], code: str) -> memoryview[Any]:
    """Return numbers as memory."""
    if code == "?":
        return as_numbers(bytes(map(bool, numbers)), code)
    make = float if code in "df" else int
    return as_numbers(packed(code, map(make, numbers)).tobytes(), code)
