"""What players decide that play for points, in machine code: as `farkel.players.best_play.Best` does in Python.

To the last bit: there is no fast-math here, nor in what this is built of.
"""

from __future__ import annotations

from math import isnan, nan
from typing import NamedTuple

from farkel.game import law
from farkel.game.law.terms import Terms
from farkel.kernels.arrays import Numbers
from farkel.players.decisions import FURTHER, LOSES, OPEN, OVER, Ints, as_if_rolled_on, as_if_started, bank_ending
from farkel.simulation.bots.tables import BELOW, PointsTables
from farkel.simulation.bots.workspace import ASKS, Desk, inlined, part


class JudgedOption(NamedTuple):
    """An action as `farkel.players.best_play.Judged`, but its gain less its cost, and its regret."""

    ending: int
    worth: float
    given: int


@inlined
def before(one: JudgedOption, other: JudgedOption) -> bool:
    """Return whether an action is better than another one."""
    if one.ending != other.ending:
        return one.ending < other.ending
    return one.worth > other.worth or (one.worth == other.worth and one.given < other.given)


@inlined
def place_of(terms: Terms, place: Numbers, mine: law.Read, now: law.Read) -> int:
    """Return the solver's number of the rolling."""
    first = 1 if place.shape[4] > 1 and now[law.POINTS] == 0 and not now[law.TAKING] else 0
    hot, owing = min(now[law.HOT], place.shape[2] - 1), law.still_owing(terms, mine, now)
    return int(place[now[law.HAND], now[law.IDLE], hot, owing, first, now[law.SETS], now[law.ROLLS]])


@inlined
def value(terms: Terms, points: PointsTables, mine: law.Read, now: law.Read) -> float:
    """Return the expected points of a turn that rolls, as `farkel.solve.Turn`."""
    values = points.values[1 - law.on_board(mine), mine[law.FARKLES]]
    total, place, rows = now[law.POINTS], place_of(terms, points.place, mine, now), len(values)
    if total < rows:
        return float(values[total, place] * points.unit)
    last, step = values[rows - 1, place], values[rows - 2, place]
    return float((last + (total - rows + 1) * (last - step)) * points.unit)


@inlined
def below_target(terms: Terms, points: PointsTables, asks: Ints, mine: law.Read, now: law.Read, missing: int) -> float:
    """Return the expected points of a turn that rolls where none count over the target; not a number: the
    table is missing.
    """
    entering = 1 - law.on_board(mine)
    if missing >= points.below_at.shape[1] or points.below_at[entering, missing] < 0:
        asks[0], asks[1], asks[2] = BELOW, entering, missing
        return nan
    at = points.below_at[entering, missing] + now[law.POINTS] * points.below_width
    return float(points.below[at + place_of(terms, points.place, mine, now)])


@inlined
def judged_roll(
    terms: Terms, points: PointsTables, desk: Desk, mine: law.Read, paid: law.Read, now: law.Read
) -> JudgedOption:
    """Judge rolling in the game as it would be ``now``, by a seat that is as ``mine``, ``paid`` after a take-over."""
    if not terms.exact:
        return JudgedOption(OPEN, value(terms, points, paid, now), 0)
    missing = terms.target - mine[law.SCORE]
    if now[law.POINTS] >= missing:
        return JudgedOption(FURTHER, 0.0, 0)
    return JudgedOption(OPEN, below_target(terms, points, desk.asks, paid, now, missing), 0)


@inlined
def judged_bank(terms: Terms, desk: Desk, mine: law.Read, keep: int, quiet: int) -> JudgedOption:
    """Judge banking the keep."""
    total = law.total_with(terms, desk.game.now, keep)
    ending = OPEN if total < quiet else bank_ending(terms, desk, keep)
    over = terms.exact and mine[law.SCORE] + total > terms.target
    return JudgedOption(ending, 0.0 if over else float(total * terms.unit), total if ending == OVER else 0)


@part
def best_keep(terms: Terms, points: PointsTables, desk: Desk, count: int, quiet: int) -> int:
    """Return the option that brings the most points on average, with an eye on the end of the game.

    `ASKS` if a table is missing. Banks below ``quiet`` end nothing. In Python it is `farkel.players.best_play.ranked`.
    """
    now = desk.game.now
    mine = desk.game.seats[now[law.SEAT]]
    found, best = ASKS, JudgedOption(LOSES + 1, 0.0, 0)
    for option in range(count):
        choice = desk.options[option]
        if choice & 1:
            judged = judged_bank(terms, desk, mine, choice >> 1, quiet)
        else:
            as_if_rolled_on(terms, desk, choice >> 1)
            judged = judged_roll(terms, points, desk, mine, mine, desk.spare.now)
        if isnan(judged.worth):
            return ASKS
        if before(judged, best):
            found, best = choice, judged
    return found


@part
def best_take(terms: Terms, points: PointsTables, desk: Desk, count: int) -> int:
    """Return how many dice to take over for the most points on average, 0 for a fresh start.

    What a take-over costs, a stake or lives, is deducted. `ASKS` if a table is missing.
    """
    seat = desk.game.now[law.SEAT]
    mine, after = desk.game.seats[seat], desk.spare
    found, best, most = 0, JudgedOption(LOSES + 1, 0.0, 0), 0.0
    for option in range(count):
        as_if_started(terms, desk, desk.options[option])
        judged = judged_roll(terms, points, desk, mine, after.seats[seat], after.now)
        if isnan(judged.worth):
            return ASKS
        brings = judged.worth
        if judged.ending == OPEN:
            brings -= stake_at_risk(terms, points, mine, after.seats[seat], after.now)
        # A life that is paid counts as much as a turn brings.
        lives = mine[law.LIVES] - after.seats[seat][law.LIVES]
        judged = JudgedOption(judged.ending, brings - lives * points.expected, 0)
        even = judged.ending == best.ending and judged.worth == best.worth
        if before(judged, best) or (even and not terms.exact and brings > most):
            found, best, most = desk.options[option], judged, brings
    return found


@inlined
def stake_at_risk(terms: Terms, points: PointsTables, mine: law.Read, paid: law.Read, now: law.Read) -> float:
    """Return the average cost in points of a stake that a seat has paid: it is lost if the first roll farkles."""
    staked = mine[law.SCORE] - paid[law.SCORE]
    return float(points.farkles[place_of(terms, points.place, paid, now)] * (staked * terms.unit))
