"""The end of a game: who won and why, the turns in figures, and the scores as a plot."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from farkel.errors import FarkelError
from farkel.game.story import ending
from farkel.play.match import Match
from farkel.records.figures import summarise
from farkel.support.words import sentence
from farkel.terminal.app.dialogs import Reading, rule_sheet, scores_page
from farkel.terminal.app.screens import LOG, REVIEW, RULES, SCORES, WATCH, FarkelScreen
from farkel.terminal.app.watch_screen import WatchScreen
from farkel.terminal.app.widgets import Keys
from farkel.terminal.drawing import scores_plot
from farkel.terminal.output import table
from farkel.terminal.sentences import log_lines
from farkel.terminal.setup import saved

LEAST_PLOT = 7
"""Lines below which there is no plot."""


class Plot(Static):
    """The scores as a plot, drawn again when there is another room for it."""

    def on_resize(self) -> None:
        if isinstance(self.screen, GameOver):
            self.call_after_refresh(self.screen.plot)


class GameOver(FarkelScreen[None]):
    """Shown when the game is over."""

    ABOUT = "The end of the game: who won, the turns of each player, and the scores as a plot."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "again", "Play again", key_display="Enter", tooltip="Another game with the same players."),
        Binding("escape", "setup", "Set-up", key_display="Esc", tooltip="Back to the set-up, for another game."),
        WATCH,
        REVIEW,
        SCORES,
        LOG,
        RULES,
        Binding("u,U", "undo", "Undo", key_display="U", tooltip="Undo the last decision and play on from there."),
        Binding("q,Q", "app.exit", "Leave", key_display="Q", tooltip="Leave Farkel; the game is saved."),
    ]

    def __init__(self, match: Match) -> None:
        super().__init__()
        self.match = match

    def compose(self) -> ComposeResult:
        yield Static(ending(self.match.state, self.match.names), id="ending", classes="title", markup=False)
        yield Static(id="figures", markup=False)
        yield Plot(id="plot", markup=False)
        yield Static(saved(self.match.path, over=True), id="record", markup=False)
        yield Keys()

    def on_mount(self) -> None:
        self.call_after_refresh(self.plot)

    def on_resize(self) -> None:
        self.call_after_refresh(self.plot)

    def plot(self) -> None:
        """Draw the scores in the room that there is."""
        if not self.on_stack:
            return
        self.write("figures", figures(self.match, self.app.size.width - 2))
        plot = self.query_one("#plot", Static)
        width, height = plot.content_size
        room = width > 20 and height > LEAST_PLOT
        drawn = scores_plot(self.match, width, height, color=not self.app.no_color) if room else ""
        plot.update(Text.from_ansi(drawn))

    def say(self, text: str) -> None:
        """Say why something is impossible."""
        self.write("record", sentence(text))

    def action_again(self) -> None:
        self.farkel.again(self.match, self.say)

    def action_setup(self) -> None:
        self.farkel.ask()

    def action_watch(self) -> None:
        self.app.push_screen(WatchScreen(self.match.record))

    def action_review(self) -> None:
        self.farkel.review(self.match.record, self.say)

    def action_rules(self) -> None:
        self.app.push_screen(rule_sheet(self.match.rules, self.app.size.width))

    def action_scores(self) -> None:
        self.app.push_screen(scores_page(self.match, self.app.size.width))

    def action_log(self) -> None:
        self.app.push_screen(Reading("The game so far", "\n".join(log_lines(self.match)), at_end=True))

    def action_undo(self) -> None:
        try:
            self.farkel.take_back(self.match)
        except FarkelError as error:
            self.say(error.message)


def figures(match: Match, width: int) -> str:
    """Return the turns of each seat in figures, in as many columns as fit."""
    winners = match.state.result.winners if match.state.result else ()
    rows = [["", "", "score", "turns", "farkles", "best turn", "average"]]
    for number, summary in enumerate(summarise(match.moves, len(match.names))):
        numbers = [f"{match.state.seats[number].score:,}", str(summary.turns), str(summary.farkles)]
        mark = "★" if number in winners else " "
        rows.append([mark, match.names[number], *numbers, f"{summary.best:,}", f"{summary.mean:,.0f}"])
    columns = len(rows[0])
    while True:
        text = table([row[:columns] for row in rows], "<<>>>>>"[:columns], 1_000)
        if columns == 3 or max(map(cell_len, text.splitlines())) <= width:
            return text
        columns -= 1
