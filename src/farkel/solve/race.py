"""One seat alone: the fewest turns to the target."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from farkel.errors import SolveError
from farkel.rules import Rules, changed
from farkel.rules.settings import settings
from farkel.solve.compiled_game import Board, Compiled, compile_board
from farkel.solve.compiled_turn import LOSE, WIN, Numbers, Values
from farkel.solve.turn_ends import NOTHING_OWED, settle, work
from farkel.solve.turn_sweep import LANES, NEVER, TIE, Work
from farkel.support.clock import clock
from farkel.support.frames import Library, frame
from farkel.support.progress import Progress, silent

SWEEPS = 500
TOLERANCE = 1e-10
OTHERS = frozenset(("last_turns", "last_turns_again", "ties", "catching_up.landed_on", "catching_up.overtaken"))
"""Fields that say what others may do after the target is reached, or lose: a seat alone plays the same without them."""


class TurnsWorth(NamedTuple):
    """Possible results of a turn alone. Arrays are [mode, score]; ``other`` is carried along if values are pairs."""

    own: Values
    other: Values
    reached: tuple[float, float]
    """(own, other) at the target."""
    out: tuple[float, float]
    """(own, other) without lives."""


def space(compiled: Compiled, pairs: bool) -> Work:
    """Return space for `turns`."""
    p = compiled.program.arrays
    return work(p, compiled.board.scores + int(compiled.board.need.max()) + int(p.fines[-1]) + 4, pairs)


def turns(compiled: Compiled, w: Work, pairs: bool, modes: Numbers, scores: Numbers, worth: TurnsWorth) -> int:
    """Solve the turns of up to eight seats alone: w.rolling[0, lane] and w.rolling_u are their values.

    Returns the number of turn totals that were distinguished.
    """
    board, p = compiled.board, compiled.program.arrays
    n = board.scores
    modes, scores = np.resize(modes, LANES), np.resize(scores, LANES)
    entering = np.where(board.told_by_score & (scores == board.zero), 1, board.entering[modes])
    rows = int(max((n - scores).max() + 1 + p.fines[-1], board.need[entering].max()))
    totals = np.arange(rows + 1)[:, None]
    own = (worth.own, w.bank, w.farkle, worth.reached[0], worth.out[0])
    other = (worth.other, w.bank_u, w.farkle_u, worth.reached[1], worth.out[1])
    for fines in range(p.fines.size - 1, -1, -1):
        fined = lowered(board, scores, int(p.fines[fines]))
        banked = fined + totals
        places = np.minimum(banked, n - 1)
        allowed = (totals >= board.need[entering]) | (banked == board.hits)
        if board.closed.size:
            allowed &= (banked >= n) | ~board.closed[fined, places]
        farkles = [_farkled(compiled, modes, fined, kind) for kind in range(p.farkles)]
        for values, bank, farkle, reached, out in (own, other) if pairs else (own,):
            found = np.where(banked < n, values[board.after_bank[modes], places], reached)
            if board.hits >= 0:
                found = np.where(banked > n, values[board.after_over[modes], fined], found)
            bank[: (rows + 1) * p.offers] = np.repeat(np.where(allowed, found, NEVER), p.offers, axis=0)
            for kind, (after, score) in enumerate(farkles):
                # Players cannot take over their own offer, so what a farkle leaves is irrelevant.
                found = np.where(after < 0, out, values[np.maximum(after, 0), score])
                end = p.ends[kind]
                farkle[kind :: p.farkles] = reached if end == WIN else out if end == LOSE else found
        settle(p, rows, w, NOTHING_OWED, fines)
    return rows


def _farkled(compiled: Compiled, modes: Numbers, scores: Numbers, kind: int) -> tuple[Numbers, Numbers]:
    """Return the mode and the score of each lane after a farkle of that kind."""
    board = compiled.board
    hand = board.farkle_hand[kind]
    points = board.penalty[modes, hand] + board.farkle_fine[kind]
    return board.after_farkle[modes, hand], lowered(board, scores, points)


def lowered(board: Board, scores: Any, points: Any) -> Any:
    """Score indices after a fine: as `farkel.solve.turn_ends.fined`."""
    return np.minimum(scores, np.maximum(board.zero if board.stops_at_zero else 0, scores - points))


class FewestTurns(NamedTuple):
    """The fewest expected turns of a seat alone to reach the target."""

    rules: Rules
    expected_turns: float
    """Turns that were begun, the last one included."""
    reaches: float
    """The chance to get there at all: below 1 if lives may run out. Then it is what is played for, and
    ``expected_turns`` counts the turns until either end."""
    residual: float
    """By how much the last sweep changed a value, in turns."""
    seconds: float

    def rows(self) -> list[dict[str, Any]]:
        """Return the race as a row."""
        return [{"rules": str(self.rules), "expected_turns": self.expected_turns, "reaches": self.reaches}]

    def to_frame(self, library: Library | None = None) -> Any:
        """Return `rows` as a data frame of pandas or polars; raise `FarkelError` as `frame` does."""
        return frame(self.rows(), library)


def best_race(rules: Rules, progress: Progress = silent) -> FewestTurns:
    """Solve the race to the target. Raises `SolveError` if the rules have no target, or a limit of rounds."""
    began = clock()
    if rules.target == 0:
        raise SolveError("no_target", "there is no race without a target: give it one (--set target=10000)")
    if rules.rounds:
        raise SolveError("rounds", f"rounds = {rules.rounds} is not solved for a race: set rounds=0")
    others = (one for one in settings(rules) if one.name in OTHERS and one.value != one.default)
    compiled = compile_board(changed(rules, *(f"{one.name}={one.default}" for one in others)))
    solver = _Lives(compiled) if rules.lives.each else _Turns(compiled)
    solver.run(progress)
    expected, reaches = solver.at(compiled.start, compiled.board.zero)
    return FewestTurns(rules, expected, reaches, solver.residual, clock() - began)


class _Turns:
    """Fewest expected turns, as a negative number for the kernels, [mode, score]."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        board = compiled.board
        self.values = np.full((board.entering.size, board.scores), -1.0)
        self.lowers = compiled.lowers
        self.residual = 0.0

    def at(self, mode: int, score: int) -> tuple[float, float]:
        return -float(self.values[mode, score]), 1.0

    def run(self, progress: Progress) -> None:
        w, n = space(self.compiled, False), self.compiled.board.scores
        for sweep in range(SWEEPS):
            moved = 0.0
            for score in range(n - 1, -1, -1):
                if sweep == 0 and score < n - 1:
                    self.values[:, score] = self.values[:, score + 1]
                moved = max(moved, self._score(w, score))
                progress(n - score if sweep == 0 else n, n)
            self.residual = moved
            if not self.lowers or moved < TOLERANCE:
                break

    def _score(self, w: Work, score: int) -> float:
        """Solve the positions of one score; by how much the last sweep moved them."""
        values, modes = self.values, np.arange(self.values.shape[0])
        worth = TurnsWorth(values, values, (0.0, 0.0), (0.0, 0.0))
        slope, before, moved = np.zeros(modes.size), None, 0.0
        for _ in range(3 if self.lowers else SWEEPS):
            x = values[:, score].copy()
            f = np.empty(modes.size)
            for block in range(0, modes.size, LANES):
                these = modes[block : block + LANES]
                turns(self.compiled, w, False, these, np.full(these.size, score), worth)
                f[these] = w.rolling[0, : these.size] - 1.0
            moved = float(np.abs(f - x).max())
            values[:, score] = f
            if moved < TOLERANCE:
                break
            if modes.size == 1 and not self.lowers:
                # A farkle comes back to the same score: f is nearly a straight line, cut it with f = x.
                if before is not None and abs(x[0] - before[0]) > 1e-9:
                    slope = np.clip((f - before[1]) / (x - before[0]), 0.0, 0.99)
                before = x[0], f[0]
                values[:, score] = (f - slope * x) / (1.0 - slope)
        return moved


class _Lives:
    """The chance to reach the target before the lives are gone, and the expected turns until either, [mode, score]."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        shape = compiled.board.entering.size, compiled.board.scores
        self.own, self.other = np.zeros(shape), np.zeros(shape)
        self.residual = 0.0

    def at(self, mode: int, score: int) -> tuple[float, float]:
        return float(self.other[mode, score]), float(self.own[mode, score])

    def run(self, progress: Progress) -> None:
        w, n, modes = space(self.compiled, True), self.compiled.board.scores, self.compiled.modes
        worth = TurnsWorth(self.own, self.other, (1.0, 0.0), (0.0, 0.0))
        lives = sorted({mode.lives for mode in modes})
        for number, left in enumerate(lives):
            these = np.array([index for index, mode in enumerate(modes) if mode.lives == left])
            for sweep in range(SWEEPS):
                moved = 0.0
                for score in range(n - 1, -1, -1):
                    for block in range(0, these.size, LANES):
                        some = these[block : block + LANES]
                        turns(self.compiled, w, True, some, np.full(some.size, score), worth)
                        own = w.rolling[0, : some.size] - TIE
                        other = w.rolling_u[0, : some.size] + 1.0
                        moved = max(moved, float(np.abs(own - self.own[some, score]).max()))
                        moved = max(moved, float(np.abs(other - self.other[some, score]).max()))
                        self.own[some, score], self.other[some, score] = own, other
                    if sweep == 0:
                        progress(number + 1 - score / n, len(lives))
                if moved < TOLERANCE:
                    break
            self.residual = max(self.residual, moved)
