"""One seat alone: the fewest turns to the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from farkel.errors import SolveError
from farkel.kernels.arrays import Numbers, Values, array, full, zeros
from farkel.kernels.registry import SOLVE
from farkel.kernels.spaces import Space, open_space
from farkel.rules import AnyRules, Rules, as_rules, changed
from farkel.rules.settings import settings
from farkel.solve.compiled_game import Board, Compiled, compile_board
from farkel.solve.compiled_turn import LOSE, WIN, TurnArrays
from farkel.solve.turn_ends import enters, fined, in_pairs, settle_paid, work
from farkel.solve.turn_sweep import LANES, NEVER, TIE, Work, compiled, part
from farkel.support.clock import clock
from farkel.support.frames import Library, frame
from farkel.support.notebooks import table
from farkel.support.progress import Progress, silent

SWEEPS = 500
TOLERANCE = 1e-10
OTHERS = frozenset(
    ("exact_hit", "last_turns", "last_turns_again", "ties", "catching_up.landed_on", "catching_up.overtaken")
)
"""Fields that say what others may do after the target is reached, or lose: a seat alone plays the same without them."""


class TurnsWorth(NamedTuple):
    """Possible results of a turn alone. Arrays are [mode, score]; ``other`` is carried along if values are pairs."""

    own: Values
    other: Values
    reached: tuple[float, float]
    """(own, other) at the target."""
    out: tuple[float, float]
    """(own, other) without lives."""


class Alone(NamedTuple):
    """A seat alone that is being solved."""

    board: Board
    program: TurnArrays
    work: Work
    worth: TurnsWorth


def alone(compiled: Compiled, worth: TurnsWorth, pairs: bool) -> Alone:
    """Return what `solve_alone` works with."""
    board, p = compiled.board, compiled.program.arrays
    return Alone(board, p, work(p, board.scores + board.need.max() + p.fines[-1] + 4, pairs), worth)


def turns_alone(space: Space, seat: Alone, modes: Sequence[int], scores: Sequence[int]) -> int:
    """Solve the turns of up to eight seats alone: rolling[0, lane] and rolling_u of the work are their values.

    Returns the number of turn totals that were distinguished.
    """
    lanes = [(modes[lane % len(modes)], scores[lane % len(scores)]) for lane in range(LANES)]
    return space.run(solve_alone, seat, array(lanes, "int64"))


@compiled
def solve_alone(seat: Alone, lanes: Numbers) -> int:
    """Solve the turns of eight seats alone: [lane, (mode, score)]. Returns how many turn totals are distinguished."""
    board, p, work = seat.board, seat.program, seat.work
    rows = 0
    for lane in range(LANES):
        need = board.need[enters(board, lanes[lane, 0], lanes[lane, 1])]
        rows = max(rows, board.scores - lanes[lane, 1] + 1 + p.fines[p.fines.size - 1], need)
    for fines in range(p.fines.size - 1, -1, -1):
        for lane in range(LANES):
            mode, before = lanes[lane, 0], lanes[lane, 1]
            need, score = board.need[enters(board, mode, before)], fined(board, before, p.fines[fines])
            write_banks(seat, lane, mode, score, need, rows)
            write_farkles(seat, lane, mode, score)
        settle_paid(p, rows, work, fines)
    return rows


@part
def write_banks(seat: Alone, lane: int, mode: int, score: int, need: int, rows: int) -> None:
    """Write what banks are worth."""
    board, p, work, worth = seat.board, seat.program, seat.work, seat.worth
    n = board.scores
    for total in range(rows + 1):
        banked = score + total
        allowed = total >= need or banked == board.hits
        if board.closed.size and banked < n:
            allowed = allowed and not board.closed[score, banked]
        own, other = worth.reached
        if banked < n:
            own, other = worth.own[board.after_bank[mode], banked], worth.other[board.after_bank[mode], banked]
        elif board.hits >= 0 and banked > n:
            own, other = worth.own[board.after_over[mode], score], worth.other[board.after_over[mode], score]
        for offer in range(total * p.offers, (total + 1) * p.offers):
            work.bank[offer, lane] = own if allowed else NEVER
            if in_pairs(work):
                work.bank_u[offer, lane] = other if allowed else NEVER


@part
def write_farkles(seat: Alone, lane: int, mode: int, score: int) -> None:
    """Write what farkles are worth. Players cannot take over their own offer, so what a farkle leaves is irrelevant."""
    board, p, work, worth = seat.board, seat.program, seat.work, seat.worth
    for kind in range(p.farkles):
        hand = board.farkle_hand[kind]
        after = board.after_farkle[mode, hand]
        own, other = worth.out
        if p.ends[kind] == WIN:
            own, other = worth.reached
        elif p.ends[kind] != LOSE and after >= 0:
            left = fined(board, score, board.penalty[mode, hand] + board.farkle_fine[kind])
            own, other = worth.own[after, left], worth.other[after, left]
        for row in range(kind, work.farkle.shape[0], p.farkles):
            work.farkle[row, lane] = own
            if in_pairs(work):
                work.farkle_u[row, lane] = other


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

    def __str__(self) -> str:
        lost = "" if self.reaches == 1 else f", and {self.reaches:.1%} get there"
        return f"{self.rules}: the target takes one player {self.expected_turns:.2f} turns on average{lost}"

    def _repr_html_(self) -> str:
        return table(str(self), self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return the race as a row."""
        return [{"rules": str(self.rules), "expected_turns": self.expected_turns, "reaches": self.reaches}]

    def to_frame(self, library: Library | None = None) -> Any:
        """Return `rows` as a data frame of pandas or polars; raise `FarkelError` as `frame` does."""
        return frame(self.rows(), library)


def best_race(rules: AnyRules, progress: Progress = silent) -> FewestTurns:
    """Solve the race to the target. Raises `SolveError` if the rules have no target, or a limit of rounds."""
    rules = as_rules(rules)
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
        board = compiled.board
        values = full((board.entering.size, board.scores), -1.0)
        self.space = open_space(SOLVE)
        self.seat = self.space.place(alone(compiled, TurnsWorth(values, values, (0.0, 0.0), (0.0, 0.0)), False))
        self.values = self.seat.worth.own
        self.lowers = compiled.lowers
        self.residual = 0.0

    def at(self, mode: int, score: int) -> tuple[float, float]:
        return -float(self.values[mode, score]), 1.0

    def run(self, progress: Progress) -> None:
        modes, n = self.values.shape
        for sweep in range(SWEEPS):
            moved = 0.0
            for score in range(n - 1, -1, -1):
                for mode in range(modes if sweep == 0 and score < n - 1 else 0):
                    self.values[mode, score] = self.values[mode, score + 1]
                moved = max(moved, self._score(score))
                progress(n - score if sweep == 0 else n, n)
            self.residual = moved
            if not self.lowers or moved < TOLERANCE:
                break

    def _score(self, score: int) -> float:
        """Solve the positions of one score; by how much the last sweep moved them."""
        modes = range(self.values.shape[0])
        slope, before, moved = 0.0, None, 0.0
        for _ in range(3 if self.lowers else SWEEPS):
            guess = [self.values[mode, score] for mode in modes]
            found = self._swept(modes, score)
            moved = max(abs(after - start) for after, start in zip(found, guess, strict=True))
            for mode in modes:
                self.values[mode, score] = found[mode]
            if moved < TOLERANCE:
                break
            if len(modes) == 1 and not self.lowers:
                # A farkle comes back to the same score: found is nearly a straight line, cut it with found = guess.
                x, f = guess[0], found[0]
                if before is not None and abs(x - before[0]) > 1e-9:
                    slope = min(max((f - before[1]) / (x - before[0]), 0.0), 0.99)
                before = x, f
                self.values[0, score] = (f - slope * x) / (1.0 - slope)
        return moved

    def _swept(self, modes: Sequence[int], score: int) -> list[float]:
        """Return what a turn makes of the values, by mode."""
        found = list[float]()
        for block in range(0, len(modes), LANES):
            these = modes[block : block + LANES]
            turns_alone(self.space, self.seat, these, [score] * len(these))
            found += [self.seat.work.rolling[0, lane] - 1.0 for lane in range(len(these))]
        return found


class _Lives:
    """The chance to reach the target before the lives are gone, and the expected turns until either, [mode, score]."""

    def __init__(self, compiled: Compiled) -> None:
        self.modes = compiled.modes
        shape = compiled.board.entering.size, compiled.board.scores
        worth = TurnsWorth(zeros(shape), zeros(shape), (1.0, 0.0), (0.0, 0.0))
        self.space = open_space(SOLVE)
        self.seat = self.space.place(alone(compiled, worth, True))
        self.residual = 0.0

    def at(self, mode: int, score: int) -> tuple[float, float]:
        worth = self.seat.worth
        return float(worth.other[mode, score]), float(worth.own[mode, score])

    def run(self, progress: Progress) -> None:
        n = self.seat.board.scores
        lives = sorted({mode.lives for mode in self.modes})
        for number, left in enumerate(lives):
            these = [index for index, mode in enumerate(self.modes) if mode.lives == left]
            for sweep in range(SWEEPS):
                moved = 0.0
                for score in range(n - 1, -1, -1):
                    for block in range(0, len(these), LANES):
                        moved = max(moved, self._block(these[block : block + LANES], score))
                    if sweep == 0:
                        progress(number + 1 - score / n, len(lives))
                if moved < TOLERANCE:
                    break
            self.residual = max(self.residual, moved)

    def _block(self, modes: Sequence[int], score: int) -> float:
        """Solve the turns of up to eight modes; by how much they moved."""
        worth, work, moved = self.seat.worth, self.seat.work, 0.0
        turns_alone(self.space, self.seat, modes, [score] * len(modes))
        for lane, mode in enumerate(modes):
            own, other = work.rolling[0, lane] - TIE, work.rolling_u[0, lane] + 1.0
            moved = max(moved, abs(own - worth.own[mode, score]), abs(other - worth.other[mode, score]))
            worth.own[mode, score], worth.other[mode, score] = own, other
        return moved
