"""What kernels say that Python has no word for: numbers of a certain width, and room of their own.

In Python these are functions like any other; machine code has instructions for them.
"""

from __future__ import annotations

from farkel.kernels.arrays import Array, zeros

_ALL = (1 << 64) - 1


def uint64(number: int) -> int:
    """Return a whole number without a sign, of 64 bits: what is beyond them is lost.

    With such an index machine code need not look whether it counts from the end.
    """
    return int(number) & _ALL


def uint32(number: int) -> int:
    """Return a whole number without a sign, of 32 bits."""
    return int(number) & 0xFFFFFFFF


def int64(number: int) -> int:
    """Return a whole number with a sign, of 64 bits."""
    return ((int(number) + (1 << 63)) & _ALL) - (1 << 63)


def reals(size: int) -> Array[float]:
    """Return so many zeros to work with."""
    return zeros(size)


def real_rows(rows: int, columns: int) -> Array[float]:
    """Return rows of zeros to work with."""
    return zeros((rows, columns))


def whole_rows(rows: int, columns: int) -> Array[int]:
    """Return rows of whole zeros to work with."""
    return zeros((rows, columns), "int64")
