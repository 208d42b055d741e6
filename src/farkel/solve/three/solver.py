"""Three seats solved: each plays for its own chance to win, over the whole game.

A position is three scores. A bank raises their sum, so that positions are solved in order of falling sum. The rest
are circles of three farkles: for given policies of the three turns their values are linear, and each turn's policy is
the best reply to one number, the chance after its farkle. So policies and values are improved in turns until no turn
would rather do something else. A few circles never settle, as a decision that is nearly indifferent moves the others'
chances against itself; there two policies are mixed, so that the decision is indifferent: see `_mixed`.

There may be more than one equilibrium; this finds one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.kernels.arrays import over, zeros
from farkel.kernels.spaces import native_space
from farkel.rules import Rules
from farkel.solve.compiled_game import Beyond, Board, Compiled, compile_board
from farkel.solve.compiled_turn import BANK, MUST, NEGLIGIBLE, TurnArrays
from farkel.solve.last_turns import complete
from farkel.solve.three.turns import (
    FARKLES,
    NEXT,
    OWN,
    SEATS,
    Thirds,
    TurnSpace,
    brief_turns,
    sweep_banked,
    whole_turns,
)
from farkel.solve.turn_ends import MANY, surpasses, work
from farkel.solve.turn_sweep import LANES, NEVER, PairWork, Work
from farkel.support.progress import Progress, silent

Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

ROUNDS = 16
"""Times that the policies of a circle are improved before two of them are mixed."""
SAME = 1e-13
"""A policy that wins this much less than another one is as good."""
SETTLED = 1e-14
"""Chances after a farkle that move by less are settled."""
CYCLE, MIXTURES = 8, 24
"""Times that replies of a circle that does not settle are collected, and that a mixture of them is tried in all."""
OPEN = 1e-9
"""A circle in which a seat may gain more than this is reported as not settled."""
NEWTON, NEARBY = 30, 1e-6
"""Steps of Newton's method, and the change of a share that shows its effect."""


class Circles(NamedTuple):
    """Circles of a level that are being solved."""

    places: Numbers
    """[circle, turn, score]: the positions, each the one after a farkle of the turn before it."""
    after: Values
    """[circle, turn]: the chance of the seat to move once it has farkled."""
    found: Values
    """[circle, turn, column]: what `farkel.solve.three.turns` finds of the turns."""


class TrioRules:
    """Three seats compiled: the board of two of them, and what else three need."""

    def __init__(self, rules: Rules, progress: Progress = silent) -> None:
        self.rules = rules
        self.compiled: Compiled = complete(compile_board(rules))
        self.board: Board = self.compiled.board
        self.arrays: TurnArrays = self.compiled.program.arrays
        self.least = min(self.compiled.program.chances)
        self.chased = self.board.beyond[0] == Beyond.CHASED
        self.farthest = _farthest(self.board) if self.chased else 0
        self.last = _last(self.compiled, self.farthest, progress) if self.chased else np.zeros((1, 0, 0, 2))

    @property
    def states(self) -> int:
        """Positions at the start of a turn, before the last turns."""
        return int(self.board.scores**SEATS)

    @property
    def rows(self) -> int:
        """Turn totals that there must be room for."""
        last: int = self.last.shape[1]
        return 2 * self.board.scores + last + int(max(self.board.need)) + 2

    def reach(self, score: int) -> Values:
        """Return [points behind]: the chance of a seat with that score to surpass another one in its last turn."""
        entering = 1 if self.board.told_by_score and score == self.board.zero else self.board.entering[0]
        return _reach(self.board, self.board.need[entering], self.farthest)

    def surpassed(self, others: int, third: int, ended: Numbers) -> Values:
        """Return [place, (next, third)]: their chances to win in the last turns, which a seat with such a
        score has begun.
        """
        board, most = self.board, self.farthest
        kind = 2 * int(others == board.zero) + int(third == board.zero) if len(self.last) > 1 else 0
        found: Values = self.last[kind, np.minimum(ended - others, most), np.minimum(ended - third, most)]
        return found

    def space(self) -> TurnSpace:
        """Return space for `brief_turns`."""
        p, rows = self.arrays, self.rows + self.arrays.most + 2
        sizes = (rows, 1, p.farkles, 1, rows * p.landings, 1, p.rollings, SEATS, 1, 1)
        landings = (zeros((rows * p.landings, LANES)) for _ in range(2))
        return TurnSpace(Work(*(zeros((size, LANES)) for size in sizes)), zeros((rows, LANES)), *landings)

    def whole(self) -> PairWork:
        """Return space for `whole_turns`."""
        found = work(self.arrays, self.rows, True)
        assert isinstance(found, PairWork)  # noqa: S101  what `pairs` asks for
        return found


# Last turns -----------------------------------------------------------------------------------------------------------


def _last(compiled: Compiled, most: int, progress: Progress) -> Values:
    """Return `Thirds.last`: [kind, behind, third behind, (next, third)]: their chances to surpass a seat
    that has closed.

    Each of the two has one more turn, and the third one the last word.
    """
    board, p = compiled.board, compiled.program.arrays
    apart = board.told_by_score and (not {MUST, BANK}.isdisjoint(p.kind.tolist()) or compiled.program.forces)
    kinds = [*product(board.need, repeat=2)] if apart else [(board.need[0],) * 2]
    return np.array([_surpassing(compiled, need, its, most, progress) for need, its in kinds])


def _reach(board: Board, need: int, most: int) -> Values:
    """Return [points behind]: the chance to surpass a seat in the last turn; nothing from ``most`` + 1 on."""
    found = [surpasses(board.chase, 0, MANY, need, behind + 1, 0) for behind in range(most + 1)]
    return np.array([*found, 0.0])


def _farthest(board: Board) -> int:
    """Return the smallest deficit that is made good only with a negligible chance."""
    behind = 0
    while surpasses(board.chase, 0, MANY, 0, behind + 1, 0) > NEGLIGIBLE:
        behind += 1
    return behind


def _surpassing(compiled: Compiled, need: int, third_need: int, most: int, progress: Progress) -> Values:
    """Return a kind of `_last`: the least banks that the next seat and the third one need."""
    board, p = compiled.board, compiled.program.arrays
    far, least = board.far, min(compiled.program.chances)
    reach = _reach(board, third_need, most)  # of the third seat
    found = np.zeros((most + 1, most + 1, 2))
    # A next seat that is so far behind does not surpass the closer, so that the third meets the closer alone.
    found[most, :, 1] = reach[: most + 1]
    space = native_space()
    room: Any = work(p, 2 * most + board.scores + need + 2, True)
    p, w = space.place(p), space.place(room)
    bank, bank_u, farkle_u = np.asarray(w.bank), np.asarray(w.bank_u), np.asarray(w.farkle_u)
    rolling, rolling_u = np.asarray(w.rolling), np.asarray(w.rolling_u)
    for more in range(1 - board.scores, board.scores):  # how much further the third one is behind
        progress(0, 1)
        behind = np.arange(max(1, 1 - more), min(most, most + 1 - more))
        safe = int(np.flatnonzero(reach <= (NEGLIGIBLE if far else least))[0]) - more
        for first in range(0, behind.size, LANES):
            lanes = behind[first : first + LANES]
            goal = np.resize(lanes, LANES)
            rows = max(int(goal.max()) + 1, safe, need)
            totals = np.arange(rows + p.most + 1)[:, None]
            beyond = totals > goal
            left = reach[goal + more]
            its = np.where(beyond, reach[np.clip(totals + more, 0, most + 1)], left)
            own = np.where(totals < need, NEVER, np.where(beyond, 1.0 - its, 0.0))
            bank[: totals.size], bank_u[: totals.size], farkle_u[:] = own, its, left
            space.run(sweep_banked, p, rows, w, far)
            found[lanes, lanes + more, 0] = rolling[0, : lanes.size]
            found[lanes, lanes + more, 1] = rolling_u[0, : lanes.size]
    return found


# Solving --------------------------------------------------------------------------------------------------------------


class TrioSolver:
    """Solves three seats. `run` fills ``own`` and ``next``, which are as in `Thirds`."""

    def __init__(self, table: TrioRules, threads: int = 0, guess: float | None = None) -> None:
        """guess: the start of each circle, in place of the values of its neighbours."""
        self.table = table
        self.threads = threads or os.cpu_count() or 1
        n = table.board.scores
        self.own, self.next = np.full((n, n, n), 1 / SEATS), np.full((n, n, n), 1 / SEATS)
        self.level = SEATS * (n - 1)
        """The sum of scores that is solved next."""
        self.residual = 0.0
        """The most that a seat can gain by playing one turn otherwise."""
        self.mixed = 0
        """Circles in which two policies are mixed."""
        self.open = 0
        """Circles that did not settle with that either."""
        self._guess_all = guess
        self._brief = table.arrays.brief.refs.size > 0 and table.board.hits < 0 and not table.board.far
        self._space = native_space()
        spaces = [table.space() for _ in range(self.threads)] if self._brief else []
        self._spaces = [self._space.place(one) for one in spaces]
        self._whole: list[PairWork] = []
        known = over(self.own), over(self.next), over(np.ascontiguousarray(table.last))
        self._thirds = self._space.place(Thirds(table.board, table.arrays, *known, table.least))

    @property
    def wins(self) -> tuple[float, float, float]:
        """The chances of the first, the second and the third seat."""
        zero = self.table.board.zero
        own, its = float(self.own[zero, zero, zero]), float(self.next[zero, zero, zero])
        return own, its, 1.0 - own - its

    def run(self, progress: Progress = silent, pause: Callable[[], None] = lambda: None) -> None:
        """Solve everything, or the rest of it. ``pause`` is called when a level is done."""
        n = self.table.board.scores
        sizes = np.array([_circles(n, level).shape[0] * (n + 16 - level / SEATS) for level in range(SEATS * n - 2)])
        done = np.cumsum(sizes[::-1])[::-1]
        with ThreadPoolExecutor(self.threads) as pool:
            while self.level >= 0:
                self._solve(pool, _circles(n, self.level))
                self.level -= 1
                progress(float(done[self.level + 1]), float(done[0]))
                pause()

    def _solve(self, pool: ThreadPoolExecutor, first: Numbers) -> None:
        """Solve the circles of a level, given by one position each."""
        places = np.stack([np.roll(first, -turn, axis=1) for turn in range(SEATS)], axis=1)
        after = self._guess(places)
        policies = self._replies(pool, places.reshape(-1, SEATS), after.reshape(-1)).reshape(-1, SEATS, 3)
        values, then = _linear(policies)
        due = np.arange(len(places))
        for _ in range(ROUNDS):
            # Policies were best replies to the chances after farkles: only where these move may others be better.
            due = due[np.abs(then[due] - after[due]).max(axis=1) > SETTLED]
            after[due] = then[due]
            gains = self._gains(pool, places[due], policies[due], after[due])
            self.residual = max(self.residual, float(gains[gains <= SAME].max(initial=0.0)))
            (circle, turn), worse = np.nonzero(gains > SAME), due
            due = worse[np.unique(circle)]
            if not circle.size:
                break
            rows, turns = worse[circle], turn
            policies[rows, turns] = self._replies(pool, places[rows, turns], after[rows, turns])
            values[due], then[due] = _linear(policies[due])
        for one in due:
            values[one] = self._mix(pool, places[one], policies[one])
        for mover in range(SEATS):
            where = tuple(places[:, mover].T)
            self.own[where] = values[:, mover, mover]
            self.next[where] = values[:, mover, (mover + 1) % SEATS]

    def _guess(self, places: Numbers) -> Values:
        """Return [circle, turn]: the chance of a seat after its farkle, as positions of higher scores let expect it.

        As if no chance depended on all three scores together.
        """
        after = np.roll(places, -1, axis=1).reshape(-1, SEATS)
        if self._guess_all is not None:
            return np.full(places.shape[:2], self._guess_all)
        n = self.table.board.scores
        own, its, flat = self.own.reshape(-1), self.next.reshape(-1), after @ np.array([n * n, n, 1])
        rises, found, weight = after < n - 1, np.zeros(len(after)), np.zeros(len(after))
        for number in range(1, 8):
            # Inclusion and exclusion over the positions with one, two or three scores a step higher, which are solved.
            which = [number >> 2 & 1, number >> 1 & 1, number & 1]
            step = which[0] * n * n + which[1] * n + which[2]
            there = rises[:, np.flatnonzero(which)].all(axis=1)
            sign = np.where(there, 1.0 if sum(which) % 2 else -1.0, 0.0)
            at = np.where(there, flat + step, flat)
            found += sign * (1.0 - own[at] - its[at])
            weight += sign
        guessed: Values = np.clip(np.where(weight > 0, found, 1 / SEATS), 0.0, 1.0).reshape(places.shape[:2])
        return guessed

    def _replies(self, pool: ThreadPoolExecutor, places: Numbers, after: Values) -> Values:
        """Return the best policies of turns, [turn, (own, next seat's, farkles)], without their shares from farkles."""
        found = self._sweep(pool, places, after, True)
        found[:, OWN] -= found[:, FARKLES] * after
        return found

    def _gains(self, pool: ThreadPoolExecutor, places: Numbers, policies: Values, after: Values) -> Values:
        """Return [circle, turn]: how much more the best policy wins than these do."""
        best = self._sweep(pool, places.reshape(-1, SEATS), after.reshape(-1), False)[:, OWN].reshape(after.shape)
        gains: Values = best - policies[..., OWN] - policies[..., FARKLES] * after
        return gains

    def _sweep(self, pool: ThreadPoolExecutor, places: Numbers, after: Values, whole: bool) -> Values:
        """Return [turn, column]: see `farkel.solve.three.turns`. Turns of like scores are swept side by side."""
        found = np.zeros((len(places), 3))
        if not len(places):
            return found
        # Eight lanes are swept as far as the furthest of them, which is that of the lowest score.
        order = np.argsort(places[:, 0], kind="stable")
        places, after, sorted_ = places[order], after[order], np.empty((len(places), 3))
        threads, given = min(self.threads, -(-len(places) // LANES)), (over(places), over(after))
        if self._brief:

            def part(number: int) -> None:
                space, share = self._spaces[number], (number, threads)
                self._space.run(brief_turns, self._thirds, space, *given, share, whole, over(sorted_))

            _each(pool, part, threads)
            left = np.flatnonzero(sorted_[:, OWN] < 0.0)
        else:
            left = np.arange(len(places))
        if left.size:
            if not self._whole:
                self._whole = [self._space.place(self.table.whole()) for _ in range(self.threads)]
            these, rest = (over(places[left]), over(after[left])), np.empty((left.size, 3))

            def rest_part(number: int) -> None:
                space, share = self._whole[number], (number, threads)
                self._space.run(whole_turns, self._thirds, space, *these, share, whole, over(rest))

            _each(pool, rest_part, threads)
            sorted_[left] = rest
        found[order] = sorted_
        return found

    # Mixing -----------------------------------------------------------------------------------------------------------

    def _mix(self, pool: ThreadPoolExecutor, places: Numbers, policies: Values) -> Values:
        """Return [turn, seat]: the chances in a circle whose policies do not settle.

        Among the policies that have been best replies so far an equilibrium is looked for, in which a turn mixes two
        of them at most. If something else is a better reply to that, it is one of them, too.
        """
        known = [[policy] for policy in policies]
        after = _linear(policies[None])[1][0]
        best, least, mixes = policies, np.inf, False
        for step in range(MIXTURES):
            replies = self._replies(pool, places, after)
            new = [
                not any(np.allclose(reply, policy, rtol=0.0, atol=SAME) for policy in some)
                for reply, some in zip(replies, known, strict=True)
            ]
            for some, reply, is_new in zip(known, replies, new, strict=True):
                if is_new:
                    some.append(reply)
            # First replies to replies are collected, as they go round in a circle; only then are they mixed.
            if any(new) and step < CYCLE:
                after = _linear(replies[None])[1][0]
                continue
            found = _equilibrium(known)
            after = _linear(found[None])[1][0]
            gain = float(self._gains(pool, places[None], found[None], after[None]).max())
            if gain < least:
                best, least = found, gain
                mixes = any(
                    not any(np.array_equal(one, policy) for policy in some)
                    for one, some in zip(found, known, strict=True)
                )
            if least <= SAME:
                break
        self.mixed += mixes
        self.open += least > OPEN
        self.residual = max(self.residual, least)
        values: Values = _linear(best[None])[0][0]
        return values


def _equilibrium(known: list[list[Values]]) -> Values:
    """Return [turn, column]: policies, or mixtures of two, of which none is a reply that is much worse than
    another one.
    """
    best, least = np.array([some[-1] for some in known]), np.inf
    choices = [[*((one, one) for one in range(len(some))), *combinations(range(len(some)), 2)] for some in known]
    # Few mixtures first: each is one more condition that Newton's method has to meet.
    for chosen in sorted(product(*choices), key=lambda each: sum(one != other for one, other in each)):
        pairs = np.array([[some[one], some[other]] for some, (one, other) in zip(known, chosen, strict=True)])
        found = _balanced(pairs, np.array([one != other for one, other in chosen]))
        if found is None:
            continue
        after = _linear(found[None])[1][0]
        gain = max(
            float(max(policy[OWN] + policy[FARKLES] * chance for policy in some) - one[OWN] - one[FARKLES] * chance)
            for some, one, chance in zip(known, found, after, strict=True)
        )
        if gain < least:
            best, least = found, gain
        if least <= SAME:
            break
    return best


def _balanced(pairs: Values, mixes: NDArray[np.bool_]) -> Values | None:
    """Return the policies of a circle where some turns mix two, and are indifferent; None if there are none.

    pairs: [turn, which, column]. The shares are found by Newton's method.
    """
    slopes = pairs[:, 1, FARKLES] - pairs[:, 0, FARKLES]
    turns = np.flatnonzero(mixes)
    # Policies that farkle equally often differ by the same at every chance, so no chance makes a turn indifferent.
    if np.any(np.abs(slopes[turns]) < SAME):
        return None
    # At this chance after the farkle both policies of a turn are worth the same.
    goal = (pairs[turns, 0, OWN] - pairs[turns, 1, OWN]) / slopes[turns]
    shares = np.full(turns.size, 0.5)
    for _ in range(NEWTON if turns.size else 0):
        tried = np.vstack([shares, shares + NEARBY * np.eye(turns.size)])
        missed = _linear(_mixture(pairs, turns, tried))[1][:, turns] - goal
        slope = (missed[1:] - missed[0]).T / NEARBY
        if np.linalg.cond(slope) > 1 / SAME:
            return None
        step = np.linalg.solve(slope, missed[0])
        shares = shares - step
        if not np.all(np.abs(shares) < 10.0):
            return None
        if np.abs(step).max() < SAME:
            break
    if np.any((shares < 0.0) | (shares > 1.0)):
        return None
    found: Values = _mixture(pairs, turns, shares[None])[0]
    return found


def _mixture(pairs: Values, turns: Numbers, shares: Values) -> Values:
    """Return [row, turn, column]: of the second of each pair its share, of turns that mix."""
    found = np.repeat(pairs[None, :, 0], len(shares), axis=0)
    found[:, turns] += shares[:, :, None] * (pairs[turns, 1] - pairs[turns, 0])
    return found


def _each(pool: ThreadPoolExecutor, part: Callable[[int], None], threads: int) -> None:
    """Do each part of the work."""
    if threads == 1:
        part(0)
    else:
        list(pool.map(part, range(threads)))


def _circles(n: int, level: int) -> Numbers:
    """Return one position of each circle whose scores add up to a level: no score is higher than the first."""
    found = []
    for score in range(-(-level // SEATS), min(n - 1, level) + 1):
        # The third is below the first, so that of two equal highest scores only one order is listed.
        others = np.arange(max(0, level - 2 * score + 1), min(score, level - score) + 1)
        found.append(np.stack([np.full(others.size, score), others, level - score - others], axis=1))
        if level == SEATS * score:
            found.append(np.full((1, SEATS), score))
    return np.concatenate(found)


def _linear(policies: Values) -> tuple[Values, Values]:
    """Return the chances in circles with such policies, [circle, turn, seat], and those after each turn's farkle."""
    own, its, farkles = policies[..., OWN], policies[..., NEXT], policies[..., FARKLES]
    banked = np.empty((*own.shape, SEATS))
    for turn in range(SEATS):
        banked[:, turn, turn] = own[:, turn]
        banked[:, turn, (turn + 1) % SEATS] = its[:, turn]
        banked[:, turn, (turn + 2) % SEATS] = 1.0 - own[:, turn] - its[:, turn] - farkles[:, turn]
    # Three farkles lead back to the position: what comes of it is a geometric series.
    again, values = 1.0 - farkles.prod(axis=1), np.empty(banked.shape)
    for turn in range(SEATS):
        second, third = (turn + 1) % SEATS, (turn + 2) % SEATS
        total = banked[:, turn] + farkles[:, turn, None] * (
            banked[:, second] + farkles[:, second, None] * banked[:, third]
        )
        values[:, turn] = total / again[:, None]
    then = np.stack([values[:, (turn + 1) % SEATS, turn] for turn in range(SEATS)], axis=1)
    return values, then
