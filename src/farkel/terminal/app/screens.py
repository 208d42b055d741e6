"""What screens have in common: the application behind them, one answer for one over another, dialogs, the table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Resize
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from farkel.errors import FarkelError, RulesError
from farkel.play.match import Match
from farkel.terminal.app import table_text
from farkel.terminal.app.widgets import DiceRow, Keys
from farkel.terminal.drawing import SHEET_WIDTH, score_sheet, sheet_width

if TYPE_CHECKING:
    from farkel.terminal.app.app import FarkelApp

Result = TypeVar("Result")

RULES = Binding("question_mark", "rules", "Rules", key_display="?", tooltip="The rules of this game.")
SCORES = Binding("s,S", "scores", "Scores", key_display="S", tooltip="The whole score sheet.")
LOG = Binding("l,L", "log", "Log", key_display="L", tooltip="Everything that has happened.")
CARD = Binding("c,C", "card", "Card", key_display="C", tooltip="A card to play by.")
WATCH = Binding("w,W", "watch", "Watch", key_display="W", tooltip="Watch the game, move by move.")
REVIEW = Binding("v,V", "review", "Review", key_display="V", tooltip="Mistakes and luck, in winning chances.")
"""Keys that several screens have."""
SCROLL = "Scroll."
LEAST_DIALOG = 44
"""Columns that a dialog needs beside the dice."""
WIDE = 80
"""Columns from which on large dice are beside the score sheet; in fewer, small ones."""
SMALL_DIE = 4
"""Columns of a small die."""
NARROW_SHEET = 6
"""Lines of the score sheet beside small dice."""


class FarkelScreen(Screen[Result]):
    """A screen of the application.

    The tooltips of its keys are their sentences in the help.
    """

    ABOUT: ClassVar[str] = ""
    """What can be done here, as the help begins."""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f1", "app.help", "Help", key_display="F1")]

    def on_screen_suspend(self) -> None:
        self.query(Keys).set(visible=False)  # they may have more lines than those of a dialog hide

    def on_screen_resume(self) -> None:
        self.query(Keys).set(visible=True)

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
            defects = error.defects if isinstance(error, RulesError) else ()
            said = "; ".join(defects) or error.message  # may begin with a path or a field: no capital letter
            self.say(said if said.endswith((".", "?")) else f"{said}.")


class Overlay(FarkelScreen[Result]):
    """A screen over another that takes one answer.

    Keys and clicks may be waiting when the answer is given. Textual would take them for answers too, and take away one
    screen for each of them.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Give the answer and go; ignore it if one was given before, or while something covers this screen."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Dialog(Overlay[Result], ModalScreen[Result]):
    """A few lines that ask or tell something. Of a table, the dice and the scores stay in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll(-1)", show=False, tooltip=SCROLL),
        Binding("down", "scroll(1)", show=False, tooltip=SCROLL),
        Binding("pageup", "scroll(-5)", show=False, tooltip=SCROLL),
        Binding("pagedown", "scroll(5)", show=False, tooltip=SCROLL),
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog", can_focus=False):
            yield from self.lines()
        yield DialogKeys()

    @abstractmethod
    def lines(self) -> ComposeResult:
        """Yield what it says."""

    def on_mount(self) -> None:
        self.place()

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self.place)

    def place(self) -> None:
        """Move beside the dice of the table below, if there is one with room there, or else below them."""
        if not self.on_stack:
            return
        stack, keys = self.app.screen_stack, max(1, len(self.query("Keys > HorizontalGroup")))
        screen, beneath = self.app.size.region.shrink((0, 0, keys, 0)), stack[stack.index(self) - 1]
        beside, room = beneath.room() if isinstance(beneath, TableScreen) else (False, screen.shrink((1, 0, 0, 0)))
        room = room.intersection(screen)
        self.set_class(beside, "-beside")
        for dialog in self.query(".dialog"):  # there is none before it is composed
            styles = dialog.styles
            styles.margin, styles.width, styles.max_height = screen.get_spacing_between(room), room.width, room.height

    def action_scroll(self, lines: int) -> None:
        self.query_one(".dialog").scroll_relative(y=lines, animate=False)


class DialogKeys(Keys):
    """The keys of a dialog, which makes room when they take more lines."""

    def on_resize(self) -> None:
        if isinstance(self.screen, Dialog):
            self.call_after_refresh(self.screen.place)


class Log(Static):
    """The latest events: as many as there is room for beside the keys, which take one line or two."""

    def on_resize(self) -> None:
        if isinstance(self.screen, TableScreen):
            self.call_after_refresh(self.screen.show)


class TableScreen(FarkelScreen[Result]):
    """A game at the table: whose turn it is, the dice, the latest events, and the score sheet beside them."""

    sheet = SHEET_WIDTH + 1
    """Columns that the score sheet takes from the rest."""
    head = 10
    """Lines down to the dice."""

    def compose(self) -> ComposeResult:
        yield Static(id="title", classes="title", markup=False)
        with Horizontal(id="table"):
            with Vertical(id="turn"):
                yield Static(id="banner", markup=False)
                yield Static(id="aside", markup=False)
                yield DiceRow()
                yield from self.below_dice()
                yield Log(id="log", markup=False)
            yield Static(id="sheet", markup=False)
        yield Keys()

    @abstractmethod
    def below_dice(self) -> ComposeResult:
        """Yield what stands between the dice and the latest events."""

    @abstractmethod
    def show(self) -> None:
        """Draw everything."""

    def room(self) -> tuple[bool, Region]:
        """Return the room for a dialog that hides neither dice nor scores, and whether it is beside the dice."""
        width, height = self.app.size
        beside = Region(table_text.PANEL_WIDTH + 1, 1, width - self.sheet - table_text.PANEL_WIDTH - 2, height - 2)
        if beside.width >= LEAST_DIALOG:
            return True, beside
        return False, Region(0, self.head, width - self.sheet, height - 1 - self.head)

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self.show)

    def draw_table(self, match: Match) -> None:
        """Draw what the frame has: the sheet as wide as it makes use of, and as many events as there is room for."""
        self.write("aside", table_text.kept_so_far(match))
        sheet = self.query_one("#sheet", Static)
        narrow = self.app.size.width < WIDE
        self.set_class(narrow, "-narrow")
        if narrow:  # the sheet is beside small dice
            width = self.app.size.width - SMALL_DIE * max(6, match.rules.dice)
            height, self.sheet = NARROW_SHEET, 0
            sheet.styles.width = width
        else:
            width = sheet_width(match, max(SHEET_WIDTH, self.size.width - table_text.PANEL_WIDTH - 1))
            height, self.sheet = max(10, sheet.size.height), width + 1  # the line beside it
            sheet.styles.width = self.sheet
        sheet.update("\n".join(score_sheet(match, height, width)))
        banner = wrap(table_text.banner(match), self.app.size.width - self.sheet) or [""]
        self.write("banner", "\n".join(banner))
        self.head = 1 + len(banner) + (NARROW_SHEET if narrow else 8)
        width, height = self.query_one("#log", Static).content_size
        self.write("log", "\n".join(table_text.log_tail(match, max(20, width), height)))
        for screen in self.app.screen_stack:
            if isinstance(screen, Dialog):
                screen.place()
