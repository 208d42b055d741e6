"""A saved game again in plain lines, move by move; places in it, and what a review says about a move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from farkel.errors import FarkelError
from farkel.records import Record
from farkel.support.bounds import clipped
from farkel.support.progress import Progress
from farkel.support.words import counted, percent, sentence, signed_percent
from farkel.terminal.coach_pages import reviewed
from farkel.terminal.lines import EndOfInput, ask, say, work
from farkel.terminal.sentences import scores_line, told

if TYPE_CHECKING:
    from farkel.coach import Review

HELP = """\
  Enter             the next move              b  the move before
  t                 to the end of the turn     0, 1, 2, ...  to this move
  m                 the next mistake           chances  calculate winning chances
  h                 this help                  q  stop watching"""


def watch_lines(record: Record) -> None:
    """Step through a game on standard input and output, until it ends or the input does."""
    say(str(record.header))
    if record.problem is not None:
        say(sentence(f"the record is damaged; it is shown as far as it is intact: {record.problem.message}"))
    watched = _Watched(record)
    try:
        while watched.step(ask(f"Move {watched.at} of {len(record.moves)}; Enter: next, h: help, q: stop: ").lower()):
            pass
    except EndOfInput:
        return


class _Watched:
    """A game that is watched: the moves that have been told, and what is known of it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.at = 0
        self.review: Review | None = None

    def step(self, answer: str) -> bool:
        """Do what was typed; return False at the end."""
        if answer in ("q", "quit"):
            return False
        if answer in ("", "n", "next"):
            if self.at == len(self.record.moves):
                return False
            self._go(self.at + 1)
        elif answer in ("b", "back"):
            self._go(max(0, self.at - 1))
        elif answer in ("t", "turn"):
            self._go(nearest(ends_of_turns(self.record), self.at, 1) or self.at)
        elif answer in ("m", "mistake"):
            self._mistake()
        elif answer == "chances":
            self._calculate()
            self._tell_chances()
        elif answer.isascii() and answer.isdecimal() and len(answer) < 9 and int(answer) <= len(self.record.moves):
            self._go(int(answer))
        elif answer in ("h", "help", "?"):
            say(HELP)
        else:
            say(f'"{clipped(answer)}" is no command here: Enter is the next move, h is help, q stops.')
        return True

    def _go(self, at: int) -> None:
        """Tell the moves up to this one; back, only this one."""
        first = self.at if at > self.at else max(0, at - 1)
        self.at = at
        for number, move in enumerate(self.record.moves[first:at], first + 1):
            say(f"{number}. {' '.join(told(move, self.record.header.names))}")
            if fault := judged(self.review, number):
                say(fault)
            if move.ends_turn:
                say(scores_line(self.record.header.names, move.after))
        self._tell_chances()

    def _mistake(self) -> None:
        self._calculate()
        if self.review is None:
            return
        found = mistakes(self.review)
        place = nearest(found, self.at, 1)
        if place is None:
            say(f"No mistake after this move; {counted(len(found), 'mistake', 'mistakes')} in the game.")
        else:
            self._go(place)

    def _calculate(self) -> None:
        if self.review is not None:
            return

        def calculate(progress: Progress) -> None:
            self.review = reviewed(self.record, progress)

        try:
            work("Calculating winning chances for every move.", calculate)
        except FarkelError as error:
            say(sentence(error.message))

    def _tell_chances(self) -> None:
        """Say the winning chances, and their change by the last move, once they are known."""
        if self.review is None:
            return
        now = self.review.curve[self.at]
        before = self.review.curve[max(0, self.at - 1)]
        parts = [
            f"{name} {percent(chance)}" + (f" ({signed_percent(chance - was)})" if abs(chance - was) >= 0.0005 else "")
            for name, chance, was in zip(self.record.header.names, now, before, strict=True)
        ]
        say(f"Winning chances{'' if self.review.exact else ', approximately'}: {', '.join(parts)}.")


# Places in a saved game ----------------------------------------------------------------------------------------------


def ends_of_turns(record: Record) -> list[int]:
    """Return the start, the numbers of moves after which a turn is over, and the end."""
    return [0, *(at for at, move in enumerate(record.moves, 1) if move.ends_turn), len(record.moves)]


def mistakes(review: Review) -> list[int]:
    """Return the numbers of moves that give away winning chance."""
    return [at for at, step in enumerate(review.steps, 1) if step.decision and step.decision.grade != "good"]


def nearest(places: Sequence[int], at: int, direction: int) -> int | None:
    """Return the next of these places, or with direction -1 the one before; None if there is none."""
    beyond = [place for place in places if direction * (place - at) > 0]
    return min(beyond, key=lambda place: abs(place - at)) if beyond else None


def judged(review: Review | None, at: int) -> str:
    """Return the fault of move number ``at``, or "" if it has none."""
    decision = review.steps[at - 1].decision if review and at else None
    if decision is None or decision.grade == "good":
        return ""
    better = f"{decision.best} ({decision.best_chance:.1%} to win)"
    return f"{decision.grade.capitalize()}: costs {decision.error:.1%}. Better: {better}."
