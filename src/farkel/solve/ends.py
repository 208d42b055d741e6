"""What the end of a game is worth: the last turn of a seat that has to surpass another, and the last one standing."""

from __future__ import annotations

import numpy as np

from farkel.rules import Rules
from farkel.solve.alone import Worth, space, turns
from farkel.solve.board import EQUAL_TURNS, OPEN, Board, Compiled
from farkel.solve.boundary import pay, run, saturate, work
from farkel.solve.kernel import LANES, NEVER
from farkel.solve.program import BANK, MUST, NEGLIGIBLE, Arrays, Program, Values, longest_lead


def complete(compiled: Compiled) -> Compiled:
    """The board with `Board.chase` and `Board.longest`, and with `Board.alone` where a game may have no winner."""
    board = compiled.board
    if not board.relative:
        board = board._replace(chase=_chase(board, compiled.program))
    if compiled.program.arrays.leaves:
        board = board._replace(longest=_longest(compiled.rules, board))
    compiled = compiled._replace(board=board)
    if board.pairs:
        compiled = compiled._replace(board=board._replace(alone=_standing(compiled)))
    return compiled


def _longest(rules: Rules, board: Board) -> int:
    if board.relative:
        return longest_lead(rules, 1)
    chances = board.chase[0, -1, 0, board.chase.shape[2] - 1 :, 0]
    return int(np.flatnonzero(chances > NEGLIGIBLE)[-1]) + 1


def _chase(board: Board, compiled: Program) -> Values:
    """`Board.chase`: as long as the chance of reaching it in one turn is above 1e-14."""
    p = compiled.arrays
    need = max(int(board.need.max()), board.start_needs)
    told = board.finish in OPEN and (p.fines.size > 1 or (need > 0 and bool(np.isin(p.kind, (MUST, BANK)).any())))
    most = 512
    while _chased(p, None, 0, most, False)[0, most, 0] > 1e-14 and most < 1 << 14:
        most *= 2
    stops = board.finish in OPEN and board.stops_at_zero and p.fines.size > 1
    scores = [*range(int(p.fines[-1])), None] if stops else [None]
    ties = (False, True) if board.finish == EQUAL_TURNS else (False,)
    return np.array([[_chased(p, score, need if told else 0, most, tie) for score in scores] for tie in ties])


def _chased(p: Arrays, score: int | None, need: int, most: int, tie: bool) -> Values:
    """[need, x, rolling] of a seat with that score, which fines cannot bring below zero; None: they cost it in full."""
    found = np.zeros((need + 1, need + most + 1, p.rollings))
    goals = np.arange(most + need + 1) if p.fines.size > 1 or need else np.array([most])
    w = work(p, most + need + int(p.fines[-1]) + 1, False)
    for block in range(0, goals.size, LANES):
        goal = np.resize(goals[block : block + LANES], LANES)
        rows = max(int(goal.max()) + int(p.fines[-1]), need)
        totals = np.arange(rows + 1)[:, None]
        for fines in range(p.fines.size - 1, -1, -1):
            lost = int(p.fines[fines]) if score is None else min(score, int(p.fines[fines]))
            bank = np.where(totals >= goal + lost, 1.0, 0.0)
            if tie:
                bank[totals == goal + lost - 1] = 0.5
            bank[totals[:, 0] < need] = NEVER
            w.bank[: bank.shape[0] * p.offers] = np.repeat(bank, p.offers, axis=0)
            pay(False, p, rows, w, fines)
            saturate(False, p, rows, w, fines)
            run(False, p, 0, rows, w, fines)
        values = w.rolling[: (rows + 1) * p.rollings].reshape(rows + 1, p.rollings, LANES)
        for lane in range(min(LANES, goals.size - block)):
            if goals.size == 1:
                found[0] = values[: most + 1, :, lane][::-1]
                continue
            for total in range(need + 1):
                short = int(goal[lane]) - total
                if short <= most:
                    found[need - total, need + short] = values[total, :, lane]
    return found


def _standing(compiled: Compiled) -> Values:
    """`Board.alone`: from the last round standing backwards."""
    board = compiled.board
    n, modes = board.scores, board.need.size
    rounds, most = int(board.rounds.max()), int(board.standing.max())
    found = np.zeros((rounds + 1, most + 1, modes, n))
    w = space(compiled, False)
    if rounds:
        found[0] = 1.0  # the rounds are over: the seat that is left wins
    for left in range(1 if rounds else 0, rounds + 1):
        for standing in range(1, most + 1):
            later = left - 1 if rounds else 0
            then = found[later, standing - 1] if standing > 1 else np.zeros((modes, n))
            worth = Worth(then, then, (1.0, 0.0), (0.0, 0.0))
            for mode in range(modes):
                for block in range(0, n, LANES):
                    scores = np.arange(block, min(block + LANES, n))
                    turns(compiled, w, False, np.full(scores.size, mode), scores, worth)
                    found[left, standing, mode, scores] = w.rolling[0, : scores.size]
    return found
