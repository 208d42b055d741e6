"""The boundary of a turn: values of banking, farkling and being taken over, read from solved positions."""

from __future__ import annotations

from typing import NamedTuple

from farkel.errors import SolveError
from farkel.game.law.terms import Price
from farkel.kernels.arrays import Numbers, Values, array, full, zeros
from farkel.kernels.registry import by_kind
from farkel.kernels.words import real_rows, reals, uint64, whole_rows
from farkel.solve.compiled_game import Beyond, Board
from farkel.solve.compiled_turn import LOSE, NEGLIGIBLE, WIN, Program, TurnArrays
from farkel.solve.turn_sweep import (
    FORBIDDEN,
    LANES,
    NEVER,
    TIE,
    PairWork,
    Work,
    compiled,
    inlined,
    making,
    part,
    sweep,
    sweep_pairs,
    sweep_start,
)

MANY = 1 << 40
MOST_SPACE = 1 << 30
"""Bytes that a thread may work in."""
SETTLED = 1e-15
"""Values that change by less are settled."""
Both = tuple[float, float]
"""Values of the seat to move and of the other one."""


class Solved(NamedTuple):
    """The values of all positions, as far as they are known. Seats are the one to move and the other one."""

    own: Values
    """[stage, mode, other's mode, score, other's score]: the chance of the seat to move, about to start afresh."""
    other: Values
    """The other seat's, if values are pairs; else empty."""
    take: Values
    """[at, own and other's]: the same of a seat that takes over, where at = slot[stage, mode, other's mode] +
    place[sum of the scores, turn total] + score * (dice that may be on offer) + dice on offer - 1. So values read and
    written together, for one level and its turn totals, are together."""
    slot: Numbers
    """-1: not kept."""
    place: Numbers
    length: Numbers
    """[score]: the largest turn total on offer that is distinguished."""


class Sides(NamedTuple):
    """Two sides that are being solved."""

    board: Board
    program: TurnArrays
    solved: Solved
    work: Work
    least: float
    """The smallest chance of a farkle."""


class Position(NamedTuple):
    """The start of a turn: its stage, the seat to move and the other one."""

    stage: int
    mode: int
    against: int
    """The other seat's mode."""
    score: int
    others: int


def work(p: TurnArrays, rows: int, pairs: bool) -> Work:
    """Return space for turn totals up to ``rows``.

    Raises `SolveError` ``too_large`` if that is more than `MOST_SPACE`.
    """
    sizes = (
        (rows + p.most + 2) * p.offers,
        (rows + 2 if p.leaves else 1) * p.farkles,
        (rows + 2 * p.most + 3) * p.landings * p.fines.size,
        (rows + 2) * p.rollings,
        p.node_first.size,
    )
    needed = sum(sizes) * (2 if pairs else 1) * LANES * 8
    if needed > MOST_SPACE:
        raise SolveError(
            "too_large",
            f"one turn under these rules needs {needed / 2**30:,.1f} GiB of memory to solve, as its total has so many "
            "steps: use points that are multiples of a larger number",
        )
    spaces = []
    for size in sizes:
        spaces += [zeros((size, LANES)), zeros((size if pairs else 1, LANES))]
    return (PairWork if pairs else Work)(*spaces)


# The end of a turn ----------------------------------------------------------------------------------------------------


@inlined
def enters(board: Board, mode: int, score: int) -> int:
    """Return whether the seat has yet to get on the board: an index of `Board.need`."""
    return 1 if board.told_by_score and score == board.zero else board.entering[mode]


@inlined
def allows(board: Board, need: int, score: int, total: int) -> bool:
    """Return whether a seat with that score may bank a turn total, if the dice let it; need: an entry of
    `Board.need`.
    """
    there = score + total
    open_there = there >= board.closed.shape[0] or not board.closed[score, there]
    # Zones lie below the target, and a bank that hits an exact one is allowed below any minimum (D11).
    return there == board.hits or (total >= need and open_there)


@inlined
def compared(over: Values, mine: int, others: int) -> float:
    """Return a seat's share in the win when turns are over, by its score and the other's."""
    found: float = over[int(mine >= others) + int(mine > others)]
    return found


@inlined
def fined(board: Board, score: int, points: int) -> int:
    """Return a score index after a fine: the law's `fined`, but for the lowest score that is distinguished."""
    # A score that is below zero already is left as it is (F1).
    return min(score, max(board.zero, score - points)) if board.stops_at_zero else max(0, score - points)


@inlined
def turns_over(over: Values, mine: int, others: int) -> Both:
    """Return the shares of the seat to move and the other one when turns are over; ``over`` is `Board.over`."""
    chance = compared(over, mine, others)
    return chance, 1.0 - chance


@inlined
def surpasses(chase: Values, tie: int, score: int, need: int, short: int, rolling: int) -> float:
    """Return `Board.chase` of a seat with that score (from zero), which needs this many more points to bank
    and to surpass.
    """
    most = chase.shape[2] - 1
    # Where needs are not distinguished, the bank must bring what it needs and what surpasses the other seat.
    if most == 0:
        short = max(need, short)
    # The first column is of ``most`` points less than none. Beyond the last one the chance does not matter.
    need, short = min(max(0, need), most), max(0, short + most)
    if short >= chase.shape[3]:
        return 0.0
    found: float = chase[tie, min(max(0, score), chase.shape[1] - 1), need, short, rolling]
    return found


@inlined
def passed(sides: Sides, at: Position, after: int, score: int, total: int, dice: int) -> Both:
    """Return the chances of the seat to move and of the other one, who is on turn and may take over."""
    board, solved = sides.board, sides.solved
    then, others = board.next_stage[at.stage], at.others
    its = solved.own[then, at.against, after, others, score]
    mine = solved.other[then, at.against, after, others, score] if board.pairs else 1.0 - its
    slot = solved.slot[then, at.against, after]
    if dice > 0 and slot >= 0:
        offer = slot + solved.place[others + score, min(total, solved.length[others])]
        offer += others * (sides.program.offers - 1) + dice - 1
        # The next seat chooses what is better for itself; this one gets what that leaves.
        if solved.take[offer, 0] > its:
            its = solved.take[offer, 0]
            mine = solved.take[offer, 1] if board.pairs else 1.0 - its
    return mine, its


@inlined
def chased(board: Board, at: Position, short: int, total: int, dice: int) -> float:
    """Return the chance of the other seat in its last turn, N points behind and with that turn total on offer."""
    need, others = board.need[enters(board, at.against, at.others)], at.others - board.zero
    if board.capped:
        # Who reaches the target shares the win, however far beyond it the other seat is (F13).
        return 0.5 * surpasses(board.chase, 0, others, need, board.scores - at.others, 0)
    # An equal score shares the win (D10), unless the bank that makes it equal is too small to be allowed.
    tie = 1 if board.shares and (short >= need or board.chase.shape[2] > 1) else 0
    chance = surpasses(board.chase, tie, others, need, short + 1, 0)
    entering = enters(board, at.against, at.others)
    if dice > 0 and board.affords[entering, at.others]:
        total = total * board.carries + board.bonus
        for taken in range(1, dice + 1):
            rolling = board.take[entering, taken, dice]
            if rolling >= 0 and board.paid[at.against, taken] >= 0:
                over = surpasses(board.chase, tie, others, need - total, short + 1 - total, rolling)
                chance = max(chance, over)
    return chance


@inlined
def overshot(sides: Sides, at: Position, gift: int) -> Both:
    """Return the chances of the seat to move and of the other one, after a bank over an exact target: it adds nothing.

    It is the law's `give` between two seats that is written out here, as the law is not asked in the innermost loop.
    """
    board = sides.board
    # A gift that would pass the target is not given; one that hits it wins (D13).
    given = board.beyond[at.stage] == Beyond.GIVEN and at.others + gift <= board.scores
    others = at.others + gift if given else at.others
    if others == board.scores:
        return 0.0, 1.0
    if board.ends[at.stage]:
        return turns_over(board.over, at.score, others)
    then, over = board.next_stage[at.stage], board.after_over[at.mode]
    its = sides.solved.own[then, at.against, over, others, at.score]
    return sides.solved.other[then, at.against, over, others, at.score] if board.pairs else 1.0 - its, its


@inlined
def banked(sides: Sides, at: Position, total: int, dice: int) -> Both:
    """Return the chances of the seat to move and of the other one, after a bank of this much with dice left."""
    board, score = sides.board, at.score + total
    if score < board.scores or board.relative:
        if board.ends[at.stage]:
            return turns_over(board.over, score, board.zero if board.relative else at.others)
        # Without a target the largest lead stands for all that are larger.
        return passed(sides, at, board.after_bank[at.mode], min(score, board.scores - 1), total, dice)
    beyond = board.beyond[at.stage]
    if beyond == Beyond.WINS or score == board.hits:
        return 1.0, 0.0
    if beyond == Beyond.CHASED:
        chance = chased(board, at, score - at.others, total, dice)
        return 1.0 - chance, chance
    return overshot(sides, at, score - board.scores)


@part
def bank_rows(sides: Sides, at: Position, lane: int, first: int, rows: int, enough: float) -> int:
    """Write what banking is worth, `NEVER` if it is not allowed, for turn totals first, ..., rows-1.

    Stops before that at a total whose bank is worth ``enough`` whatever is left to the other seat; returns where.
    """
    board, work, offers = sides.board, sides.work, sides.program.offers
    need = board.need[enters(board, at.mode, at.score)]
    # In most games what a bank is worth follows from the new score. None is worth more than 1, so none is enough.
    plain = not (board.pairs or board.ends[at.stage] or board.relative or board.closed.size)
    if offers == 1 and enough > 1.0 and plain:
        first = bank_plain(sides, at, lane, first, min(board.scores - at.score, rows), need)
    for total in range(first, rows):
        allowed = allows(board, need, at.score, total)
        lowest = 1.0
        for dice in range(offers):
            if not allowed:
                work.bank[total * offers + dice, lane] = NEVER
                continue
            mine, its = banked(sides, at, total, dice)
            lowest = min(lowest, mine)
            work.bank[total * offers + dice, lane] = mine - TIE * its if board.pairs else mine
            if board.pairs:
                work.bank_u[total * offers + dice, lane] = its
        if allowed and lowest >= enough:
            return total
    return rows


@inlined
def bank_plain(sides: Sides, at: Position, lane: int, first: int, rows: int, need: int) -> int:
    """Do most of the work of `bank_rows`, without its questions at each total. Returns where it continues."""
    board, bank = sides.board, sides.work.bank
    own = sides.solved.own[board.next_stage[at.stage], at.against, board.after_bank[at.mode], at.others]
    for total in range(first, min(need, rows)):
        bank[total, lane] = NEVER
    for total in range(max(first, need), rows):
        bank[total, lane] = 1.0 - own[at.score + total]
    return max(first, rows)


@part
def farkle_value(sides: Sides, at: Position, kind: int, staked: int) -> Both:
    """Return the (own, other's) value of a farkle of that kind that leaves nothing, with so much staked and lost."""
    board, hand, end = sides.board, sides.board.farkle_hand[kind], sides.program.ends[kind]
    if end == WIN:
        return 1.0, 0.0
    score = fined(board, at.score - staked, board.farkle_fine[kind] + board.penalty[at.mode, hand])
    after = board.after_farkle[at.mode, hand]
    if after < 0 or end == LOSE:
        # The last one standing wins at once, or when this round is over, unless it plays on for the target (O20).
        if not board.pairs or board.ends[at.stage]:
            return 0.0, 1.0
        rounds = board.rounds[board.next_stage[at.stage]]
        chance = board.alone[rounds, board.standing[at.others], at.against, at.others]
        # Of two ways to be out, the one that leaves the other seat less is better.
        return -TIE * chance, chance
    if board.ends[at.stage]:
        return turns_over(board.over, score, board.zero if board.relative else at.others)
    mine, its = passed(sides, at, after, score, 0, 0)
    return mine - TIE * its if board.pairs else mine, its


@part
def farkle_rows(sides: Sides, at: Position, lane: int, rows: int) -> None:
    """Write the values of farkles: `farkle_value`, or what the other seat leaves of it by taking over (D15)."""
    board, p, work = sides.board, sides.program, sides.work
    for kind in range(p.farkles):
        own, other = farkle_value(sides, at, kind, 0)
        work.farkle[kind, lane] = own
        if board.pairs:
            work.farkle_u[kind, lane] = other
        if not p.leaves or p.ends[kind]:
            for total in range(1, rows + 1 if p.leaves else 0):
                work.farkle[total * p.farkles + kind, lane] = own
                if board.pairs:
                    work.farkle_u[total * p.farkles + kind, lane] = other
            continue
        hand = board.farkle_hand[kind]
        after = board.after_farkle[at.mode, hand]
        score = fined(board, at.score, board.farkle_fine[kind] + board.penalty[at.mode, hand])
        taken = after >= 0 and not board.ends[at.stage]
        for total in range(1, rows + 1):
            mine, its = own, other
            if taken:
                left, got = passed(sides, at, after, score, total, board.farkle_dice[kind])
                if got > other:
                    mine, its = left - TIE * got if board.pairs else left, got
            work.farkle[total * p.farkles + kind, lane] = mine
            if board.pairs:
                work.farkle_u[total * p.farkles + kind, lane] = its


# A turn ---------------------------------------------------------------------------------------------------------------


def in_pairs(work: Work) -> bool:
    """Return whether values are pairs."""
    return isinstance(work, PairWork)


@by_kind(in_pairs)
def _in_pairs(work):  # type: ignore[no-untyped-def]  # types of Numba, which are known when it compiles
    pairs = work.instance_class is PairWork
    return lambda work: pairs


def sweep_values(p: TurnArrays, first: int, rows: int, work: Work, landing: Values, landing_u: Values) -> None:
    """Call `sweep`, or `sweep_pairs` where values are pairs: only the called one is compiled."""
    if in_pairs(work):
        sweep_pairs(p, first, rows, work, landing, landing_u)
    else:
        sweep(p, first, rows, work, landing)


@by_kind(sweep_values)
def _sweep_values(p, first, rows, work, landing, landing_u):  # type: ignore[no-untyped-def]
    if work.instance_class is PairWork:
        return lambda p, first, rows, work, landing, landing_u: sweep_pairs(p, first, rows, work, landing, landing_u)
    return lambda p, first, rows, work, landing, landing_u: sweep(p, first, rows, work, landing)


@making
def landings_of(p: TurnArrays, work: Work, fines: int) -> tuple[Values, Values]:
    """Return the landings of a turn that has cost the score so much: an index of ``p.fines``."""
    size, size_u = work.landing.shape[0] // p.fines.size, work.landing_u.shape[0] // p.fines.size
    return work.landing[fines * size : (fines + 1) * size], work.landing_u[fines * size_u : (fines + 1) * size_u]


@making
def run(p: TurnArrays, first: int, rows: int, work: Work, fines: int) -> None:
    """Sweep the turn totals."""
    landing, landing_u = landings_of(p, work, fines)
    sweep_values(p, first, rows, work, landing, landing_u)


@making
def saturate(p: TurnArrays, rows: int, work: Work, fines: int) -> None:
    """Fill the landings from ``rows`` on, where every turn total is worth the same as the next one."""
    landing, landing_u = landings_of(p, work, fines)
    landings, offers, pairs = p.landings, p.offers, in_pairs(work)
    for row in range(rows, rows + p.most + 1):
        for k in range(p.kind.size):
            for lane in range(LANES):
                # From below, forbidden banks from nothing: each sweep then adds what one more roll brings.
                landing[row * landings + k, lane] = max(0.0, work.bank[rows * offers + p.offer[k], lane])
                if pairs:
                    landing_u[row * landings + k, lane] = work.bank_u[rows * offers + p.offer[k], lane]
    change = reals(LANES)
    for _ in range(500):
        run(p, rows, rows + 1, work, fines)
        settled = True
        for lane in range(LANES):
            change[lane] = 0.0
            for k in range(p.kind.size):
                at = rows * landings + k
                if landing[at, lane] > FORBIDDEN:
                    change[lane] = max(change[lane], abs(landing[at, lane] - landing[at + landings, lane]))
            settled &= change[lane] < SETTLED
        if settled:
            break
        # Settled lanes are left alone, so results do not depend on the other lanes.
        for row in range(rows + 1, rows + p.most + 1):
            for k in range(p.kind.size):
                at, last = row * landings + k, rows * landings + k
                for lane in range(LANES):
                    moves = change[lane] >= SETTLED
                    landing[at, lane] = landing[last if moves else at, lane]
                    if pairs:
                        landing_u[at, lane] = landing_u[last if moves else at, lane]


@making
def pay(p: TurnArrays, rows: int, work: Work, fines: int) -> None:
    """Fill the landings that are reached with a fine, up to ``rows`` and beyond: they are landings of more fines."""
    landing, landing_u = landings_of(p, work, fines)
    own = p.kind.size
    for k in range(own, p.landings):
        to = p.fined[fines, k - own]
        paid, paid_u = landings_of(p, work, max(0, to))
        for row in range(rows + p.most + 1):
            at, there = row * p.landings + k, row * p.landings + p.unfined[k - own]
            for lane in range(LANES):
                # Sums of fines that are not distinguished are all but impossible, so that any value will do.
                landing[at, lane] = paid[there, lane] if to >= 0 else 0.0
                if in_pairs(work):
                    landing_u[at, lane] = paid_u[there, lane] if to >= 0 else 0.0


def owing(program: Program) -> tuple[TurnArrays, Values]:
    """Return the program for values that fines lower by their cost, as points are: without a turn for
    each sum of fines.

    With it what each landing costs that is not reached for nothing: see `run_owing`.
    """
    p = program.arrays
    fines = array(landing.fine for landing in program.landings[p.kind.size :])
    return p._replace(fines=p.fines[:1], fined=full((1, fines.size), -1, "int64")), fines


@making
def run_owing(p: TurnArrays, rows: int, work: Work, owed: Values, fines: int) -> None:
    """Sweep the turn totals where a landing with a fine is one without, less the fine."""
    own = p.kind.size
    landing, _ = landings_of(p, work, fines)
    for row in range(rows - 1, -1, -1):
        # One row at a time, as lower turn totals read the landings with a fine of this one.
        run(p, row, row + 1, work, fines)
        for k in range(owed.size):
            for lane in range(LANES):
                landing[row * p.landings + own + k, lane] = landing[row * p.landings + p.unfined[k], lane] - owed[k]


@making
def settle_paid(p: TurnArrays, rows: int, work: Work, fines: int) -> None:
    """Sweep a turn whose banks and farkles are written, after this many fines: all totals from ``rows`` on are alike.

    Landings with a fine are those of more fines, which are swept before.
    """
    pay(p, rows, work, fines)
    saturate(p, rows, work, fines)
    run(p, 0, rows, work, fines)


@part
def last_row(sides: Sides, at: Position, lane: int) -> int:
    """Return the turn total from which on every one is worth the same, or banking is best, or it does not matter.

    Banking is best where a roll could at most make a win certain but for ``least``, the smallest chance of a farkle,
    and a bank is worth that. Banks up to there are written then.
    """
    board, p = sides.board, sides.program
    need, short = int(board.need[enters(board, at.mode, at.score)]), board.scores - at.score
    if p.leaves:  # an excess for this seat may not be one for the other
        need = max(need, int(sides.solved.length[at.others]))
    beyond = board.beyond[at.stage]
    if beyond == Beyond.WINS or board.capped or (board.relative and board.far):
        return max(short, need)
    if beyond != Beyond.CHASED:
        # One total beyond the target stands for all, as nothing is added; gifts differ until they pass the target.
        return max(short + 1 + (board.scores - at.others if beyond == Beyond.GIVEN else 0), need)
    if board.far:
        return last_chased(board, at, max(short, need))
    highest = 0.0
    for kind in range(p.farkles):
        if p.ends[kind] != WIN:
            highest = max(highest, farkle_value(sides, at, kind, 0)[0])
    first = need if board.relative else max(short, need)
    room = sides.work.bank.shape[0] // p.offers - p.most - 2
    last = max(short, need) if board.relative else room
    bank_rows(sides, at, lane, 0, first, 2.0)
    enough = 1.0 - sides.least * (1.0 - highest)
    return bank_rows(sides, at, lane, first, last, enough)


@inlined
def last_chased(board: Board, at: Position, last: int) -> int:
    """Return the turn total, ``last`` at least, that is not reached or not surpassed but with a chance that
    is negligible.
    """
    begun = at.others * board.carries + board.bonus if board.price != Price.NONE else 0
    last = max(last, begun, board.longest)
    while True:
        reached = surpasses(board.chase, 0, MANY, 0, last - begun, 0)
        if reached * surpasses(board.chase, 0, MANY, 0, at.score + last - at.others, 0) < NEGLIGIBLE:
            return last
        last += 1


@inlined
def saturates(board: Board, stage: int) -> bool:
    """Return whether turns of the stage have a turn total from which on every one is worth the same."""
    return board.beyond[stage] != Beyond.CHASED or board.far or board.capped


@part
def solve_lanes(sides: Sides, at: Position, scores: Numbers, rows: int, whole: bool) -> int:
    """Solve the turns of eight positions like this one, but with other scores: [lane, (score, other's score)].

    Returns the number of distinguished turn totals, at least ``rows``: see `last_row`. If not ``whole``, only the
    start of the turn, rolling[0], is sure to be filled.
    """
    board, p, work = sides.board, sides.program, sides.work
    # From the most fines down, as landings with a fine are those of more fines. All lanes go as far as the furthest.
    levels = p.fines.size
    for fines in range(levels - 1, -1, -1):
        for lane in range(LANES):
            rows = max(rows, last_row(sides, lane_of(sides, at, scores, lane, fines), lane))
    settles = saturates(board, at.stage)
    # The brief sweep knows the start of the turn alone, and relies on higher banks being worth more.
    brief = p.brief.refs.size > 0 and not (whole or board.far or board.pairs or board.hits >= 0)
    for fines in range(levels - 1, -1, -1):
        for lane in range(LANES):
            here = lane_of(sides, at, scores, lane, fines)
            farkle_rows(sides, here, lane, rows)
            # Without fines `last_row` has written the banks up to the target.
            first = 0 if settles or levels > 1 or board.relative else max(board.scores - here.score, 0)
            bank_rows(sides, here, lane, first, rows + 1 if settles else rows + p.most + 1, 2.0)
        if levels > 1:
            pay(p, rows, work, fines)
        if settles:
            saturate(p, rows, work, fines)
        else:
            bank_beyond(p, rows, work, fines)
        if brief and rises(work.bank, rows if settles else rows + p.most):
            sweep_start(p, rows, work)
        else:
            run(p, 0, rows, work, fines)
    return rows


@inlined
def lane_of(sides: Sides, at: Position, scores: Numbers, lane: int, fines: int) -> Position:
    """Return the position of a lane, its fines paid."""
    score = fined(sides.board, scores[lane, 0], sides.program.fines[fines])
    return Position(at.stage, at.mode, at.against, score, scores[lane, 1])


@making
def bank_beyond(p: TurnArrays, rows: int, work: Work, fines: int) -> None:
    """Fill the landings from ``rows`` on with what banking is worth."""
    landing, landing_u = landings_of(p, work, fines)
    for total in range(rows, rows + p.most + 1):
        for k in range(p.kind.size):
            for lane in range(LANES):
                landing[total * p.landings + k, lane] = work.bank[total * p.offers + p.offer[k], lane]
                if in_pairs(work):
                    landing_u[total * p.landings + k, lane] = work.bank_u[total * p.offers + p.offer[k], lane]


@part
def rises(bank: Values, rows: int) -> bool:
    """Return whether no bank is worth less than a lower one, in all lanes."""
    falls = False
    for total in range(rows):
        for lane in range(LANES):
            falls |= bank[total, lane] > bank[total + 1, lane]
    return not falls


@compiled
def solve_turns(sides: Sides, at: Position, scores: Numbers, rows: int, whole: bool) -> int:
    """Call `solve_lanes` for a few turns."""
    return solve_lanes(sides, at, scores, rows, whole)


# Take-overs -----------------------------------------------------------------------------------------------------------


@making
def first_roll_losses(sides: Sides, at: Position, points: int, lane: int) -> Values:
    """Return [rolling, own and other's]: how much worse the farkles of a take-over's first roll are than
    those of a roll.

    A stake is lost with them (L7), and they leave nothing (D15). What farkles are worth otherwise is in the work space.
    """
    board, p, work = sides.board, sides.program, sides.work
    # The first roll of a take-over differs by its farkles alone: that is cheaper to add than to sweep.
    worse = real_rows(p.rollings, 2)
    if board.stake == 0 and not p.leaves:
        return worse
    for kind in range(p.farkles):
        own, other = farkle_value(sides, at, kind, board.stake)
        row = (points if p.leaves else 0) * p.farkles + kind
        for r in range(uint64(p.rollings)):
            for f in range(p.farkle_first[r], p.farkle_first[r + uint64(1)]):
                if p.farkle_kind[f] == kind:
                    worse[r, 0] += p.farkle_weight[f] * (own - work.farkle[row, lane])
                    if board.pairs:
                        worse[r, 1] += p.farkle_weight[f] * (other - work.farkle_u[row, lane])
    return worse


@making
def publish(sides: Sides, at: Position, rows: int, lane: int) -> None:
    """Write down what taking over is worth to the seat to move, for those that may hand it an offer.

    The first roll of a take-over is as any roll but for `first_roll_losses`, once its price is paid. Where lives are
    the price, the seat to move is one that has paid, and values are written for the modes that it may have paid from.
    """
    board, p, solved, score = sides.board, sides.program, sides.solved, at.score
    if not board.affords[enters(board, at.mode, score), score]:
        return
    lives, length = board.price == Price.LIVES, solved.length[score]
    # The other seat has just banked what it offers, so that its score is as high; not so a farkled total or a lead.
    most = length if board.longest > 0 or board.relative else min(at.others, length)
    kept = 0 if board.relative else score
    level = board.scores - 1 - score if board.relative else score + at.others
    worse = first_roll_losses(sides, at, 0, lane)
    for points in range(1, most + 1):
        row = min(points * board.carries + board.bonus, rows)
        if p.leaves:
            worse = first_roll_losses(sides, at, row, lane)
        for payer in range(board.entering.size) if lives else range(at.mode, at.mode + 1):
            slot = solved.slot[at.stage, payer, at.against]
            if slot >= 0:
                to = slot + solved.place[level, points] + kept * (p.offers - 1) - 1
                publish_offers(sides, at, payer, to, row, lane, worse)


@inlined
def publish_offers(sides: Sides, at: Position, payer: int, to: int, row: int, lane: int, worse: Values) -> None:
    """Write the value of the best choice of dice, for every number of dice on offer."""
    board, p, work, take = sides.board, sides.program, sides.work, sides.solved.take
    lives, rolls = board.price == Price.LIVES, board.take[enters(board, at.mode, at.score)]
    for taken in range(1, p.offers):
        if lives and board.paid[payer, taken] != at.mode:
            continue
        for dice in range(taken, p.offers):
            rolling = rolls[taken, dice]
            if rolling < 0:
                continue
            own = work.rolling[row * p.rollings + rolling, lane] + worse[rolling, 0]
            # Without lives the best choice of dice is new in every sweep: the first choice overwrites.
            first = not lives and (taken == 1 or rolls[taken - 1, dice] < 0)
            if first or own > take[to + dice, 0]:
                take[to + dice, 0] = own
                if board.pairs:
                    take[to + dice, 1] = work.rolling_u[row * p.rollings + rolling, lane] + worse[rolling, 1]


class Level(NamedTuple):
    """New values of a level: [position, score]."""

    own: Values
    other: Values
    """If values are pairs."""


@compiled
def solve_level(
    sides: Sides, positions: Numbers, level: int, share: tuple[int, int], publishes: bool | None, found: Level
) -> None:
    """Solve all positions whose score indices add up to ``level``, for (stage, mode, other's mode) in ``positions``.

    share: which block of eight of how many are this call's. publishes: whether take-overs are written down; None if
    there are none, so that this need not be compiled.
    """
    board, work = sides.board, sides.work
    n = board.scores
    low, high = (0, n - 1) if board.relative else (max(0, level - n + 1), min(n - 1, level))
    scores = whole_rows(LANES, 2)
    block, whole = 0, False
    if publishes is not None:
        whole = publishes
    for at in range(positions.shape[0]):
        for score in range(low, high + 1, LANES):
            block += 1
            if block % share[1] != share[0]:
                continue
            for lane in range(LANES):
                # The last block repeats its last position, as there must be something in every lane.
                mine = min(score + lane, high)
                scores[lane, 0], scores[lane, 1] = mine, 0 if board.relative else level - mine
            here = Position(positions[at, 0], positions[at, 1], positions[at, 2], scores[0, 0], scores[0, 1])
            rows = solve_lanes(sides, here, scores, 1, whole)
            for lane in range(min(LANES, high - score + 1)):
                found.own[at, score + lane] = work.rolling[0, lane]
                if board.pairs:
                    found.other[at, score + lane] = work.rolling_u[0, lane]
                if publishes is not None and publishes:
                    publish(sides, lane_of(sides, here, scores, lane, 0), rows, lane)


@compiled
def keep_level(sides: Sides, positions: Numbers, level: int, found: Level) -> float:
    """Take new values of a level over; by how much they move at most."""
    board, solved, n = sides.board, sides.solved, sides.board.scores
    low, high = (0, n - 1) if board.relative else (max(0, level - n + 1), min(n - 1, level))
    moved = 0.0
    for at in range(positions.shape[0]):
        stage, mode, against = positions[at, 0], positions[at, 1], positions[at, 2]
        for score in range(low, high + 1):
            mine, others = (0, n - 1 - score) if board.relative else (score, level - score)
            moved = max(moved, abs(found.own[at, score] - solved.own[stage, mode, against, mine, others]))
            solved.own[stage, mode, against, mine, others] = found.own[at, score]
            if board.pairs:
                solved.other[stage, mode, against, mine, others] = found.other[at, score]
    return moved
