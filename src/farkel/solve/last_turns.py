"""Values at the end of a game: the last turn of a seat that has to surpass another, and the last player standing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from math import prod

from farkel.kernels.arrays import Array, Numbers, Values, array, shaped, zeros
from farkel.kernels.registry import SOLVE
from farkel.kernels.spaces import open_space
from farkel.solve.compiled_game import TALL, Beyond, Board, Compiled
from farkel.solve.compiled_turn import BANK, MUST, NEGLIGIBLE, WIN, TurnArrays, longest_lead
from farkel.solve.race import TurnsWorth, alone, turns_alone
from farkel.solve.turn_ends import landings_of, run_owing, saturate, settle_paid, work
from farkel.solve.turn_sweep import LANES, NEVER, Work, compiled

UNLIKELY = 1e-14


def complete(compiled: Compiled) -> Compiled:
    """Return the board with all that `compile_board` leaves out."""
    compiled = sized(compiled)
    board = compiled.board
    if not board.relative and Beyond.CHASED in board.beyond.tolist():
        board = board._replace(chase=_chase(board, compiled.program.arrays))
    compiled = compiled._replace(board=board)
    if board.pairs:
        compiled = compiled._replace(board=board._replace(alone=_standing(compiled)))
    return compiled


def sized(compiled: Compiled) -> Compiled:
    """Return the board with `Board.longest`: that is enough to tell what solving it takes."""
    p, longest = compiled.program.arrays, 0
    if p.leaves and compiled.board.relative:
        longest = longest_lead(compiled.rules, 1)
    elif p.leaves:
        reached = _chased(_unfined(p), 0, range(TALL, TALL + 1), TALL, tie=False, won=0.0)[0]
        longest = 1 + max(points for points in range(TALL + 1) if reached[points, 0] > NEGLIGIBLE)
    return compiled._replace(board=compiled.board._replace(longest=longest))


def _chase(board: Board, p: TurnArrays) -> Values:
    """Return `Board.chase`: as long as the chance of reaching it in one turn is above `UNLIKELY`."""
    most = 512
    while most < TALL and _chased(_unfined(p), 0, range(most, most + 1), most, False, 0.0)[0, most, 0] > UNLIKELY:
        most *= 2
    ties = (False, True) if board.shares else (False,)
    # A player who wins by dice shares the win with none, whatever the score: see `farkel.solve.turn_ends.surpasses`.
    won = 2.0 if board.capped else 1.0
    need, fined = board.need.max(), p.fines.size > 1
    if not board.open or not (fined or (need > 0 and not {MUST, BANK}.isdisjoint(p.kind.tolist()))):
        goals = range(most, most + 1)
        return _stacked([[_chased(_unfined(p), 0, goals, most, tie, won)] for tie in ties])
    goals = range(most + need + 1)
    if not (fined and board.stops_at_zero):
        return _stacked([[_chased(p, need, goals, most, tie, won)] for tie in ties])
    # If a score stops at zero, low scores are distinguished.
    programs = [*(_stopped(p, score) for score in range(min(board.scores, p.fines[-1]))), p]
    return _stacked([[_chased(each, need, goals, most, tie, won) for each in programs] for tie in ties])


def _stacked(rows: Sequence[Sequence[Values]]) -> Values:
    """Return arrays of one shape as one array."""
    shape = rows[0][0].shape
    found = zeros((len(rows), len(rows[0]), *shape))
    for place, each in enumerate(chain(*rows)):
        found.flat[place * prod(shape) : (place + 1) * prod(shape)] = each.flat
    return found


def _unfined(p: TurnArrays) -> TurnArrays:
    """Return the program with fines that cost nothing."""
    return _stopped(p, 0)


def _stopped(p: TurnArrays, score: int) -> TurnArrays:
    """Return the program of a seat with that score, which no fine brings below zero."""
    costs = [p.fines[to] for to in p.fined[0]]
    fines = sorted({min(fine, score) for fine in p.fines})
    places = [min(fine + cost, score) for fine in fines for cost in costs]
    known = [bisect_left(fines, place) if place in fines else -1 for place in places]
    return p._replace(fines=array(fines, "int64"), fined=shaped(known, (len(fines), len(costs)), "int64"))


def _chased(p: TurnArrays, need: int, goals: range, most: int, tie: bool, won: float) -> Values:
    """Return [need, x, rolling], x beginning with ``-need``: for turn totals that are goals, as they are
    before any fine.

    won: what dice that win are worth.
    """
    found = zeros((need + 1, need + most + 1, p.rollings))
    w = work(p, goals[-1] + need + p.fines[-1] + 1, False)
    for row in range(w.farkle.shape[0]):
        w.farkle[row] = won if p.ends[row % p.farkles] == WIN else 0.0
    space = open_space(SOLVE)
    p, w, found = space.place(p), space.place(w), space.place((found,))[0]
    free = zeros(p.unfined.size)
    for block in range(0, len(goals), LANES):
        these = goals[block : block + LANES]
        lanes = array([these[lane % len(these)] for lane in range(LANES)], "int64")
        space.run(solve_goals, p, w, lanes, need, 0.5 if tie else 0.0, free)
        space.run(note_goals, p, w, lanes, len(these), most + 1 if len(goals) == 1 else need + 1, found)
    return found


@compiled
def solve_goals(p: TurnArrays, work: Work, goals: Numbers, need: int, tied: float, free: Values) -> None:
    """Solve turns for the chance to bank a goal, [lane], or more; ``tied``: the worth of one less.

    ``need``: nothing below is banked.
    """
    highest = 0
    for lane in range(LANES):
        highest = max(highest, goals[lane])
    rows = max(highest + p.fines[p.fines.size - 1], need)
    for fines in range(p.fines.size - 1, -1, -1):
        for total in range(rows + 1):
            for lane in range(LANES):
                goal, value = goals[lane] + p.fines[fines], 0.0
                if total < need:
                    value = NEVER
                elif total >= goal:
                    value = 1.0
                elif total == goal - 1:
                    value = tied
                for offer in range(total * p.offers, (total + 1) * p.offers):
                    work.bank[offer, lane] = value
        stopped = False
        for k in range(p.fined.shape[1]):
            stopped = stopped or p.fined[fines, k] == fines
        if stopped:  # at zero a fine costs nothing
            landing, _ = landings_of(p, work, fines)
            for place in range(rows * p.landings, (rows + p.most + 1) * p.landings):
                for lane in range(LANES):
                    landing[place, lane] = 1.0
            saturate(p, rows, work, fines)
            run_owing(p, rows, work, free, fines)
        else:
            settle_paid(p, rows, work, fines)


@compiled
def note_goals(p: TurnArrays, work: Work, goals: Numbers, lanes: int, totals: int, found: Values) -> None:
    """Write down what `solve_goals` has found for so many turn totals, as `_chased` returns it."""
    need, most = found.shape[0] - 1, found.shape[1] - found.shape[0]
    for lane in range(lanes):
        for total in range(totals):
            short = goals[lane] - total
            if short <= most:
                for rolling in range(p.rollings):
                    value = work.rolling[total * p.rollings + rolling, lane]
                    found[max(0, need - total), need + short, rolling] = value


def _standing(compiled: Compiled) -> Values:
    """Return `Board.alone`: from the last round standing backwards."""
    board = compiled.board
    n, modes = board.scores, board.entering.size
    rounds, most = board.rounds.max(), board.standing.max()
    found: Array[float] = zeros((rounds + 1, most + 1, modes, n))
    then = zeros((modes, n))
    space = open_space(SOLVE)
    seat = space.place(alone(compiled, TurnsWorth(then, then, (1.0, 0.0), (0.0, 0.0)), False))
    if rounds:
        found[0] = 1.0  # the rounds are over: the seat that is left wins
    for left in range(1 if rounds else 0, rounds + 1):
        for standing in range(1, most + 1):
            later = left - 1 if rounds else 0
            seat.worth.own[...] = found[later, standing - 1] if standing > 1 else 0.0
            for mode in range(modes):
                for block in range(0, n, LANES):
                    scores = range(block, min(block + LANES, n))
                    turns_alone(space, seat, [mode], scores)
                    for lane, score in enumerate(scores):
                        found[left, standing, mode, score] = seat.work.rolling[0, lane]
    return found
