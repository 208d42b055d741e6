"""Sentences that players read in several places: what happened, a keep, the scores, and the price of an offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from farkel.dice import faces_text
from farkel.game import State, TakeOver, apply, legal_actions
from farkel.game.scoring import Kept, Scored, ScoreTable, score_table
from farkel.game.story import facts, tell
from farkel.records.record import titled
from farkel.rules import farkle_word
from farkel.support.words import counted, counted_dice

if TYPE_CHECKING:
    from farkel.play.match import Match
    from farkel.records import Header, Move

NOTHING_TO_BANK = "You can't bank yet: roll and keep dice first."


def told(move: Move, names: Sequence[str]) -> list[str]:
    """Return what followed from a move, a sentence for each fact."""
    return [tell(fact, names, move.after) for fact in facts(move.before, move.event, move.after)]


def title(match: Match) -> str:
    """Return the rules by their title, and what wins."""
    return titled(match.rules)


def opening(header: Header) -> list[str]:
    """Return what a game begins with: its heading, and its dice if they can be verified."""
    dice, lines = header.dice, [str(header)]
    if dice.kind == "committed":
        lines.append(
            f"The dice come from a secret with the fingerprint {dice.value}: you can verify them after the game."
        )
    return lines


def log_lines(match: Match) -> list[str]:
    """Return everything that happened and was not taken back, one fact a line."""
    return [*opening(match.record.header), *(line for move in match.moves for line in told(move, match.names))]


def roll_asked(match: Match) -> str:
    """Ask for the real dice that are due."""
    dice = counted_dice(match.state.dice_due)
    roll = f"{match.person}, roll {dice}" if match.seating.human else f"Roll {dice} for {match.person}"
    return f"{roll} and type the result"


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
        then = f"{counted_dice(kept.left)} must complete: {kept.tries}; {farkle_word(table.rules.name)} {risk:.1%}"
        return f"{faces_text(kept.dice, '-'):<11}  {'tries':>7}  {then}"
    if kept.wins:
        return f"{faces_text(kept.dice, '-'):<11}  {'wins':>7}  {made}"
    head = f"{faces_text(kept.dice, '-'):<11}  {kept.points if points is None else points:>7,}  {made}"
    if not rolls:
        return f"{head}; must be banked"
    hot = "hot dice, " if kept.hot else ""
    risk = float(score_table(table.rules, kept.sets).farkles(kept.left))
    then = f"then {hot}{counted_dice(kept.left)}, {farkle_word(table.rules.name)} {risk:.1%}"
    return f"{head}; {then}{_demands(kept) if demand is None else demand}"


def _demands(kept: Kept) -> str:
    """Return the demands of the rules after a keep."""
    if kept.ends:
        return "; must be banked if it may be"
    if kept.owes:
        return f"; confirm with {f'{kept.owes:,} more points' if kept.owes > 1 else 'another scoring roll'}"
    return ""


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


def take_overs(state: State) -> list[TakeOver]:
    """Return the take-overs that are legal now."""
    return [action for action in legal_actions(state) if isinstance(action, TakeOver)]


def failed_roll(state: State, action: TakeOver) -> tuple[int, int]:
    """Return the lives left after taking over, and the lives that a farkle in the first roll then costs."""
    after = apply(state, action)
    return after.seats[state.seat].lives, after.farkle_cost(action.dice, after.points)[0]


def lives_left(state: State) -> str:
    """Return the lives left by each number of dice, and after a farkle in the first roll: ``1: 11 (10)``.

    "" if dice do not cost lives, or none can be taken over.
    """
    left = [(action.dice, *failed_roll(state, action)) for action in take_overs(state)]
    if not state.rules.take_over.costs_lives or not left:
        return ""
    costs = any(cost for _, _, cost in left)
    told = [f"{dice}: {lives}" + (f" ({max(0, lives - cost)})" if costs else "") for dice, lives, cost in left]
    return f"Lives left{f' (after a {farkle_word(state.rules.name)})' if costs else ''}: {', '.join(told)}."
