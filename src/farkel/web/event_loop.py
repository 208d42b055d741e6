"""Work that would hold up the event loop, which all requests of a process share."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def off_loop(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Do work in a thread, and return what it returns. A browser has no threads: there everything waits for it."""
    if sys.platform == "emscripten":
        return work(*arguments, **named)
    return await asyncio.to_thread(work, *arguments, **named)
