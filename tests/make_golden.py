"""Writes the golden files of the catalogue: ``python tests/make_golden.py``. Look at what changed before keeping it.

``golden/NAME/scores.txt`` is the whole score table, a roll a line; ``golden/NAME/counts.txt`` says how many different
states can be reached from the first roll of a game for two; ``golden/NAME/game.farkel`` is the record of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from farkel.dice import faces_text
from farkel.game import Phase, State, Throw, apply, chance_outcomes, legal_actions, new_game
from farkel.game.scoring import Scored, score_table
from farkel.play.match import Match, Setup
from farkel.records import Seating
from farkel.rules import Rules, named, names

GOLDEN = Path(__file__).parent / "golden"
DEPTH = 3
BOTS = {"Cora": "cautious", "Bo": "bold", "Tess": "threshold:600"}


def scores(rules: Rules) -> str:
    """Every roll, in how many ways it falls, and the best keep, its points and the number of keeps; or a farkle."""
    return "".join(f"{_line(scored)}\n" for scored in score_table(rules))


def counts(rules: Rules) -> str:
    """How many different states 1, 2, 3 events lead to, and how many of them are each seat's or the end."""
    states = {_first_roll(rules)}
    lines = []
    for depth in range(1, DEPTH + 1):
        states = {after for state in states for after in _next(state)}
        phases = sorted((phase.name.lower(), sum(state.phase is phase for state in states)) for phase in Phase)
        lines.append(
            f"{depth}: {len(states)} states: " + ", ".join(f"{count} {phase}" for phase, count in phases if count)
        )
    return "\n".join(lines) + "\n"


def game(rules: Rules) -> str:
    """The record of a game between three bots, with dice from a seed."""
    seats = tuple(Seating(name, (name,), f"bot:{kind}") for name, kind in BOTS.items())
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.farkel"
        match = Match.start(Setup(rules, seats, "seeded", "1"), path, datetime(2026, 1, 1, 12, 0))
        while not match.state.over:
            action = match.decide()
            match.throw() if action is None else match.act(action)
        match.close()
        return path.read_text("utf-8")


FILES: dict[str, Callable[[Rules], str]] = {"scores.txt": scores, "counts.txt": counts, "game.farkel": game}


def _line(scored: Scored) -> str:
    fine = f", fine {scored.fine}" if scored.fine else ""
    best = scored.best
    what = f"{faces_text(best.dice)} for {best.points}, keeps {len(scored.keeps)}" if best else "farkle"
    return f"{faces_text(scored.roll)} x{scored.ways}: {what}{fine}"


def _first_roll(rules: Rules) -> State:
    """The first roll of a game for two, of seat 1 if they throw for the start."""
    state = new_game(rules, (1, 1))
    for face in (6, 1):
        if state.phase is Phase.START:
            state = apply(state, Throw((face,)))
    return state


def _next(state: State) -> list[State]:
    events = [throw for throw, _ in chance_outcomes(state)] or legal_actions(state)
    return [apply(state, event) for event in events]


def main() -> None:
    for name in names():
        folder = GOLDEN / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, make in FILES.items():
            (folder / file).write_text(make(named(name)), "utf-8")


if __name__ == "__main__":
    main()
