"""Legal decisions, and those of players that follow a rule of thumb or play for points, in machine code.

They decide as their classes in `farkel.players` do, to the last bit: there is no fast-math here, nor in what this is
built of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from farkel.game import law
from farkel.game.law.terms import Terms
from farkel.kernels.law import Numbers
from farkel.simulation.bots.tables import ANY, BELOW, ENOUGH, FALLS, KIND, NEVER, POINTS, THUMB, WANTS, Memo, Points
from farkel.simulation.bots.workspace import Desk, Ints, inlined, part

WINS, OPEN, OVER, FURTHER, LOSES = range(5)
"""As `farkel.players.ending.Ending`."""
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
    """Write the legal answers to the offer, 0 for a fresh start and numbers of dice, and return how many there are."""
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
    """Let the spare game, and its seat to move, be as after taking over that many dice, or a fresh start with 0."""
    now, seat = desk.spare.now, desk.game.now[law.SEAT]
    copied(desk.game.now, now)
    copied(desk.game.seats[seat], desk.spare.seats[seat])
    if hand:
        law.take_over(terms, desk.spare.seats[seat], now, hand)
        law.gain_taken(terms, desk.spare.seats[seat], now, terms.take_bonus)
    else:
        law.start_fresh(terms, now)


@part
def as_if_banked(terms: Terms, desk: Desk, keep: int) -> None:
    """Let the spare game, with all its seats, be as it would be after banking the keep."""
    copied(desk.game.now, desk.spare.now)
    seats = desk.spare.seats[: desk.seats]
    for seat in range(len(seats)):
        copied(desk.game.seats[seat], seats[seat])
    law.bank(terms, seats, desk.spare.now, keep)


@part
def bank_ending(terms: Terms, desk: Desk, keep: int) -> int:
    """Return what banking the keep does about the end of the game: `WINS`, `OPEN`, `OVER` or `LOSES`.

    `farkel.players.ending.bank_ending` says it of a state.
    """
    now, after, seat = desk.game.now, desk.spare.now, desk.game.now[law.SEAT]
    mine = desk.game.seats[seat]
    if not law.may_end(terms, mine, now, keep):
        return OPEN
    if law.is_last_turn(now) and law.only_adds(terms):  # what the law shows below, in a tenth of the time
        total = law.total_with(terms, now, keep)
        if law.is_behind(terms, desk.game.seats[: desk.seats], now, total):
            return LOSES
    as_if_banked(terms, desk, keep)
    if after[law.PHASE] == law.OVER:
        winners = after[law.WINNERS]
        if winners == 1 << seat:
            return WINS
        return OPEN if winners >> seat & 1 else LOSES
    if terms.exact and mine[law.SCORE] + law.total_with(terms, now, keep) > terms.target:
        return OVER
    return LOSES if law.is_lost(terms, desk.spare.seats[: desk.seats], after, seat) else OPEN


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
        # Who began the last turns has reached the target: in them whatever stays below it loses.
        ending = law.is_last_turn(now) and now[law.CLOSER] < 0
        return -NEVER if ending or (thumb[FALLS] and score < 0) else short
    if thumb[KIND] != POINTS or terms.exact or law.is_last_turn(now):
        return -NEVER
    return NEVER if memo.stays_open else short


# Rules of thumb -------------------------------------------------------------------------------------------------------


@inlined
def thumb_keep(terms: Terms, thumb: Sequence[int], desk: Desk, count: int) -> int:
    """Return the option of a player by a rule of thumb: it hits an exact target, or keeps the most points.

    It banks these if they are enough, with an eye on the end of the game: as `Thumb` of the rules of thumb in Python.
    """
    now, options = desk.game.now, desk.options
    mine = desk.game.seats[now[law.SEAT]]
    if terms.exact:
        for option in range(count):
            total = law.total_with(terms, now, options[option] >> 1)
            if options[option] & 1 and law.hits_target(terms, mine, total):
                return options[option]
    chosen = enough_keep(terms, thumb, desk, count)
    return minding_the_end(terms, desk, count, chosen) if end_matters(terms, desk, count) else chosen


@inlined
def enough_keep(terms: Terms, thumb: Sequence[int], desk: Desk, count: int) -> int:
    """Return the keep with the most points, banked if that is enough."""
    now, options = desk.game.now, desk.options
    mine, keep = desk.game.seats[now[law.SEAT]], options[0] >> 1
    if count == 1 or options[1] >> 1 != keep:
        return options[0]
    total, score = law.total_with(terms, now, keep), mine[law.SCORE]
    enough = total >= thumb[ENOUGH + terms.left[keep]] or (terms.target and score + total >= law.goal(terms, mine))
    return options[1] if enough or (thumb[FALLS] and score < 0) else options[0]


@inlined
def end_matters(terms: Terms, desk: Desk, count: int) -> bool:
    """Return whether `minding_the_end` may change a choice.

    Not before a last turn if the keep with the most points may be banked, and more points are always as good: it is
    banked if it reaches the target, and no bank loses.
    """
    options = desk.options
    banks = options[0] & 1 or (count > 1 and options[1] == options[0] + 1)
    return not (banks and more_is_as_good(terms)) or law.is_last_turn(desk.game.now)


@inlined
def more_is_as_good(terms: Terms) -> bool:
    """Return whether no bank wins or may be made if not the one of more points, too."""
    return law.rises(terms) and not (terms.keeps_win or terms.hot_reward)


@part
def minding_the_end(terms: Terms, desk: Desk, count: int, chosen: int) -> int:
    """Return the chosen option, but a bank that wins if there is one, and none that loses while rolling is allowed."""
    options = desk.options
    for option in range(count):
        if options[option] & 1:
            if bank_ending(terms, desk, options[option] >> 1) == WINS:
                return options[option]
            if more_is_as_good(terms):
                break
    if chosen & 1 and bank_ending(terms, desk, chosen >> 1) == LOSES:
        for option in range(count):
            if not options[option] & 1:
                return options[option]
    return chosen


@inlined
def thumb_take(terms: Terms, thumb: Sequence[int], desk: Desk) -> int:
    """Return how many dice a rule of thumb takes over: as many as it may if the points are worth it, else 0."""
    now = desk.game.now
    for hand in range(now[law.OFFER_HAND], 0, -1):
        if law.why_not_take(terms, desk.game.seats[now[law.SEAT]], now, hand) == law.MAY:
            return hand if now[law.OFFER_POINTS] >= thumb[WANTS + hand] else 0
    return 0


# Points ---------------------------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """An action as `farkel.players.best_play.Judged`, but its gain less its cost, and its regret."""

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
def judged_bank(terms: Terms, desk: Desk, mine: law.Read, keep: int, quiet: int) -> Judged:
    """Judge banking the keep."""
    total = law.total_with(terms, desk.game.now, keep)
    ending = OPEN if total < quiet else bank_ending(terms, desk, keep)
    over = terms.exact and mine[law.SCORE] + total > terms.target
    return Judged(ending, 0.0 if over else float(total * terms.unit), total if ending == OVER else 0)


@part
def best_keep(terms: Terms, points: Points, desk: Desk, count: int, quiet: int) -> int:
    """Return the option that brings the most points on average, with an eye on the end of the game.

    `ASKS` if a table is missing. Banks below ``quiet`` end nothing. In Python it is `farkel.players.best_play.ranked`.
    """
    now = desk.game.now
    mine = desk.game.seats[now[law.SEAT]]
    found, best = ASKS, Judged(LOSES + 1, 0.0, 0)
    for option in range(count):
        choice = desk.options[option]
        if choice & 1:
            judged = judged_bank(terms, desk, mine, choice >> 1, quiet)
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
    """Return how many dice to take over for the most points on average, 0 for a fresh start.

    What a take-over costs, a stake or lives, is deducted. `ASKS` if a table is missing.
    """
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
