"""The review of a game, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from farkel.coach import BLUNDER, INACCURACY, MISTAKE, Decision, Review, Step, action_text
from farkel.coach import review as reviewed
from farkel.game import Keep, Leave, Note, Throw
from farkel.game.story import facts, percent, signed_percent, tell
from farkel.records import Header, read
from farkel.terminal.player_results import print_skills
from farkel.terminal.progress import action_json, picture, table, working


def print_review(record: Path, every: bool, plot: Path | None, as_json: bool) -> None:
    """Print the review of a game, and draw it; of a folder, the results of each player in its games."""
    if record.is_dir():
        if plot is not None or every:
            raise click.UsageError("--plot and --all are for a single game: name its record instead of the folder")
        print_skills(record, as_json)
        return
    if plot is not None:
        picture(plot)
    game = read(record)
    header = game.header
    with working("solving") as progress:
        from farkel.solve import evaluator

        solved = evaluator(header.rules, [len(seat.people) for seat in header.seats], progress)
    with working("reviewing") as progress:
        found = reviewed(solved, game, progress)
    click.echo(review_json(found, header) if as_json else review_text(found, header, every))
    if plot is not None:
        from farkel.terminal.plots import review_figure, save

        save(review_figure(found, f"{' against '.join(header.names)}, {header.rules.name}"), plot)
    if game.problem is not None:
        raise click.ClickException(f"{record}: {game.problem.message}")


def review_text(review: Review, header: Header, every: bool = False) -> str:
    """Return the account of each seat, the turning points, and the errors, or every decision."""
    over = "" if review.end.over else " The game is unfinished; the review covers it so far."
    chances = "exact" if review.exact else "approximate: for three or more players they come from a model"
    lines = [
        f"{header.rules}, {header.date}: {' against '.join(review.names)}.{over}",
        f"Winning chances with best play, {chances}.",
        "",
        table(_accounts(review), "<" + ">" * (len(_heads(review)) - 1)),
        "",
        f"end = {' + '.join(_heads(review)[1 : _heads(review).index('end')])}.",
        f"inaccuracy: costs {INACCURACY:.1%} or more; mistake: {MISTAKE:.0%}; blunder: {BLUNDER:.0%}.",
    ]
    points = review.turning_points
    if points:
        lines += ["", "Turning points"]
        heads = ["event", "chance of", "", "what happened"]
        lines.append(table([heads, *(_turning_point(review, step) for step in points)], "><<<"))
    shown = review.decisions if every else review.errors
    lines += ["", "Decisions" if every else "Errors"]
    heads = ["event", "", "", "cost", "done", ""]
    lines.append(table([heads, *(_graded(review, decision) for decision in shown)], "><<><<") if shown else "none")
    return "\n".join(lines)


def review_json(review: Review, header: Header) -> str:
    """Return the accounts of the seats, every move with the chances after it, and the turning points by number."""
    return json.dumps(
        {
            "rules": str(header.rules),
            "exact": review.exact,
            "over": review.end.over,
            "thresholds": {"inaccuracy": INACCURACY, "mistake": MISTAKE, "blunder": BLUNDER},
            "seats": [
                {
                    "name": name,
                    "start": account.start,
                    "luck": account.luck,
                    "errors": account.errors,
                    "from_others": account.from_others,
                    "left": account.left,
                    "noted": account.noted,
                    "rest": account.rest,
                    "end": account.end,
                    "decisions": account.decisions,
                    **{f"{word}s": account.grades[word] for word in ("blunder", "mistake")},
                    "inaccuracies": account.grades["inaccuracy"],
                }
                for name, account in zip(review.names, review.seats, strict=True)
            ],
            "turning_points": [step.move.number for step in review.turning_points],
            "start": review.curve[0],
            "moves": [_move_json(step) for step in review.steps],
        },
        ensure_ascii=False,
    )


def _move_json(step: Step) -> dict[str, Any]:
    event = step.move.event
    seat = event.seat if isinstance(event, Leave) else step.move.before.seat
    content: dict[str, Any] = {"event": step.move.number, "seat": seat, "chances": step.after}
    if isinstance(event, Throw):
        return content | {"roll": event.faces, "luck": step.luck}
    if isinstance(event, Leave):
        return content | {"action": "leave"}
    if isinstance(event, Note):
        return content | {"action": "note", "points": event.points, "left": event.dice, "farkle": event.farkle}
    content |= action_json(event)
    if step.decision is not None:
        decision = step.decision
        content |= {"grade": decision.grade, "error": decision.error, "best": action_json(decision.best)}
    return content


def _heads(review: Review) -> list[str]:
    """Return the columns of the accounts: what adds up to the end, and counts."""
    left = ["players who left"] if _some(Leave, review) else []
    noted = ["entered turns"] if _some(Note, review) else []
    rest = [] if review.exact else ["left open"]
    counts = ["decisions", "inaccuracies", "mistakes", "blunders"]
    return ["", "start", "luck", "own errors", "others' errors", *left, *noted, *rest, "end", *counts]


def _accounts(review: Review) -> list[list[str]]:
    rows = [_heads(review)]
    for name, account in zip(review.names, review.seats, strict=True):
        left = [signed_percent(account.left)] if _some(Leave, review) else []
        noted = [signed_percent(account.noted)] if _some(Note, review) else []
        rest = [] if review.exact else [signed_percent(account.rest)]
        rows.append(
            [
                name,
                percent(account.start),
                signed_percent(account.luck),
                signed_percent(-account.errors),
                signed_percent(account.from_others),
                *left,
                *noted,
                *rest,
                percent(account.end),
                str(account.decisions),
                *(str(account.grades[word]) for word in ("inaccuracy", "mistake", "blunder")),
            ]
        )
    return rows


def _some(kind: type[Leave | Note], review: Review) -> bool:
    return any(isinstance(step.move.event, kind) for step in review.steps)


def _turning_point(review: Review, step: Step) -> list[str]:
    """Return the event, whose chance moved most, from where to where, and what happened."""
    gains = [after - before for before, after in zip(step.before, step.after, strict=True)]
    most = max(range(len(gains)), key=lambda seat: (abs(gains[seat]), gains[seat]))
    return [
        f"{step.move.number}",
        review.names[most],
        f"{percent(step.before[most])} → {percent(step.after[most])}",
        _told(review, step),
    ]


def _told(review: Review, step: Step) -> str:
    move = step.move
    return " ".join(tell(fact, review.names, move.after) for fact in facts(move.before, move.event, move.after))


def _graded(review: Review, decision: Decision) -> list[str]:
    """Return the event, the player, the grade, the cost, the move and the better one."""
    before = decision.move.before
    roll = f"{''.join(map(str, before.roll))}: " if isinstance(decision.taken, Keep) else ""
    better = (
        "" if decision.grade == "good" else f"better: {action_text(decision.best)} ({percent(decision.best_chance)})"
    )
    return [
        f"{decision.move.number}",
        review.names[before.seat],
        decision.grade,
        signed_percent(-decision.error),
        f"{roll}{action_text(decision.taken)} ({percent(decision.chance)})",
        better,
    ]
