"""Writes down a newcomer's first hour in the terminal: ``python tests/make_newcomers_hour.py``.

Read what changed before keeping it.
"""

from __future__ import annotations

import time

import home
from newcomers_hour import SIZES, Terminal, an_hour, transcript, written

STILL = 1.0
"""Seconds after which a screen that shows what it has to, and has not changed, counts as settled."""
PATIENCE = 120.0
"""Seconds for an answer."""


def settled(terminal: Terminal, shows: str) -> None:
    """Wait until these words are on the screen, and nothing changes any more."""
    begin = still = time.monotonic()
    before = terminal.lines()
    while not (shows in " ".join(" ".join(before).split()) and time.monotonic() - still > STILL):
        terminal.read(0.2)
        if (now := terminal.lines()) != before:
            before, still = now, time.monotonic()
        if time.monotonic() - begin > PATIENCE:
            raise SystemExit(f"{shows!r} has not come:\n" + "\n".join(before))


if __name__ == "__main__":
    home.move()
    for size in SIZES:
        found = []
        for shown in an_hour(size, settled):
            found.append(written(shown))
            transcript(size).parent.mkdir(exist_ok=True)
            transcript(size).write_text("\n".join(found), encoding="utf-8")
