"""The game as `farkel.game.engine` plays it, for many games side by side in machine code.

A game is a row of whole numbers; tests hold every rule to the engine's. Points are in units of the rules. Dice are
those of `farkel.arena.draws`: throw number n of a game is the same whatever was decided before it.
"""

from __future__ import annotations

from typing import Any

from numba import float32, int64, uint64

from farkel.arena.compiled import (
    AT_ONCE,
    EQUAL_TURNS,
    EXACT,
    FIRST_SEAT,
    FIRST_SIX,
    LAST_TURNS,
    NO_PRICE,
    STAKE,
    WELFARE,
)
from farkel.arena.compiled import LIVES as LIVES_PAID
from farkel.arena.draws import FIRST as FIRST_FACTOR
from farkel.arena.draws import GOLDEN
from farkel.arena.draws import SECOND as SECOND_FACTOR
from farkel.env.tables import PER_POINT, RESULT
from farkel.machine_code import compilers

PHASE, SEAT, POINTS, DICE, IDLE, TAKING, HOT, ROLL, OFFER_POINTS, OFFER_DICE = range(10)
FIRST, CLOSER, ROUNDS, STANDING, TURNS, TOLD_TURNS, TOLD_SCORE, WINNERS, REACHED = range(10, 19)
SEATS = 19
"""Where the seats begin: each has the following numbers."""
SCORE, LIVES, PERSON, ENTERED, FARKLES, STATUS, THROWN = range(7)
WIDTH = 7

START, OFFERED, ROLLING, KEEPING, OVER = range(5)

SOURCES = ("kernel", "tables", "../arena/compiled", "../arena/draws")
"""The files that the machine code is made from."""

# Nothing here makes an array, so that none has to be counted: that is twenty times as fast as counting.
compiled, inlined = compilers(__file__, SOURCES, nogil=True, _nrt=False)


@inlined
def mix(x: Any) -> Any:
    """As `farkel.arena.draws.mix`."""
    x = (x ^ (x >> uint64(30))) * uint64(FIRST_FACTOR)
    x = (x ^ (x >> uint64(27))) * uint64(SECOND_FACTOR)
    return x ^ (x >> uint64(31))


@inlined
def draw(key: Any, number: Any) -> Any:
    """As `farkel.arena.draws.draw`."""
    return mix(key + (number + uint64(1)) * uint64(GOLDEN))


@inlined
def below(x: Any, most: Any) -> Any:
    """As `farkel.arena.draws.below`, for ``most`` below 2**32: the high half of a product, from two short ones."""
    low = ((x & uint64(0xFFFFFFFF)) * most) >> uint64(32)
    return ((x >> uint64(32)) * most + low) >> uint64(32)


@inlined
def _at(seat: Any) -> Any:
    return SEATS + seat * WIDTH


@inlined
def _fined(t: Any, score: Any, points: Any) -> Any:
    return score - points if t.terms.below_zero else min(score, max(0, score - points))


@inlined
def _on_board(g: Any, at: Any) -> Any:
    return (g[at + ENTERED] >> g[at + PERSON]) & 1 != 0


@inlined
def _needs(t: Any, g: Any) -> Any:
    """The turn total that a bank needs."""
    if t.terms.entry and not _on_board(g, _at(g[SEAT])):
        return t.terms.entry
    return t.terms.minimum


@inlined
def _may_bank(t: Any, g: Any, total: Any, hot: Any, needs: Any) -> Any:
    if total < needs and not (t.terms.finish >= EXACT and g[_at(g[SEAT]) + SCORE] + total == t.terms.target):
        return False
    if hot and t.terms.forced and g[IDLE] == 0:
        return t.terms.triple_ends and t.triple[g[ROLL]]
    return True


@inlined
def write_mask(t: Any, g: Any, mask: Any) -> None:
    """Mark the legal actions of a game that waits for a decision."""
    for action in range(t.actions):
        mask[action] = 0
    if g[PHASE] == KEEPING:
        roll = g[ROLL]
        first, last = t.first_keep[roll], t.first_keep[roll + 1]
        needs = _needs(t, g)
        times = 1 + g[HOT]
        ends = False
        for keep in range(first, last):
            slot = t.slot[keep]
            hot = t.slot_dice[slot] == g[DICE]
            bank = _may_bank(t, g, g[POINTS] + t.points[keep] * times, hot, needs)
            mask[2 * slot + 1] = bank
            mask[2 * slot] = not (bank and hot and g[IDLE] > 0)
            ends = ends or bank
        if ends and t.terms.triple_ends and t.triple[roll]:
            for keep in range(first, last):
                mask[2 * t.slot[keep]] = 0
    elif g[PHASE] == OFFERED:
        fresh = 2 * t.slot_dice.size
        mask[fresh] = 1
        at = _at(g[SEAT])
        for dice in range(1, g[OFFER_DICE] + 1):
            if dice != g[OFFER_DICE] and not t.terms.choose_dice:
                continue
            if t.terms.price == LIVES_PAID and g[at + LIVES] <= dice:
                continue
            if t.terms.price == STAKE and g[at + SCORE] < t.terms.stake:
                continue
            mask[fresh + dice] = 1


@inlined
def _share(t: Any, points: Any) -> Any:
    return float32(min(points * t.terms.unit / t.scale, 10.0))


@inlined
def write_seen(t: Any, g: Any, observer: Any, seen: Any) -> None:
    """Write what a seat sees, in the order of `farkel.env.Encoder.fields`."""
    slots = t.slot_dice.size
    for place in range(6 + slots):
        seen[place] = 0
    if g[PHASE] == KEEPING:
        roll = g[ROLL]
        for face in range(6):
            seen[face] = t.faces[roll, face]
        times = 1 + g[HOT]
        for keep in range(t.first_keep[roll], t.first_keep[roll + 1]):
            seen[6 + t.slot[keep]] = _share(t, t.points[keep] * times)
    place = 6 + slots
    offered = g[PHASE] == OFFERED
    seen[place] = g[DICE]
    seen[place + 1] = g[IDLE]
    seen[place + 2] = _share(t, g[POINTS])
    seen[place + 3] = min(g[HOT], 100)
    seen[place + 4] = offered
    seen[place + 5] = _share(t, g[OFFER_POINTS]) if offered else float32(0)
    seen[place + 6] = g[OFFER_DICE] if offered else 0
    seen[place + 7] = g[ROUNDS] / t.terms.rounds if t.terms.rounds else 0.0
    seen[place + 8] = min(g[STANDING], 1000)
    seen[place + 9] = g[PHASE] == OVER
    place += 10
    seat = observer
    for _ in range(t.seats):
        at = _at(seat)
        seen[place] = max(_share(t, g[at + SCORE]), float32(-10))
        seen[place + 1] = g[at + LIVES] / t.terms.lives if t.terms.lives else 0.0
        seen[place + 2] = g[at + FARKLES] / t.terms.in_row if t.terms.in_row else 0.0
        seen[place + 3] = g[at + STATUS] == 0
        seen[place + 4] = seat == g[CLOSER]
        seen[place + 5] = seat == g[FIRST]
        seen[place + 6] = seat == g[SEAT]
        for step in range(t.shown):
            seen[place + 7 + step] = (g[at + ENTERED] >> ((g[at + PERSON] + step) % t.people[seat])) & 1
        place += 7 + t.shown
        seat = seat + 1 if seat + 1 < t.seats else 0


@compiled
def write_last(t: Any, g: Any, observer: Any, seen: Any) -> None:
    """As `write_seen`, where it is seldom wanted."""
    write_seen(t, g, observer, seen)


@inlined
def _end(g: Any, winners: Any, reached: Any) -> None:
    """End the game; ``winners`` are bits."""
    g[PHASE] = OVER
    g[POINTS] = g[DICE] = g[IDLE] = g[TAKING] = g[HOT] = 0
    g[WINNERS] = winners
    g[REACHED] = reached


@inlined
def _after(t: Any, g: Any, seat: Any) -> Any:
    """The next seat to the left that is still in the game."""
    for _ in range(t.seats):
        seat = seat + 1 if seat + 1 < t.seats else 0
        if g[_at(seat) + STATUS] == 0:
            break
    return seat


@inlined
def _passes(t: Any, now: Any, seat: Any, upcoming: Any) -> Any:
    return (seat - now - 1) % t.seats <= (upcoming - now - 1) % t.seats


@compiled
def _best(t: Any, g: Any) -> Any:
    """The winners by score, as bits."""
    first = max(0, g[CLOSER])
    only = t.terms.finish == LAST_TURNS and g[CLOSER] >= 0
    found, highest = 0, -(1 << 62)
    for step in range(t.seats):
        seat = (first + step) % t.seats
        score = g[_at(seat) + SCORE]
        if g[_at(seat) + STATUS] == 0:
            if score > highest:
                found, highest = 1 << seat, score
            elif score == highest and not only:
                found |= 1 << seat
    return found


@inlined
def _pass(t: Any, g: Any, offer_points: Any, offer_dice: Any) -> None:
    """End the turn, and begin the next seat's or end the game. No dice: no offer."""
    now = g[SEAT]
    at = _at(now)
    g[TURNS] += 1
    if t.terms.partners:
        g[at + PERSON] = (g[at + PERSON] + 1) % t.people[now]
    alive, last = 0, 0
    for seat in range(t.seats):
        if g[_at(seat) + STATUS] == 0:
            alive, last = alive + 1, seat
    if alive == 0:
        _end(g, 0, 0)
        return
    if g[CLOSER] < 0 and alive == 1 and t.seats > 1:
        if t.terms.standing_wins:
            _end(g, 1 << last, 0)
            return
        if g[STANDING]:
            g[STANDING] -= 1
        else:
            g[STANDING] = -((g[_at(last) + SCORE] * t.terms.unit - t.terms.target_points) // t.terms.round_points)
        if g[STANDING] == 0:
            _end(g, 0, 0)
            return
    upcoming = _after(t, g, now)
    if g[CLOSER] >= 0:
        if t.terms.finish == EQUAL_TURNS and _passes(t, now, g[FIRST], upcoming):
            _end(g, _best(t, g), 0)
            return
        if t.terms.finish == LAST_TURNS and _passes(t, now, g[CLOSER], upcoming):
            _end(g, _best(t, g), 0)
            return
    elif g[ROUNDS] and _passes(t, now, g[FIRST], upcoming):
        if g[ROUNDS] == 1:
            _end(g, _best(t, g), 0)
            return
        g[ROUNDS] -= 1
    offered = offer_dice > 0 and upcoming != now
    g[SEAT] = upcoming
    g[POINTS] = g[IDLE] = g[TAKING] = g[HOT] = 0
    g[PHASE] = OFFERED if offered else ROLLING
    g[DICE] = 0 if offered else t.terms.dice
    g[OFFER_POINTS] = offer_points
    g[OFFER_DICE] = offer_dice


@inlined
def _farkle(t: Any, g: Any) -> None:
    at = _at(g[SEAT])
    all_dice = g[DICE] == t.terms.dice
    lives = t.terms.lives_all if all_dice else t.terms.lives_farkle
    points = t.terms.all_dice_points if all_dice else 0
    if t.terms.in_row:
        if g[at + FARKLES] + 1 == t.terms.in_row:
            points += t.terms.in_row_points
        g[at + FARKLES] = (g[at + FARKLES] + 1) % t.terms.in_row
    if lives:
        g[at + LIVES] = max(0, g[at + LIVES] - lives)
        if g[at + LIVES] == 0:
            g[at + STATUS] = 1
    if points:
        g[at + SCORE] = _fined(t, g[at + SCORE], points)
    left = g[DICE] + g[IDLE] if t.terms.after_farkle and g[POINTS] and not g[TAKING] else 0
    _pass(t, g, g[POINTS], left)


@inlined
def _rolled(t: Any, g: Any, roll: Any) -> None:
    at = _at(g[SEAT])
    if t.fine[roll]:
        g[at + SCORE] = _fined(t, g[at + SCORE], t.fine[roll])
    if t.first_keep[roll] == t.first_keep[roll + 1]:
        _farkle(t, g)
        return
    if g[TAKING] and t.terms.price == STAKE:
        g[at + SCORE] += t.terms.stake
    g[PHASE], g[ROLL], g[TAKING] = KEEPING, roll, 0


@compiled
def _gives(t: Any, g: Any, over: Any) -> Any:
    """Give what went over the target to the lowest other score, if it fits; whether that ends the game."""
    now, lowest = g[SEAT], -1
    for step in range(1, t.seats):
        seat = (now + step) % t.seats
        if g[_at(seat) + STATUS] == 0 and (lowest < 0 or g[_at(seat) + SCORE] < g[_at(lowest) + SCORE]):
            lowest = seat
    if lowest < 0 or g[_at(lowest) + SCORE] + over > t.terms.target:
        return False
    g[_at(lowest) + SCORE] += over
    if g[_at(lowest) + SCORE] < t.terms.target:
        return False
    g[TURNS] += 1
    _end(g, 1 << lowest, 1)
    return True


@inlined
def _bank(t: Any, g: Any, total: Any, dice: Any) -> None:
    """Add the turn total to the score; ``dice`` are those left, 0 on hot dice."""
    now = g[SEAT]
    at = _at(now)
    over = g[at + SCORE] + total - t.terms.target
    g[at + FARKLES] = 0
    offered = 0
    if over > 0 and t.terms.finish >= EXACT:
        if t.terms.finish == WELFARE and _gives(t, g, over):
            return
    else:
        g[at + SCORE] += total
        g[at + ENTERED] = g[at + ENTERED] | (1 << g[at + PERSON]) if t.terms.entry_each else -1
        if t.terms.target and over >= 0 and g[CLOSER] < 0:
            if t.terms.finish == AT_ONCE or t.terms.finish >= EXACT or t.seats == 1:
                g[TURNS] += 1
                _end(g, 1 << now, 1)
                return
            g[CLOSER] = now
        if t.terms.price != NO_PRICE:
            offered = dice + g[IDLE]
            if offered == 0 and t.terms.after_hot_dice:
                offered = t.terms.dice
    _pass(t, g, total, offered)


@inlined
def _act(t: Any, g: Any, action: Any) -> None:
    """Follow a legal action."""
    fresh = 2 * t.slot_dice.size
    at = _at(g[SEAT])
    if action < fresh:
        slot = action >> 1
        total = g[POINTS] + t.points[t.keep[g[ROLL], slot]] * (1 + g[HOT])
        left = g[DICE] - t.slot_dice[slot]
        if action & 1:
            _bank(t, g, total, left)
            return
        g[PHASE], g[POINTS] = ROLLING, total
        if left:
            g[DICE] = left
        else:
            if t.terms.multiplier and g[IDLE] == 0:
                g[HOT] += 1
            g[DICE], g[IDLE] = t.terms.dice, 0
    elif action == fresh:
        g[PHASE], g[DICE] = ROLLING, t.terms.dice
    else:
        dice = action - fresh
        if t.terms.price == LIVES_PAID:
            g[at + LIVES] -= dice
        elif t.terms.price == STAKE:
            g[at + SCORE] -= t.terms.stake
        g[PHASE], g[POINTS], g[DICE], g[IDLE], g[TAKING] = ROLLING, g[OFFER_POINTS], dice, g[OFFER_DICE] - dice, 1


@compiled
def _start_throw(t: Any, g: Any, face: Any) -> None:
    """One die for the start."""
    seat = g[SEAT]
    first = -1
    if t.terms.start == FIRST_SIX:
        if face == 6:
            first = seat
        else:
            g[SEAT] = (seat + 1) % t.seats
    else:
        g[_at(seat) + THROWN] = face
        highest, tied, waiting = 0, 0, -1
        for other in range(t.seats):
            thrown = g[_at(other) + THROWN]
            if thrown == 0 and waiting < 0:
                waiting = other
            if thrown > highest:
                highest, tied, first = thrown, 1, other
            elif thrown == highest:
                tied += 1
        if waiting < 0 and tied > 1:
            for other in range(t.seats - 1, -1, -1):
                again = g[_at(other) + THROWN] == highest
                g[_at(other) + THROWN] = 0 if again else -1
                waiting = other if again else waiting
        if waiting >= 0:
            first = -1
            g[SEAT] = waiting
    if first >= 0:
        g[PHASE], g[SEAT], g[FIRST], g[DICE] = ROLLING, first, first, t.terms.dice


@inlined
def _settle(t: Any, g: Any, key: Any, count: Any) -> Any:
    """Let dice fall until a decision is due, the game is over or cut off; gives the number of throws so far."""
    while g[TURNS] < t.most_turns:
        if g[PHASE] == ROLLING:
            dice = g[DICE]
            throw = below(draw(key, count), t.ways[dice])
            count += uint64(1)
            _rolled(t, g, t.rolls[t.first_throw[dice] + int64(throw)])
        elif g[PHASE] == START:
            face = below(draw(key, count), uint64(6))
            count += uint64(1)
            _start_throw(t, g, int64(face) + 1)
        else:
            break
    return count


@compiled
def deal(t: Any, g: Any, key: Any, count: Any) -> Any:
    """Begin a game anew, up to the first decision; games that end before it are dealt again."""
    while True:
        for place in range(g.size):
            g[place] = 0
        for seat in range(t.seats):
            at = _at(seat)
            g[at + LIVES], g[at + ENTERED] = t.terms.lives, t.entered[seat]
        g[CLOSER], g[ROUNDS] = -1, t.terms.rounds
        if t.terms.start == FIRST_SEAT or t.seats == 1:
            g[PHASE], g[DICE] = ROLLING, t.terms.dice
        count = _settle(t, g, key, count)
        if g[PHASE] != OVER and g[TURNS] < t.most_turns:
            return count


@compiled
def deal_all(t: Any, games: Any, keys: Any, counts: Any, o: Any) -> None:
    """Begin every game."""
    for i in range(keys.size):
        g = games[i]
        counts[i] = deal(t, g, keys[i], counts[i])
        o.seats[i] = g[SEAT]
        write_seen(t, g, g[SEAT], o.seen[i])
        write_mask(t, g, o.masks[i])


@inlined
def _reward_all(t: Any, g: Any, shares: Any) -> None:
    """What the end of a game is worth to each seat."""
    winners = 0
    for seat in range(t.seats):
        winners += (g[WINNERS] >> seat) & 1
    if winners == 0 or winners == t.seats:
        return
    for seat in range(t.seats):
        won = (g[WINNERS] >> seat) & 1
        shares[seat] = 1.0 / winners if won else -1.0 / (t.seats - winners)


@inlined
def _reward_alone(t: Any, g: Any, over: Any) -> Any:
    if t.reward == PER_POINT:
        points = g[SEATS + SCORE] - g[TOLD_SCORE]
        g[TOLD_SCORE] = g[SEATS + SCORE]
        return float(points * t.terms.unit)
    finished = g[TURNS] - g[TOLD_TURNS]
    if over and g[REACHED] == 0:
        finished += t.most_turns - g[TURNS]
    return -float(finished)


@compiled
def step_all(t: Any, games: Any, keys: Any, counts: Any, actions: Any, o: Any, first: Any, last: Any) -> None:
    """Step the games ``first`` to ``last`` - 1: decide, throw, and deal anew those that are over.

    ``o`` is `farkel.env.tables.Arrays` of the step before, whose masks say what is legal; it is written over.
    """
    for i in range(first, last):
        g, mask = games[i], o.masks[i]
        action = actions[i]
        replaced = action < 0 or action >= t.actions or mask[action] == 0
        if replaced:
            action = 0
            while mask[action] == 0:
                action += 1
        seat, turns = g[SEAT], g[TURNS]
        _act(t, g, action)
        counts[i] = _settle(t, g, keys[i], counts[i])
        over = g[PHASE] == OVER
        cut = not over and g[TURNS] >= t.most_turns
        o.replaced[i], o.terminated[i], o.truncated[i] = replaced, over, cut
        o.ended[i] = g[TURNS] > turns
        if t.reward == RESULT:
            for other in range(t.seats):
                o.shares[i, other] = 0.0
            if over:
                _reward_all(t, g, o.shares[i])
            o.rewards[i] = o.shares[i, seat]
        else:
            o.rewards[i] = _reward_alone(t, g, over)
        o.turns[i] = g[TURNS] - g[TOLD_TURNS]
        g[TOLD_TURNS] = g[TURNS]
        if over or cut:
            write_last(t, g, seat, o.final[i])
            counts[i] = deal(t, g, keys[i], counts[i])
        o.seats[i] = g[SEAT]
        write_seen(t, g, g[SEAT], o.seen[i])
        write_mask(t, g, mask)
