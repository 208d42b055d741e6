"""What the end of a game is worth: the last turn of a seat that has to surpass another, and the last one standing."""

from __future__ import annotations

import numpy as np

from farkel.solve.alone import Worth, space, turns
from farkel.solve.board import EQUAL_TURNS, Board, Compiled
from farkel.solve.boundary import saturate, work
from farkel.solve.kernel import LANES, sweep
from farkel.solve.program import Program, Values


def complete(compiled: Compiled) -> Compiled:
    """The board with `Board.chase`, and with `Board.alone` where a game may end without a winner."""
    board = compiled.board._replace(chase=_chase(compiled.board, compiled.program))
    compiled = compiled._replace(board=board)
    if board.pairs:
        compiled = compiled._replace(board=board._replace(alone=_standing(compiled)))
    return compiled


def _chase(board: Board, compiled: Program) -> Values:
    """`Board.chase`: as long as the chance of reaching it in one turn is above 1e-14."""
    most = 512
    while True:
        reach = [_chased(compiled, most, tie) for tie in ((False, True) if board.finish == EQUAL_TURNS else (False,))]
        if reach[0][most, 0] < 1e-14 or most >= 1 << 14:
            return np.stack(reach)
        most *= 2


def _chased(compiled: Program, most: int, tie: bool) -> Values:
    p = compiled.arrays
    w = work(p, most, False)
    w.bank[: most * p.offers] = 0.0
    if tie:
        w.bank[(most - 1) * p.offers : most * p.offers] = 0.5
    w.bank[most * p.offers : (most + 1) * p.offers] = 1.0
    saturate(False, p, most, w)
    sweep(p, 0, most, w.bank, w.farkle, False, w.landing, w.rolling, w.node)
    return w.rolling[: (most + 1) * p.rollings, 0].reshape(most + 1, p.rollings)[::-1].copy()


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
