"""What screens have in common: the application behind them, one answer for one over another, the sheet and the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.widgets import Static

from farkel.errors import FarkelError
from farkel.play.match import Match
from farkel.terminal.app.table_text import PANEL_WIDTH, log_tail
from farkel.terminal.drawing import SHEET_WIDTH, score_sheet, sheet_width

if TYPE_CHECKING:
    from farkel.terminal.app.app import FarkelApp

Result = TypeVar("Result")


class FarkelScreen(Screen[Result]):
    """A screen of the application."""

    @property
    def farkel(self) -> FarkelApp:
        return cast("FarkelApp", self.app)

    @property
    def on_stack(self) -> bool:
        """Whether it is still there, shown or covered. One that has been replaced has nothing to draw on."""
        return self in self.app.screen_stack

    def write(self, name: str, text: str) -> None:
        """Show a text in its place."""
        self.query_one(f"#{name}", Static).update(text)

    def say(self, text: str) -> None:
        """Say what happened, or why something is impossible."""
        self.write("problem", text)

    def attempt(self, change: Callable[[], object]) -> None:
        """Do something, or say why it is impossible."""
        try:
            change()
        except FarkelError as error:
            self.say(f"{error.message}.")


class Overlay(FarkelScreen[Result]):
    """A screen over another that takes one answer.

    Keys and clicks may be waiting when the answer is given. Textual would take them for answers too, and take away one
    screen for each of them.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Give the answer and go; ignore it if one was given before, or while something covers this screen."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


def draw_sheet(screen: FarkelScreen[Any], match: Match) -> None:
    """Draw the score sheet of a table, as wide as it makes use of."""
    sheet = screen.query_one("#sheet", Static)
    width = sheet_width(match, max(SHEET_WIDTH, screen.size.width - PANEL_WIDTH - 1))
    sheet.styles.width = width + 1  # the line beside it
    sheet.update("\n".join(score_sheet(match, max(10, sheet.size.height), width)))


def draw_log(screen: FarkelScreen[Any], match: Match, least: int = 0) -> None:
    """Write the latest events at a table, as many as there is room for."""
    width, height = screen.query_one("#log", Static).content_size
    screen.write("log", "\n".join(log_tail(match, max(20, width), max(least, height))))
