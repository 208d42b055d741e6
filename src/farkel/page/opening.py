"""How the page's Python begins: the application, over what the browser keeps."""

from __future__ import annotations

import gc
import importlib

from farkel.page.host import Host
from farkel.page.store import Database, PageStore
from farkel.page.unkept import Unkept
from farkel.page.visit import NoCoach, visit
from farkel.web.game.given import Calculator

_waiting: list[Host] = []
"""What `prepared` has made."""


async def opened(database: Database, root: str, calculator: Calculator) -> Host:
    """Return the application, ready to answer. ``root``: the path of the folder. Raises `StoreError`."""
    store = await PageStore.opened(database)
    host = _waiting.pop() if _waiting else Host(root)
    await host.begin(store, calculator)
    return host


async def prepared(root: str) -> None:
    """Make the application and let it answer a visit, so that all it needs is in the memory when that is kept."""
    host = Host(root)
    await host.begin(await PageStore.opened(Unkept()), NoCoach())
    await visit(host)
    await host.end()
    _waiting.append(host)
    importlib.invalidate_caches()  # the files will be others
    gc.collect()
