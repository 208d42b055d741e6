"""Three seats: which games are solved, how much work one is, and its solution.

The solution is found and read with NumPy and Numba, which the extra ``native`` brings; nothing else here needs them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from farkel.errors import SolveError
from farkel.game import law
from farkel.kernels.spaces import has_numba
from farkel.rules import AnyRules, Rules, as_rules
from farkel.rules.settings import unknown
from farkel.solve.compiled_game import Beyond, compile_board
from farkel.solve.compiled_turn import LOST, units
from farkel.solve.fields import UNDERSTOOD, blame
from farkel.solve.solution import check_memory, folder
from farkel.solve.three.turns import SEATS
from farkel.support.extras import needs
from farkel.support.progress import Progress, silent

if TYPE_CHECKING:
    from farkel.solve.three.solution import Trio

EACH_POSITION = 16
"""Bytes of a position in memory and on the disk."""
SOON = 1.0
"""Seconds of work that are done when they are wanted."""
SPENT = 7e-6
"""Seconds of one core that a position takes for each hundred turn totals, roughly; with last turns four times that."""


def trio(rules: AnyRules, progress: Progress = silent, *, fresh: bool = False, patience: float = inf) -> Trio:
    """Return the game of three seats, solved, or read from the disk if it was solved before: as `farkel.solve.duel`.

    Raises `SolveError`: ``not_installed`` without the extra ``native``.
    """
    rules = as_rules(rules)
    check_trio(rules)
    needs("native", "an exact solution for three players", SolveError)
    check_memory(rules, EACH_POSITION * trio_positions(rules))
    from farkel.solve.three.solution import solution

    return solution(rules, stored_trio(rules), trio_seconds(rules), progress, fresh, patience)


def trio_positions(rules: AnyRules) -> int:
    """Return how many positions a game of three has, without compiling it."""
    rules = as_rules(rules)
    return int((-(-rules.target // rules.unit)) ** SEATS)


def trio_seconds(rules: AnyRules) -> float:
    """Return about how many seconds it takes to solve a game of three seats on two cores, before that is begun."""
    rules = as_rules(rules)
    scores = -(-rules.target // rules.unit)
    each = SPENT * (scores + 40) / 100
    return float(scores**SEATS) * each / 2 * (4 if rules.finish == "last_turns" else 1)


def trio_ready(rules: AnyRules) -> bool:
    """Return whether the solution of three seats can be read or found in seconds; never without Numba."""
    rules = as_rules(rules)
    if not has_numba():
        return False
    if not stored_trio(rules).exists() and (not rules.target or trio_seconds(rules) > SOON):
        return False
    return solves_three(rules)


def stored_trio(rules: AnyRules) -> Path:
    """Return where the solution of these rules for three seats is kept."""
    rules = as_rules(rules)
    return folder() / f"{rules.digest}-three.solution"


def check_trio(rules: AnyRules) -> None:
    """Raise `SolveError` for rules that are solved for two seats at most, with the name of a field as its code."""
    rules = as_rules(rules)
    if _more(rules):
        ending = unknown(rules, UNDERSTOOD)
        field, words = (ending.name, ending.written) if ending else blame(rules, _more)
        raise SolveError(
            field, f"{words}: not solved for three seats; bot:race plays such games by a model of the other two"
        )


def solves_three(rules: AnyRules) -> bool:
    """Return whether a game of three seats can be solved."""
    try:
        return not _more(as_rules(rules))
    except SolveError:
        return False


@lru_cache(maxsize=64)
def _more(rules: Rules) -> bool:
    """Return whether three scores do not tell what follows from a turn."""
    compiled = compile_board(rules)
    board = compiled.board
    if len(compiled.modes) > 1 or len(compiled.stages) > 1 or board.relative or board.closed.size or board.ends.any():
        return True
    p = compiled.program.arrays
    if LOST in p.kind.tolist() or p.ends.any():  # how often a turn farkles depends on its total
        return True
    if board.price or compiled.lowers or rules.lives.each or board.beyond[0] == Beyond.GIVEN:
        return True
    return board.beyond[0] == Beyond.CHASED and not _one_more_turn_each(rules)


def _one_more_turn_each(rules: Rules) -> bool:
    """Return whether a seat at the target is followed by one turn of each other one, and only a higher
    score beats another.
    """
    found = []
    for more in product((0, 1), repeat=2):
        seats, now = [[0] * law.SEAT_ROW for _ in range(SEATS)], [0] * law.NOW
        law.deal(units(rules), seats, now, (1,) * SEATS)
        law.begin(units(rules), seats, now, 0)
        for seat, beyond in enumerate((0, *more)):
            if now[law.PHASE] == law.OVER or now[law.SEAT] != seat:
                return False
            law.bank_total(units(rules), seats, now, units(rules).target + beyond, 0)
        found.append(now[law.WINNERS] if now[law.PHASE] == law.OVER else 0)
    return found == [0b001, 0b100, 0b010, 0b010]
