"""Games that bots may play are solved before anyone asks for them, in a process of its own that ends when it is done.

What it leaves lies on the disk: solutions, and machine code where there is any. So nobody who asks the process that
answers people waits for it, and that one finds there in a moment what would take it long.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from farkel.errors import FarkelError
from farkel.players import knowledge
from farkel.rules import parse
from farkel.support import system
from farkel.support.locks import Claim
from farkel.web.coaching import calculations

NICE = 15
"""Everything else comes first."""
MEMORY = 1 << 30
"""Bytes that the process may take for data of its own."""
LOOKS = 2.0
"""Seconds between two looks at whether another server's process is done with the same."""


def begin(sets: Sequence[str]) -> BaseProcess:
    """Start solving rule sets, given in notation, one after the other."""
    child = get_context("spawn").Process(target=_prepare, args=(tuple(sets),), daemon=True)
    child.start()
    return child


def solve(sets: Sequence[str]) -> None:
    """Find the best play for points in each of them, and then winning chances: the quick things first."""
    for work in (knowledge.turn, calculations.prepare):
        for notation in sets:
            with suppress(FarkelError, MemoryError):
                work(parse(notation))


# In the process ------------------------------------------------------------------------------------------------------


def _prepare(sets: Sequence[str]) -> None:
    """Solve them, or wait until another process on this machine has done so."""
    from farkel.solve.solution import folder

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    system.step_back(NICE, MEMORY)
    with suppress(OSError), Claim(folder().parent / "preparing.lock") as claim:
        claim.path.parent.mkdir(parents=True, exist_ok=True)
        if claim.take():
            solve(sets)
        while not claim.take():
            time.sleep(LOOKS)


def _end_with_parent() -> None:
    """End when the server is gone, however it went."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)
