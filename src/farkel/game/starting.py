"""How a game starts: the chance of each seat to have the first turn."""

from __future__ import annotations

from farkel.game.engine import apply
from farkel.game.law import START
from farkel.game.legality import chance_outcomes
from farkel.game.state import State


def starting(state: State) -> tuple[float, ...]:
    """Return the chance of each seat to start, before that is known; 1 for the one that has started.

    The result of the law's `start_throw` is written down here, as ties may be rolled again without end.
    """
    seats = len(state.seats)
    if state.phase is not START:
        return tuple(float(seat == state.first) for seat in range(seats))
    if state.rules.start == "first_six":
        order = [seat for seat in (*range(state.seat, seats), *range(state.seat)) if state.seats[seat].status == "in"]
        shares = {seat: 6 ** (len(order) - 1 - step) * 5**step for step, seat in enumerate(order)}
        return tuple(shares.get(seat, 0) / sum(shares.values()) for seat in range(seats))
    due = [thrown == 0 for thrown in state.throws]
    if not any(thrown > 0 for thrown in state.throws):  # all that may still start throw alike
        return tuple(each / sum(due) for each in due)
    throws = [(starting(apply(state, throw)), ways) for throw, ways in chance_outcomes(state)]
    return tuple(sum(ways * after[seat] for after, ways in throws) / 6 for seat in range(seats))
