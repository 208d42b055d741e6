"""A server as a process of its own, for tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

SRC = str(Path(__file__).parent.parent / "src")
QUICK = """
import sys
from farkel.web.serve import bound, serve
from farkel.web.settings import Settings
database, port = sys.argv[1:]
with bound("127.0.0.1", int(port)) as sock:
    print(f"http://127.0.0.1:{sock.getsockname()[1]}", flush=True)
    serve(Settings(database, pace=0.0, requests_a_minute=10**6, opened_an_hour=10**6), sock)
"""
"""A server whose bots do not wait, without limits on requests."""


class Process:
    """A program that is running, and what it says."""

    def __init__(self, *arguments: str) -> None:
        path = os.pathsep.join(filter(None, (SRC, os.environ.get("PYTHONPATH", ""))))
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout
        self.said: list[str] = []

    def until(self, part: str) -> str:
        """The next line that has this in it; fails where the program ends before."""
        for line in self._out:
            self.said.append(line.rstrip("\n"))
            if part in line:
                return self.said[-1]
        raise AssertionError(f'it ended without saying "{part}":\n' + "\n".join(self.said))

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def workers(self) -> set[int]:
        """The processes that it has started to serve in (Linux)."""
        of = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        found = set()
        for pid in of:
            with suppress(FileNotFoundError):  # it is gone by now
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.add(int(pid))
        return found

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, or kill it: its exit code."""
        self._process.send_signal(by)
        return self.end()

    def end(self) -> int:
        """Wait until it ends by itself: its exit code."""
        self.said += [line.rstrip("\n") for line in self._out]
        return self._process.wait(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(60)
        self._out.close()


@contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[tuple[str, Process]]:
    """A quick server with its games in a folder: its address, and the process."""
    with Process("-c", QUICK, f"sqlite:///{folder / 'games.sqlite'}", str(port)) as process:
        yield process.until("http://"), process
