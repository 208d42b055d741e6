"""Names on the disk that one process at a time holds: who writes a file that several processes want."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

from farkel.support import system


class Claim:
    """A lock file. The system releases it when its process dies; nothing stays behind when it is left."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._file is not None

    def take(self) -> bool:
        """Take the claim; return False if another process holds it. Raises `OSError` if no lock file can be made."""
        while self._file is None:
            file = self.path.open("ab")
            try:
                if not system.lock(file.fileno(), wait=False):
                    file.close()
                    return False
                if _same(file, self.path):
                    self._file = file
                else:  # its holder has removed it meanwhile
                    file.close()
            except BaseException:
                file.close()
                raise
        return True

    def leave(self) -> None:
        """Release the claim, if it is held."""
        if self._file is None:
            return
        file, self._file = self._file, None
        with suppress(OSError):
            self.path.unlink()
            file.close()
            return
        file.close()  # Windows removes no open file
        with suppress(OSError):
            self.path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()


def _same(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
