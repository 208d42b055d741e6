"""What players decide that know the winning chances of a game of two, in machine code: as `exact` does in Python."""

from __future__ import annotations

from farkel.game import law
from farkel.game.law.terms import Finish, Terms
from farkel.players.decisions import (
    EVEN,
    LOSES,
    WINS,
    Ints,
    Rows,
    as_if_banked,
    as_if_rolled_on,
    as_if_started,
    bank_ending,
)
from farkel.simulation.bots.chances import ROWS_MASK, SHIFT, Chances
from farkel.simulation.bots.tables import CHANCES, PointsTables
from farkel.simulation.bots.turn import place_of, stake_at_risk, value
from farkel.simulation.bots.workspace import ASKS, Desk, inlined, part


@inlined
def mode_of(chances: Chances, mine: law.Read, lives: int) -> int:
    """Return the mode of a seat that has this many lives."""
    modes = chances.mode_of
    people, bits = modes.shape[2], modes.shape[3] - 1
    return int(modes[lives, mine[law.FARKLES], mine[law.PERSON] % people, mine[law.ENTERED] & bits])


@inlined
def position(chances: Chances, game: Rows, lives: int) -> int:
    """Return the seat to move, with N lives, and the other one: an index of `Chances.at`."""
    now, seats = game.now, game.seats
    mine, its = seats[now[law.SEAT]], seats[1 - now[law.SEAT]]
    mode, score = mode_of(chances, mine, lives), mine[law.SCORE]
    if now[law.STANDING]:
        rounds = now[law.ROUNDS] * chances.standings + now[law.STANDING]
        return chances.alone + (rounds * chances.modes + mode) * chances.scores + max(0, score + chances.lowest)
    against = mode_of(chances, its, its[law.LIVES])
    stage = int(chances.stage_of[now[law.ROUNDS], int(now[law.SEAT] != now[law.FIRST])])
    pair = (stage * chances.modes + mode) * chances.modes + against
    if chances.others == 1:
        return pair * chances.scores + min(max(0, chances.zero + score - its[law.SCORE]), chances.scores - 1)
    own, other = max(0, score + chances.lowest), max(0, its[law.SCORE] + chances.lowest)
    return (pair * chances.scores + own) * chances.others + other


@inlined
def row_of(chances: Chances, asks: Ints, place: int, total: int) -> int:
    """Return where the chances of a position with that turn total are in the pool; `ASKS` if they are not known."""
    entry = int(chances.at[place])
    rows = entry >> 1 & ROWS_MASK
    if total >= rows:
        if not entry & 1:
            asks[0], asks[1], asks[2] = CHANCES, place, total
            return ASKS
        total = rows - 1
    return (entry >> SHIFT) + total * chances.width


@inlined
def surpassing(terms: Terms, chances: Chances, game: Rows, paid: law.Read, now: law.Read) -> float:
    """Return the chance of a seat that rolls in its last turn to surpass the other one, which closed the game."""
    seat, total, chase = game.now[law.SEAT], now[law.POINTS], chances.chase
    mine = game.seats[seat]
    score = mine[law.SCORE]
    need = int(chances.need[mode_of(chances, mine, mine[law.LIVES])])
    if score == 0 and chances.start_needs:
        need = chances.start_needs
    most, short = chase.shape[2] - 1, game.seats[1 - seat][law.SCORE] - score
    if terms.fewest:
        short = terms.target - score - 1
    shares = terms.finish == Finish.EQUAL_TURNS and not (terms.fewest or law.first_wins(terms))
    tie = 1 if shares and (short >= need or most > 0) else 0
    need, short = need - total, short + 1 - total
    if most == 0:
        short = max(need, short)
    need, short = min(max(0, need), most), max(0, short + most)
    if short >= chase.shape[3]:
        return 0.0
    held = min(max(0, score), chase.shape[1] - 1)
    share = 0.5 if terms.fewest else 1.0
    return share * float(chase[tie, held, need, short, place_of(terms, chances.place, paid, now)])


@inlined
def as_good(wins: float, most: float) -> bool:
    """Return whether chances are the same."""
    return wins > most - EVEN


@inlined
def alone_at_the_top(desk: Desk, count: int) -> tuple[float, int, bool]:
    """Return (the highest chance, the first option that has it, whether no other one is as good)."""
    wins = desk.wins
    most, found = wins[0], 0
    for option in range(1, count):
        if wins[option] > most:
            most, found = wins[option], option
    even = 0
    for option in range(count):
        even += as_good(wins[option], most)
    return most, found, even == 1


@inlined
def closing_bank(ending: int) -> float:
    """Return the value of a bank in the last turn."""
    return 0.0 if ending == LOSES else 1.0 if ending == WINS else 0.5


@inlined
def weighed_keeps(terms: Terms, chances: Chances, desk: Desk, count: int) -> bool:
    """Write the winning chance of each option. Returns whether all are known."""
    game, now = desk.game, desk.game.now
    closing, after = now[law.CLOSER] >= 0, desk.spare.now
    place = 0 if closing else position(chances, game, game.seats[now[law.SEAT]][law.LIVES])
    for option in range(count):
        keep, banks = desk.options[option] >> 1, desk.options[option] & 1
        total = law.total_with(terms, now, keep)
        row = 0 if closing else row_of(chances, desk.asks, place, total)
        if row < 0:
            return False
        if banks:
            if closing:
                desk.wins[option] = closing_bank(bank_ending(terms, desk, keep))
            else:
                left = law.offered(terms, law.left_lying(terms, now, keep), now[law.HOT])
                desk.wins[option] = chances.pool[row + chances.banks + left]
        else:
            as_if_rolled_on(terms, desk, keep)
            if closing:
                desk.wins[option] = surpassing(terms, chances, game, game.seats[now[law.SEAT]], after)
            else:
                desk.wins[option] = chances.pool[row + place_of(terms, chances.place, game.seats[now[law.SEAT]], after)]
    return True


@part
def likeliest_keep(terms: Terms, points: PointsTables, chances: Chances, desk: Desk, count: int) -> int:
    """Return the option that wins most often; of equal ones an immediate win, then the most expected points.

    `ASKS` if chances are missing. In Python it is `farkel.players.best_play.likeliest`.
    """
    if not weighed_keeps(terms, chances, desk, count):
        return ASKS
    most, likeliest, alone = alone_at_the_top(desk, count)
    if alone:
        return desk.options[likeliest]
    game, now = desk.game, desk.game.now
    mine = game.seats[now[law.SEAT]]
    found, found_over, found_worth = ASKS, False, 0.0
    for option in range(count):
        if as_good(desk.wins[option], most):
            choice, over = desk.options[option], False
            if choice & 1:
                total = law.total_with(terms, now, choice >> 1)
                worth = float(total * terms.unit)
                if most > 0:
                    as_if_banked(terms, desk, choice >> 1)
                    over = desk.spare.now[law.PHASE] == law.OVER
            else:
                as_if_rolled_on(terms, desk, choice >> 1)
                worth = value(terms, points, mine, desk.spare.now)
            if found < 0 or (over and not found_over) or (over == found_over and worth > found_worth):
                found, found_over, found_worth = choice, over, worth
    return found


@inlined
def weighed_takes(terms: Terms, chances: Chances, desk: Desk, count: int) -> bool:
    """Write the winning chance of a fresh start and of each take-over. Returns whether all are known."""
    game, after, seat = desk.game, desk.spare, desk.game.now[law.SEAT]
    for option in range(count):
        as_if_started(terms, desk, desk.options[option])
        if game.now[law.CLOSER] >= 0:
            desk.wins[option] = surpassing(terms, chances, game, after.seats[seat], after.now)
            continue
        place = position(chances, game, after.seats[seat][law.LIVES])
        row = row_of(chances, desk.asks, place, after.now[law.POINTS])
        if row < 0:
            return False
        if desk.options[option]:
            rolling = place_of(terms, chances.place, after.seats[seat], after.now)
            desk.wins[option] = chances.pool[row + chances.first + rolling]
        else:
            desk.wins[option] = chances.pool[row - chances.width]
    return True


@part
def likeliest_take(terms: Terms, points: PointsTables, chances: Chances, desk: Desk, count: int) -> int:
    """Return the answer to an offer that wins most often; of equal ones that with the most expected points.

    It is the number of dice to take over, 0 for a fresh start; `ASKS` if chances are missing.
    """
    if not weighed_takes(terms, chances, desk, count):
        return ASKS
    most, likeliest, alone = alone_at_the_top(desk, count)
    if alone:
        return desk.options[likeliest]
    seat = desk.game.now[law.SEAT]
    mine, after = desk.game.seats[seat], desk.spare
    found, found_worth = ASKS, 0.0
    for option in range(count):
        if as_good(desk.wins[option], most):
            as_if_started(terms, desk, desk.options[option])
            worth = value(terms, points, after.seats[seat], after.now)
            worth -= stake_at_risk(terms, points, mine, after.seats[seat], after.now)
            if found < 0 or worth > found_worth:
                found, found_worth = desk.options[option], worth
    return found
