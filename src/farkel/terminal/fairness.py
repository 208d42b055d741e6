"""``farkel dice``: are the dice fair? Its rolls and files, its report, and its picture."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from farkel.errors import RecordError
from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules
from farkel.terminal.streams import STOPPED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from farkel.fairness import Codes, Farkled, Finding, Pattern, Tally
    from farkel.record import Record
    from farkel.rules import Rules
    from farkel.solve import Progress

SOURCES = ("system", "seeded", "committed", "arena")
ROLLS = 1_000_000
"""Number of throws by default."""
GAUGE = 6
"""Half the width of a gauge, in characters; two of them are a standard deviation."""


@click.command(cls=Command, needs="know")
@click.argument("records", metavar="[RECORD]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--rolls", metavar="N", type=int, help=f"So many throws. Default: {ROLLS:,}.")
@click.option("--source", type=click.Choice(SOURCES), help="Where the dice come from. Default: system.")
@click.option("--seed", type=int, help="The seed of --source seeded or arena.")
@click.option(
    "--word", "words", metavar="TEXT", multiple=True, help="A word mixed into --source committed. Repeatable."
)
@click.option("--dice", "number", metavar="N", type=int, help="Dice in a throw. Default: all of the rules.")
@click.option("--rules", metavar="NAME|FILE", help="Under which rules a throw is a farkle. See: farkel rules")
@click.option("--set", "changes", metavar="FIELD=VALUE", multiple=True, help="Change one field of the rules.")
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw it: .svg, .png or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
def dice(
    records: tuple[Path, ...],
    rolls: int | None,
    source: str | None,
    seed: int | None,
    words: tuple[str, ...],
    number: int | None,
    rules: str | None,
    changes: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
) -> None:
    """See whether dice are fair: those that Farkel throws, or those of recorded games.

    \b
    farkel dice --rolls 10000000
    farkel dice --source seeded --seed 7 --plot dice.svg
    farkel dice GAME.farkel
    farkel dice FOLDER_OF_GAMES

    Counts of faces, patterns and farkles, and tests of these and of the order of throws. Stopped from the keyboard, it
    prints what there is so far.
    """  # noqa: D301  click reads the character, not its escape
    from farkel.terminal.know import picture, working

    if records and (rolls, source, seed, words, number, rules, changes) != (None, None, None, (), None, None, ()):
        raise click.UsageError("the dice of a RECORD, and its rules, are in it: give only --plot or --json with it")
    if plot is not None:
        picture(plot)
    with working("reading" if records else "throwing") as progress:
        if records:
            shown = _read(records, progress)
        else:
            series = _series(source or "system", seed, words, rolls, number, rules, changes)
            if series.notice and not as_json:
                click.echo(series.notice)
            shown = _throw(series, progress)
    if not shown.tally.throws:
        click.echo("Stopped.", err=True)
        sys.exit(STOPPED)
    click.echo(_json(shown) if as_json else _text(shown))
    if plot is not None:
        from farkel.terminal.plots import save

        save(dice_figure(shown.tally, shown.title), plot)
    for error in shown.skipped:
        click.echo(f"Skipped: {error.message}", err=True)
    if shown.stopped:
        click.echo(f"Stopped: {shown.stopped}", err=True)
        sys.exit(STOPPED)
    sys.exit(1 if shown.skipped else 0)


# Counting -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """The counted dice, and their source."""

    tally: Tally
    title: str
    notes: tuple[str, ...]
    """What else people want to know of the dice, a sentence each."""
    about: dict[str, Any]
    """The same for programs."""
    skipped: tuple[RecordError, ...] = ()
    stopped: str = ""
    """How far it was when it was stopped from the keyboard; empty if it was not."""


class Series(NamedTuple):
    """The number of rolls to make."""

    blocks: Iterator[Codes]
    rolls: int
    rules: Rules
    origin: str
    about: dict[str, Any]
    notice: str = ""
    """Said before the first throw."""
    notes: tuple[str, ...] = ()
    """Said afterwards."""


def _series(
    source: str,
    seed: int | None,
    words: Sequence[str],
    rolls: int | None,
    number: int | None,
    rules: str | None,
    changes: Sequence[str],
) -> Series:
    """Return the job that the options describe.

    Raises `DiceError` for impossible dice, `click.UsageError` for stray options.
    """
    from farkel.chance import SYSTEM
    from farkel.dice import SECRET, DerivedDice, commitment, mixed_words, seeded
    from farkel.fairness import arena_throws, check_size, system_throws, thrown

    chosen = chosen_rules(rules, changes)
    rolls, number = ROLLS if rolls is None else rolls, chosen.dice if number is None else number
    check_size(rolls, number, chosen.dice)
    if (seed is not None) != (source in ("seeded", "arena")):
        raise click.UsageError(
            f"--source {source} needs a --seed, any number"
            if seed is None
            else f"--seed repeats the dice of --source seeded or arena; those of --source {source} come but once"
        )
    if words and source != "committed":
        raise click.UsageError(f"--word is mixed into the dice of --source committed, not into those of {source}")
    about: dict[str, Any] = {"source": source, "rules": str(chosen), "asked": rolls}
    match source:
        case "seeded":
            blocks, origin = thrown(seeded(str(seed)), rolls, number), f"from the seed {seed}"
            return Series(blocks, rolls, chosen, origin, about | {"seed": seed})
        case "arena":
            blocks, origin = arena_throws(seed or 0, rolls, number), f"of simulated games with the seed {seed}"
            return Series(blocks, rolls, chosen, origin, about | {"seed": seed})
        case "committed":
            secret, mixed = SYSTEM.draw(SECRET, "committed dice"), mixed_words(words)
            fixed = commitment(secret)
            quoted = ", ".join(json.dumps(word, ensure_ascii=False) for word in mixed)
            said = f" with the words {quoted}" if mixed else ""
            return Series(
                thrown(DerivedDice(secret, mixed), rolls, number),
                rolls,
                chosen,
                "from a secret committed to before",
                about | {"commitment": fixed, "secret": secret.hex(), "words": list(mixed)},
                f"Committed to the secret with the SHA-256 {fixed}",
                (f"The secret was {secret.hex()}{said}: anybody can check every throw.",),
            )
    return Series(system_throws(rolls, number), rolls, chosen, "from the system's secure generator", about)


def _throw(series: Series, progress: Progress) -> Shown:
    """Make the throws, or this many of them as there are when it is stopped from the keyboard."""
    from farkel.fairness import Tally, farkle_table

    tally, done, stopped = Tally(), 0, ""
    table = farkle_table(series.rules)
    start = perf_counter()
    try:
        for codes in series.blocks:
            tally = tally.after(table.judge(codes))
            done += len(codes)
            progress(done, series.rolls)
    except KeyboardInterrupt:
        stopped = f"{tally.throws:,} of {series.rolls:,} throws were made"
    seconds = perf_counter() - start
    speed = tally.throws / seconds
    sizes = " and ".join(map(str, tally.dice))
    return Shown(
        tally,
        f"{tally.throws:,} throws of {sizes} {'die' if sizes == '1' else 'dice'} {series.origin}",
        (f"In {seconds:,.1f} seconds: {float(f'{speed:.2g}'):,.0f} throws a second.", *series.notes),
        series.about | {"seconds": seconds, "throws_per_second": speed},
        stopped=stopped,
    )


def _read(paths: Sequence[Path], progress: Progress) -> Shown:
    """Count the dice of recorded games, one game after the other; unreadable ones are skipped.

    Raises `RecordError` if no game is left, the only one's own if there is but one.
    """
    from farkel.fairness import Tally, checked_game, dice_origin, record_files, throws_of

    files = record_files(paths)
    tally, stopped = Tally(), ""
    games: list[Record] = []
    met: dict[str, Path] = {}
    skipped: list[RecordError] = []
    try:
        for done, path in enumerate(files):
            progress(done, len(files))
            try:
                game = checked_game(path)
                source = dice_origin(game)
                if source in met:
                    raise RecordError("same_dice", f"{path}: its dice are those of {met[source]} over again")
            except RecordError as error:
                skipped.append(error)
                continue
            met[source] = path
            tally, games = tally.after(throws_of(game)), [*games, game]
    except KeyboardInterrupt:
        stopped = f"{len(games) + len(skipped):,} of {len(files):,} records were read"
    if not games and skipped and not stopped:
        if len(skipped) == 1:
            raise skipped[0]
        raise RecordError("no_dice", f"none of {len(files):,} records can be counted; {skipped[0].message}")
    kinds = Counter(_kind(game) for game in games)
    return Shown(
        tally,
        f"{len(games):,} {'game' if len(games) == 1 else 'games'}, {tally.throws:,} throws, {sum(tally.faces):,} dice",
        (f"Dice: {'; '.join(f'{count:,} × {kind}' for kind, count in kinds.most_common())}.",),
        {
            "source": "records",
            "games": [str(path) for path in met.values()],
            "kinds": dict(kinds),
            "skipped": [{"code": error.code, "message": error.message} for error in skipped],
        },
        tuple(skipped),
        stopped,
    )


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


# In words ------------------------------------------------------------------------------------------------------------


def _text(shown: Shown) -> str:
    """Return everything, for people: the verdict last."""
    tally = shown.tally
    parts = ["\n".join([f"{shown.title}.", *shown.notes]), _faces_text(tally), _patterns_text(tally)]
    parts += [_farkles_text(tally)] if tally.farkles.all.throws else []
    return "\n\n".join([*parts, _tests_text(tally)])


def _faces_text(tally: Tally) -> str:
    from farkel.terminal.know import table

    rows = [["face", "count", "share", "due", "off by", "sd", f"{'-3':<{GAUGE}}0{'+3':>{GAUGE}}"]]
    total = sum(tally.faces)
    for face, count in enumerate(tally.faces, 1):
        off = _off(count, total, 1 / 6)
        share = count / total
        rows.append(
            [
                f"{face}",
                f"{count:,}",
                f"{share:.3%}",
                f"{1 / 6:.3%}",
                f"{share - 1 / 6:+.3%}",
                f"{off:+.2f}",
                gauge(off),
            ]
        )
    return f"{table(rows, '>>>>>><')}\nsd: standard deviations; fair dice are within 2 of them in 19 of 20 cases."


def gauge(off: float) -> str:
    """Return a mark on a scale from -3 to 3: ``......|.o....``; an arrow at the end for values beyond."""
    scale = [*"." * GAUGE, "|", *"." * GAUGE]
    place = round(2 * off) + GAUGE
    if 0 <= place <= 2 * GAUGE:
        scale[place] = "o"
    else:
        scale[0 if place < 0 else -1] = "<" if place < 0 else ">"
    return "".join(scale)


def _patterns_text(tally: Tally) -> str:
    """Return the patterns of the throws of most dice there are many of."""
    from farkel.terminal.know import table

    number = _usual_dice(tally)
    total = tally.dice[number]
    rows = [[_of_dice(number), "count", "share", "due", "sd"]]
    for each, seen in tally.patterns(number).items():
        off = _off(seen.times, total, seen.expected / total)
        rows.append(
            [
                pattern_text(each),
                f"{seen.times:,}",
                f"{seen.times / total:.3%}",
                f"{seen.expected / total:.3%}",
                f"{off:+.2f}" if seen.expected < total else "",
            ]
        )
    return table(rows, "<>>>>")


def pattern_text(pattern: Pattern) -> str:
    """Return ``four alike + pair``, or ``all different``."""
    names = {2: ("pair", "pairs"), 3: ("triple", "triples")}
    words = {1: "", 4: "four alike", 5: "five alike", 6: "six alike"}
    groups = Counter(each for each in pattern if each > 1)
    told = [
        words[size] if size in words else names[size][0] if times == 1 else f"{times} {names[size][1]}"
        for size, times in groups.items()
    ]
    return " + ".join(told) or ("all different" if len(pattern) > 1 else "one die")


def _farkles_text(tally: Tally) -> str:
    from farkel.terminal.know import table

    farkles = tally.farkles
    head = ["throws", "farkles", "share", "due", "sd"]
    rows = [["farkles with", *head], *([_of_dice(dice), *_farkled(one)] for dice, one in farkles.dice.items())]
    rows.append(["throws since a farkle", *[""] * len(head)])
    rows += [[name, *_farkled(one)] for name, one in zip(_age_names(), farkles.ages, strict=True) if one.throws]
    lines = [table(rows, "<>>>>>")]
    lines.append(
        f"Most farkles one after the other: {farkles.in_row:,}. Most throws between two farkles: {farkles.longest:,}."
    )
    return "\n".join(lines)


def _farkled(one: Farkled) -> list[str]:
    return [f"{one.throws:,}", f"{one.farkles:,}", f"{one.share:.3%}", f"{one.chance:.3%}", f"{one.off:+.2f}"]


def _age_names() -> list[str]:
    """Return the names of the classes of rolls since the last farkle."""
    from farkel.fairness import AGES

    spans = [(first, after - 1) for first, after in pairwise(AGES)]
    names = [f"{first}" if first == last else f"{first} to {last}" for first, last in spans]
    return [*names, f"{AGES[-1]} and more"]


def _tests_text(tally: Tally) -> str:
    from farkel.fairness import findings, noticeable
    from farkel.terminal.know import table

    found = findings(tally)
    rows = [["test", "result", "p", "verdict"]]
    rows += [[one.asks, _result(one), "" if one.p is None else _chance(one.p), one.verdict] for one in found]
    made = sum(one.p is not None for one in found)
    dice = sum(tally.faces)
    lines = [table(rows, "<>><"), ""]
    if made:
        lines += [
            "p: how often fair dice do at least this. By chance alone one test in twenty is",
            f"below 0.05, so the verdict allows for the number of tests, {made} (Holm).",
            f"With {dice:,} dice one face has to be off by about {noticeable(dice):.2%} to be found.",
            "",
        ]
    return "\n".join([*lines, _verdict(found)])


def _verdict(found: Sequence[Finding]) -> str:
    """Return the combined result of the tests, in a sentence or two."""
    from farkel.fairness import suspicious

    made = [one for one in found if one.p is not None]
    if not made:
        return "Verdict: too few dice to say anything."
    guilty = suspicious(found)
    if not guilty:
        low = sum(one.verdict == "happens" for one in made)
        notes = f" {low} of {len(made)} tests below 0.05: that happens by chance." if low else ""
        return f"Verdict: nothing speaks against these dice.{notes}"
    least = min(one.adjusted or 0.0 for one in guilty)
    often = f"1 in {1 / least:,.0f}" if least > 1e-6 else "1 in a million"
    names = ", ".join(one.name for one in guilty)
    return (
        f"Verdict: fair dice would not do this: {names}.\n"
        f"Of all sets of fair dice at most {often} looks so, with all {len(made)} tests allowed for."
    )


def _result(one: Finding) -> str:
    if one.statistic is None:
        return ""
    if one.degrees is not None:
        return f"chi² {one.statistic:,.2f}, {one.degrees} df"
    return f"{one.statistic:,} throws" if isinstance(one.statistic, int) else f"{one.statistic:+.2f} sd"


def _chance(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}" if p > 1e-99 else "<1e-99"


def _off(count: int, of: int, chance: float) -> float:
    """Return how far a count is off, in standard deviations."""
    spread = of * chance * (1 - chance)
    return (count - of * chance) / spread**0.5 if spread else 0.0


def _of_dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"


def _usual_dice(tally: Tally) -> int:
    """Return the largest number of dice that at least a tenth of the throws are of."""
    return max(number for number, count in tally.dice.items() if count * 10 >= tally.throws)


# For programs --------------------------------------------------------------------------------------------------------


def _json(shown: Shown) -> str:
    """Return all numbers. ``off`` is in standard deviations, shares and chances are parts of 1."""
    from farkel.dice import faces_text, ways
    from farkel.fairness import LEVEL, findings, noticeable, suspicious

    tally = shown.tally
    found = findings(tally)
    farkles = tally.farkles
    dice = sum(tally.faces)
    content = shown.about | {
        "stopped": bool(shown.stopped),
        "throws": tally.throws,
        "dice": dice,
        "throws_by_dice": tally.dice,
        "faces": {
            str(face): {"count": count, "share": count / dice, "due": 1 / 6, "off": _off(count, dice, 1 / 6)}
            for face, count in enumerate(tally.faces, 1)
        },
        "rolls": {
            faces_text(roll): {"count": count, "expected": total * ways(roll) / 6**number}
            for number, total in tally.dice.items()
            for roll, count in tally.rolls(number).items()
        },
        "patterns": {
            str(number): {
                faces_text(each, "+"): {"count": seen.times, "expected": seen.expected}
                for each, seen in tally.patterns(number).items()
            }
            for number in tally.dice
        },
        "farkles": {
            "by_dice": {number: _farkled_json(one) for number, one in farkles.dice.items()},
            "by_throws_since_last": {
                name: _farkled_json(one) for name, one in zip(_age_names(), farkles.ages, strict=True)
            },
            "most_in_row": farkles.in_row,
            "most_throws_between": farkles.longest,
        },
        "tests": [
            {
                "name": one.name,
                "question": one.asks,
                "statistic": one.statistic,
                "degrees": one.degrees,
                "p": one.p,
                "adjusted": one.adjusted,
                "verdict": one.verdict,
            }
            for one in found
        ],
        "level": LEVEL,
        "suspicious": [one.name for one in suspicious(found)],
        "noticeable": noticeable(dice),
    }
    return json.dumps(content, ensure_ascii=False)


def _farkled_json(one: Farkled) -> dict[str, Any]:
    return {**one._asdict(), "share": one.share, "chance": one.chance, "off": one.off}


# The picture ---------------------------------------------------------------------------------------------------------


def dice_figure(tally: Tally, title: str) -> Figure:
    """Return faces, patterns and farkles against expectation, and the p-values of all tests; for black and
    white print.
    """
    from matplotlib.figure import Figure

    from farkel.fairness import findings

    figure = Figure(figsize=(10, 7))
    (faces, patterns), (farkles, tests) = figure.subplots(2, 2, width_ratios=(1, 1.25))
    figure.subplots_adjust(left=0.08, right=0.975, top=0.87, bottom=0.08, hspace=0.42, wspace=0.46)
    figure.text(0.08, 0.955, title, fontsize=11, weight="bold")
    figure.text(0.08, 0.925, "grey: where fair dice are in 19 of 20 cases", fontsize=8.5)
    total = sum(tally.faces)
    _shares(faces, "123456", [count / total for count in tally.faces], [1 / 6] * 6, [(5 / 36 / total) ** 0.5] * 6)
    faces.set_title("Faces", loc="left", fontsize=10)
    _pattern_axes(patterns, tally)
    _farkle_axes(farkles, tally)
    _test_axes(tests, findings(tally))
    for axes in (faces, patterns, farkles, tests):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    return figure


def _shares(
    axes: Axes, names: Sequence[str], shares: Sequence[float], due: Sequence[float], sd: Sequence[float]
) -> None:
    """Draw shares as dots, in bands of two standard deviations around the expected ones."""
    places = range(len(names))
    axes.bar(places, [4 * one for one in sd], bottom=[a - 2 * b for a, b in zip(due, sd, strict=True)], color="0.85")
    axes.hlines(due, [place - 0.4 for place in places], [place + 0.4 for place in places], color="black", linewidth=0.8)
    axes.plot(places, shares, "o", color="black", markersize=4.5)
    axes.set_xticks(places, names)
    most = max(max(abs(a - b), 3 * c) for a, b, c in zip(shares, due, sd, strict=True))
    axes.set_ylim(max(0, min(due) - 1.15 * most), max(due) + 1.15 * most)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")


def _pattern_axes(axes: Axes, tally: Tally) -> None:
    """Return how far off each pattern is, in standard deviations."""
    number = _usual_dice(tally)
    total = tally.dice[number]
    seen = {each: one for each, one in tally.patterns(number).items() if 0 < one.expected < total}
    offs = [_off(one.times, total, one.expected / total) for one in seen.values()]
    places = range(len(offs))
    axes.set_title(f"Patterns of {_of_dice(number)}", loc="left", fontsize=10)
    axes.axvspan(-2, 2, color="0.85", linewidth=0)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.plot(offs, places, "o", color="black", markersize=4.5)
    axes.set_yticks(places, [pattern_text(each) for each in seen])
    axes.set_ylim(len(offs) - 0.4, -0.6)
    edge = max([3.5, *(abs(off) * 1.1 for off in offs)])
    axes.set_xlim(-edge, edge)
    axes.set_xlabel("standard deviations off", fontsize=8)


def _farkle_axes(axes: Axes, tally: Tally) -> None:
    """Return farkles by how long ago the last one was."""
    named = [(name, one) for name, one in zip(_age_names(), tally.farkles.ages, strict=True) if one.variance]
    axes.set_title("Farkles, by throws since the last one", loc="left", fontsize=10)
    if not named:
        axes.text(0.5, 0.5, "too few", ha="center", transform=axes.transAxes)
        axes.set_xticks([])
        axes.set_yticks([])
        return
    ages = [one for _, one in named]
    _shares(
        axes,
        [name.replace(" to ", "–").replace(" and more", "+") for name, _ in named],
        [one.share for one in ages],
        [one.chance for one in ages],
        [one.variance**0.5 / one.throws for one in ages],
    )


def _test_axes(axes: Axes, found: Sequence[Finding]) -> None:
    """Draw the p-value of each test, below 1 in 10,000 at the edge."""
    made = [one for one in found if one.p is not None]
    axes.set_title("Tests: p-values; a cross is too low, all tests allowed for", loc="left", fontsize=10)
    axes.axvspan(0.05, 1, color="0.85", linewidth=0)
    for place, one in enumerate(made):
        guilty = one.verdict in ("suspicious", "not chance")
        axes.plot(max(one.p or 0, 1e-4), place, "X" if guilty else "o", color="black", markersize=8 if guilty else 4.5)
    axes.set_yticks(range(len(made)), [one.name for one in made])
    axes.set_ylim(len(made) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_xlim(8e-5, 1.2)
    axes.set_xticks([1e-4, 1e-3, 1e-2, 0.05, 1], ["≤ 0.0001", "0.001", "0.01", "0.05", "1"])
    axes.set_xticks([], minor=True)
