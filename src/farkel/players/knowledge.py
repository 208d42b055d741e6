"""Knowledge for players and hints: calculated once and kept in this process, or refused as taking too long.

Heavy packages are imported at the first calculation.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from farkel.errors import PlayerError, SolveError
from farkel.game.scoring import score_table
from farkel.rules import Rules
from farkel.support.extras import needs, once
from farkel.support.progress import Progress, silent
from farkel.support.system import has_threads

if TYPE_CHECKING:
    from farkel.solve import Duel, Field, Progress, Trio, Turn
    from farkel.solve.points import Below

T = TypeVar("T")

MOST_WORK = 200_000
"""A game is solved on demand if that is no more work than this many positions of simple rules: seconds."""
PLAIN = 400
"""How many times as long a position takes where kernels are run as plain Python."""
FINED, STAKED, ENDLESS, SAME = 2, 10, 5, 10
"""How many times as much work a position is, roughly: if scores may fall, if turns may continue for ever, and if
farkled totals are handed to and fro at the same scores."""
MOST_KEPT = 8
PATIENCE = 30.0
"""Seconds that people wait for another program that is solving the same game; then it is solved here too."""

Key = tuple[str, int, int]
"""Digest of the rules, seats, and people of a team if they matter."""
_turns: dict[Key, Turn] = {}
_duels: dict[Key, Duel] = {}
_rounded: dict[Key, Duel] = {}
"""By the values that come with Farkel, which are rounded: see `farkel.values`."""
_fields: dict[Key, Field] = {}
_trios: dict[Key, Trio] = {}
_working = threading.RLock()
"""Held during a calculation. Known answers are read without it."""


def turn(rules: Rules) -> Turn:
    """Return the best play for points."""

    def work() -> Turn:
        from farkel.solve import best_turn

        return best_turn(rules)

    return _once(_turns, (rules.digest, 0, 1), work)


def below(rules: Rules, missing: int, on_board: bool) -> Below:
    """Return the best turn of a seat that is missing this many points to a target, on the board or not."""
    from farkel.solve.points import turn_below

    return turn_below(rules, missing, on_board)


def has_turn(rules: Rules) -> bool:
    """Return whether `turn` answers at once."""
    return (rules.digest, 0, 1) in _turns


def duel(rules: Rules, progress: Progress = silent, people: int = 1) -> Duel:
    """Return the game of two seats by the values that come with Farkel, or `solution` if there are none.

    No decision loses more than `farkel.values.MOST_LOST` by these values. A solution that is here goes before them.
    """
    key = rules.digest, 2, people
    if key in _duels or not (key in _rounded or by_values(rules, people)):
        return solution(rules, progress, people)

    def work() -> Duel:
        from farkel.values import duel as rounded

        return rounded(rules, progress) or solution(rules, progress, people)

    return _once(_rounded, key, work)


def solution(rules: Rules, progress: Progress = silent, people: int = 1) -> Duel:
    """Return the solution for two seats. Raises `SolveError`, and what ``progress`` raises."""

    def work() -> Duel:
        from farkel.solve import duel as solve

        return solve(rules, progress, people=people, patience=PATIENCE)

    return _once(_duels, (rules.digest, 2, people), work)


def by_values(rules: Rules, people: int) -> bool:
    """Return whether values that come with Farkel tell the game at once or in seconds, and no solution is stored."""
    from farkel.kernels.registry import SOLVE
    from farkel.kernels.spaces import is_plain
    from farkel.solve import stored
    from farkel.values import is_at_hand, is_kept

    kept = people == 1 and (is_at_hand(rules) or (is_kept(rules) and not is_plain(SOLVE)))
    return kept and not stored(rules).exists()


def field(rules: Rules, seats: int, progress: Progress = silent) -> Field:
    """Return the model of a game of this many seats, which rests on the solution for two."""

    def work() -> Field:
        from farkel.solve import Field

        return Field(duel(rules, progress), seats)

    return _once(_fields, (rules.digest, seats, 1), work)


def trio(rules: Rules, progress: Progress = silent) -> Trio:
    """Return the solution for three seats. Raises `SolveError`, and what ``progress`` raises."""

    def work() -> Trio:
        from farkel.solve import trio as solve

        return solve(rules, progress, patience=PATIENCE)

    return _once(_trios, (rules.digest, 3, 1), work)


def has_trio(rules: Rules) -> bool:
    """Return whether `trio` answers at once."""
    return (rules.digest, 3, 1) in _trios


def has_duel(rules: Rules, people: int = 1) -> bool:
    """Return whether `duel` answers at once."""
    return (rules.digest, 2, people) in _duels or (rules.digest, 2, people) in _rounded


def has_field(rules: Rules, seats: int) -> bool:
    """Return whether `field` answers at once."""
    return (rules.digest, seats, 1) in _fields


def has_chances(rules: Rules, people: Sequence[int]) -> bool:
    """Return whether `chances` answers at once."""
    if solved_as_two(rules, people):
        return has_duel(rules, team(rules, people))
    return has_trio(rules) if trio_ready(rules, people) else has_field(rules, len(people))


def chances(rules: Rules, people: Sequence[int], progress: Progress = silent) -> Duel | Field | Trio:
    """Return what tells winning chances at this table: the solution if there is one for it, else the model.

    That of three seats is taken if it is stored, or takes seconds.
    """
    if solved_as_two(rules, people):
        return duel(rules, progress, team(rules, people))
    return trio(rules, progress) if trio_ready(rules, people) else field(rules, len(people), progress)


def evaluator(rules: Rules, people: Sequence[int], progress: Progress = silent) -> Duel | Field | Trio:
    """Return `chances`. Raises `SolveError` ``alone`` for one seat, as `farkel.solve.evaluator` does."""
    from farkel.solve import evaluator as solved

    return chances(rules, people, progress) if len(people) > 1 else solved(rules, people, progress)


def quick_chances(rules: Rules, people: Sequence[int], progress: Progress = silent) -> Duel | Field | Trio:
    """Return `chances`. Raises `SolveError` ``too_long`` if they are not known and take more than seconds."""
    if why := too_long(rules, people):
        raise SolveError("too_long", why)
    return chances(rules, people, progress)


def trio_ready(rules: Rules, people: Sequence[int]) -> bool:
    """Return whether the solution of just this game of three is there, or takes seconds."""
    if len(people) != 3:
        return False
    if has_trio(rules):
        return team(rules, people) == 1
    from farkel.solve import trio_ready as ready

    return team(rules, people) == 1 and ready(rules)


def solved_as_two(rules: Rules, people: Sequence[int]) -> bool:
    """Return whether the solution is of just this game: two seats, with teams of one size if that matters."""
    return len(people) == 2 and (people[0] == people[1] or team(rules, people) == 1)


def team(rules: Rules, people: Sequence[int]) -> int:
    """Return people of the larger team, if it matters who of them plays (L5); else 1."""
    return max(people) if rules.teams == "partners" and rules.entry_each else 1


def too_long(rules: Rules, people: Sequence[int], model: bool = False, rounded: bool = True) -> str:
    """Return why winning chances are not calculated on demand, and what to do; "" if they are known or take seconds.

    model: whether those of the model are wanted if there are three seats. rounded: whether those of `by_values` will
    do. Raises `SolveError` if they cannot be known at all.
    """
    from farkel.kernels.registry import SOLVE
    from farkel.kernels.spaces import is_plain
    from farkel.solve import positions, stored, under_way

    if not model and trio_ready(rules, people):
        return ""
    size = team(rules, people) if solved_as_two(rules, people) else 1
    if (rules.digest, 2, size) in _duels or stored(rules, size).exists():
        return ""
    if rounded and (has_duel(rules, size) or by_values(rules, size)):
        return ""
    # Rules of strangers may have any number of positions: nothing is compiled to tell that they are too many.
    most = MOST_WORK // PLAIN if is_plain(SOLVE) else MOST_WORK
    needed = positions(rules, size, most)
    if needed <= most and needed * _effort(rules) <= most:
        return ""
    if under_way(rules, size):
        return f"{rules.name} is being solved by another program; try again when it is done"
    at_least = "" if rules.target else "at least "
    has = f"{rules.name} has {at_least}{needed:,} positions"
    if not has_threads():  # in a page nobody can type commands
        return f"{has}, which take too long to solve in a browser; hints and bot:turn go by expected points"
    return f"{has}, which take many minutes to solve; do it once with: farkel solve --rules {shlex.quote(str(rules))}"


def at_hand(rules: Rules, people: Sequence[int]) -> Duel | Field | Trio | None:
    """Return `chances` if they are known here or stored; None if there is something to calculate."""
    from farkel.solve import stored, stored_trio
    from farkel.values import is_at_hand

    size = team(rules, people) if solved_as_two(rules, people) else 1
    three = trio_ready(rules, people) and (has_trio(rules) or stored_trio(rules).exists())
    two = stored(rules, size).exists() or (size == 1 and is_at_hand(rules))
    if not (three or two or has_chances(rules, people)):
        return None
    try:
        if len(people) > 2 and not three:
            return field(rules, len(people), _refuse)
        return chances(rules, people, _refuse)
    except SolveError:
        return None


def _refuse(done: float, of: float) -> None:
    raise SolveError("damaged", "the stored solution is damaged; solve the game again")


def check(who: str, rules: Rules, people: Sequence[int], model: bool = False) -> None:
    """Raise `PlayerError` ``bad_player`` if there are no winning chances, ``not_solved`` if they take long.

    model: as for `too_long`.
    """
    try:
        why = too_long(rules, people, model)
    except SolveError as error:
        raise PlayerError("bad_player", f"{who} cannot play this: {error.message}; choose bot:turn") from None
    if why:
        raise PlayerError("not_solved", f"{who} cannot play yet: {why}")


def check_three(who: str, rules: Rules) -> None:
    """Raise `PlayerError` if a bot cannot play a game of three: ``bad_player`` if such rules are not solved for three.

    ``not_installed`` without the extra ``native``; ``not_solved`` if it takes long and no solution is stored.
    """
    from farkel.solve import check_trio, trio_positions

    try:
        check_trio(rules)
    except SolveError as error:
        raise PlayerError("bad_player", f"{who} cannot play this: {error.message}") from None
    needs("native", f"{who} in a game of three", PlayerError)
    if not trio_ready(rules, (1, 1, 1)):
        raise PlayerError(
            "not_solved",
            f"{who} cannot play yet: {rules.name} has {trio_positions(rules):,} positions for three players, "
            f"which take minutes to solve; {once(f'farkel solve --seats 3 --rules {shlex.quote(str(rules))}')}",
        )


def _effort(rules: Rules) -> int:
    """Return how much work a position is, beside one of simple rules."""
    from farkel.solve.compiled_turn import fines as sums

    fines, table = rules.penalties, score_table(rules)
    falls = FINED if any(fines.points) else 1
    more = len(sums(rules))
    more *= SAME if rules.take_over.after_farkle else 1
    endless = rules.hot_dice == "forced" or not all(table.farkles(dice) for dice in range(1, rules.dice + 1))
    more <<= max(0, rules.dice - 6)
    return more * (STAKED if rules.take_over.stake else falls) * (ENDLESS if endless else 1)


def _once(kept: dict[Key, T], key: Key, work: Callable[[], T]) -> T:
    """Return the answer that is kept under a key, worked out by one thread if there is none."""
    if (found := kept.get(key)) is not None:
        return found
    with _working:
        if key not in kept:
            found = work()
            while len(kept) >= MOST_KEPT:
                del kept[next(iter(kept))]
            kept[key] = found
        return kept[key]
