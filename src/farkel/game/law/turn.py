"""What a turn does: rolls, keeps, banks and farkles, and what they cost or bring."""

from __future__ import annotations

from farkel.game.law.allowed import *
from farkel.game.law.between_turns import *
from farkel.game.law.rows import *
from farkel.game.law.terms import ALL, Again, Finish, LandedOn, Outcome, Price, Terms, ZoneKind


def start_fresh(terms: Terms, now: Row) -> None:
    """Leave the offer, and start with all the dice."""
    now[PHASE], now[HAND], now[OFFER_POINTS], now[OFFER_HAND] = ROLL, terms.dice, 0, 0


def take_over(terms: Terms, mine: Row, now: Row, hand: int) -> None:
    """Start from the offer with this many of its dice. The price is paid before they fall (O13, L7)."""
    if terms.price == Price.LIVES:
        mine[LIVES] -= hand
    elif terms.price == Price.STAKE:
        mine[SCORE] -= terms.stake
    now[PHASE], now[HAND] = ROLL, hand
    now[IDLE], now[TAKING] = now[OFFER_HAND] - hand, True
    if terms.take_points:
        gain_taken(terms, mine, now, now[OFFER_POINTS])
    now[OFFER_POINTS] = now[OFFER_HAND] = 0


def gain_taken(terms: Terms, mine: Row, now: Row, points: int) -> None:
    """Add points to the turn total that were not rolled: they may not count toward the entry score (T3)."""
    now[POINTS] += points
    if not (terms.take_enters or on_board(mine)):
        mine[TAKEN] += points


def roll(terms: Terms, seats: Seats, now: Row, rolled: int) -> bool:
    """The dice have fallen. Returns whether that ends the turn.

    It goes on if the same dice are to roll again (P18, K10), or if the roll has cancelled a win (F23).
    """
    if terms.cancels and now[CLOSER] >= 0:
        settle_win(terms, seats, now, cancelled=not is_farkle(terms, rolled))
        return now[PHASE] == OVER
    again, rolled, first = rolls_again(terms, now, rolled), read_as(terms, now, rolled), on_first_roll(now)
    if terms.strikes[rolled] and strike(terms, seats, now, rolled):
        return now[PHASE] == OVER or not again
    if again:
        now[TRIED] += 1
        return False
    if is_farkle(terms, rolled):
        farkle(terms, seats, now, first)
        return True
    if now[TAKING]:
        take_scored(terms, seats[now[SEAT]], now)
    ask(terms, now, rolled)
    # Only now, as `ask` has counted this roll: if nothing of the last one may be banked it farkles (M4, F15).
    lost = is_last_roll(terms, seats[now[SEAT]], now) and not may_bank_any(terms, seats[now[SEAT]], now)
    if lost:
        farkle(terms, seats, now, first)
    return lost


def ask(terms: Terms, now: Row, rolled: int) -> None:
    """Ask for a keep of the roll, and count it, as far as the rules tell turns of more rolls apart."""
    now[PHASE], now[ROLLED], now[TRIED] = KEEP, rolled, 0
    if terms.counts_rolls:
        now[ROLLS] = min(now[ROLLS] + 1, terms.counts_rolls)


def strike(terms: Terms, seats: Seats, now: Row, rolled: int) -> bool:
    """Let the roll do at once what it does whatever is kept (D6, P17, F28). Returns whether nothing may be kept of it.

    Dice that are rolled again change nothing: the same roll is due once more (P18).
    """
    mine, outcome = seats[now[SEAT]], terms.outcome[rolled]
    if terms.fine[rolled] > 0 and terms.fines_turn:
        now[POINTS] = max(0, now[POINTS] - terms.fine[rolled])
    elif terms.fine[rolled] > 0:
        mine[SCORE] = fined(terms, mine[SCORE], terms.fine[rolled])
    elif terms.fine[rolled] < 0 and reward(terms, seats, now, -terms.fine[rolled]):
        return True
    if outcome == Outcome.WIN:
        end(now, 1 << now[SEAT], Reason.DICE)
    elif outcome == Outcome.LOSE:
        mine[GONE] = OUT
        pass_on(terms, seats, now, 0, 0)
    elif outcome == Outcome.ZERO:
        mine[SCORE] = min(0, mine[SCORE])
    return outcome == Outcome.WIN or outcome == Outcome.LOSE or outcome == Outcome.AGAIN


def reward(terms: Terms, seats: Seats, now: Row, points: int) -> bool:
    """Add points to the banked score at once, unless they pass an exact target (P17, K5).

    Returns whether that ends the game.
    """
    mine = seats[now[SEAT]]
    if terms.exact and mine[SCORE] + points > goal(terms, mine):
        return False
    mine[SCORE] += points
    return terms.target > 0 and mine[SCORE] >= goal(terms, mine) and now[CLOSER] < 0 and reached(terms, seats, now)


def reached(terms: Terms, seats: Seats, now: Row) -> bool:
    """The score of the seat has come to the target: it wins, or others play on. Returns whether it wins."""
    if terms.hit_round and not now[TIED] and bits_of_others(seats, now[SEAT]):
        stand(terms, seats, now, now[SEAT])
    elif terms.exact:
        end(now, 1 << now[SEAT], Reason.EXACT)
    elif terms.finish == Finish.AT_ONCE or len(seats) == 1:
        end(now, 1 << now[SEAT], Reason.TARGET)
    elif not now[TIED]:
        # A play-off is won by its highest score, and ends without last turns (F14).
        close(terms, seats, now, now[SEAT])
    return now[PHASE] == OVER


def take_scored(terms: Terms, mine: Row, now: Row) -> None:
    """The first roll of a take-over scores: a stake goes back (L7), and a bonus is earned (T5)."""
    if terms.price == Price.STAKE:
        mine[SCORE] += terms.stake
    gain_taken(terms, mine, now, terms.take_bonus)
    now[TAKING] = False


def roll_on(terms: Terms, seats: Seats, now: Row, keep: int) -> bool:
    """Set the keep aside and roll what is left. Returns whether what it pays at once ends the game (K5)."""
    won = pays_score(terms, now, keep) and reward(terms, seats, now, terms.hot_reward)
    if not won:
        set_aside(terms, now, keep)
    return won


def set_aside(terms: Terms, now: Row, keep: int) -> None:
    """Set the keep aside; what is left is to roll, or all the dice if none is (C7, S7)."""
    if terms.confirms:
        now[OWING] = owing_after(terms, now, keep)
    now[PHASE], now[ROLLED], now[POINTS], now[HAND] = ROLL, 0, total_with(terms, now, keep), terms.left[keep]
    if terms.extends:
        now[SETS] = terms.sets[keep]
    if terms.entry_by and terms.opens[keep]:
        now[OPENED] = True
    if terms.hot[keep]:
        if terms.counts_hot > now[HOT] and now[IDLE] == 0:
            now[HOT] += 1
        # A buyer who may not bank yet rolls on with all dice, those not bought among them (D3 before O17).
        now[IDLE] = 0


def bank(terms: Terms, seats: Seats, now: Row, keep: int) -> None:
    """Set the keep aside and bank, or win the game with it (P16)."""
    if terms.closes[keep] == WINS:
        end(now, 1 << now[SEAT], Reason.DICE)
        return
    if pays_score(terms, now, keep) and reward(terms, seats, now, terms.hot_reward):
        return
    bank_total(terms, seats, now, total_with(terms, now, keep), left_lying(terms, now, keep))


def bank_total(terms: Terms, seats: Seats, now: Row, total: int, left: int) -> None:
    """Add the turn total to the score, and leave the dice that lie there to the next seat."""
    seat = now[SEAT]
    mine = seats[seat]
    if terms.missed:
        move_target(terms, seats, mine[SCORE] + total)
    over = mine[SCORE] + total - goal(terms, mine)
    # A bank ends a row of farkles also if it goes over an exact target, as that is no farkle (D4).
    mine[FARKLES] = 0
    if terms.exact and over > 0:
        go_over(terms, seats, now, over)
        return
    if terms.cancels and over == 0 and left and seat_after(seats, seat) != seat:
        challenge(terms, seats, now, left)
        return
    add_to_score(terms, seats, seat, total)
    if terms.target and over >= 0 and (now[CLOSER] < 0 or terms.hit_round):
        if reached(terms, seats, now):
            return
    elif terms.again and now[CLOSER] >= 0 and not now[TIED]:
        follow(terms, seats, now, seat)
    pass_on(terms, seats, now, total, offered(terms, left, now[HOT]))
    # Players need not beat their own bank (M2).
    if terms.beat_previous and now[PHASE] != OVER and now[SEAT] != seat:
        seats[now[SEAT]][BEAT] = total


def go_over(terms: Terms, seats: Seats, now: Row, over: int) -> None:
    """A bank goes over an exact target by that much: it adds nothing, and may give others what goes over (D4, D13)."""
    if terms.zones:
        fail_on_barrel(terms, seats[now[SEAT]])
    if terms.finish == Finish.WELFARE and give(terms, seats, now, over):
        return
    pass_on(terms, seats, now, 0, 0)


def add_to_score(terms: Terms, seats: Seats, seat: int, total: int) -> None:
    """Add a bank to the score of a seat: it is on the board, and others may pay for where that brings it."""
    mine = seats[seat]
    if terms.catches_up:
        catch_up(terms, seats, seat, total)
    if terms.hit_round:
        mine[BEFORE] = mine[SCORE]
    mine[SCORE] += total
    if terms.zones:
        arrive(terms, mine)
    mine[ENTERED] = mine[ENTERED] | 1 << mine[PERSON] if terms.entry_each else -1


def challenge(terms: Terms, seats: Seats, now: Row, left: int) -> None:
    """Let the next seat roll the dice that a winning bank has left; the points wait for that (F23)."""
    here = now[SEAT]
    # In this order: with a bank that waits `pass_on` would let it win.
    pass_on(terms, seats, now, 0, 0)
    now[CLOSER], now[HAND] = here, left


def move_target(terms: Terms, seats: Seats, score: int) -> None:
    """Move the target on for everyone if a bank to that score misses it, and does not pass the next one too (F22)."""
    if terms.target < score <= terms.missed:
        for seat in range(len(seats)):
            seats[seat][MOVED] = 1


def arrive(terms: Terms, mine: Row) -> None:
    """A bank has ended: on a score that loses the whole of it (Z3), or on a barrel (Z4)."""
    mine[TRIES] = 0
    zone = zone_at(terms, mine[SCORE])
    if zone >= 0 and terms.zone_kind[zone] == ZoneKind.ZERO:
        mine[SCORE] = 0
    elif zone >= 0 and terms.zone_kind[zone] == ZoneKind.BARREL:
        mine[SCORE] = terms.zone_first[zone]


def fail_on_barrel(terms: Terms, mine: Row) -> None:
    """A turn has brought nothing: on a barrel that is a try, and the last one throws the seat off (Z5)."""
    zone = zone_at(terms, mine[SCORE])
    if zone < 0 or terms.zone_kind[zone] != ZoneKind.BARREL:
        mine[TRIES] = 0
        return
    mine[TRIES] += 1
    if mine[TRIES] < terms.zone_tries[zone]:
        return
    mine[TRIES] = 0
    mine[SCORE] = fined(terms, mine[SCORE], terms.zone_fine[zone])
    if terms.zone_times[zone]:
        mine[FALLS] += 1
        if mine[FALLS] >= terms.zone_times[zone]:
            mine[SCORE] = mine[FALLS] = 0


def close(terms: Terms, seats: ReadSeats, now: Row, seat: int) -> None:
    """The last turns or the last round begin: that seat has reached the target."""
    now[CLOSER] = seat
    if terms.again == Again.PASSED:
        now[OWED] = bits_of_others(seats, seat)


def stand(terms: Terms, seats: Seats, now: Row, seat: int) -> None:
    """That seat has hit the target and stands there: all others have a turn, or it knocks out who stood there (F27)."""
    if now[CLOSER] >= 0:
        first = seats[now[CLOSER]]
        first[SCORE] = first[BEFORE]
    else:
        now[OWED] = bits_of_others(seats, seat)
    now[CLOSER] = seat


def bits_of_others(seats: ReadSeats, seat: int) -> int:
    """Return all other seats that are still in the game, as bits."""
    bits = 0
    for other in range(len(seats)):
        if other != seat and seats[other][GONE] == IN:
            bits |= 1 << other
    return bits


def follow(terms: Terms, seats: ReadSeats, now: Row, seat: int) -> None:
    """A seat has banked in the last turns: if it passes the leader, they begin again (F10 to F12)."""
    best = -ALL
    for other in range(len(seats)):
        if other != seat and seats[other][GONE] == IN:
            best = max(best, seats[other][SCORE])
    score = seats[seat][SCORE]
    if score > best or (score == best and terms.again == Again.TIED):
        if terms.again == Again.PASSED:
            now[OWED] |= 1 << now[CLOSER]
        now[CLOSER] = seat


def catch_up(terms: Terms, seats: Seats, here: int, total: int) -> None:
    """What a bank of this many points costs those it lands on (F7, F8, F26), and those it overtakes (F9)."""
    mine = seats[here]
    reached = mine[SCORE] + total
    for seat in range(len(seats)):
        its = seats[seat]
        if seat == here or its[GONE] != IN:
            continue
        if its[SCORE] == reached and terms.landed_on != LandedOn.STAYS:
            lower = mine[SCORE] if terms.landed_on == LandedOn.SWAP else its[BEFORE]  # zero, unless they go back
            its[SCORE] = min(its[SCORE], lower)
        elif mine[SCORE] < its[SCORE] < reached:
            its[SCORE] = fined(terms, its[SCORE], terms.overtaken)
    if terms.landed_on == LandedOn.BACK:
        # The bank is added after this: it is the score before it that players are sent back to (F8).
        mine[BEFORE] = mine[SCORE]


def give(terms: Terms, seats: Seats, now: Row, over: int) -> bool:
    """Give what goes over the target to the lowest other score, the first to the left among equals, if it fits.

    Returns whether that ends the game.
    """
    here, lowest = now[SEAT], -1
    for step in range(1, len(seats)):
        seat = (here + step) % len(seats)
        if seats[seat][GONE] == IN and (lowest < 0 or seats[seat][SCORE] < seats[lowest][SCORE]):
            lowest = seat
    if lowest < 0 or seats[lowest][SCORE] + over > terms.target:
        return False
    seats[lowest][SCORE] += over
    if seats[lowest][SCORE] < terms.target:
        return False
    end(now, 1 << lowest, Reason.EXACT)
    return True


def farkle(terms: Terms, seats: Seats, now: Row, first: bool) -> None:
    """The turn total is lost (C6), and whatever else the rules take (O9, O10, X); ``first``: on the first roll."""
    mine = seats[now[SEAT]]
    # Points on offer are not the seat's own until the first roll has scored (F4, D15).
    total = 0 if now[TAKING] else now[POINTS]
    if keeps_total(terms, mine, now, total):
        bank_total(terms, seats, now, total, now[HAND] + now[IDLE])
        return
    # A try on a barrel counts before any penalty of the turn (Z5).
    if terms.zones:
        fail_on_barrel(terms, mine)
    lives, points = farkle_cost(terms, mine, now[HAND], first, total)
    if lives:
        mine[LIVES] = max(0, mine[LIVES] - lives)
        if mine[LIVES] == 0:
            mine[GONE] = OUT
    if terms.in_row:
        mine[FARKLES] = (mine[FARKLES] + 1) % terms.in_row
    if points:
        mine[SCORE] = fined(terms, mine[SCORE], points)
    leaves = terms.after_farkle and total and now[HAND] and not (terms.heavy and now[HOT])
    left = now[HAND] + now[IDLE] if leaves else 0
    pass_on(terms, seats, now, total, left)


def note(terms: Terms, seats: Seats, now: Row, points: int, hand: int, farkled: bool) -> None:
    """The end of a turn entered afterwards (D24); whatever was noted of it before does not count."""
    if terms.cancels and now[CLOSER] >= 0:
        settle_win(terms, seats, now, cancelled=not farkled)
        if farkled:
            return
    if now[PHASE] == OFFER:
        start_fresh(terms, now)
    if now[TAKING] and first_roll_scored(now, points, farkled):
        take_scored(terms, seats[now[SEAT]], now)
    if not farkled:
        bank_total(terms, seats, now, points, hand)
        return
    # With more dice than were in hand, those that lay idle have been rolled too (D12). Of unknown dice the
    # next seat can take nothing over.
    if hand > now[HAND]:
        now[IDLE] = 0
    first = hand == now[HAND] and on_first_roll(now) and (points == 0 or now[TAKING] != 0)
    # A player with points and all the dice in hand has had hot dice.
    if terms.heavy and points and hand == terms.dice and not now[TAKING]:
        now[HOT] = max(1, now[HOT])
    now[POINTS], now[HAND] = points, hand
    farkle(terms, seats, now, first)
