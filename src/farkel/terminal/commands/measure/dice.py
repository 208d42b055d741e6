"""``farkel dice``: are the dice fair? Rolls and records to count, and the verdict."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farkel.dice import FACES, SECRET, ChanceDice, DerivedDice, Dice, commitment, mixed_words, seeded
from farkel.dice.chance import SYSTEM
from farkel.errors import RecordError
from farkel.support.progress import Progress
from farkel.support.words import counted, counted_dice
from farkel.terminal.command import Command
from farkel.terminal.output import show, table
from farkel.terminal.progress import working
from farkel.terminal.streams import stopped

if TYPE_CHECKING:
    from farkel.records import Record

SOURCES = ("system", "seeded", "committed", "arena")
ROLLS = 1_000_000
"""Number of rolls by default."""
DICE = 6
"""Dice in a roll by default."""
WIDTH = 40
"""Characters of a bar that is as long as bars get."""


@click.command(cls=Command)
@click.argument("records", metavar="[RECORD]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--rolls", metavar="N", type=int, help=f"Number of rolls. Default: {ROLLS:,}.")
@click.option("--source", type=click.Choice(SOURCES), help="Where the dice come from. Default: system.")
@click.option("--seed", type=int, help="The seed of --source seeded or arena.")
@click.option(
    "--word", "words", metavar="TEXT", multiple=True, help="A word mixed into --source committed. Repeatable."
)
@click.option("--dice", "number", metavar="N", type=int, help=f"Dice in a roll. Default: {DICE}.")
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
def dice(
    records: tuple[Path, ...],
    rolls: int | None,
    source: str | None,
    seed: int | None,
    words: tuple[str, ...],
    number: int | None,
    as_json: bool,
) -> None:
    """See whether dice are fair: those that Farkel rolls, or those of recorded games.

    \b
    farkel dice --rolls 10000000
    farkel dice --source seeded --seed 7
    farkel dice GAME.farkel
    farkel dice FOLDER_OF_GAMES

    Counts each face and says whether fair dice would be as uneven. Stopped from the keyboard, it prints what there is
    so far.
    """
    from farkel.records.fairness import rolled

    if records and (rolls, source, seed, words, number) != (None, None, None, (), None):
        raise click.UsageError("the dice of a RECORD are in it: give only --json with it")
    with working("Reading records" if records else "Rolling dice") as progress:
        if records:
            shown = _read(records, progress)
        else:
            thrown, shown = _source(source or "system", seed, words)
            rolls, number = ROLLS if rolls is None else rolls, DICE if number is None else number
            blocks = rolled(thrown, rolls, number)
            if "commitment" in shown.about and not as_json:
                click.echo(f"Committed to the secret with the SHA-256 {shown.about['commitment']}")
            _roll(shown, blocks, rolls, number, progress)
    if not shown.faces:
        stopped()
    show(_content(shown) if as_json else _text(shown))
    for error in shown.skipped:
        click.echo(f"Skipped: {error.message}", err=True)
    if shown.stopped:
        stopped(f"Stopped: {shown.stopped}")
    sys.exit(1 if shown.skipped else 0)


# Counting -------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class CountedDice:
    """The counted dice, and what to say of them."""

    origin: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    """For programs."""
    note: str = ""
    """For people."""
    faces: Counter[int] = field(default_factory=Counter)
    rolls: int = 0
    skipped: list[RecordError] = field(default_factory=list)
    stopped: str = ""
    """How far it was when it was stopped from the keyboard; empty if it was not."""


def _source(source: str, seed: int | None, words: Sequence[str]) -> tuple[Dice, CountedDice]:
    """Return the dice that the options describe. Raises `DiceError`, and `click.UsageError` for stray options."""
    from farkel.records.fairness import SimulatedDice

    if (seed is not None) != (source in ("seeded", "arena")):
        raise click.UsageError(
            f"--source {source} needs a --seed, any number"
            if seed is None
            else f"--seed repeats the dice of --source seeded or arena; those of --source {source} come but once"
        )
    if words and source != "committed":
        raise click.UsageError(f"--word is mixed into the dice of --source committed, not into those of {source}")
    about: dict[str, Any] = {"source": source}
    match source:
        case "seeded":
            return seeded(str(seed)), CountedDice(f"from the seed {seed}", about | {"seed": seed})
        case "arena":
            origin = f"of simulated games with the seed {seed}"
            return SimulatedDice(seed or 0), CountedDice(origin, about | {"seed": seed})
        case "committed":
            secret, mixed = SYSTEM.draw(SECRET, "committed dice"), mixed_words(words)
            about |= {"commitment": commitment(secret), "secret": secret.hex(), "words": list(mixed)}
            quoted = ", ".join(json.dumps(word, ensure_ascii=False) for word in mixed)
            said = f" with the words {quoted}" if mixed else ""
            note = f"The secret was {secret.hex()}{said}: anybody can check every roll."
            return DerivedDice(secret, mixed), CountedDice("from a secret committed to before", about, note)
    return ChanceDice(SYSTEM, "farkel dice"), CountedDice("from the system's secure generator", about)


def _roll(shown: CountedDice, blocks: Iterable[Counter[int]], rolls: int, number: int, progress: Progress) -> None:
    """Count the rolls, or as many of them as there are when it is stopped from the keyboard."""
    shown.about["asked"] = rolls
    try:
        for block in blocks:
            shown.faces.update(block)
            shown.rolls = shown.faces.total() // number
            progress(shown.rolls, rolls)
    except KeyboardInterrupt:
        shown.stopped = f"{shown.rolls:,} of {rolls:,} rolls were made"


def _read(paths: Sequence[Path], progress: Progress) -> CountedDice:
    """Count the dice of recorded games, one game after the other; unreadable ones are skipped.

    Raises `RecordError` if no game is left, the only one's own if there is but one.
    """
    from farkel.records.fairness import checked_game, dice_origin, faces_of, record_files

    files, shown = record_files(paths), CountedDice()
    met: dict[str, Path] = {}
    kinds: Counter[str] = Counter()
    try:
        for done, path in enumerate(files):
            progress(done, len(files))
            try:
                game = checked_game(path)
                origin = dice_origin(game)
                if origin in met:
                    raise RecordError("same_dice", f"{path}: its dice are those of {met[origin]} over again")
            except RecordError as error:
                shown.skipped.append(error)
                continue
            met[origin] = path
            kinds[_kind(game)] += 1
            shown.faces.update(faces_of(game))
            shown.rolls += game.throws
    except KeyboardInterrupt:
        shown.stopped = f"{len(met) + len(shown.skipped):,} of {len(files):,} records were read"
    if not met and shown.skipped and not shown.stopped:
        if len(shown.skipped) == 1:
            raise shown.skipped[0]
        raise RecordError("no_dice", f"none of {len(files):,} records can be counted; {shown.skipped[0].message}")
    shown.origin = f"of {counted(len(met), 'game', 'games')}"
    shown.note = f"Dice: {'; '.join(f'{count:,} × {kind}' for kind, count in kinds.most_common())}."
    shown.about = {
        "source": "records",
        "games": [str(path) for path in met.values()],
        "kinds": dict(kinds),
        "skipped": [{"code": error.code, "message": error.message} for error in shown.skipped],
    }
    return shown


def _kind(game: Record) -> str:
    """Return the source of a game's dice, and whether they could be checked."""
    kind = game.header.dice.kind
    if kind == "committed" and game.secret is None:
        return "committed, not revealed yet"
    return {
        "system": "system, nothing to check them by",
        "manual": "real dice, typed in",
        "seeded": "seeded, checked",
        "committed": "committed, checked",
    }[kind]


# Showing -------------------------------------------------------------------------------------------------------------


def _text(shown: CountedDice) -> str:
    """Return everything, for people: the verdict last."""
    from farkel.records.fairness import judge

    dice = counted_dice(shown.faces.total())
    said = f"{counted(shown.rolls, 'roll', 'rolls')}, {dice} {shown.origin}."
    note = f"\n{shown.note}" if shown.note else ""
    return "\n\n".join([said + note, _bars(shown.faces), str(judge(shown.faces))])


def _bars(faces: Counter[int]) -> str:
    """Return the count of each face, and a bar that ends at the mark if it is what is due."""
    dice = faces.total()
    due = dice / len(FACES)
    scale = WIDTH / max(2 * due, *faces.values())
    mark = round(due * scale)
    rows = [["face", "count", "share", "off by", f"{'| due:':>{mark + 6}} {due:,.1f}"]]
    for face in FACES:
        count = faces[face]
        bar = f"{'#' * round(count * scale):{WIDTH}}"
        bar = f"{bar[:mark]}|{bar[mark + 1 :]}"
        rows.append([f"{face}", f"{count:,}", f"{count / dice:.2%}", f"{count - due:+,.1f}", bar])
    return table(rows, ">>>><")


def _content(shown: CountedDice) -> dict[str, Any]:
    """Return all numbers; shares are parts of 1."""
    from farkel.records.fairness import LEVEL, judge

    verdict = judge(shown.faces)
    return shown.about | {
        "stopped": bool(shown.stopped),
        "throws": shown.rolls,
        "dice": verdict.dice,
        "faces": {
            str(face): {"count": shown.faces[face], "share": shown.faces[face] / verdict.dice, "due": 1 / len(FACES)}
            for face in FACES
        },
        "chi_square": verdict.chi_square,
        "p": verdict.p,
        "level": LEVEL,
        "verdict": verdict.word,
        "noticeable": verdict.noticeable,
    }
