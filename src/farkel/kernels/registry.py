"""The functions that become machine code: plain Python that knows nothing of the forms it may take.

Python calls a *kernel*, kernels call *parts*. Both are noted here when their modules are imported, which costs nothing;
`farkel.kernels.native` makes machine code of them when it is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])


class Notes(Protocol):
    """A decorator that notes a function and leaves it as it is."""

    def __call__(self, function: Function, /) -> Function: ...


PARTS: list[tuple[Callable[..., Any], dict[str, Any]]] = []
"""Functions that kernels call, with the options of `numba.njit`."""
BY_KIND: list[tuple[Callable[..., Any], Callable[..., Any]]] = []
"""Functions that are chosen by the kinds of their arguments, and what chooses: see `by_kind`."""
PROGRAM = Path(__file__).parents[1]
COMMON = ("kernels", "game", "dice", "support/system.py")
"""What every kernel may be made from, within `PROGRAM`: how it is compiled, the law and chance."""


class Group:
    """Kernels that are made from the same sources, with the same options, and shipped in one module.

    Decorates a function that Python calls.
    """

    def __init__(self, name: str, *folders: str, **options: Any) -> None:
        """name: of the module that ships them. folders: of Farkel, or files, whose sources they are made from, besides
        `COMMON`. options: as `numba.njit`.
        """
        self.name = name
        self.sources = [PROGRAM / folder for folder in (*COMMON, *folders)]
        self.options = options
        self.kernels: list[Kernel[..., Any]] = []

    def __call__(self, function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
        kernel = Kernel(function, self)
        self.kernels.append(kernel)
        return kernel


class Kernel(Generic[Arguments, Result]):
    """A function that Python calls, as machine code."""

    def __init__(self, plain: Callable[Arguments, Result], group: Group) -> None:
        self.plain = plain
        self.group = group
        self.native: Any = None
        """The function that Numba has made of it, when it has."""
        self.name = f"{plain.__module__.removeprefix('farkel.')}.{plain.__name__}"
        """Where it stands, within `farkel`, and what it is called."""
        self.__doc__ = plain.__doc__


FAST = {"nnan", "ninf", "nsz", "contract"}
"""What machine code may assume of numbers with a fraction: that there is always one, and that sums may be merged."""
SOLVE = Group("solve", "solve", nogil=True, fastmath=FAST)
# Without Numba's counting of references, which costs twenty times as much as the work: nothing there makes an array.
GAMES = Group("games", "simulation", "players/decisions.py", "solve", nogil=True, error_model="numpy", _nrt=False)
STEPS = Group(
    "env", "training", "simulation", "players/decisions.py", "solve", nogil=True, error_model="numpy", _nrt=False
)


def parts(**options: Any) -> Notes:
    """Return a decorator that lets kernels call a function, which stays as it is for Python.

    Machine code is made of what Python calls alone, with all its parts in it. options: as `numba.njit`.
    """

    def part(function: Function, /) -> Function:
        PARTS.append((function, options))
        return function

    return part


def callable_from_code(function: Function, inline: bool = True) -> Function:
    """Let kernels call this one, which stays as it is for Python; it may not make arrays.

    inline: make it part of its callers. Passing rules and rows takes longer than most of the work on them.
    """
    # Without Numba's counting of references, which costs as much as the work itself.
    return parts(error_model="numpy", _nrt=False, forceinline=inline)(function)


def by_kind(function: Callable[..., Any]) -> Notes:
    """Decorate what chooses, by the kinds of its arguments, what is compiled in place of a function."""

    def decorate(choose: Function, /) -> Function:
        BY_KIND.append((function, choose))
        return choose

    return decorate
