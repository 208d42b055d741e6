"""What one throw may bring, and the best turn: the play that brings the most points on average."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from farkel.errors import SolveError
from farkel.game import Action, Keep, Phase, Seat, State, apply, law, legal_actions
from farkel.game.choices import Rolling, tried
from farkel.game.numbered import numbered
from farkel.game.scoring import score_table
from farkel.kernels.arrays import Truths, Values, array, zeros
from farkel.kernels.registry import SOLVE
from farkel.kernels.spaces import open_space
from farkel.rules import AnyRules, Rules, as_rules
from farkel.solve.compiled_turn import FREE, LOST, Program, TurnArrays, bankable, farkle_costs, program, units
from farkel.solve.fields import check
from farkel.solve.turn_ends import landings_of, owing, run_owing, saturate, work
from farkel.solve.turn_sweep import LANES, NEVER, Work, compiled, part
from farkel.support.frames import Tabular
from farkel.support.words import percent

TOLERANCE = 1e-10


class DiceOdds(NamedTuple):
    """One throw of this many dice; all tries of a single die together (K10)."""

    farkle: Fraction
    """The chance that nothing scores."""
    hot_dice: Fraction
    """The chance that all of the dice may be set aside."""
    mean_best: Fraction
    """Mean points of the keep with the most points; nothing on a farkle."""

    def __str__(self) -> str:
        points = f"{float(self.mean_best):,.1f}"
        return f"farkle {percent(self.farkle)}, hot dice {percent(self.hot_dice)}, average points {points}"


class Odds(dict[int, DiceOdds], Tabular):
    """The odds of one roll, by number of dice."""

    def __str__(self) -> str:
        return f"chances of one roll, by number of dice: {'; '.join(f'{dice}: {one}' for dice, one in self.items())}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each number of dice."""
        return [{"dice": dice, **one._asdict()} for dice, one in self.items()]


def odds(rules: AnyRules) -> Odds:
    """Return the odds of one roll, by number of dice from 1 to all of them."""
    rules = as_rules(rules)
    return Odds({dice: _odds(rules, dice) for dice in range(1, rules.dice + 1)})


def _odds(rules: Rules, dice: int) -> DiceOdds:
    fall = [(one, one.ways, one.farkle) for one in score_table(rules).rolls(dice) if one.counts]
    rolls = tried(units(rules), Rolling(dice), fall)
    throws = sum(ways for _, ways in rolls)
    return DiceOdds(
        farkle=Fraction(sum(ways for one, ways in rolls if one.farkle), throws),
        hot_dice=Fraction(sum(ways for one, ways in rolls if any(kept.hot for kept in one.keeps.values())), throws),
        mean_best=Fraction(sum(ways * one.best.points for one, ways in rolls if one.best), throws),
    )


class Turn(Tabular):
    """The play with the highest expected turn.

    If farkles in a row cost points, it is the highest average of points a turn in the long run: what a farkle does
    to the turns after it counts. Values are in points.
    """

    def __init__(self, rules: Rules) -> None:
        check(rules, in_a_turn=True)
        self.rules = rules
        self.program: Program = _program(rules)
        self._rollings = len(self.program.rollings)
        self._in_row = max(1, rules.penalties.farkles_in_row)
        if self._in_row > LANES:
            raise SolveError(
                "farkles_in_row",
                f"the best turn is known for penalties after up to {LANES} farkles in a row; {rules.name} has "
                f"penalties.farkles_in_row={self._in_row}",
            )
        self._dice = {dice: self.program.rolling(dice) for dice in range(1, rules.dice + 1)}
        self._banks = {dice: self.program.banks(dice) for dice in self._dice}
        self.may_bank = frozenset(dice for dice, kinds in self._banks.items() if kinds)
        """Numbers of dice that a bank may leave under the rules; all dice with hot dice."""
        self._later = [0.0] * self._in_row
        self._bankable = bankable(rules, 0)
        self._rows = 256
        while True:
            self._rows *= 2
            on_board = self._solve(False)
            self.values = {True: on_board}
            if self._tells() or self._rows >= 1 << 15:
                break
        self.expected_points = float(on_board[0, 0, 0]) * rules.unit
        """Of a turn, from its first throw."""
        self.entering_points = self.expected_points
        """Of a turn of a seat that has to make the entry score in it."""
        self.values[False] = on_board
        if self._bankable[0].tolist() != self._bankable[1].tolist():
            self.values[False] = self._solve(True)
            self.entering_points = float(self.values[False][0, 0, 0]) * rules.unit
        self.bank_at = {dice: self.bank_from(dice) for dice in self._dice}
        """`bank_from` for every number of dice left."""

    def bank_from(self, dice: int, farkles: int = 0) -> int | None:
        """Return the turn total from which on banking is right with N dice left, after this many farkles in a row.

        None if rolling on is right whatever the total, as it is if this many dice never farkle; and if the rules allow
        no bank that leaves this many dice, which are then not in `may_bank`.
        """
        first = self._first_bank(dice, farkles)
        return None if first is None else first * self.rules.unit

    def __str__(self) -> str:
        dice = ", ".join(
            f"{left}: {'never' if total is None else f'{total:,}'}" for left, total in sorted(self.bank_at.items())
        )
        return f"{self.rules}: {self.expected_points:,.1f} points per turn; bank from, by dice left: {dice}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each number of dice left: from where on to bank, and expected points of rolling at 0."""
        return [
            {"dice": dice, "bank_at": total, "expected": self.expected(0, dice)} for dice, total in self.bank_at.items()
        ]

    def expected(self, points: int, dice: int, farkles: int = 0) -> float:
        """Return the expected points of rolling this many dice with that turn total, and of the best play after it."""
        return self._value(points, self._dice[dice], farkles, True)

    def worth(self, state: State) -> float:
        """Return the expected points that the turn brings to the seat to move, from any state of a turn on."""
        seat = state.mine
        if state.phase is Phase.ROLL:
            farkles = seat.farkles % self._in_row
            rolling = self.program.rolled_by(state)
            value = self._value(state.sure_total, rolling, farkles, seat.on_board or not self.rules.entry)
            if state.taking and self.rules.take_over.costs_points:
                value -= self.program.chances[rolling] * self.rules.take_over.stake
            return value
        ranked = self.rank(state)
        return ranked[0][1] if ranked else 0.0

    def rank(self, state: State) -> list[tuple[Action, float]]:
        """Return every legal action and the expected points of the turn with it, best first."""
        found = [(action, self._after(state, action)) for action in legal_actions(state)]
        return sorted(found, key=lambda one: -one[1])

    def _after(self, state: State, action: Action) -> float:
        if isinstance(action, Keep) and action.then == "bank":
            return float(state.turn_total(action))
        return self.worth(apply(state, action))

    def _value(self, points: int, rolling: int, farkles: int, on_board: bool) -> float:
        row, unit = points // self.rules.unit, self.rules.unit
        if row < self._rows:
            return self._listed(row, rolling, farkles, on_board) * unit
        # Only banking is left after this roll: the value is a straight line in the turn total.
        last, step = (self._listed(each, rolling, farkles, on_board) for each in (self._rows - 1, self._rows - 2))
        return (last + (row - self._rows + 1) * (last - step)) * unit

    def _listed(self, row: int, rolling: int, farkles: int, on_board: bool) -> float:
        """Return one of the values, in units: from their flat memory, which is read more often than anything."""
        worth: float = self.values[on_board].flat[(farkles * self._rows + row) * self._rollings + rolling]
        return worth

    def _tells(self) -> bool:
        """Return whether the table is long enough to tell from where on dice that may farkle are banked."""
        return all(
            self._first_bank(dice, row) is not None
            for dice, rolling in self._dice.items()
            if FREE in self._banks[dice] and self.program.chances[rolling] > 0
            for row in range(self._in_row)
        )

    def _first_bank(self, dice: int, farkles: int) -> int | None:
        may = [total for total in range(1, self._rows) if self._bankable[0, total]]
        if FREE not in self._banks[dice]:  # whatever may be banked must be
            return may[0] if self._banks[dice] and may else None
        values, rolling = self.values[True][farkles], self._dice[dice]
        rolls = [place for place, total in enumerate(may) if values[total, rolling] > total + TOLERANCE]
        first = may[min(rolls[-1] + 1, len(may) - 1) if rolls else 0]
        # Rolling on near the end of the table means that the table is too short to tell.
        return first if first + self.program.arrays.most < self._rows else None

    def _solve(self, entering: bool) -> Values:
        """Return values in units, [farkles in a row, turn total, rolling], of a seat that is on the board,
        or not yet.
        """
        p, owed = owing(self.program)
        # Above the rows every total counts as banked; hot dice that are always rolled on are followed further.
        endless = self.program.forces or min(self.program.chances) == 0.0
        rows = self._rows + (12 if endless else 1) * p.most
        totals = rows + p.most + 1
        if self._bankable.shape[1] < totals:
            self._bankable = bankable(self.rules, totals)
        space = open_space(SOLVE)
        table = space.place(PointsTurn(p, work(p, rows, False), owed, zeros((p.farkles, LANES))))
        space.run(write_banks, table, self._bankable[int(entering)], totals)
        space.run(write_above, table, rows)
        for _ in range(500):
            self._write_farkles(table.farkles)
            space.run(sweep_points, table, rows)
            if entering:
                break
            values = table.work.rolling[0].tolist()[: self._in_row]
            before, self._later = self._later, [value - values[0] for value in values]
            if max(abs(now - then) for now, then in zip(self._later, before, strict=True)) < TOLERANCE:
                break
        found = zeros((self._in_row, self._rows, p.rollings))
        for farkles in range(self._in_row):
            found[farkles].flat[:] = table.work.rolling.flat[farkles : self._rows * p.rollings * LANES : LANES]
        return found

    def _write_farkles(self, worth: Values) -> None:
        """Write what a farkle costs now and later: turns after one farkle more are worth less than those after none."""
        for kind, farkle in enumerate(self.program.farkles):
            for row, (_, points) in enumerate(farkle_costs(self.rules, farkle.hand)):
                worth[kind, row] = self._later[(row + 1) % self._in_row] - farkle.fine - points


class PointsTurn(NamedTuple):
    """A turn that is played for points: in each lane after other farkles in a row."""

    program: TurnArrays
    work: Work
    owed: Values
    """As `farkel.solve.turn_ends.owing` has it."""
    farkles: Values
    """[kind of farkle, lane]: what it is worth."""


@compiled
def write_banks(turn: PointsTurn, may: Truths, totals: int) -> None:
    """Write what banks are worth: their points, where the turn total may be banked."""
    offers, bank = turn.program.offers, turn.work.bank
    for place in range(totals * offers):
        for lane in range(LANES):
            bank[place, lane] = place // offers if may[place // offers] else NEVER


@compiled
def write_above(turn: PointsTurn, rows: int) -> None:
    """Write what landings are worth from ``rows`` on: every turn total counts as banked there."""
    p, landing = turn.program, turn.work.landing
    for total in range(rows, rows + p.most + 1):
        for k in range(p.landings):
            value = 0.0
            if k >= p.kind.size:
                value = total - turn.owed[k - p.kind.size]
            elif p.kind[k] != LOST:
                value = total
            for lane in range(LANES):
                landing[total * p.landings + k, lane] = value


@compiled
def sweep_points(turn: PointsTurn, rows: int) -> None:
    """Sweep a turn whose banks, and landings from ``rows`` on, are written."""
    write_farkles(turn)
    run_owing(turn.program, rows, turn.work, turn.owed, 0)


@compiled
def settle_points(turn: PointsTurn, rows: int) -> None:
    """Sweep a turn whose banks are written, and whose turn totals from ``rows`` on are all worth the same."""
    p, (landing, _) = turn.program, landings_of(turn.program, turn.work, 0)
    write_farkles(turn)
    for total in range(rows, rows + p.most + 1):
        for k in range(turn.owed.size):
            for lane in range(LANES):
                landing[total * p.landings + p.kind.size + k, lane] = -turn.owed[k]
    saturate(p, rows, turn.work, 0)
    run_owing(p, rows, turn.work, turn.owed, 0)


@part
def write_farkles(turn: PointsTurn) -> None:
    """Write what farkles are worth, whatever the turn total."""
    farkles, farkle = turn.program.farkles, turn.work.farkle
    for row in range(farkle.shape[0]):
        for lane in range(LANES):
            farkle[row, lane] = turn.farkles[row % farkles, lane]


def best_turn(rules: AnyRules) -> Turn:
    """Return the best turn under the rules.

    Raises `SolveError` ``farkles_in_row``, ``too_large`` and ``too_many_fines``.
    """
    return _best_turn(as_rules(rules))


@lru_cache(maxsize=8)
def _best_turn(rules: Rules) -> Turn:
    return Turn(rules)


def _program(rules: Rules) -> Program:
    """Turn totals that matter grow with hot dice that multiply points; no turn meets more than a few of them."""
    return program(rules, 4096)


class Below(NamedTuple):
    """A turn played for the most points if points over a target do not count, [turn total, rolling], in points."""

    program: Program
    values: Values
    unit: int

    def of(self, state: State) -> float:
        """Return the expected points of a state that waits for a throw within a turn, below the target."""
        return float(self.values[state.sure_total // self.unit, self.program.rolled_by(state)])


@lru_cache(maxsize=64)
def turn_below(rules: Rules, missing: int, on_board: bool) -> Below:
    """Return the best turn of a seat that is missing this many points to a target, on the board or not.

    A fine for a farkle with all dice counts; what a farkle does to the turns after it does not.
    """
    check(rules, in_a_turn=True)
    known, unit = _program(rules), rules.unit
    p, owed = owing(known)
    rows = missing // unit + 1
    terms, mine = numbered(rules).terms, Seat(rules.target - missing, entered=-1 if on_board else 0)
    may = array((law.why_not_total(terms, mine, total * unit) == law.MAY for total in range(rows)), "bool")
    worth = [-farkle.fine - farkle_costs(rules, farkle.hand)[0][1] for farkle in known.farkles]
    space = open_space(SOLVE)
    turn = space.place(PointsTurn(p, work(p, rows, False), owed, array([[each] * LANES for each in worth])))
    space.run(write_banks, turn, may, rows)
    space.run(settle_points, turn, rows)
    found = zeros((rows, p.rollings))
    found.flat[:] = turn.work.rolling.flat[: rows * p.rollings * LANES : LANES]
    found.flat[:] = array(value * unit for value in found.flat).flat
    return Below(known, found, unit)
