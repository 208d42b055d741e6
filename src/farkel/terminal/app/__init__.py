"""The Textual application: the game at a table that anybody understands."""

from __future__ import annotations

from pathlib import Path

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
    animate: bool = True,
) -> int:
    """Play the match, or ask first what to play. Returns the exit status.

    ``record`` is where the first new game is recorded, ``folder`` is for the others.
    """
    from farkel.terminal.app.app import FarkelApp

    app = FarkelApp(match, folder=folder, record=record, rules=rules, dice=dice, seed=seed, animate=animate)
    status = app.run()
    app.close_record()
    return status or app.return_code or 0
