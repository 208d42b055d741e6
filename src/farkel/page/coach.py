"""What runs in the worker of the coach: it answers `farkel.page.calculator`, and is called by ``shell/coach.mjs``."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable
from functools import cache
from time import monotonic
from typing import Any

from farkel.errors import FarkelError, SolveError
from farkel.solve.files import SIZE
from farkel.solve.solution import folder
from farkel.support.progress import Progress, listening
from farkel.values import LOOK

OFTEN = 0.25
"""Seconds between two reports of how far a calculation is."""
TOO_LARGE = "this takes more memory to calculate than the browser has; try it with farkel serve on a computer"
MOST_GIB = 1 / 16
"""What solutions may take in a browser's storage, and in the worker's memory: they are all read when it starts."""


def begin(values: Callable[[str], Any] = lambda name: None) -> str:
    """Return the folder in which solutions are kept. values: a function of JavaScript, as in ``python.mjs``."""

    @cache
    def look(name: str) -> bytes | None:
        found = values(name)
        return found.to_bytes() if found else None

    LOOK.append(look)
    os.environ.setdefault(SIZE, str(MOST_GIB))
    folder().mkdir(parents=True, exist_ok=True)
    return str(folder())


def answer(work: bytes, told: Callable[[float, float], None]) -> bytes:
    """Return the answer to a question, or the error. told: is told how far it is."""
    try:
        with listening(now_and_then(told)):
            function, arguments = pickle.loads(work)  # noqa: S301  from the page's own Python
            return pickle.dumps(function(*arguments))
    except FarkelError as error:
        return pickle.dumps(error)
    except MemoryError:
        return pickle.dumps(SolveError("too_large", TOO_LARGE))
    except Exception:
        return pickle.dumps(RuntimeError(traceback.format_exc()))


def now_and_then(told: Callable[[float, float], None], clock: Callable[[], float] = monotonic) -> Progress:
    """Return a report that is passed on a few times in a second at most."""
    last = clock()

    def progress(done: float, of: float) -> None:
        nonlocal last
        if clock() - last >= OFTEN:
            last = clock()
            told(done, of)

    return progress
