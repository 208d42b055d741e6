"""The card that people play by, as text, as JSON and on paper."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import fill, wrap
from typing import TYPE_CHECKING

import click

from farkel import __version__
from farkel.errors import SolveError
from farkel.terminal.options import chosen_rules
from farkel.terminal.plots import LEFT, RIGHT, blank_page, save
from farkel.terminal.progress import picture, table, working

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from farkel.coach.card import Guide, Sentence

WIDTH = 78
PAPER = 92
"""Letters of a line on paper."""


def print_guide(
    rules: str | None, changes: tuple[str, ...], file: Path | None, output: Path | None, as_json: bool
) -> None:
    """Print the card of the rules, or draw it."""
    if file is not None and output is not None:
        raise click.UsageError("give FILE or --output, not both")
    chosen, path = chosen_rules(rules, changes), file or output
    if path is not None:
        picture(path)
    with working("looking for the best card") as progress:
        from farkel.coach.card import guide
        from farkel.players import tuning

        try:
            tuning.check(chosen)
        except SolveError as error:
            raise click.ClickException(f"{error.message}; for the thresholds of best play add --full") from None
        found = guide(chosen, progress)
    if path is not None:
        save(guide_figure(found), path)
    if as_json or path is None:
        click.echo(guide_json(found) if as_json else guide_text(found))
    else:
        click.echo(f"The card is in {path}")


def guide_json(guide: Guide) -> str:
    """Return numbers, sentences and how well they do."""
    return json.dumps(
        {
            "rules": str(guide.rules),
            "numbers": guide.numbers._asdict(),
            "bank": [{"left": left, "from": least} for left, least in guide.bank],
            "sentences": [{"text": one.text, "worth": one.worth} for one in guide.sentences],
            "scoring": [{"dice": dice, "points": points} for dice, points in guide.scoring],
            "wins": guide.wins,
            "worst": guide.worst,
        },
        ensure_ascii=False,
    )


def guide_text(guide: Guide) -> str:
    """Return the card in lines of text."""
    lines = [f"How to play {guide.rules}", "", table([("dice left", "bank from"), *guide.bank], "<>"), ""]
    for number, one in enumerate(guide.sentences, 1):
        lines.append(fill(f"{number}. {_told(one)}", WIDTH, subsequent_indent="   "))
    lines += ["", "What dice are worth", table(guide.scoring, "<>"), "", fill(_figures(guide), WIDTH)]
    return "\n".join(lines)


def _told(one: Sentence) -> str:
    return one.text if one.worth is None else f"{one.text} (worth {_percent(one.worth)})"


def _percent(worth: float) -> str:
    return f"{worth:.1%}" if worth >= 0.0005 else "less than 0.1%"


def _figures(guide: Guide) -> str:
    return (
        f"Of games of two, this card wins {guide.wins:.1%} against perfect play, and at worst {guide.worst:.1%} "
        "against an opponent who knows it, both seats counted equally and exactly. What a rule is worth is how much "
        "less often the card wins without it."
    )


def guide_figure(guide: Guide) -> Figure:
    """Return the card on half a page."""
    figure, rules = blank_page(8.27, 5.85), guide.rules
    title = f"How to play {rules.title or rules.name}"
    figure.text(LEFT, 0.93, title, fontsize=min(17.0, 17.0 * 48 / len(title)), weight="bold", va="top")
    _rows(figure, [("Dice left", "Bank from"), *guide.bank], LEFT, 0.34, 0.82, 10.5)
    _rows(figure, [("Dice", "Worth"), *guide.scoring], 0.52, RIGHT, 0.82, min(9.0, 9.0 * 11 / (len(guide.scoring) + 1)))
    top = 0.82 - 0.056 * (len(guide.bank) + 1) - 0.02
    top = min(top, 0.82 - 0.0415 * min(12, len(guide.scoring) + 1) - 0.02)
    for number, one in enumerate(guide.sentences, 1):
        lines = wrap(_told(one), PAPER + 8)
        figure.text(LEFT, top, f"{number}.", fontsize=9, va="top")
        figure.text(LEFT + 0.025, top, "\n".join(lines), fontsize=9, va="top", linespacing=1.25)
        top -= 0.031 * len(lines) + 0.012
    notes = wrap(f"{_figures(guide)} farkel {__version__}, {rules.name} ({rules.digest})", 150)
    figure.text(LEFT, 0.03, "\n".join(notes), fontsize=6.5, va="bottom", color="0.25")
    return figure


def _rows(figure: Figure, rows: list[tuple[str, str]], left: float, right: float, top: float, size: float) -> None:
    for number, (name, value) in enumerate(rows):
        weight = "bold" if number == 0 else "normal"
        height = top - number * size * 0.0053
        figure.text(left, height, name, fontsize=size, va="top", weight=weight)
        figure.text(right, height, value, fontsize=size, va="top", ha="right", weight=weight)
