"""The model of `farkel.solve.many_seats` in machine code: what turns at tables of many are worth, many turns at a time.

Eight of them are swept side by side, each in a lane of its own. The result for a turn does not depend on the others,
to the last bit: each is swept from a turn total of its own, and the lanes are shifted so that these lie in one row.
"""

from __future__ import annotations

from typing import NamedTuple

from farkel.kernels.arrays import Numbers, Values, zeros
from farkel.kernels.turn_rows import (
    BANKED,
    CLOSER,
    DONE,
    EARLIER,
    ENTERING,
    FIRST,
    GONE,
    HOW,
    IN,
    ITS_MODE,
    ITS_SCORE,
    LATER,
    MODE,
    NEXT,
    ROUNDS_LEFT,
    SCORE,
    SEAT,
    SEATS,
    SLOT,
    STAGE,
    SWEPT,
    Turns,
)
from farkel.kernels.words import reals
from farkel.solve.compiled_game import Board
from farkel.solve.compiled_turn import WIN, TurnArrays
from farkel.solve.takes import Take, take_over
from farkel.solve.turn_ends import allows, compared, fined, pay, run, saturate
from farkel.solve.turn_sweep import LANES, NEVER, Work, compiled, inlined, making, part
from farkel.support.bounds import MOST_SEATS

BEYOND = 160
"""Turn totals beyond the target that are distinguished if the game continues."""
SMALL = 1e-9
"""The least chance against another seat that is counted."""


class Two(NamedTuple):
    """The solved game of two, as the model reads it."""

    own: Values
    """As `farkel.solve.turn_ends.Solved`."""
    other: Values
    stage_of: Numbers
    """[rounds left, whether the seat is second in the round]: the stage."""
    least: float
    """The smallest chance of a farkle."""


class Model(NamedTuple):
    """What turns are solved with, and the turns."""

    board: Board
    program: TurnArrays
    two: Two
    turns: Turns


def most_rows(board: Board) -> int:
    """Return the highest turn total that may be distinguished."""
    return (board.zero if board.relative else board.scores) + BEYOND + int(max(board.need))


def room(board: Board, p: TurnArrays, places: int, slots: int) -> Turns:
    """Return space for this many turns."""
    rows = most_rows(board) + 1
    return Turns(
        seats=zeros((places, MOST_SEATS, 3), "int64"),
        now=zeros((places, 8), "int64"),
        rivals=zeros((places, MOST_SEATS, 4), "int64"),
        handed=zeros((places, p.fines.size * rows * (p.offers - 1), 2)),
        rows=zeros((places, slots, 2), "int64"),
        rolling=zeros((places, slots, rows * p.rollings)),
        bank=zeros((places, slots, rows * p.offers)),
    )


@inlined
def lowered(board: Board, score: int, points: int) -> int:
    """Return a score after a fine, in steps from the lowest one: without a target it may fall as far as it likes."""
    return score - points if board.relative else fined(board, score, points)


# Results of a turn ----------------------------------------------------------------------------------------------------


@part
def find_rivals(board: Board, two: Two, seats: Numbers, now: Numbers, seat: int, first: int, rivals: Numbers) -> None:
    """Write how the game continues between a seat and each other one, when ``first`` is to play next of all."""
    n = now[SEATS]
    for other in range(n):
        rivals[other, HOW] = GONE
        if other == seat or not seats[other, IN]:
            continue
        before = (seat - first) % n < (other - first) % n
        stage = find_stage(board, two, now, first, seat if before else other, other if before else seat)
        rivals[other, HOW] = DONE if stage < 0 else LATER if before else EARLIER
        rivals[other, STAGE] = stage
        rivals[other, ITS_MODE] = seats[other, MODE]
        score = seats[other, SCORE]
        rivals[other, ITS_SCORE] = score if board.relative else min(max(0, score), board.scores - 1)


@inlined
def find_stage(board: Board, two: Two, now: Numbers, first: int, earlier: int, later: int) -> int:
    """Return the stage of the game of two seats, when ``first`` is to play next of all; -1 if no turn is left.

    The law is not asked, as the table is taken for games between two of its seats.
    """
    n, start, rounds = now[SEATS], now[FIRST], board.rounds[0] > 0
    if board.next_stage.size == 1:
        return 0
    left, begun = now[ROUNDS_LEFT], (first - start) % n
    # The next turn begins a round of its own if it passes the seat that started.
    if begun <= (now[SEAT] - start) % n and first != now[SEAT]:
        left -= 1
    waits, also = (earlier - start) % n >= begun, (later - start) % n >= begun
    if not waits and not also:
        left -= 1
    if rounds and left <= 0:
        return -1
    found: int = two.stage_of[left if rounds else 0, 1 if waits and not also else 0]
    return found


@inlined
def find_next(seats: Numbers, now: Numbers) -> int:
    """Return the next seat that is in the game; the seat to move itself if there is no other."""
    n, seat = now[SEATS], now[SEAT]
    upcoming: int = seat
    for step in range(n - 1, 0, -1):
        if seats[(seat + step) % n, IN]:
            upcoming = (seat + step) % n
    return upcoming


@inlined
def against(
    board: Board, two: Two, now: Numbers, rivals: Numbers, handed: Values, mode: int, score: int, at: int
) -> float:
    """Return the chance of a seat with that mode and score against all others.

    handed[at]: what taking over is worth to the next seat; at -1 nothing is left to it.
    """
    own, other, last = two.own, two.other, board.scores - 1
    score = score if board.relative else min(max(0, score), last)
    total, others = 0.0, 0
    for seat in range(now[SEATS]):
        how, stage = rivals[seat, HOW], rivals[seat, STAGE]
        if how == GONE:
            continue
        others += 1
        its_mode, its_score = rivals[seat, ITS_MODE], rivals[seat, ITS_SCORE]
        if how == DONE:
            chance = compared(board.over, score, its_score)
        elif how == LATER:
            mine, its = score, its_score
            if board.relative:
                mine, its = 0, last - min(max(0, board.zero + score - its_score), last)
            chance = own[stage, mode, its_mode, mine, its]
        else:
            its, mine = its_score, score
            if board.relative:
                its, mine = 0, last - min(max(0, board.zero + its_score - score), last)
            fresh = own[stage, its_mode, mode, its, mine]
            chance = other[stage, its_mode, mode, its, mine] if board.pairs else 1.0 - fresh
            if at >= 0 and seat == now[NEXT] and handed[at, 0] > fresh:
                chance = handed[at, 1]
        total += 1.0 / max(chance, SMALL)
    if others == 0:
        return 0.5 + 0.5 * min(1.0, max(0, score) / board.scores)
    return 1.0 / max(1.0, total - (others - 1))


@inlined
def unsurpassed(board: Board, seats: Numbers, now: Numbers, score: int) -> float:
    """Return the chance to win the last turns with that score: above those before, and not surpassed by those after."""
    n, seat, closer, chase = now[SEATS], now[SEAT], now[CLOSER], board.chase
    ends = n
    if closer >= 0 and closer != seat:
        ends = (closer - seat) % n
    chance, share, goal = 1.0, 1.0, score
    if board.capped:  # who gets there as well shares the win
        share, goal = 0.5, board.scores - 1
    for step in range(1, n):
        other = (seat + step) % n
        if not seats[other, IN]:
            continue
        its_score = seats[other, SCORE]
        if step >= ends:
            if its_score >= score and (score <= goal or its_score <= goal):
                return 0.0
            if its_score > goal:
                chance = chance * share
        else:
            held = min(max(0, its_score - board.zero), chase.shape[1] - 1)
            short = min(max(0, goal - its_score + chase.shape[2]), chase.shape[3] - 1)
            chance = chance * (1.0 - share * chase[0, held, 0, short, 0])
    return chance


@part
def write_ends(
    model: Model, place: int, mode: int, score: int, totals: int, offers: int, at: int, found: Values
) -> None:
    """Write found[total * offers + dice]: the chance of the seat to move, its turn ended with that mode.

    The offers of total 0 begin at ``at`` in `Turns.handed`. One function for all totals, because calls with whole
    boards as arguments are slow.
    """
    board, _, two, turns = model
    seats, now, rivals, handed = turns.seats[place], turns.now[place], turns.rivals[place], turns.handed[place]
    for total in range(totals):
        ended = score + total
        there = ended >= board.scores and not board.relative
        for dice in range(offers):
            if now[CLOSER] >= 0 or (there and board.open):
                value = unsurpassed(board, seats, now, ended)
            elif there:
                value = 1.0
            else:
                offer = at + total * (offers - 1) + dice - 1 if dice else -1
                value = against(board, two, now, rivals, handed, mode, ended, offer)
            found[total * offers + dice] = value


@compiled
def between(model: Model, first: int, found: Values) -> None:
    """Find the chances of all seats at place 0 with their scores and ``first`` to play; they need not add up to one."""
    board, _, two, turns = model
    seats, now, rivals = turns.seats[0], turns.now[0], turns.rivals[0]
    for seat in range(now[SEATS]):
        found[seat] = 0.0
        if seats[seat, IN]:
            find_rivals(board, two, seats, now, seat, first, rivals)
            mode, score = seats[seat, MODE], seats[seat, SCORE]
            found[seat] = against(board, two, now, rivals, turns.handed[0], mode, score, -1)


# Turns ----------------------------------------------------------------------------------------------------------------


@compiled
def begin(model: Model, places: Numbers, takers: Numbers) -> None:
    """Find the rivals at these places, and how many turn totals to distinguish.

    takers[number]: the stage of the game that the next seat has with the one to move, its mode and, after a bank, that
    of the seat to move, if what is left to it counts; else -1. `hand` may then be called.
    """
    board, p, two, turns = model
    for number in range(places.size):
        place = places[number]
        seats, now = turns.seats[place], turns.now[place]
        upcoming = find_next(seats, now)
        now[NEXT] = upcoming
        find_rivals(board, two, seats, now, now[SEAT], upcoming, turns.rivals[place])
        if not board.relative:
            seats[now[SEAT], SCORE] = max(0, seats[now[SEAT], SCORE])
        needs, fined_most = board.need[now[ENTERING]], p.fines[p.fines.size - 1]
        lowest = lowered(board, seats[now[SEAT], SCORE], fined_most)
        short = board.zero if board.relative else max(0, board.scores - lowest)
        if now[CLOSER] < 0 and not board.open and board.hits < 0:
            last = max(short, needs)
        elif board.hits >= 0:
            last = max(short + 1, needs)
        else:
            last = short + BEYOND + needs
        turns.rows[place, now[SLOT], SWEPT] = turns.rows[place, now[SLOT], BANKED] = last + 1
        its, takes = turns.rivals[place, upcoming], now[CLOSER] < 0 and upcoming != now[SEAT]
        takers[number, 0] = its[STAGE] if takes and its[HOW] == EARLIER else -1
        takers[number, 1], takers[number, 2] = its[ITS_MODE], board.after_bank[seats[now[SEAT], MODE]]


@compiled
def hand(model: Model, places: Numbers, takers: Numbers, stage: int, mode: int, after: int, take: Take) -> None:
    """Write what taking over is worth to the next seats that are such takers."""
    board, p, _, turns = model
    dice, last = p.offers - 1, board.scores - 1
    for number in range(places.size):
        if takers[number, 0] != stage or takers[number, 1] != mode or takers[number, 2] != after:
            continue
        place = places[number]
        now, handed = turns.now[place], turns.handed[place]
        its_score, at = turns.rivals[place, now[NEXT], ITS_SCORE], 0
        for fines in range(p.fines.size):
            score = lowered(board, turns.seats[place, now[SEAT], SCORE], p.fines[fines])
            for total in range(turns.rows[place, now[SLOT], BANKED]):
                its, mine = its_score, min(score + total, last)
                if board.relative:
                    its, mine = 0, last - min(max(0, board.zero + its_score - score - total), last)
                for left in range(1, dice + 1):
                    handed[at, 0], handed[at, 1] = take_over(take, dice, its, mine, total, left)
                    at += 1


@part
def write_banks(model: Model, place: int, fines: int, found: Values) -> None:
    """Write found[turn total * offers + dice]: what banks are worth after fines have been paid, allowed or not."""
    board, p, _, turns = model
    now, offers = turns.now[place], p.offers
    mode, rows = turns.seats[place, now[SEAT], MODE], turns.rows[place, now[SLOT], BANKED]
    score = lowered(board, turns.seats[place, now[SEAT], SCORE], p.fines[fines])
    counting = min(rows, board.scores - score + 1) if board.hits >= 0 else rows
    at = fines * rows * (offers - 1)
    write_ends(model, place, board.after_bank[mode], score, counting, offers, at, found)
    if counting < rows:
        over = found[counting * offers :]
        write_ends(model, place, board.after_over[mode], score, 1, 1, at, over)
        over[: (rows - counting) * offers] = over[0]


@making
def write_farkles(model: Model, place: int, fines: int, found: Values) -> None:
    """Write found[kind]: what farkles are worth after fines have been paid."""
    board, p, _, turns = model
    now = turns.now[place]
    mode = turns.seats[place, now[SEAT], MODE]
    for kind in range(p.farkles):
        hand = board.farkle_hand[kind]
        after = board.after_farkle[mode, hand]
        found[kind] = 1.0 if p.ends[kind] == WIN else 0.0
        if after >= 0 and not p.ends[kind] and now[CLOSER] < 0:
            score = lowered(board, turns.seats[place, now[SEAT], SCORE], p.fines[fines])
            left = lowered(board, score, board.penalty[mode, hand] + board.farkle_fine[kind])
            write_ends(model, place, after, left, 1, 1, 0, found[kind:])


@making
def shorten(model: Model, place: int) -> None:
    """Sweep fewer turn totals where banking is sure to be best from one of them on.

    It is where a roll could at most make a win certain but for the smallest chance of a farkle.
    """
    board, p, two, turns = model
    if board.far or p.fines.size > 1 or not board.open:
        return
    now, farkles = turns.now[place], reals(p.farkles)
    bank, rows = turns.bank[place, now[SLOT]], turns.rows[place, now[SLOT]]
    write_farkles(model, place, 0, farkles)
    highest, total = farkles[0], board.need[now[ENTERING]]
    for kind in range(1, p.farkles):
        highest = max(highest, farkles[kind])
    enough = 1.0 - two.least * (1.0 - highest)
    if now[CLOSER] < 0 and not board.relative:
        total = max(total, board.scores - turns.seats[place, now[SEAT], SCORE])
    while total < rows[SWEPT] - 1 and bank[total] < enough:
        total += 1
    rows[SWEPT] = total + 1


@making
def write_lane(model: Model, work: Work, place: int, lane: int, rows: int, shift: int, fines: int) -> None:
    """Write the input of a lane's sweep: banks, `NEVER` if not allowed, and farkles. Row ``shift`` is turn total 0."""
    board, p, _, turns = model
    now, offers = turns.now[place], p.offers
    banks, farkles = turns.bank[place, now[SLOT]], reals(p.farkles)
    if fines > 0:
        banks = reals(banks.size)
        write_banks(model, place, fines, banks)
    score = lowered(board, turns.seats[place, now[SEAT], SCORE], p.fines[fines])
    need = board.need[now[ENTERING]]
    for total in range(rows - shift + 1):
        allowed = allows(board, need, score, total)
        for dice in range(offers):
            work.bank[(total + shift) * offers + dice, lane] = banks[total * offers + dice] if allowed else NEVER
    write_farkles(model, place, fines, farkles)
    for row in range(rows + 1 if p.leaves else 1):
        for kind in range(p.farkles):
            work.farkle[row * p.farkles + kind, lane] = farkles[kind]


@part
def write_beyond(model: Model, work: Work, place: int, lane: int, rows: int) -> None:
    """Let landings beyond the last turn total be worth their banks, where banking is sure to be best."""
    _, p, _, turns = model
    slot = turns.now[place, SLOT]
    bank, swept, banked = turns.bank[place, slot], turns.rows[place, slot, SWEPT], turns.rows[place, slot, BANKED]
    if swept == banked:
        return
    for more in range(p.most + 1):
        value = bank[min(swept - 1 + more, banked - 1)]
        for k in range(p.kind.size):
            work.landing[(rows + more) * p.landings + k, lane] = value


@making
def sweep_lanes(model: Model, work: Work, places: Numbers) -> None:
    """Solve the turns at up to eight places."""
    _, p, _, turns = model
    rows = 0
    for place in places:
        rows = max(rows, turns.rows[place, turns.now[place, SLOT], SWEPT] - 1)
    for fines in range(p.fines.size - 1, -1, -1):
        for lane in range(LANES):
            if lane < places.size:
                place = places[lane]
                shift = rows + 1 - turns.rows[place, turns.now[place, SLOT], SWEPT]
                write_lane(model, work, place, lane, rows, shift, fines)
                continue
            for dice in range(p.offers):
                work.bank[rows * p.offers + dice, lane] = 0.0
            for kind in range(p.farkles):
                work.farkle[(rows if p.leaves else 0) * p.farkles + kind, lane] = 0.0
        pay(p, rows, work, fines)
        saturate(p, rows, work, fines)
        for lane in range(places.size):
            write_beyond(model, work, places[lane], lane, rows)
        run(p, 0, rows + 1, work, fines)
    for lane in range(places.size):
        place = places[lane]
        slot = turns.now[place, SLOT]
        rolling, width = turns.rolling[place, slot], turns.rows[place, slot, SWEPT] * p.rollings
        first = (rows + 1) * p.rollings - width
        for at in range(width):
            rolling[at] = work.rolling[first + at, lane]


@compiled
def weigh(model: Model, places: Numbers) -> None:
    """Fill `Turns.bank` at these places, and find how many turn totals to sweep; `begin` has been called."""
    turns = model.turns
    for place in places:
        write_banks(model, place, 0, turns.bank[place, turns.now[place, SLOT]])
        shorten(model, place)


@part
def sort_by_rows(turns: Turns, places: Numbers) -> None:
    """Put places with fewer turn totals to sweep first."""
    for number in range(1, places.size):
        place, to = places[number], number
        rows = turns.rows[place, turns.now[place, SLOT], SWEPT]
        while to > 0 and turns.rows[places[to - 1], turns.now[places[to - 1], SLOT], SWEPT] > rows:
            places[to] = places[to - 1]
            to -= 1
        places[to] = place


@compiled
def finish(model: Model, work: Work, places: Numbers) -> None:
    """Fill `Turns.rolling` at these places, which change their order; `weigh` has been called."""
    # Eight at a time: those with about as many turn totals together.
    sort_by_rows(model.turns, places)
    for first in range(0, places.size, LANES):
        sweep_lanes(model, work, places[first : first + LANES])
