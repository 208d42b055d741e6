"""What table players decide, in machine code: as their classes in `farkel.players` do, to the last bit.

There is no fast-math here, nor in what this is built of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from farkel.arena.chances import ROWS_MASK, SHIFT
from farkel.arena.compiled import (
    EQUAL_TURNS,
    EXACT,
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
    STAKE,
    TRIPLE,
    WORTH,
)
from farkel.arena.desk import (
    CLOSER,
    ENTERED,
    ENTERING,
    FIRST,
    HUGE,
    ILLEGAL,
    IN,
    IN_A_ROW,
    LIVES_LEFT,
    LOSES_BELOW,
    MADE,
    NEEDS,
    NOTED,
    OF_SCORE,
    OF_TURN,
    PERSON,
    ROUNDS_LEFT,
    ROW,
    SCORE,
    SEAT,
    SPARE,
    STANDING_LEFT,
    TURN,
    WINS_FROM,
    banked,
    below,
    compiled,
    inlined,
    may_bank,
    passed,
)
from farkel.arena.tables import ANY, BELOW, CHANCES, ENOUGH, EVEN, FALLS, FIELD, KIND, THUMB, WANTS
from farkel.solve import model

WINS, OPEN, OVER, FURTHER, LOSES = range(5)
"""As `farkel.players.exact.Ending`."""
ASKS = -1
"""A decision that cannot be made before a table is there: see `Desk.asks`."""


@inlined
def quiet_below(c: Any, thumbs: Any, now: Any, n: Any, policy: Any, score: Any) -> Any:
    """Below which turn total nothing hangs on a decision but the turn: where no keep reaches so much, it is quiet."""
    kind = thumbs[policy, KIND]
    if kind in (ANY, FIELD, CHANCES):
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
def as_if_banked(c: Any, w: Any, n: Any, total: Any) -> Any:
    """What a bank would do: (how the game would end or 0, winners, closer), and the scores then in SPARE."""
    for seat in range(n):
        w.seats[seat, SPARE] = w.seats[seat, SCORE]
    reason, winners, closer, _ = banked(c, w, n, SPARE, total)
    if not reason:
        reason, winners, _, _, _ = passed(c, w, n, SPARE, closer)
    return reason, winners, closer


@compiled
def bank_ending(c: Any, w: Any, n: Any, total: Any) -> Any:
    """What a bank does about the end of the game: `WINS`, `OPEN`, `OVER` or `LOSES`."""
    seats, now, seat = w.seats, w.now, w.now[SEAT]
    over = seats[seat, SCORE] + total - c.target
    reason, winners, closer = as_if_banked(c, w, n, total)
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
        w.asks[0], w.asks[1], w.asks[2] = BELOW, entering, missing
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


@inlined
def position(x: Any, w: Any, lives: Any) -> Any:
    """The seat to move, with so many lives, and the other one: an index of `farkel.arena.chances.Chances.at`."""
    now, seats, modes, mode_of = w.now, w.seats, x.modes, x.mode_of
    seat = now[SEAT]
    other = 1 - seat
    people, bits = mode_of.shape[2], mode_of.shape[3] - 1
    mode = mode_of[lives, seats[seat, IN_A_ROW], seats[seat, PERSON] % people, seats[seat, ENTERED] & bits]
    mine = seats[seat, SCORE]
    if now[STANDING_LEFT]:
        rounds = now[ROUNDS_LEFT] * x.standings + now[STANDING_LEFT]
        return x.alone + (rounds * modes + mode) * x.scores + max(0, mine + x.lowest)
    against = mode_of[
        seats[other, LIVES_LEFT],
        seats[other, IN_A_ROW],
        seats[other, PERSON] % people,
        seats[other, ENTERED] & bits,
    ]
    stage = x.stage_of[now[ROUNDS_LEFT], np.int64(seat != now[FIRST])]
    if x.others == 1:
        score, others = min(max(0, x.zero + mine - seats[other, SCORE]), x.scores - 1), np.int64(0)
    else:
        score, others = max(np.int64(0), mine + x.lowest), max(np.int64(0), seats[other, SCORE] + x.lowest)
    return (((stage * modes + mode) * modes + against) * x.scores + score) * x.others + others


@inlined
def row_of(x: Any, w: Any, place: Any, total: Any) -> Any:
    """Where the chances of a position with that turn total are in the pool; `ASKS` where they are not known."""
    entry = x.at[place]
    rows = entry >> 1 & ROWS_MASK
    if total >= rows:
        if not entry & 1:
            w.asks[0], w.asks[1], w.asks[2] = CHANCES, place, total
            return np.int64(ASKS)
        total = rows - 1
    return (entry >> SHIFT) + total * x.width


@inlined
def offered(c: Any, left: Any, hot: Any, idle: Any) -> Any:
    """Dice that a bank leaves on offer."""
    if c.price == NO_PRICE:
        return np.int64(0)
    dice = (np.int64(0) if hot else left) + idle
    return np.int64(c.dice) if dice == 0 and c.after_hot_dice else dice


@inlined
def surpassing(c: Any, x: Any, w: Any, rolling: Any, total: Any) -> Any:
    """As `farkel.solve.Duel` in the last turn: the chance to surpass the other seat, which closed the game."""
    now, seats, chase = w.now, w.seats, x.chase
    seat = now[SEAT]
    mine = seats[seat, SCORE]
    people, bits = x.mode_of.shape[2], x.mode_of.shape[3] - 1
    mode = x.mode_of[
        seats[seat, LIVES_LEFT], seats[seat, IN_A_ROW], seats[seat, PERSON] % people, seats[seat, ENTERED] & bits
    ]
    need = x.start_needs if mine == 0 and x.start_needs else x.need[mode]
    most, short = chase.shape[2] - 1, seats[1 - seat, SCORE] - mine
    tie = 1 if c.finish == EQUAL_TURNS and (short >= need or most > 0) else 0
    need, short = need - total, short + 1 - total
    if most == 0:
        short = max(need, short)
    need, short = min(max(0, need), most), max(0, short + most)
    if short >= chase.shape[3]:
        return 0.0
    return chase[tie, min(max(0, mine), chase.shape[1] - 1), need, short, x.rolling_of[rolling]]


@inlined
def alone_at_the_top(wins: Any, actions: Any) -> Any:
    """(the highest chance, the first action that has it, whether no other one is as good)."""
    most, found = ILLEGAL, np.int64(0)
    for action in range(actions):
        if wins[action] > most:
            most, found = wins[action], np.int64(action)
    as_good = 0
    for action in range(actions):
        as_good += wins[action] > most - EVEN
    return most, found, as_good == 1


@compiled
def likeliest_keep(c: Any, t: Any, q: Any, w: Any, n: Any, roll: Any, rolling: Any, points: Any, hot: Any) -> Any:
    """As `farkel.players.exact.likeliest`; `ASKS` where chances are missing."""
    rolls_of, keeps_of, rollings, now, seats = t.rolls, t.keeps, t.rollings, w.now, w.seats
    x, wins, pool = q.chances, w.wins, q.chances.pool
    first, keeps, idle = rolls_of[roll, KEEP_AT], rolls_of[roll, KEEPS], rollings[rolling, IDLE]
    short, triple = c.target - seats[now[SEAT], SCORE], rolls_of[roll, TRIPLE]
    banks_only = c.triple_ends != 0 and must_bank(c, t, w, roll, idle, points, hot)
    closing = now[CLOSER] >= 0
    place = np.int64(0) if closing else position(x, w, seats[now[SEAT], LIVES_LEFT])
    for k in range(keeps):
        worth, left, is_hot = keeps_of[first + k, WORTH], keeps_of[first + k, LEFT], keeps_of[first + k, IS_HOT]
        total = points + worth * (1 + hot)
        bank = may_bank(c, now[NEEDS], short, total, is_hot, idle, triple)
        rolls = not banks_only and not (is_hot and idle and bank)
        then = rollings[rolling, NEXT_HOT if is_hot else NEXT_LEFT + left]
        wins[2 * k], wins[2 * k + 1] = ILLEGAL, ILLEGAL
        if closing:
            if rolls:
                wins[2 * k] = surpassing(c, x, w, then, total)
            if bank:
                wins[2 * k + 1] = 0.0 if total < now[LOSES_BELOW] else 1.0 if total >= now[WINS_FROM] else 0.5
            continue
        row = row_of(x, w, place, total)
        if row < 0:
            return np.int64(ASKS)
        if rolls:
            wins[2 * k] = pool[row + x.rolling_of[then]]
        if bank:
            wins[2 * k + 1] = pool[row + x.banks + offered(c, left, is_hot, idle)]
    most, found, alone = alone_at_the_top(wins, 2 * keeps)
    if alone:
        return found
    found, found_over, found_worth = np.int64(-1), False, 0.0
    for action in range(2 * keeps):
        if wins[action] > most - EVEN:
            k = first + (action >> 1)
            total, is_hot = points + keeps_of[k, WORTH] * (1 + hot), keeps_of[k, IS_HOT]
            if action & 1:
                over, worth = most > 0 and as_if_banked(c, w, n, total)[0] != 0, float(total * c.unit)
            else:
                then = rollings[rolling, NEXT_HOT if is_hot else NEXT_LEFT + keeps_of[k, LEFT]]
                over, worth = False, value(q.values, q.value_of, q.unit, then, now[ENTERING], now[ROW], total)
            if found < 0 or (over and not found_over) or (over == found_over and worth > found_worth):
                found, found_over, found_worth = np.int64(action), over, worth
    return found


@compiled
def likeliest_take(c: Any, t: Any, q: Any, w: Any, points: Any, dice: Any, least: Any, takes: Any) -> Any:
    """As `farkel.players.exact.likeliest`, for an offer of which ``least`` dice and more may be taken."""
    x, wins, now, lives = q.chances, w.wins, w.now, w.seats[w.now[SEAT], LIVES_LEFT]
    for option in range(takes + 1):
        k = least + option - 1 if option else np.int64(0)
        rolling, total = (t.number[k, dice - k], points) if option else (t.number[c.dice, 0], np.int64(0))
        if now[CLOSER] >= 0:
            wins[option] = surpassing(c, x, w, rolling, total)
            continue
        row = row_of(x, w, position(x, w, lives - k if c.price == LIVES else lives), total)
        if row < 0:
            return np.int64(ASKS)
        wins[option] = x.pool[row + x.first + x.rolling_of[rolling]] if option else x.pool[row - x.width]
    most, found, alone = alone_at_the_top(wins, takes + 1)
    if not alone:
        found, found_worth = np.int64(-1), 0.0
        for option in range(takes + 1):
            if wins[option] > most - EVEN:
                k = least + option - 1 if option else np.int64(0)
                rolling, total = (t.number[k, dice - k], points) if option else (t.number[c.dice, 0], np.int64(0))
                worth = value(q.values, q.value_of, q.unit, rolling, now[ENTERING], now[ROW], total)
                if option and c.price == STAKE:
                    worth -= q.farkles[rolling] * (c.stake * c.unit)
                if found < 0 or worth > found_worth:
                    found, found_worth = np.int64(option), worth
    return least + found - 1 if found else np.int64(0)


@inlined
def noted(f: Any) -> Any:
    """What was decided here when the game was played up to here before; `ASKS` where it was not."""
    number = f.made[MADE]
    f.made[MADE] = number + 1
    return np.int64(f.notes[number]) if number < f.made[NOTED] else np.int64(ASKS)


@inlined
def note(f: Any, decision: Any) -> Any:
    """Remember the decision until the game has ended."""
    f.notes[f.made[NOTED]] = decision
    f.made[NOTED] += 1
    return np.int64(decision)


@compiled
def turn_slot(c: Any, x: Any, w: Any, f: Any, n: Any, lives: Any) -> Any:
    """Where in ``f`` the turn of the seat to move is with so many lives; `ASKS` where it is not."""
    now, seats, made, rows, told = w.now, w.seats, f.made, f.rows, f.now
    seat, slot = now[SEAT], lives if c.price == LIVES else np.int64(0)
    if made[OF_TURN] != now[TURN] or made[OF_SCORE] != seats[seat, SCORE]:
        made[OF_TURN], made[OF_SCORE] = now[TURN], seats[seat, SCORE]
        for each in range(rows.shape[0]):
            rows[each, model.SWEPT] = 0
    if rows[slot, model.SWEPT]:
        return slot
    bits = x.mode_of.shape[3] - 1
    for other in range(n):
        left = lives if other == seat else seats[other, LIVES_LEFT]
        f.seats[other, model.IN] = seats[other, IN]
        f.seats[other, model.MODE] = x.mode_of[left, seats[other, IN_A_ROW], 0, seats[other, ENTERED] & bits]
        f.seats[other, model.SCORE] = seats[other, SCORE] + x.lowest
    told[model.SEATS], told[model.SEAT], told[model.FIRST], told[model.CLOSER] = n, seat, now[FIRST], now[CLOSER]
    told[model.ROUNDS_LEFT], told[model.NEEDS], told[model.SLOT] = now[ROUNDS_LEFT], now[NEEDS], slot
    w.asks[0] = FIELD
    return np.int64(ASKS)


@inlined
def field_rolls(x: Any, f: Any, slot: Any, rolling: Any, total: Any) -> Any:
    """As `farkel.solve.many.Table.rolls`."""
    return f.rolling[slot, min(total, f.rows[slot, model.SWEPT] - 1) * x.banks + x.rolling_of[rolling]]


@inlined
def field_banks(c: Any, x: Any, w: Any, f: Any, n: Any, slot: Any, total: Any, dice: Any) -> Any:
    """As `farkel.solve.Field` for a bank that leaves so many dice on offer."""
    now = w.now
    short = c.target - w.seats[now[SEAT], SCORE]
    if now[CLOSER] >= 0 or now[ROUNDS_LEFT] or c.lives or (c.target and total >= short):
        reason, winners, _ = as_if_banked(c, w, n, total)
        if reason:
            sharers = 0
            for seat in range(n):
                sharers += winners >> seat & 1
            return 1.0 / sharers if winners >> now[SEAT] & 1 else 0.0
    return f.bank[slot, min(total, f.rows[slot, model.BANKED] - 1) * (x.width - x.banks) + dice]


@compiled
def field_keep(c: Any, t: Any, x: Any, w: Any, f: Any, n: Any, roll: Any, rolling: Any, points: Any, hot: Any) -> Any:
    """As `farkel.players.exact.Race` among many: the first action in `farkel.solve.Field.rank`; `ASKS` as others."""
    before = noted(f)
    if before >= 0:
        return before
    rolls_of, keeps_of, rollings, now, seats = t.rolls, t.keeps, t.rollings, w.now, w.seats
    first, keeps, idle = rolls_of[roll, KEEP_AT], rolls_of[roll, KEEPS], rollings[rolling, IDLE]
    short, triple = c.target - seats[now[SEAT], SCORE], rolls_of[roll, TRIPLE]
    slot = turn_slot(c, x, w, f, n, seats[now[SEAT], LIVES_LEFT])
    if slot < 0:
        return np.int64(ASKS)
    banks_only = must_bank(c, t, w, roll, idle, points, hot)
    found, most = np.int64(0), ILLEGAL
    for k in range(keeps):
        worth, left, is_hot = keeps_of[first + k, WORTH], keeps_of[first + k, LEFT], keeps_of[first + k, IS_HOT]
        total = points + worth * (1 + hot)
        bank = may_bank(c, now[NEEDS], short, total, is_hot, idle, triple)
        if not banks_only and not (is_hot and idle and bank):
            then = rollings[rolling, NEXT_HOT if is_hot else NEXT_LEFT + left]
            chance = field_rolls(x, f, slot, then, total)
            if chance > most:
                found, most = np.int64(2 * k), chance
        if bank:
            chance = field_banks(c, x, w, f, n, slot, total, offered(c, left, is_hot, idle))
            if chance > most:
                found, most = np.int64(2 * k + 1), chance
    return note(f, found)


@compiled
def field_take(c: Any, t: Any, x: Any, w: Any, f: Any, n: Any, points: Any, dice: Any, least: Any, takes: Any) -> Any:
    """As `field_keep`, for an offer of which ``least`` dice and more may be taken."""
    before = noted(f)
    if before >= 0:
        return before
    lives = w.seats[w.now[SEAT], LIVES_LEFT]
    found, most = np.int64(0), ILLEGAL
    for option in range(takes + 1):
        k = least + option - 1 if option else np.int64(0)
        slot = turn_slot(c, x, w, f, n, lives - k if c.price == LIVES else lives)
        if slot < 0:
            return np.int64(ASKS)
        rolling, total = (t.number[k, dice - k], points) if option else (t.number[c.dice, 0], np.int64(0))
        chance = field_rolls(x, f, slot, rolling, total)
        if chance > most:
            found, most = np.int64(k), chance
    return note(f, found)


@compiled
def taken(c: Any, t: Any, q: Any, w: Any, f: Any, n: Any, policy: Any, points: Any, dice: Any, x: Any) -> Any:
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
    if kind == CHANCES:
        return likeliest_take(c, t, q, w, points, dice, least, takes)
    if kind == FIELD:
        return field_take(c, t, q.chances, w, f, n, points, dice, least, takes)
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
