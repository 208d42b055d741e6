"""Values at the end of a game: the last turn of a seat that has to surpass another, and the last player standing."""

from __future__ import annotations

import numpy as np

from farkel.solve.compiled_game import TALL, Beyond, Board, Compiled
from farkel.solve.compiled_turn import BANK, MUST, NEGLIGIBLE, WIN, TurnArrays, Values, longest_lead
from farkel.solve.race import TurnsWorth, space, turns
from farkel.solve.turn_ends import NOTHING_OWED, landings_of, settle, work
from farkel.solve.turn_sweep import LANES, NEVER

UNLIKELY = 1e-14


def complete(compiled: Compiled) -> Compiled:
    """Return the board with all that `compile_board` leaves out."""
    compiled = sized(compiled)
    board = compiled.board
    if not board.relative and Beyond.CHASED in board.beyond:
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
        reached = _chased(_unfined(p), 0, range(TALL, TALL + 1), TALL, tie=False, won=0.0)[0, :, 0]
        longest = int(np.flatnonzero(reached > NEGLIGIBLE)[-1]) + 1
    return compiled._replace(board=compiled.board._replace(longest=longest))


def _chase(board: Board, p: TurnArrays) -> Values:
    """Return `Board.chase`: as long as the chance of reaching it in one turn is above `UNLIKELY`."""
    most = 512
    while most < TALL and _chased(_unfined(p), 0, range(most, most + 1), most, False, 0.0)[0, most, 0] > UNLIKELY:
        most *= 2
    ties = (False, True) if board.shares else (False,)
    # A player who wins by dice shares the win with none, whatever the score: see `farkel.solve.turn_ends.surpasses`.
    won = 2.0 if board.capped else 1.0
    need, fined = int(board.need.max()), p.fines.size > 1
    if not board.open or not (fined or (need > 0 and bool(np.isin(p.kind, (MUST, BANK)).any()))):
        goals = range(most, most + 1)
        return np.array([[_chased(_unfined(p), 0, goals, most, tie, won)] for tie in ties])
    goals = range(most + need + 1)
    if not (fined and board.stops_at_zero):
        return np.array([[_chased(p, need, goals, most, tie, won)] for tie in ties])
    # If a score stops at zero, low scores are distinguished.
    scores = range(min(board.scores, int(p.fines[-1])))
    found = [[_chased(_stopped(p, score), need, goals, most, tie, won) for score in scores] for tie in ties]
    return np.array([[*each, _chased(p, need, goals, most, tie, won)] for each, tie in zip(found, ties, strict=True)])


def _unfined(p: TurnArrays) -> TurnArrays:
    """Return the program with fines that cost nothing."""
    return _stopped(p, 0)


def _stopped(p: TurnArrays, score: int) -> TurnArrays:
    """Return the program of a seat with that score, which no fine brings below zero."""
    costs = p.fines[p.fined[0]]
    fines = np.unique(np.minimum(p.fines, score))
    to = np.minimum(fines[:, None] + costs[None, :], score)
    return p._replace(fines=fines, fined=np.where(np.isin(to, fines), np.searchsorted(fines, to), -1))


def _chased(p: TurnArrays, need: int, goals: range, most: int, tie: bool, won: float) -> Values:
    """Return [need, x, rolling], x beginning with ``-need``: for turn totals that are goals, as they are
    before any fine.

    won: what dice that win are worth.
    """
    found = np.zeros((need + 1, need + most + 1, p.rollings))
    w = work(p, goals[-1] + need + int(p.fines[-1]) + 1 if goals else 1, False)
    w.farkle[:] = won * np.resize(p.ends == WIN, w.farkle.shape[0])[:, None]
    free = np.zeros(p.unfined.size)
    for block in range(0, len(goals), LANES):
        goal = np.resize(np.array(goals[block : block + LANES]), LANES)
        rows = max(int(goal.max()) + int(p.fines[-1]), need)
        totals = np.arange(rows + 1)[:, None]
        for fines in range(p.fines.size - 1, -1, -1):
            bank = np.where(totals >= goal + p.fines[fines], 1.0, 0.0)
            if tie:
                bank[totals == goal + p.fines[fines] - 1] = 0.5
            bank[totals[:, 0] < need] = NEVER
            w.bank[: bank.shape[0] * p.offers] = np.repeat(bank, p.offers, axis=0)
            if fines in p.fined[fines]:  # at zero a fine costs nothing
                landing, _ = landings_of(p, w, fines)
                landing[rows * p.landings : (rows + p.most + 1) * p.landings] = 1.0
            settle(p, rows, w, free if fines in p.fined[fines] else NOTHING_OWED, fines)
        values = w.rolling[: (rows + 1) * p.rollings].reshape(rows + 1, p.rollings, LANES)
        if len(goals) == 1:
            found[0] = values[: most + 1, :, 0][::-1]
            return found
        for lane in range(min(LANES, len(goals) - block)):
            for total in range(need + 1):
                short = int(goal[lane]) - total
                if short <= most:
                    found[need - total, need + short] = values[total, :, lane]
    return found


def _standing(compiled: Compiled) -> Values:
    """Return `Board.alone`: from the last round standing backwards."""
    board = compiled.board
    n, modes = board.scores, board.entering.size
    rounds, most = int(board.rounds.max()), int(board.standing.max())
    found = np.zeros((rounds + 1, most + 1, modes, n))
    w = space(compiled, False)
    if rounds:
        found[0] = 1.0  # the rounds are over: the seat that is left wins
    for left in range(1 if rounds else 0, rounds + 1):
        for standing in range(1, most + 1):
            later = left - 1 if rounds else 0
            then = found[later, standing - 1] if standing > 1 else np.zeros((modes, n))
            worth = TurnsWorth(then, then, (1.0, 0.0), (0.0, 0.0))
            for mode in range(modes):
                for block in range(0, n, LANES):
                    scores = np.arange(block, min(block + LANES, n))
                    turns(compiled, w, False, np.full(scores.size, mode), scores, worth)
                    found[left, standing, mode, scores] = w.rolling[0, : scores.size]
    return found
