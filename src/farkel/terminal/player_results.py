"""The results of players over many recorded games, corrected for luck: as text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from farkel.coach import Evaluator
from farkel.coach.skill import Estimate, LuckOfGame, Skill, pairings, played, skills
from farkel.errors import FarkelError
from farkel.records import read
from farkel.rules import Rules
from farkel.support.progress import Progress
from farkel.support.words import counted
from farkel.terminal.output import table
from farkel.terminal.saved_games import TRASH

SHOWN = 10
"""Records that were left out of which this many are listed in the text."""


class Left(NamedTuple):
    """A record that was left out."""

    path: Path
    why: str


class Collected(NamedTuple):
    """The games of a folder."""

    folder: Path
    games: tuple[LuckOfGame, ...]
    left: tuple[Left, ...]


def collect(folder: Path, progress: Progress) -> Collected:
    """Return the games that are over among the records in a folder and in those below it, without deleted ones.

    Raises `FarkelError` ``no_games`` if there are none.
    """
    from farkel.players.knowledge import evaluator

    paths = sorted(path for path in folder.rglob("*.farkel") if path.is_file() and path.parent.name != TRASH)
    found = collected(folder, paths, progress, evaluator)
    if not found.games:
        left = found.left
        why = f" {left[0].path}: {left[0].why}" if left else " Save games there, or name another folder."
        raise FarkelError("no_games", f"{folder} has no finished games whose luck is known.{why}")
    return found


def collected(
    folder: Path, paths: Sequence[Path], progress: Progress, solved: Callable[[Rules, Sequence[int]], Evaluator]
) -> Collected:
    """Return the games that are over among the records, with the luck that is known from what solves their rules."""
    games, left, met = list[LuckOfGame](), list[Left](), dict[tuple[object, ...], Path]()
    for number, path in enumerate(paths):
        progress(number, len(paths))
        try:
            games += _game(path, met, solved)
        except FarkelError as error:
            left.append(Left(path, error.message))
    return Collected(folder, tuple(games), tuple(left))


def _game(
    path: Path, met: dict[tuple[object, ...], Path], solved: Callable[[Rules, Sequence[int]], Evaluator]
) -> Iterator[LuckOfGame]:
    """Yield the game of a record. Raises `FarkelError` if it does not count."""
    record = read(path)
    if record.problem is not None:
        raise record.problem
    if not record.state.over:
        raise FarkelError("not_over", "the game is not over")
    same = (record.header, tuple(move.event for move in record.moves))
    if same in met:
        raise FarkelError("copy", f"it is the same game as {met[same]}")
    met[same] = path
    yield played(solved(record.header.rules, record.header.people), record)


def results_content(found: Collected) -> dict[str, Any]:
    """Return estimates as shares of games; ``error`` is a standard error, and null for a single game."""
    return {
        "games": len(found.games),
        "players": [
            {
                "name": one.name,
                "games": one.wins.games,
                "fair": one.fair,
                "wins": _estimate(one.wins),
                "luck": one.luck,
                "skill": _estimate(one.skill),
            }
            for one in skills(found.games)
        ],
        "head_to_head": [
            {
                "players": [one.first, one.second],
                "games": one.wins.games,
                "wins": _estimate(one.wins),
                "skill": _estimate(one.skill),
            }
            for one in pairings(found.games)
        ],
        "left_out": [{"record": str(one.path), "why": one.why} for one in found.left],
    }


def _estimate(one: Estimate) -> dict[str, Any]:
    if isnan(one.error):
        return {"mean": one.mean, "error": None, "interval": None}
    return {"mean": one.mean, "error": one.error, "interval": [one.mean - one.margin, one.mean + one.margin]}


def results_text(found: Collected) -> str:
    """Return a table of players, and one of pairs that met."""
    players, pairs = skills(found.games), pairings(found.games)
    rows = [["", "games", "fair share", "wins", "", "luck", "without luck", ""]]
    rows += [
        [one.name, f"{one.wins.games:,}", f"{one.fair:.1%}", *_cells(one.wins), f"{one.luck:+.1%}", *_cells(one.skill)]
        for one in players
    ]
    lines = [f"{counted(len(found.games), 'finished game', 'finished games')} in {found.folder}", ""]
    lines += [table(rows, "<>>>>>>>"), "", *_meaning(players)]
    if pairs:
        lines += ["", "Head to head, games of two players"]
        rows = [["", "", "games", "wins", "", "without luck", "", ""]]
        rows += [
            [one.first, one.second, f"{one.wins.games:,}", *_cells(one.wins), *_cells(one.skill), one.verdict]
            for one in pairs
        ]
        lines.append(table(rows, "<<>>>>><"))
    if found.left:
        lines += ["", f"Left out: {counted(len(found.left), 'record', 'records')}"]
        lines += [f"  {one.path}: {one.why}" for one in found.left[:SHOWN]]
        lines += [f"  and {len(found.left) - SHOWN} more; --json lists all"] if len(found.left) > SHOWN else []
    return "\n".join(lines)


def _meaning(players: Sequence[Skill]) -> list[str]:
    lines = [
        "without luck: the wins to expect with average dice, against the same players.",
        "luck: wins a game from the rolls, and from beginning the game or not. ±: 95% interval.",
    ]
    gains = [(one.wins.error / one.skill.error) ** 2 for one in players if one.skill.error > 0]
    if gains and min(gains) > 1:
        lines.append(f"Without luck these games tell as much as {min(gains):,.0f} times as many by their wins alone.")
    return lines


def _cells(one: Estimate) -> list[str]:
    return [f"{one.mean:.1%}", one.spread]
