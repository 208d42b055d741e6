"""The answers that take calculation: plain functions, run by `farkel.web.coaching.calculator` in a process of its own.

What goes in and comes out can be sent between processes. Everything heavy is imported when it is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from farkel.dice import FACES, faces_text
from farkel.errors import SolveError
from farkel.game import Keep, Phase, State, Throw
from farkel.game.scoring import score_table
from farkel.play import hints
from farkel.players import knowledge
from farkel.records import parse_record
from farkel.rules import Rules
from farkel.support.progress import told
from farkel.web.game import bots
from farkel.web.game.table import TableError

MOST_PREPARED = 1 << 29
"""Bytes that a game may take to be solved before anyone asks for it."""
BY_POINTS = "Winning chances under these rules take many minutes to calculate, so this hint goes by expected points."


def odds(rules: Rules) -> dict[int, dict[str, Any]]:
    """Return the chance of a farkle and of hot dice, and the mean of the most points, by the number of dice."""
    from farkel.solve import odds

    return {
        dice: {
            "farkle": float(one.farkle),
            "farkle_exact": str(one.farkle),
            "hot_dice": float(one.hot_dice),
            "mean_best": float(one.mean_best),
        }
        for dice, one in odds(rules).items()
    }


def farkles(rules: Rules) -> dict[int, Fraction]:
    """Return the chance of a farkle by the number of dice."""
    table = score_table(rules)
    return {dice: table.farkles(dice) for dice in range(1, rules.dice + 1)}


def value(rules: Rules) -> dict[str, Any]:
    """Return the exact value of a game of two. Raises `SolveError`; ``too_long`` if it takes more than seconds."""
    knowledge.quick_chances(rules, (1, 1), told)
    found, turn = knowledge.duel(rules), knowledge.turn(rules)
    return {
        "rules": str(rules),
        "first_player_wins": found.first_player_wins,
        "nobody_wins": found.nobody_wins,
        "states": found.states,
        "residual": found.residual,
        "expected_points": turn.expected_points,
    }


def prepare(rules: Rules) -> None:
    """Let bots be ready for games of two under these rules, if that takes seconds and little memory."""
    from farkel.solve import cost

    knowledge.turn(rules)
    with suppress(SolveError):
        if not knowledge.too_long(rules, (1, 1)) and cost(rules).memory <= MOST_PREPARED:
            knowledge.chances(rules, (1, 1), told)


def _has_value(rules: Rules) -> bool:
    return knowledge.has_turn(rules) and knowledge.has_chances(rules, (1, 1))


def card(rules: Rules) -> dict[str, Any]:
    """Return the card to play by. Raises `SolveError` if there is none; ``too_long`` if it takes many minutes."""
    from farkel.coach.card import guide
    from farkel.players import tuning

    tuning.check(rules)
    knowledge.quick_chances(rules, (1, 1), told)
    found = guide(rules, told)
    return {"bank": found.bank, "rules": [str(one) for one in found.sentences], "figures": found.figures}


def thresholds(rules: Rules) -> dict[str, Any]:
    """Return the turn totals to bank for the most points, and why there is no card of these rules, if so.

    Raises `SolveError` if there are no such totals.
    """
    from farkel.coach.card import thresholds
    from farkel.players import tuning

    found, missing = thresholds(rules), ""
    try:
        tuning.check(rules)
    except SolveError as error:
        missing = error.message
    return {
        "rows": found.rows,
        "expected_points": found.expected,
        "long_run": found.long_run,
        "sentences": found.sentences,
        "missing": missing,
    }


def hint(state: State) -> dict[str, Any]:
    """Return the best action for the seat on turn, and why."""
    found, missing = hints.forced(state), ""
    if found is None:
        people = state.people
        consulted = hints.consult(state.rules, people)
        if consulted.solvable:
            hints.solve(state.rules, people, told)
            consulted = hints.consult(state.rules, people)
        found, missing = hints.hint(consulted, state, places=0), consulted.missing
        if consulted.too_long:
            missing = BY_POINTS
    dice = getattr(found.action, "dice", None)
    return {
        "what": found.what,
        "why": found.why,
        "rows": list(found.rows),
        "missing": missing,
        "dice": list(dice) if isinstance(dice, tuple) else dice,
        "then": getattr(found.action, "then", None),
    }


def _has_hint(state: State) -> bool:
    if hints.forced(state):
        return True
    people = state.people
    return knowledge.has_turn(state.rules) and (len(people) == 1 or knowledge.has_chances(state.rules, people))


def chances(state: State) -> list[float]:
    """Return the chance of each seat to win. Raises `SolveError`; ``too_long`` if it takes more than seconds."""
    return list(_evaluator(state.rules, state.people).chances(state))


def _has_chances(state: State) -> bool:
    return knowledge.has_chances(state.rules, state.people)


def review(text: str) -> dict[str, Any]:
    """Return the review of a finished game from its record. Raises `SolveError` as `chances` does."""
    from farkel.coach import review

    record = parse_record(text.encode())
    evaluator = _evaluator(record.header.rules, record.header.people)
    found = review(evaluator, record, told)
    return {
        "names": found.names,
        "exact": found.exact,
        "curve": [list(chances) for chances in found.curve],
        "seats": [
            {
                "start": account.start,
                "luck": account.luck,
                "errors": account.errors,
                "from_others": account.from_others,
                "end": account.end,
                "decisions": account.decisions,
                "grades": dict(account.grades),
            }
            for account in found.seats
        ],
        "decisions": [
            {
                "number": one.move.number,
                "seat": one.move.before.seat,
                "roll": faces_text(one.move.before.roll, " "),
                "points": one.move.before.points,
                "kept": list(one.taken.dice) if isinstance(one.taken, Keep) else [],
                "taken": str(one.taken),
                "chance": one.chance,
                "best": str(one.best),
                "best_chance": one.best_chance,
                "error": one.error,
                "grade": one.grade,
            }
            for one in found.decisions
        ],
        "turning_points": [
            {
                "number": step.move.number,
                "told": " ".join(step.move.told(found.names)),
                "before": list(step.before),
                "after": list(step.after),
            }
            for step in found.turning_points
        ],
    }


def statistics(text: str) -> dict[str, Any]:
    """Return counts of the faces and farkles of each seat in a record, beside the expected ones, and the verdict.

    Raises `TableError` ``no_throws`` if the record has no rolls.
    """
    from farkel.records.fairness import faces_of, judge

    record = parse_record(text.encode())
    if not record.throws:
        raise TableError("no_throws", "there are no dice to count: no roll has been made or entered yet")
    faces = faces_of(record)
    farkles = [0] * len(record.header.seats)
    expected = [0.0] * len(record.header.seats)
    rolls = [0] * len(record.header.seats)
    for move in record.moves:
        if isinstance(move.event, Throw) and move.before.phase is Phase.ROLL:
            seat = move.before.seat
            rolls[seat] += 1
            table = score_table(move.before.rules, move.before.sets)
            if table[move.event.faces].counts and move.before.tries_left == 1:
                farkles[seat] += table[move.event.faces].farkle
                expected[seat] += float(table.farkles(len(move.event.faces), tried=move.before.tried))
    verdict = judge(faces)
    return {
        "dice": verdict.dice,
        "faces": [faces[face] for face in FACES],
        "faces_expected": verdict.dice / len(FACES),
        "seats": [
            {"name": seat.name, "rolls": rolls[index], "farkles": farkles[index], "farkles_expected": expected[index]}
            for index, seat in enumerate(record.header.seats)
        ],
        "p": verdict.p,
        "verdict": verdict.word,
        "sentences": verdict.sentences,
    }


AT_HAND: dict[Callable[..., Any], Callable[..., bool]] = {
    bots.decide: bots.decides_at_once,
    value: _has_value,
    prepare: _has_value,
    card: lambda rules: False,
    hint: _has_hint,
    chances: _has_chances,
    review: lambda text: False,
}
"""Whether an answer no longer needs a long calculation, given the same arguments; the others never need one."""


def _evaluator(rules: Rules, people: Sequence[int]) -> Any:
    """Return what knows winning chances. Raises `SolveError` if that takes longer than seconds, or is impossible."""
    if len(people) == 1:
        raise SolveError("alone", "someone who plays alone has no opponent, so there is no winning chance")
    return knowledge.quick_chances(rules, people, told)
