"""More than two seats: a best reply to a model of the others. An approximation, and said to be one.

A game of three has no single best play, and far too many positions. The model takes a table of many for what it is
between any two of its seats: once a turn has ended, the chance of a seat against each other one is that of the solved
game of two, and these are joined into one chance by p = 1 / (sum of 1 / p_j - (seats - 2)), which is exact between two
and fair among equals (pairwise coupling; Refregier and Vallet 1991). Against that the seat to move plays the turn under
way as well as possible, and in the last turns it counts who may still surpass it. Left out: that three may be
more than three pairs, offers to seats other than the next, and offers that farkles leave.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from operator import mul
from typing import Any, NamedTuple

from farkel.game import Action, Keep, Offer, Phase, State, apply, legal_actions, new_game
from farkel.game.law.terms import Price
from farkel.game.starting import starting
from farkel.kernels import turn_rows
from farkel.kernels.arrays import Numbers, Values, zeros
from farkel.kernels.spaces import Lease
from farkel.rules import Rules
from farkel.solve import many_turns
from farkel.solve.compiled_game import Compiled
from farkel.solve.many_turns import Model, Two
from farkel.solve.solution import Duel
from farkel.solve.turn_ends import work
from farkel.solve.turn_sweep import Work

TURNS_KEPT = 256
HERE: Numbers = zeros(1, "int64")
"""The one place of a turn that is solved alone."""


class TurnChances(NamedTuple):
    """The chances of the seat to move in one turn; turn totals beyond the last one are as that one."""

    rolling: Values
    """[turn total, rolling]"""
    bank: Values
    """[turn total, dice left on offer]"""

    def rolls(self, total: int, rolling: int) -> float:
        """Return the chance when it rolls on."""
        return float(self.rolling[min(total, len(self.rolling) - 1), rolling])

    def banks(self, total: int, dice: int) -> float:
        """Return the chance when it banks."""
        return float(self.bank[min(total, len(self.bank) - 1), dice])


def _begun(rules: Rules, seats: int) -> State:
    """Return the first turn of a game."""
    start = new_game(rules, (1,) * seats)
    return start._replace(phase=Phase.ROLL, dice=rules.dice)


class Field:
    """Winning chances with any number of seats, by the model."""

    exact = False

    def __str__(self) -> str:
        return f"{self.rules}: winning chances with {self.seats} seats, by a model of the others"

    def __init__(self, duel: Duel, seats: int) -> None:
        self.rules = duel.rules
        self.seats = seats
        self.compiled: Compiled = duel.compiled
        self._duel = duel
        self._two = Two(duel.own, duel.other, self.compiled.stage_of, min(self.compiled.program.chances))
        self.space = duel.space
        self.lease = Lease(self.space)
        self.spare: list[Any] = []
        """Rooms with work space that nobody uses at the moment; who solves turns keeps them here."""
        self._at_work = threading.Lock()
        """Held while turns are calculated in the space below: bots of several games may ask at once."""
        self._own_work = self.work()
        self._own = self.room(1)
        self._turns: OrderedDict[tuple[object, ...], TurnChances] = OrderedDict()
        # Compiles everything here, and not in the middle of a game.
        self.chances(_begun(self.rules, seats))

    def chances(self, state: State) -> tuple[float, ...]:
        """Return the winning chance of each seat.

        Within a turn, the rest of the chances is shared as before it.
        """
        if state.result is not None:
            winners = state.result.winners
            return tuple(1.0 / len(winners) if seat in winners else 0.0 for seat in range(len(state.seats)))
        with self._at_work:
            if state.phase is Phase.START:
                begun = [self._between(state, first) for first in range(len(state.seats))]
                begins = starting(state)
                return tuple(sum(map(mul, begins, chances)) for chances in zip(*begun, strict=True))
            before = self._between(state, state.seat)
            mine = self._value(state)
        rest = sum(before) - before[state.seat]
        share = (1.0 - mine) / rest if rest > 0 else 0.0
        return tuple(mine if seat == state.seat else share * chance for seat, chance in enumerate(before))

    def rank(self, state: State) -> list[tuple[Action, float]]:
        """Return every legal action and the winning chance of the seat to move with it, best first."""
        with self._at_work:
            return self._rank(state)

    def _rank(self, state: State) -> list[tuple[Action, float]]:
        found = [(action, self._after(state, action)) for action in legal_actions(state)]
        return sorted(found, key=lambda one: -one[1])

    def room(self, places: int) -> Model:
        """Return space for this many turns, with a slot for each number of lives that a take-over may leave."""
        lives = max(mode.lives for mode in self.compiled.modes)
        slots = lives + 1 if self.compiled.board.price == Price.LIVES else 1
        board, p = self.compiled.board, self.compiled.program.arrays
        return self.lease.place(Model(board, p, self._two, many_turns.room(board, p, places, slots)))

    def work(self) -> Work:
        """Return space to solve turns in, for one thread."""
        rows = many_turns.most_rows(self.compiled.board) + 2
        return self.lease.place(work(self.compiled.program.arrays, rows, False))

    def solve(self, w: Work, model: Model, places: Numbers) -> None:
        """Solve the turns at these places, given by their ``seats`` and ``now``.

        Threads may do so at the same time, with room and work of their own. The result for a place does not depend
        on the others.
        """
        takers = zeros((places.size, 3), "int64")
        self.space.run(many_turns.begin, model, places, takers)
        for stage, mode, after in {(stage, mode, after) for stage, mode, after in takers.tolist()}:
            if model.board.price and stage >= 0:
                take = self._duel.takes.of(stage, mode, after)
                self.space.run(many_turns.hand, model, places, takers, stage, mode, after, take)
        self.space.run(many_turns.weigh, model, places)
        self.space.run(many_turns.finish, model, w, places)

    def _after(self, state: State, action: Action) -> float:
        """Return the chance of the seat to move with an action."""
        after = apply(state, action)
        if not isinstance(action, Keep) or action.then != "bank":
            return self._value(after)
        if after.result is not None:
            winners = after.result.winners
            return 1.0 / len(winners) if state.seat in winners else 0.0
        total, offer = state.turn_total(action.dice), after.offer or Offer(0, 0)
        return self._table(state).banks(total // self.rules.unit, offer.dice)

    def _value(self, state: State) -> float:
        """Return the chance of the seat to move, in its turn."""
        if state.phase is not Phase.ROLL:
            ranked = self._rank(state)
            return ranked[0][1] if ranked else 0.0
        rolling = self.compiled.program.rolled_by(state)
        return self._table(state).rolls(state.sure_total // self.rules.unit, rolling)

    def _table(self, state: State) -> TurnChances:
        """Return the turn under way."""
        staked = self.compiled.staked(state)
        key = (state.seat, state.seats, state.first, state.closer, state.rounds_left, staked)
        found = self._turns.get(key)
        if found is None:
            turns, p = self._own.turns, self.compiled.program.arrays
            self._write(state)
            turns.seats[0, state.seat, turn_rows.SCORE] += staked // self.rules.unit
            self.solve(self._own_work, self._own, HERE)
            swept, banked = turns.rows[0, 0]
            found = TurnChances(
                turns.rolling[0, 0, : swept * p.rollings].reshape(swept, p.rollings).copy(),
                turns.bank[0, 0, : banked * p.offers].reshape(banked, p.offers).copy(),
            )
            self._turns[key] = found
            if len(self._turns) > TURNS_KEPT:
                self._turns.popitem(last=False)
        return found

    def _between(self, state: State, first: int) -> list[float]:
        """Return the chances of all seats as their scores are, with ``first`` to play; they add up to one."""
        found = zeros(len(state.seats))
        self._write(state)
        self.space.run(many_turns.between, self._own, first, found)
        every = found.sum()
        return [chance / every if every > 0 else chance for chance in found]

    def _write(self, state: State) -> None:
        """Tell the one turn of a state to the machine code."""
        compiled, entering = self.compiled, not state.mine.on_board
        for seat, one in enumerate(state.seats):
            mode = compiled.mode(one) if one.status == "in" else -1
            self._own.turns.seats[0, seat] = int(mode >= 0), mode, compiled.score(one.score)
        begun = (len(state.seats), state.seat, state.first, state.closer, state.rounds_left, entering)
        self._own.turns.now[0] = *begun, state.seat, 0
