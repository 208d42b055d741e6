"""Small screens over the game: something to read, something to answer, something that went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup, VerticalScroll
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from farkel.game import Keep
from farkel.play.hints import Hint, Knowledge
from farkel.rules import Rules, sheet
from farkel.terminal.app.screens import Dialog, FarkelScreen, Overlay
from farkel.terminal.app.widgets import Keys, Line
from farkel.terminal.setup import resuming

LEAST_WIDTH, LEAST_HEIGHT = 60, 20


class Reading(Overlay[None]):
    """A page to scroll and to close."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,Q,question_mark,l,L", "dismiss", "Back", key_display="Esc"),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up"),
        Binding("pagedown,space", "page(1)", "Page down"),
    ]

    def __init__(self, heading: str, text: str, at_end: bool = False) -> None:
        super().__init__()
        self._heading, self._text, self._at_end = heading, text, at_end

    def compose(self) -> ComposeResult:
        yield Static(self._heading, classes="title", markup=False)
        yield VerticalScroll(Static(self._text, markup=False, id="text"), id="page", can_focus=False)
        yield Keys()

    def on_mount(self) -> None:
        if self._at_end:
            self.query_one("#page").scroll_end(animate=False)

    def action_scroll(self, lines: int) -> None:
        self.query_one("#page").scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        page = self.query_one("#page")
        page.scroll_relative(y=pages * (page.size.height - 1), animate=False)


def rule_sheet(rules: Rules, width: int) -> Reading:
    """Return the rules of the game, made from the rules themselves, for a terminal of this width."""
    return Reading("The rules", sheet(rules).text(min(width, 80) - 4))


class KeyLine(Static):
    """A line of a dialog: a click on it does what its key does."""

    def __init__(self, key: str, text: str = "") -> None:
        super().__init__(text, markup=False)
        self.key = key

    def on_click(self, event: Click) -> None:
        event.stop()
        screen = self.screen
        if isinstance(screen, Question | Marking):
            screen.press(self.key)


class Question(Dialog[str]):
    """A question with one key for each answer; the answer is the key. Esc is always the last one."""

    def __init__(self, text: str, answers: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._text, self._answers = text, answers

    def lines(self) -> ComposeResult:
        yield Static(self._text, markup=False)
        with VerticalGroup(classes="more"):
            for key, label in self._answers:
                shown = {"escape": "Esc", "enter": "Enter"}.get(key, key.upper())
                yield KeyLine(key, f"{shown}  {label}")

    def on_key(self, event: Key) -> None:
        key = event.key.lower()
        if key == "escape":
            key = self._answers[-1][0]
        if key in {answer for answer, _ in self._answers}:
            event.stop()
            self.press(key)

    def press(self, key: str) -> None:
        """Give this answer."""
        self.dismiss(key)


class Marking(Dialog[tuple[str, ...]]):
    """Lines of which any may be marked, each by its key; the answer is the marked ones."""

    KEYS = "123456789abcdefghijklmnopqrstuvwxyz"

    def __init__(self, text: str, lines: Sequence[tuple[str, str]], marked: Sequence[str]) -> None:
        super().__init__()
        self._text, self._lines, self._marked = text, lines, set(marked)

    def lines(self) -> ComposeResult:
        yield Static(self._text, markup=False)
        with VerticalGroup(classes="more"):
            for key in self.KEYS[: len(self._lines)]:
                yield KeyLine(key)
        keys = "a number" if len(self._lines) < 10 else "a number or letter"
        yield Static(f"Press {keys} to tick it    Enter: done    Esc: back", classes="more", markup=False)

    def on_mount(self) -> None:
        self.draw()

    def on_key(self, event: Key) -> None:
        if event.key == "enter":
            event.stop()
            self.dismiss(tuple(name for name, _ in self._lines if name in self._marked))
        elif event.key == "escape":
            event.stop()
            self.dismiss(None)
        elif len(event.key) == 1 and event.key in self.KEYS[: len(self._lines)]:
            event.stop()
            self.press(event.key)

    def press(self, key: str) -> None:
        """Mark a line, or take its mark away."""
        self._marked ^= {self._lines[self.KEYS.index(key)][0]}
        self.draw()

    def draw(self) -> None:
        """Show which lines are marked."""
        for line, (name, about) in zip(self.query(KeyLine), self._lines, strict=True):
            line.update(f"{line.key} [{'x' if name in self._marked else ' '}] {about}")


class AskName(Dialog[str]):
    """Asks for a line of text; the answer is "" if there is none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", show=False)]

    def __init__(self, text: str, value: str = "", enter: str = "add") -> None:
        super().__init__()
        self._text, self._value, self._enter = text, value, enter

    def lines(self) -> ComposeResult:
        yield Static(self._text, markup=False)
        yield Line(self._value, id="name")
        yield Static(f"Enter: {self._enter}    Esc: back", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip())


class HintScreen(Dialog[str]):
    """Shows a hint. Dismissed with "take" to have its dice selected, "solve" to have winning chances, or ""."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,a,A", "take", "Select these dice", key_display="Enter"),
        Binding("s,S", "solve", "Winning chances", key_display="S"),
        Binding("escape,h,H,q,Q", "dismiss('')", "Back", key_display="Esc"),
        Binding("enter", "dismiss('')", show=False),
    ]

    def __init__(self, hint: Hint, knowledge: Knowledge | None) -> None:
        super().__init__()
        self.hint = hint
        self.missing, self.solvable = (knowledge.missing, knowledge.solvable) if knowledge else ("", False)

    def lines(self) -> ComposeResult:
        yield Static(f"Hint: {self.hint.what}", classes="what", markup=False)
        yield Static(self.hint.why, classes="more", markup=False)
        yield Static("\n".join(self.hint.rows), classes="more", id="rows", markup=False)
        if self.missing:
            yield Static(self.missing, classes="more", id="missing", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.solvable if action == "solve" else action != "take" or isinstance(self.hint.action, Keep)

    def action_take(self) -> None:
        self.dismiss("take")

    def action_solve(self) -> None:
        self.dismiss("solve")


class TooSmall(FarkelScreen[None], ModalScreen[None]):
    """Covers everything until the terminal is large enough, and offers plain lines."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("p,P", "app.plain", "Plain lines")]

    def compose(self) -> ComposeResult:
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self.tell()

    def on_resize(self) -> None:
        self.tell()

    def tell(self) -> None:
        """Say how large the terminal is and should be."""
        if not self.on_stack:
            return
        width, height = self.app.size
        self.write(
            "too-small",
            f"Farkel needs {LEAST_WIDTH} columns and {LEAST_HEIGHT} rows. This terminal has {width} and {height}.\n"
            "Make it larger, or press P to continue in plain lines, as with --plain. "
            "Your game is safe. (Ctrl+Q quits)",
        )


def leave_question(path: Path, seats: Sequence[str]) -> Question:
    """Ask what to do on leaving: stop for now, or let one of the people leave the game for good."""
    text = f"Leave the game? It is saved. Resume it with:\n{resuming(path)}"
    give_up = [(str(number), f"{name} gives up") for number, name in enumerate(seats, 1)]
    return Question(text, [("l", "Leave; resume later"), *give_up, ("escape", "Keep playing")])


def give_up_question(name: str) -> Question:
    """Ask again before a player leaves the game for good."""
    text = f"{name} gives up?\n{name} leaves this game for good. The others play on."
    return Question(text, [("y", f"Yes, {name} gives up"), ("escape", "Keep playing")])


def write_failed(message: str) -> Question:
    """Tell that the record could not be written, so that nothing has happened in the game, and ask what to do."""
    text = f"This couldn't be saved, so it hasn't happened yet:\n{message}\nMake room on the disk, then try again."
    return Question(text, [("q", "Quit; resume the saved game later"), ("r", "Try again")])


def line_dropped(line: str) -> Question:
    """Show the lines removed from the end of the record."""
    text = f"The last line of the record was cut off, so it was removed:\n{line}\nEverything before it is saved."
    return Question(text, [("enter", "Resume the game")])
