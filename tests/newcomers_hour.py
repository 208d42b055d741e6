"""What a newcomer types in the first hour with the terminal, and what is on the screen after each step.

The programs are real ones, in a pseudo-terminal; `pyte` says what it shows. All dice are typed, so that the same games
are played each time.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pexpect
import pyte

from home import environment

SIZES = ((80, 24), (60, 20))
"""Columns and rows."""
KEYS = {
    "Enter": "\r",
    "Escape": "\x1b",
    "Tab": "\t",
    "Space": " ",
    "Up": "\x1b[A",
    "Down": "\x1b[B",
    "Right": "\x1b[C",
    "Left": "\x1b[D",
    "PageDown": "\x1b[6~",
    "F1": "\x1bOP",
    "Ctrl+U": "\x15",
}
ALTERNATE = 1049 << 5
"""As `pyte` has the mode of a second screen, on which applications draw."""


class Step(NamedTuple):
    """Something typed, and words that are on the screen once all of it is answered."""

    typed: str
    """Names of keys and single letters, with a space between; or a line in quotation marks, with Enter at its end."""
    shows: str


class Program(NamedTuple):
    """A command, and what is typed while it runs."""

    command: str
    shows: str
    steps: tuple[Step, ...] = ()


HOUR: tuple[Program, ...] = (
    Program("farkel", "Explain a command"),
    Program("farkel plya", "play"),
    Program(
        "farkel play",
        "New player",
        (
            Step("F1", "Page down"),
            Step("Escape", "New player"),
            Step("/", "or type them"),
            Step('"monopoly"', 'o rule set fits "monopoly"'),
            Step("/", "or type them"),
            Step('"standard(target=1000)"', "Chosen: standard(target=1000)."),
            Step("e", "the name of a field"),
            Step('"entry=300"', "Now entry = 300."),
            Step('"entry=many"', "many"),
            Step("Ctrl+U", "target=5000"),
            Step("Enter", "New player"),
            Step("Tab", "Remove"),
            Step("Down", "▸ Cautious"),
            Step("x", "▸ Player"),
            Step("n", "Who joins?"),
            Step("n", "Name of the new player"),
            Step('"Ben"', "▸ Ben"),
            Step("Tab", "▸ rolled"),
            Step("Down", "▸ committed"),
            Step("Down", "▸ real dice"),
            Step("Enter", "Your roll"),
            Step("?", "Page down"),
            Step("Escape", "Your roll"),
            Step('"5"', "Player rolls a 5"),
            Step('"3"', "Player starts"),
            Step('"112346"', "Keep dice"),
            Step("b", "Before you bank"),
            Step("a", "Keep 1-1"),
            Step("b", "300"),
            Step("r", "4 dice"),
            Step('"777"', "777"),
            Step("Ctrl+U", "Your roll"),
            Step('"1256"', "Keep dice"),
            Step("h", "Hint"),
            Step("Escape", "Keep dice"),
            Step("a", "Keep 1-5"),
            Step("b", "350"),
            Step('"farkle"', "Farkle!"),
            Step('"350"', "700"),
            Step("q", "Leave the game?"),
            Step("q", "farkel play --resume"),
        ),
    ),
    Program("farkel games", "unfinished"),
    Program(
        "farkel play --resume",
        "Your roll",
        (
            Step("l", "Page down"),
            Step("Escape", "Your roll"),
            Step("s", "Page down"),
            Step("Escape", "Your roll"),
            Step('"1000"', "one last turn"),
            Step("u", "700"),
            Step('"1000"', "one last turn"),
            Step('"250"', "Ben wins"),
            Step("F1", "Page down"),
            Step("Escape", "Play again"),
            Step("v", "Page down"),
            Step("Escape", "Play again"),
            Step("w", "move 0"),
            Step("Right", "move 1"),
            Step("Escape", "Play again"),
            Step("q", "Ben wins"),
        ),
    ),
    Program(
        "farkel play --plain --dice manual --players Ann,Ben --rules extended(start=first_seat,target=600,entry=0)",
        "Ann, roll",
        (
            Step('"h"', "help"),
            Step('"twelve"', "twelve"),
            Step('"1 1 2 3 4 4"', "1-1"),
            Step('"bank"', "Ben, roll"),
            Step('"farkle"', "Ann, roll"),
            Step('"log"', "Farkle"),
            Step('"scores"', "200"),
            Step('"undo"', "Ben, roll"),
            Step('"600"', "one last turn"),
            Step('"350"', "Ben wins"),
        ),
    ),
    Program("farkel games", "won"),
    Program("farkel replay 1", "Ben wins"),
    Program("farkel review 1", "better"),
    Program("farkel rules monopoly", "no rule set"),
    Program("farkel score 112355", "5-5"),
    Program("farkel odds standard", "--rules standard"),
    Program("farkel odds --rules standard", "864"),
    Program("farkel turn --rules standard", "keep rolling"),
    Program("farkel advise --rules standard --roll 123346", "--scores"),
)


class Shown(NamedTuple):
    """A step, and the screen after it."""

    typed: str
    lines: tuple[str, ...]


Waits = Callable[["Terminal", str], None]
"""Waits for the answer to a step, which shows these words."""


class _Screen(pyte.Screen):
    """A screen that is cleared when an application leaves it; a terminal shows what was there before, then."""

    def reset_mode(self, *modes: int, **named: bool) -> None:
        super().reset_mode(*modes, **named)
        if ALTERNATE >> 5 in modes and named.get("private"):
            self.reset()


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, command: str, size: tuple[int, int], home: Path) -> None:
        self._screen = _Screen(*size)
        self._stream = pyte.Stream(self._screen)
        self._home = str(home)
        folders = {f"XDG_{one}_HOME": str(home / one.lower()) for one in ("CACHE", "CONFIG", "DATA", "STATE")}
        words = re.findall(r"'[^']*'|\S+", command.removeprefix("farkel"))
        self.program = pexpect.spawn(
            sys.executable,
            ["-m", "farkel", *(word.strip("'") for word in words)],
            env=environment(HOME=str(home), TERM="xterm-256color", LANG="C.UTF-8", PAGER="cat", **folders),
            dimensions=size[::-1],
            encoding="utf-8",
        )

    def type(self, what: str) -> None:
        """Type keys, or a line."""
        if what.startswith('"'):
            self.program.send(what[1:-1] + "\r")
            return
        for key in what.split():
            self.program.send(KEYS.get(key, key))

    def read(self, seconds: float) -> bool:
        """Wait for something new on the screen. Returns whether anything came."""
        try:
            self._stream.feed(self.program.read_nonblocking(1 << 16, seconds))
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        return True

    def runs(self) -> bool:
        """Return whether the program has not ended."""
        return bool(self.program.isalive())

    def lines(self) -> tuple[str, ...]:
        """Return what is on the screen: with other days, times and folders in their places."""
        text = "\n".join(line.rstrip() for line in self._screen.display).rstrip()
        text = text.replace(self._home, "/home/newcomer".ljust(len(self._home), "s"))
        text = re.sub(r"\d{4}-\d\d-\d\d([ -])\d\d(:?)\d\d", r"2000-01-01\g<1>12\g<2>00", text)
        return tuple(text.splitlines())

    def close(self) -> None:
        """End the program if it still runs."""
        self.program.close(force=True)


@contextmanager
def a_home() -> Iterator[Path]:
    """Make an empty home, whose name is always equally long: lines break in the same places."""
    with tempfile.TemporaryDirectory(prefix="farkel-", dir="/tmp") as folder:
        yield Path(folder)


def an_hour(size: tuple[int, int], waits: Waits) -> Iterator[Shown]:
    """Type everything, and yield what is on the screen after each step."""
    with a_home() as home:
        for program in HOUR:
            terminal = Terminal(program.command, size, home)
            try:
                waits(terminal, program.shows)
                yield Shown(f"$ {program.command}", terminal.lines())
                for step in program.steps:
                    terminal.type(step.typed)
                    waits(terminal, step.shows)
                    yield Shown(step.typed, terminal.lines())
            finally:
                terminal.close()


def written(shown: Shown) -> str:
    """Return a step as the transcript has it."""
    return "\n".join((f"=== {shown.typed}", *shown.lines, ""))


def transcript(size: tuple[int, int]) -> Path:
    """Return where the transcript of an hour in a terminal of that size is kept."""
    return Path(__file__).parent / "core" / "newcomers_hour" / f"{size[0]}x{size[1]}.txt"
