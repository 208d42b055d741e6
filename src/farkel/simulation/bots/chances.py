"""Winning chances for the kernel: of a solved game of two, position by position as games come to them.

A *position* is all that counts at the start of a turn: the stage of the game, both seats' modes and scores, or, for the
last one standing, what is left of the game. Its rows are chances by turn total. They are calculated for eight scores at
a time, and never in another way, so that they do not depend on what was known before: games stay functions of the seed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from farkel.kernels.arrays import Numbers, Values, array, full, zeros
from farkel.kernels.registry import GAMES
from farkel.kernels.spaces import Lease
from farkel.players import knowledge
from farkel.rules import Rules

if TYPE_CHECKING:
    from farkel.solve import Duel
    from farkel.solve.compiled_game import Compiled as Sides
    from farkel.solve.compiled_turn import Program
    from farkel.solve.solution import Begun, EightTurns

MOST_MEMORY = 1 << 29
"""Bytes for known chances. Once these are full, all are forgotten, and calculated again when needed."""
ROWS = 96
"""Turn totals, in units, that are kept of a position at first: few turns go beyond."""
ABREAST = 8
"""Positions that are calculated together: neighbours by the score of the seat to move."""
SHIFT, ROWS_MASK = 21, (1 << 20) - 1


class Chances(NamedTuple):
    """Winning chances as the kernel reads them. Points are in units, scores are indices of the solver."""

    at: Numbers
    """[position]: where its rows begin in ``pool`` << SHIFT | rows << 1 | whether all totals beyond are as the last
    row; 0: not known. In the row before them is the chance of a turn that begins afresh."""
    pool: Values
    """Rows of ``width``: by rolling; by dice left on offer by a bank; and, from ``first`` on, by rolling, of the first
    roll of a take-over."""
    width: int
    banks: int
    """Where in a row banks are."""
    first: int
    place: Numbers
    """As `places` of the program."""
    stage_of: Numbers
    """[rounds left, whether the seat is second in the round]"""
    mode_of: Numbers
    """[lives, farkles in a row, person, bits of those entered]"""
    need: Numbers
    """[mode]: what it needs to bank."""
    start_needs: int
    """What a seat with a score of 0 needs to bank, if that shows that it is not on the board; else 0."""
    modes: int
    scores: int
    others: int
    """Scores of the other seat that are distinguished: 1 if only the lead counts."""
    zero: int
    """Index of a score, or of a lead, of nothing."""
    lowest: int
    """Units that the lowest score is below nothing."""
    alone: int
    """The first position of the last one standing: [rounds left, rounds standing, mode, score]."""
    standings: int
    chase: Values
    """As `farkel.solve.compiled_game.Board.chase`."""


class Told(NamedTuple):
    """What tells the turns of a table of many."""

    place: Numbers
    """As `places` of the program."""
    rollings: int
    """Width of a row of chances by rolling, ..."""
    offers: int
    """... and by dice left on offer."""
    mode_of: Numbers
    """As in `Chances`."""
    lowest: int
    """Units that the lowest score is below nothing."""


@lru_cache(maxsize=1)
def of_two(rules: Rules, people: int) -> Known:
    """Return the chances of the game of two teams of that many, kept from the last match that asked for them.

    Raises `SolveError` if it cannot be solved.
    """
    return Known(knowledge.duel(rules, people=people))


def of_many(sides: Sides) -> Told:
    """Return what tells turns at a table of many, where each desk has its own."""
    p = sides.program.arrays
    lowest = -sides.lowest // sides.rules.unit
    return Told(places(sides.program), p.rollings, p.offers, _modes(sides), lowest)


class Known:
    """The known chances of a solved game; calculates more while others read."""

    def __init__(self, duel: Duel) -> None:
        self.duel = duel
        found = duel.compiled
        board, p, rules = found.board, found.program.arrays, duel.rules
        self._shape = (len(found.stages), len(found.modes), len(found.modes), *duel.own.shape[3:])
        if board.relative:
            self._shape = (*self._shape[:3], board.scores, 1)
        self._alone = board.alone.shape
        alone = prod(self._shape)
        size = alone + (prod(self._alone) if board.pairs else 0)
        more = board.stake > 0 or p.leaves
        width = p.rollings * (2 if more else 1) + p.offers
        self._used = 0
        self._lock = threading.Lock()
        self.space = duel.space
        self._lease = Lease(self.space)
        self.chances = self._lease.place(
            Chances(
                at=zeros(size, "int64"),
                pool=self.space.zeros((max(MOST_MEMORY // 8, ABREAST * (1 + ROWS) * width),), "float64"),
                width=width,
                banks=p.rollings,
                first=p.rollings + p.offers if more else 0,
                place=places(found.program),
                stage_of=found.stage_of,
                mode_of=_modes(found),
                need=array((board.need[entering] for entering in board.entering), "int64"),
                start_needs=board.need[1] if board.told_by_score else 0,
                modes=len(found.modes),
                scores=board.scores,
                others=self._shape[4],
                zero=board.zero,
                lowest=-found.lowest // rules.unit,
                alone=alone,
                standings=self._alone[1],
                chase=board.chase,
            )
        )

    def learn(self, position: int, total: int) -> None:
        """Calculate the value of a position up to that turn total, and beyond; its neighbours too if it is new."""
        with self._lock:
            while True:
                rows, same = self._rows(position)
                if same or total < rows:
                    return
                if not rows:
                    self._add_block(position)
                else:
                    self._extend(position, rows)

    def _rows(self, position: int) -> tuple[int, bool]:
        """Return how many rows there are, and whether all beyond are as the last one."""
        entry = self.chances.at[position]
        return entry >> 1 & ROWS_MASK, bool(entry & 1)

    def _add_block(self, position: int) -> None:
        """Add a new position, and those beside it that are new as well."""
        positions, begun = self._work_out(position, 0)
        rows = min(ROWS, begun.rows)
        self._make_room(len(positions), rows)
        for one, entry in zip(positions, self._write(begun, range(len(positions)), rows), strict=True):
            at = self.chances.at
            at[one] = at[one] or entry

    def _extend(self, position: int, rows: int) -> None:
        """Add rows of a position: twice as many as are kept at first, four times, and so on."""
        more = ROWS
        while more <= rows:
            more *= 2
        positions, begun = self._work_out(position, more)
        more = min(more, begun.rows)
        if self._make_room(1, more):
            lane, at = positions.index(position), self._used
            (entry,) = self._write(begun, range(lane, lane + 1), more)
            # Known chances stay as they were, to the last bit.
            kept, width = self.chances.at[position] >> SHIFT, self.chances.width
            self.chances.pool[at + width : at + (1 + rows) * width] = self.chances.pool[kept : kept + rows * width]
            self.chances.at[position] = entry

    def _work_out(self, position: int, total: int) -> tuple[list[int], Begun]:
        """Calculate the turns of a position and its neighbours, and return which positions these are."""
        alone, scores = self.chances.alone, self.chances.scores
        if position >= alone:
            left, standing, mode, score = _unravelled(position - alone, self._alone)
            near = _near(score, scores)
            return [position + one - score for one in near], self.duel.alone(left, standing, mode, near)
        stage, mode, against, score, others = _unravelled(position, self._shape)
        near = _near(score, scores)
        positions = [position + (one - score) * self.chances.others for one in near]
        return positions, self.duel.begun(stage, mode, against, near, others, total)

    def _write(self, begun: Begun, lanes: range, rows: int) -> list[int]:
        """Write the rows of some lanes into the pool; where they are then, as `Chances.at` has it."""
        chances, size = self.chances, (1 + rows) * self.chances.width
        begin, self._used = self._used, self._used + len(lanes) * size
        found = chances.pool[begin : self._used].reshape(len(lanes), 1 + rows, chances.width)
        self.space.run(keep_turns, begun.turns, lanes.start, chances.banks, chances.first, found)
        same = begun.same and rows == begun.rows
        starts = range(begin + chances.width, self._used, size)
        return [start << SHIFT | rows << 1 | int(same) for start in starts]

    def _make_room(self, lanes: int, rows: int) -> bool:
        """Return whether there was room; if not, everything is forgotten, except by readers that still use it."""
        size = lanes * (1 + rows) * self.chances.width
        if self._used + size <= self.chances.pool.size:
            return True
        room = self.space.zeros((max(size, self.chances.pool.size),), "float64")
        before, at = self.chances, zeros(self.chances.at.shape, "int64")
        self.chances = self._lease.place(before._replace(at=at, pool=room))
        self._lease.drop(before)
        self._used = 0
        return False


@GAMES
def keep_turns(turns: EightTurns, first_lane: int, banks: int, first: int, found: Values) -> None:
    """Write [lane, row, column] as `Chances.pool` has it, from a lane on."""
    for number in range(found.shape[0]):
        lane = first_lane + number
        found[number, 0, 0] = turns.fresh[lane]
        for row in range(found.shape[1] - 1):
            for column in range(turns.rolling.shape[2]):
                found[number, row + 1, column] = turns.rolling[lane, row, column]
            for column in range(turns.bank.shape[2]):
                found[number, row + 1, banks + column] = turns.bank[lane, row, column]
            for column in range(turns.rolling.shape[2] if turns.first.shape[0] else 0):
                found[number, row + 1, first + column] = turns.first[lane, row, column]


def places(program: Program) -> Numbers:
    """Return [hand, idle, hot, owing, first, sets, rolls]: the rolling before any try failed; -1 if no
    turn has it.
    """
    told = [(one.dice, one.idle, one.hot, one.owing, int(one.first), one.sets, one.rolls) for one in program.rollings]
    most = [max(each) + 1 for each in zip(*told, strict=True)]
    found = full(tuple(most), -1, "int64")
    for number, rolling in enumerate(told):
        if not program.rollings[number].tried:
            found[rolling] = number
    return found


def _near(score: int, scores: int) -> list[int]:
    """Return the scores that are calculated together; the last one again if there are no more."""
    first = score // ABREAST * ABREAST
    return [min(one, scores - 1) for one in range(first, first + ABREAST)]


def _modes(sides: Sides) -> Numbers:
    """Return [lives, farkles in a row, person, bits of those entered]: the mode."""
    rules, people = sides.rules, sides.people
    found = zeros((rules.lives.each + 1, max(1, rules.penalties.farkles_in_row), people, 1 << people), "int64")
    for number, mode in enumerate(sides.modes):
        for bits in [mode.entered & (1 << people) - 1] if sides.tells_entered else range(1 << people):
            found[mode.lives, mode.farkles, mode.person, bits] = number
    return found


def _unravelled(place: int, shape: Sequence[int]) -> list[int]:
    """Return the index of a place in an array of that shape."""
    found = list[int]()
    for length in reversed(shape):
        place, one = divmod(place, length)
        found.append(one)
    return found[::-1]
