"""Solutions on disk: a header that says what the file is, and arrays that are read where they lie.

The first line is JSON: format, rules, digest, results, and the name, place, type, shape and check of every array. A
file is written beside its place and renamed when it is whole. One that is damaged, or of other rules or another
format, is refused.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from farkel.errors import SolveError

FORMAT = 1
"""Raised when the meaning of the arrays changes."""
ALIGNED = 4096
EACH = 160
"""Bytes of the header that the entry of an array may take."""


class Writer:
    """Writes a solution; nothing is at ``path`` before `finish`. A context: left without it, nothing remains."""

    def __init__(self, path: Path, arrays: int) -> None:
        """Begin a file of at most so many arrays. Raises `SolveError` where it cannot be written."""
        self.path = path
        self._size = -(-(4096 + arrays * EACH) // ALIGNED) * ALIGNED
        self._entries: list[dict[str, Any]] = []
        self._keeps = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
        except OSError as error:
            raise SolveError("unwritable", f"{path.parent} cannot be written: {error.strerror or error}") from None
        self.part = Path(name)
        self._file = os.fdopen(handle, "r+b")
        self._file.seek(self._size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if not self._keeps:
            self.part.unlink(missing_ok=True)

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Write an array. Raises `SolveError` where the disk is full."""
        array = np.ascontiguousarray(array)
        data = array.view(np.uint8).reshape(-1).data
        entry = {"name": name, "at": self._file.tell(), "type": array.dtype.str, "shape": array.shape}
        try:
            self._file.write(data)
            self._file.write(bytes(-self._file.tell() % 64))
        except OSError as error:
            raise SolveError("unwritable", f"{self.path} cannot be written: {error.strerror or error}") from None
        self._entries.append(entry | {"check": zlib.crc32(data)})

    def pause(self) -> dict[str, Any]:
        """What `resume` needs to go on with what is written so far, which is kept from now on."""
        self._file.truncate()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._keeps = True
        return {"part": self.part.name, "end": self._file.tell(), "entries": list(self._entries)}

    def resume(self, paused: dict[str, Any]) -> bool:
        """Go on with a paused file in place of the new one; whether it is still there."""
        part = self.path.parent / paused["part"]
        if not part.is_file() or part.stat().st_size < paused["end"]:
            return False
        self._file.close()
        self.part.unlink()
        self.part, self._keeps = part, True
        self._file = part.open("r+b")
        self._file.seek(paused["end"])
        self._file.truncate()
        self._entries = list(paused["entries"])
        return True

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
            raise SolveError("unwritable", f"{self.path} cannot be written: {error.strerror or error}") from None


class Stored:
    """A solution on disk, opened. Arrays are checked when they are first asked for."""

    def __init__(self, path: Path, digest: str) -> None:
        """Open it. Raises `SolveError` ``damaged`` or ``foreign`` where it is not a whole solution of these rules."""
        self.path = path
        try:
            with path.open("rb") as file:
                self.header = json.loads(file.readline(1 << 24))
            self._entries = {entry["name"]: entry for entry in self.header["arrays"]}
        except (OSError, ValueError, KeyError, TypeError):
            raise SolveError("damaged", f"{path} is not a solution that can be read") from None
        if self.header.get("farkel") != "solution" or self.header.get("format") != FORMAT:
            raise SolveError("foreign", f"{path} is not a solution of format {FORMAT}")
        if self.header.get("digest") != digest:
            raise SolveError("foreign", f"{path} is a solution of other rules: {self.header.get('rules')}")
        self._arrays: dict[str, NDArray[Any]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays that there are."""
        return tuple(self._entries)

    def array(self, name: str) -> NDArray[Any]:
        """An array, mapped from the disk. Raises `SolveError` ``damaged`` where it is not what was written."""
        if name not in self._arrays:
            try:
                entry = self._entries[name]
                array: NDArray[Any] = np.memmap(
                    self.path, np.dtype(entry["type"]), "r", entry["at"], tuple(entry["shape"])
                )
                whole = zlib.crc32(array.view(np.uint8).reshape(-1).data) == entry["check"]
            except (OSError, ValueError, KeyError, TypeError):
                whole = False
            if not whole:
                raise SolveError("damaged", f"{self.path} is damaged ({name}): remove it, and it is solved again")
            self._arrays[name] = array
        return self._arrays[name]
