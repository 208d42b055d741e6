"""Work that would hold up the event loop, which all requests of a process share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from farkel.support.system import has_threads

P = ParamSpec("P")
T = TypeVar("T")


async def off_loop(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Do work in a thread, and return what it returns. A browser has no threads: there everything waits for it."""
    return await asyncio.to_thread(work, *arguments, **named) if has_threads() else work(*arguments, **named)
