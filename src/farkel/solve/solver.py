"""Two sides solved: the values of all positions under best play of both.

A bank raises the sum of the two scores, so positions are solved in order of falling sum, all positions of one sum side
by side. The rest are circles: see `farkel.solve.farkle_circles`. If lives are lost there are none; if penalties
lower scores, everything is swept again until nothing moves.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import NamedTuple

import numpy as np

from farkel.game.law.terms import Price
from farkel.solve.compiled_game import Beyond, Board, Compiled
from farkel.solve.compiled_turn import Numbers, TurnArrays, Values, longest_lead
from farkel.solve.farkle_circles import SWEEPS, TOLERANCE, solve_circles
from farkel.solve.turn_ends import Sides, Solved, solve_level, work
from farkel.solve.turn_sweep import NEVER
from farkel.support.progress import Progress, silent

DEPTH = 10
"""Sweeps that are mixed."""
Keep = Callable[[int, int, int], None]
"""Called with the (stage, mode, other's mode) whose take-overs are known."""


class ScoreGroup(NamedTuple):
    """Positions that may lead to each other, as (stage, mode, other's mode). No group leads to a later one."""

    ranks: tuple[Numbers, ...]
    """In the order in which they are swept within a level."""
    closed: bool
    """There are no circles: one sweep solves them."""


class Cost(NamedTuple):
    """What solving takes."""

    states: int
    """Positions at the start of a turn."""
    memory: int
    """Bytes, at most."""
    disk: int
    """Bytes of the stored solution, at most."""


def cost(compiled: Compiled) -> Cost:
    """Return what solving a board takes, before any of it is done."""
    board = compiled.board
    offers = Offers(compiled, _groups(compiled))
    modes, values = len(compiled.modes), 2 if board.pairs else 1
    states = len(compiled.stages) * modes * modes * board.scores * (1 if board.relative else board.scores)
    kept = sum(len(each) for each in offers.first.values()) * offers.each
    slopes = states if modes == 1 else 0
    mixing = 2 * DEPTH * values * states if compiled.lowers else 0
    p = compiled.program.arrays
    landings = (os.cpu_count() or 1) * 8 * _rows(board) * p.landings * p.fines.size
    memory = 8 * (values * (states + offers.room * offers.each + landings) + slopes + mixing) + (256 << 20)
    # If values are pairs, only offers that are taken are stored: a bit for each, and two short numbers for some.
    disk = 8 * values * states + (kept * 4 if board.pairs else kept * 8)
    return Cost(states, memory, disk)


class Mixing:
    """Fewer sweeps if everything is swept again and again: Anderson's mixing.

    Of the last few sweeps, those are added up whose changes cancel best (Anderson 1965; Walker and Ni 2011). Near the
    solution a sweep is a linear map, and its slowest changes are found from its own history.
    """

    def __init__(self) -> None:
        self._before: list[Values] = []
        self._change: list[Values] = []
        self._least = np.inf

    def mixed(self, before: Values, after: Values) -> Values:
        """Return what to start the next sweep from, where the last one made ``after`` of ``before``."""
        change = after - before
        moved = float(np.abs(change).max())
        if moved > 2 * self._least:  # the mixture led astray: forget its history
            self._before, self._change, self._least = [], [], np.inf
            return after
        self._least = min(self._least, moved)
        self._before = [*self._before[-DEPTH:], before]
        self._change = [*self._change[-DEPTH:], change]
        if len(self._before) < 3:
            return after
        changes, starts = np.diff(self._change, axis=0), np.diff(self._before, axis=0)
        weights = np.linalg.lstsq(changes @ changes.T, changes @ change, rcond=1e-12)[0]
        return np.clip(after - weights @ (starts + changes), 0.0, 1.0)


class Solver:
    """Solves a board. `run` fills ``values``."""

    def __init__(self, compiled: Compiled, threads: int = 0) -> None:
        self.compiled = compiled
        self.board: Board = compiled.board
        self.arrays: TurnArrays = compiled.program.arrays
        self.threads = threads or os.cpu_count() or 1
        self.groups = _groups(compiled)
        self.offers = Offers(compiled, self.groups)
        self.values = _empty(compiled, self.offers)
        self.least = min(compiled.program.chances)
        self._work = [work(self.arrays, _rows(self.board), self.board.pairs) for _ in range(self.threads)]
        self.lowers = compiled.lowers
        self.residual = 0.0
        self.number = 0
        """The group that is being solved."""
        n = self.board.scores
        # Farkle for farkle comes back to the very same position.
        self.returns = len(compiled.modes) == 1 and compiled.modes[0].lives == 0 and not self.board.ends.any()
        self.returns &= not (self.lowers or self.arrays.leaves)
        self.slopes = np.full((len(compiled.stages), n, n), 0.1) if self.returns else np.empty(0)

    @property
    def first_player_wins(self) -> float:
        """The chance of the seat that has the first turn."""
        stage, mode, against, *scores = self.compiled.first
        return float(self.values.own[stage, mode, against, *self.compiled.kept(*scores)])

    @property
    def states(self) -> int:
        """Positions at the start of a turn."""
        return self.values.own.size

    def run(self, progress: Progress = silent, keep: Keep | None = None, begin: int = 0) -> None:
        """Solve everything, or the rest from a group on. Take-overs are given to ``keep`` when they are known."""
        levels = 1 if self.board.relative else 2 * self.board.scores - 1
        with ThreadPoolExecutor(self.threads) as pool:
            for number in range(begin):
                self.offers.enter(number, None)
            for number, group in enumerate(self.groups[begin:], begin):
                self.number = number
                self.offers.enter(number, self.values)
                mixing = Mixing()
                for sweep in range(SWEEPS):
                    moved, before = 0.0, self._group_values(group) if self.lowers else None
                    for done, level in enumerate(range(levels - 1, -1, -1)):
                        moved = max(moved, self._level(pool, group, level))
                        part = (done + 1) / levels
                        if self.lowers:  # the number of sweeps is unknown: each gets half of what is left
                            part = 1 - 0.5**sweep * (1 - part / 2)
                        progress(number + part, len(self.groups))
                    self.residual = max(self.residual, moved) if not self.lowers else moved
                    if before is None or moved < TOLERANCE:
                        break
                    self._set_group_values(group, mixing.mixed(before, self._group_values(group)))
                if self.board.price == Price.LIVES and not group.closed:
                    for level in range(levels - 1, -1, -1):
                        for rank in group.ranks:
                            self._sweep(pool, rank, level, True)
                if keep is not None:
                    for rank in group.ranks:
                        for stage, mode, against in rank.tolist():
                            if self.offers.slot[stage, mode, against] >= 0:
                                keep(stage, mode, against)

    def _group_values(self, group: ScoreGroup) -> Values:
        """Return the values of a group's positions, one after the other."""
        return np.concatenate([each.ravel() for each in self._parts(group)])

    def _set_group_values(self, group: ScoreGroup, found: Values) -> None:
        parts = self._parts(group)
        for each, part in zip(parts, np.split(found, len(parts)), strict=True):
            each[:] = part.reshape(each.shape)

    def _parts(self, group: ScoreGroup) -> list[Values]:
        """Return views of the values of each of a group's positions."""
        values = (self.values.own, self.values.other) if self.board.pairs else (self.values.own,)
        return [each[tuple(place)] for each in values for rank in group.ranks for place in rank.tolist()]

    def _sides(self, thread: int) -> Sides:
        return Sides(self.board, self.arrays, self.values, self._work[thread], self.least)

    def _level(self, pool: ThreadPoolExecutor, group: ScoreGroup, level: int) -> float:
        """Solve one level; by how much the last sweep moved its values."""
        publishes = None if not self.board.price else self.board.price != Price.LIVES or group.closed
        if self.returns:
            return self._circles(pool, level, publishes)
        index = self._places(level)
        moved = 0.0
        for _ in range(SWEEPS):
            moved = 0.0
            for rank in group.ranks:
                own, other = self._sweep(pool, rank, level, publishes)
                for at, (stage, mode, against) in enumerate(rank):
                    place = (stage, mode, against, *index)
                    moved = max(moved, float(np.abs(own[at] - self.values.own[place]).max()))
                    self.values.own[place] = own[at]
                    if self.board.pairs:
                        self.values.other[place] = other[at]
            if group.closed:
                return 0.0
            if self.lowers or moved < TOLERANCE * (0.01 if self.arrays.leaves else 1.0):
                break
        return moved

    def _places(self, level: int) -> tuple[Numbers, Numbers]:
        """Return where the values of a level are kept, in the order in which they are solved."""
        n = self.board.scores
        own = np.arange(n) if self.board.relative else np.arange(max(0, level - n + 1), min(n - 1, level) + 1)
        return self.compiled.kept(own, level - own)

    def _circles(self, pool: ThreadPoolExecutor, level: int, publishes: bool | None) -> float:
        """Solve one level under rules where a farkle answered by a farkle comes back to the same scores.

        Returns by how much at most a value differs from what its turn makes of the others.
        """

        def part(number: int) -> float:
            return float(solve_circles(self._sides(number), level, (number, self.threads), publishes, self.slopes))

        return max(pool.map(part, range(self.threads)))

    def _sweep(
        self, pool: ThreadPoolExecutor, rank: Numbers, level: int, publishes: bool | None
    ) -> tuple[Values, Values]:
        """Return new values of a level, [position, place in the level]; only `publish` writes."""
        n = self.board.scores
        low, high = (0, n - 1) if self.board.relative else (max(0, level - n + 1), min(n - 1, level))
        own = np.empty((len(rank), n))
        other = np.empty((len(rank), n)) if self.board.pairs else np.empty((1, 1))
        blocks = len(rank) * -(-(high - low + 1) // 8)
        # What one position publishes others of its level read, if farkles leave something: then one by one.
        parts = 1 if self.arrays.leaves else min(self.threads, blocks)

        def part(number: int) -> None:
            solve_level(self._sides(number), rank, level, (number, parts), publishes, own, other)

        if parts == 1:
            part(0)
        else:
            list(pool.map(part, range(parts)))
        return own[:, low : high + 1], other[:, low : high + 1]


def _rows(board: Board) -> int:
    """Return turn totals that there must be room for."""
    return int(2 * board.scores + board.chase.shape[3] + board.need.max() + board.longest + 2)


def _groups(compiled: Compiled) -> list[ScoreGroup]:
    """Return the positions in the order in which they are solved.

    With lives, pairs of rows of lives by the longer row and then by the shorter one: whatever a turn leads to has been
    solved before, and few values of take-overs are waiting to be used.
    """
    board, modes, stages = compiled.board, compiled.modes, compiled.stages
    counted = bool(board.ends.any())
    lives = np.array([mode.lives for mode in modes])
    # A turn may change nothing: a bank that goes over the target, or a farkle that costs no life.
    spared = (board.after_farkle >= 0) & (lives[board.after_farkle] == lives[:, None])
    returns = board.hits >= 0 or compiled.lowers or bool(spared.any())

    def order(position: tuple[int, int, int]) -> tuple[int, int, int]:
        stage, mode, against = position
        mine, others = modes[mode].lives, modes[against].lives
        return (max(mine, others), min(mine, others), stage if counted else 0)

    def rank(position: tuple[int, int, int]) -> int:
        return -modes[position[1]].farkles - modes[position[2]].farkles

    positions = sorted(
        ((s, m, k) for s in range(len(stages)) for m in range(len(modes)) for k in range(len(modes))),
        key=lambda position: (order(position), rank(position), position),
    )
    found = []
    for _, members in groupby(positions, order):
        ranks = tuple(np.array(list(each), np.int64) for _, each in groupby(members, rank))
        found.append(ScoreGroup(ranks, counted or not returns))
    return found


class Offers:
    """Where values of take-overs are kept: room for each (stage, mode, other's mode), taken when first needed.

    ``place``, ``length``: see `Solved`.
    """

    def __init__(self, compiled: Compiled, groups: list[ScoreGroup] | None = None) -> None:
        board = compiled.board
        self.compiled = compiled
        self.dice = board.take.shape[1] - 1
        """Dice that may be on offer."""
        n, modes, stages = board.scores, len(compiled.modes), len(compiled.stages)
        leaves = compiled.program.arrays.leaves
        self.slot = np.full((stages, modes, modes), -1, np.int64)
        self.place, self.length = np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
        self.each = self.room = 0
        self.first: dict[int, list[tuple[int, int, int, int]]] = {}
        if board.price == 0:
            return
        dice, most = self.dice, max(n - 1, board.longest)
        if board.relative:
            most = board.longest or longest_lead(compiled.rules, 1)
            self.length = np.full(n, most)
            level, points = np.arange(n)[:, None], np.arange(most + 1)[None, :]
            low, sizes = 0 * level, np.full((n, most + 1), dice)
        else:
            need = int(board.need.max())
            # A seat that takes over enough to reach the target does not care how much more it is.
            short = {Beyond.WINS: n, Beyond.NOTHING: n + 1}.get(board.beyond.max(), 2 * n + board.longest)
            self.length = np.minimum(most, np.maximum(short - np.arange(n), need))
            level, points = np.arange(2 * n - 1)[:, None], np.arange(most + 1)[None, :]
            low = np.maximum(0, level - n + 1)
            # Scores of the seat that takes the offer: the other seat banked it, or farkled, which is a case of its own.
            high = np.minimum(level, n - 1) if leaves else level - points
            high = np.minimum(high, np.where(points > need, np.minimum(n - 1, short - points), n - 1))
            sizes = np.maximum(0, high - low + 1) * dice
        starts = (np.cumsum(sizes.ravel()) - sizes.ravel()).reshape(sizes.shape)
        self.place = starts - low * dice
        self.each = int(sizes.sum())
        if groups is not None:
            self._plan(groups)

    def _plan(self, groups: list[ScoreGroup]) -> None:
        """Give each position room from the group that first writes it to the last one that reads it."""
        board = self.compiled.board
        when = {
            (each[0], each[1], each[2]): number
            for number, group in enumerate(groups)
            for rank in group.ranks
            for each in rank.tolist()
        }
        writers: dict[tuple[int, int, int], int] = {}
        for (stage, mode, against), number in when.items():
            if board.price != Price.LIVES:
                writers[stage, mode, against] = number
                continue
            payable = [int(paid) for paid in board.paid[mode] if paid >= 0]
            if payable:
                writers[stage, mode, against] = min(when[stage, paid, against] for paid in payable)
        # Read by those that bank in the stage before, with the same lives, or leave a farkled total.
        stages = range(len(board.ends))
        leaves = self.compiled.program.arrays.leaves
        leavers = [
            {to, *(its for its, after in enumerate(board.after_farkle) if leaves and to in after)}
            for to in range(board.entering.size)
        ]
        self.last = {
            (stage, mode, against): max(
                number,
                *(
                    when[before, its, mode]
                    for before in stages
                    if board.next_stage[before] == stage
                    for its in leavers[against]
                ),
                number,
            )
            for (stage, mode, against), number in when.items()
        }
        free: list[int] = []
        leaving: dict[int, list[int]] = {}
        for key in sorted(writers, key=lambda key: (writers[key], key)):
            first = writers[key]
            for number in sorted(leaving):
                if number < first and board.price == Price.LIVES:
                    free += leaving.pop(number)
            place = free.pop() if free else self.room
            self.room = max(self.room, place + 1)
            leaving.setdefault(self.last[key], []).append(place)
            self.first.setdefault(first, []).append((*key, place))

    def enter(self, number: int, values: Solved | None) -> None:
        """Make room for a group's values, and forget values that are no longer read.

        Without values only the places are settled, as for a group that has been solved before.
        """
        if self.compiled.board.price == Price.LIVES:
            for stage, mode, against in zip(*np.nonzero(self.slot >= 0), strict=True):
                if self.last[int(stage), int(mode), int(against)] < number:
                    self.slot[stage, mode, against] = -1
        for stage, mode, against, place in self.first.get(number, ()):
            self.slot[stage, mode, against] = place * self.each
            if values is not None:
                values.take[place * self.each : (place + 1) * self.each] = NEVER


def _empty(compiled: Compiled, offers: Offers) -> Solved:
    board = compiled.board
    n, modes, stages = board.scores, len(compiled.modes), len(compiled.stages)
    shape = (stages, modes, modes, 1 if board.relative else n, n)
    # Something to begin with if values are swept again and again: who is ahead wins rather.
    score, others = np.arange(shape[3])[:, None], np.arange(n)[None, :]
    own = np.empty(shape)
    own[...] = 0.5 + 0.5 * np.tanh((score - others) / (2 * n - score - others)) if shape[3] == n else 0.5
    other = np.full(shape if board.pairs else (1, 1, 1, 1, 1), 0.5)
    size = offers.room * offers.each
    take = np.empty((max(1, size), 2 if board.pairs else 1))
    return Solved(own, other, take, offers.slot, offers.place, offers.length)
