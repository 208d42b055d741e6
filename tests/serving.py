"""A server as a process of its own, for tests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Self
from urllib.request import urlopen

from seeded import repeating

HANG = 60.0
"""Seconds that nothing takes, however busy the machine is: only what hangs is given up after them."""
LONG = 1200.0
"""Seconds that a program never takes for something long, such as a whole game."""
SRC = str(Path(__file__).parent.parent / "src")
QUICK = """
import socket, sys
from farkel.web.serve import serve
from farkel.web.settings import Settings
database, number = sys.argv[1:]
with socket.socket(fileno=int(number)) as sock:
    serve(Settings(database, pace=0.0, work_a_minute=10**6, opened_an_hour=10**6), sock)
"""
"""A server whose bots do not wait, without limits on requests."""


def patiently(seconds: float = HANG) -> Iterator[None]:
    """Once more and once more, for as long as a test asks again; only what hangs is given up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
    raise AssertionError(f"it has not happened within {seconds:g} s")


class Process:
    """A program that is running, and what it says."""

    def __init__(self, *arguments: str, given: Sequence[int] = ()) -> None:
        """``given`` are the open files that it inherits."""
        path = os.pathsep.join(filter(None, (SRC, os.environ.get("PYTHONPATH", ""))))
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            pass_fds=given,
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout
        self.said: list[str] = []

    def until(self, part: str) -> str:
        """The next line that has this in it; fails where the program ends before."""
        for line in self._lines():
            if part in line:
                return line
        raise AssertionError(f'it ended without saying "{part}":\n' + "\n".join(self.said))

    def _lines(self) -> Iterator[str]:
        """What it says from now on. It is killed if nothing comes of it."""
        late = threading.Timer(LONG, self._process.kill)
        late.daemon = True
        late.start()
        try:
            for line in self._out:
                self.said.append(line.rstrip("\n"))
                yield self.said[-1]
        finally:
            late.cancel()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def workers(self) -> set[int]:
        """The processes that it has started to serve in (Linux)."""
        of = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        found = set()
        for pid in of:
            with suppress(FileNotFoundError, ProcessLookupError):  # it is gone by now
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.add(int(pid))
        return found

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, or kill it: its exit code."""
        self._process.send_signal(by)
        return self.end()

    def end(self) -> int:
        """Wait until it ends by itself: its exit code."""
        deque(self._lines(), maxlen=0)
        return self._process.wait(HANG)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(HANG)
        self._out.close()


@contextmanager
def serving(folder: Path, listening: socket.socket | None = None) -> Iterator[tuple[str, Process]]:
    """A quick server that answers, with its games in a folder: its address, and the process.

    A socket that is given outlives the server: clients that connect while it is down wait for the next one.
    """
    made = socket.create_server(("127.0.0.1", 0), backlog=1024) if listening is None else nullcontext(listening)
    with made as sock:
        arguments = f"sqlite:///{folder / 'games.sqlite'}", str(sock.fileno())
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        with Process("-c", repeating() + QUICK, *arguments, given=[sock.fileno()]) as process:
            urlopen(f"{url}/rules", timeout=HANG).close()
            yield url, process
