"""The Textual application: the game at a table that anybody understands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from farkel.game.story import ending
from farkel.play.match import Match
from farkel.records import DiceKind, Record
from farkel.rules import Rules
from farkel.terminal.setup import new_record_path

if TYPE_CHECKING:
    from farkel.terminal.app.app import FarkelApp


def run_app(
    match: Match | None = None,
    *,
    folder: Path | None = None,
    record: Path | None = None,
    rules: Rules | None = None,
    dice: DiceKind | None = None,
    seed: str = "",
    words: tuple[str, ...] = (),
    animate: bool = True,
    others: int = 0,
) -> int:
    """Play the match, or ask for one first, and say at the end where the game is saved. Return the exit status.

    ``record`` is the file of the first new game, ``folder`` is for the others. ``others`` is the number of unfinished
    games that could be resumed instead of the match.
    """
    from farkel.terminal.app.app import FarkelApp
    from farkel.terminal.app.progress_screen import wait_for_work

    app = FarkelApp(
        match,
        folder=folder,
        record=record,
        rules=rules,
        dice=dice,
        seed=seed,
        words=words,
        animate=animate,
        others=others,
    )
    status = app.run()
    wait_for_work()
    if app.plain:
        return _plain(app)
    app.close_record()
    if app.match is not None:
        sys.stdout.write(farewell(app.match))
    return status or app.return_code or 0


def run_watch(record: Record, *, animate: bool = True) -> int:
    """Show a saved game move by move. Return the exit status."""
    from farkel.terminal.app.app import FarkelApp
    from farkel.terminal.app.progress_screen import wait_for_work

    app = FarkelApp(watched=record, animate=animate)
    status = app.run()
    wait_for_work()
    return status or app.return_code or 0


def _plain(app: FarkelApp) -> int:
    """Continue in plain lines, with the same game if there is one."""
    from farkel.terminal.plain import ask_setup, play_plain

    match = app.match
    if match is None:
        setup = ask_setup(None, None, app.seed or None, app.words)
        match = Match.start(setup, app.record or new_record_path(setup.rules, app.folder))
    return play_plain(match)


def farewell(match: Match) -> str:
    """Return how the game ended and where it is saved, or how to resume it."""
    if match.state.over:
        return f"{ending(match.state, match.names)}\nSaved in {match.path}; see: farkel replay, farkel verify\n"
    return f"Your game is saved. Resume it with: farkel play --resume {match.path}\n"
