"""Differences between operating systems: locks, safe writes to the disk, and limits.

Everything else in Farkel is written for all systems alike. Functions look at ``sys.platform`` when they are called, so
that tests can play the part of another system.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from mmap import mmap
from pathlib import Path

if sys.platform != "win32":
    from mmap import MAP_ANONYMOUS, MAP_PRIVATE

LOCKED_BYTE = 2**31 - 2
"""Where Windows locks a file. No other process can read a locked byte there, so it is beyond the end of any record."""


def sync(handle: int) -> None:
    """Write an open file's contents to the disk and wait until they are there. Raises `OSError` if the disk is full."""
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # fsync of macOS stops at the drive's own memory; not every drive knows better
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)


def sync_folder(path: Path) -> None:
    """Write the names of a folder's files to the disk and wait until they are there. Raises `OSError` if that fails.

    Windows has no such request: it does not open folders, and its file systems keep their own journal of names.
    """
    if sys.platform != "win32":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:  # some network and container file systems cannot do this
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(handle)


def pages(size: int) -> mmap:
    """Return so many bytes of zeros; those that nothing is written to take no memory."""
    if sys.platform == "win32":
        return mmap(-1, size)
    return mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS)


def lock(handle: int, *, wait: bool) -> bool:
    """Lock an open file against all other programs; the lock ends when the file is closed or the program ends.

    Returns whether the lock is held: False only if another program holds it and ``wait`` is false. Raises `OSError` if
    the file system has no locks.
    """
    while True:
        try:
            _lock(handle, wait)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise
            if not wait:
                return False  # otherwise once more: Windows waits for ten seconds only
        else:
            return True


def _lock(handle: int, wait: bool) -> None:
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(handle, place, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def most_open_files(wanted: int) -> int:
    """Let this process have as many files and connections open as wanted, if it may; return how many it may have."""
    if sys.platform == "win32":
        return wanted  # its connections are not files, and have no such limit
    else:  # noqa: RET505  (type checkers read this file for one system at a time)
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)


def step_back(nice: int, memory: int) -> None:
    """Let other processes go first, and take no more bytes of memory for data than that, if the system can do so."""
    if sys.platform != "win32":
        import resource

        os.nice(nice)
        if sys.platform == "linux":  # elsewhere it does not count mapped files, or refuses
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def memory_of(process: int) -> int:
    """Return the bytes of memory that a process has for itself, without the files that it maps; 0 if it is not said."""
    try:
        _, resident, mapped, *_ = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(mapped)) * os.sysconf("SC_PAGE_SIZE")


def has_threads() -> bool:
    """Return whether there are threads. In a browser there are none."""
    return sys.platform != "emscripten"
