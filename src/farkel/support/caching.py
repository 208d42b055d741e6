"""Functions that remember their results, and keep their signatures for type checkers and for ``help()``."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def remembered(most: int | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for functions that remember ``most`` results, or all, as `functools.lru_cache`."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = lru_cache(maxsize=most)(function)

        @wraps(function)
        def found(*given: P.args, **named: P.kwargs) -> R:
            return known(*given, **named)  # type: ignore[arg-type]

        return found

    return decorate
