"""More than two seats: a best reply to a model of the others. An approximation, and said to be one.

A game of three has no one best play, and far too many positions. The model takes a table of many for what it is
between any two of its seats: once a turn has ended, the chance of a seat against each other one is that of the solved
game of two, and these are joined into one chance by p = 1 / (sum of 1 / p_j - (seats - 2)), which is exact between two
and fair among equals (pairwise coupling; Refregier and Vallet 1991). Against that the seat to move plays the turn under
way as well as possible, and in the last turns it counts who may still surpass it. What is left out: that three may be
more than three pairs, what is left on offer to seats other than the next, and what farkles leave on offer.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from farkel.game import Action, Offer, Phase, State, apply, legal_actions
from farkel.solve.alone import lowered
from farkel.solve.board import EXACT, OPEN, STAKE, WELFARE, Stage
from farkel.solve.boundary import pay, saturate, work
from farkel.solve.boundary import run as sweep_turn
from farkel.solve.kernel import NEVER
from farkel.solve.program import Values
from farkel.solve.solution import Duel

BEYOND = 160
"""Turn totals beyond the target that are told apart where the game goes on."""
TURNS_KEPT = 256
SMALL = 1e-9


class Field:
    """Winning chances with any number of seats, by the model."""

    exact = False

    def __init__(self, duel: Duel, seats: int) -> None:
        self.rules = duel.rules
        self.seats = seats
        self._duel = duel
        compiled = duel.compiled
        self._board, self._program = compiled.board, compiled.program
        far = self._board.zero if self._board.relative else self._board.scores
        self._rows = far + BEYOND + int(self._board.need.max())
        self._work = work(self._program.arrays, self._rows + 2, False)
        self._turns: OrderedDict[tuple[object, ...], Values] = OrderedDict()

    def chances(self, state: State) -> tuple[float, ...]:
        """The winning chance of each seat. Within a turn, what the seat to move has not is shared as before it."""
        if state.result is not None:
            winners = state.result.winners
            return tuple(1.0 / len(winners) if seat in winners else 0.0 for seat in range(len(state.seats)))
        if state.phase is Phase.START:
            turns = [self._between(state, first) for first in range(len(state.seats))]
            return tuple(float(chance) for chance in np.mean(turns, axis=0))
        before = self._between(state, state.seat)
        mine = self._value(state)
        rest = before.sum() - before[state.seat]
        shares = before * ((1.0 - mine) / rest if rest > 0 else 0.0)
        return tuple(mine if seat == state.seat else float(share) for seat, share in enumerate(shares))

    def rank(self, state: State) -> list[tuple[Action, float]]:
        """Every legal action and the winning chance of the seat to move with it, best first."""
        found = []
        for action in legal_actions(state):
            after = apply(state, action)
            goes_on = after.seat == state.seat and after.phase is Phase.ROLL and not isinstance(after.offer, Offer)
            banks = state.phase is Phase.KEEP and getattr(action, "then", "") == "bank"
            found.append((action, self._value(after) if goes_on and not banks else self._ended(state, after)))
        return sorted(found, key=lambda one: -one[1])

    def _value(self, state: State) -> float:
        """The chance of the seat to move, in its turn."""
        if state.phase is not Phase.ROLL:
            ranked = self.rank(state)
            return ranked[0][1] if ranked else 0.0
        table = self._turn(state)
        rolling = self._program.rolling(state.dice, state.idle, state.hot)
        return float(table[min(state.points // self.rules.unit, table.shape[0] - 1), rolling])

    def _ended(self, before: State, after: State) -> float:
        """The chance of a seat whose turn has just ended."""
        seat = before.seat
        if after.result is not None:
            winners = after.result.winners
            return 1.0 / len(winners) if seat in winners else 0.0
        one = after.seats[seat]
        score = np.array([self._duel.compiled.score(one.score)])
        offer = after.offer or Offer(0, 0)
        points = np.array([offer.points // self.rules.unit])
        return float(self._afterwards(before, self._duel.compiled.mode(one), score, points, offer.dice)[0])

    def _turn(self, state: State) -> Values:
        """[turn total, rolling]: the chance of the seat to move."""
        staked = self.rules.take_over.stake if state.taking and self._board.price == STAKE else 0
        key = (state.seat, state.seats, state.closer, state.standing, state.rounds_left, staked)
        found = self._turns.get(key)
        if found is None:
            found = self._solve(state, self._duel.compiled.score(state.seats[state.seat].score + staked))
            self._turns[key] = found
            if len(self._turns) > TURNS_KEPT:
                self._turns.popitem(last=False)
        return found

    def _solve(self, state: State, score: int) -> Values:
        board, p, w, rows = self._board, self._program.arrays, self._work, self._rows
        mode = self._duel.compiled.mode(state.seats[state.seat])
        need = board.start_needs if score == board.zero and board.start_needs else board.need[mode]
        totals = np.arange(rows + 1)
        exact = board.finish in (EXACT, WELFARE)
        for fines in range(p.fines.size - 1, -1, -1):
            fined = int(lowered(board, score, int(p.fines[fines])))
            banked = fined + totals
            allowed = (totals >= need) | ((banked == board.scores) & exact)
            bank = np.empty((rows + 1, p.offers))
            for dice in range(p.offers):
                values = self._afterwards(state, int(board.after_bank[mode]), banked, totals, dice)
                if exact:
                    stays = self._afterwards(state, int(board.after_over[mode]), np.array([fined]), np.array([0]), 0)
                    values = np.where(banked > board.scores, stays[0], values)
                bank[:, dice] = np.where(allowed, values, NEVER)
            w.bank[: bank.size] = bank.reshape(-1, 1)
            for kind in range(p.farkles):
                every = board.farkle_all[kind]
                points = int(board.penalty[mode, every] + board.farkle_fine[kind])
                left = int(lowered(board, fined, points))
                after = int(board.after_farkle[mode, every])
                lost = state.closer >= 0 or after < 0
                none = np.array([0])
                value = 0.0 if lost else self._afterwards(state, after, np.array([left]), none, 0)[0]
                w.farkle[kind :: p.farkles] = value
            pay(False, p, rows, w, fines)
            saturate(False, p, rows, w, fines)
            sweep_turn(False, p, 0, rows, w, fines)
        return w.rolling[: (rows + 1) * p.rollings, 0].reshape(rows + 1, p.rollings).copy()

    def _afterwards(
        self, state: State, mode: int, scores: NDArray[np.int64], points: NDArray[np.int64], dice: int
    ) -> Values:
        """The chance of the seat to move once its turn has ended with each of these scores, and such an offer left."""
        n = self._board.scores
        if state.closer >= 0:
            return self._surpasses(state, scores)
        if self._board.relative:
            return self._against(state, state.seat, mode, scores, self._next(state), points, dice)
        going_on = self._against(state, state.seat, mode, np.minimum(scores, n - 1), self._next(state), points, dice)
        closing = self._surpasses(state, scores) if self._board.finish in OPEN else np.ones(scores.size)
        return np.where(scores >= n, closing, going_on)

    def _between(self, state: State, first: int) -> Values:
        """The chances of all seats as their scores are, with ``first`` to play; they add up to one."""
        found = np.zeros(len(state.seats))
        none = np.array([0])
        for seat, one in enumerate(state.seats):
            if one.status == "in":
                score = np.array([self._place(one.score)])
                found[seat] = self._against(state, seat, self._duel.compiled.mode(one), score, first, none, 0)[0]
        return found / found.sum() if found.sum() > 0 else found

    def _against(
        self,
        state: State,
        seat: int,
        mode: int,
        scores: NDArray[np.int64],
        first: int,
        points: NDArray[np.int64],
        dice: int,
    ) -> Values:
        """The chance of a seat with each of these scores against all others, ``first`` to play."""
        board, duel, seats = self._board, self._duel, len(state.seats)
        total, others = np.zeros(scores.size), 0
        for other, one in enumerate(state.seats):
            if other == seat or one.status != "in":
                continue
            others += 1
            its_mode, its_score = duel.compiled.mode(one), self._place(one.score)
            mine_first = (seat - first) % seats < (other - first) % seats
            stage = self._stage(state, first, *((seat, other) if mine_first else (other, seat)))
            if stage is None:
                chance = np.where(scores == its_score, 0.5, scores > its_score)
            elif mine_first:
                chance = duel.own[stage, mode, its_mode, *duel.compiled.between(scores, its_score)]
            else:
                between = duel.compiled.between(its_score, scores)
                its = duel.own[stage, its_mode, mode, *between]
                chance = duel.other[stage, its_mode, mode, *between] if board.pairs else 1.0 - its
                if dice and other == first:
                    told = np.minimum(points, duel.takes.offers.length.max())
                    taken = duel.takes.values(stage, its_mode, mode, *between, told, dice)
                    chance = np.where(taken[:, 0] > its, taken[:, 1], chance)
            total += 1.0 / np.maximum(chance, SMALL)
        if not others:
            alone = np.minimum(1.0, np.maximum(0, scores) / board.scores)
            return np.asarray(0.5 + 0.5 * alone)
        return np.asarray(1.0 / np.maximum(1.0, total - (others - 1)))

    def _surpasses(self, state: State, scores: NDArray[np.int64]) -> Values:
        """The chance to win the last turns with each of these scores: above those before, and not surpassed after."""
        seats, seat, chase = len(state.seats), state.seat, self._board.chase[0]
        ends = (state.closer - seat) % seats or seats if state.closer >= 0 else seats
        best, result = -1, np.ones(scores.size)
        for step in range(1, seats):
            one = state.seats[(seat + step) % seats]
            if one.status != "in":
                continue
            score = self._duel.compiled.score(one.score)
            if step < ends:
                held = min(max(0, score - self._board.zero), chase.shape[0] - 1)
                short = np.clip(scores - score + chase.shape[1], 0, chase.shape[2] - 1)
                result = result * (1.0 - chase[held, 0, short, 0])
            else:
                best = max(best, score)
        return np.where(scores > best, result, 0.0)

    def _next(self, state: State) -> int:
        seats = len(state.seats)
        steps = (seat % seats for seat in range(state.seat + 1, state.seat + seats + 1))
        return next(seat for seat in steps if state.seats[seat].status == "in")

    def _stage(self, state: State, first: int, earlier: int, later: int) -> int | None:
        """The stage of the game of two seats, when ``first`` is to play next of all; None where no turn is left."""
        rules, seats = self.rules, len(state.seats)
        if not rules.rounds and rules.finish != "equal_turns":
            return 0
        left = state.rounds_left
        begun = (first - state.first) % seats
        # The next turn begins a round of its own where it passes the seat that started.
        if begun <= (state.seat - state.first) % seats and first != state.seat:
            left -= 1
        waiting = [(seat - state.first) % seats >= begun for seat in (earlier, later)]
        if rules.rounds and left - (not any(waiting)) <= 0:
            return None
        return self._duel.compiled.stages.index(
            Stage(left - (not any(waiting)) if rules.rounds else 0, waiting == [True, False])
        )

    def _place(self, points: int) -> int:
        score = self._duel.compiled.score(points)
        return score if self._board.relative else int(np.clip(score, 0, self._board.scores - 1))
