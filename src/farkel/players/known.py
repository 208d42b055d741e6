"""What players and hints know: worked out once and kept in this process, or said to take too long.

Nothing heavy is imported before something is worked out.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from farkel.errors import PlayerError, SolveError
from farkel.game import State
from farkel.rules import Rules
from farkel.scoring import score_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from farkel.solve import Duel, Field, Progress, Turn
    from farkel.solve.program import Program

T = TypeVar("T")

MOST_WORK = 200_000
"""A game is solved when it is wanted if that is no more work than so many positions of simple rules: seconds."""
FINED, STAKED, ENDLESS = 2, 10, 5
"""How many times as much work a position is, roughly: where scores may fall, and where turns may go on for ever."""
MOST_KEPT = 8
GIB = 2**30

Key = tuple[str, int]
_turns: dict[Key, Turn] = {}
_duels: dict[Key, Duel] = {}
_fields: dict[Key, Field] = {}
_working = threading.RLock()
"""Held by the one who works something out. What is known already is read without it."""


def silent(done: float, of: float) -> None:
    """As `farkel.solve.progress.silent`, which is heavy to import."""


def turn(rules: Rules) -> Turn:
    """The best play for points."""
    key = (rules.digest, 0)
    if (found := _turns.get(key)) is not None:
        return found
    with _working:
        if key not in _turns:
            from farkel.solve import best_turn

            _keep(_turns, key, best_turn(rules))
        return _turns[key]


class Below(NamedTuple):
    """A turn played for the most points where none count that go over a target, [turn total, rolling], in points."""

    program: Program
    values: NDArray[np.float64]
    unit: int

    def of(self, state: State) -> float:
        """Expected points of a state that waits for a throw within a turn, below the target."""
        rolling = self.program.rolling(state.dice, state.idle, state.hot)
        return float(self.values[state.points // self.unit, rolling])


@lru_cache(maxsize=64)
def below(rules: Rules, missing: int, needs: int) -> Below:
    """The best turn of a seat that is missing so many points to a target, and needs so many to bank less than these.

    A fine for a farkle with all dice counts; what a farkle does to the turns after it does not.
    """
    import numpy as np

    from farkel.solve.boundary import run, saturate, work
    from farkel.solve.kernel import NEVER
    from farkel.solve.program import program

    compiled = program(rules, 4096)
    p, unit, fines = compiled.arrays, rules.unit, rules.penalties
    rows = missing // unit + 1
    totals = np.arange(rows + 1)
    bank = np.where((totals * unit >= needs) | (totals * unit == missing), totals.astype(float), NEVER)
    bank[rows] = 0.0
    w = work(p, rows, False)
    w.bank[: bank.size * p.offers] = np.repeat(bank, p.offers)[:, None]
    for kind, farkle in enumerate(compiled.farkles):
        w.farkle[kind] = -fines.farkle_all_dice / unit if farkle.all_dice else 0.0
    saturate(False, p, rows, w)
    run(False, p, 0, rows, w)
    return Below(compiled, w.rolling[: rows * p.rollings, 0].reshape(rows, p.rollings) * unit, unit)


def has_turn(rules: Rules) -> bool:
    """Whether `turn` answers at once."""
    return (rules.digest, 0) in _turns


def duel(rules: Rules, progress: Progress = silent) -> Duel:
    """The solution for two seats. Raises `SolveError`, and what ``progress`` raises."""
    key = (rules.digest, 2)
    if (found := _duels.get(key)) is not None:
        return found
    with _working:
        if key not in _duels:
            from farkel.solve import duel as solve

            _keep(_duels, key, solve(rules, progress))
        return _duels[key]


def field(rules: Rules, seats: int, progress: Progress = silent) -> Field:
    """The model of a game of so many seats, which rests on the solution for two."""
    key = (rules.digest, seats)
    if (found := _fields.get(key)) is not None:
        return found
    with _working:
        if key not in _fields:
            from farkel.solve import Field

            _keep(_fields, key, Field(duel(rules, progress), seats))
        return _fields[key]


def has_chances(rules: Rules, people: Sequence[int]) -> bool:
    """Whether `chances` answers at once."""
    kept = _duels if solved_as_two(rules, people) else _fields
    return (rules.digest, len(people)) in kept


def chances(rules: Rules, people: Sequence[int], progress: Progress = silent) -> Duel | Field:
    """What tells winning chances at this table: the solution where there is one for it, else the model."""
    return duel(rules, progress) if solved_as_two(rules, people) else field(rules, len(people), progress)


def solved_as_two(rules: Rules, people: Sequence[int]) -> bool:
    """Whether the solution is of just this game: two seats, and it does not matter who of a team plays."""
    apart = rules.teams == "partners" and rules.entry_each and max(people) > 1
    return len(people) == 2 and not apart


def too_long(rules: Rules) -> str:
    """Why winning chances are not worked out just so, and what to do; "" where they are there or take seconds.

    Raises `SolveError` where they cannot be known at all.
    """
    from farkel.solve import cost, stored

    if (rules.digest, 2) in _duels or stored(rules).exists():
        return ""
    needed = cost(rules)
    if needed.states * _effort(rules) <= MOST_WORK:
        return ""
    room = f", {needed.memory / GIB:.1f} GiB of memory and {needed.disk / GIB:.1f} GiB of disk"
    return (
        f"{rules.name} has {needed.states:,} positions to be solved first, which takes many minutes"
        f"{room if needed.memory > GIB else ''}; do it once with: farkel solve --rules {shlex.quote(str(rules))}"
    )


def at_hand(rules: Rules, people: Sequence[int]) -> Duel | Field | None:
    """`chances` if they are known here or stored; None where there is something to be worked out."""
    from farkel.solve import stored

    if not has_chances(rules, people) and not stored(rules).exists():
        return None
    try:
        return chances(rules, people, _refuse)
    except SolveError:
        return None


def _refuse(done: float, of: float) -> None:
    raise SolveError("damaged", "the stored solution is of no use: it would have to be solved again")


def check(who: str, rules: Rules) -> None:
    """Raise `PlayerError` ``bad_player`` where there are no winning chances, ``not_solved`` where they take long."""
    try:
        why = too_long(rules)
    except SolveError as error:
        raise PlayerError("bad_player", f"{who} cannot play this: {error.message}; take bot:turn") from None
    if why:
        raise PlayerError("not_solved", f"{who} cannot play yet: {why}")


def _effort(rules: Rules) -> int:
    """How much work a position is, beside one of simple rules."""
    fines, table = rules.penalties, score_table(rules)
    falls = FINED if fines.farkles_in_row or fines.farkle_all_dice else 1
    endless = rules.hot_dice == "forced" or not all(table.farkles(dice) for dice in range(1, rules.dice + 1))
    return (STAKED if rules.take_over.stake else falls) * (ENDLESS if endless else 1)


def _keep(kept: dict[Key, T], key: Key, value: T) -> None:
    while len(kept) >= MOST_KEPT:
        del kept[next(iter(kept))]
    kept[key] = value
