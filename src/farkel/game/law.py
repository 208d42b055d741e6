"""The rules of play: what may be done, and what follows from it. Each is said here and nowhere else.

A game is two rows of whole numbers: ``now``, and one of each seat in ``seats``. The functions change them. They are
plain Python that `farkel.game.engine` runs as it stands, and that `farkel.machine` compiles for millions of games: the
rows are lists there and arrays here. Nothing here throws dice, knows names or faces, or makes a sentence.

Clause numbers are those of ``docs/rules.md``. How to add a rule is told in ``docs/architecture.md``.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from enum import IntEnum
from typing import Protocol

from farkel.game.terms import (
    ALL,
    Again,
    Close,
    EntryBy,
    Finish,
    LandedOn,
    Outcome,
    Price,
    Start,
    Terms,
    TurnTotal,
    ZoneKind,
)

Row = MutableSequence[int]
Read = Sequence[int]
"""A row that is only read."""


class Seats(Protocol):
    """The rows of the seats, by seat."""

    def __getitem__(self, seat: int, /) -> Row: ...
    def __len__(self) -> int: ...


class ReadSeats(Protocol):
    """The rows of the seats, only to be read."""

    def __getitem__(self, seat: int, /) -> Read: ...
    def __len__(self) -> int: ...


PHASE, SEAT, POINTS, HAND, IDLE, TAKING, HOT, FIRST, CLOSER, ROUNDS, STANDING = range(2, 13)
ROLLED, OFFER_POINTS, OFFER_HAND, WINNERS, REASON = range(13, 18)
"""Places of ``now``: a `farkel.game.State` is such a row. Its first two places, the rules and the seats, are no numbers
and are not used here. The hand is what `State.dice` is; winners and those owed a turn or tied are bits of seats."""
ROLLS, OPENED, OWED, TIED, SETS, OWING = range(18, 24)
NOW = 24

SCORE, LIVES, PEOPLE, PERSON, ENTERED, FARKLES, GONE, THROWN, BEFORE = range(9)
TAKEN, BEAT, TRIES, FALLS = range(9, 13)
"""Places of a seat's row, as the fields of `farkel.game.Seat`."""
SEAT_ROW = 13


class Phase(IntEnum):
    """What a state waits for."""

    START = 0
    """One die, thrown to find out who starts."""
    OFFER = 1
    """A decision: start fresh or take over."""
    ROLL = 2
    """A throw of ``dice`` dice."""
    KEEP = 3
    """A decision: what to keep of ``roll``, and whether to roll on or bank."""
    OVER = 4


class Reason(IntEnum):
    """How a game ended; `farkel.game.Result` has the name in small letters."""

    TARGET = 1
    EXACT = 2
    LAST_TURNS = 3
    EQUAL_TURNS = 4
    ROUNDS = 5
    STANDING = 6
    LEFT = 7
    NOBODY = 8
    FEWEST_ROUNDS = 9
    PLAY_OFF = 10
    DICE = 11
    """Dice that win the game (P16, P17)."""


class Why(IntEnum):
    """Why something may not be done; its code has the name in small letters."""

    MAY = 0
    BELOW_ENTRY = 1
    BELOW_MINIMUM = 2
    MUST_ROLL_HOT_DICE = 3
    TRIPLE_MUST_BANK = 4
    BOUGHT_MUST_BANK = 5
    NOT_SO_MANY_DICE = 6
    ALL_DICE_OR_NONE = 7
    TOO_FEW_LIVES = 8
    TOO_FEW_POINTS = 9
    NOT_A_MULTIPLE = 10
    NOT_MORE_THAN_PREVIOUS = 11
    TOO_MANY_DICE_LEFT = 12
    TOO_FEW_ROLLS = 13
    NO_ROLL_LEFT = 14
    ENTRY_IN_ONE_ROLL = 15
    ENTRY_BY_TRIPLE = 16
    NOT_ON_BOARD = 17
    BELOW_TAKE_OVER_SCORE = 18
    FORBIDDEN_SCORE = 19
    MUST_LEAVE = 20
    NEEDS_HOT_DICE = 21
    MUST_CONFIRM = 22
    COMBINATION_MUST_BANK = 23
    WINS_THE_GAME = 24
    MUST_KEEP_ALL_TO_WIN = 25


# Looked up once: as attributes of their classes they would take as long as what they are compared with.
START, OFFER, ROLL, KEEP, OVER = Phase
MAY = Why.MAY
WINS = Close.WINS
IN, OUT, AWAY = range(3)
"""What a seat's GONE says: still in the game, out of it (O11, P17), or gone from the table."""


# What may be done -----------------------------------------------------------------------------------------------------


def on_board(mine: Read) -> bool:
    """Whether the person whose turn it is may bank less than the entry score (S6, L5)."""
    return mine[ENTERED] >> mine[PERSON] & 1 != 0


def bank_needs(terms: Terms, mine: Read) -> int:
    """The turn total that the seat needs to bank (S6, R7): more than the seat before banked if that counts (M2)."""
    needs = terms.minimum if terms.entry == 0 or on_board(mine) else terms.entry + mine[TAKEN]
    return max(needs, mine[BEAT] + 1) if mine[BEAT] else needs


def hits_target(terms: Terms, mine: Read, total: int) -> bool:
    """Whether banking the total hits a target that must be hit exactly (D4, D11)."""
    return terms.exact and mine[SCORE] + total == terms.target


def total_with(terms: Terms, now: Read, keep: int) -> int:
    """The turn total with that keep: its points count more often after hot dice that multiply (X)."""
    total = now[POINTS] + terms.worth[keep] * (1 + now[HOT] * terms.multiplier)
    return total + terms.hot_bonus if terms.hot_bonus and makes_hot_dice(terms, now, keep) else total


def makes_hot_dice(terms: Terms, now: Read, keep: int) -> bool:
    """Whether the keep sets aside all the dice of the turn: not if some lie idle (D12)."""
    return terms.hot[keep] and now[IDLE] == 0


def owing_after(terms: Terms, now: Read, keep: int) -> int:
    """Points that must still be set aside after the keep before the turn may be banked (P16)."""
    return max(terms.owes[keep], now[OWING] - (total_with(terms, now, keep) - now[POINTS]))


def still_owing(terms: Terms, mine: Read, now: Read) -> int:
    """Points that must still be set aside before the turn may be banked, whatever was taken over (P16, T3)."""
    short = bank_needs(terms, mine) - now[POINTS] if mine[TAKEN] else 0
    return max(now[OWING], short)


def why_not_total(terms: Terms, mine: Read, total: int) -> int:
    """Why so many points may not be banked in a turn, a `Why`."""
    few = total < bank_needs(terms, mine)
    odd = terms.multiple != 0 and total * terms.unit % terms.multiple != 0
    if not (few or odd) or hits_target(terms, mine, total):
        return why_not_there(terms, mine, total) if terms.zones else MAY
    if odd and not few:
        return Why.NOT_A_MULTIPLE
    if mine[BEAT] and total <= mine[BEAT]:
        return Why.NOT_MORE_THAN_PREVIOUS
    return Why.BELOW_MINIMUM if on_board(mine) else Why.BELOW_ENTRY


def zone_at(terms: Terms, score: int) -> int:
    """The zone of a score; -1 if it lies in none."""
    for zone in range(terms.zones):
        if terms.zone_first[zone] <= score <= terms.zone_last[zone]:
            return zone
    return -1


def why_not_there(terms: Terms, mine: Read, total: int) -> int:
    """Why no bank of so many points may end where it would, a `Why` (Z1, Z2, Z4)."""
    here, there = zone_at(terms, mine[SCORE]), zone_at(terms, mine[SCORE] + total)
    if there >= 0 and terms.zone_kind[there] == ZoneKind.NEVER:
        return Why.FORBIDDEN_SCORE
    stays = there >= 0 and here == there and terms.zone_kind[there] != ZoneKind.ZERO
    return Why.MUST_LEAVE if stays else MAY


def why_must_roll(terms: Terms, now: Read, keep: int) -> int:
    """Why the keep may not be banked whatever the turn total, a `Why`."""
    if must_roll_hot_dice(terms, now, keep):
        return Why.MUST_ROLL_HOT_DICE
    if terms.bank_left >= 0 and left_lying(terms, now, keep) > terms.bank_left:
        return Why.TOO_MANY_DICE_LEFT
    if terms.confirms and owing_after(terms, now, keep) > 0:
        return Why.MUST_CONFIRM
    return Why.TOO_FEW_ROLLS if now[ROLLS] < terms.least_rolls else MAY


def must_roll_hot_dice(terms: Terms, now: Read, keep: int) -> bool:
    """Whether the keep is of hot dice that must be rolled (S7).

    Not after three alike that end the turn (D5), nor after the last roll (M4).
    """
    forced = terms.forced and makes_hot_dice(terms, now, keep) and not terms.binds[now[ROLLED]]
    return forced and not is_last_roll(terms, now)


def is_last_roll(terms: Terms, now: Read) -> bool:
    """Whether nothing may be rolled any more in this turn (M4), as in last turns of one roll (F15)."""
    return (terms.most_rolls != 0 and now[ROLLS] >= terms.most_rolls) or (terms.last_roll and now[CLOSER] >= 0)


def why_not_bank(terms: Terms, mine: Read, now: Read, keep: int) -> int:
    """Why the keep may not be banked, a `Why`."""
    if terms.closes[keep] == WINS:
        return MAY
    why = why_not_total(terms, mine, total_with(terms, now, keep))
    if why == MAY and terms.entry_by and not on_board(mine):
        why = why_not_entered(terms, mine, now, keep)
    if why == MAY and terms.hot_wins and not may_win(terms, mine, now, keep):
        return Why.NEEDS_HOT_DICE
    if why == MAY and terms.whole_wins and terms.part[keep] and reaches(terms, mine, total_with(terms, now, keep)):
        return Why.MUST_KEEP_ALL_TO_WIN
    return why_must_roll(terms, now, keep) if why == MAY else why


def may_win(terms: Terms, mine: Read, now: Read, keep: int) -> bool:
    """Whether the bank may reach the target, if it does: all dice were set aside in the turn (F16)."""
    total = total_with(terms, now, keep)
    return not reaches(terms, mine, total) or now[HOT] > 0 or (terms.hot[keep] and now[IDLE] == 0)


def reaches(terms: Terms, mine: Read, total: int) -> bool:
    """Whether banking the total reaches the target, or hits it if it must be hit."""
    short = terms.target - mine[SCORE] - total
    return short == 0 if terms.exact else short <= 0


def why_not_entered(terms: Terms, mine: Read, now: Read, keep: int) -> int:
    """Why a seat may not get on the board with the keep, a `Why`, although it has the points for it (M5)."""
    if now[OPENED] or terms.opens[keep] or hits_target(terms, mine, total_with(terms, now, keep)):
        return MAY
    return Why.ENTRY_IN_ONE_ROLL if terms.entry_by == EntryBy.ROLL else Why.ENTRY_BY_TRIPLE


def must_bank(terms: Terms, mine: Read, now: Read) -> bool:
    """Whether the roll ends the turn: three alike do, if any keep of them may be banked (R7, D5)."""
    return bool(terms.binds[now[ROLLED]]) and may_bank_any(terms, mine, now)


def why_not_roll(terms: Terms, now: Read, keep: int, may_bank: bool, must: bool) -> int:
    """Why nothing may be rolled after a keep that may, or may not, be banked, a `Why`; ``must`` is `must_bank`."""
    if terms.closes[keep] == WINS:
        return Why.WINS_THE_GAME
    if must:
        return Why.TRIPLE_MUST_BANK
    if is_last_roll(terms, now):
        return Why.NO_ROLL_LEFT
    if may_bank and terms.closes[keep]:
        return Why.COMBINATION_MUST_BANK
    # When all bought dice are set aside they are banked, as those not bought may not be rolled (O17); if they may not
    # be banked, all dice are rolled (D3).
    if may_bank and now[IDLE] and terms.hot[keep]:
        return Why.BOUGHT_MUST_BANK
    return MAY


def why_not_take(terms: Terms, mine: Read, now: Read, hand: int) -> int:
    """Why a turn may not start from the offer with so many of its dice, a `Why`."""
    if not 1 <= hand <= now[OFFER_HAND]:
        return Why.NOT_SO_MANY_DICE
    if hand != now[OFFER_HAND] and not terms.choose_dice:
        return Why.ALL_DICE_OR_NONE
    if terms.take_on_board and not on_board(mine):
        return Why.NOT_ON_BOARD
    if terms.take_from_score and mine[SCORE] < terms.take_from_score:
        return Why.BELOW_TAKE_OVER_SCORE
    if terms.price == Price.LIVES and mine[LIVES] <= hand:
        return Why.TOO_FEW_LIVES
    if terms.price == Price.STAKE and mine[SCORE] < terms.stake:
        return Why.TOO_FEW_POINTS
    return MAY


# The start ------------------------------------------------------------------------------------------------------------


def deal(terms: Terms, seats: Seats, now: Row, people: Sequence[int]) -> None:
    """Begin a game, with so many people in each seat."""
    for place in range(PHASE, NOW):
        now[place] = 0
    for seat in range(len(seats)):
        mine = seats[seat]
        mine[SCORE] = mine[PERSON] = mine[FARKLES] = mine[THROWN] = mine[BEFORE] = 0
        mine[TAKEN] = mine[BEAT] = mine[TRIES] = mine[FALLS] = 0
        mine[LIVES], mine[PEOPLE], mine[ENTERED], mine[GONE] = terms.lives, people[seat], 0 if terms.entry else -1, IN
    now[PHASE], now[CLOSER], now[ROUNDS], now[TAKING] = START, -1, terms.rounds, False
    if terms.start == Start.FIRST_SEAT or len(seats) == 1:
        begin(terms, seats, now, 0)


def begin(terms: Terms, seats: Seats, now: Row, first: int) -> None:
    """The first turn is that seat's."""
    for seat in range(len(seats)):
        seats[seat][THROWN] = 0
    now[PHASE], now[SEAT], now[FIRST], now[HAND] = ROLL, first, first, terms.dice


def start_throw(terms: Terms, seats: Seats, now: Row, face: int) -> None:
    """One die for the start: the first 6 (O12), or the highest or lowest with ties thrown again (S5, R1, F20)."""
    seat = now[SEAT]
    if terms.start != Start.FIRST_SIX:
        seats[seat][THROWN] = face
        settle_throws(terms, seats, now)
    elif face == 6:
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
        for seat in range(len(seats) - 1, -1, -1):
            again = seats[seat][GONE] == IN and start_rank(terms, seats[seat][THROWN]) == highest
            seats[seat][THROWN] = 0 if again else -1
            waiting = seat if again else waiting
    now[SEAT] = waiting


def start_rank(terms: Terms, thrown: int) -> int:
    """How good a die for the start is: the highest or the lowest is best (S5, F20)."""
    return 7 - thrown if thrown > 0 and terms.start == Start.LOWEST_DIE else thrown


# A turn ---------------------------------------------------------------------------------------------------------------


def start_fresh(terms: Terms, now: Row) -> None:
    """Leave the offer, and start with all the dice."""
    now[PHASE], now[HAND], now[OFFER_POINTS], now[OFFER_HAND] = ROLL, terms.dice, 0, 0


def take_over(terms: Terms, mine: Row, now: Row, hand: int) -> None:
    """Start from the offer with so many of its dice. The price is paid before they fall (O13, L7)."""
    if terms.price == Price.LIVES:
        mine[LIVES] -= hand
    elif terms.price == Price.STAKE:
        mine[SCORE] -= terms.stake
    now[PHASE], now[HAND] = ROLL, hand
    now[IDLE], now[TAKING] = now[OFFER_HAND] - hand, True
    if terms.take_points:
        gain_taken(terms, mine, now, now[OFFER_POINTS])
    now[OFFER_POINTS] = now[OFFER_HAND] = 0


def as_open(terms: Terms, now: Read, rolled: int) -> int:
    """The number of a roll, if so it is numbered with nothing open that dice may extend (K1)."""
    return rolled + terms.shift[now[SETS]] if terms.extends else rolled


def gain_taken(terms: Terms, mine: Row, now: Row, points: int) -> None:
    """Add points to the turn total that were not rolled: they may not count toward the entry score (T3)."""
    now[POINTS] += points
    if not (terms.take_enters or on_board(mine)):
        mine[TAKEN] += points


def is_farkle(terms: Terms, rolled: int) -> bool:
    """Whether no keep of the roll scores (C6)."""
    return terms.first_keep[rolled] == terms.first_keep[rolled + 1]


def read_as(terms: Terms, now: Read, rolled: int) -> int:
    """The number of the roll as it counts now (P15)."""
    return terms.as_first[rolled] if begins_turn(terms, now) else rolled


def begins_turn(terms: Terms, now: Read) -> bool:
    """Whether the first roll of a turn is due that is told apart: nothing is set aside yet, nor taken over (P15)."""
    return terms.firsts and now[POINTS] == 0 and not now[TAKING]


def changes_no_seat(terms: Terms, now: Read, rolled: int) -> bool:
    """Whether the roll leaves the seats as they are: it only asks for a keep."""
    rolled = read_as(terms, now, rolled)
    last = (terms.most_rolls and now[ROLLS] + 1 >= terms.most_rolls) or (terms.last_roll and now[CLOSER] >= 0)
    return not (now[TAKING] or terms.strikes[rolled] or is_farkle(terms, rolled) or last)


def roll(terms: Terms, seats: Seats, now: Row, rolled: int) -> None:
    """The dice have fallen."""
    rolled = read_as(terms, now, rolled)
    if terms.strikes[rolled] and strike(terms, seats, now, rolled):
        return
    if is_farkle(terms, rolled):
        farkle(terms, seats, now, on_first_roll(now))
        return
    if now[TAKING]:
        take_scored(terms, seats[now[SEAT]], now)
    now[PHASE], now[ROLLED] = KEEP, rolled
    if terms.counts_rolls or terms.last_roll:
        count_roll(terms, now)
        if is_last_roll(terms, now) and not may_bank_any(terms, seats[now[SEAT]], now):
            farkle(terms, seats, now, on_first_roll(now))


def count_roll(terms: Terms, now: Row) -> None:
    """Count a roll of the turn, as far as the rules tell turns of more rolls apart."""
    now[ROLLS] = min(now[ROLLS] + 1, terms.counts_rolls)


def may_bank_any(terms: Terms, mine: Read, now: Read) -> bool:
    """Whether some keep of the roll may be banked."""
    rolled = now[ROLLED]
    for keep in range(terms.first_keep[rolled], terms.first_keep[rolled + 1]):
        if why_not_bank(terms, mine, now, keep) == MAY:
            return True
    return False


def strike(terms: Terms, seats: Seats, now: Row, rolled: int) -> bool:
    """Let the roll do at once what it does whatever is kept (D6, P17). Returns whether that ends the turn."""
    mine, outcome = seats[now[SEAT]], terms.outcome[rolled]
    if terms.fine[rolled] > 0:
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
    return outcome == Outcome.WIN or outcome == Outcome.LOSE


def reward(terms: Terms, seats: Seats, now: Row, points: int) -> bool:
    """Add points to the banked score at once, unless they pass an exact target (P17, K5).

    Returns whether that ends the game.
    """
    mine = seats[now[SEAT]]
    if terms.exact and mine[SCORE] + points > terms.target:
        return False
    mine[SCORE] += points
    return terms.target > 0 and mine[SCORE] >= terms.target and now[CLOSER] < 0 and reached(terms, seats, now)


def reached(terms: Terms, seats: Seats, now: Row) -> bool:
    """The score of the seat has come to the target: it wins, or the last turns begin. Returns whether it wins."""
    if terms.exact:
        end(now, 1 << now[SEAT], Reason.EXACT)
    elif terms.finish == Finish.AT_ONCE or len(seats) == 1:
        end(now, 1 << now[SEAT], Reason.TARGET)
    elif not now[TIED]:
        close(terms, seats, now, now[SEAT])
    return now[PHASE] == OVER


def take_scored(terms: Terms, mine: Row, now: Row) -> None:
    """The first roll of a take-over scores: a stake goes back (L7), and a bonus is earned (T5)."""
    if terms.price == Price.STAKE:
        mine[SCORE] += terms.stake
    gain_taken(terms, mine, now, terms.take_bonus)
    now[TAKING] = False


def pays_score(terms: Terms, now: Read, keep: int) -> bool:
    """Whether the keep adds to the banked score, even if its player rolls on (K5)."""
    return terms.hot_reward > 0 and makes_hot_dice(terms, now, keep)


def roll_on(terms: Terms, seats: Seats, now: Row, keep: int) -> None:
    """Set the keep aside and roll what is left, or all the dice if none is (C7, S7)."""
    if pays_score(terms, now, keep) and reward(terms, seats, now, terms.hot_reward):
        return
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


def left_lying(terms: Terms, now: Read, keep: int) -> int:
    """Dice that lie there when the keep is banked: those not set aside, and those of an offer never taken (O18).

    None lie there if all would be rolled again (K6).
    """
    if terms.all_again:
        return 0
    return now[IDLE] + (0 if terms.hot[keep] else terms.left[keep])


def bank_total(terms: Terms, seats: Seats, now: Row, total: int, left: int) -> None:
    """Add the turn total to the score, and leave the dice that lie there to the next seat."""
    seat = now[SEAT]
    mine = seats[seat]
    over = mine[SCORE] + total - terms.target
    mine[FARKLES] = 0
    if terms.exact and over > 0:
        if terms.zones:
            fail_on_barrel(terms, mine)
        if terms.finish == Finish.WELFARE and give(terms, seats, now, over):
            return
        pass_on(terms, seats, now, 0, 0)
        return
    if terms.catches_up:
        catch_up(terms, seats, seat, total)
    mine[SCORE] += total
    if terms.zones:
        arrive(terms, mine)
    mine[ENTERED] = mine[ENTERED] | 1 << mine[PERSON] if terms.entry_each else -1
    if terms.target and over >= 0 and now[CLOSER] < 0:
        if reached(terms, seats, now):
            return
    elif terms.again and now[CLOSER] >= 0 and not now[TIED]:
        follow(terms, seats, now, seat)
    pass_on(terms, seats, now, total, offered(terms, left, now[HOT]))
    if terms.beat_previous and now[PHASE] != OVER and now[SEAT] != seat:
        seats[now[SEAT]][BEAT] = total


def arrive(terms: Terms, mine: Row) -> None:
    """A bank has ended: where it loses the whole score (Z3), or on a barrel (Z4)."""
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


def bits_of_others(seats: ReadSeats, seat: int) -> int:
    """All other seats that are still in the game, as bits."""
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
    """What a bank of so many points costs those whose score it lands on (F7, F8), and those it overtakes (F9)."""
    mine = seats[here]
    reached = mine[SCORE] + total
    for seat in range(len(seats)):
        its = seats[seat]
        if seat == here or its[GONE] != IN:
            continue
        if its[SCORE] == reached and terms.landed_on != LandedOn.STAYS:
            its[SCORE] = min(its[SCORE], its[BEFORE])  # nothing, if they fall to zero
        elif mine[SCORE] < its[SCORE] < reached:
            its[SCORE] = fined(terms, its[SCORE], terms.overtaken)
    if terms.landed_on == LandedOn.BACK:
        mine[BEFORE] = mine[SCORE]


def offered(terms: Terms, left: int, hot: int) -> int:
    """Dice that a bank leaves on offer (D9): none in a heavy turn, one with hot dice, if the rules say so (T1)."""
    if terms.price == Price.NONE or (terms.heavy and hot):
        return 0
    return terms.dice if left == 0 and terms.after_hot_dice else left


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


def on_first_roll(now: Read) -> bool:
    """Whether the roll is the first one of the turn: nothing is set aside yet."""
    return now[POINTS] == 0 or now[TAKING] != 0


def farkle(terms: Terms, seats: Seats, now: Row, first: bool) -> None:
    """The turn total is lost (C6), and whatever else the rules take (O9, O10, X); ``first``: on the first roll."""
    mine = seats[now[SEAT]]
    total = 0 if now[TAKING] else now[POINTS]
    if keeps_total(terms, mine, now, total):
        bank_total(terms, seats, now, total, now[HAND] + now[IDLE])
        return
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


def keeps_total(terms: Terms, mine: Read, now: Read, total: int) -> bool:
    """Whether a farkle leaves its turn total to the seat, as it might have banked so many points before (F5)."""
    if terms.turn_total != TurnTotal.KEPT or total == 0 or now[OWING] or why_not_total(terms, mine, total) != MAY:
        return False
    entered = terms.entry_by == EntryBy.TURN or on_board(mine) or now[OPENED] != 0
    return entered or hits_target(terms, mine, total)


def farkle_cost(terms: Terms, mine: Read, hand: int, first: bool, total: int) -> tuple[int, int]:
    """Lives and banked points that a farkle costs besides the turn total that it loses (O9, O10, X, F1 to F4)."""
    all_dice = hand == terms.dice
    points = terms.farkle_points + (terms.all_dice_points if all_dice else 0)
    points += terms.first_roll_points if first else 0
    points += terms.not_beaten_points if mine[BEAT] else 0
    if terms.in_row and mine[FARKLES] + 1 == terms.in_row:
        points += terms.in_row_points
    if terms.turn_total == TurnTotal.SUBTRACTED:
        points += total
    if points >= ALL:
        points = max(0, mine[SCORE])
    return terms.lives_all if all_dice else terms.lives_farkle, points


def fined(terms: Terms, score: int, points: int) -> int:
    """The score after a fine: it stops at zero if the rules say so (D6)."""
    return score - points if terms.below_zero else min(score, max(0, score - points))


def note(terms: Terms, seats: Seats, now: Row, points: int, hand: int, farkled: bool) -> None:
    """The end of a turn that nobody followed (D24); what was told of it before does not count."""
    if now[PHASE] == OFFER:
        start_fresh(terms, now)
    if now[TAKING] and first_roll_scored(now, points, farkled):
        take_scored(terms, seats[now[SEAT]], now)
    if not farkled:
        bank_total(terms, seats, now, points, hand)
        return
    # With more dice than were in hand, those that lay idle have been rolled too (D12). Of dice that nobody knows the
    # next seat can take nothing over.
    if hand > now[HAND]:
        now[IDLE] = 0
    first = hand == now[HAND] and on_first_roll(now) and (points == 0 or now[TAKING] != 0)
    # Who has points and all the dice in hand has had hot dice.
    if terms.heavy and points and hand == terms.dice and not now[TAKING]:
        now[HOT] = max(1, now[HOT])
    now[POINTS], now[HAND] = points, hand
    farkle(terms, seats, now, first)


def first_roll_scored(now: Read, points: int, farkled: bool) -> bool:
    """Whether the first roll of a noted take-over scored: it was banked, or farkled with more points."""
    return not farkled or points > now[POINTS]


# Between turns --------------------------------------------------------------------------------------------------------


def pass_on(terms: Terms, seats: Seats, now: Row, points: int, left: int) -> None:
    """End the turn and begin the next seat's, with an offer if dice are left, or end the game."""
    here = now[SEAT]
    seats[here][TAKEN] = seats[here][BEAT] = 0
    if terms.partners:
        seats[here][PERSON] = (seats[here][PERSON] + 1) % seats[here][PEOPLE]
    upcoming = seat_after(seats, here)
    if (upcoming == here or seats[here][GONE] != IN) and thin_out(terms, seats, now):
        return
    if now[OWED]:
        upcoming = owed_after(seats, now, here)
        if upcoming < 0:
            upcoming = settle(terms, seats, now, Reason.PLAY_OFF if now[TIED] else Reason.LAST_TURNS)
    elif now[CLOSER] >= 0:
        if terms.finish == Finish.EQUAL_TURNS and passes(seats, here, now[FIRST], upcoming):
            upcoming = settle(terms, seats, now, Reason.FEWEST_ROUNDS if terms.fewest else Reason.EQUAL_TURNS)
        elif terms.finish == Finish.LAST_TURNS and passes(seats, here, now[CLOSER], upcoming):
            upcoming = settle(terms, seats, now, Reason.LAST_TURNS)
    elif now[ROUNDS] and passes(seats, here, now[FIRST], upcoming):
        if now[ROUNDS] == 1:
            upcoming = settle(terms, seats, now, Reason.ROUNDS)
        else:
            now[ROUNDS] -= 1
    if now[PHASE] == OVER:
        return
    next_turn(terms, now, upcoming)
    if left and upcoming != here:  # nobody takes over from himself (D14)
        now[PHASE], now[HAND], now[OFFER_POINTS], now[OFFER_HAND] = OFFER, 0, points, left


def owed_after(seats: ReadSeats, now: Row, here: int) -> int:
    """The next seat that is still owed a turn, now that this one has had its own; -1: none (F10, F14)."""
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
    if not terms.play_off or found & (found - 1) == 0:
        end(now, found, reason)
        return here
    now[TIED] = found
    # The seat that had its turn last is still to play too, if it is among them: it comes last.
    now[OWED] = found & ~(1 << here)
    upcoming = owed_after(seats, now, here)
    now[OWED] = found
    return upcoming


def thin_out(terms: Terms, seats: Seats, now: Row) -> bool:
    """See whether one team is the last standing, or nobody is left (O11, O20). Returns whether that ends the game."""
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
    now[ROLLS] = now[OPENED] = now[TAKING] = False


def leave(terms: Terms, seats: Seats, now: Row, gone: int) -> None:
    """A seat gives up. The last one at the table wins, but plays on against the target if O20 says so."""
    seats[gone][GONE] = AWAY
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
        now[STANDING] = rounds_standing(terms, seats[last], now)


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
    return -((mine[SCORE] * terms.unit - terms.target_points) // terms.round_points)


def still_in(seats: ReadSeats) -> tuple[int, int]:
    """How many seats are still in the game, and the last of them."""
    alive, last = 0, 0
    for seat in range(len(seats)):
        if seats[seat][GONE] == IN:
            alive, last = alive + 1, seat
    return alive, last


def seat_after(seats: ReadSeats, seat: int) -> int:
    """The next seat to the left that is still in the game; the seat itself if there is no other (C8)."""
    for _ in range(len(seats)):
        seat = seat + 1 if seat + 1 < len(seats) else 0
        if seats[seat][GONE] == IN:
            break
    return seat


def passes(seats: ReadSeats, here: int, seat: int, upcoming: int) -> bool:
    """Whether the dice, on their way from here to the upcoming seat, come to that seat or pass it."""
    return (seat - here - 1) % len(seats) <= (upcoming - here - 1) % len(seats)


def winners(terms: Terms, seats: ReadSeats, now: Read) -> int:
    """The highest scores of those still in, as bits. In last turns who was there first beats an equal score (D1).

    Those who play off have equal scores before it, and only they can win (F14).
    """
    first = max(0, now[CLOSER])
    alone = terms.finish == Finish.LAST_TURNS and now[CLOSER] >= 0 and terms.again != Again.TIED and now[TIED] == 0
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


def end(now: Row, winning: int, reason: int) -> None:
    """The game is over; winners are bits of seats."""
    now[PHASE], now[WINNERS], now[REASON] = OVER, winning, reason
    now[POINTS] = now[HAND] = now[IDLE] = now[HOT] = now[SETS] = now[OWING] = now[ROLLED] = 0
    now[OFFER_POINTS] = now[OFFER_HAND] = 0
    now[ROLLS] = now[OPENED] = now[OWED] = now[TIED] = now[TAKING] = False
