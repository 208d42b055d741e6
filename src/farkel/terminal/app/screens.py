"""The application as the full screens see it, so that they need not import it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.app import App
from textual.screen import Screen

from farkel.play.match import Match, Setup
from farkel.records import DiceKind, Record
from farkel.rules import Rules
from farkel.terminal.app.preferences import Remembered

if TYPE_CHECKING:
    from farkel.solve import Progress

Told = Callable[[str], None]


class Farkel(App[int]):
    """The application, as its screens know it; `farkel.terminal.app.app` explains its methods."""

    folder: Path | None
    rules: Rules
    dice: DiceKind
    seed: str
    words: tuple[str, ...]
    remembered: Remembered
    motion: bool
    """Dice roll and bots pause."""

    def ask(self, problem: str = "") -> None:
        raise NotImplementedError

    def start(self, setup: Setup, failed: Told) -> None:
        raise NotImplementedError

    def remember(self, **changes: Any) -> None:
        raise NotImplementedError

    def resume(self, path: Path) -> None:
        raise NotImplementedError

    def work(self, text: str, work: Callable[[Progress], object], done: Callable[[], None], failed: Told) -> None:
        raise NotImplementedError

    def review(self, record: Record, failed: Told) -> None:
        raise NotImplementedError

    def card(self, rules: Rules, failed: Told) -> None:
        raise NotImplementedError

    def action_ring(self) -> None:
        raise NotImplementedError

    def end(self, match: Match) -> None:
        raise NotImplementedError

    def again(self, match: Match, failed: Told) -> None:
        raise NotImplementedError

    def take_back(self, match: Match) -> None:
        raise NotImplementedError


class MainScreen(Screen[None]):
    """A screen that takes the whole terminal."""

    @property
    def farkel(self) -> Farkel:
        return cast("Farkel", self.app)
