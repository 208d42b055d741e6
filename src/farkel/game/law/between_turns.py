"""Whose turn it is: the start, what is between two turns, and the end."""

from __future__ import annotations

from collections.abc import Sequence

from farkel.game.law.allowed import *
from farkel.game.law.rows import *
from farkel.game.law.terms import Again, Finish, Start, Terms, Ties


def deal(terms: Terms, seats: Seats, now: Row, people: Sequence[int]) -> None:
    """Begin a game, with this many people in each seat."""
    for place in range(PHASE, NOW):
        now[place] = 0
    for seat in range(len(seats)):
        mine = seats[seat]
        mine[SCORE] = mine[PERSON] = mine[FARKLES] = mine[THROWN] = mine[BEFORE] = 0
        mine[TAKEN] = mine[BEAT] = mine[TRIES] = mine[FALLS] = mine[MOVED] = 0
        mine[LIVES], mine[PEOPLE], mine[ENTERED], mine[GONE] = terms.lives, people[seat], 0 if terms.entry else -1, IN
    now[PHASE], now[CLOSER], now[ROUNDS], now[TAKING] = START, -1, terms.rounds, False
    if terms.start == Start.FIRST_SEAT or len(seats) == 1:
        begin(terms, seats, now, 0)


def begin(terms: Terms, seats: Seats, now: Row, first: int) -> None:
    """The first turn is that seat's."""
    for seat in range(len(seats)):
        seats[seat][THROWN] = 0
    now[PHASE], now[SEAT], now[FIRST], now[HAND] = ROLL, first, first, terms.dice
    now[MORE] = terms.turns_in_row - 1


def start_dice(terms: Terms) -> int:
    """Return how many dice each seat throws for the start: one, or all of them (F25)."""
    return terms.dice if terms.start == Start.HIGHEST_TOTAL else 1


def start_throw(terms: Terms, seats: Seats, now: Row, rolled: int) -> None:
    """A roll for the start: the first 6 (O12), or the highest or lowest with ties thrown again (S5, R1, F20, F25)."""
    seat, shown = now[SEAT], terms.pips[rolled]
    if terms.start != Start.FIRST_SIX:
        seats[seat][THROWN] = shown
        settle_throws(terms, seats, now)
    elif shown == 6:
        begin(terms, seats, now, seat)
    else:
        now[SEAT] = seat_after(seats, seat)


def settle_throws(terms: Terms, seats: Seats, now: Row) -> None:
    """Find who throws next for the start. Once all have thrown the best starts, and ties throw again."""
    highest, tied, best, waiting = -1, 0, 0, -1
    for seat in range(len(seats)):
        rank = start_rank(terms, seats[seat][THROWN])
        if rank == 0 and waiting < 0:
            waiting = seat
        if rank > highest:
            highest, tied, best = rank, 1, seat
        elif rank == highest:
            tied += 1
    if waiting < 0 and tied == 1:
        begin(terms, seats, now, best)
        return
    if waiting < 0:
        # From the last to the first, so that the first of those who tied throws next.
        for seat in range(len(seats) - 1, -1, -1):
            again = seats[seat][GONE] == IN and start_rank(terms, seats[seat][THROWN]) == highest
            seats[seat][THROWN] = 0 if again else -1
            waiting = seat if again else waiting
    now[SEAT] = waiting


def start_rank(terms: Terms, thrown: int) -> int:
    """Return how good a roll for the start is: the highest or the lowest is best (S5, F20, F25)."""
    return 7 - thrown if thrown > 0 and terms.start == Start.LOWEST_DIE else thrown


def pass_on(terms: Terms, seats: Seats, now: Row, points: int, left: int) -> None:
    """End the turn and begin the next one, with an offer to another seat if dice are left, or end the game."""
    if terms.cancels and now[CLOSER] >= 0:
        settle_win(terms, seats, now, cancelled=False)
        return
    here = now[SEAT]
    if terms.stays_from:
        fall(terms, seats)
    seats[here][TAKEN] = seats[here][BEAT] = 0
    if takes_another(terms, seats, now):
        now[MORE] -= 1
        next_turn(terms, now, here)
        return
    if terms.partners:
        seats[here][PERSON] = (seats[here][PERSON] + 1) % seats[here][PEOPLE]
    upcoming = seat_after(seats, here)
    # Otherwise nobody can be the last one standing, so that seats need not be counted after every turn.
    if (upcoming == here or seats[here][GONE] != IN) and thin_out(terms, seats, now):
        return
    upcoming = followed_by(terms, seats, now, upcoming)
    if now[PHASE] == OVER:
        return
    if now[CLOSER] >= 0 and now[ROUNDS] > 1 and passes(seats, here, now[FIRST], upcoming):
        now[ROUNDS] -= 1  # last turns may be off before they end (D26), and a limit of rounds holds again
    next_turn(terms, now, upcoming)
    now[MORE] = terms.turns_in_row - 1
    if left and upcoming != here:  # no player takes over from themselves (D14)
        now[PHASE], now[HAND], now[OFFER_POINTS], now[OFFER_HAND] = OFFER, 0, points, left


def fall(terms: Terms, seats: Seats) -> None:
    """Seats that have too few points when a turn has ended are to make the entry score again (M9)."""
    for seat in range(len(seats)):
        if seats[seat][SCORE] < terms.stays_from:
            seats[seat][ENTERED] = 0


def takes_another(terms: Terms, seats: ReadSeats, now: Read) -> bool:
    """Return whether the seat whose turn ends has another one before the dice pass on (F29)."""
    # A bank that reaches the target ends the row, but where the highest score after equal turns wins.
    leads = now[CLOSER] == now[SEAT] and (terms.finish != Finish.EQUAL_TURNS or terms.fewest)
    return now[MORE] > 0 and seats[now[SEAT]][GONE] == IN and not leads


def followed_by(terms: Terms, seats: Seats, now: Row, upcoming: int) -> int:
    """Return whose turn it is next, the upcoming seat's if no last turns or rounds say otherwise; or end the game."""
    here = now[SEAT]
    if now[OWED]:
        upcoming = owed_after(seats, now, here)
        if upcoming < 0:
            played = Reason.EXACT if terms.hit_round else Reason.LAST_TURNS
            upcoming = settle(terms, seats, now, Reason.PLAY_OFF if now[TIED] else played)
    elif now[CLOSER] >= 0:
        if terms.finish == Finish.EQUAL_TURNS and passes(seats, here, now[FIRST], upcoming):
            upcoming = settle(terms, seats, now, Reason.FEWEST_ROUNDS if terms.fewest else Reason.EQUAL_TURNS)
        elif terms.finish == Finish.LAST_TURNS and passes(seats, here, now[CLOSER], upcoming):
            upcoming = settle(terms, seats, now, Reason.LAST_TURNS)
    elif now[ROUNDS] and passes(seats, here, now[FIRST], upcoming):
        # Not once last turns have begun, which a limit of rounds does not cut short (D20).
        if now[ROUNDS] == 1:
            upcoming = settle(terms, seats, now, Reason.ROUNDS)
        else:
            now[ROUNDS] -= 1
    return upcoming


def settle_win(terms: Terms, seats: Seats, now: Row, cancelled: bool) -> None:
    """A waiting bank wins, unless the next seat has scored with the dice left and continues with its own turn (F23)."""
    winner = now[CLOSER]
    now[CLOSER] = -1
    if cancelled:
        next_turn(terms, now, now[SEAT])
    else:
        seats[winner][SCORE] = goal(terms, seats[winner])
        end(now, 1 << winner, Reason.EXACT)


def owed_after(seats: ReadSeats, now: Row, here: int) -> int:
    """Return the next seat that is still owed a turn, now that this one has had its own; -1: none (F10, F14)."""
    now[OWED] &= ~(1 << here)
    for step in range(1, len(seats)):
        seat = (here + step) % len(seats)
        if now[OWED] >> seat & 1 and seats[seat][GONE] == IN:
            return seat
    return -1


def settle(terms: Terms, seats: Seats, now: Row, reason: int) -> int:
    """All turns are played: the game ends, or those with equal scores play off (F14). Returns whose turn it is."""
    here, found = now[SEAT], winners(terms, seats, now)
    if found == 0 and now[TIED]:  # all who played off have left
        now[TIED] = 0
        found = winners(terms, seats, now)
    # Without its lowest bit nothing is left of a single winner.
    if terms.ties != Ties.PLAY_OFF or found & (found - 1) == 0:
        end(now, found, reason)
        return here
    now[TIED] = found
    # The seat that had its turn last is still to play too, if it is among them: it comes last.
    now[OWED] = found & ~(1 << here)
    upcoming = owed_after(seats, now, here)
    now[OWED] = found
    return upcoming


def thin_out(terms: Terms, seats: Seats, now: Row) -> bool:
    """See whether one team is the last standing, or none is left (O11, O20). Returns whether that ends the game."""
    alive, last = still_in(seats)
    if alive > 1 or (alive == 1 and (now[CLOSER] >= 0 or now[TIED] or len(seats) == 1)):
        return False
    if alive == 1 and (terms.standing_wins or terms.lives == 0):
        end(now, 1 << last, Reason.STANDING)
        return True
    if alive == 1:
        now[STANDING] = rounds_standing(terms, seats[last], now)
    if alive == 0 or now[STANDING] == 0:
        end(now, 0, Reason.NOBODY)
        return True
    return False


def next_turn(terms: Terms, now: Row, upcoming: int) -> None:
    """The turn of that seat begins, with all the dice."""
    now[PHASE], now[SEAT], now[HAND] = ROLL, upcoming, terms.dice
    now[POINTS] = now[IDLE] = now[HOT] = now[SETS] = now[OWING] = now[ROLLED] = now[OFFER_POINTS] = now[OFFER_HAND] = 0
    now[ROLLS] = now[TRIED] = now[OPENED] = now[TAKING] = False


def leave(terms: Terms, seats: Seats, now: Row, gone: int) -> bool:
    """A seat gives up. The last one at the table wins, but plays on against the target if O20 says so.

    Returns whether that ends a turn: the seat's own, or with the game that of another.
    """
    own = gone == now[SEAT] and now[PHASE] != START
    seats[gone][GONE] = AWAY
    if terms.cancels and now[CLOSER] >= 0 and (gone == now[CLOSER] or gone == now[SEAT]):
        settle_win(terms, seats, now, cancelled=gone == now[CLOSER])
        if now[PHASE] == OVER:
            return True
    if now[CLOSER] >= 0 and seats[now[CLOSER]][GONE] == AWAY and not any_reached(terms, seats):
        now[CLOSER], now[OWED], now[TIED] = -1, 0, 0
    continue_without(terms, seats, now, gone)
    return own or now[PHASE] == OVER


def continue_without(terms: Terms, seats: Seats, now: Row, gone: int) -> None:
    """A seat has left the table: the game continues without it, or ends."""
    alive, last = still_in(seats)
    plays_on = terms.lives > 0 and not terms.standing_wins
    if alive == 0:
        end(now, 0, Reason.NOBODY)
    elif alive == 1 and not plays_on:
        end(now, 1 << last, Reason.LEFT)
    elif now[PHASE] == START:
        leave_start(terms, seats, now, gone, alive, last)
    elif gone == now[SEAT]:
        pass_on(terms, seats, now, 0, 0)
    elif alive == 1 and now[CLOSER] < 0:
        # The turn that is under way is the first of its rounds (D17).
        now[STANDING] = rounds_standing(terms, seats[last], now)


def any_reached(terms: Terms, seats: ReadSeats) -> bool:
    """Return whether a seat that is still in the game has reached the target."""
    found = False
    for seat in range(len(seats)):
        found = found or (seats[seat][GONE] == IN and seats[seat][SCORE] >= goal(terms, seats[seat]))
    return found


def leave_start(terms: Terms, seats: Seats, now: Row, gone: int, alive: int, last: int) -> None:
    """A seat gives up before it is known who starts."""
    if alive == 1:
        now[STANDING] = rounds_standing(terms, seats[last], now)
        begin(terms, seats, now, last)
    elif terms.start != Start.FIRST_SIX:
        seats[gone][THROWN] = -1
        settle_throws(terms, seats, now)
    elif gone == now[SEAT]:
        now[SEAT] = seat_after(seats, gone)


def rounds_standing(terms: Terms, mine: Read, now: Read) -> int:
    """Rounds left to the last team standing: one for every ``round_points`` or part of it short of the target (O20)."""
    if now[STANDING]:
        return now[STANDING] - 1
    # In points, as a target in units may have been rounded up.
    target = goal(terms, mine) * terms.unit if mine[MOVED] else terms.target_points
    return -((mine[SCORE] * terms.unit - target) // terms.round_points)


def still_in(seats: ReadSeats) -> tuple[int, int]:
    """Return how many seats are still in the game, and the last of them."""
    alive, last = 0, 0
    for seat in range(len(seats)):
        if seats[seat][GONE] == IN:
            alive, last = alive + 1, seat
    return alive, last


def seat_after(seats: ReadSeats, seat: int) -> int:
    """Return the next seat to the left that is still in the game; the seat itself if there is no other (C8)."""
    for _ in range(len(seats)):
        seat = seat + 1 if seat + 1 < len(seats) else 0
        if seats[seat][GONE] == IN:
            break
    return seat


def passes(seats: ReadSeats, here: int, seat: int, upcoming: int) -> bool:
    """Return whether the dice, on their way from here to the upcoming seat, come to that seat or pass it."""
    # Counted from the seat after here, so that the way round the table back to here is the longest one.
    return (seat - here - 1) % len(seats) <= (upcoming - here - 1) % len(seats)


def winners(terms: Terms, seats: ReadSeats, now: Read) -> int:
    """The highest scores of those still in, as bits. Who was there first may beat an equal score (D1, F24).

    Players in a play-off have equal scores before it, and only they can win (F14).
    """
    # Whoever began the last turns was there first, and is looked at first (D1, F24).
    first = max(0, now[CLOSER])
    alone = now[CLOSER] >= 0 and now[TIED] == 0 and first_wins(terms)
    capped = terms.fewest and now[CLOSER] >= 0 and now[TIED] == 0
    found, highest = 0, 0
    for step in range(len(seats)):
        seat = (first + step) % len(seats)
        if seats[seat][GONE] != IN or (now[TIED] and not now[TIED] >> seat & 1):
            continue
        score = min(seats[seat][SCORE], terms.target) if capped else seats[seat][SCORE]
        if found == 0 or score > highest:
            found, highest = 1 << seat, score
        elif score == highest and not alone:
            found |= 1 << seat
    return found


def first_wins(terms: Terms) -> bool:
    """Return whether equal scores do not beat the one that was there first, once the target is reached (D1, F24)."""
    return terms.ties == Ties.FIRST or (terms.finish == Finish.LAST_TURNS and terms.again != Again.TIED)


def is_behind(terms: Terms, seats: Seats, now: Read, total: int) -> bool:
    """Return whether the seat to move would not win if it banked that turn total and the game ended then."""
    seat = now[SEAT]
    mine = seats[seat]
    # Changed for the length of the question: to copy the rows would take longer than to ask.
    mine[SCORE] += total
    found = winners(terms, seats, now)
    mine[SCORE] -= total
    return not found >> seat & 1


def only_adds(terms: Terms) -> bool:
    """Return whether a turn does nothing to scores but to add what it banks, and no other one follows or is given."""
    others = terms.turns_in_row > 1 or terms.risks or changes_scores(terms) or terms.exact
    return not (others or terms.again or terms.keeps_win or terms.hot_reward)


def is_lost(terms: Terms, seats: Seats, now: Row, seat: int) -> bool:
    """Return whether a seat whose turn has just ended can no longer win, whatever the others do. The rows are used up.

    Those still to play do as badly as they can: they score nothing, or leave, where a turn may cost more than that.
    """
    # Others may give the seat another turn, or points, so that nothing is certain.
    if now[PHASE] != OVER and (terms.again or changes_scores(terms)):
        return False
    while now[PHASE] != OVER and now[SEAT] != seat:
        if terms.risks:
            leave(terms, seats, now, now[SEAT])
        elif now[TIED] and not now[TIED] >> seat & 1:
            return True  # others play off (F14)
        else:
            pass_on(terms, seats, now, 0, 0)
    return now[PHASE] == OVER and not now[WINNERS] >> seat & 1


def end(now: Row, winning: int, reason: int) -> None:
    """The game is over; winners are bits of seats."""
    now[PHASE], now[WINNERS], now[REASON] = OVER, winning, reason
    now[POINTS] = now[HAND] = now[IDLE] = now[HOT] = now[SETS] = now[OWING] = now[ROLLED] = 0
    now[OFFER_POINTS] = now[OFFER_HAND] = 0
    now[ROLLS] = now[TRIED] = now[OPENED] = now[OWED] = now[TIED] = now[MORE] = now[TAKING] = False
