"""A saved game on the table again: step by step or by itself, with the winning chances and mistakes beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Static

from farkel.dice import Roll
from farkel.game import Keep, Throw
from farkel.play.match import Bots, Match
from farkel.records import Record
from farkel.support.progress import Progress
from farkel.support.words import counted, sentence
from farkel.terminal.app import table_text
from farkel.terminal.app.dialogs import rule_sheet, scores_page
from farkel.terminal.app.screens import RULES, SCORES, Overlay, TableScreen
from farkel.terminal.app.widgets import DiceRow
from farkel.terminal.coach_pages import reviewed
from farkel.terminal.sentences import title, told
from farkel.terminal.watch_lines import ends_of_turns, judged, mistakes, nearest

if TYPE_CHECKING:
    from farkel.coach import Review

PACE = 1.2
"""Seconds between two moves that are played."""
BAR = 12
MOST_BARS = 5
"""Players with a bar each; the chances of more are one sentence."""


class WatchedStep(Match):
    """A game as it was after some of its moves. It shows the past and takes no moves."""

    def __init__(self, record: Record, moves: int) -> None:
        header = record.header
        self.record = Record(header, record.moves[:moves])
        self._dice = None
        self.bots = Bots(header.rules, ())


class WatchScreen(TableScreen[None], Overlay[None]):
    """A saved game, move by move."""

    ABOUT = "A saved game on the table, move by move, with winning chances and mistakes."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "step(1)", "Move", key_display="←→", tooltip="The next move."),
        Binding("left", "step(-1)", show=False, tooltip="The move before."),
        Binding("down", "turn(1)", "Turn", key_display="↑↓", tooltip="The end of the next turn."),
        Binding("up", "turn(-1)", show=False, tooltip="The end of the turn before."),
        Binding("pagedown", "error(1)", "Mistake", key_display="PgDn", tooltip="The next mistake."),
        Binding("pageup", "error(-1)", show=False, tooltip="The mistake before."),
        Binding("home", "go(0)", show=False, tooltip="The start of the game."),
        Binding("end", "go(999999)", show=False, tooltip="The last move."),
        Binding("space", "play", "Play/pause", key_display="Space", tooltip="Let the game play by itself, or pause."),
        Binding("v,V", "calculate", "Review", key_display="V", tooltip="Find winning chances and mistakes."),
        SCORES,
        RULES,
        Binding("escape", "dismiss", "Back", key_display="Esc", tooltip="Stop watching."),
        Binding("q,Q", "dismiss", "Leave", show=False, tooltip="Stop watching."),
    ]

    def __init__(self, record: Record) -> None:
        super().__init__()
        self.record = record
        self.at = 0
        """Moves that are on the table."""
        self.review: Review | None = None
        self.why = ""
        """Why there are no winning chances."""
        self.remark = ""
        """Shown until the next move."""
        self._playing: Timer | None = None

    def below_dice(self) -> ComposeResult:
        yield Static(id="told", markup=False)
        yield Static(id="chances", markup=False)

    def on_mount(self) -> None:
        self.show()
        self.action_calculate()

    # Showing ----------------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Draw the game as it was."""
        if not self.on_stack:
            return
        game = WatchedStep(self.record, self.at)
        self.write("title", f"{title(game)}: move {self.at} of {len(self.record.moves)}")
        self.draw_table(game)
        faces, kept = _dice(game)
        self.query_one(DiceRow).draw(faces, kept)
        self.write("told", "\n".join(filter(None, (self._told(game), judged(self.review, self.at), self.remark))))
        self.write("chances", "\n".join(self._chances(game)))

    def _told(self, game: Match) -> str:
        if game.moves:
            return " ".join(told(game.moves[-1], game.names))
        if self.record.problem is not None:
            return sentence(f"the record is damaged; it is shown as far as it is intact: {self.record.problem.message}")
        return f"The game of {self.record.header.date}. Press → for the next move, or Space to play it."

    def _chances(self, game: Match) -> list[str]:
        """Return the winning chances, and their change by the last move."""
        if self.review is None:
            return [self.why]
        now = self.review.curve[self.at]
        before = self.review.curve[self.at - 1] if self.at else now
        about = "" if self.review.exact else ", approximately"
        if len(game.names) > MOST_BARS:
            each = zip(game.names, now, before, strict=True)
            shares = [f"{name} {chance:.1%}{_change(chance, was)}" for name, chance, was in each]
            return [f"Winning chances{about}: {', '.join(shares)}"]
        widest = max(map(len, game.names))
        lines = []
        for name, chance, was in zip(game.names, now, before, strict=True):
            full = round(BAR * chance)
            lines.append(f"{name:<{widest}} {chance:>6.1%} {'█' * full}{'░' * (BAR - full)}{_change(chance, was)}")
        return [f"Winning chances{about}:", *lines]

    # Keys -------------------------------------------------------------------------------------------------------------

    def action_go(self, at: int) -> None:
        self.stop()
        self._go(at)

    def _go(self, at: int) -> None:
        self.at, self.remark = max(0, min(at, len(self.record.moves))), ""
        self.show()

    def action_step(self, moves: int) -> None:
        self.action_go(self.at + moves)

    def action_turn(self, turns: int) -> None:
        """Go to the end of the next turn, or of the one before."""
        self._jump(ends_of_turns(self.record), turns)

    def action_error(self, errors: int) -> None:
        """Go to the next mistake, or to the one before."""
        if self.review is None:
            self.action_calculate()
            return
        found = mistakes(self.review)
        if not self._jump(found, errors):
            where = "after" if errors > 0 else "before"
            self.remark = f"No mistake {where} this move; {counted(len(found), 'mistake', 'mistakes')} in the game."
            self.show()

    def _jump(self, places: Sequence[int], direction: int) -> bool:
        """Go to the next of these places, or to the one before. False if there is none."""
        found = nearest(places, self.at, direction)
        if found is not None:
            self.action_go(found)
        return found is not None

    def action_play(self) -> None:
        if self._playing is not None:
            self.stop()
            return
        if self.at == len(self.record.moves):
            self._go(0)
        self._playing = self.set_interval(PACE * self.farkel.pace, self._next)

    def stop(self) -> None:
        """Stop playing."""
        if self._playing is not None:
            self._playing.stop()
            self._playing = None

    def _next(self) -> None:
        if self.is_active:
            self._go(self.at + 1)
        if self.at == len(self.record.moves):
            self.stop()

    def action_calculate(self) -> None:
        if self.review is None and self.record.moves:
            self.farkel.work(table_text.REVIEWING, self._review, self.show, self._failed)

    def _review(self, progress: Progress) -> None:
        self.review = reviewed(self.record, progress)

    def _failed(self, problem: str) -> None:
        self.why = sentence(problem) if problem else "Press V to calculate winning chances."
        self.show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "calculate" or (self.review is None and bool(self.record.moves))

    def action_scores(self) -> None:
        self.app.push_screen(scores_page(WatchedStep(self.record, self.at), self.app.size.width))

    def action_rules(self) -> None:
        self.app.push_screen(rule_sheet(self.record.header.rules, self.app.size.width))


def _change(chance: float, was: float) -> str:
    """Return by how much a chance has changed, if that can be seen."""
    return f" {100 * (chance - was):+.1f}" if abs(chance - was) >= 0.0005 else ""


def _dice(game: Match) -> tuple[Roll, set[int]]:
    """Return the dice on the table, and which of them have just been kept."""
    move = game.moves[-1] if game.moves else None
    if move is not None and isinstance(move.event, Keep) and move.event.dice:
        return move.before.roll, table_text.numbers_of(move.event.dice, move.before.roll)
    if move is not None and isinstance(move.event, Throw):
        return move.event.faces, set()
    return table_text.table_faces(game), set()
