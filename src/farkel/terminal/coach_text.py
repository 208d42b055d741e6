"""What the coach says, at the command line and in the application: the review of a game, and the card to play by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkel.coach import BLUNDER, INACCURACY, MISTAKE, Account, Decision, Review, Step
from farkel.coach.reviews import WRONG
from farkel.game import Leave, Note
from farkel.records import Header
from farkel.support.words import percent, signed_percent
from farkel.terminal.fitting import PROSE, fitted, prose
from farkel.terminal.output import table
from farkel.terminal.sentences import told

if TYPE_CHECKING:
    from farkel.coach.card import Guide


def review_text(review: Review, header: Header, every: bool = False, width: int | None = None) -> str:
    """Return the account of each seat, the turning points, and the errors, or every decision.

    Text and tables fit ``width`` columns (default: those of the terminal).
    """
    over = "" if review.end.over else " The game is unfinished; the review covers it so far."
    chances = "exact" if review.exact else "approximate: for three or more players they come from a model"
    accounts = [_account(review, name, account) for name, account in zip(review.names, review.seats, strict=True)]
    heads = list(accounts[0])
    lines = [
        f"{header.rules}, {header.date}: {' against '.join(review.names)}.{over}",
        f"Winning chances with best play, {chances}.",
        "",
        table([heads, *(list(one.values()) for one in accounts)], "<" + ">" * (len(heads) - 1), width),
        "",
        f"end = {' + '.join(heads[1 : heads.index('end')])}.",
        f"inaccuracy: costs {INACCURACY:.1%} or more; mistake: {MISTAKE:.0%}; blunder: {BLUNDER:.0%}.",
    ]
    points = review.turning_points
    if points:
        lines += ["", "Turning points"]
        heads = ["event", "chance of", "", "what happened"]
        lines.append(table([heads, *(_turning_point(review, step) for step in points)], "><<<", width))
    shown = review.decisions if every else review.errors
    lines += ["", "Decisions" if every else "Errors"]
    heads = ["event", "", "", "cost", "done", ""]
    rows = [heads, *(_graded(review, decision) for decision in shown)]
    lines.append(table(rows, "><<><<", width) if shown else "none")
    return fitted("\n".join(lines), width)


def _account(review: Review, name: str, account: Account) -> dict[str, str]:
    """Return a seat's figures by their heads: what adds up to the end, and counts."""
    met = {type(step.move.event) for step in review.steps}
    shown = {"players who left": Leave in met, "entered turns": Note in met, "left open": not review.exact}
    return {
        "": name,
        "start": percent(account.start),
        **{head: signed_percent(part) for head, part in account.parts.items() if shown.get(head, True)},
        "end": percent(account.end),
        "decisions": f"{account.decisions}",
        **{many: f"{account.grades[one]}" for one, many in WRONG.items()},
    }


def _turning_point(review: Review, step: Step) -> list[str]:
    """Return the event, whose chance moved most, from where to where, and what happened."""
    gains = [after - before for before, after in zip(step.before, step.after, strict=True)]
    most = max(range(len(gains)), key=lambda seat: (abs(gains[seat]), gains[seat]))
    return [
        f"{step.move.number}",
        review.names[most],
        f"{percent(step.before[most])} → {percent(step.after[most])}",
        " ".join(told(step.move, review.names)),
    ]


def _graded(review: Review, decision: Decision) -> list[str]:
    """Return the event, the player, the grade, the cost, the move and the better one."""
    return [
        f"{decision.move.number}",
        review.names[decision.move.before.seat],
        decision.grade,
        signed_percent(-decision.error),
        decision.done,
        decision.better,
    ]


def guide_text(guide: Guide, width: int | None = None) -> str:
    """Return the card in lines of text that fit ``width`` columns (default: those of the terminal)."""
    return guide.text(min(width or PROSE, prose()))
