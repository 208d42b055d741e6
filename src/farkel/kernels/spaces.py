"""Where a calculation has its arrays, and what runs kernels on them: one space for each calculation.

What a kernel is given again and again is placed once; everything else is handed over at each call. Who calls sees
`Array` values, whichever form the kernels have.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar

from farkel.errors import SolveError
from farkel.kernels.arrays import Array, zeros
from farkel.kernels.registry import Arguments, Group, Kernel, Result
from farkel.support.extras import advice
from farkel.support.system import has_threads

log = logging.getLogger(__name__)

Placed = TypeVar("Placed")


class Space(Protocol):
    """Runs kernels. Arrays of what was placed in it are read and written in place; it is gone with the last of them."""

    threads: bool
    """Several threads may run kernels in it at once, each with room of its own to work in."""

    def zeros(self, shape: tuple[int, ...], kind: str) -> Array[Any]:
        """Return zeros that lie in the space. Those that are never touched take no memory."""

    def place(self, value: Placed) -> Placed:
        """Return a named tuple of arrays and numbers as it lies in the space, to be used in place of the given one."""

    def drop(self, value: Any) -> None:
        """Forget what was placed: its memory is free once nothing refers to it. It may still be used."""

    def run(self, kernel: Kernel[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
        """Return what a kernel makes of what it is given; arrays that it is given may be changed by it."""


class Lease:
    """What its owner has placed in a space that may outlive it: all of it is forgotten with the lease."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._placed = list[Any]()

    def place(self, value: Placed) -> Placed:
        """Place a value, as `Space.place`."""
        placed = self._space.place(value)
        self._placed.append(placed)
        return placed

    def drop(self, value: Any) -> None:
        """Forget one of them, as `Space.drop`."""
        self._placed = [placed for placed in self._placed if placed is not value]
        self._space.drop(value)

    def __del__(self) -> None:
        for placed in self._placed:
            self._space.drop(placed)


class PlainSpace:
    """Kernels as the Python that they are: hundreds of times as slow, and there for tests."""

    threads = False

    def zeros(self, shape: tuple[int, ...], kind: str) -> Array[Any]:
        return zeros(shape, kind)

    def place(self, value: Placed) -> Placed:
        return value

    def drop(self, value: Any) -> None:
        pass

    def run(self, kernel: Kernel[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
        return kernel.plain(*given, **named)


MOST_SHIPPED = 3 << 30
"""Bytes of arrays; the memory of a module is 4 GiB at most."""
SETTING = "FARKEL_KERNELS"
"""The environment variable that chooses a form: ``plain``, ``shipped`` or ``native``."""
FORMS = "", "plain", "shipped", "native"
MAKE: list[Callable[[], Space]] = []
"""What makes spaces, if it is chosen by a program; the last one counts."""


def open_space(group: Group, size: int = 0) -> Space:
    """Return a new space for kernels of a group, in the best form that there is.

    size: bytes of its arrays. Raises `SolveError` ``not_installed`` if only Numba's form has room for them.
    """
    if MAKE:
        return MAKE[-1]()
    form = os.environ.get(SETTING, "")
    if form not in FORMS:
        raise SolveError("bad_option", f'{SETTING} is "{form}": there are plain, shipped and native')
    if form == "plain":
        return PlainSpace()
    if size > MOST_SHIPPED and form != "native":
        return _with_room(size)
    if form == "native" or not (form == "shipped" or ships(group)):
        return native_space() if form or has_numba() else PlainSpace()
    if form == "shipped" or not has_numba():
        return shipped_space()
    from farkel.kernels.choosing import ChoosingSpace

    return ChoosingSpace()


def is_plain(group: Group) -> bool:
    """Return whether kernels of a group are run as the Python that they are, as nothing better is there."""
    form = os.environ.get(SETTING)
    return form == "plain" if form else not (ships(group) or has_numba())


def _with_room(size: int) -> Space:
    """Return a new space for more than modules have room for."""
    if not has_numba():
        raise SolveError(
            "not_installed",
            f"this takes {size / (1 << 30):.1f} GiB; without Numba, which is about 250 MB, there is room for "
            f"{MOST_SHIPPED >> 30}: {advice('native')}",
        )
    return native_space()


def native_space() -> Space:
    """Return a new space of machine code of this computer, for which Numba has to be there."""
    from farkel.kernels.native import NativeSpace

    return NativeSpace()


def shipped_space() -> Space:
    """Return a new space of the modules that come with Farkel. Raises `ImportError` or `OSError` if it cannot be."""
    if not has_threads():  # in a page
        from farkel.kernels.inside import InsideSpace

        return InsideSpace()
    from farkel.kernels.shipped import ShippedSpace

    return ShippedSpace()


@cache
def has_numba() -> bool:
    """Return whether Numba is installed."""
    return find_spec("numba") is not None


@cache
def ships(group: Group) -> bool:
    """Return whether the module of a group can be run here; say once if it cannot."""
    try:
        if has_threads():
            from farkel.kernels.shipped import code

            code(group)
        else:
            from farkel.kernels.inside import running

            running(group)
        shipped_space()
    except (ImportError, OSError, ValueError) as error:
        if not has_numba():
            log.warning("Farkel calculates slowly on this computer, as its kernels cannot be loaded: %s", error)
        return False
    return True
