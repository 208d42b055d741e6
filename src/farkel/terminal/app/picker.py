"""A list to choose from with the arrow keys or the mouse. The choice has a mark, focus a heavy border."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.message import Message
from textual.widgets import Static


class Picker(Static, can_focus=True):
    """One of several lines is chosen at any time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("pagedown", "move(10)", show=False),
        Binding("home", "move(-1000000)", show=False),
        Binding("end", "move(1000000)", show=False),
    ]

    class Changed(Message):
        """Another line was chosen."""

        def __init__(self, picker: Picker) -> None:
            super().__init__()
            self.picker = picker

        @property
        def control(self) -> Picker:
            return self.picker

    def __init__(self, heading: str, lines: Sequence[str], index: int = 0, *, id: str, keys: str = "") -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self.border_title = heading
        self.border_subtitle = keys
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
