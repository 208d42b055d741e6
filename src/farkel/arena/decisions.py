"""Legal decisions, and those of players that follow a rule of thumb or play for points, in machine code.

They decide as their classes in `farkel.players` do, to the last bit: there is no fast-math here, nor in what this is
built of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from farkel.arena.desk import Desk, Ints, inlined, part
from farkel.arena.tables import ANY, BELOW, ENOUGH, FALLS, KIND, NEVER, POINTS, THUMB, WANTS, Memo, Points
from farkel.game import law
from farkel.game.terms import Terms
from farkel.machine.law import Numbers

WINS, OPEN, OVER, FURTHER, LOSES = range(5)
"""As `farkel.players.exact.Ending`."""
ASKS = -1
"""A decision that must wait for a table: see `Desk.asks`."""


# What the law says ----------------------------------------------------------------------------------------------------


@inlined
def find_keeps(terms: Terms, desk: Desk) -> int:
    """Write the legal actions after the roll, as `farkel.game.legal_actions` has them, and return their number."""
    now, options = desk.game.now, desk.options
    mine, rolled, found = desk.game.seats[now[law.SEAT]], now[law.ROLLED], 0
    must = law.must_bank(terms, mine, now)
    for keep in range(terms.first_keep[rolled], terms.first_keep[rolled + 1]):
        may_bank = law.why_not_bank(terms, mine, now, keep) == law.MAY
        if law.why_not_roll(terms, now, keep, may_bank, must) == law.MAY:
            options[found] = 2 * keep
            found += 1
        if may_bank:
            options[found] = 2 * keep + 1
            found += 1
    return found


@inlined
def find_takes(terms: Terms, desk: Desk) -> int:
    """Return the same for an offer."""
    now, options = desk.game.now, desk.options
    mine, found = desk.game.seats[now[law.SEAT]], 1
    options[0] = 0
    for hand in range(1, now[law.OFFER_HAND] + 1):
        if law.why_not_take(terms, mine, now, hand) == law.MAY:
            options[found] = hand
            found += 1
    return found


@inlined
def copied(row: Sequence[int], spare: Ints) -> None:
    """Copy a row."""
    for place in range(len(spare)):
        spare[place] = row[place]


@inlined
def as_if_rolled_on(terms: Terms, desk: Desk, keep: int) -> None:
    """Let the spare game be as it would be after rolling on with the keep, apart from the seats."""
    copied(desk.game.now, desk.spare.now)
    law.roll_on(terms, desk.spare.seats[: desk.seats], desk.spare.now, keep)


@inlined
def as_if_started(terms: Terms, desk: Desk, hand: int) -> None:
    """Return the same after taking over that many dice, or a fresh start with 0, with the seat to move."""
    now, seat = desk.spare.now, desk.game.now[law.SEAT]
    copied(desk.game.now, now)
    copied(desk.game.seats[seat], desk.spare.seats[seat])
    if hand:
        law.take_over(terms, desk.spare.seats[seat], now, hand)
        law.gain_taken(terms, desk.spare.seats[seat], now, terms.take_bonus)
    else:
        law.start_fresh(terms, now)


@part
def as_if_banked(terms: Terms, desk: Desk, total: int) -> None:
    """Return the same after a bank of that turn total, with all seats, except for the offer it leaves."""
    copied(desk.game.now, desk.spare.now)
    seats = desk.spare.seats[: desk.seats]
    for seat in range(len(seats)):
        copied(desk.game.seats[seat], seats[seat])
    law.bank_total(terms, seats, desk.spare.now, total, 0)


@part
def bank_ending(terms: Terms, desk: Desk, total: int) -> int:
    """Return how a bank bears on the end of the game: `WINS`, `OPEN`, `OVER` or `LOSES`."""
    now, after, seat = desk.game.now, desk.spare.now, desk.game.now[law.SEAT]
    as_if_banked(terms, desk, total)
    if after[law.PHASE] == law.OVER:
        winners = after[law.WINNERS]
        if winners == 1 << seat:
            return WINS
        return OPEN if winners >> seat & 1 else LOSES
    if terms.exact and desk.game.seats[seat][law.SCORE] + total > terms.target:
        return OVER
    last_turn = now[law.CLOSER] >= 0 or now[law.ROUNDS] == 1
    if last_turn and not law.winners(terms, desk.spare.seats[: desk.seats], after) >> seat & 1:
        return LOSES
    return OPEN


@inlined
def quiet_below(terms: Terms, thumb: Sequence[int], memo: Memo, mine: law.Read, now: law.Read) -> int:
    """Return below which turn total a decision depends on it and the roll alone: if no keep reaches so
    much, it is *quiet*.
    """
    owes = now[law.OWING] or mine[law.TAKEN]
    told = owes or now[law.SETS] or now[law.ROLLS] or terms.hot_wins or terms.whole_wins
    told = told or (terms.firsts and now[law.POINTS] == 0)
    if now[law.IDLE] or now[law.HOT] or told or (terms.last_roll and now[law.CLOSER] >= 0):
        return -NEVER
    score = mine[law.SCORE]
    short = law.goal(terms, mine) - score if terms.target else NEVER
    if thumb[KIND] == ANY:
        return -NEVER if terms.exact else NEVER
    if thumb[KIND] == THUMB:
        return -NEVER if thumb[FALLS] and score < 0 else short
    if thumb[KIND] != POINTS or terms.exact:
        return -NEVER
    if now[law.CLOSER] >= 0 or now[law.ROUNDS] == 1 or now[law.STANDING]:
        return -NEVER
    return NEVER if memo.stays_open else short


# Rules of thumb -------------------------------------------------------------------------------------------------------


@inlined
def thumb_keep(terms: Terms, thumb: Sequence[int], desk: Desk, count: int) -> int:
    """Work as `farkel.players.simple.Thumb`."""
    now, options = desk.game.now, desk.options
    mine = desk.game.seats[now[law.SEAT]]
    if terms.exact:
        for option in range(count):
            total = law.total_with(terms, now, options[option] >> 1)
            if options[option] & 1 and law.hits_target(terms, mine, total):
                return options[option]
    keep = options[0] >> 1
    if count == 1 or options[1] >> 1 != keep:
        return options[0]
    total, score = law.total_with(terms, now, keep), mine[law.SCORE]
    enough = total >= thumb[ENOUGH + terms.left[keep]] or (terms.target and score + total >= law.goal(terms, mine))
    return options[1] if enough or (thumb[FALLS] and score < 0) else options[0]


@inlined
def thumb_take(terms: Terms, thumb: Sequence[int], desk: Desk) -> int:
    """Return the same for an offer: as many dice as may be taken over, if the points are worth it."""
    now = desk.game.now
    for hand in range(now[law.OFFER_HAND], 0, -1):
        if law.why_not_take(terms, desk.game.seats[now[law.SEAT]], now, hand) == law.MAY:
            return hand if now[law.OFFER_POINTS] >= thumb[WANTS + hand] else 0
    return 0


# Points ---------------------------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """An action as `farkel.players.exact.Judged`, but its gain less its cost, and its regret."""

    ending: int
    worth: float
    given: int


@inlined
def before(one: Judged, other: Judged) -> bool:
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
def value(terms: Terms, points: Points, mine: law.Read, now: law.Read) -> float:
    """Return the expected points of a turn that rolls, as `farkel.solve.Turn`."""
    values = points.values[1 - law.on_board(mine), mine[law.FARKLES]]
    total, place, rows = now[law.POINTS], place_of(terms, points.place, mine, now), len(values)
    if total < rows:
        return float(values[total, place] * points.unit)
    last, step = values[rows - 1, place], values[rows - 2, place]
    return float((last + (total - rows + 1) * (last - step)) * points.unit)


@inlined
def below_target(terms: Terms, points: Points, asks: Ints, mine: law.Read, now: law.Read, missing: int) -> float:
    """Return the expected points of a turn that rolls where none count over the target; not a number: the
    table is missing.
    """
    entering = 1 - law.on_board(mine)
    if missing >= points.below_at.shape[1] or points.below_at[entering, missing] < 0:
        asks[0], asks[1], asks[2] = BELOW, entering, missing
        return np.nan
    at = points.below_at[entering, missing] + now[law.POINTS] * points.below_width
    return float(points.below[at + place_of(terms, points.place, mine, now)])


@inlined
def judged_roll(terms: Terms, points: Points, desk: Desk, mine: law.Read, paid: law.Read, now: law.Read) -> Judged:
    """Judge rolling in the game as it would be ``now``, by a seat that is as ``mine``, ``paid`` after a take-over."""
    if not terms.exact:
        return Judged(OPEN, value(terms, points, paid, now), 0)
    missing = terms.target - mine[law.SCORE]
    if now[law.POINTS] >= missing:
        return Judged(FURTHER, 0.0, 0)
    return Judged(OPEN, below_target(terms, points, desk.asks, paid, now, missing), 0)


@inlined
def judged_bank(terms: Terms, desk: Desk, mine: law.Read, total: int, quiet: int) -> Judged:
    """Judge banking that turn total."""
    ending = OPEN if total < quiet else bank_ending(terms, desk, total)
    over = terms.exact and mine[law.SCORE] + total > terms.target
    return Judged(ending, 0.0 if over else float(total * terms.unit), total if ending == OVER else 0)


@part
def best_keep(terms: Terms, points: Points, desk: Desk, count: int, quiet: int) -> int:
    """Work as `farkel.players.exact.ranked`; `ASKS` if a table is missing. Banks below ``quiet`` end nothing."""
    now = desk.game.now
    mine = desk.game.seats[now[law.SEAT]]
    found, best = ASKS, Judged(LOSES + 1, 0.0, 0)
    for option in range(count):
        choice = desk.options[option]
        if choice & 1:
            judged = judged_bank(terms, desk, mine, law.total_with(terms, now, choice >> 1), quiet)
        else:
            as_if_rolled_on(terms, desk, choice >> 1)
            judged = judged_roll(terms, points, desk, mine, mine, desk.spare.now)
        if np.isnan(judged.worth):
            return ASKS
        if before(judged, best):
            found, best = choice, judged
    return found


@part
def best_take(terms: Terms, points: Points, desk: Desk, count: int) -> int:
    """Work as `best_keep`, for an offer."""
    seat = desk.game.now[law.SEAT]
    mine, after = desk.game.seats[seat], desk.spare
    found, best, most = 0, Judged(LOSES + 1, 0.0, 0), 0.0
    for option in range(count):
        as_if_started(terms, desk, desk.options[option])
        judged = judged_roll(terms, points, desk, mine, after.seats[seat], after.now)
        if np.isnan(judged.worth):
            return ASKS
        brings = judged.worth
        if judged.ending == OPEN:
            brings -= stake_at_risk(terms, points, mine, after.seats[seat], after.now)
        # A life that is paid counts as much as a turn brings.
        lives = mine[law.LIVES] - after.seats[seat][law.LIVES]
        judged = Judged(judged.ending, brings - lives * points.expected, 0)
        even = judged.ending == best.ending and judged.worth == best.worth
        if before(judged, best) or (even and not terms.exact and brings > most):
            found, best, most = desk.options[option], judged, brings
    return found


@inlined
def stake_at_risk(terms: Terms, points: Points, mine: law.Read, paid: law.Read, now: law.Read) -> float:
    """Return the average cost in points of a stake that a seat has paid: it is lost if the first roll farkles."""
    staked = mine[law.SCORE] - paid[law.SCORE]
    return float(points.farkles[place_of(terms, points.place, paid, now)] * (staked * terms.unit))
