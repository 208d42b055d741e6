"""Files that are there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from farkel.errors import FarkelError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file to write beside ``path``, of the same suffix, that takes its place when the block ends well.

    Raises `FarkelError` ``unwritable`` at once where it could not be written, before any work is done for it.
    """
    if path.is_dir():
        raise FarkelError("unwritable", f"{path} cannot be written: it is a folder")
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        part.open("xb").close()
    except FileNotFoundError:
        raise FarkelError("unwritable", f"{path} cannot be written: there is no folder {path.parent}") from None
    except OSError as error:
        raise FarkelError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise FarkelError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
