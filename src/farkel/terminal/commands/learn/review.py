"""``farkel review``: the mistakes of a recorded game, and luck apart from skill."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from farkel.support.progress import Steps
from farkel.terminal.command import Command
from farkel.terminal.commands.learn.advise import action_content
from farkel.terminal.options import GAME, json_option, plot_option
from farkel.terminal.output import show
from farkel.terminal.plots import DASHES, blank_page, check_picture, headed, label, save
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from farkel.coach import Account, Review, Step
    from farkel.records import Header

MARKS = {"inaccuracy": ("o", "white"), "mistake": ("s", "0.6"), "blunder": ("X", "black")}
"""The shape and filling for each grade of error."""


@click.command(cls=Command)
@click.argument("record", type=GAME)
@click.option("--all", "every", is_flag=True, help="List every decision, not only mistakes.")
@plot_option("the winning chances")
@json_option
def review(record: Path, every: bool, plot: Path | None, as_json: bool) -> None:
    """Review a recorded game: mistakes, and luck apart from skill.

    \b
    farkel review 1

    A decision is graded by the winning chance that it gives away: an inaccuracy from 0.5 percentage points, a mistake
    from 2, a blunder from 5. If RECORD is a folder, the results of each player in its games, corrected for luck.
    """
    if record.is_dir():
        if plot is not None or every:
            raise click.UsageError("--plot and --all are for a single game: name its record instead of the folder")
        _show_results(record, as_json)
        return
    check_picture(plot)
    from farkel.coach import review as reviewed
    from farkel.records import read
    from farkel.terminal.coach_text import review_text

    game = read(record)
    header = game.header
    with working("Solving the game") as progress:
        from farkel.players.knowledge import evaluator

        steps = Steps(progress, {"Solving the game": 2.0, "Looking at every move": 1.0})
        solved = evaluator(header.rules, header.people, steps.begin("Solving the game"))
        found = reviewed(solved, game, steps.begin("Looking at every move"))
    show(_content(found, header) if as_json else review_text(found, header, every))
    if plot is not None:
        save(review_figure(found, f"{' against '.join(header.names)}, {header.rules.name}"), plot)
    if game.problem is not None:
        raise click.ClickException(f"{record}: {game.problem.message}")


def _show_results(folder: Path, as_json: bool) -> None:
    """Print the results of players in the games of a folder."""
    from farkel.terminal.player_results import collect, results_content, results_text

    with working("Reviewing games") as progress:
        found = collect(folder, progress)
    show(results_content(found) if as_json else results_text(found))


def _content(review: Review, header: Header) -> dict[str, Any]:
    """Return the accounts of the seats, every move with the chances after it, and the turning points by number."""
    from farkel.coach import BLUNDER, INACCURACY, MISTAKE

    return {
        "rules": str(header.rules),
        "exact": review.exact,
        "over": review.end.over,
        "thresholds": {"inaccuracy": INACCURACY, "mistake": MISTAKE, "blunder": BLUNDER},
        "seats": [
            {"name": name, **_account(account)} for name, account in zip(review.names, review.seats, strict=True)
        ],
        "turning_points": [step.move.number for step in review.turning_points],
        "start": review.curve[0],
        "moves": [_move(step) for step in review.steps],
    }


def _account(account: Account) -> dict[str, Any]:
    content = {each.name: getattr(account, each.name) for each in fields(account)}
    grades = content.pop("grades")
    counts = {"blunders": "blunder", "mistakes": "mistake", "inaccuracies": "inaccuracy"}
    return content | {name: grades[grade] for name, grade in counts.items()}


def _move(step: Step) -> dict[str, Any]:
    from farkel.game import Leave, Note, Throw

    event = step.move.event
    seat = event.seat if isinstance(event, Leave) else step.move.before.seat
    content: dict[str, Any] = {"event": step.move.number, "seat": seat, "chances": step.after}
    if isinstance(event, Throw):
        return content | {"roll": event.faces, "luck": step.luck}
    if isinstance(event, Leave):
        return content | {"action": "leave"}
    if isinstance(event, Note):
        return content | {"action": "note", "points": event.points, "left": event.dice, "farkle": event.farkle}
    content |= action_content(event)
    if step.decision is not None:
        decision = step.decision
        content |= {"grade": decision.grade, "error": decision.error, "best": action_content(decision.best)}
    return content


def review_figure(review: Review, title: str) -> Figure:
    """Return the chance of each seat after each move, with the errors as marks and the turns as bands.

    Of two seats that share everything one line says all.
    """
    figure = blank_page(10, 5.2)
    axes = figure.add_axes((0.075, 0.12, 0.85, 0.76))
    curve, names = review.curve, review.names
    both = len(names) == 2 and all(abs(sum(chances) - 1) < 1e-6 for chances in curve)
    _bands(axes, review)
    places = range(len(curve))
    for seat in range(1 if both else len(names)):
        chances = [one[seat] for one in curve]
        axes.plot(places, chances, color="black", linewidth=1.4, linestyle=DASHES[seat], label=label(names[seat]))
    _marks(axes, review, both)
    axes.axhline(1 / len(names), color="0.6", linewidth=0.6)
    axes.set_xlim(0, max(1, len(curve) - 1))
    axes.set_ylim(0, 1)
    ticks = [0, 0.25, 0.5, 0.75, 1]
    axes.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
    axes.set_xlabel("moves" + (f"; grey: turns of {names[1]}" if len(names) == 2 else "; bands: turns"))
    axes.set_ylabel(f"chance that {names[0]} wins" if both else "chance to win")
    if both:
        other = axes.secondary_yaxis("right", functions=(_opposite, _opposite))
        other.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
        other.set_ylabel(f"chance that {names[1]} wins")
    headed(figure, axes, title)
    return figure


def _opposite(chance: Any) -> Any:
    return 1 - chance


def _bands(axes: Axes, review: Review) -> None:
    """Draw the turns of every second seat in grey."""
    start = 0
    seats = [step.move.before.seat for step in review.steps]
    for place in range(1, len(seats) + 1):
        if place == len(seats) or seats[place] != seats[start]:
            if seats[start] % 2:
                axes.axvspan(start, place, color="0.92", linewidth=0, zorder=0)
            start = place


def _marks(axes: Axes, review: Review, both: bool) -> None:
    """Mark where an error was made, on the line of the seat that made it."""
    for grade, (shape, fill) in MARKS.items():
        found = [
            (place, step.after[0 if both else step.move.before.seat])
            for place, step in enumerate(review.steps, 1)
            if step.decision is not None and step.decision.grade == grade
        ]
        if found:
            places, chances = zip(*found, strict=True)
            axes.plot(
                places,
                chances,
                linestyle="none",
                marker=shape,
                markersize=7,
                markerfacecolor=fill,
                markeredgecolor="black",
                label=grade,
                zorder=3,
                clip_on=False,
            )
