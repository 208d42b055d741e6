"""Three seats: winning chances in any state of their game, solved here or read from the disk."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from farkel.errors import SolveError
from farkel.game import Phase, State, apply, legal_actions
from farkel.game.starting import starting
from farkel.kernels.arrays import over
from farkel.kernels.spaces import native_space
from farkel.rules import Rules
from farkel.solve.files import Memory, SolutionWriter, Stored, claim, discard, paused
from farkel.solve.solution import Duel, duel, wait, warn, write
from farkel.solve.solution import sweep as remove
from farkel.solve.three.solver import TrioRules, TrioSolver, Values
from farkel.solve.three.turns import SEATS, sweep_banked
from farkel.solve.turn_sweep import NEVER, PairWork
from farkel.support.clock import clock
from farkel.support.frames import Tabular
from farkel.support.progress import Progress

log = logging.getLogger(__name__)

TURNS_KEPT = 256
ARRAYS = 2
GONE = -(1 << 30)
"""The score of a seat that has left after it had begun the last turns."""
PAUSES = 30
"""Seconds after which long work is written down, so that it can be resumed."""
TELLS = 2.0
"""Seconds of work from which on it is said beforehand how long it takes."""


class Trio(Tabular):
    """A solved game of three seats. Make one with `trio`.

    Each seat plays for its own winning chance. The others' shares are those of one equilibrium; there may be others.
    """

    exact = True

    def __init__(self, table: TrioRules, file: Memory | Stored) -> None:
        header = file.header
        self.rules = table.rules
        self.path = file.path if isinstance(file, Stored) else None
        """Where it is kept; None if it is in memory alone."""
        self.states: int = header["states"]
        """Positions at the start of a turn, before the last turns."""
        self.residual: float = header["residual"]
        """The most that a seat may gain by playing one turn otherwise."""
        self.mixed: int = header["mixed"]
        """Circles of farkles in which a seat has to choose between two policies by chance."""
        self.open: int = header["open"]
        """Circles that did not settle with that either: ``residual`` is theirs."""
        self.seconds: float = header["seconds"]
        """What solving took, without compiling."""
        self.wins: tuple[float, ...] = tuple(header["wins"])
        """The chances of the first, the second and the third seat."""
        self._table = table
        self._own, self._next = np.asarray(file.array("own")), np.asarray(file.array("next"))
        self._at_work = threading.Lock()
        self._space = native_space()
        self._work: PairWork | None = None
        self._turns: OrderedDict[tuple[int, ...], Values] = OrderedDict()
        self._two: Duel | None = None

    def __str__(self) -> str:
        wins = ", ".join(f"{chance:.1%}" for chance in self.wins)
        return f"{self.rules}: with best play of three, they win {wins}, in the order of their first turns"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each seat: how often it wins, by the order in which they begin."""
        return [{"rules": str(self.rules), "seat": seat, "wins": chance} for seat, chance in enumerate(self.wins, 1)]

    def chances(self, state: State) -> tuple[float, ...]:
        """Return the winning chance of each seat, in any state of a game of three.

        If a seat has left, the other two play the game of two, which is solved if it is not stored. Raises `SolveError`
        for other games.
        """
        if state.rules.digest != self.rules.digest or len(state.seats) != SEATS:
            raise SolveError("other_game", f"this is the solution of {self.rules} for three seats, not of that game")
        if state.result is not None:
            winners = state.result.winners
            return tuple(1.0 / len(winners) if seat in winners else 0.0 for seat in range(SEATS))
        closed = state.closer >= 0 and state.seats[state.closer].status != "in"
        if any(seat.status != "in" for seat in state.seats) and not closed:
            return self._without(state)
        with self._at_work:
            return self._started(state) if state.phase is Phase.START else self._value(state)

    def _without(self, state: State) -> tuple[float, ...]:
        """Return the chances if one seat has left."""
        left = [seat for seat in range(SEATS) if state.seats[seat].status == "in"]
        first = next(seat for step in range(SEATS) if (seat := (state.first + step) % SEATS) in left)
        two = state._replace(
            seats=tuple(state.seats[seat] for seat in left),
            seat=left.index(state.seat),
            first=left.index(first),
            closer=left.index(state.closer) if state.closer >= 0 else -1,
        )
        if self._two is None:
            self._two = duel(self.rules)
        found = self._two.chances(two)
        return tuple(found[left.index(seat)] if seat in left else 0.0 for seat in range(SEATS))

    def _started(self, state: State) -> tuple[float, ...]:
        """Return the chances before it is known who starts."""
        begins = np.array(starting(state))
        found = np.array([np.roll(self.wins, seat) for seat in range(SEATS)]).T @ begins
        return tuple(float(chance) for chance in found)

    def _value(self, state: State) -> tuple[float, ...]:
        """Return the chances in a state of a turn."""
        if state.result is not None:
            return self.chances(state)
        if state.phase is Phase.ROLL:
            table = self._turn(state)
            total = min(state.points // self.rules.unit, len(table) - 1)
            rolling = self._table.compiled.program.rolled_by(state)
            return tuple(float(chance) for chance in np.roll(table[total, rolling], state.seat))
        reached = (self._value(apply(state, action)) for action in legal_actions(state))
        return max(reached, key=lambda each: each[state.seat])

    def _turn(self, state: State) -> Values:
        """Return [turn total, rolling, seat]: the chances of the seat to move, the next one and the third,
        when it rolls.
        """
        order = [state.seats[(state.seat + step) % SEATS] for step in range(SEATS)]
        places = [self._table.compiled.score(seat.score) if seat.status == "in" else GONE for seat in order]
        behind = (state.closer - state.seat) % SEATS if state.closer >= 0 else -1
        key = (*places, behind)
        total = min(state.points // self.rules.unit, self._table.rows - 1)
        found = self._turns.get(key)
        if found is None or (len(found) <= total and not self._alike(behind)):
            found = self._turns[key] = self._solve(places, behind, total)
            if len(self._turns) > TURNS_KEPT:
                self._turns.popitem(last=False)
        return found

    def _alike(self, behind: int) -> bool:
        """Return whether turn totals beyond those that are distinguished are worth the same."""
        return behind >= 0 or not self._table.chased or self._table.board.far

    def _solve(self, places: Sequence[int], behind: int, total: int) -> Values:
        """Return the values of a turn for `_turn`, with turn totals up to ``total`` at least if they matter."""
        table, board, p = self._table, self._table.board, self._table.arrays
        most = table.rows + p.most + 1
        banks = self._closing(places, behind, most) if behind >= 0 else self._banks(places, most)
        farkle = banks[0]
        need = board.need[1 if board.told_by_score and places[0] == board.zero else board.entering[0]]
        totals = np.arange(most)
        allowed = (totals >= need) | (places[0] + totals == board.hits)
        alike = self._alike(behind)
        past = np.maximum(board.scores - places[0], need)
        if alike:
            rows = table.rows - 1
        else:
            enough = 1.0 - table.least * (1.0 - farkle[0])
            sure = np.flatnonzero((banks[:, 0] >= enough) & (totals >= past))
            rows = max(int(sure[0]), total + 1)
        if self._work is None:
            self._work = self._space.place(table.whole())
        w = self._work
        np.asarray(w.bank)[:most] = np.where(allowed, banks[:, 0], NEVER)[:, None]
        np.asarray(w.bank_u)[:most] = banks[:, 1][:, None]
        w.farkle[...], w.farkle_u[...] = farkle[0], farkle[1]
        self._space.run(sweep_banked, p, rows, w, alike)
        rows += alike
        shape = rows, p.rollings
        mine, next_ = (np.asarray(each)[: rows * p.rollings, 0].reshape(shape) for each in (w.rolling, w.rolling_u))
        return np.stack([mine, next_, 1.0 - mine - next_], axis=2)

    def _banks(self, places: Sequence[int], most: int) -> Values:
        """Return [turn total, seat]: what banks lead to; the first row is a farkle."""
        table, board = self._table, self._table.board
        score, others, third = places
        below = board.scores - score
        own, its = self._own[others, third, score:], self._next[others, third, score:]
        found = np.zeros((most, SEATS))
        found[:below] = np.stack([1.0 - own - its, own, its], axis=1)
        if board.hits >= 0:
            found[below:] = found[0]
            found[below] = 1.0, 0.0, 0.0
        elif table.chased:
            ended = np.arange(score + below, score + most)
            left = table.surpassed(others, third, ended)
            found[below:] = np.stack([1.0 - left.sum(axis=1), left[:, 0], left[:, 1]], axis=1)
        else:
            found[below:] = 1.0, 0.0, 0.0
        return found

    def _closing(self, places: Sequence[int], behind: int, most: int) -> Values:
        """Return [turn total, seat]: what banks in the last turns lead to; the first row is a farkle.

        behind: who began the last turns, counted from the seat to move.
        """
        score, others, third = places
        ended = score + np.arange(most)
        found = np.zeros((most, SEATS))
        if behind == 1:  # the last turn: the seat after it began, the other one has just had its turn
            leads = 1 if others >= third else 2
            found[:, leads] = 1.0
            found[ended > max(others, third)] = 1.0, 0.0, 0.0
            return found
        reach = self._table.reach(others)
        behind_third, behind_seat = min(third - others, reach.size - 1), np.clip(ended - others, 0, reach.size - 1)
        found[:] = 0.0, reach[behind_third], 1.0 - reach[behind_third]
        ahead = ended > third
        found[ahead, 0], found[ahead, 1], found[ahead, 2] = (
            1.0 - reach[behind_seat[ahead]],
            reach[behind_seat[ahead]],
            0,
        )
        return found


# Solving and keeping --------------------------------------------------------------------------------------------------


def solution(rules: Rules, path: Path, seconds: float, progress: Progress, fresh: bool, patience: float) -> Trio:
    """Return what `farkel.solve.trio` does, which is kept there, and takes about so many seconds to find."""
    table = TrioRules(rules, progress)
    found = None if fresh else _found(path, table)
    if found is not None:
        return found
    with claim(path) as held:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            wait(held, rules, progress, patience)
        except OSError as error:
            warn(f"{path.parent} cannot be written: {error.strerror or error}")
        if not held.held:
            return _solved(table, None, seconds, progress, fresh)
        found = None if fresh else _found(path, table)
        return found or _solved(table, path, seconds, progress, fresh)


def _found(path: Path, table: TrioRules) -> Trio | None:
    """Return the stored solution, if it is there and neither damaged nor foreign."""
    try:
        return Trio(table, Stored(path, path.stem))
    except SolveError:
        return None


def _solved(table: TrioRules, path: Path | None, seconds: float, progress: Progress, fresh: bool) -> Trio:
    """Solve a game, for who holds the claim to its path; without a path in memory."""
    if seconds > TELLS:
        log.info(
            "Solving %s for three seats: %s positions, about %s on two idle cores ...",
            table.rules.name,
            f"{table.states:,}",
            f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes",
        )
    began, solver, before = clock(), TrioSolver(table), 0.0
    if path is not None and fresh:
        discard(path)
    elif path is not None:
        before = _resumed(solver, path)
    saved = time.monotonic()

    def pause() -> None:
        nonlocal saved
        if path is not None and time.monotonic() - saved > PAUSES:
            _pause(solver, path, before + clock() - began)
            saved = time.monotonic()

    try:
        solver.run(progress, pause)
    except KeyboardInterrupt:
        if path is not None and solver.level < SEATS * (table.board.scores - 1):
            _pause(solver, path, before + clock() - began)
        raise
    shelf = Memory(copies=False)
    shelf.add("own", over(solver.own))
    shelf.add("next", over(solver.next))
    took = round(before + clock() - began, 3)
    shelf.finish(
        {"rules": str(table.rules), "digest": path.stem if path else "", "states": table.states}
        | {"wins": solver.wins, "residual": solver.residual, "mixed": solver.mixed, "open": solver.open}
        | {"seconds": took}
    )
    if path is None or not write(shelf, path, ARRAYS):
        return Trio(table, shelf)
    discard(path)
    remove(keep=path)
    return Trio(table, Stored(path, path.stem))


def _pause(solver: TrioSolver, path: Path, seconds: float) -> None:
    """Write everything down that is solved, so that the next call continues there."""
    try:
        with SolutionWriter(paused(path), ARRAYS) as file:
            file.add("own", over(solver.own))
            file.add("next", over(solver.next))
            figures = {"residual": solver.residual, "mixed": solver.mixed, "open": solver.open}
            # Nothing is written of the solution itself before its end.
            file.finish({"digest": path.stem, "level": solver.level, "seconds": seconds, "paused": None} | figures)
    except (SolveError, OSError) as error:
        log.warning("The work so far cannot be stored, and would be done again if it were stopped: %s", error)


def _resumed(solver: TrioSolver, path: Path) -> float:
    """Continue from where an earlier call stopped, if one did; return the seconds that it took."""
    if not paused(path).is_file():
        return 0.0
    try:
        file = Stored(paused(path), path.stem)
        own, its, header = np.asarray(file.array("own")), np.asarray(file.array("next")), file.header
        solver.own[:], solver.next[:] = own, its
        solver.level, solver.residual = header["level"], header["residual"]
        solver.mixed, solver.open = header["mixed"], header["open"]
        return float(header["seconds"])
    except (SolveError, KeyError, ValueError):
        return 0.0
