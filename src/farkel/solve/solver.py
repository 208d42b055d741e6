"""Two sides solved: the values of all positions under best play of both.

A bank raises the sum of the two scores, so positions are solved in order of falling sum, all positions of one sum side
by side. The rest are circles: see `farkel.solve.farkle_circles`. If lives are lost there are none; if penalties
lower scores, everything is swept again until nothing moves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, product
from math import inf, tanh
from typing import NamedTuple

from farkel.game.law.terms import Price
from farkel.kernels.arrays import Numbers, Values, array, full, zeros
from farkel.kernels.registry import SOLVE
from farkel.kernels.spaces import Space, open_space
from farkel.solve.compiled_game import Beyond, Board, Compiled
from farkel.solve.compiled_turn import longest_lead
from farkel.solve.farkle_circles import SWEEPS, TOLERANCE, Slopes, solve_circles
from farkel.solve.turn_ends import Level, Sides, Solved, keep_level, solve_level, work
from farkel.solve.turn_sweep import NEVER, compiled
from farkel.support.progress import Progress, silent
from farkel.support.words import counted

DEPTH = 10
"""Sweeps that are mixed."""
RANK = 1e-12
"""Of the largest product: differences of sweeps with less left of them are not told apart."""
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

    def __str__(self) -> str:
        memory, disk = (f"{size / (1 << 20):,.1f} MiB" for size in (self.memory, self.disk))
        return f"{counted(self.states, 'position', 'positions')}; at most {memory} of memory and {disk} on disk"


def cost(compiled: Compiled) -> Cost:
    """Return what solving a board takes, before any of it is done."""
    board = compiled.board
    offers = Offers(compiled, _groups(compiled))
    values, states = 2 if board.pairs else 1, _states(compiled)
    kept = sum(len(each) for each in offers.first.values()) * offers.each
    # If values are pairs, only offers that are taken are stored: a bit for each, and two short numbers for some.
    disk = 8 * values * states + (kept * 4 if board.pairs else kept * 8)
    return Cost(states, _memory(compiled, offers) + (256 << 20), disk)


def _states(compiled: Compiled) -> int:
    """Return how many positions there are at the start of a turn."""
    board, modes = compiled.board, len(compiled.modes)
    return len(compiled.stages) * modes * modes * board.scores * (1 if board.relative else board.scores)


def _memory(compiled: Compiled, offers: Offers) -> int:
    """Return the bytes of a solver's arrays, at most."""
    board, p, states = compiled.board, compiled.program.arrays, _states(compiled)
    values = 2 if board.pairs else 1
    slopes = states if len(compiled.modes) == 1 else 0
    mixing = 2 * DEPTH * values * states if compiled.lowers else 0
    landings = (os.cpu_count() or 1) * 8 * _rows(board) * p.landings * p.fines.size
    return 8 * (values * (states + offers.room * offers.each + landings) + slopes + mixing)


class Mixing:
    """Fewer sweeps if everything is swept again and again: Anderson's mixing.

    Of the last few sweeps, those are added up whose changes cancel best (Anderson 1965; Walker and Ni 2011). Near the
    solution a sweep is a linear map, and its slowest changes are found from its own history.
    """

    def __init__(self, space: Space, parts: Sequence[Values]) -> None:
        """parts: the values that are swept, and mixed in place."""
        self._space = space
        self._parts = parts
        size = sum(part.size for part in parts)
        history = [space.zeros(shape, "float64") for shape in ((DEPTH + 1, size), (DEPTH + 1, size), (size,))]
        self._history = space.place(History(*history))
        self._rows: list[int] = []
        """Of the sweeps that are mixed, the earliest first."""
        self._row = 0
        """Of the sweep under way."""
        self._least = inf

    def begin(self) -> None:
        """Note the values before a sweep."""
        self._row = (self._row + 1) % (DEPTH + 1)
        self._note(self._history.before[self._row])

    def mix(self) -> None:
        """Set the values that the next sweep starts from."""
        history = self._history
        self._note(history.now)
        moved = self._space.run(note_change, history, self._row)
        if moved > 2 * self._least:  # the mixture led astray: forget its history
            self._rows, self._least = [], inf
            return
        self._least = min(self._least, moved)
        self._rows = [*self._rows[-DEPTH:], self._row]
        if len(self._rows) < 3:
            return
        rows, products = array(self._rows, "int64"), zeros((len(self._rows) - 1, len(self._rows)))
        self._space.run(find_products, history, rows, products)
        self._space.run(mix_sweeps, history, rows, array(least_squares(products.tolist())))
        first = 0
        for part in self._parts:
            part.flat[:] = history.now.flat[first : first + part.size]
            first += part.size

    def _note(self, row: Values) -> None:
        first = 0
        for part in self._parts:
            row.flat[first : first + part.size] = part.flat
            first += part.size


class History(NamedTuple):
    """Sweeps: the values before each, how much it changed them, and those after the last one."""

    before: Values
    """[sweep, place]"""
    change: Values
    now: Values


@compiled
def note_change(history: History, row: int) -> float:
    """Write down what a sweep has changed; by how much at most."""
    moved = 0.0
    for place in range(history.now.size):
        change = history.now[place] - history.before[row, place]
        history.change[row, place] = change
        moved = max(moved, abs(change))
    return moved


@compiled
def find_products(history: History, rows: Numbers, found: Values) -> None:
    """Write the products of the differences of changes with each other, and with the last change."""
    change, steps = history.change, found.shape[0]
    for place in range(history.now.size):
        for one in range(steps):
            step = change[rows[one + 1], place] - change[rows[one], place]
            for other in range(steps):
                found[one, other] += step * (change[rows[other + 1], place] - change[rows[other], place])
            found[one, steps] += step * change[rows[steps], place]


@compiled
def mix_sweeps(history: History, rows: Numbers, weights: Values) -> None:
    """Take so much of each sweep off the values after the last one."""
    before, change, now = history.before, history.change, history.now
    for place in range(now.size):
        value = now[place]
        for one in range(weights.size):
            later, earlier = rows[one + 1], rows[one]
            step = before[later, place] - before[earlier, place] + change[later, place] - change[earlier, place]
            value -= weights[one] * step
        now[place] = min(max(value, 0.0), 1.0)


def least_squares(products: list[list[float]]) -> list[float]:
    """Return weights with which differences come closest to a change, from their products with each other and with it.

    Differences that are all but sums of others get none.
    """
    rows, size = [list(row) for row in products], len(products)
    least = RANK * max(rows[one][one] for one in range(size))
    pivots = list[int]()
    while len(pivots) < size:
        pivot = max((one for one in range(size) if one not in pivots), key=lambda one: rows[one][one])
        if rows[pivot][pivot] <= least:
            break
        pivots.append(pivot)
        for one in range(size):
            if one != pivot and (part := rows[one][pivot] / rows[pivot][pivot]):
                rows[one] = [mine - part * its for mine, its in zip(rows[one], rows[pivot], strict=True)]
    return [rows[one][size] / rows[one][one] if one in pivots else 0.0 for one in range(size)]


class Solver:
    """Solves a board. `run` fills ``values``."""

    def __init__(self, compiled: Compiled, threads: int = 0) -> None:
        self.compiled = compiled
        self.board: Board = compiled.board
        self.groups = _groups(compiled)
        self.offers = Offers(compiled, self.groups)
        self.space = open_space(SOLVE, _memory(compiled, self.offers))
        self.threads = (threads or os.cpu_count() or 1) if self.space.threads else 1
        p, least = compiled.program.arrays, min(compiled.program.chances)
        values = self.space.place(_empty(self.space, compiled, self.offers))
        self.offers.slot = values.slot  # where kernels read it
        rooms = [work(p, _rows(self.board), self.board.pairs) for _ in range(self.threads)]
        self.sides = [self.space.place(Sides(self.board, p, values, room, least)) for room in rooms]
        """For each thread."""
        self.values = self.sides[0].solved
        self.lowers = compiled.lowers
        self.residual = 0.0
        self.number = 0
        """The group that is being solved."""
        n = self.board.scores
        longest = max(len(rank) for group in self.groups for rank in group.ranks)
        self._found = self.space.place(Level(zeros((longest, n)), zeros((longest if self.board.pairs else 1, n))))
        # Farkle for farkle comes back to the very same position.
        self.returns = len(compiled.modes) == 1 and compiled.modes[0].lives == 0 and not self.board.ends.any()
        self.returns &= not (self.lowers or p.leaves)
        slopes = self.space.zeros((len(compiled.stages), n, n) if self.returns else (1, 1, 1), "float64")
        slopes[...] = 0.1
        self._slopes = self.space.place(Slopes(slopes))

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
                mixing = Mixing(self.space, self._parts(group)) if self.lowers else None
                for sweep in range(SWEEPS):
                    moved = 0.0
                    if mixing is not None:
                        mixing.begin()
                    for done, level in enumerate(range(levels - 1, -1, -1)):
                        moved = max(moved, self._level(pool, group, level))
                        part = (done + 1) / levels
                        if self.lowers:  # the number of sweeps is unknown: each gets half of what is left
                            part = 1 - 0.5**sweep * (1 - part / 2)
                        progress(number + part, len(self.groups))
                    self.residual = max(self.residual, moved) if not self.lowers else moved
                    if mixing is None or moved < TOLERANCE:
                        break
                    mixing.mix()
                if self.board.price == Price.LIVES and not group.closed:
                    for level in range(levels - 1, -1, -1):
                        for rank in group.ranks:
                            self._sweep(pool, rank, level, True)
                if keep is not None:
                    for rank in group.ranks:
                        for stage, mode, against in rank.tolist():
                            if self.offers.slot[stage, mode, against] >= 0:
                                keep(stage, mode, against)

    def _parts(self, group: ScoreGroup) -> list[Values]:
        """Return views of the values of each of a group's positions."""
        values = (self.values.own, self.values.other) if self.board.pairs else (self.values.own,)
        return [each[tuple(place)] for each in values for rank in group.ranks for place in rank.tolist()]

    def _level(self, pool: ThreadPoolExecutor, group: ScoreGroup, level: int) -> float:
        """Solve one level; by how much the last sweep moved its values."""
        publishes = None if not self.board.price else self.board.price != Price.LIVES or group.closed
        if self.returns:
            return self._circles(pool, level, publishes)
        moved = 0.0
        for _ in range(SWEEPS):
            moved = 0.0
            for rank in group.ranks:
                self._sweep(pool, rank, level, publishes)
                moved = max(moved, self.space.run(keep_level, self.sides[0], rank, level, self._found))
            if group.closed:
                return 0.0
            if self.lowers or moved < TOLERANCE * (0.01 if self.compiled.program.arrays.leaves else 1.0):
                break
        return moved

    def _circles(self, pool: ThreadPoolExecutor, level: int, publishes: bool | None) -> float:
        """Solve one level under rules where a farkle answered by a farkle comes back to the same scores.

        Returns by how much at most a value differs from what its turn makes of the others.
        """

        def part(number: int) -> float:
            share = number, self.threads
            return self.space.run(solve_circles, self.sides[number], level, share, publishes, self._slopes)

        return part(0) if self.threads == 1 else max(pool.map(part, range(self.threads)))

    def _sweep(self, pool: ThreadPoolExecutor, rank: Numbers, level: int, publishes: bool | None) -> None:
        """Find new values of a level. Only those of take-overs are written down, and only if it ``publishes``."""
        n = self.board.scores
        low, high = (0, n - 1) if self.board.relative else (max(0, level - n + 1), min(n - 1, level))
        blocks = len(rank) * -(-(high - low + 1) // 8)
        # What one position publishes others of its level read, if farkles leave something: then one by one.
        parts = 1 if self.compiled.program.arrays.leaves else min(self.threads, blocks)

        def part(number: int) -> None:
            share = number, parts
            self.space.run(solve_level, self.sides[number], rank, level, share, publishes, self._found)

        if parts == 1:
            part(0)
        else:
            list(pool.map(part, range(parts)))


def _rows(board: Board) -> int:
    """Return turn totals that there must be room for."""
    return 2 * board.scores + board.chase.shape[3] + int(max(board.need)) + board.longest + 2


def _groups(compiled: Compiled) -> list[ScoreGroup]:
    """Return the positions in the order in which they are solved.

    With lives, pairs of rows of lives by the longer row and then by the shorter one: whatever a turn leads to has been
    solved before, and few values of take-overs are waiting to be used.
    """
    board, modes, stages = compiled.board, compiled.modes, compiled.stages
    counted = bool(board.ends.any())
    # A turn may change nothing: a bank that goes over the target, or a farkle that costs no life.
    spared = any(
        after >= 0 and modes[after].lives == mode.lives
        for mode, row in zip(modes, board.after_farkle, strict=True)
        for after in row
    )
    returns = board.hits >= 0 or compiled.lowers or spared

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
        ranks = tuple(array(each, "int64") for _, each in groupby(members, rank))
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
        self.slot = full((stages, modes, modes), -1, "int64")
        self.place, self.length = zeros((1, 1), "int64"), zeros(1, "int64")
        self.each = self.room = 0
        self.first: dict[int, list[tuple[int, int, int, int]]] = {}
        if board.price == 0:
            return
        most, need, short = max(n - 1, board.longest), board.need.max(), 0
        if board.relative:
            most = board.longest or longest_lead(compiled.rules, 1)
            self.length = full(n, most, "int64")
        else:
            # A seat that takes over enough to reach the target does not care how much more it is.
            short = {Beyond.WINS: n, Beyond.NOTHING: n + 1}.get(board.beyond.max(), 2 * n + board.longest)
            self.length = array((min(most, max(short - score, need)) for score in range(n)), "int64")
        self.place = zeros((n if board.relative else 2 * n - 1, most + 1), "int64")
        scores = 0 if board.relative else n
        self.each = open_space(SOLVE).run(place_offers, self.place, scores, need, short, self.dice, leaves)
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

    def kept(self) -> list[tuple[int, int, int]]:
        """Return the (stage, mode, other's mode) that there is room for."""
        places = product(*map(range, self.slot.shape))
        return [(stage, mode, against) for stage, mode, against in places if self.slot[stage, mode, against] >= 0]

    def enter(self, number: int, values: Solved | None) -> None:
        """Make room for a group's values, and forget values that are no longer read.

        Without values only the places are settled, as for a group that has been solved before.
        """
        if self.compiled.board.price == Price.LIVES:
            for key in self.kept():
                if self.last[key] < number:
                    self.slot[key] = -1
        for stage, mode, against, place in self.first.get(number, ()):
            self.slot[stage, mode, against] = place * self.each
            if values is not None:
                values.take[place * self.each : (place + 1) * self.each] = NEVER


@compiled
def place_offers(place: Numbers, scores: int, need: int, short: int, dice: int, leaves: bool) -> int:
    """Fill `Solved.place`, and return how many values there are.

    scores: that are distinguished; 0 if they are leads. short: what a seat that takes over does not care to have more.
    """
    room = 0
    for level in range(place.shape[0]):
        low = max(0, level - scores + 1) if scores else 0
        for points in range(place.shape[1]):
            count = 1
            if scores:
                # Scores of the seat that takes the offer: the other seat banked it, or farkled, which is a case of its
                # own.
                high = min(level, scores - 1) if leaves else level - points
                high = min(high, min(scores - 1, short - points) if points > need else scores - 1)
                count = max(0, high - low + 1)
            place[level, points] = room - low * dice
            room += count * dice
    return room


def _empty(space: Space, compiled: Compiled, offers: Offers) -> Solved:
    """Return values to begin with."""
    board = compiled.board
    n, modes, stages = board.scores, len(compiled.modes), len(compiled.stages)
    shape = (stages, modes, modes, 1 if board.relative else n, n)
    own = space.zeros(shape, "float64")
    if board.relative:
        own[...] = 0.5
    else:
        # Something to begin with if values are swept again and again: who is ahead wins rather.
        ahead = [0.5 + 0.5 * tanh((mine - its) / (2 * n - mine - its)) for mine in range(n) for its in range(n)]
        each = array(ahead).flat
        for first in range(0, own.size, n * n):
            own.flat[first : first + n * n] = each
    other = space.zeros(shape if board.pairs else (1, 1, 1, 1, 1), "float64")
    other[...] = 0.5
    take = space.zeros((max(1, offers.room * offers.each), 2 if board.pairs else 1), "float64")
    return Solved(own, other, take, offers.slot, offers.place, offers.length)
