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
from typing import NamedTuple

import numpy as np

from farkel.game import Action, Keep, Offer, Phase, State, apply, legal_actions, new_game
from farkel.game.law.terms import Price
from farkel.game.starting import starting
from farkel.kernels import turn_rows
from farkel.kernels.turn_rows import Turns
from farkel.rules import Rules
from farkel.solve import many_turns
from farkel.solve.compiled_game import Compiled
from farkel.solve.compiled_turn import Numbers, Values
from farkel.solve.many_turns import Model, Two
from farkel.solve.race import lowered
from farkel.solve.solution import Duel
from farkel.solve.turn_ends import work
from farkel.solve.turn_sweep import NEVER, Work

TURNS_KEPT = 256
HERE = np.zeros(1, np.int64)
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

    def __init__(self, duel: Duel, seats: int) -> None:
        self.rules = duel.rules
        self.seats = seats
        self.compiled: Compiled = duel.compiled
        self._duel = duel
        self._two = Two(duel.own, duel.other, self.compiled.stage_of, min(self.compiled.program.chances))
        self._at_work = threading.Lock()
        """Held while turns are calculated in the space below: bots of several games may ask at once."""
        self._own_work = self.work()
        self._own_turns = self.room(1)
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
                return tuple(float(chance) for chance in np.array(starting(state)) @ begun)
            before = self._between(state, state.seat)
            mine = self._value(state)
        rest = before.sum() - before[state.seat]
        shares = before * ((1.0 - mine) / rest if rest > 0 else 0.0)
        return tuple(mine if seat == state.seat else float(share) for seat, share in enumerate(shares))

    def rank(self, state: State) -> list[tuple[Action, float]]:
        """Return every legal action and the winning chance of the seat to move with it, best first."""
        with self._at_work:
            return self._rank(state)

    def _rank(self, state: State) -> list[tuple[Action, float]]:
        found = [(action, self._after(state, action)) for action in legal_actions(state)]
        return sorted(found, key=lambda one: -one[1])

    def room(self, places: int) -> Turns:
        """Return space for this many turns, with a slot for each number of lives that a take-over may leave."""
        lives = max(mode.lives for mode in self.compiled.modes)
        slots = lives + 1 if self.compiled.board.price == Price.LIVES else 1
        return many_turns.room(self.compiled.board, self.compiled.program.arrays, places, slots)

    def work(self) -> Work:
        """Return space to solve turns in, for one thread."""
        return work(self.compiled.program.arrays, many_turns.most_rows(self.compiled.board) + 2, False)

    def solve(self, w: Work, turns: Turns, places: Numbers) -> None:
        """Solve the turns at these places, given by ``turns.seats`` and ``turns.now``.

        Threads may do so at the same time, with room and work of their own. The result for a place does not depend
        on the others.
        """
        solving = self._model(turns)
        many_turns.begin(solving, places)
        if solving.board.price:
            for place in places:
                self._hand(turns, int(place))
        many_turns.weigh(solving, places)
        # Those with about as many turn totals are swept together.
        order = np.argsort(turns.rows[places, turns.now[places, turn_rows.SLOT], turn_rows.SWEPT])
        many_turns.finish(solving, w, places[order])

    def _model(self, turns: Turns) -> Model:
        return Model(self.compiled.board, self.compiled.program.arrays, self._two, turns)

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
            turns, p = self._own_turns, self.compiled.program.arrays
            self._write(state)
            turns.seats[0, state.seat, turn_rows.SCORE] += staked // self.rules.unit
            self.solve(self._own_work, turns, HERE)
            swept, banked = (int(turns.rows[0, 0, column]) for column in (turn_rows.SWEPT, turn_rows.BANKED))
            found = TurnChances(
                turns.rolling[0, 0, : swept * p.rollings].reshape(swept, -1).copy(),
                turns.bank[0, 0, : banked * p.offers].reshape(banked, -1).copy(),
            )
            self._turns[key] = found
            if len(self._turns) > TURNS_KEPT:
                self._turns.popitem(last=False)
        return found

    def _between(self, state: State, first: int) -> Values:
        """Return the chances of all seats as their scores are, with ``first`` to play; they add up to one."""
        found = np.zeros(len(state.seats))
        self._write(state)
        many_turns.between(self._model(self._own_turns), first, found)
        return found / found.sum() if found.sum() > 0 else found

    def _write(self, state: State) -> None:
        """Tell the one turn of a state to the machine code."""
        compiled, entering = self.compiled, not state.mine.on_board
        for seat, one in enumerate(state.seats):
            mode = compiled.mode(one) if one.status == "in" else -1
            self._own_turns.seats[0, seat] = mode >= 0, mode, compiled.score(one.score)
        begun = (len(state.seats), state.seat, state.first, state.closer, state.rounds_left, entering)
        self._own_turns.now[0] = *begun, state.seat, 0

    def _hand(self, turns: Turns, place: int) -> None:
        """Write what taking over is worth to the next seat."""
        now, board, p = turns.now[place], self.compiled.board, self.compiled.program.arrays
        mine, its, rows = (
            turns.seats[place, now[turn_rows.SEAT]],
            turns.rivals[place, now[turn_rows.NEXT]],
            turns.rows[place, now[turn_rows.SLOT]],
        )
        if (
            now[turn_rows.CLOSER] >= 0
            or now[turn_rows.NEXT] == now[turn_rows.SEAT]
            or its[turn_rows.HOW] != turn_rows.EARLIER
        ):
            turns.handed[place] = NEVER
            return
        after, most = int(board.after_bank[mine[turn_rows.MODE]]), self._duel.takes.offers.length.max()
        totals, width = np.arange(rows[turn_rows.BANKED]), p.offers - 1
        each, dice = np.repeat(totals, width), np.tile(np.arange(1, p.offers), totals.size)
        for fines, paid in enumerate(p.fines.tolist()):
            banked = mine[turn_rows.SCORE] - paid + each
            if not board.relative:
                banked = np.minimum(lowered(board, mine[turn_rows.SCORE], paid) + each, board.scores - 1)
            position = (
                its[turn_rows.STAGE],
                its[turn_rows.ITS_MODE],
                after,
                *self.compiled.between(its[turn_rows.ITS_SCORE], banked),
            )
            at = fines * each.size
            turns.handed[place, at : at + each.size] = self._duel.takes.values(*position, np.minimum(each, most), dice)
