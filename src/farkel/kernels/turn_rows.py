"""Turns at tables of many as rows of numbers: simulated games write them, and `farkel.solve.many_turns` solves them."""

from __future__ import annotations

from typing import NamedTuple

from farkel.kernels.arrays import Numbers, Values

IN, MODE, SCORE = range(3)
"""Columns of `Turns.seats`: whether the seat is in the game; its mode; its score in steps from the lowest one."""
SEATS, SEAT, FIRST, CLOSER, ROUNDS_LEFT, ENTERING, NEXT, SLOT = range(8)
"""Columns of `Turns.now`: how many seats there are, and what `farkel.game.State` says; whether the seat has yet to get
on the board; the next seat, which the solver finds; and where in `Turns` the values belong."""
HOW, STAGE, ITS_MODE, ITS_SCORE = range(4)
"""Columns of `Turns.rivals`: how the game continues between the two, and as what position of the game of two."""
GONE, LATER, EARLIER, DONE = range(4)
"""Between the seat and another one: the other is out, plays after it, plays before it, or neither plays again."""
SWEPT, BANKED = range(2)
"""Columns of `Turns.rows`."""


class Turns(NamedTuple):
    """Turns to be solved, and their values. A place has one turn, and values in several slots."""

    seats: Numbers
    """[place, seat, column]. The score of the seat to move is the one that its turn began with."""
    now: Numbers
    """[place, column]"""
    rivals: Numbers
    """[place, seat, column]: found by the solver."""
    handed: Values
    """[place, at, (own, other's)]: what taking over is worth to the next seat after a bank, by fines
    paid, turn total and dice on offer less one; a large negative number if it rather does not."""
    rows: Numbers
    """[place, slot, column]: how many turn totals ``rolling`` and ``bank`` have; those beyond are as the last one."""
    rolling: Values
    """[place, slot, turn total * rollings + rolling]: the chance of the seat to move when it rolls on."""
    bank: Values
    """[place, slot, turn total * offers + dice left on offer]: the same when it banks, whether it may or not."""
