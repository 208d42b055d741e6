"""Work in threads, or at once where there are none."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, TypeVar

from farkel.support.system import has_threads

T = TypeVar("T")


def executor(threads: int, name: str) -> Executor:
    """Return what does work in so many threads, or at once where there are none."""
    return ThreadPoolExecutor(threads, name) if has_threads() else AtOnce()


class AtOnce(Executor):
    """Has done work when it says that it will."""

    def submit(self, work: Callable[..., T], /, *given: Any, **named: Any) -> Future[T]:
        found = Future[T]()
        try:
            found.set_result(work(*given, **named))
        except Exception as error:  # whoever asks for the result gets it
            found.set_exception(error)
        return found
