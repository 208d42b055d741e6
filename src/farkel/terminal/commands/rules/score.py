"""``farkel score``: the score of a roll, and every legal keep."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from farkel.dice import Roll, faces_text, parse_roll
from farkel.support.words import counted
from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, rules_options
from farkel.terminal.output import page, show

if TYPE_CHECKING:
    from farkel.game import State
    from farkel.game.scoring import Kept, Scored
    from farkel.rules import Rules

ENOUGH = 1_000
"""A turn total with which rules that ask for no more let a player bank."""
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


@click.command(cls=Command)
@click.argument("roll", nargs=-1)
@rules_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per roll.")
@click.option("--all", "every", is_flag=True, help="Print every distinct roll, from one die to all dice.")
def score(roll: tuple[str, ...], rules: str | None, changes: tuple[str, ...], as_json: bool, every: bool) -> None:
    """Show the score of a roll and every legal keep: farkel score 112345"""
    from farkel.game.scoring import score_table

    if bool(roll) == every:
        raise click.UsageError("give a roll, such as 112345, or --all")
    chosen = chosen_rules(rules, changes)
    if every:
        lines = [(roll_json if as_json else roll_line)(chosen, scored.roll) for scored in score_table(chosen)]
        (page if as_json else show)("\n".join(lines))
        return
    faces = parse_roll("".join(roll), chosen.dice)
    if not faces:
        raise click.UsageError("a roll has at least one die, such as 112345")
    if as_json:
        click.echo(roll_json(chosen, faces))
    else:
        show(roll_text(chosen, faces))


def falls(rules: Rules, roll: Roll) -> Iterator[tuple[str, State]]:
    """Yield when a roll may fall, with its dice due: first in a turn, later in it, and after a set that counts (K1)."""
    from farkel.game import Phase, new_game
    from farkel.game.scoring import open_sets
    from farkel.rules.pattern_tables import AFTER_SET

    start, dice = new_game(rules, (1,)), len(roll)
    seats = tuple(seat._replace(entered=-1) for seat in start.seats)
    due = start._replace(phase=Phase.ROLL, seats=seats, dice=dice)
    later = due._replace(points=max(ENOUGH, rules.entry, rules.minimum), rolls=1)
    if dice == rules.dice:
        yield ("As the first roll of a turn", due)
    if dice < rules.dice or rules.most_rolls != 1:
        yield ("Later in a turn", later)
    if AFTER_SET in (*rules.scoring.moments, *rules.rolled.moments):
        for number, sets in enumerate(open_sets(rules)):
            if len(sets) == 1 and sets[0][0] not in roll and dice <= rules.dice - sets[0][1]:
                yield ("After three or more of a kind", later._replace(sets=number))
                return


def roll_json(rules: Rules, roll: Roll) -> str:
    """Return a roll as one line of JSON, its keeps from the most points down.

    If it counts otherwise as the first one of a turn, ``first`` says how.
    """
    from farkel.game.scoring import score_table

    table = score_table(rules)
    content = {"roll": roll, **_roll_json(table[roll])}
    first = _roll_json(table.first(roll))
    return json.dumps(content | ({} if first.items() <= content.items() else {"first": first}), separators=(",", ":"))


def _roll_json(scored: Scored) -> dict[str, Any]:
    best = scored.best
    content: dict[str, Any] = {
        "farkle": scored.farkle,
        "best": {"points": best.points if best else 0, "dice": best.dice if best else ()},
        "keeps": [_keep_json(kept) for kept in scored.keeps.values()],
    }
    if scored.fine:
        content["fine"] = scored.fine
    if scored.ends or (scored.binds and scored.keeps):
        content["then"] = scored.ends or "bank"
    return content


def _keep_json(kept: Kept) -> dict[str, Any]:
    content: dict[str, Any] = {"dice": kept.dice, "points": kept.points, "left": kept.left}
    if kept.owes:
        content["confirm"] = kept.owes
    if kept.tries:
        content["tries"] = kept.tries
    if kept.wins or kept.ends:
        content["then"] = "win" if kept.wins else "bank"
    return content


def roll_line(rules: Rules, roll: Roll) -> str:
    """Return a roll in one line: its most points, and how many keeps it has; also as the first one of a turn."""
    from farkel.game.scoring import score_table

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
    from farkel.game import Throw, apply

    scored, after = state.scored_as(roll), apply(state, Throw(roll))
    nothing = _nothing_to_keep(state, scored, after)
    return [*_fine(state, scored), *([nothing] if nothing else _keeps(scored, after))]


def _fine(state: State, scored: Scored) -> list[str]:
    """Return the price or the bonus of a roll, if it has one."""
    if not scored.fine:
        return []
    what = f"costs {scored.fine:,}" if scored.fine > 0 else f"scores {-scored.fine:,}"
    turn = scored.fine > 0 and state.rules.penalties.fines_from == "turn"
    return [f"This roll {what} {'points of the turn total' if turn else 'banked points at once'}."]


def _nothing_to_keep(state: State, scored: Scored, after: State) -> str:
    """Return what follows from a roll after which no keep is chosen; "" if there is one to choose."""
    from farkel.game import legal_actions

    if state.rolls_again(scored.roll) and scored.ends != "again":
        return f"Nothing scores: roll again. You farkle only if none of {state.tries_left} tries scores."
    if scored.best is None:
        return NOTHING_KEPT[_ending(scored)]
    if legal_actions(after):
        return ""
    return "This roll wins the game." if after.over else "Farkle: nothing of it may be banked."


def _keeps(scored: Scored, after: State) -> list[str]:
    """Return the worth of a roll, and a line for each legal keep."""
    from farkel.game import Keep, legal_actions, refusal
    from farkel.game.scoring import score_table
    from farkel.terminal.sentences import keep_text

    table = score_table(after.rules, after.sets)
    may = {(keep.dice, keep.then) for keep in legal_actions(after) if type(keep) is Keep}
    must = " It must be banked if it may be." if scored.binds else ""
    if all(then == "bank" for _, then in may):
        must = " It must be banked."
    best = next(iter(scored.keeps.values()))
    lines = [("Wins the game." if best.wins else f"Worth {best.points:,}.{must}") + " Keep:"]
    for kept in scored.keeps.values():
        rolls, banks = ((kept.dice, then) in may for then in ("roll", "bank"))
        if rolls or banks:
            why = "" if banks else refusal(after, Keep(kept.dice, "bank")) or ""
            lines.append(f"  {keep_text(table, kept, scored=scored, rolls=rolls, demand=DEMANDS.get(why))}")
    return lines


def _ending(scored: Scored) -> str:
    from farkel.rules.pattern_tables import known

    return known(scored.ends, NOTHING_KEPT, "farkel score")
