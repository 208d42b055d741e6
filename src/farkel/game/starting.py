"""How a game starts: the chance of each seat to have the first turn."""

from __future__ import annotations

from collections import Counter
from math import comb

from farkel.game import law
from farkel.game.legality import chance_outcomes
from farkel.game.numbered import numbered
from farkel.game.state import State


def starting(state: State) -> tuple[float, ...]:
    """Return the chance of each seat to start, before that is known; 1 for the one that has started.

    The result of the law's `start_throw` is written down here, as ties may be rolled again without end.
    """
    seats, terms = len(state.seats), numbered(state.rules).terms
    if state.phase is not law.START:
        return tuple(float(seat == state.first) for seat in range(seats))
    if state.rules.start == "first_six":
        order = [seat for seat in (*range(state.seat, seats), *range(state.seat)) if state.seats[seat].status == "in"]
        shares = {seat: 6 ** (len(order) - 1 - step) * 5**step for step, seat in enumerate(order)}
        return tuple(shares.get(seat, 0) / sum(shares.values()) for seat in range(seats))
    ranks = [law.start_rank(terms, thrown) for thrown in state.throws]
    best, due = max(*ranks, 0), ranks.count(0)
    ahead = ranks.count(best) if best else 0
    equal, lower = _chances(state, best)
    ways = (comb(due, tied) * equal**tied * lower ** (due - tied) / (ahead + tied) for tied in range(due + 1))
    # Those who are ahead start alike, and so do those who are still to throw.
    leads = sum(ways) if ahead else 0.0
    return tuple((1 - ahead * leads) / due if rank == 0 else leads if rank == best else 0.0 for rank in ranks)


def _chances(state: State, best: int) -> tuple[float, float]:
    """Return the chances that a roll for the start is as good as the best one so far, and that it is worse."""
    terms, found = numbered(state.rules).terms, Counter[int]()
    for throw, ways in chance_outcomes(state):
        found[law.start_rank(terms, sum(throw.faces))] += ways
    worse = sum(ways for rank, ways in found.items() if rank < best)
    return found[best] / found.total(), worse / found.total()
