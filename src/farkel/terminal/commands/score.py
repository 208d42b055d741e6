"""Rolls and recorded games as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from farkel.dice import Roll, faces_text
from farkel.game import Keep, Phase, State, Throw, apply, legal_actions, new_game, refusal
from farkel.game.scoring import Kept, Scored, ScoreTable, open_sets, score_table
from farkel.game.story import counted, facts, tell
from farkel.records import Record
from farkel.rules import Rules
from farkel.rules.pattern_tables import AFTER_SET, known

ENOUGH = 1_000
"""A turn total with which rules that ask for no more let a player bank."""


class Fall(NamedTuple):
    """When a roll may fall: a state in which its dice are due."""

    name: str
    state: State


def falls(rules: Rules, roll: Roll) -> Iterator[Fall]:
    """Yield the moments at which a roll may fall: first in a turn, later in it, and after a set that counts (K1)."""
    start, dice = new_game(rules, (1,)), len(roll)
    seats = tuple(seat._replace(entered=-1) for seat in start.seats)
    due = start._replace(phase=Phase.ROLL, seats=seats, dice=dice)
    later = due._replace(points=max(ENOUGH, rules.entry, rules.minimum), rolls=1)
    if dice == rules.dice:
        yield Fall("As the first roll of a turn", due)
    if dice < rules.dice or rules.most_rolls != 1:
        yield Fall("Later in a turn", later)
    if AFTER_SET in (*rules.scoring.moments, *rules.rolled.moments):
        for number, sets in enumerate(open_sets(rules)):
            if len(sets) == 1 and sets[0][0] not in roll and dice <= rules.dice - sets[0][1]:
                yield Fall("After three or more of a kind", later._replace(sets=number))
                return


def roll_json(rules: Rules, roll: Roll) -> str:
    """Return a roll as one line of JSON, its keeps from the most points down.

    If it counts otherwise as the first one of a turn, ``first`` says how.
    """
    table = score_table(rules)
    content = {"roll": roll, **_roll_json(table[roll])}
    first = _roll_json(table.first(roll))
    return json.dumps(content | ({} if first.items() <= content.items() else {"first": first}), separators=(",", ":"))


def _roll_json(scored: Scored) -> dict[str, object]:
    best = scored.best
    content: dict[str, object] = {
        "farkle": scored.farkle,
        "best": {"points": best.points if best else 0, "dice": best.dice if best else ()},
        "keeps": [_keep_json(kept) for kept in scored.keeps.values()],
    }
    if scored.fine:
        content["fine"] = scored.fine
    if scored.ends or (scored.binds and scored.keeps):
        content["then"] = scored.ends or "bank"
    return content


def _keep_json(kept: Kept) -> dict[str, object]:
    content: dict[str, object] = {"dice": kept.dice, "points": kept.points, "left": kept.left}
    if kept.owes:
        content["confirm"] = kept.owes
    if kept.tries:
        content["tries"] = kept.tries
    if kept.wins or kept.ends:
        content["then"] = "win" if kept.wins else "bank"
    return content


def roll_line(rules: Rules, roll: Roll) -> str:
    """Return a roll in one line: its most points, and how many keeps it has; also as the first one of a turn."""
    later, first = (_roll_line(scored) for scored in (score_table(rules)[roll], score_table(rules).first(roll)))
    return f"{faces_text(roll):<6}  {later}" + (
        f"; first in a turn: {' '.join(first.split())}" if first != later else ""
    )


def _roll_line(scored: Scored) -> str:
    best = scored.best
    nothing = {"win": "wins", "lose": "loses", "again": "again"}.get(_ending(scored), "farkle")
    points = "wins" if best and best.wins else f"{best.points:,}" if best else nothing
    fine = f"  costs {scored.fine:,}" if scored.fine > 0 else f"  earns {-scored.fine:,}" if scored.fine else ""
    bank = "  must be banked" if scored.binds and best else ""
    dice = faces_text(best.dice) if best else ""
    return f"{points:>7}  {dice:<6}  {counted(len(scored.keeps), 'keep', 'keeps')}{fine}{bank}"


def roll_text(rules: Rules, roll: Roll) -> str:
    """Return what play does with a roll: every legal keep, its combinations, and the risk of rolling on.

    If that depends on when it falls in a turn, it is told for each moment.
    """
    told: dict[str, list[str]] = {}
    for name, state in falls(rules, roll):
        told.setdefault("\n".join(_in_play(state, roll)), []).append(name)
    lines = [f"{faces_text(roll, '-')} under {rules}"]
    for text, names in told.items():
        if len(told) > 1:
            lines.append(f"{names[0]}{''.join(f' or {name[:1].lower()}{name[1:]}' for name in names[1:])}:")
        lines.append(text)
    return "\n".join(lines)


def _in_play(state: State, roll: Roll) -> list[str]:
    """Return what the engine does with a roll that falls now."""
    scored, after = state.scored_as(roll), apply(state, Throw(roll))
    lines = []
    if scored.fine:
        what = f"costs {scored.fine:,}" if scored.fine > 0 else f"scores {-scored.fine:,}"
        lines.append(f"This roll {what} banked points at once.")
    if state.rolls_again(roll) and scored.ends != "again":
        tries = state.tries_left
        return [*lines, f"Nothing scores: roll again. You farkle only if none of {tries} tries scores."]
    if scored.best is None:
        return [*lines, NOTHING_KEPT[_ending(scored)]]
    legal = legal_actions(after)
    if not legal:
        return [*lines, "This roll wins the game." if after.over else "Farkle: nothing of it may be banked."]
    table, may = score_table(state.rules, state.sets), {(keep.dice, keep.then) for keep in legal if type(keep) is Keep}
    must = " It must be banked." if all(then == "bank" for _, then in may) else ""
    if scored.binds and not must:
        must = " It must be banked if it may be."
    lines.append(("Wins the game." if scored.best.wins else f"Worth {scored.best.points:,}.{must}") + " Keep:")
    for kept in scored.keeps.values():
        rolls, banks = ((kept.dice, then) in may for then in ("roll", "bank"))
        if rolls or banks:
            why = "" if banks else refusal(after, Keep(kept.dice, "bank")) or ""
            lines.append(f"  {keep_text(table, kept, scored=scored, rolls=rolls, demand=DEMANDS.get(why))}")
    return lines


DEMANDS = {
    "must_roll_hot_dice": "; must be rolled",
    "too_many_dice_left": "; leaves too many dice to bank",
}
"""What is said of keeps that may not be banked, whatever the turn total is, by the code of the refusal."""
NOTHING_KEPT = {
    "": "Farkle: nothing scores.",
    "farkle": "Farkle: nothing scores.",
    "win": "This roll wins the game.",
    "lose": "This roll puts its player out of the game.",
    "zero": "Farkle, and the whole score is lost.",
    "again": "These dice are rolled again.",
}
"""The sentences for rolls of which nothing may be kept, by their effect."""


def _ending(scored: Scored) -> str:
    return known(scored.ends, NOTHING_KEPT, "farkel score")


def keep_text(
    table: ScoreTable,
    kept: Kept,
    points: int | None = None,
    scored: Scored | None = None,
    *,
    rolls: bool = True,
    demand: str | None = None,
) -> str:
    """Return one keep in a line: dice, points (its own unless others are given), combinations, and
    the risk next.

    rolls: whether it may be rolled on with. demand: what the rules ask for after it, if more than the keep itself says.
    """
    made = ", ".join(combination.name for combination in table.split(kept.dice, scored)) or "nothing else scores"
    if kept.tries:
        risk = float(score_table(table.rules, kept.sets).farkles(kept.left))
        then = f"{counted(kept.left, 'die', 'dice')} must complete: {kept.tries}; farkle {risk:.1%}"
        return f"{faces_text(kept.dice, '-'):<11}  {'tries':>7}  {then}"
    if kept.wins:
        return f"{faces_text(kept.dice, '-'):<11}  {'wins':>7}  {made}"
    head = f"{faces_text(kept.dice, '-'):<11}  {kept.points if points is None else points:>7,}  {made}"
    if not rolls:
        return f"{head}; must be banked"
    hot = "hot dice, " if kept.hot else ""
    risk = float(score_table(table.rules, kept.sets).farkles(kept.left))
    then = f"then {hot}{counted(kept.left, 'die', 'dice')}, farkle {risk:.1%}"
    return f"{head}; {then}{_demands(kept) if demand is None else demand}"


def _demands(kept: Kept) -> str:
    """Return the demands of the rules after a keep."""
    if kept.ends:
        return "; must be banked if it may be"
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
        if move.ends_turn:
            lines += ["      " + scores_line(header.names, move.after), ""]
    if not game.state.over:
        lines.append("The game is not over.")
    return "\n".join(lines).rstrip() + "\n"


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
