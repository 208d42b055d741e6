"""The application: which screen is shown, and where games come from."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.events import Event, Key, Resize
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from farkel.errors import FarkelError
from farkel.game.story import ending
from farkel.play.match import Bots, Match, Setup, own_players
from farkel.records import DiceKind, Record
from farkel.rules import DEFAULT, Rules, named
from farkel.support.progress import Progress
from farkel.terminal.app import table_text
from farkel.terminal.app.dialogs import LEAST_HEIGHT, LEAST_WIDTH, Help, Reading, TooSmall
from farkel.terminal.app.game_over_screen import GameOver
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.keyboards import in_its_place
from farkel.terminal.app.preferences import preferences_file, read_preferences, write_preferences
from farkel.terminal.app.progress_screen import Working, wait_for_work
from farkel.terminal.app.screens import FarkelScreen
from farkel.terminal.app.setup_screen import SetupScreen
from farkel.terminal.app.watch_screen import WatchScreen
from farkel.terminal.app.widgets import RollInput
from farkel.terminal.coach_pages import card_page, review_page
from farkel.terminal.fitting import fitted
from farkel.terminal.settings import SPEEDS
from farkel.terminal.setup import new_record_path, resumed, saved
from farkel.terminal.streams import STOPPED

QUIT = ("ctrl+q", "ctrl+c")
STILL = ("NO_MOTION", "FARKEL_NO_ANIMATION")
"""Any of these in the environment, and nothing moves."""


class FarkelApp(App[int]):
    """Farkel in a terminal."""

    CSS_PATH = "styles.tcss"
    TITLE = "Farkel"
    COMMAND_PALETTE_DISPLAY = "Ctrl+P"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "exit", "Quit", show=False, priority=True),
        Binding("ctrl+c", f"exit({STOPPED})", "Quit", show=False, priority=True),
    ]

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
        speed: str = "normal",
        colours: str | None = None,
        bell: bool | None = None,
        others: int = 0,
        watched: Record | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        # Without colour the terminal's own foreground and background are used; all that remains is bold and reverse.
        super().__init__(ansi_color=True if "NO_COLOR" in environment else None)
        self.match = match
        self.folder = folder
        """Where new games are saved, if not in the user's own folder."""
        self.record = record
        """The file of the first new game."""
        self._preferences_file = preferences_file(folder)
        self.preferences = read_preferences(self._preferences_file)
        if bell is not None:
            self.preferences = replace(self.preferences, bell=bell)
        self._default_theme = self.theme
        if self.no_color:
            self.theme = "ansi-dark"
        elif (theme := colours or self.preferences.theme) in self.available_themes:
            self.theme = theme
        self.rules = rules or self.preferences.rules or named(DEFAULT)
        self.dice = dice or self.preferences.dice or "system"
        self.seed = seed
        self.words = words
        self.motion = animate and speed != "still" and not any(environment.get(name) for name in STILL)
        """Whether dice roll and bots pause."""
        self.pace = SPEEDS[speed] or 1.0
        """How long bots pause, as a multiple of what is usual."""
        self.watched = watched
        """A saved game to watch instead of playing."""
        self.plain = False
        """Whether the player wants to continue in plain lines."""
        self.others = others
        """Unfinished games that could be resumed instead of the match."""
        self._changed = 0.0

    async def on_event(self, event: Event) -> None:
        """Handle an event, unless it is a key that was pressed for a screen that has gone."""
        if isinstance(event, Key):
            if event.key not in QUIT and self._too_late(event):
                return
            if not isinstance(self.focused, Input) or isinstance(self.focused, RollInput):
                event = in_its_place(event)
        await super().on_event(event)

    def _too_late(self, event: Key) -> bool:
        """Return whether the screen has changed since the key was pressed, or the player has quit."""
        return event.time < self._changed or self.return_value is not None

    def _screen_changed(self, screen: Screen[Any]) -> None:
        self._changed = Event().time

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._theme_chosen)
        self.screen_change_signal.subscribe(self, self._screen_changed, immediate=True)
        if self.watched is not None:
            self.push_screen(WatchScreen(self.watched), lambda _: self.exit(0))
            self.mind_size(*self.size)
        elif self.match is None:
            self.ask()
        else:
            self.begin(self.match, table_text.other_games(self.others))

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

    def ask(self, problem: str = "") -> None:
        """Show the set-up, with the fault before it."""
        self.close_record()
        self._show(SetupScreen(problem))

    def begin(self, match: Match, message: str = "") -> None:
        """Show the table of a game that has just been started or resumed, once its bots are ready, with a message."""
        if match is not self.match:
            self.close_record()
        self.match = match
        if match.bots.ready:
            self._show(GameScreen(match, message))
            return

        def failed(problem: str) -> None:
            match.close()
            self.ask(problem)

        self.work(table_text.PREPARING, match.bots.prepare, lambda: self._show(GameScreen(match, message)), failed)

    def start(self, setup: Setup, failed: Callable[[str], None]) -> None:
        """Start a game once its bots are ready. If it cannot be started, the reason is given to ``failed``."""

        def begin() -> None:
            try:
                match = Match.start(setup, self.record or new_record_path(setup.rules, self.folder))
            except FarkelError as error:
                failed(f"{error.message}.")
                return
            self.record = None
            self.remember(rules=setup.rules, seats=setup.seats, dice=None if setup.dice == "seeded" else setup.dice)
            self.rules, self.dice = setup.rules, setup.dice
            self.begin(match)

        try:
            bots = Bots(setup.rules, setup.seats, own_players(setup.seats))
        except FarkelError as error:
            failed(f"{error.message}.")
            return
        if bots.ready:
            begin()
        else:
            self.work(table_text.PREPARING, bots.prepare, begin, failed)

    def remember(self, **changes: Any) -> None:
        """Keep choices for the next time; see `Preferences`."""
        self.preferences = replace(self.preferences, **changes)
        write_preferences(self._preferences_file, self.preferences)

    def resume(self, path: Path) -> None:
        """Resume a recorded game. Raises `FarkelError` if it cannot be resumed."""
        self.begin(resumed(path))

    def work(
        self, text: str, work: Callable[[Progress], object], done: Callable[[], None], failed: Callable[[str], None]
    ) -> None:
        """Do something slow, then ``done``; or ``failed`` with the reason, "" if it was stopped."""

        def ended(outcome: FarkelError | bool | None) -> None:
            if outcome is True:
                done()
            else:
                failed(f"{outcome.message}." if isinstance(outcome, FarkelError) else "")

        self.push_screen(Working(text, work), ended)

    def read_page(
        self, heading: str, text: str, make: Callable[[Progress, int], str], failed: Callable[[str], None]
    ) -> None:
        """Show a page that takes time to make, for the width of the terminal."""
        width = self.size.width - 4  # the margins and the scroll bar
        pages: list[str] = []

        def made() -> None:
            self.push_screen(Reading(heading, pages[0]))

        self.work(text, lambda progress: pages.append(make(progress, width)), made, failed)

    def review(self, record: Record, failed: Callable[[str], None]) -> None:
        """Show the mistakes and the luck of a game."""
        self.read_page("Review", table_text.REVIEWING, partial(review_page, record), failed)

    def card(self, rules: Rules, failed: Callable[[str], None]) -> None:
        """Show the card to play by."""
        self.read_page("The card to play by", table_text.CARD, partial(card_page, rules), failed)

    def end(self, match: Match) -> None:
        """Show how the game ended."""
        self._show(GameOver(match))

    def again(self, match: Match, failed: Callable[[str], None]) -> None:
        """Start another game of the same kind between the same players."""
        header = match.record.header
        # The same seed would throw the same dice again.
        seed = f"{header.dice.value} again" if header.dice.kind == "seeded" else ""
        self.folder = self.folder or match.path.parent
        self.start(Setup(header.rules, header.seats, header.dice.kind, seed, header.dice.words), failed)

    def take_back(self, match: Match) -> None:
        """Go back to the table with the last decision undone. Raises `FarkelError` if it cannot be undone."""
        match.undo()
        self.begin(match)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Return the commands of the palette."""
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)
        yield SystemCommand("Bell", "Ring when it is your turn, or be silent again", self.action_ring)
        yield SystemCommand("Help", "Show what you can do here, and the keys", self.action_help)
        yield SystemCommand("Quit", "Quit; your game is saved", self.action_exit)

    def action_help(self) -> None:
        """Show what can be done on this screen; on the help itself, close it."""
        screen = self.screen
        if isinstance(screen, Help):
            screen.dismiss()
        elif isinstance(screen, FarkelScreen) and not isinstance(screen, TooSmall):
            self.push_screen(Help(screen))

    def _theme_chosen(self, theme: Theme) -> None:
        if not self.no_color and theme.name != (self.preferences.theme or self._default_theme):
            self.remember(theme=theme.name)

    def action_ring(self) -> None:
        """Switch the bell on or off; switched on, it rings once."""
        self.remember(bell=not self.preferences.bell)
        if self.preferences.bell:
            self.bell()
        self.notify("A bell rings when it's your turn." if self.preferences.bell else "The bell is off.")

    def action_exit(self, status: int = 0) -> None:
        self.exit(status)

    def action_plain(self) -> None:
        self.plain = True
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


def run(app: FarkelApp) -> int:
    """Run the application, and say at the end where the game is saved. Return the exit status."""
    status = app.run()
    wait_for_work()
    if app.watched is None:
        if app.plain:
            from farkel.terminal.plain import play_plain, start_plain

            return play_plain(app.match or start_plain(None, None, app.seed, app.words, app.record, app.folder))
        app.close_record()
        if app.match is not None:
            sys.stdout.write(farewell(app.match))
    return status or app.return_code or 0


def farewell(match: Match) -> str:
    """Return how the game ended and where it is saved, or how to resume it."""
    state = match.state
    lines = [saved(match.path, over=state.over)]
    if state.over:
        lines = [ending(state, match.names), *lines, "Its file:", str(match.path)]
    return fitted("\n".join(lines)) + "\n"
