"""What differs between operating systems, with the answers of those that are not at hand played by doubles."""

from __future__ import annotations

import ast
import errno
import fcntl
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import farkel
from farkel.errors import RecordError
from farkel.game import Leave
from farkel.play.match import Match, Setup, secret_path
from farkel.records import Seating, read, verify
from farkel.rules import load
from farkel.support import executors, system
from farkel.terminal.output import whole

FLAVOURED = {"fcntl", "msvcrt", "winreg", "resource", "termios", "tty", "pty", "pwd", "grp", "uvloop", "posix", "nt"}
"""Modules that not every system has."""


# This system ---------------------------------------------------------------------------------------------------------


def test_a_lock_keeps_others_out_until_its_file_is_closed(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("wb") as first, (tmp_path / "lock").open("wb") as second:
        assert system.lock(first.fileno(), wait=False)
        assert not system.lock(second.fileno(), wait=False)
        waiting = threading.Thread(target=lambda: system.lock(second.fileno(), wait=True))
        waiting.start()
        first.close()
        waiting.join(60)
        assert not waiting.is_alive()
        with (tmp_path / "lock").open("wb") as third:
            assert not system.lock(third.fileno(), wait=False)


def test_a_file_system_without_locks_does_not_look_in_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def flock(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(RecordError, match="No locks available") as caught:
        game(tmp_path / "game.farkel")
    assert caught.value.code == "unwritable"
    assert not (tmp_path / "game.farkel").exists()


@pytest.mark.parametrize(("number", "fails"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)])
def test_an_unsyncable_folder_does_not_stop_a_game(
    number: int, fails: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fsync(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fsync)
    if fails:
        with pytest.raises(OSError, match="error"):
            system.sync_folder(tmp_path)
    else:
        system.sync_folder(tmp_path)


def test_only_one_module_knows_on_which_system_it_runs() -> None:
    source = Path(farkel.__file__).parent
    for path in source.rglob("*.py"):
        if path == source / "support/system.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            names |= {node.module or ""} if isinstance(node, ast.ImportFrom) and not node.level else set()
            assert not names & FLAVOURED, (path, names)
            asked = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            assert not (asked and ast.unparse(node) in {"sys.platform", "os.name", "platform.system"}), path


# macOS ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("able", [True, False])
def test_macos_is_asked_to_write_through_the_drive(able: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def control(handle: int, what: object) -> int:
        asked.append(what)
        if not able:
            raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
        return 0

    monkeypatch.setattr(system, "sys", SimpleNamespace(platform="darwin"))
    monkeypatch.setitem(sys.modules, "fcntl", SimpleNamespace(fcntl=control, F_FULLFSYNC="full"))
    monkeypatch.setattr(os, "fsync", asked.append)
    system.sync(7)
    assert asked == ["full"] if able else asked == ["full", 7]


# Windows -------------------------------------------------------------------------------------------------------------


class Msvcrt:
    """Locks as Windows has them: of bytes from the file's position on, for one handle; waiting for it gives up."""

    LK_LOCK, LK_NBLCK = 1, 2

    def __init__(self) -> None:
        self.held: dict[tuple[int, int], int] = {}
        self.gave_up = 0

    def locking(self, handle: int, mode: int, size: int) -> None:
        assert (os.lseek(handle, 0, os.SEEK_CUR), size) == (system.LOCKED_BYTE, 1)
        file = os.fstat(handle)
        holder = self.held.setdefault((file.st_dev, file.st_ino), handle)
        if holder == handle or holder not in handles_of(file):
            self.held[file.st_dev, file.st_ino] = handle
        elif mode == self.LK_NBLCK:
            raise OSError(errno.EACCES, "Permission denied")
        else:
            self.gave_up += 1
            if self.gave_up == 3:
                os.close(holder)
            raise OSError(errno.EDEADLK, "Resource deadlock avoided")


def handles_of(file: os.stat_result) -> set[int]:
    """The handles by which this process has the file open."""
    found = set()
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        try:
            there = os.fstat(int(name))
        except OSError:
            continue
        if (there.st_dev, there.st_ino) == (file.st_dev, file.st_ino):
            found.add(int(name))
    return found


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[Msvcrt]:
    """No folder opens, open files stay, files that are only read are not synced, and there is no ``fcntl``."""
    double = Msvcrt()
    control, access, read_only = fcntl.fcntl, os.O_ACCMODE, os.O_RDONLY
    really = {name: getattr(os, name) for name in ("open", "fsync", "unlink", "replace")}

    def refused(path: str | os.PathLike[str]) -> None:
        if Path(path).exists() and handles_of(Path(path).stat()):
            raise PermissionError(errno.EACCES, "The process cannot access the file", os.fspath(path))

    def opened(path: str | os.PathLike[str], *how: int, **where: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return int(really["open"](path, *how, **where))

    def fsync(handle: int) -> None:
        if control(handle, fcntl.F_GETFL) & access == read_only:
            raise OSError(errno.EBADF, "Bad file descriptor")
        really["fsync"](handle)

    def unlink(path: str | os.PathLike[str], **where: int) -> None:
        refused(path)
        really["unlink"](path, **where)

    def put(path: str | os.PathLike[str], there: str | os.PathLike[str], **where: int) -> None:
        refused(path)
        refused(there)
        really["replace"](path, there, **where)

    with monkeypatch.context() as patch:
        patch.setattr(system, "sys", SimpleNamespace(platform="win32"))
        patch.setitem(sys.modules, "msvcrt", double)
        patch.setitem(sys.modules, "fcntl", None)
        for name, function in {"open": opened, "fsync": fsync, "unlink": unlink, "replace": put}.items():
            patch.setattr(os, name, function)
        yield double


def game(path: Path) -> Match:
    seats = (Seating("Ann", ("Ann",), "bot:bold"), Seating("Ben", ("Ben",), "bot:cautious"))
    return Match.start(Setup(load("standard(target=1000)"), seats, "committed"), path)


@pytest.mark.usefixtures("windows")
def test_on_windows_a_game_is_recorded_alone_interrupted_and_finished(tmp_path: Path) -> None:
    path = tmp_path / "games" / "game.farkel"
    match = game(path)
    match.throw()
    with pytest.raises(RecordError) as caught:
        Match.resume(path)
    assert caught.value.code == "in_use"
    match.close()
    with path.open("ab") as file:
        file.write(b"   2  Ann: ke")
    match = Match.resume(path)
    assert match.record.dropped == "2  Ann: ke"
    while not match.state.over:
        match.throw() if match.state.dice_due else match.act(match.decide() or Leave(9))
    match.close()
    assert len(verify(read(path))) == 2
    assert not secret_path(path).exists()


@pytest.mark.usefixtures("windows")
def test_on_windows_a_failed_record_leaves_no_file(disk: dict[str, bool], tmp_path: Path) -> None:
    disk["full"] = True
    with pytest.raises(RecordError, match="No space left"):
        game(tmp_path / "game.farkel")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("windows")
def test_on_windows_a_file_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    for text in ("first", "second"):
        with whole(tmp_path / "odds.svg") as part:
            part.write_text(text)
    assert [path.name for path in tmp_path.iterdir()] == ["odds.svg"]
    assert (tmp_path / "odds.svg").read_text() == "second"


def test_on_windows_waiting_for_a_lock_continues(windows: Msvcrt, tmp_path: Path) -> None:
    held = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    with (tmp_path / "lock").open("wb") as file:
        assert system.lock(held, wait=False)
        assert not system.lock(file.fileno(), wait=False)
        assert system.lock(file.fileno(), wait=True)
        assert windows.gave_up == 3
        assert file.tell() == 0


def test_work_is_done_at_once_where_there_are_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "has_threads", lambda: False)
    with executors.executor(2, "games") as pool:
        assert pool.submit(divmod, 7, 2).result() == (3, 1)
        failed = pool.submit(divmod, 7, 0)
        with pytest.raises(ZeroDivisionError):
            failed.result()
