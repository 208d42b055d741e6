"""Rolls and recorded games as text."""

from __future__ import annotations

import json
from collections.abc import Sequence

from farkel.dice import Roll, faces_text
from farkel.facts import counted, facts, tell
from farkel.game import Phase, State
from farkel.record import Move, Record
from farkel.scoring import Kept, Scored, ScoreTable, score_table


def roll_json(scored: Scored) -> str:
    """Return a roll as one line of JSON, its keeps from the most points down."""
    best = scored.best
    content: dict[str, object] = {
        "roll": scored.roll,
        "farkle": scored.farkle,
        "best": {"points": best.points if best else 0, "dice": best.dice if best else ()},
        "keeps": [_keep_json(kept) for kept in scored.keeps.values()],
    }
    if scored.fine:
        content["fine"] = scored.fine
    if scored.ends:
        content["then"] = scored.ends
    return json.dumps(content, separators=(",", ":"))


def _keep_json(kept: Kept) -> dict[str, object]:
    content: dict[str, object] = {"dice": kept.dice, "points": kept.points, "left": kept.left}
    if kept.owes:
        content["confirm"] = kept.owes
    if kept.tries:
        content["tries"] = kept.tries
    if kept.wins or kept.ends:
        content["then"] = "win" if kept.wins else "bank"
    return content


def roll_line(scored: Scored) -> str:
    """Return a roll in one line: its best score, and how many keeps it has."""
    best = scored.best
    nothing = {"win": "wins", "lose": "loses", "again": "again"}.get(scored.ends, "farkle")
    worth = f"{best.points:>7,}  {faces_text(best.dice):<6}" if best else f"{nothing:>7}  {'':<6}"
    fine = f"  costs {scored.fine:,}" if scored.fine > 0 else f"  earns {-scored.fine:,}" if scored.fine else ""
    return f"{faces_text(scored.roll):<6}  {worth}  {counted(len(scored.keeps), 'keep', 'keeps')}{fine}"


def roll_text(table: ScoreTable, roll: Roll) -> str:
    """Return a roll with every legal keep, its combinations, and the risk of rolling on."""
    scored = table[roll]
    lines = [f"{faces_text(roll, '-')} under {table.rules}"]
    if scored.fine > 0:
        lines.append(f"This roll costs {scored.fine:,} banked points at once.")
    elif scored.fine:
        lines.append(f"This roll scores {-scored.fine:,} banked points at once.")
    if scored.best is None:
        return "\n".join([*lines, NOTHING_KEPT.get(scored.ends, "Farkle: nothing scores.")])
    lines.append(f"Worth {scored.best.points:,}. Keep:")
    lines += [f"  {keep_text(table, kept, scored=scored)}" for kept in scored.keeps.values()]
    if table.first(roll).keeps != scored.keeps or table.first(roll).ends != scored.ends:
        lines.append("As the first roll of a turn it counts differently.")
    return "\n".join(lines)


NOTHING_KEPT = {
    "win": "This roll wins the game.",
    "lose": "This roll puts its player out of the game.",
    "zero": "Farkle, and the whole score is lost.",
    "again": "These dice are rolled again.",
}
"""The sentences for rolls that end more than the turn, by their effect."""


def keep_text(table: ScoreTable, kept: Kept, points: int | None = None, scored: Scored | None = None) -> str:
    """Return one keep in a line: dice, points (its own unless others are given), combinations, and
    the risk next.
    """
    made = ", ".join(combination.name for combination in table.split(kept.dice, scored)) or "nothing else scores"
    if kept.tries:
        risk = float(score_table(table.rules, kept.sets).farkles(kept.left))
        then = f"{counted(kept.left, 'die', 'dice')} must complete: {kept.tries}; farkle {risk:.1%}"
        return f"{faces_text(kept.dice, '-'):<11}  {'tries':>7}  {then}"
    if kept.wins:
        return f"{faces_text(kept.dice, '-'):<11}  {'wins':>7}  {made}"
    hot = "hot dice, " if kept.hot else ""
    worth = kept.points if points is None else points
    return (
        f"{faces_text(kept.dice, '-'):<11}  {worth:>7,}  {made}; then {hot}{counted(kept.left, 'die', 'dice')}, "
        f"farkle {float(score_table(table.rules, kept.sets).farkles(kept.left)):.1%}{_demands(kept)}"
    )


def _demands(kept: Kept) -> str:
    """Return the demands of the rules after a keep."""
    if kept.ends:
        return "; must be banked"
    if kept.owes:
        return f"; confirm with {f'{kept.owes:,} more points' if kept.owes > 1 else 'another scoring roll'}"
    return ""


def game_text(game: Record) -> str:
    """Return a recorded game told from the start, a paragraph for each turn."""
    header = game.header
    lines = [
        f"{header.rules}, {header.date}, {header.dice.kind} dice",
        "Seats: " + ", ".join(f"{seat.name} ({seat.player})" for seat in header.seats),
        "",
    ]
    for move in game.moves:
        told = [tell(fact, header.names, move.after) for fact in facts(move.before, move.event, move.after)]
        lines.append(f"{move.number:4}  {' '.join(told)}")
        if ends_turn(move):
            lines += ["      " + scores_line(header.names, move.after), ""]
    if not game.state.over:
        lines.append("The game is not over.")
    return "\n".join(lines).rstrip() + "\n"


def ends_turn(move: Move) -> bool:
    """Return whether the move ended a turn: the next seat's has begun, or the game is over."""
    before, after = move.before, move.after
    if before.phase in (Phase.START, Phase.OFFER):
        return after.over
    return after.over or (after.points == 0 and after.phase in (Phase.OFFER, Phase.ROLL))


def scores_line(names: Sequence[str], state: State) -> str:
    """Return the scores in one line, with lives, who is out, and how many rounds are left."""
    shown = []
    for name, seat in zip(names, state.seats, strict=True):
        details = [counted(seat.lives, "life", "lives")] if state.rules.lives.each else []
        details += [] if seat.status == "in" else [seat.status]
        shown.append(f"{name} {seat.score:,}" + (f" ({', '.join(details)})" if details else ""))
    rounds = state.standing or state.rounds_left
    left = f". {counted(rounds, 'round', 'rounds')} left" if rounds and not state.over else ""
    return "Scores: " + "; ".join(shown) + left
