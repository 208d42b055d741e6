"""Records written line by line as they are played: a line is on the disk before it is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from farkel.errors import RecordError
from farkel.records.lines import numbered_line, opening
from farkel.records.reading import MOST_BYTES, parsed, quoted
from farkel.records.record import Header, Record
from farkel.support.system import lock, sync, sync_folder


class RecordWriter:
    """Appends to one record file, alone. Every line is on the disk before `append` returns."""

    def __init__(self, path: Path, file: BinaryIO, chain: str, number: int, size: int) -> None:
        self.path = path
        self._file = file
        self._chain = chain
        self._size = size
        self.number = number

    @classmethod
    def create(cls, path: Path, header: Header) -> RecordWriter:
        """Start a record. Raises `RecordError` ``exists`` rather than overwrite a file, and ``unwritable``."""
        text, chain = opening(header)
        if path.is_dir():
            raise RecordError("unwritable", f"{path} is a folder: name a file for the record")
        _make_folder(path.parent)
        with _writing(path):
            file = path.open("xb", buffering=0)
        writer = cls(path, file, chain, 0, 0)
        try:
            _play_alone(file, path)
            writer._write(text)
            with _writing(path):
                sync_folder(path.parent)
        except RecordError:
            writer.discard()
            raise
        return writer

    @classmethod
    def reopen(cls, path: Path) -> tuple[RecordWriter, Record]:
        """Resume a record. If its last line was cut off, it goes to ``dropped``; other damage is a `RecordError`."""
        if not path.exists():
            raise RecordError("no_file", f"there is no record {path}")
        with _writing(path):
            file = path.open("r+b", buffering=0)
        _play_alone(file, path)  # before reading, as the program that holds it may be writing a line
        try:
            with _writing(path):
                data = file.read(MOST_BYTES + 1)
            record = parsed(data, path)
            if record.problem is not None and record.problem.code != "cut_off":
                raise record.problem.of(path)
            writer = cls(path, file, record.chain, record.number, record.size)
            writer._cut()
        except RecordError:
            file.close()
            raise
        return writer, replace(record, problem=None, dropped=quoted(data[record.size :]))

    def append(self, text: str) -> int:
        """Write one numbered line and return its number."""
        line, chain = numbered_line(self.number + 1, text, self._chain)
        self._write(line)
        self._chain = chain
        self.number += 1
        return self.number

    def close(self) -> None:
        self._file.close()

    def discard(self) -> None:
        """Close and remove a record in which nothing was played."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _write(self, text: str) -> None:
        data = text.encode()
        if self._size + len(data) > MOST_BYTES:
            raise RecordError("too_large", f"{self.path} is full: a record has at most {MOST_BYTES:,} bytes")
        self._cut()
        try:
            with _writing(self.path):
                rest = data
                while rest:
                    rest = rest[self._file.write(rest) :]
                sync(self._file.fileno())
        except RecordError:
            with suppress(RecordError):  # the rest of the line is removed before the next one is written
                self._cut()
            raise
        self._size += len(data)

    def _cut(self) -> None:
        """Remove everything after the last stored line, and go to its end."""
        with _writing(self.path):
            if self._file.seek(0, os.SEEK_END) > self._size:
                self._file.truncate(self._size)
            self._file.seek(self._size)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise RecordError(
            "exists", f"{path} exists already, and a record is never overwritten; choose another name"
        ) from None
    except OSError as error:
        raise RecordError("unwritable", f"{path} cannot be written: {error.strerror or error}") from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise RecordError(
            "unwritable", f"{folder} is a file, not a folder: choose another folder for records"
        ) from None
    except OSError as error:
        raise RecordError("unwritable", f"the folder {folder} cannot be created: {error.strerror or error}") from None


def _play_alone(file: BinaryIO, path: Path) -> None:
    """Keep a second program from writing to the same game; the lock goes with the file."""
    try:
        with _writing(path):
            if not lock(file.fileno(), wait=False):
                raise RecordError("in_use", f"{path} is being played by another program")
    except RecordError:
        file.close()
        raise
