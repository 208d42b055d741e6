"""Standard input, output and error: a closed, full or unread stream ends a command with one clear line."""

from __future__ import annotations

import io
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn, TextIO

import click

from farkel.support.clock import CLOCK

STOPPED = 130
"""Exit status of a program that is stopped from the keyboard: 128 and the number of SIGINT."""
UNREAD = 141
"""Exit status of a program whose reader has gone: 128 and the number of SIGPIPE."""


STATUSES = {
    0: "Done.",
    1: "Failed; the reason is on standard error.",
    2: "Wrong usage: an unknown command or option, or a value that it does not take.",
    STOPPED: "Stopped from the keyboard with Ctrl-C.",
    UNREAD: "Nothing reads the output any more, for example after a pipe into head.",
}
"""Every exit status, and its meaning."""


class Unread(Exception):
    """The reader of the output has gone."""


def stopped(message: str = "Stopped.") -> NoReturn:
    """End a command that was stopped from the keyboard, and say so, or what there is of its work."""
    _report(message)
    sys.exit(STOPPED)


def on_a_screen() -> bool:
    """Return whether the application can be shown: input and output are a terminal that can move its cursor."""
    return os.environ.get("TERM") != "dumb" and is_terminal(sys.stdin) and is_terminal(sys.stdout)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether the stream is a terminal; a closed one is None."""
    return stream is not None and stream.isatty()


@contextmanager
def told_if_unread() -> Iterator[None]:
    """Raise `Unread` for a broken pipe, which click would turn into an exit status of its own."""
    try:
        yield
    except BrokenPipeError:
        raise Unread from None


def ended(command: Callable[[], object]) -> NoReturn:
    """Run a command to its end, with everything written, and end the program with its exit status."""
    _open_all()
    status: int | str | None
    if sys.stdout is None:
        status = _report("Error: standard output is closed; send it to a file or to /dev/null")
    else:
        with _interruptible():
            status = _status(command)
    for stream in (sys.stdout, sys.stderr):
        _give_up(stream)
    sys.exit(status)


def _status(command: Callable[[], object]) -> int | str | None:
    """Return the command's exit status, or that of its failure, which is reported."""
    status: int | str | None = 0
    try:
        try:
            found = command()
            status = found if isinstance(found, int) else 0
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _report("Stopped.")
        return STOPPED
    except (Unread, BrokenPipeError):
        return UNREAD
    except OSError as error:
        what = "the output cannot be written" if error.filename is None else error.filename
        return _report(f"Error: {what}: {error.strerror or error}")
    return status


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the program while it compiles, which takes many seconds; otherwise it does what it always does.

    A compiler cannot be interrupted: it swallows what Ctrl-C raises, or breaks by it, and while it runs in C nothing is
    raised at all. So a thread waits for the signal as well.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield  # in the background, where a shell lets programs ignore it
        return
    woken, waking = socket.socketpair()
    waking.setblocking(False)
    signal.signal(signal.SIGINT, _interrupted)
    signal.set_wakeup_fd(waking.fileno())
    watching = threading.Thread(target=_watch, args=(woken,), daemon=True)
    watching.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, before)
        waking.close()
        watching.join()
        woken.close()


def _watch(woken: socket.socket) -> None:
    while number := woken.recv(1):
        if number[0] == signal.SIGINT:
            _ended_while_compiling()


def _interrupted(number: int, frame: FrameType | None) -> None:
    if not _ended_while_compiling():
        signal.default_int_handler(number, frame)


def _ended_while_compiling() -> bool:
    """End the program if it compiles. Returns whether the other thread is doing that already."""
    if not CLOCK.stands:
        return False
    if _ending.acquire(blocking=False):
        for leave in reversed(_left):
            with suppress(Exception):
                leave()
        _report("Stopped.")
        os._exit(STOPPED)
    return True


_ending = threading.Lock()
_left: list[Callable[[], object]] = []


@contextmanager
def if_stopped(leave: Callable[[], object]) -> Iterator[None]:
    """Do this if Ctrl-C ends the program within the block while it compiles: nothing else is done then."""
    _left.append(leave)
    try:
        yield
    finally:
        _left.remove(leave)


def _report(message: str) -> int:
    with suppress(OSError):
        click.echo(message, err=True)
    return 1


def _open_all() -> None:
    """Keep the numbers of closed streams from becoming those of files, which would get the output."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(handle, True)
    os.close(handle)
    if sys.stdin is None:
        sys.stdin = io.StringIO()
    if sys.stderr is None:
        sys.stderr = io.StringIO()


def _give_up(stream: object) -> None:
    """Drop unwritable output, so that the interpreter does not try again on exit."""
    if isinstance(stream, io.TextIOWrapper):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):
                handle = os.open(os.devnull, os.O_WRONLY)
                os.dup2(handle, stream.fileno())
                os.close(handle)
