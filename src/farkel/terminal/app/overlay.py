"""What screens have in common: one answer for a screen over another, and no drawing on one that has gone."""

from __future__ import annotations

from typing import Any, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

Result = TypeVar("Result")


def on_stack(screen: Screen[Any]) -> bool:
    """Return whether the screen is still there, shown or covered. One that has been replaced has nothing to draw on."""
    return screen in screen.app.screen_stack


class Overlay(Screen[Result]):
    """A screen over another that takes one answer.

    Keys and clicks may be waiting when the answer is given. Textual would take them for answers too, and take away one
    screen for each of them.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Give the answer and go; ignore it if one was given before, or while something covers this screen."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
