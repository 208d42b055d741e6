"""Servers in processes of their own, for the benchmarks of the web and for attacks on it."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

SERVER = """
import json, sys
from farkel.web.serve import bound, serve
from farkel.web.settings import Settings
settings, port = json.loads(sys.argv[1])
with bound("127.0.0.1", port) as sock:
    serve(Settings(**settings), sock)
"""
PROFILED = """
import cProfile, pstats, sys
profile = cProfile.Profile()
try:
    profile.runcall(exec, SERVER)
finally:
    pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(45)
"""


class Server(NamedTuple):
    """A server process and where it listens."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def memory(self) -> int:
        """Bytes resident."""
        return memory(self.process.pid)


class Site(NamedTuple):
    """The server processes on one database."""

    servers: tuple[Server, ...]
    database: subprocess.Popen[bytes] | None

    @property
    def busy(self) -> tuple[float, float]:
        """Seconds of CPU that the servers and the database's own processes have used."""
        return (
            sum(cpu(server.process.pid) for server in self.servers),
            sum(cpu(pid) for pid in family(self.database.pid)) if self.database else 0.0,
        )


def cpu(pid: int) -> float:
    """Seconds of CPU of a process."""
    try:
        numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """Bytes resident of a process."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return 0
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return 1024 * int(found[1]) if found else 0


def family(pid: int) -> list[int]:
    """A process, its children, and theirs."""
    found = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += [each for child in tasks.read_text().split() for each in family(int(child))]
    return [pid, *found]


@contextmanager
def site(database: str, processes: int, *, profiled: bool = False, **settings: Any) -> Iterator[Site]:
    """Server processes with a new database, until the end of the block."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="farkel-bench-")))
        postgres = None
        url = f"sqlite:///{folder / 'web.sqlite'}"
        if database == "PostgreSQL":
            folder.chmod(0o755)
            postgres, url = stack.enter_context(postgresql(folder))
        chosen = {"database": url, **settings}
        servers = tuple(stack.enter_context(server(chosen, profiled)) for _ in range(processes))
        yield Site(servers, postgres)


@contextmanager
def server(settings: dict[str, Any], profiled: bool) -> Iterator[Server]:
    """One server process that answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = f"SERVER = {SERVER!r}\n{PROFILED}" if profiled else SERVER
    process = subprocess.Popen([sys.executable, "-c", code, json.dumps([settings, port])])
    try:
        wait_until(lambda: answers(port), process, "the server")
        yield Server(process, port)
    finally:
        stop(process, signal.SIGTERM)


@contextmanager
def postgresql(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """PostgreSQL on a socket in the folder, as a user without privileges, and its address."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    found = shutil.which("postgres") or (str(programs[-1]) if programs else "")
    if not found:
        raise SystemExit("PostgreSQL is not here: apt-get install postgresql, or --database SQLite")
    data = folder / "postgresql"
    data.mkdir()
    user: dict[str, Any] = {}
    if os.getuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(data, owner.pw_uid, owner.pw_gid)
        user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": [], "cwd": data}
    make: list[str | Path] = [Path(found).with_name("initdb"), "-D", data, "-U", "farkel", "-A", "trust", "-E", "UTF8"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, **user)
    process = subprocess.Popen(
        [found, "-D", data, "-k", data, "-c", "listen_addresses=", "-c", "log_min_messages=panic"], **user
    )
    try:
        wait_until(lambda: accepts(data), process, "PostgreSQL")
        yield process, f"postgresql+psycopg://farkel@/postgres?host={data}"
    finally:
        stop(process, signal.SIGINT)


def accepts(folder: Path) -> bool:
    """Whether PostgreSQL takes connections on its socket there."""
    import psycopg

    try:
        psycopg.connect(host=str(folder), user="farkel", dbname="postgres").close()
    except psycopg.OperationalError:
        return False
    return True


def answers(port: int) -> bool:
    """Whether something listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], what: str) -> None:
    """Wait until it is ready; leave where the process has ended instead."""
    late = time.monotonic() + 60
    while not ready():
        if process.poll() is not None or time.monotonic() > late:
            raise SystemExit(f"{what} does not start")
        time.sleep(0.02)


def stop(process: subprocess.Popen[bytes], with_signal: signal.Signals) -> None:
    """End a process, at once if it does not end by itself."""
    process.send_signal(with_signal)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
