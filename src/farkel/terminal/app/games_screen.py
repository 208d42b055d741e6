"""My games: all saved games in a list, to resume, watch, review or delete."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from farkel.errors import FarkelError
from farkel.records import Record, read
from farkel.support.progress import Progress
from farkel.support.words import counted
from farkel.terminal.app.dialogs import Question
from farkel.terminal.app.screens import REVIEW, WATCH, Overlay
from farkel.terminal.app.watch_screen import WatchScreen
from farkel.terminal.app.widgets import Keys, Picker
from farkel.terminal.saved_games import SavedGame, discard, games, known, newest

FEW = 100
"""Records that are read without showing progress."""


class GamesScreen(Overlay[Path]):
    """The list of saved games. Dismissed with the record of the game to resume."""

    ABOUT = "Your saved games, the last one played first."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "resume", "Resume", key_display="Enter", tooltip="Resume the game at the mark."),
        WATCH,
        REVIEW,
        Binding("x,X,delete", "delete", "Remove", key_display="X", tooltip="Move the game to the trash."),
        Binding("slash", "unfinished", "Unfinished only", key_display="/", tooltip="Unfinished games only, or all."),
        Binding("escape", "dismiss", "Back", key_display="Esc", tooltip="Back to the set-up."),
        Binding("q,Q", "dismiss", "Leave", show=False, tooltip="Back to the set-up."),
    ]

    def __init__(self, folder: Path, first: Path | None = None) -> None:
        super().__init__()
        self.folder, self.first = folder, first
        self.entries: tuple[SavedGame, ...] = ()
        self.unfinished = False

    @property
    def shown(self) -> list[SavedGame]:
        """The games in the list."""
        return [entry for entry in self.entries if entry.resumable or not self.unfinished]

    def compose(self) -> ComposeResult:
        yield Static("My games", id="title", classes="title", markup=False)
        yield Picker("", [], id="games")
        yield Static(id="problem", markup=False)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one(Picker).focus()
        if len(newest(self.folder)) - len(known(self.folder)) <= FEW:
            self._list(lambda done, of: None)
            self.show(self.first)
        else:
            self.farkel.work("Listing your games.", self._list, lambda: self.show(self.first), self.say)

    def _list(self, progress: Progress) -> None:
        self.entries = games(self.folder, progress)

    def show(self, at: Path | None = None) -> None:
        """Draw the list, with the mark at a game."""
        if not self.on_stack:
            return
        shown, picker = self.shown, self.query_one(Picker)
        paths = [entry.path for entry in shown]
        picker.show([line(entry) for entry in shown], paths.index(at) if at in paths else picker.index)
        unfinished = sum(entry.resumable for entry in self.entries)
        picker.border_title = f"{counted(len(self.entries), 'game', 'games')}, {unfinished:,} unfinished"
        none = "No unfinished games. Press / to list all." if self.entries else f"There are no games in {self.folder}."
        if shown:
            self.tell()
        else:
            self.say(none)

    def tell(self) -> None:
        """Show the game at the mark in full below the list, if its line is cut there."""
        chosen = self._chosen()
        text = line(chosen) if chosen else ""
        self.say(text if cell_len(text) > self.query_one(Picker).content_size.width - 2 else "")

    def on_picker_changed(self) -> None:
        self.tell()

    def _chosen(self) -> SavedGame | None:
        shown = self.shown
        return shown[self.query_one(Picker).index] if shown else None

    def _with_record(self, use: Callable[[Record], object]) -> None:
        """Do something with the record of the game at the mark, or say why it cannot be read."""
        chosen = self._chosen()
        if chosen is not None:
            self.attempt(lambda: use(read(chosen.path)))

    def action_resume(self) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        if chosen.resumable:
            self.dismiss(chosen.path)
        else:
            self.say("This game is over. Press W to watch it." if chosen.over else f"{chosen.problem}.")

    def action_watch(self) -> None:
        self._with_record(lambda record: self.app.push_screen(WatchScreen(record)))

    def action_review(self) -> None:
        self._with_record(lambda record: self.farkel.review(record, self.say))

    def action_unfinished(self) -> None:
        chosen = self._chosen()
        self.unfinished = not self.unfinished
        self.show(chosen.path if chosen else None)

    def action_delete(self) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        text = f"Move this game to the trash?\n{line(chosen)}"
        answers = [("y", "Yes, move it"), ("escape", "Keep it")]
        self.app.push_screen(Question(text, answers), partial(self._delete, chosen))

    def _delete(self, entry: SavedGame, answer: str | None) -> None:
        if answer != "y":
            return
        try:
            moved = discard(entry.path)
        except FarkelError as error:
            self.say(f"{error.message}.")
            return
        self.entries = tuple(other for other in self.entries if other.path != entry.path)
        self.show()
        self.say(f"Moved to {moved.parent}. To bring it back: farkel games restore {moved.stem}")


def line(entry: SavedGame) -> str:
    """Return a game in a line: when, the rules, the players with their scores, and how it ended."""
    if entry.problem:
        return f"{entry.path.name}: damaged"
    if not entry.over:
        return f"{entry} (unfinished)"
    return f"{entry} ({' and '.join(entry.winners)} won)" if entry.winners else f"{entry} (no winner)"
