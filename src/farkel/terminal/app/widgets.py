"""Dice to click, the choices that the keys stand for, a list to choose from, and lines to type in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, HorizontalGroup
from textual.content import Content
from textual.events import Click, Key, Resize
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Footer, Input, Static
from textual.widgets._footer import FooterKey

from farkel.dice import KEYS, MOST_DICE
from farkel.terminal.app.table_text import KeyChoice
from farkel.terminal.drawing import die_art, small_die_art

FARKLE = "farkle"
CHOOSE = "Choose another line of the list."
FARTHER = "Ten lines up or down; to the first or last line."
WIDE = 6
"""Dice with pips side by side; more are drawn small."""


class Die(Static):
    """One die. A selected one is raised, has a double border and says so: never by colour alone."""

    class Clicked(Message):
        """The die was clicked; ``number`` counts from 1 as the keys do."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, number: int) -> None:
        super().__init__(id=f"die-{number}", markup=False)
        self.number = number

    def draw(self, face: int, label: str, selected: bool, dead: bool, small: bool = False, low: bool = False) -> None:
        """Show a face, with its key below it; ``low``: in four lines."""
        if low:
            lines = art = [*small_die_art(face, selected), f"{label}✓" if selected else label]
        elif small:
            art = small_die_art(face, selected)
            lines = ["", *art, "", f"{label}✓"] if selected else ["", "", *art, label]
        else:
            art = die_art(face, selected)
            lines = [*art, "", f"[{label}] ✓" if label else "✓"] if selected else ["", *art, label]
        self.update("\n".join(line.center(len(art[0])) for line in lines))
        self.set_class(small, "-small")
        self.set_class(selected, "-selected")
        self.set_class(dead, "-dead")

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(self.Clicked(self.number))


class DiceRow(Horizontal):
    """The dice of a roll side by side."""

    def __init__(self) -> None:
        self.dice = [Die(number) for number in range(1, MOST_DICE + 1)]
        super().__init__(*self.dice, id="dice")

    def draw(
        self, faces: Sequence[int], selected: Iterable[int] = (), scoring: Iterable[int] = (), keys: bool = False
    ) -> None:
        """Show the faces. ``selected`` are numbers from 1; with ``keys`` each die is labelled with the key it is on."""
        chosen, alive = set(selected), set(scoring)
        low = self.screen.has_class("-narrow")
        for die in self.dice:
            shown = die.number <= len(faces)
            die.display = shown
            if shown:
                face = faces[die.number - 1]
                label = KEYS[die.number - 1] if keys else ""
                dead = keys and bool(alive) and face not in alive
                die.draw(face, label, die.number in chosen, dead, len(faces) > WIDE or low, low)


class ChoiceButton(Static):
    """A key with its action; one that does nothing now is crossed out, and says why when it is clicked."""

    class Pressed(Message):
        """The choice was clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.key = ""

    def draw(self, choice: KeyChoice) -> None:
        self.key = choice.key
        self.set_class(bool(choice.why), "-refused")
        if choice.why:
            self.update(f"✗ {choice.key} {choice.label}")
        else:
            self.update(Content.assemble((f" {choice.key} ", "reverse bold"), f" {choice.label}"))

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(self.Pressed(self.key))


class ChoiceBar(Horizontal):
    """The legal actions."""

    def __init__(self) -> None:
        self.buttons = [ChoiceButton() for _ in range(3)]
        super().__init__(*self.buttons, id="choices")

    def draw(self, choices: Sequence[KeyChoice]) -> None:
        for index, button in enumerate(self.buttons):
            button.display = index < len(choices)
            if index < len(choices):
                button.draw(choices[index])


class Keys(Footer):
    """The keys of the screen, in as many lines as they need."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)

    def compose(self) -> ComposeResult:
        rows: list[list[Widget]] = [[]]
        room = self.app.size.width
        for key in super().compose():
            width = cell_len(f" {key.key_display} {key.description} ") if isinstance(key, FooterKey) else 0
            if width > room and rows[-1]:
                rows.append([])
                room = self.app.size.width
            rows[-1].append(key)
            room -= width
        yield from (HorizontalGroup(*row) for row in rows)

    def on_resize(self) -> None:
        self.call_after_refresh(self.recompose)


class Picker(Static, can_focus=True):
    """A list, of which one line is chosen at any time: it has a mark, and focus a heavy border."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Choose", key_display="↑↓", tooltip=CHOOSE),
        Binding("down", "move(1)", show=False, tooltip=CHOOSE),
        Binding("pageup", "move(-10)", show=False, tooltip=FARTHER),
        Binding("pagedown", "move(10)", show=False, tooltip=FARTHER),
        Binding("home", "move(-1000000)", show=False, tooltip=FARTHER),
        Binding("end", "move(1000000)", show=False, tooltip=FARTHER),
    ]

    class Changed(Message):
        """Another line was chosen."""

        def __init__(self, picker: Picker) -> None:
            super().__init__()
            self.picker = picker

        @property
        def control(self) -> Picker:
            return self.picker

    def __init__(self, heading: str, lines: Sequence[str], index: int = 0, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self.border_title = heading
        self.lines = list(lines)
        self.index = index

    def on_mount(self) -> None:
        self.draw()

    def on_resize(self, event: Resize) -> None:
        self.draw()

    def show(self, lines: Sequence[str], index: int) -> None:
        """Show other lines."""
        self.lines = list(lines)
        self.index = max(0, min(index, len(self.lines) - 1))
        self.draw()

    def draw(self) -> None:
        top = self._top()
        shown = enumerate(self.lines[top : top + self._room()], top)
        self.update("\n".join(f"{'▸' if at == self.index else ' '} {line}" for at, line in shown))

    def action_move(self, lines: int) -> None:
        self._choose(self.index + lines)

    def on_click(self, event: Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and self._top() + offset.y < len(self.lines):
            self._choose(self._top() + offset.y)

    def _choose(self, index: int) -> None:
        index = max(0, min(index, len(self.lines) - 1))
        if index != self.index:
            self.index = index
            self.draw()
            self.post_message(self.Changed(self))

    def _room(self) -> int:
        return max(1, self.content_size.height)

    def _top(self) -> int:
        """Return the first line shown: the list follows the choice if it is longer than its place."""
        return max(0, min(self.index - self._room() // 2, len(self.lines) - self._room()))


class Line(Input):
    """A line to type in, in which every key does its work in its turn.

    Textual enters characters here, but runs Backspace, Enter and the like only when the key has come up to the
    application: characters that are typed meanwhile would overtake them.
    """

    async def _on_key(self, event: Key) -> None:
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)


class RollInput(Line):
    """Takes the faces of real dice, or a whole turn; other letters than those of "farkle" are keys of the game."""

    def __init__(self) -> None:
        super().__init__(id="typed", compact=True, select_on_focus=False)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        if character is None:
            return False
        return character.isdecimal() or character in " -,+" or FARKLE.startswith(f"{self.value}{character}".lower())

    async def _on_key(self, event: Key) -> None:
        if event.is_printable and not self.check_consume_key(event.key, event.character):
            event.prevent_default()  # Input would take the letter; without it the key continues to the screen
