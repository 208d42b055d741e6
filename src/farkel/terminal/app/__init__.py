"""The Textual application: the game at a table that anybody understands."""

from __future__ import annotations

import sys
from pathlib import Path

from farkel.facts import ending
from farkel.match import Match
from farkel.record import DiceKind
from farkel.rules import Rules


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
    """Play the match, or ask first what to play, and say at last where the game is recorded. Returns the exit status.

    ``record`` is where the first new game is recorded, ``folder`` is for the others. ``others`` is the number of
    unfinished games that could be resumed instead of the match.
    """
    from farkel.terminal.app.app import FarkelApp
    from farkel.terminal.app.working import wait_for_work

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
    app.close_record()
    if app.match is not None:
        sys.stdout.write(farewell(app.match))
    return status or app.return_code or 0


def farewell(match: Match) -> str:
    """How the game stands or ended, and what can be done with its record."""
    if match.state.over:
        return f"{ending(match.state, match.names)}\nRecorded in {match.path}; see: farkel replay, farkel verify\n"
    return f"The game is recorded. Go on with: farkel play --resume {match.path}\n"
