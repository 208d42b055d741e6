"""The application: which screen is shown, and where games come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Resize

from farkel.match import Match, Setup
from farkel.record import DiceKind
from farkel.rules import DEFAULT, Rules, named
from farkel.terminal.app.dialogs import LEAST_HEIGHT, LEAST_WIDTH, TooSmall
from farkel.terminal.app.game_over import GameOver
from farkel.terminal.app.play import GameScreen
from farkel.terminal.app.setting_up import SetupScreen
from farkel.terminal.setup import new_record_path

STILL = ("NO_MOTION", "FARKEL_NO_ANIMATION")
"""Any of these in the environment, and nothing moves."""


class FarkelApp(App[int]):
    """Farkel in a terminal."""

    CSS_PATH = "styles.tcss"
    TITLE = "Farkel"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q,ctrl+c", "exit", "Quit", show=False, priority=True)]

    def __init__(
        self,
        match: Match | None = None,
        *,
        folder: Path | None = None,
        record: Path | None = None,
        rules: Rules | None = None,
        dice: DiceKind | None = None,
        seed: str = "",
        words: tuple[str, ...] = (),
        animate: bool = True,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        # Without colour the terminal's own foreground and background are used; all that remains is bold and reverse.
        super().__init__(ansi_color=True if "NO_COLOR" in environment else None)
        if self.no_color:
            self.theme = "ansi-dark"
        self.match = match
        self.folder = folder
        self.record = record
        self.rules = rules or named(DEFAULT)
        self.dice: DiceKind = dice or "system"
        self.seed = seed
        self.words = words
        self.motion = animate and not any(environment.get(name) for name in STILL)

    def on_mount(self) -> None:
        if self.match is None:
            self.ask()
        else:
            self.begin(self.match)

    def on_resize(self, event: Resize) -> None:
        self.mind_size(event.size.width, event.size.height)

    def mind_size(self, width: int, height: int) -> None:
        """Put the message that the terminal is too small in front of everything, or take it away."""
        small = width < LEAST_WIDTH or height < LEAST_HEIGHT
        told = isinstance(self.screen, TooSmall)
        if small and not told:
            self.push_screen(TooSmall())
        elif told and not small:
            self.pop_screen()

    def ask(self) -> None:
        """Ask what to play."""
        self._show(SetupScreen())

    def begin(self, match: Match) -> None:
        """Show the table of a game that has just been started or resumed."""
        if match is not self.match:
            self.close_record()
        self.match = match
        self._show(GameScreen(match))

    def start(self, setup: Setup) -> None:
        """Start a game. Raises `FarkelError` where it cannot be started."""
        match = Match.start(setup, self.record or new_record_path(setup.rules, self.folder))
        self.record = None
        self.begin(match)

    def resume(self, path: Path) -> None:
        """Go on with a recorded game. Raises `FarkelError` where that cannot be."""
        self.begin(Match.resume(path))

    def end(self, match: Match) -> None:
        """Show how the game ended."""
        self._show(GameOver(match))

    def again(self, match: Match) -> None:
        """Start another game of the same kind between the same players. Raises `FarkelError` where that cannot be."""
        header = match.record.header
        # The same seed would throw the same dice again.
        seed = f"{header.dice.value} again" if header.dice.kind == "seeded" else ""
        self.folder = self.folder or match.path.parent
        self.start(Setup(header.rules, header.seats, header.dice.kind, seed, header.dice.words))

    def take_back(self, match: Match) -> None:
        """Go back to the table with the last decision taken back. Raises `FarkelError` where it cannot be."""
        match.undo()
        self.begin(match)

    def action_exit(self) -> None:
        self.exit(0)

    def close_record(self) -> None:
        """Close the record of the game that was played last."""
        if self.match is not None:
            self.match.close()

    def _show(self, screen: GameScreen | GameOver | SetupScreen) -> None:
        if len(self.screen_stack) > 1:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)
        self.mind_size(*self.size)
