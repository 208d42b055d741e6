"""What the coach knows, for pages: odds, exact values, hints, winning chances, reviews, statistics of the dice.

Everything heavy is imported when it is wanted, and runs beside the event loop, one long piece of work at a time.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

from farkel import hints
from farkel.dice import faces_text
from farkel.errors import SolveError
from farkel.game import Phase
from farkel.players import known
from farkel.record import Record
from farkel.rules import Rules
from farkel.web.house import Full
from farkel.web.keys import Key
from farkel.web.table import Table, TableError

T = TypeVar("T")

MOST_REVIEWS = 64
MOST_WAITING = 16
"""Pieces of long work that may be under way or wait; beyond that one is told to come again."""
_bench = ThreadPoolExecutor(1, "farkel-knowledge")
"""Long work is done one piece at a time: there are games to be served."""
_under_way: dict[Hashable, Future[Any]] = {}
_reviews: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()


async def _worked(about: Hashable, work: Callable[[], T]) -> T:
    """What the work gives. Who asks for what is under way already waits for the same. Raises `Full`."""
    found: Future[T] | None = _under_way.get(about)
    if found is None:
        if len(_under_way) >= MOST_WAITING:
            raise Full("busy", "the server has much to work out just now; ask again in a minute", 60)
        found = _under_way[about] = _bench.submit(work)
        found.add_done_callback(lambda _: _under_way.pop(about, None))
    return await asyncio.shield(asyncio.wrap_future(found))  # one who goes does not take it from the others


@lru_cache(maxsize=256)
def odds_of(rules: Rules) -> dict[int, dict[str, Any]]:
    """The chance of a farkle and of hot dice, and the mean best score, by the number of dice."""
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


async def value(rules: Rules) -> dict[str, Any]:
    """The exact value of a game of two. Raises `SolveError`, ``too_long`` where it takes more than seconds, `Full`."""
    people = (1, 1)
    why = await asyncio.to_thread(known.too_long, rules, people)
    if why:
        raise SolveError("too_long", why)
    found, turn = await _worked(("value", rules.digest), lambda: (known.duel(rules), known.turn(rules)))
    return {
        "rules": str(rules),
        "first_player_wins": found.first_player_wins,
        "nobody_wins": found.nobody_wins,
        "states": found.states,
        "residual": found.residual,
        "expected_points": turn.expected_points,
    }


async def hint(table: Table, key: Key) -> dict[str, Any]:
    """What would be best for the seat on turn, and why."""
    state = table.playing.state
    if not table.allowed.hints and not state.over:
        raise TableError("no_hints", "the host of this game has not allowed hints")
    if not hints.decision_due(state):
        raise TableError("no_decision", hints.NO_DECISION)
    if state.seat not in key.seats and not key.host:
        raise TableError("not_yours", "a hint is for whoever decides now")
    people = [seat.people for seat in state.seats]

    def work() -> dict[str, Any]:
        knowledge = hints.consult(state.rules, people)
        if knowledge.solvable:
            hints.solve(state.rules, people, _silent)
            knowledge = hints.consult(state.rules, people)
        found = hints.hint(knowledge, state)
        dice = getattr(found.action, "dice", None)
        return {
            "what": found.what,
            "why": found.why,
            "rows": list(found.rows),
            "missing": knowledge.missing,
            "dice": list(dice) if isinstance(dice, tuple) else dice,
            "then": getattr(found.action, "then", None),
        }

    return await _worked(("hint", table.game, table.number), work)


async def chances(table: Table) -> dict[str, Any]:
    """The chance of each seat to win, where the host allows it and it takes no more than seconds to know."""
    state = table.playing.state
    if not table.allowed.chances and not state.over:
        raise TableError("no_chances", "the host of this game has not allowed winning chances to be shown")
    evaluator = await _evaluator(state.rules, tuple(seat.people for seat in state.seats))
    found = await asyncio.to_thread(evaluator.chances, state)
    return {"number": table.number, "chances": list(found)}


async def review(table: Table) -> dict[str, Any]:
    """The game move by move in winning chance. Raises `TableError` before its end, or `SolveError`."""
    record = table.playing
    if not record.state.over:
        raise TableError("not_over", "a game is looked over when it is over")
    kept = (table.game, table.number)
    if kept not in _reviews:
        evaluator = await _evaluator(record.header.rules, tuple(len(seat.people) for seat in record.header.seats))
        _reviews[kept] = await _worked(("review", *kept), lambda: _review(evaluator, record))
        while len(_reviews) > MOST_REVIEWS:
            _reviews.popitem(last=False)
    return _reviews[kept]


def _review(evaluator: Any, record: Record) -> dict[str, Any]:
    from farkel.coach import action_text, review
    from farkel.web.views import told_of

    found = review(evaluator, record)
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
                "taken": action_text(one.taken),
                "best": action_text(one.best),
                "error": one.error,
                "grade": one.grade,
            }
            for one in found.decisions
        ],
        "turning_points": [
            {
                "number": step.move.number,
                "told": " ".join(told_of(step.move, found.names)),
                "before": list(step.before),
                "after": list(step.after),
            }
            for step in found.turning_points
        ],
    }


def statistics(record: Record) -> dict[str, Any]:
    """Counts of the faces, and farkles of each seat, beside what was to be expected.

    Raises `TableError` ``no_throws`` where no dice are known.
    """
    from farkel.game import Throw
    from farkel.scoring import score_table

    table = score_table(record.header.rules)
    faces = [0] * 6
    farkles = [0] * len(record.header.seats)
    expected = [0.0] * len(record.header.seats)
    rolls = [0] * len(record.header.seats)
    for move in record.moves:
        if not isinstance(move.event, Throw):
            continue
        for face in move.event.faces:
            faces[face - 1] += 1
        if move.before.phase is Phase.ROLL:
            seat = move.before.seat
            rolls[seat] += 1
            farkles[seat] += table[move.event.faces].farkle
            expected[seat] += float(table.farkles(len(move.event.faces)))
    dice = sum(faces)
    if not dice:
        raise TableError("no_throws", "there are no dice to look at: no throw of this game was entered, or made yet")
    return {
        "dice": dice,
        "faces": faces,
        "faces_expected": dice / 6,
        "seats": [
            {"name": seat.name, "rolls": rolls[index], "farkles": farkles[index], "farkles_expected": expected[index]}
            for index, seat in enumerate(record.header.seats)
        ],
        **_tested(record),
    }


def _tested(record: Record) -> dict[str, Any]:
    """What the tests of dice find in them."""
    from farkel.fairness import Tally, findings, throws_of

    found = findings(Tally().after(throws_of(record)))
    return {"tests": [{"name": one.name, "asks": one.asks, "p": one.p, "verdict": one.verdict} for one in found]}


async def _evaluator(rules: Rules, people: tuple[int, ...]) -> Any:
    """What knows winning chances. Raises `SolveError` where that takes longer than seconds, or cannot be."""
    if len(people) == 1:
        raise SolveError("alone", "a seat alone plays against nobody: there is no chance to win")
    why = await asyncio.to_thread(known.too_long, rules, people)
    if why:
        raise SolveError("too_long", why)
    return await _worked(("chances", rules.digest, people), lambda: known.chances(rules, people))


def _silent(done: float, of: float) -> None:
    """Nobody watches."""
