"""A PostgreSQL of the tests' own: made when the first test wants it, on a socket in a temporary folder, without TCP."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import pytest

from databases import with_tables

UNPRIVILEGED = ("postgres", "nobody")
"""Users that the server may run as where the tests run as root, which it refuses."""

SETTINGS = {
    "listen_addresses": "",
    "max_connections": "80",
    "shared_buffers": "16MB",
    "fsync": "off",  # processes are killed here, machines are not
    "log_min_messages": "fatal",
}


def missing() -> str:
    """Why there is no PostgreSQL here; "" where there is one."""
    if binary("initdb") is None or binary("postgres") is None:
        return "PostgreSQL is not installed (Debian: postgresql): the tests on it are left out"
    if os.geteuid() == 0 and user() is None:
        return f"PostgreSQL does not run as root, and no user {' or '.join(UNPRIVILEGED)}: the tests on it are left out"
    return ""


def binary(name: str) -> str | None:
    """Where the program is: in PATH, or where Debian puts it, the newest version first."""
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: path.parts[-3], reverse=True)
    return shutil.which(name) or next(map(str, debian), None)


def user() -> pwd.struct_passwd | None:
    """The user that the server runs as where the tests run as root."""
    for name in UNPRIVILEGED:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


class Postgres:
    """A server that runs. Each test has a database of its own on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count(1)
        self._owner = user() if os.geteuid() == 0 else None
        if self._owner is not None:
            os.chown(folder, self._owner.pw_uid, self._owner.pw_gid)
        self._run("initdb", "-D", self._data, "-U", "farkel", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with (folder / "data" / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in SETTINGS.items())
            file.write(f"unix_socket_directories = '{folder}'\n")
        self.start()

    def start(self) -> None:
        """Start it; it answers when this returns."""
        self._run("pg_ctl", "-D", self._data, "-w", "-l", str(self.folder / "log"), "start")

    def stop(self) -> None:
        """Stop it at once, connections or not; what was committed stays."""
        self._run("pg_ctl", "-D", self._data, "-w", "-m", "immediate", "stop")

    @property
    def running(self) -> bool:
        """Whether it was started and not stopped since."""
        return (self.folder / "data" / "postmaster.pid").exists()

    def database(self) -> str:
        """The address of a database without games."""
        return self._address(self._copy(self._template))

    def empty(self) -> str:
        """The address of a database without tables."""
        return self._address(self._copy("template1"))

    @cached_property
    def _template(self) -> str:
        """The name of a database with the tables of the program, which nobody uses."""
        name = self._copy("template1")
        with_tables(self._address(name))
        return name

    def _copy(self, template: str) -> str:
        """Return the name of a new database. A connection for each: the server may have been stopped meanwhile."""
        import psycopg

        name = f"farkel_{next(self._numbers)}"
        with psycopg.connect(host=str(self.folder), user="farkel", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")  # the faster one
        return name

    def _address(self, name: str) -> str:
        return f"postgresql+psycopg://farkel@/{name}?host={self.folder}"

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *arguments: str) -> None:
        owner = self._owner
        done = subprocess.run(
            [str(binary(program)), *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # the server would hold a pipe open
            stderr=subprocess.DEVNULL,
            user=owner and owner.pw_uid,
            group=owner and owner.pw_gid,
            extra_groups=None if owner is None else (),
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} {' '.join(arguments)} ends with {done.returncode}")


@contextmanager
def running() -> Iterator[Postgres]:
    """A server, stopped and removed at the end. Skips where there can be none; FARKEL_ALL_TESTS=1 fails instead."""
    if why := missing():
        if os.environ.get("FARKEL_ALL_TESTS") == "1":
            pytest.fail(why)
        pytest.skip(why)
    with tempfile.TemporaryDirectory(prefix="farkel-pg-") as folder:
        server = Postgres(Path(folder))
        try:
            yield server
        finally:
            server.stop()
