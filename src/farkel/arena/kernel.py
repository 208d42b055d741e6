"""Whole games in machine code: every rule of `farkel.game.engine`, and table players that decide as their classes do.

A game is a function of the rules, the players, the seed and its number. What it has decided in quiet turns, where
nothing but the turn total and the dice matter, it remembers in tables that all games share: a *quiet* decision is then
one look-up. All others are worked out each time, in `farkel.arena.decisions`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint32, uint64

from farkel.arena.compiled import DICE as DICE_COLUMN
from farkel.arena.compiled import (
    EXACT,
    FINE,
    HOT,
    IDLE,
    IS_HOT,
    KEEP_AT,
    KEEPS,
    LEFT,
    LIVES,
    NEXT_HOT,
    NEXT_LEFT,
    NO_PRICE,
    ROLLS,
    ROLLS_AT,
    STAKE,
    THROWS_AT,
    WAYS,
    WORTH,
)
from farkel.arena.decisions import (
    any_keep,
    best_keep,
    field_keep,
    find_endings,
    likeliest_keep,
    quiet_below,
    taken,
    thumb_keep,
)
from farkel.arena.desk import (
    CLOSER,
    ENTERED,
    ENTERING,
    FIRST,
    FRESH_EVENT,
    IN,
    IN_A_ROW,
    KEEP_EVENT,
    LIVES_LEFT,
    MADE,
    NEEDS,
    NOTED,
    OF_TURN,
    PEOPLE,
    PERSON,
    ROUNDS_LEFT,
    ROW,
    SCORE,
    SEAT,
    STANDING_LEFT,
    TAKE_EVENT,
    THROW_EVENT,
    TURN,
    banked,
    below,
    compiled,
    draw,
    fined,
    inlined,
    key,
    passed,
    started,
    traced,
)
from farkel.arena.draws import DECISIONS, DICE
from farkel.arena.tables import ANY, FIELD, KIND, POINTS, THUMB
from farkel.arena.tally import (
    BANKS,
    ENDLESS,
    FARKLES,
    FIELDS,
    HOT_DICE,
    LOST,
    MOST_THROWS,
    MOST_TURNS,
    OFFERS,
    POINTS_BANKED,
    SQUARES,
    TAKEN,
    THROWS,
)

ROLL_ON, BANK, FARKLE = 1, 2, 3
"""Actions."""
MOST_KEEPS, MOST_THEN, MOST_GAIN = 1 << 7, 1 << 9, 1 << 13
"""A decision in 32 bits: action 2, hot dice 1, keep 7, the next rolling or the dice left on the table 9, units 13."""


@inlined
def play_game(
    c: Any, t: Any, q: Any, w: Any, f: Any, policy: Any, people: Any, shift: Any, dice_key: Any, choice_key: Any
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
    f.made[MADE] = 0
    while turns < MOST_TURNS:
        player = seat + shift if seat + shift < n else seat + shift - n
        mine = policy[player]
        kind, row = thumbs[mine, KIND], seats[seat, IN_A_ROW]
        entering = np.int64(1 if c.entry and not (seats[seat, ENTERED] >> seats[seat, PERSON]) & 1 else 0)
        now[SEAT], now[ENTERING], now[NEEDS], now[ROW] = seat, entering, c.entry if entering else c.minimum, row
        now[TURN] = turns
        if kind >= POINTS and now[CLOSER] >= 0:
            find_endings(c, w, n)
        points, rolling, hot, staked = np.int64(0), start, np.int64(0), np.int64(0)
        taking = False
        if offer_dice:
            counts[seat, OFFERS] += 1
            takes = taken(c, t, q, w, f, n, mine, offer_points, offer_dice, draw(choice_key, choices))
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
                        if kind == POINTS:
                            choice = best_keep(c, t, q, w, n, roll, rolling, points, hot)
                        elif kind == FIELD:
                            choice = field_keep(c, t, q.chances, w, f, n, roll, rolling, points, hot)
                        else:
                            choice = likeliest_keep(c, t, q, w, n, roll, rolling, points, hot)
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
    c: Any,
    t: Any,
    q: Any,
    w: Any,
    f: Any,
    policy: Any,
    people: Any,
    seed: Any,
    first_game: Any,
    games: Any,
    out: Any,
    row: Any,
) -> Any:
    """Play games number first_game, first_game + 1, ... Returns how many: fewer than asked where a table is missing.

    policy, people: of each player. Player number ``(seat + game) % seats`` sits in each seat. row: where among the raw
    games the first one belongs.
    """
    n = policy.size
    for played in range(games):
        game = uint64(first_game) + uint64(played)
        shift = np.int64(game % uint64(n))
        reason, winners, first, turns, throws, events = play_game(
            c, t, q, w, f, policy, people, shift, key(seed, game, DICE), key(seed, game, DECISIONS)
        )
        if reason == 0:
            return played
        f.made[NOTED], f.made[OF_TURN] = 0, -1
        counted(w, out, n, shift, reason, winners, first, turns)
        at = row + played
        if at < out.raw.shape[0]:
            won = 0
            for seat in range(n):
                won |= (winners >> seat & 1) << (seat + shift) % n
                out.raw[at, 5 + (seat + shift) % n] = w.seats[seat, SCORE] * c.unit
            out.raw[at, 0] = won
            out.raw[at, 1] = reason
            out.raw[at, 2] = (first + shift) % n
            out.raw[at, 3] = turns
            out.raw[at, 4] = throws
        out.events[0] = events
    return games
