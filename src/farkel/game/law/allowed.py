"""What may be done, and why not."""

from __future__ import annotations

from farkel.game.law.rows import *
from farkel.game.law.terms import ALL, EntryBy, Finish, Outcome, Price, Terms, ZoneKind


def on_board(mine: Read) -> bool:
    """Return whether the person whose turn it is may bank less than the entry score (S6, L5)."""
    # A bit for each partner; all bits are set in -1.
    return mine[ENTERED] >> mine[PERSON] & 1 != 0


def bank_needs(terms: Terms, mine: Read) -> int:
    """The turn total that the seat needs to bank (S6, R7): more than the seat before banked if that counts (M2)."""
    # Points that were taken over come on top of the entry score, as they do not count toward it (T3).
    needs = terms.minimum if terms.entry == 0 or on_board(mine) else terms.entry + mine[TAKEN]
    return max(needs, mine[BEAT] + 1) if mine[BEAT] else needs


def hits_target(terms: Terms, mine: Read, total: int) -> bool:
    """Return whether banking the total hits a target that must be hit exactly (D4, D11)."""
    return terms.exact and mine[SCORE] + total == goal(terms, mine)


def goal(terms: Terms, mine: Read) -> int:
    """Return the score to reach, or to hit: it has moved on if a player has missed it (F22)."""
    return terms.missed if mine[MOVED] else terms.target


def total_with(terms: Terms, now: Read, keep: int) -> int:
    """Return the turn total with that keep: its points count more often after hot dice that multiply (X)."""
    # Dice that double count before the points of their own roll are added (K8).
    before = doubled(terms, now[POINTS], terms.doubles[keep]) if terms.doubling else now[POINTS]
    total = before + terms.worth[keep] * (1 + now[HOT] * terms.multiplier)
    # Nothing multiplies the bonus (K5).
    return total + terms.hot_bonus if terms.hot_bonus and makes_hot_dice(terms, now, keep) else total


def doubled(terms: Terms, points: int, times: int) -> int:
    """Return a turn total once this many dice have doubled it (K8)."""
    for _ in range(times):
        if points < terms.doubling:
            points *= 2
    return points


def makes_hot_dice(terms: Terms, now: Read, keep: int) -> bool:
    """Return whether the keep sets aside all the dice of the turn: not if some lie idle (D12)."""
    return terms.hot[keep] and now[IDLE] == 0


def owing_after(terms: Terms, now: Read, keep: int) -> int:
    """Return points that must still be set aside after the keep before the turn may be banked (P16)."""
    return max(terms.owes[keep], now[OWING] - (total_with(terms, now, keep) - now[POINTS]))


def still_owing(terms: Terms, mine: Read, now: Read) -> int:
    """Return points that must still be set aside before the turn may be banked, whatever was taken over (P16, T3)."""
    short = bank_needs(terms, mine) - now[POINTS] if mine[TAKEN] else 0
    return max(now[OWING], short)


def why_not_total(terms: Terms, mine: Read, total: int) -> int:
    """Why this many points may not be banked in a turn, a `Why`."""
    few = total < bank_needs(terms, mine)
    odd = terms.multiple != 0 and total * terms.unit % terms.multiple != 0
    # Hitting an exact target is allowed whatever the minimum or the multiple (D11, D25).
    if not (few or odd) or hits_target(terms, mine, total):
        return why_not_there(terms, mine, total) if terms.zones else MAY
    if odd and not few:
        return Why.NOT_A_MULTIPLE
    if mine[BEAT] and total <= mine[BEAT]:
        return Why.NOT_MORE_THAN_PREVIOUS
    return BELOW_MINIMUM if on_board(mine) else BELOW_ENTRY


def rises(terms: Terms) -> bool:
    """Return whether a seat that may bank some turn total may also bank any higher one."""
    return not (terms.exact or terms.multiple or terms.zones)


def asks_only_totals(terms: Terms) -> bool:
    """Return whether the law asks no more of a seat with a roll than which turn totals it may bank."""
    if terms.entry_by or terms.entry_rolls or terms.roll_from:
        return False
    return not (terms.hot_wins or terms.whole_wins or terms.last_roll or terms.doubling)


def zone_at(terms: Terms, score: int) -> int:
    """Return the zone of a score; -1 if it lies in none."""
    for zone in range(terms.zones):
        if terms.zone_first[zone] <= score <= terms.zone_last[zone]:
            return zone
    return -1


def why_not_there(terms: Terms, mine: Read, total: int) -> int:
    """Why no bank of this many points may end where it would, a `Why` (Z1, Z2, Z4)."""
    there = zone_at(terms, mine[SCORE] + total)
    if there < 0:
        return MAY
    if terms.zone_kind[there] == ZoneKind.NEVER:
        return Why.FORBIDDEN_SCORE
    # Other things than banks may lead to a score that is lost by landing on it; it need not be left (Z3, Z6).
    stays = there == zone_at(terms, mine[SCORE]) and terms.zone_kind[there] != ZoneKind.ZERO
    return Why.MUST_LEAVE if stays else MAY


def why_must_roll(terms: Terms, mine: Read, now: Read, keep: int) -> int:
    """Why the keep may not be banked whatever the turn total, a `Why`."""
    if must_roll_hot_dice(terms, mine, now, keep):
        return Why.MUST_ROLL_HOT_DICE
    if terms.bank_left >= 0 and left_lying(terms, now, keep) > terms.bank_left:
        return Why.TOO_MANY_DICE_LEFT
    if terms.confirms and owing_after(terms, now, keep) > 0:
        return Why.MUST_CONFIRM
    return Why.TOO_FEW_ROLLS if now[ROLLS] < terms.least_rolls else MAY


def must_roll_hot_dice(terms: Terms, mine: Read, now: Read, keep: int) -> bool:
    """Return whether the keep is of hot dice that must be rolled (S7).

    Not after three alike that end the turn (D5), nor after the last roll (M4) or the last hot dice (M6).
    """
    forced = terms.forced and makes_hot_dice(terms, now, keep) and not terms.binds[now[ROLLED]]
    return forced and not (is_last_roll(terms, mine, now) or makes_last_hot_dice(terms, now, keep))


def makes_last_hot_dice(terms: Terms, now: Read, keep: int) -> bool:
    """Return whether the keep is of hot dice after which the turn has no others (M6)."""
    return 0 < terms.most_hot <= now[HOT] + 1 and makes_hot_dice(terms, now, keep)


def is_last_roll(terms: Terms, mine: Read, now: Read) -> bool:
    """Return whether nothing may be rolled any more in this turn (M4), as in last turns of one roll (F15)."""
    most = most_rolls(terms, mine)
    return (most != 0 and now[ROLLS] >= most) or (terms.last_roll and now[CLOSER] >= 0)


def most_rolls(terms: Terms, mine: Read) -> int:
    """Return the rolls that the turn has at most; 0: any number (M4, M8)."""
    return terms.most_rolls if terms.entry_rolls == 0 or on_board(mine) else terms.entry_rolls


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
    return why_must_roll(terms, mine, now, keep) if why == MAY else why


def may_win(terms: Terms, mine: Read, now: Read, keep: int) -> bool:
    """Return whether the bank may reach the target, if it does: all dice were set aside in the turn (F16)."""
    total = total_with(terms, now, keep)
    return not reaches(terms, mine, total) or now[HOT] > 0 or makes_hot_dice(terms, now, keep)


def reaches(terms: Terms, mine: Read, total: int) -> bool:
    """Return whether banking the total reaches the target, or hits it if it must be hit."""
    short = goal(terms, mine) - mine[SCORE] - total
    return short == 0 if terms.exact else short <= 0


def why_not_entered(terms: Terms, mine: Read, now: Read, keep: int) -> int:
    """Why a seat may not get on the board with the keep, a `Why`, although it has the points for it (M5)."""
    if now[OPENED] or terms.opens[keep] or hits_target(terms, mine, total_with(terms, now, keep)):
        return MAY
    return Why.ENTRY_IN_ONE_ROLL if terms.entry_by == EntryBy.ROLL else Why.ENTRY_BY_TRIPLE


def must_bank(terms: Terms, mine: Read, now: Read) -> bool:
    """Return whether the roll ends the turn: three alike do, if any keep of them may be banked (R7, D5)."""
    return bool(terms.binds[now[ROLLED]]) and may_bank_any(terms, mine, now)


def why_not_roll(terms: Terms, mine: Read, now: Read, keep: int, may_bank: bool, must: bool) -> int:
    """Why nothing may be rolled after a keep that may, or may not, be banked, a `Why`; ``must`` is `must_bank`."""
    if terms.closes[keep] == WINS:
        return Why.WINS_THE_GAME
    if must:
        return Why.TRIPLE_MUST_BANK
    if is_last_roll(terms, mine, now):
        return Why.NO_ROLL_LEFT
    if may_bank and terms.closes[keep]:
        return Why.COMBINATION_MUST_BANK
    if may_bank and makes_last_hot_dice(terms, now, keep):
        return Why.HOT_DICE_MUST_BANK
    if may_bank and terms.roll_from and total_with(terms, now, keep) < terms.roll_from:
        return Why.TOO_FEW_TO_ROLL
    # When all bought dice are set aside they are banked, as those not bought may not be rolled (O17); if they may not
    # be banked, all dice are rolled (D3).
    if may_bank and now[IDLE] and terms.hot[keep]:
        return Why.BOUGHT_MUST_BANK
    return MAY


def is_last_turn(now: Read) -> bool:
    """Return whether the game may end before the dice come back to the seat to move, although nobody has won yet."""
    return now[CLOSER] >= 0 or now[ROUNDS] == 1 or now[STANDING] > 0


def may_end(terms: Terms, mine: Read, now: Read, keep: int) -> bool:
    """Return whether banking the keep may end the game, or the seat's chance to win it; no other bank does."""
    if is_last_turn(now) or terms.closes[keep] == WINS:
        return True
    return terms.target > 0 and mine[SCORE] + total_with(terms, now, keep) + terms.hot_reward >= terms.target


def why_not_take(terms: Terms, mine: Read, now: Read, hand: int) -> int:
    """Why a turn may not start from the offer with this many of its dice, a `Why`."""
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


def as_open(terms: Terms, now: Read, rolled: int) -> int:
    """Return the number of a roll, if so it is numbered with nothing open that dice may extend (K1)."""
    return rolled + terms.shift[now[SETS]] if terms.extends else rolled


def is_farkle(terms: Terms, rolled: int) -> bool:
    """Return whether no keep of the roll scores (C6)."""
    return terms.first_keep[rolled] == terms.first_keep[rolled + 1]


def rolls_again(terms: Terms, now: Read, rolled: int) -> bool:
    """Return whether nothing comes of the roll but that the same dice are rolled once more (P18, K10)."""
    # The roll that may cancel a win is made once, whatever it shows (F23).
    if terms.cancels and now[CLOSER] >= 0:
        return False
    rolled = read_as(terms, now, rolled)
    if terms.outcome[rolled]:
        return terms.outcome[rolled] == Outcome.AGAIN
    return is_farkle(terms, rolled) and tries_left(terms, now) > 1


def tries_left(terms: Terms, now: Read) -> int:
    """Return how many rolls the dice have to score: one, unless a single die is left (K10)."""
    return terms.tries - now[TRIED] if now[HAND] == 1 else 1


def read_as(terms: Terms, now: Read, rolled: int) -> int:
    """Return the number of the roll as it counts now (P15)."""
    return terms.as_first[rolled] if begins_turn(terms, now) else rolled


def begins_turn(terms: Terms, now: Read) -> bool:
    """Whether the first roll of a turn is due that is distinguished: nothing is set aside yet, nor taken over (P15)."""
    return terms.firsts and now[POINTS] == 0 and not (now[TAKING] or now[SETS])


def changes_no_seat(terms: Terms, mine: Read, now: Read, rolled: int) -> bool:
    """Return whether the roll, as it counts now, leaves the seats as they are: it only asks for a keep."""
    if now[TAKING] or terms.strikes[rolled] or is_farkle(terms, rolled):
        return False
    if now[CLOSER] >= 0 and (terms.last_roll or terms.cancels):
        return False
    most = most_rolls(terms, mine)
    return most == 0 or now[ROLLS] + 1 < most


def changes_others(terms: Terms) -> bool:
    """Return whether a turn may change seats other than its own."""
    return changes_scores(terms) or bool(terms.beat_previous or terms.stays_from)


def changes_scores(terms: Terms) -> bool:
    """Return whether a turn may change scores, or the target, of other seats than its own."""
    others = terms.catches_up or terms.missed or terms.cancels or terms.hit_round
    return bool(others or terms.finish == Finish.WELFARE)


def may_bank_any(terms: Terms, mine: Read, now: Read) -> bool:
    """Return whether some keep of the roll may be banked."""
    rolled = now[ROLLED]
    for keep in range(terms.first_keep[rolled], terms.first_keep[rolled + 1]):
        if why_not_bank(terms, mine, now, keep) == MAY:
            return True
    return False


def pays_score(terms: Terms, now: Read, keep: int) -> bool:
    """Return whether the keep adds to the banked score, even if its player rolls on (K5)."""
    return terms.hot_reward > 0 and makes_hot_dice(terms, now, keep)


def left_lying(terms: Terms, now: Read, keep: int) -> int:
    """Return dice that lie there when the keep is banked: those not set aside, and those of an offer never taken (O18).

    None lie there if all would be rolled again (K6).
    """
    if terms.all_again:
        return 0
    return now[IDLE] + (0 if terms.hot[keep] else terms.left[keep])


def on_first_roll(now: Read) -> bool:
    """Return whether the roll is the first one of the turn: nothing is set aside yet."""
    # Dice that are kept for the next roll to complete bring no points, but they are kept (P19).
    return (now[POINTS] == 0 and now[SETS] == 0) or now[TAKING] != 0


def keeps_total(terms: Terms, mine: Read, now: Read, total: int) -> bool:
    """Return whether a farkle leaves its turn total to the seat, as it might have banked N points before (F5)."""
    if terms.turn_total != KEPT or total == 0 or now[OWING] or why_not_total(terms, mine, total) != MAY:
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
    if terms.turn_total == SUBTRACTED:
        points += total
    # The whole score is lost and nothing besides; a score below zero does not change (F1).
    if points >= ALL:
        points = max(0, mine[SCORE])
    return terms.lives_all if all_dice else terms.lives_farkle, points


def fined(terms: Terms, score: int, points: int) -> int:
    """Return the score after a fine: it stops at zero if the rules say so (D6)."""
    return score - points if terms.below_zero else min(score, max(0, score - points))


def first_roll_scored(now: Read, points: int, farkled: bool) -> bool:
    """Return whether the first roll of a noted take-over scored: it was banked, or farkled with more points."""
    return not farkled or points > now[POINTS]


def offered(terms: Terms, left: int, hot: int) -> int:
    """Dice that a bank leaves on offer (D9): none in a heavy turn, one with hot dice, if the rules say so (T1)."""
    if terms.price == NO_OFFER or (terms.heavy and hot):
        return 0
    return terms.dice if left == 0 and terms.after_hot_dice else left
