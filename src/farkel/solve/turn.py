"""The best turn: the play that brings the most points on average."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from farkel.errors import SolveError
from farkel.game import Action, Fresh, Keep, Phase, State, TakeOver, apply, legal_actions, turn_total
from farkel.rules import Rules
from farkel.solve.boundary import Work, owing, run_owing, work
from farkel.solve.kernel import LANES, NEVER
from farkel.solve.program import Program, Values, program

TOLERANCE = 1e-10


class Turn:
    """The play with the highest expected turn.

    Where farkles in a row cost points, it is the highest average of points a turn in the long run: what a farkle does
    to the turns after it counts. Values are in points.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.program: Program = _program(rules)
        self._in_row = max(1, rules.penalties.farkles_in_row)
        if self._in_row > LANES:
            raise SolveError(
                "farkles_in_row",
                f"the best turn is known for penalties after up to {LANES} farkles in a row; {rules.name} has "
                f"penalties.farkles_in_row={self._in_row}",
            )
        self._dice = {dice: self.program.rolling(dice) for dice in range(1, rules.dice + 1)}
        self._later = np.zeros(self._in_row)
        self._rows = 256
        while True:
            self._rows *= 2
            on_board = self._solve(rules.minimum)
            self.values = {True: on_board}
            if self._tells() or self._rows >= 1 << 15:
                break
        self.expected_points = float(on_board[0, 0, 0]) * rules.unit
        """Of a turn, from its first throw."""
        self.entering_points = self.expected_points
        """Of a turn of a seat that has to make the entry score in it."""
        self.values[False] = on_board
        if rules.entry > rules.minimum:
            self.values[False] = self._solve(rules.entry)
            self.entering_points = float(self.values[False][0, 0, 0]) * rules.unit
        self.bank_at = {dice: self.bank_from(dice) for dice in self._dice}
        """`bank_from` for every number of dice left."""

    def bank_from(self, dice: int, farkles: int = 0) -> int | None:
        """The turn total from which on banking is right with so many dice left, after so many farkles in a row.

        None where rolling on is right whatever the total, as it is where so many dice never farkle.
        """
        first = self._first_bank(dice, farkles)
        return None if first is None else first * self.rules.unit

    def expected(self, points: int, dice: int, farkles: int = 0) -> float:
        """Expected points of rolling so many dice with that turn total, and of the best play after it."""
        return self._value(points, self._dice[dice], farkles, True)

    def worth(self, state: State) -> float:
        """Expected points that the turn brings to the seat to move, from any state of a turn on."""
        seat = state.seats[state.seat]
        if state.phase is Phase.ROLL:
            farkles = seat.farkles % self._in_row
            rolling = self.program.rolling(state.dice, state.idle, state.hot)
            value = self._value(state.points, rolling, farkles, seat.on_board or not self.rules.entry)
            if state.taking and self.rules.take_over.price == "stake":
                value -= self.program.chances[rolling] * self.rules.take_over.stake
            return value
        ranked = self.rank(state)
        return ranked[0][1] if ranked else 0.0

    def rank(self, state: State) -> list[tuple[Action, float]]:
        """Every legal action and the expected points of the turn with it, best first."""
        found = [(action, self._after(state, action)) for action in legal_actions(state)]
        return sorted(found, key=lambda one: -one[1])

    def _after(self, state: State, action: Action) -> float:
        if isinstance(action, Keep) and action.then == "bank":
            return float(turn_total(state, action.dice))
        if isinstance(action, Keep | Fresh | TakeOver):
            return self.worth(apply(state, action))
        raise TypeError(action)

    def _value(self, points: int, rolling: int, farkles: int, on_board: bool) -> float:
        row, table = points // self.rules.unit, self.values[on_board]
        if row < self._rows:
            return float(table[farkles, row, rolling]) * self.rules.unit
        # Only banking is left after this roll: the value is a straight line in the turn total.
        last, step = table[farkles, -1, rolling], table[farkles, -2, rolling]
        return float(last + (row - self._rows + 1) * (last - step)) * self.rules.unit

    def _tells(self) -> bool:
        """Whether the table is long enough to tell from where on dice that may farkle are banked."""
        return all(
            self._first_bank(dice, row) is not None
            for dice, rolling in self._dice.items()
            if self.program.chances[rolling] > 0
            for row in range(self._in_row)
        )

    def _first_bank(self, dice: int, farkles: int) -> int | None:
        values = self.values[True][farkles, :, self._dice[dice]]
        totals = np.arange(self._rows)
        rolls = np.flatnonzero((values > totals + TOLERANCE) | (totals * self.rules.unit < self.rules.minimum))
        first = int(rolls[-1]) + 1 if rolls.size else 0
        # Rolling on near the end of the table means that the table is too short to tell.
        return first if first + self.program.arrays.most < self._rows else None

    def _solve(self, needs: int) -> Values:
        """Values in units, [farkles in a row, turn total, rolling], of a seat that needs so much to bank."""
        p, owed = owing(self.program)
        unit = self.rules.unit
        # Above the rows every total counts as banked; hot dice that are always rolled on are followed further.
        endless = self.rules.hot_dice == "forced" or min(self.program.chances) == 0.0
        space = self._rows + (12 if endless else 1) * p.most
        w = work(p, space, False)
        totals = np.arange(space + p.most + 1, dtype=float)
        bank = np.where(totals * unit < needs, NEVER, totals)
        w.bank[: bank.size * p.offers] = np.repeat(bank, p.offers)[:, None]
        costs = np.concatenate([np.zeros(p.kind.size), owed])
        above = slice(space * p.landings, (space + p.most + 1) * p.landings)
        w.landing[above] = (totals[space:, None] - costs).reshape(-1, 1)
        for _ in range(500):
            self._fill_farkles(w)
            run_owing(p, space, w, owed, 0)
            if needs > self.rules.minimum:
                break
            values = w.rolling[0, : self._in_row]
            before, self._later = self._later, values - values[0]
            if np.abs(self._later - before).max() < TOLERANCE:
                break
        rolling = w.rolling[: self._rows * p.rollings].reshape(self._rows, p.rollings, LANES)
        return np.moveaxis(rolling[:, :, : self._in_row], 2, 0).copy()

    def _fill_farkles(self, w: Work) -> None:
        """What a farkle costs at once, and later: turns after one farkle more are worth less than those after none."""
        p, unit, fines = self.program.arrays, self.rules.unit, self.rules.penalties
        for kind, farkle in enumerate(self.program.farkles):
            cost = farkle.fine + (fines.farkle_all_dice / unit if farkle.all_dice else 0.0)
            for row in range(self._in_row):
                later = self._later[row + 1] if row + 1 < self._in_row else -fines.farkles_in_row_points / unit
                w.farkle[kind :: p.farkles, row] = later - cost


@lru_cache(maxsize=8)
def best_turn(rules: Rules) -> Turn:
    """The best turn under the rules. Raises `SolveError` ``farkles_in_row``, ``too_large`` and ``too_many_fines``."""
    return Turn(rules)


def _program(rules: Rules) -> Program:
    """Turn totals that matter grow with hot dice that multiply points; nobody meets more than a few of them."""
    return program(rules, 4096)
