"""Databases with the tables of the program: made once in a process, and copied for everyone who wants one."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path


def sqlite_at(path: Path) -> str:
    """Make a database without games at the path, unless there is one, and return its address."""
    if not path.exists():
        path.write_bytes(_sqlite())
    return f"sqlite:///{path}"


@cache
def _sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "web.sqlite"
        with_tables(f"sqlite:///{path}")
        return path.read_bytes()


def with_tables(address: str) -> str:
    """Make the tables as the program does, and return the address."""
    from farkel.web.store.database import connect

    connect(address).dispose()
    return address
