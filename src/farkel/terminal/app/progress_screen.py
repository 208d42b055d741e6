"""Slow work beside the application, with a bar that shows how far it is; everything else stays as quick as before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from farkel.errors import FarkelError
from farkel.support.progress import Progress, Reckoning
from farkel.support.words import counted
from farkel.terminal.app.screens import Dialog

LOOKS = 0.05
"""Seconds between two looks at how far the work is."""
PATIENCE = 2.0
"""Seconds that abandoned work may take to end when the application does."""
BAR = 40


_running: set[threading.Thread] = set()


def wait_for_work() -> None:
    """Let work that was stopped clean up behind itself."""
    for thread in list(_running):
        thread.join(PATIENCE)


class Stopped(Exception):
    """The work has been abandoned."""


class Working(Dialog[FarkelError | bool]):
    """Does something slow in a thread of its own: True when it is done, False when it was stopped, or its error."""

    ABOUT = "This takes some time. Everything goes on by itself when it is done."
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "stop", show=False, tooltip="Stop it.")]

    def __init__(self, text: str, work: Callable[[Progress], object]) -> None:
        super().__init__()
        self._text, self._work = text, work
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._began = monotonic()
        self._stopped = False
        self._reckoning, self._begun = Reckoning(), False
        self._outcome: FarkelError | bool | None = None
        self._fault: BaseException | None = None

    def lines(self) -> ComposeResult:
        yield Static(self._text, markup=False)
        yield Static("\n", classes="more", id="bar", markup=False)
        yield Static("Esc: stop", classes="more", markup=False)

    def on_mount(self) -> None:
        self.set_interval(LOOKS, self._look)
        self._thread.start()

    def on_unmount(self) -> None:
        self._stopped = True

    def action_stop(self) -> None:
        self._stopped = True
        self.dismiss(False)

    def _run(self) -> None:
        """Run in the thread: nothing of the application is touched here."""
        _running.add(self._thread)
        try:
            self._work(self)
            self._outcome = True
        except FarkelError as error:
            self._outcome = error
        except Stopped:
            self._outcome = False
        except BaseException as fault:  # a bug: it is raised in the main thread, where it shows
            self._fault = fault
        finally:
            _running.discard(self._thread)

    def __call__(self, done: float, of: float) -> None:
        """Hear how far the work is, in its thread."""
        if self._stopped:
            raise Stopped
        self._reckoning(done, of)
        self._begun = of > 0

    def doing(self, what: str, until: float) -> None:
        """Hear what is being done, in the thread of the work."""
        self._reckoning.doing(what, until)

    def _look(self) -> None:
        """Show how far it is, and go when it is done; while something covers this screen it waits."""
        if not self.is_active:
            return
        if self._fault is not None:
            raise self._fault
        if self._outcome is not None:
            self.dismiss(self._outcome)
            return
        self.write("bar", self._bar())

    def _bar(self) -> str:
        passed = f"{counted(int(monotonic() - self._began), 'second', 'seconds')} so far"
        if not self._begun:
            return f"Starting.\n{passed}"
        reckoning = self._reckoning
        full = int(BAR * reckoning.far)
        lines = [
            f"{'█' * full}{'░' * (BAR - full)} {reckoning.share:>4}",
            reckoning.what,
            ", ".join(filter(None, (passed, reckoning.rest))),
        ]
        return "\n".join(filter(None, lines))
