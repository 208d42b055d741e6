"""Whole games in machine code: every rule of `farkel.game.engine`, and table players that decide as their classes do.

A game is a function of the rules, the players, the seed and its number. What it has decided in quiet turns, where
nothing but the turn total and the dice matter, it remembers in tables that all games share: a *quiet* decision is then
one look-up. All others are worked out each time.

There is no fast-math here: decisions are those of the players in Python, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit, uint32, uint64
from numpy.typing import NDArray

from farkel.arena.compiled import (
    AT_ONCE,
    EQUAL_TURNS,
    EXACT,
    FINE,
    FIRST_SEAT,
    FIRST_SIX,
    HOT,
    IDLE,
    IS_HOT,
    KEEP_AT,
    KEEPS,
    LAST_TURNS,
    LEFT,
    LIVES,
    NEXT_HOT,
    NEXT_LEFT,
    NO_PRICE,
    ROLLS,
    ROLLS_AT,
    STAKE,
    THROWS_AT,
    TRIPLE,
    WAYS,
    WELFARE,
    WORTH,
    Numbers,
)
from farkel.arena.compiled import (
    DICE as DICE_COLUMN,
)
from farkel.arena.draws import DECISIONS, DICE, GOLDEN
from farkel.arena.draws import FIRST as FIRST_FACTOR
from farkel.arena.draws import SECOND as SECOND_FACTOR
from farkel.arena.tables import ANY, ENOUGH, FALLS, KIND, POINTS, THUMB, WANTS
from farkel.arena.tally import (
    BANKS,
    ENDLESS,
    EXACT_HIT,
    FARKLES,
    FIELDS,
    HOT_DICE,
    LAST_TURNS_OVER,
    LOST,
    MOST_THROWS,
    MOST_TURNS,
    NOBODY,
    OFFERS,
    POINTS_BANKED,
    ROUND_OVER,
    ROUNDS_OVER,
    SQUARES,
    STANDING,
    TAKEN,
    TARGET,
    THROWS,
)

Function = TypeVar("Function", bound=Callable[..., Any])

Bytes = NDArray[np.uint8]
MOST_SEATS = 8
HUGE = 1 << 40
"""More points than a turn can bring."""

ROLL_ON, BANK, FARKLE = 1, 2, 3
THROW_EVENT, FRESH_EVENT, TAKE_EVENT, KEEP_EVENT = range(4)
"""Kinds of event in a trace, `kind + 4 * number`: numbers are a roll within its dice, dice, or 2 keep + bank."""
WINS, OPEN, OVER, FURTHER, LOSES = range(5)
"""As `farkel.players.exact.Ending`."""
ASKS = -1
"""A decision that cannot be made before a table is there: see `Desk.asks`."""


# Without Numba's counting of references, which costs as much as the games: nothing here makes an array.
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


def compiled(function: Function) -> Function:
    """Compile to machine code when first called, and keep that on the disk."""
    return cast("Function", njit(**OPTIONS)(function))


def inlined(function: Function) -> Function:
    """As `compiled`, as part of what calls it."""
    return cast("Function", njit(forceinline=True, **OPTIONS)(function))


SCORE, LIVES_LEFT, IN_A_ROW, PERSON, ENTERED, IN, PEOPLE, SPARE = range(8)
"""Columns of `Desk.seats`: as `farkel.game.Seat`; IN: 1 while in the game; SPARE: a score as it would be."""
SEAT, FIRST, CLOSER, ROUNDS_LEFT, STANDING_LEFT, ENTERING, NEEDS, ROW, LOSES_BELOW, WINS_FROM = range(10)
"""Places of `Desk.now`: as `farkel.game.State`; whether the seat has yet to make the entry score; what it needs to
bank; its farkles in a row; below what turn total a bank loses for certain, and from which on it wins."""


class Desk(NamedTuple):
    """Space for one game, one for each thread."""

    seats: Numbers
    """[seat, column]"""
    now: Numbers
    """What a decision depends on, apart from the dice."""
    counts: Numbers
    """[seat, field]: as `farkel.arena.tally`, for what is not counted turn by turn."""
    turn_seat: Bytes
    turn_points: Numbers
    """What each turn banked, in units; -1: a farkle."""
    trace: Numbers
    """Events, where they are wanted; else no places."""
    asks: Numbers
    """[on the way to the entry score, missing]: the table that a decision asks for."""


def desk(events: int = 0) -> Desk:
    """Space for a game, and for so many events if they are wanted."""
    return Desk(
        seats=np.zeros((MOST_SEATS, 8), np.int64),
        now=np.zeros(10, np.int64),
        counts=np.zeros((MOST_SEATS, FIELDS), np.int64),
        turn_seat=np.zeros(MOST_TURNS, np.uint8),
        turn_points=np.zeros(MOST_TURNS, np.int64),
        trace=np.zeros(events, np.int64),
        asks=np.zeros(2, np.int64),
    )


# Chance ---------------------------------------------------------------------------------------------------------------


@inlined
def mix(x: Any) -> Any:
    """As `farkel.arena.draws.mix`."""
    x = (x ^ (x >> uint64(30))) * uint64(FIRST_FACTOR)
    x = (x ^ (x >> uint64(27))) * uint64(SECOND_FACTOR)
    return x ^ (x >> uint64(31))


@inlined
def key(seed: Any, game: Any, stream: Any) -> Any:
    """As `farkel.arena.draws.key`."""
    return mix(mix(mix(uint64(seed)) + uint64(game) * uint64(GOLDEN)) + uint64(stream))


@inlined
def draw(start: Any, number: Any) -> Any:
    """As `farkel.arena.draws.draw`."""
    return mix(start + (uint64(number) + uint64(1)) * uint64(GOLDEN))


@inlined
def below(x: Any, most: Any) -> Any:
    """As `farkel.arena.draws.below`, for ``most`` below 2**32: the high half of a product, from two short ones."""
    low = ((x & uint64(0xFFFFFFFF)) * uint64(most)) >> uint64(32)
    return ((x >> uint64(32)) * uint64(most) + low) >> uint64(32)


# What the rules say ---------------------------------------------------------------------------------------------------


@inlined
def fined(c: Any, score: Any, points: Any) -> Any:
    """As `farkel.game.fined`."""
    return score - points if c.below_zero else min(score, max(0, score - points))


@inlined
def may_bank(c: Any, needs: Any, short: Any, total: Any, hot: Any, idle: Any, triple: Any) -> Any:
    """Whether a keep that makes this turn total may be banked; ``hot``: it leaves no dice."""
    if total < needs and not (c.finish >= EXACT and total == short):
        return False
    return not (hot and c.forced and not idle) or (c.triple_ends and triple) != 0


@inlined
def after(seats: Any, n: Any, seat: Any) -> Any:
    """The next seat that is still in the game; the seat itself where there is no other."""
    upcoming = seat
    for _ in range(n):
        upcoming = upcoming + 1 if upcoming + 1 < n else 0
        if seats[upcoming, IN]:
            break
    return upcoming


@inlined
def passes(n: Any, now: Any, seat: Any, upcoming: Any) -> Any:
    """Whether the dice come to a seat, or pass it, on their way from ``now`` to ``upcoming``."""
    return (seat - now - 1 + n) % n <= (upcoming - now - 1 + n) % n


@compiled
def banked(c: Any, w: Any, n: Any, column: Any, total: Any) -> Any:
    """Bank a turn total into the scores of that column. Returns (how the game ended or 0, winners, closer, whether).

    Winners are bits of seats. The last one says whether the turn total counts: it does not beyond an exact target.
    """
    seats, seat, closer = w.seats, w.now[SEAT], w.now[CLOSER]
    over = seats[seat, column] + total - c.target
    if over > 0 and c.finish >= EXACT:
        if c.finish == WELFARE:
            lowest = np.int64(-1)
            for step in range(1, n):
                other = (seat + step) % n
                if seats[other, IN] and (lowest < 0 or seats[other, column] < seats[lowest, column]):
                    lowest = other
            if lowest >= 0 and seats[lowest, column] + over <= c.target:
                seats[lowest, column] += over
                if seats[lowest, column] == c.target:
                    return EXACT_HIT, 1 << lowest, closer, False
        return 0, 0, closer, False
    seats[seat, column] += total
    if c.target and over >= 0 and closer < 0:
        if c.finish == AT_ONCE or (n == 1 and c.finish < EXACT):
            return TARGET, 1 << seat, closer, True
        if c.finish >= EXACT:
            return EXACT_HIT, 1 << seat, closer, True
        closer = seat
    return 0, 0, closer, True


@inlined
def best(c: Any, seats: Any, n: Any, column: Any, closer: Any) -> Any:
    """The winners as bits: the highest of those still in. In last turns the first one there beats equal scores (D1)."""
    start = max(0, closer)
    winners, highest = 0, np.int64(0)
    first_only = c.finish == LAST_TURNS and closer >= 0
    for step in range(n):
        seat = (start + step) % n
        if not seats[seat, IN]:
            continue
        score = seats[seat, column]
        if winners == 0 or score > highest:
            winners, highest = 1 << seat, score
        elif score == highest and not first_only:
            winners |= 1 << seat
    return winners


@compiled
def passed(c: Any, w: Any, n: Any, column: Any, closer: Any) -> Any:
    """End a turn. Returns (how the game ended or 0, winners, next seat, rounds left, rounds standing)."""
    now, seats = w.now, w.seats
    here, first, rounds_left, standing = now[SEAT], now[FIRST], now[ROUNDS_LEFT], now[STANDING_LEFT]
    alive, last = 0, 0
    for seat in range(n):
        if seats[seat, IN]:
            alive += 1
            last = seat
    if alive == 0:
        return NOBODY, 0, here, rounds_left, standing
    if closer < 0 and alive == 1 and n > 1:
        if c.standing_wins:
            return STANDING, 1 << last, here, rounds_left, standing
        if standing:
            standing -= 1
        else:
            standing = -((seats[last, column] * c.unit - c.target_points) // c.round_points)
        if not standing:
            return NOBODY, 0, here, rounds_left, standing
    upcoming = after(seats, n, here)
    if closer >= 0:
        if c.finish == EQUAL_TURNS and passes(n, here, first, upcoming):
            return ROUND_OVER, best(c, seats, n, column, closer), upcoming, rounds_left, standing
        if c.finish == LAST_TURNS and passes(n, here, closer, upcoming):
            return LAST_TURNS_OVER, best(c, seats, n, column, closer), upcoming, rounds_left, standing
    elif rounds_left and passes(n, here, first, upcoming):
        rounds_left -= 1
        if not rounds_left:
            return ROUNDS_OVER, best(c, seats, n, column, closer), upcoming, rounds_left, standing
    return 0, 0, upcoming, rounds_left, standing


@compiled
def started(c: Any, w: Any, n: Any, dice_key: Any) -> Any:
    """Throw for the start. Returns (the first seat, throws that it took)."""
    throws, seat = np.int64(0), np.int64(0)
    if c.start == FIRST_SEAT or n == 1:
        return seat, throws
    contenders = (1 << n) - 1
    while throws < MOST_THROWS:
        highest, found = np.int64(0), np.int64(0)
        for other in range(n):
            if contenders >> other & 1:
                face = np.int64(below(draw(dice_key, throws), 6)) + 1
                traced(w.trace, throws, THROW_EVENT + 4 * (face - 1))
                throws += 1
                if face == 6 and c.start == FIRST_SIX:
                    return np.int64(other), throws
                if face > highest:
                    highest, found, seat = face, np.int64(0), np.int64(other)
                if face == highest:
                    found |= 1 << other
        if c.start != FIRST_SIX:
            contenders = found
            if found & (found - 1) == 0:
                return seat, throws
    return seat, throws


@inlined
def traced(trace: Any, event: Any, value: Any) -> None:
    """Write an event down where somebody wants it."""
    if event < trace.size:
        trace[event] = value


# Decisions ------------------------------------------------------------------------------------------------------------


@inlined
def quiet_below(c: Any, thumbs: Any, now: Any, n: Any, policy: Any, score: Any) -> Any:
    """Below which turn total nothing hangs on a decision but the turn: where no keep reaches so much, it is quiet."""
    kind = thumbs[policy, KIND]
    if kind == ANY:
        return -HUGE
    short = c.target - score if c.target else HUGE
    if kind == THUMB:
        return -HUGE if thumbs[policy, FALLS] and score < 0 else short
    if c.finish >= EXACT or now[CLOSER] >= 0 or now[ROUNDS_LEFT] == 1 or now[STANDING_LEFT]:
        return -HUGE
    return HUGE if c.finish == LAST_TURNS and n > 1 else short


@compiled
def find_endings(c: Any, w: Any, n: Any) -> None:
    """For a turn after another seat has reached the target: which banks lose and which win.

    The higher the bank the better it ends, and it changes only where the score comes up to another one or passes it.
    """
    seats, now = w.seats, w.now
    now[LOSES_BELOW], now[WINS_FROM] = HUGE, HUGE
    mine = seats[now[SEAT], SCORE]
    for at in range(2 * n + 1):
        total = max(0, seats[at >> 1, SCORE] - mine + (at & 1)) if at < 2 * n else 0
        ending = bank_ending(c, w, n, total)
        if ending != LOSES:
            now[LOSES_BELOW] = min(now[LOSES_BELOW], total)
        if ending == WINS:
            now[WINS_FROM] = min(now[WINS_FROM], total)


@compiled
def bank_ending(c: Any, w: Any, n: Any, total: Any) -> Any:
    """What a bank does about the end of the game: `WINS`, `OPEN`, `OVER` or `LOSES`."""
    seats, now, seat = w.seats, w.now, w.now[SEAT]
    for other in range(n):
        seats[other, SPARE] = seats[other, SCORE]
    over = seats[seat, SCORE] + total - c.target
    reason, winners, closer, _ = banked(c, w, n, SPARE, total)
    if not reason:
        reason, winners, _, _, _ = passed(c, w, n, SPARE, closer)
    if reason:
        if winners == 1 << seat:
            return WINS
        return OPEN if winners >> seat & 1 else LOSES
    if c.finish >= EXACT and over > 0:
        return OVER
    if now[CLOSER] < 0 and now[ROUNDS_LEFT] != 1:
        return OPEN
    first, mine = c.finish == LAST_TURNS and closer >= 0, seats[seat, SPARE]
    for other in range(n):
        if other == seat or not seats[other, IN]:
            continue
        earlier = first and (other - closer + n) % n < (seat - closer + n) % n
        if seats[other, SPARE] > mine or (seats[other, SPARE] == mine and earlier):
            return LOSES
    return OPEN


@inlined
def value(values: Any, value_of: Any, unit: Any, rolling: Any, entering: Any, row: Any, total: Any) -> Any:
    """Expected points of a turn that rolls, as `farkel.solve.Turn`."""
    v, rows = value_of[rolling], values.shape[2]
    if total < rows:
        return values[entering, row, total, v] * unit
    last, step = values[entering, row, rows - 1, v], values[entering, row, rows - 2, v]
    return (last + (total - rows + 1) * (last - step)) * unit


@inlined
def below_target(q: Any, w: Any, rolling: Any, missing: Any, total: Any) -> Any:
    """Expected points of a turn that rolls where none count over the target; not a number: the table is missing."""
    entering = w.now[ENTERING]
    if missing >= q.below_at.shape[1] or q.below_at[entering, missing] < 0:
        w.asks[0], w.asks[1] = entering, missing
        return np.nan
    return q.below[q.below_at[entering, missing] + total * q.below_width + q.value_of[rolling]]


@compiled
def must_bank(c: Any, t: Any, w: Any, roll: Any, idle: Any, points: Any, hot: Any) -> Any:
    """Whether three alike end the turn (D5): they do where anything may be banked."""
    rolls_of, keeps_of, now, seats = t.rolls, t.keeps, w.now, w.seats
    if not c.triple_ends or not rolls_of[roll, TRIPLE]:
        return False
    first, short = rolls_of[roll, KEEP_AT], c.target - seats[now[SEAT], SCORE]
    for k in range(first, first + rolls_of[roll, KEEPS]):
        total = points + keeps_of[k, WORTH] * (1 + hot)
        if may_bank(c, now[NEEDS], short, total, keeps_of[k, IS_HOT], idle, 1):
            return True
    return False


@inlined
def any_keep(c: Any, t: Any, w: Any, roll: Any, idle: Any, points: Any, hot: Any, x: Any) -> Any:
    """Any legal action, all equally likely, by the draw x; as `chosen`."""
    rolls_of, keeps_of, now, seats = t.rolls, t.keeps, w.now, w.seats
    first, keeps = rolls_of[roll, KEEP_AT], rolls_of[roll, KEEPS]
    if points >= now[NEEDS] and not c.forced and not c.triple_ends and not idle:
        return np.int64(below(x, 2 * keeps))
    short, triple = c.target - seats[now[SEAT], SCORE], rolls_of[roll, TRIPLE]
    banks_only = must_bank(c, t, w, roll, idle, points, hot)
    legal, pick = np.int64(0), np.int64(-1)
    for twice in range(2):
        for k in range(first, first + keeps):
            total, is_hot = points + keeps_of[k, WORTH] * (1 + hot), keeps_of[k, IS_HOT]
            bank = may_bank(c, now[NEEDS], short, total, is_hot, idle, triple)
            rolls = not banks_only and not (is_hot and idle and bank)
            if twice:
                if rolls:
                    if pick == 0:
                        return 2 * (k - first)
                    pick -= 1
                if bank:
                    if pick == 0:
                        return 2 * (k - first) + 1
                    pick -= 1
            else:
                legal += rolls
                legal += bank
        pick = np.int64(below(x, legal))
    return np.int64(0)


@compiled
def thumb_keep(c: Any, t: Any, q: Any, w: Any, policy: Any, roll: Any, idle: Any, points: Any, hot: Any) -> Any:
    """As `farkel.players.simple._decide`."""
    rolls_of, keeps_of, now, seats = t.rolls, t.keeps, w.now, w.seats
    first, keeps = rolls_of[roll, KEEP_AT], rolls_of[roll, KEEPS]
    score = seats[now[SEAT], SCORE]
    short, triple, exact = c.target - score, rolls_of[roll, TRIPLE], c.finish >= EXACT
    banks_only = must_bank(c, t, w, roll, idle, points, hot)
    found = np.int64(-1)
    for k in range(first, first + keeps):
        total, is_hot = points + keeps_of[k, WORTH] * (1 + hot), keeps_of[k, IS_HOT]
        bank = may_bank(c, now[NEEDS], short, total, is_hot, idle, triple)
        rolls = not banks_only and not (is_hot and idle and bank)
        if exact and bank and total == short:
            return 2 * (k - first) + 1
        if found < 0 and (bank or rolls):
            enough = total >= q.thumbs[policy, ENOUGH + keeps_of[k, LEFT]] or (c.target and total >= short)
            enough = enough or (q.thumbs[policy, FALLS] and score < 0)
            found = 2 * (k - first) + (1 if bank and (enough or not rolls) else 0)
        if found >= 0 and not exact:
            break
    return found


@compiled
def best_keep(c: Any, t: Any, q: Any, w: Any, n: Any, roll: Any, rolling: Any, points: Any, hot: Any) -> Any:
    """As `farkel.players.exact.ranked`; `ASKS` where a table is missing."""
    rolls_of, keeps_of, rollings, now, seats = t.rolls, t.keeps, t.rollings, w.now, w.seats
    values, value_of, unit = q.values, q.value_of, q.unit
    first, keeps, idle = rolls_of[roll, KEEP_AT], rolls_of[roll, KEEPS], rollings[rolling, IDLE]
    entering, row, needs = now[ENTERING], now[ROW], now[NEEDS]
    short, triple, exact = c.target - seats[now[SEAT], SCORE], rolls_of[roll, TRIPLE], c.finish >= EXACT
    banks_only = must_bank(c, t, w, roll, idle, points, hot)
    closing = now[CLOSER] >= 0
    hangs = exact or now[ROUNDS_LEFT] == 1 or now[STANDING_LEFT] > 0
    found, found_ending, found_worth, found_given = np.int64(ASKS), LOSES + 1, 0.0, np.int64(0)
    for k in range(first, first + keeps):
        total, is_hot = points + keeps_of[k, WORTH] * (1 + hot), keeps_of[k, IS_HOT]
        bank = may_bank(c, needs, short, total, is_hot, idle, triple)
        if not banks_only and not (is_hot and idle and bank):
            then = rollings[rolling, NEXT_HOT if is_hot else NEXT_LEFT + keeps_of[k, LEFT]]
            ending = FURTHER if exact and total >= short else OPEN
            if not exact:
                worth = value(values, value_of, unit, then, entering, row, total)
            elif total >= short:
                worth = 0.0
            else:
                worth = below_target(q, w, then, short, total)
                if np.isnan(worth):
                    return np.int64(ASKS)
            if ending < found_ending or (ending == found_ending and worth > found_worth):
                found, found_ending, found_worth, found_given = 2 * (k - first), ending, worth, np.int64(0)
        if bank:
            if closing:
                ending = LOSES if total < now[LOSES_BELOW] else WINS if total >= now[WINS_FROM] else OPEN
            elif hangs or (c.target and total >= short):
                ending = bank_ending(c, w, n, total)
            else:
                ending = OPEN
            worth = 0.0 if exact and total > short else float(total * c.unit)
            given = total if ending == OVER else np.int64(0)
            better = worth > found_worth or (worth == found_worth and given < found_given)
            if ending < found_ending or (ending == found_ending and better):
                found, found_ending, found_worth, found_given = 2 * (k - first) + 1, ending, worth, given
    return found


@compiled
def taken(c: Any, t: Any, q: Any, w: Any, policy: Any, points: Any, dice: Any, x: Any) -> Any:
    """How many dice of an offer to take over: 0 to start fresh; `ASKS` where a table is missing."""
    seat = w.now[SEAT]
    most, least = dice, np.int64(1) if c.choose_dice else dice
    if c.price == LIVES:
        most = min(dice, w.seats[seat, LIVES_LEFT] - 1)
    if c.price == STAKE and w.seats[seat, SCORE] < c.stake:
        most = np.int64(0)
    takes, kind = max(0, most - least + 1), q.thumbs[policy, KIND]
    if kind == ANY:
        pick = np.int64(below(x, 1 + takes))
        return least + pick - 1 if pick else np.int64(0)
    if takes == 0:
        return np.int64(0)
    if kind == THUMB:
        return most if points >= q.thumbs[policy, WANTS + most] else np.int64(0)
    exact, short = c.finish >= EXACT, c.target - w.seats[seat, SCORE]
    found, found_ending, found_worth, found_points = np.int64(0), OPEN, 0.0, 0.0
    for option in range(takes + 1):
        k = least + option - 1 if option else np.int64(0)
        rolling = t.number[k, dice - k] if option else t.number[c.dice, 0]
        total = points if option else np.int64(0)
        ending = FURTHER if exact and option and points >= short else OPEN
        if exact and total >= short:
            brings = 0.0
        else:
            brings = (
                below_target(q, w, rolling, short, total)
                if exact
                else value(q.values, q.value_of, q.unit, rolling, w.now[ENTERING], w.now[ROW], total)
            )
            if np.isnan(brings):
                return np.int64(ASKS)
            if option and c.price == STAKE:
                brings -= q.farkles[rolling] * (c.stake * c.unit)
        price = k * q.expected if c.price == LIVES else 0.0
        worth = price - brings
        better = worth < found_worth or (worth == found_worth and not exact and brings > found_points)
        if option == 0 or ending < found_ending or (ending == found_ending and better):
            found, found_ending, found_worth, found_points = k, ending, worth, brings
    return found


# A game ---------------------------------------------------------------------------------------------------------------

MOST_KEEPS, MOST_THEN, MOST_GAIN = 1 << 7, 1 << 9, 1 << 13
"""A decision in 32 bits: action 2, hot dice 1, keep 7, the next rolling or the dice left on the table 9, units 13."""


@inlined
def play_game(
    c: Any, t: Any, q: Any, w: Any, policy: Any, people: Any, shift: Any, dice_key: Any, choice_key: Any
) -> Any:
    """One game. Returns (how it ended or 0 where a table is missing, winners, first seat, turns, throws, events).

    Player number ``(seat + shift) % seats`` sits in each seat.
    """
    n, seats, now, counts = policy.size, w.seats, w.now, w.counts
    order, rollings, most_points, rolls_of, keeps_of, numbered = (
        t.sorted,
        t.rollings,
        t.best,
        t.rolls,
        t.keeps,
        t.number,
    )
    thumbs, memo, memo_starts, remembered = q.thumbs, q.memo, q.memo_at, q.rows
    trace, turn_seat, turn_points = w.trace, w.turn_seat, w.turn_points
    for seat in range(n):
        seats[seat, SCORE] = 0
        seats[seat, LIVES_LEFT] = c.lives
        seats[seat, IN_A_ROW] = 0
        seats[seat, PERSON] = 0
        seats[seat, ENTERED] = 0 if c.entry else -1
        seats[seat, IN] = 1
        seats[seat, PEOPLE] = people[(seat + shift) % n]
        for field in range(FIELDS):
            counts[seat, field] = 0
    first, throws = started(c, w, n, dice_key)
    seat, turns, events, choices, alive = first, np.int64(0), throws, np.int64(0), n
    offer_points, offer_dice = np.int64(0), np.int64(0)
    in_row, start = max(1, c.in_row), numbered[c.dice, 0]
    now[FIRST], now[CLOSER], now[ROUNDS_LEFT], now[STANDING_LEFT] = first, -1, c.rounds, 0
    while turns < MOST_TURNS:
        player = seat + shift if seat + shift < n else seat + shift - n
        mine = policy[player]
        kind, row = thumbs[mine, KIND], seats[seat, IN_A_ROW]
        entering = np.int64(1 if c.entry and not (seats[seat, ENTERED] >> seats[seat, PERSON]) & 1 else 0)
        now[SEAT], now[ENTERING], now[NEEDS], now[ROW] = seat, entering, c.entry if entering else c.minimum, row
        if kind == POINTS and now[CLOSER] >= 0:
            find_endings(c, w, n)
        points, rolling, hot, staked = np.int64(0), start, np.int64(0), np.int64(0)
        taking = False
        if offer_dice:
            counts[seat, OFFERS] += 1
            takes = taken(c, t, q, w, mine, offer_points, offer_dice, draw(choice_key, choices))
            if takes < 0:
                return 0, 0, first, turns, throws, events
            choices += 1 if kind == ANY else 0
            traced(trace, events, TAKE_EVENT + 4 * takes if takes else FRESH_EVENT)
            events += 1
            if takes:
                counts[seat, TAKEN] += 1
                points, rolling, taking = offer_points, numbered[takes, offer_dice - takes], True
                if c.price == LIVES:
                    seats[seat, LIVES_LEFT] -= takes
                elif c.price == STAKE:
                    staked = np.int64(c.stake)
                    seats[seat, SCORE] -= staked
                    counts[seat, LOST] += staked
        context = entering * in_row + row
        quiet = quiet_below(c, thumbs, now, n, mine, seats[seat, SCORE] + staked)
        left_over, thrown, action = np.int64(0), throws, np.int64(0)
        while True:
            if throws >= MOST_THROWS:
                return ENDLESS, 0, first, turns, throws, events
            at_rolling = uint64(rolling)
            x = below(draw(dice_key, throws), rollings[at_rolling, uint64(WAYS)])
            number = np.int64(order[uint64(rollings[at_rolling, uint64(THROWS_AT)]) + x])
            roll = rollings[at_rolling, uint64(ROLLS_AT)] + number
            traced(trace, events, THROW_EVENT + 4 * number)
            throws += 1
            events += 1
            if c.fines and rolls_of[roll, FINE]:
                score = fined(c, seats[seat, SCORE], rolls_of[roll, FINE])
                counts[seat, LOST] += seats[seat, SCORE] - score
                seats[seat, SCORE] = score
                quiet = quiet_below(c, thumbs, now, n, mine, score + staked)
            if staked and rolls_of[roll, KEEPS]:
                seats[seat, SCORE] += staked
                counts[seat, LOST] -= staked
                staked = np.int64(0)
            is_quiet = (
                points + most_points[uint64(roll)] * (1 + hot) < quiet
                and points < remembered
                and hot <= rollings[at_rolling, uint64(HOT)]
            )
            at = (
                memo_starts[mine, context, at_rolling] + points * rollings[at_rolling, uint64(ROLLS)] + number
                if is_quiet
                else np.int64(0)
            )
            entry = np.int64(memo[uint64(at)])
            keep = entry >> 3 & MOST_KEEPS - 1
            if entry == 0:
                if rolls_of[roll, KEEPS] == 0:
                    entry = np.int64(FARKLE)
                else:
                    if kind == ANY:
                        choice = any_keep(
                            c, t, w, roll, rollings[at_rolling, uint64(IDLE)], points, hot, draw(choice_key, choices)
                        )
                        choices += 1
                    elif kind == THUMB:
                        choice = thumb_keep(c, t, q, w, mine, roll, rollings[at_rolling, uint64(IDLE)], points, hot)
                    else:
                        choice = best_keep(c, t, q, w, n, roll, rolling, points, hot)
                        if choice < 0:
                            return 0, 0, first, turns, throws, events
                    keep = choice >> 1
                    k = rolls_of[roll, KEEP_AT] + keep
                    gain, is_hot = keeps_of[k, WORTH] * (1 + hot), keeps_of[k, IS_HOT]
                    if choice & 1:
                        entry = BANK | ((0 if is_hot else keeps_of[k, LEFT]) + rollings[at_rolling, uint64(IDLE)]) << 10
                    else:
                        entry = ROLL_ON | rollings[rolling, NEXT_HOT if is_hot else NEXT_LEFT + keeps_of[k, LEFT]] << 10
                    is_quiet = is_quiet and keep < MOST_KEEPS and gain < MOST_GAIN
                    entry |= is_hot << 2 | (keep << 3 if is_quiet else 0) | gain << 19
                if is_quiet:
                    memo[uint64(at)] = uint32(entry)
            action = entry & 3
            if action == FARKLE:
                break
            traced(trace, events, KEEP_EVENT + 4 * (2 * keep + (1 if action == BANK else 0)))
            events += 1
            points += entry >> 19
            taking = False
            if entry & 4:
                counts[seat, HOT_DICE] += 1
                if c.multiplier and action == ROLL_ON and not rollings[at_rolling, uint64(IDLE)]:
                    hot += 1
            if action == BANK:
                left_over = entry >> 10 & MOST_THEN - 1
                break
            rolling = entry >> 10 & MOST_THEN - 1
        counts[seat, THROWS] += throws - thrown
        turn_seat[uint64(turns)] = player
        reason, winners = np.int64(0), np.int64(0)
        closer = now[CLOSER]
        before, offer_points, offer_dice = points, np.int64(0), np.int64(0)
        if action == FARKLE:
            turn_points[uint64(turns)] = -1
            every = rollings[rolling, DICE_COLUMN] == c.dice
            cost = c.lives_all if every else c.lives_farkle
            if cost:
                seats[seat, LIVES_LEFT] = max(0, seats[seat, LIVES_LEFT] - cost)
                if seats[seat, LIVES_LEFT] == 0:
                    seats[seat, IN] = 0
                    alive -= 1
            penalty = c.all_dice_points if every else 0
            if c.in_row:
                if row + 1 == c.in_row:
                    penalty += c.in_row_points
                seats[seat, IN_A_ROW] = (row + 1) % c.in_row
            if penalty:
                score = fined(c, seats[seat, SCORE], penalty)
                counts[seat, LOST] += seats[seat, SCORE] - score
                seats[seat, SCORE] = score
            if c.after_farkle and before and not taking:
                offer_points, offer_dice = before, rollings[rolling, DICE_COLUMN] + rollings[rolling, IDLE]
        else:
            counts_for = True
            if seats[seat, SCORE] + points < c.target or (c.finish < EXACT and closer >= 0):
                seats[seat, SCORE] += points
            else:
                reason, winners, closer, counts_for = banked(c, w, n, SCORE, points)
            turn_points[uint64(turns)] = points if counts_for else 0
            seats[seat, IN_A_ROW] = 0
            if counts_for:
                seats[seat, ENTERED] = seats[seat, ENTERED] | 1 << seats[seat, PERSON] if c.entry_each else -1
                if c.price != NO_PRICE:
                    offer_points = points
                    offer_dice = left_over if left_over or not c.after_hot_dice else np.int64(c.dice)
        turns += 1
        if c.partners:
            seats[seat, PERSON] = (seats[seat, PERSON] + 1) % seats[seat, PEOPLE]
        if not reason:
            if alive == n and closer < 0 and not now[ROUNDS_LEFT]:
                upcoming = seat + 1 if seat + 1 < n else 0
            else:
                reason, winners, upcoming, rounds_left, standing = passed(c, w, n, SCORE, closer)
                now[ROUNDS_LEFT], now[STANDING_LEFT] = rounds_left, standing
            if upcoming == seat:
                offer_dice = np.int64(0)
            now[CLOSER] = closer
            seat = upcoming
        if reason:
            return reason, winners, first, turns, throws, events
    return ENDLESS, 0, first, turns, throws, events


@inlined
def counted(w: Any, out: Any, n: Any, shift: Any, reason: Any, winners: Any, first: Any, turns: Any) -> None:
    """Add a game that has ended to the tally."""
    wins, order, counts, games, bars = out.wins, out.order, out.counts, out.games, out.turns
    its_counts, turn_seat, turn_points = w.counts, w.turn_seat, w.turn_points
    sharers = 0
    for seat in range(n):
        sharers += winners >> seat & 1
    for seat in range(n):
        player = (seat + shift) % n
        if winners >> seat & 1:
            wins[player, sharers - 1] += 1
            order[(seat - first + n) % n, sharers - 1] += 1
        for field in range(FIELDS):
            counts[player, field] += its_counts[seat, field]
    out.reasons[reason] += 1
    out.lengths[min(turns, out.lengths.size - 1)] += 1
    bins = bars.shape[1]
    for turn in range(uint64(turns)):
        player, points = uint64(turn_seat[turn]), turn_points[turn]
        if points < 0:
            counts[player, uint64(FARKLES)] += 1
            points = 0
        else:
            counts[player, uint64(BANKS)] += 1
            counts[player, uint64(POINTS_BANKED)] += points
            counts[player, uint64(SQUARES)] += points * points
        bars[player, uint64(min(points, bins - 1))] += 1
    games[0] += 1
    games[1] += turns


@compiled
def play_games(
    c: Any, t: Any, q: Any, w: Any, policy: Any, people: Any, seed: Any, first_game: Any, games: Any, out: Any
) -> Any:
    """Play games number first_game, first_game + 1, ... Returns how many: fewer than asked where a table is missing.

    policy, people: of each player. Player number ``(seat + game) % seats`` sits in each seat.
    """
    n = policy.size
    for played in range(games):
        game = uint64(first_game) + uint64(played)
        shift = np.int64(game % uint64(n))
        reason, winners, first, turns, throws, events = play_game(
            c, t, q, w, policy, people, shift, key(seed, game, DICE), key(seed, game, DECISIONS)
        )
        if reason == 0:
            return played
        counted(w, out, n, shift, reason, winners, first, turns)
        if played < out.raw.shape[0]:
            won = 0
            for seat in range(n):
                won |= (winners >> seat & 1) << (seat + shift) % n
                out.raw[played, 5 + (seat + shift) % n] = w.seats[seat, SCORE] * c.unit
            out.raw[played, 0] = won
            out.raw[played, 1] = reason
            out.raw[played, 2] = (first + shift) % n
            out.raw[played, 3] = turns
            out.raw[played, 4] = throws
        out.events[0] = events
    return games
