"""Small screens over the game: something to read, something to answer, something that went wrong."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalGroup, VerticalScroll
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from farkel.game import Keep
from farkel.play.hints import Hint, Knowledge
from farkel.play.match import Match
from farkel.rules import Rules, sheet
from farkel.terminal.app.key_help import key_help
from farkel.terminal.app.screens import SCROLL, Dialog, FarkelScreen, Overlay, Result
from farkel.terminal.app.widgets import CHOOSE, Keys, Line
from farkel.terminal.drawing import whole_sheet
from farkel.terminal.setup import resuming

LEAST_WIDTH, LEAST_HEIGHT = 60, 20


class Reading(Overlay[None]):
    """A page to scroll and to close."""

    ABOUT = "A page to read."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter", "dismiss", "Back", key_display="Esc", tooltip="Close the page."),
        Binding("q,Q", "dismiss", "Leave", show=False, tooltip="Close the page."),
        Binding("up", "scroll(-1)", show=False, tooltip=SCROLL),
        Binding("down", "scroll(1)", show=False, tooltip=SCROLL),
        Binding("pageup", "page(-1)", "Page up", key_display="PgUp", tooltip="A page up."),
        Binding("pagedown,space", "page(1)", "Page down", key_display="PgDn", tooltip="A page down."),
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


class Help(Reading):
    """What can be done on a screen, with its keys in words."""

    def __init__(self, screen: FarkelScreen[Any]) -> None:
        super().__init__("Help", key_help(screen))


def scores_page(match: Match, width: int) -> Reading:
    """Return the whole score sheet for a terminal of this width, with the latest scores in sight."""
    return Reading("The scores", "\n".join(whole_sheet(match, width - 4)), at_end=True)


def rule_sheet(rules: Rules, width: int) -> Reading:
    """Return the rules of the game, made from the rules themselves, for a terminal of this width."""
    return Reading("The rules", sheet(rules).text(min(width, 80) - 4))


class KeyLine(Static):
    """A line of a dialog: a click on it does what its key does."""

    def __init__(self, key: str) -> None:
        super().__init__(markup=False)
        self.key = key

    def on_click(self, event: Click) -> None:
        event.stop()
        screen = self.screen
        if isinstance(screen, Choosing):
            screen.press(self.key)


class Choosing(Dialog[Result]):
    """A text, and lines to choose from: by key, by click, or with the arrows that move a mark."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Choose", key_display="↑↓", tooltip=CHOOSE),
        Binding("down", "move(1)", show=False, tooltip=CHOOSE),
    ]

    def __init__(self, text: str, keys: Sequence[str], at: int) -> None:
        super().__init__()
        self._text, self._keys, self._at = text, keys, at

    def lines(self) -> ComposeResult:
        yield Static(self._text, markup=False)
        with VerticalGroup(classes="more"):
            for key in self._keys:
                yield KeyLine(key)

    def on_mount(self) -> None:
        self.draw()

    def action_move(self, lines: int) -> None:
        self.mark(max(0, min(self._at + lines, len(self._keys) - 1)))

    def mark(self, at: int) -> None:
        """Move the mark to a line, and the line into sight."""
        self._at = at
        self.draw()
        self.call_after_refresh(self.query(KeyLine)[at].scroll_visible, animate=False)

    def draw(self) -> None:
        """Show the lines, and the mark before one of them."""
        for at, line in enumerate(self.query(KeyLine)):
            line.update(f"{'▸' if at == self._at else ' '} {self.said(at)}")

    @abstractmethod
    def said(self, at: int) -> str:
        """Return what a line says behind the mark."""

    @abstractmethod
    def press(self, key: str) -> None:
        """Do what the key of a line does."""


class Question(Choosing[str]):
    """A question with a key for each answer; the answer is the key.

    Esc gives the answer that has its key, or else the last one. The mark is there at first; Enter gives its answer.
    """

    ABOUT = "A question. Press the key of your answer or click it, or choose it with the arrows and press Enter."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer", "Answer", key_display="Enter", tooltip="Give the answer at the mark."),
    ]

    def __init__(self, text: str, answers: Sequence[tuple[str, str]]) -> None:
        keys = [key for key, _ in answers]
        self._escape = "escape" if "escape" in keys else keys[-1]
        super().__init__(text, keys, keys.index(self._escape))
        self._answers = answers

    def said(self, at: int) -> str:
        key, label = self._answers[at]
        named = {"escape": "Esc", "enter": "Enter" if at == self._at else ""}
        return f"{named.get(key, key.upper() if len(key) == 1 else ''):1}  {label}"

    def on_key(self, event: Key) -> None:
        key = self._escape if event.key == "escape" else event.key.lower()
        if key in self._keys and event.key != "enter":
            event.stop()
            self.press(key)

    def action_answer(self) -> None:
        self.press(self._keys[self._at])

    def press(self, key: str) -> None:
        """Give this answer."""
        self.dismiss(key)


class Marking(Choosing[tuple[str, ...]]):
    """Lines of which any may be ticked; the answer is the ticked ones."""

    ABOUT = "A list to tick. Enter takes what is ticked; a click ticks too."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", "Tick", key_display="Space", tooltip="Tick the line, or take its tick away."),
        *(Binding(f"{n}", f"number({n})", show=False, tooltip="Tick the line of this number.") for n in range(1, 10)),
        Binding("enter", "done", "Done", key_display="Enter", tooltip="Take what is ticked."),
        Binding("escape", "dismiss", "Back", key_display="Esc", tooltip="Go back; nothing changes."),
    ]

    def __init__(self, text: str, lines: Sequence[tuple[str, str]], marked: Sequence[str]) -> None:
        super().__init__(text, [str(number) for number in range(1, len(lines) + 1)], 0)
        self._lines, self._marked = lines, set(marked)

    def said(self, at: int) -> str:
        (name, about), key = self._lines[at], self._keys[at]
        return f"{key if len(key) == 1 else ' '} [{'x' if name in self._marked else ' '}] {about}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "number" or int(str(parameters[0])) <= len(self._lines)

    def action_number(self, number: int) -> None:
        self.press(str(number))

    def action_tick(self) -> None:
        self.press(self._keys[self._at])

    def action_done(self) -> None:
        self.dismiss(tuple(name for name, _ in self._lines if name in self._marked))

    def press(self, key: str) -> None:
        """Tick a line, or take its tick away."""
        at = int(key) - 1
        self._marked ^= {self._lines[at][0]}
        self.mark(at)


class AskName(Dialog[str]):
    """Asks for a line of text; the answer is "" if there is none."""

    ABOUT = "A line to type. Enter takes it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss('')", show=False, tooltip="Go back; nothing changes."),
    ]

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

    ABOUT = "A hint: the best play, and what speaks for it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "take", "Keep these dice", key_display="Enter", tooltip="Keep these dice; nothing is rolled yet."
        ),
        Binding("h,H", "solve", "Hint with chances", key_display="H", tooltip="Calculate winning chances for hints."),
        Binding("escape", "dismiss('')", "Back", key_display="Esc", tooltip="Close the hint."),
        Binding("q,Q", "dismiss('')", "Leave", show=False, tooltip="Close the hint."),
        Binding("enter,h,H", "dismiss('')", "Hint", show=False, tooltip="Close the hint."),
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
    return Question(text, [("q", "Leave; resume later"), ("escape", "Keep playing"), *give_up])


def give_up_question(name: str) -> Question:
    """Ask again before a player leaves the game for good."""
    text = f"{name} gives up?\n{name} leaves this game for good. The others play on."
    return Question(text, [("y", f"Yes, {name} gives up"), ("escape", "Keep playing")])


def write_failed(message: str) -> Question:
    """Tell that the record could not be written, so that nothing has happened in the game, and ask what to do."""
    text = f"This couldn't be saved, so it hasn't happened yet:\n{message}\nMake room on the disk, then try again."
    return Question(text, [("q", "Leave; resume the saved game later"), ("enter", "Try again")])


def line_dropped(line: str) -> Question:
    """Show the lines removed from the end of the record."""
    text = f"The last line of the record was cut off, so it was removed:\n{line}\nEverything before it is saved."
    return Question(text, [("enter", "Resume the game")])
