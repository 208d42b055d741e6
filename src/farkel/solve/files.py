"""Solutions on disk: a header that describes the file, and arrays that are read in place.

The first line is JSON: format, rules, digest, results, and the name, place, type, shape and check of every array. A
file is written beside its place and renamed when it is whole. One that is damaged, or of other rules or another
format, is refused.
"""

from __future__ import annotations

import json
import logging
import os
import time
import zlib
from contextlib import suppress
from math import prod
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from farkel.errors import SolveError
from farkel.kernels.arrays import CODES, SIZES, Array, as_numbers
from farkel.support.locks import Claim

log = logging.getLogger(__name__)

FORMAT = 1
"""Raised when the meaning of the arrays changes."""
ALIGNED = 4096
EACH = 160
"""Bytes of the header that the entry of an array may take."""
SIZE = "FARKEL_SOLUTIONS_GIB"
"""The environment variable for how much room solutions may take."""
GIBS = 10.0
"""GiB that solutions may take if it is not set."""
STALE = 30 * 86_400
"""Seconds after which an interrupted solution counts as abandoned."""


TYPES = {
    "float32": "<f4",
    "float64": "<f8",
    "int64": "<i8",
    "uint8": "|u1",
}
"""How files call the kinds of numbers that they hold. Their bytes lie in the order of today's computers."""
KINDS = {name: kind for kind, name in TYPES.items()}


class Shelf(Protocol):
    """The storage of a solution's arrays."""

    header: dict[str, Any]

    def __contains__(self, name: str) -> bool: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    def array(self, name: str) -> Array[Any]:
        """Return an array. Raises `SolveError` ``damaged`` if it has changed since it was written."""


class Memory:
    """A solution that is kept nowhere."""

    def __init__(self, copies: bool) -> None:
        """``copies``: added arrays change later."""
        self.header: dict[str, Any] = {}
        self._copies = copies
        self._arrays: dict[str, Array[Any]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._arrays)

    def add(self, name: str, array: Array[Any]) -> None:
        """Keep an array."""
        self._arrays[name] = array.copy() if self._copies else array

    def array(self, name: str) -> Array[Any]:
        return self._arrays[name]

    def finish(self, header: dict[str, Any]) -> None:
        """Keep the header."""
        self.header = header


class SolutionWriter:
    """Writes a solution; nothing is at ``path`` before `finish`. A context: left without it, nothing remains.

    Only who holds the claim to a solution writes it: see `claim`.
    """

    def __init__(self, path: Path, arrays: int, paused: dict[str, Any] | None = None) -> None:
        """Begin a file of at most ``arrays`` arrays, or continue one that was paused.

        Raises `SolveError` ``unwritable``. The paused file has to be there: see `continues`.
        """
        self.path = path
        self.part = _part(path)
        self._size = -(-(4096 + arrays * EACH) // ALIGNED) * ALIGNED
        self._entries: list[dict[str, Any]] = list(paused["entries"]) if paused else []
        self._keeps = paused is not None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.part.open("r+b" if paused else "w+b")
            self._file.seek(paused["end"] if paused else self._size)
            self._file.truncate()
        except OSError as error:
            raise _unwritable(path.parent, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._file.close()
        if not self._keeps:
            self.part.unlink(missing_ok=True)

    def add(self, name: str, array: Array[Any]) -> None:
        """Write an array. Raises `SolveError` if the disk is full."""
        data = array.flat.cast("B")
        entry = {"name": name, "at": self._file.tell(), "type": TYPES[array.kind], "shape": array.shape}
        try:
            self._file.write(data)
            self._file.write(bytes(-self._file.tell() % 64))
        except OSError as error:
            raise _unwritable(self.path, error) from None
        self._entries.append(entry | {"check": zlib.crc32(data)})

    def pause(self) -> dict[str, Any]:
        """Return a writer that continues the file so far, which is kept from now on. Raises `OSError`."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._keeps = True
        return {"end": self._file.tell(), "entries": list(self._entries)}

    def finish(self, header: dict[str, Any]) -> None:
        """Write the header and put the file in its place."""
        text = json.dumps({"farkel": "solution", "format": FORMAT} | header | {"arrays": self._entries}).encode()
        try:
            self._file.seek(0)
            self._file.write(text.ljust(self._size - 1) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self.part.replace(self.path)
        except OSError as error:
            raise _unwritable(self.path, error) from None


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _unwritable(path: Path, error: OSError) -> SolveError:
    return SolveError("unwritable", f"{path} cannot be written: {error.strerror or error}")


class Stored:
    """A solution on disk, opened, which counts as its last use. Arrays are checked when they are first asked for."""

    def __init__(self, path: Path, digest: str) -> None:
        """Open it. Raises `SolveError` ``damaged`` or ``foreign`` if it is not a whole solution of these rules."""
        self.path = path
        try:
            with path.open("rb") as file:
                self.header = json.loads(file.readline(1 << 24))
                # Processes that have it open can still read it if it is replaced or removed meanwhile.
                self._content = mmap(file.fileno(), 0, access=ACCESS_READ)
            self._entries = {entry["name"]: entry for entry in self.header["arrays"]}
        except (OSError, ValueError, KeyError, TypeError):
            raise SolveError("damaged", f"{path} is not a solution that can be read") from None
        if self.header.get("farkel") != "solution" or self.header.get("format") != FORMAT:
            raise SolveError("foreign", f"{path} is not a solution of format {FORMAT}")
        if self.header.get("digest") != digest:
            raise SolveError("foreign", f"{path} is a solution of other rules: {self.header.get('rules')}")
        self._arrays: dict[str, Array[Any]] = {}
        with suppress(OSError):
            os.utime(path)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays that there are."""
        return tuple(self._entries)

    def array(self, name: str) -> Array[Any]:
        """Return an array, mapped from the disk. Raises `SolveError` ``damaged`` if its checksum is wrong."""
        if name not in self._arrays:
            try:
                entry = self._entries[name]
                array = _mapped(self._content, entry["at"], entry["type"], tuple(entry["shape"]))
                whole = zlib.crc32(array.flat.cast("B")) == entry["check"]
            except (ValueError, KeyError, TypeError):
                whole = False
            if not whole:
                raise SolveError("damaged", f"{self.path} is damaged ({name}): remove it, and it is solved again")
            self._arrays[name] = array
        return self._arrays[name]


def _mapped(content: mmap, at: int, kind: str, shape: tuple[int, ...]) -> Array[Any]:
    """Return an array that lies in a file. Raises `ValueError` or `KeyError` if none is there."""
    code = CODES[KINDS[kind]]
    end = at + prod(shape) * SIZES[code]
    if not 0 <= at <= end <= len(content):
        raise ValueError("the file is too short")
    return Array(as_numbers(memoryview(content)[at:end], code), shape)


# The folder of solutions ----------------------------------------------------------------------------------------------


def claim(path: Path) -> Claim:
    """Return the claim to write a solution, and what belongs to it."""
    return Claim(path.with_suffix(".lock"))


def paused(path: Path) -> Path:
    """Return where an interrupted solution is described, so that it can be continued."""
    return path.with_suffix(".paused")


def continues(path: Path, described: dict[str, Any]) -> bool:
    """Return whether all is there that was written before an interrupted solution was described so."""
    part = _part(path)
    return part.is_file() and part.stat().st_size >= described["end"]


def discard(path: Path) -> None:
    """Remove what an interrupted solution has left. Only for who holds its claim."""
    for left in (paused(path), _part(paused(path)), _part(path)):
        with suppress(OSError):
            left.unlink(missing_ok=True)


def most_bytes() -> int:
    """Return how much room solutions may take: ``FARKEL_SOLUTIONS_GIB``, or 10 GiB."""
    given = os.environ.get(SIZE, "")
    try:
        found = float(given or GIBS)
        if not 0 <= found < float("inf"):
            raise ValueError
    except ValueError:
        log.warning('%s is a number of GiB, such as 20, and not "%s": %g is taken', SIZE, given, GIBS)
        found = GIBS
    return int(found * 2**30)


def sweep(folder: Path, most: int, keep: Path | None = None) -> None:
    """Remove leftovers of abandoned work, and the least used solutions beyond ``most`` bytes.

    The solution ``keep`` and what another process is writing stay.
    """
    with suppress(OSError):
        _sweep_left(folder)
    with suppress(OSError):
        found = [(path, path.stat()) for path in folder.glob("*.solution")]
        room = most - sum(stat.st_size for path, stat in found if path == keep)
        for path, stat in sorted(found, key=lambda one: -one[1].st_mtime):
            if path != keep:
                room -= stat.st_size
                if room < 0:
                    with suppress(OSError):  # Windows removes no open file
                        path.unlink()


def _sweep_left(folder: Path) -> None:
    left = [path for path in folder.iterdir() if path.suffix in (".part", ".paused", ".lock")]
    for name in sorted({path.name.split(".")[0] for path in left}):
        solution = folder / f"{name}.solution"
        with claim(solution) as held, suppress(OSError):
            if held.take():
                if not _continued(solution):
                    discard(solution)
                for part in folder.glob(f"{name}.*.part"):
                    if not (part == _part(solution) and paused(solution).exists()):
                        part.unlink()


def _continued(solution: Path) -> bool:
    """Return whether an interrupted solution may still be resumed."""
    left = paused(solution)
    return not solution.exists() and left.exists() and time.time() - left.stat().st_mtime < STALE
