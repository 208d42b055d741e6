"""Calculations beside the page, in a worker of the coach's own: a second Python, which may be stopped at any moment.

What is known at once is answered here. Everything else goes to the worker, which answers one question after the other;
the same questions share one calculation. *Stop* ends the worker, and the next question starts another one. What it has
solved is kept in the browser (see ``shell/coach.mjs``), so that it need not be solved again.

These messages pass between this module and ``shell/coach.mjs``:

=============  ==========================  ============================================================
to the worker  ``{number, work}``          a question: its number, and bytes with the function and its arguments
from it        ``{number, done, of}``      how far the calculation is, a few times in a second at most
from it        ``{number, reply}``         bytes with the answer, or with the error
from it        ``{failed}``                why it has ended: Python could not be loaded, or has broken down
=============  ==========================  ============================================================

Numbers grow. A question may be sent before the worker has loaded Python: it is answered afterwards.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import time
from collections.abc import Callable, Hashable
from functools import cache
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeVar

from farkel.errors import SolveError
from farkel.kernels.spaces import SETTING
from farkel.values import LOOK
from farkel.web.coaching import calculations
from farkel.web.game import bots

T = TypeVar("T")

CHANNEL = "farkel-coach"
"""Whatever happens to a calculation is announced there, so that pages look: ``static/coach.js``."""
EARLY, LITTLE = 2.0, 0.01
"""Seconds and the share of the work after which it can be told how long the rest will take."""
WHAT: dict[Callable[..., Any], str] = {
    bots.decide: "the bot's move",
    calculations.value: "best play",
    calculations.card: "the card",
    calculations.hint: "the hint",
    calculations.chances: "the winning chances",
    calculations.review: "the review",
}


class Link(Protocol):
    """The way to a worker."""

    def send(self, number: int, work: bytes) -> None:
        """Ask a question."""

    def end(self) -> None:
        """End the worker, whatever it is doing."""


class Doing(NamedTuple):
    """What is being calculated."""

    number: int
    """Of the question."""
    what: str
    took: float
    """Seconds so far."""
    share: float
    """How much of it is done, at most 1."""
    left: float | None
    """Seconds that the rest will take, if that can be told."""

    @property
    def sentence(self) -> str:
        """All of it in words."""
        if self.left is None:
            return f"Calculating {self.what} …"
        return f"Calculating {self.what}: {self.share:.0%}, about {_duration(self.left)} left"


class _Question:
    def __init__(self, about: Hashable, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.about = about
        self.what = WHAT.get(function, "best play")
        self.work = pickle.dumps((function, arguments))
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())  # all may have gone
        self.began = 0.0
        self.share = 0.0


class PageCalculator:
    """What asks the coach's worker on behalf of the pages of one browser."""

    def __init__(
        self,
        start: Callable[[PageCalculator], Link],
        changed: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """start: starts a worker, which is heard by the calculator. changed: called when `doing` is another."""
        self._start = start
        self._changed = changed
        self._clock = clock
        self._link: Link | None = None
        self._numbers = count(1)
        self._asked: dict[int, _Question] = {}
        """The first one is being answered."""

    @property
    def doing(self) -> Doing | None:
        """What is being calculated, if anything is."""
        for number, question in self._asked.items():
            share, took = question.share, self._clock() - question.began
            left = took * (1 - share) / share if took > EARLY and share > LITTLE else None
            return Doing(number, question.what, took, share, left)
        return None

    async def ask(self, about: Hashable, function: Callable[..., T], *arguments: Any, bounded: bool = True) -> T:
        """Return the function's answer; callers with the same ``about`` share one calculation.

        Raises the function's errors, and `SolveError` ``stopped`` or ``broken_off``.
        """
        at_hand = calculations.AT_HAND.get(function)
        if at_hand is None or at_hand(*arguments):
            return function(*arguments)
        found = next((question for question in self._asked.values() if question.about == about), None)
        if found is None:
            found = _Question(about, function, arguments)
            number = next(self._numbers)
            self._asked[number] = found
            if len(self._asked) == 1:
                self._begin()
            self._sent(number, found)
        answer: T = await asyncio.shield(found.answer)  # one who goes does not take it from the others
        return answer

    def stop(self, number: int) -> None:
        """Give up what is being calculated, if it is this question."""
        if number == next(iter(self._asked), None):
            self._give_up("stopped", "the calculation was stopped; ask again to start it anew")

    async def close(self) -> None:
        """Give up everything."""
        for question in self._asked.values():
            question.answer.cancel()
        self._asked.clear()
        self._end()

    # What the worker says ---------------------------------------------------------------------------------------------

    def progressed(self, number: int, done: float, of: float) -> None:
        """Note how far a calculation is."""
        question = self._asked.get(number)
        if question is not None and of > 0:
            if done / of < question.share:  # it has come to another part of the work
                question.began = self._clock()
            question.share = min(1.0, done / of)
            self._changed()

    def answered(self, number: int, reply: bytes) -> None:
        """Take an answer, or an error."""
        question = self._asked.pop(number, None)
        if question is None:
            return
        answer = pickle.loads(reply)  # noqa: S301  from a worker of ours
        if question.answer.cancelled():
            pass
        elif isinstance(answer, BaseException):
            question.answer.set_exception(answer)
        else:
            question.answer.set_result(answer)
        self._begin()

    def failed(self, why: str) -> None:
        """Give up what was being calculated when the worker ended."""
        said = f"the calculation broke off ({why}); try again, or with farkel serve on a computer"
        self._give_up("broken_off", said)

    # ------------------------------------------------------------------------------------------------------------------

    def _give_up(self, code: str, why: str) -> None:
        """End the worker; it was busy with the first question, and the others are asked again."""
        self._end()
        if self._asked:
            question = self._asked.pop(next(iter(self._asked)))
            if not question.answer.cancelled():
                question.answer.set_exception(SolveError(code, why))
        self._begin()
        for number, other in self._asked.items():
            self._sent(number, other)

    def _begin(self) -> None:
        """Note when the first question is begun."""
        for question in self._asked.values():
            question.began = self._clock()
            break
        self._changed()

    def _sent(self, number: int, question: _Question) -> None:
        if self._link is None:
            self._link = self._start(self)
        self._link.send(number, question.work)

    def _end(self) -> None:
        if self._link is not None:
            self._link.end()
            self._link = None


def _duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min"


# In a browser ---------------------------------------------------------------------------------------------------------


@cache
def only_asks() -> None:
    """Let this Python ask the coach, which runs the modules and has the values that come with Farkel."""
    os.environ.setdefault(SETTING, "shipped")
    LOOK.append(lambda name: None)


def calculator(make: Callable[[], Any]) -> PageCalculator:
    """Return the calculator of a page. make: a function of JavaScript that returns a new worker for the coach."""
    import js

    only_asks()
    channel = js.BroadcastChannel.new(CHANNEL)
    return PageCalculator(lambda found: WorkerLink(make(), found), lambda: channel.postMessage(None))


class WorkerLink:
    """The way to a worker of the browser."""

    def __init__(self, worker: Any, calculator: PageCalculator) -> None:
        from pyodide.ffi import create_proxy

        self._worker = worker
        self._calculator: PageCalculator | None = calculator
        self._heard = create_proxy(self._hear)
        self._broken = create_proxy(lambda event: self._fail(str(getattr(event, "message", "") or "the worker ended")))
        worker.onmessage, worker.onerror = self._heard, self._broken

    def send(self, number: int, work: bytes) -> None:
        import js
        from pyodide.ffi import to_js

        self._worker.postMessage(to_js({"number": number, "work": work}, dict_converter=js.Object.fromEntries))

    def end(self) -> None:
        self._calculator = None
        self._worker.onmessage = self._worker.onerror = None
        self._worker.terminate()
        self._heard.destroy()
        self._broken.destroy()

    def _hear(self, event: Any) -> None:
        said, calculator = event.data, self._calculator
        if calculator is None:
            return
        if hasattr(said, "reply"):
            calculator.answered(said.number, said.reply.to_bytes())
        elif hasattr(said, "done"):
            calculator.progressed(said.number, said.done, said.of)
        elif hasattr(said, "failed"):
            self._fail(said.failed)

    def _fail(self, why: str) -> None:
        if self._calculator is not None:
            self._calculator.failed(why)
