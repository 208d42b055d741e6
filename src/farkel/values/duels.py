"""Games of two by their kept values: what is not in the file follows from it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

from farkel.errors import SolveError
from farkel.kernels.arrays import Array, Numbers, Values, zeros
from farkel.rules import AnyRules, as_rules
from farkel.solve import Duel
from farkel.solve.compiled_game import Compiled, compile_board
from farkel.solve.files import Memory
from farkel.solve.last_turns import complete
from farkel.solve.solution import Read
from farkel.solve.solver import Solver
from farkel.solve.turn_ends import Level, solve_level
from farkel.support.progress import Progress, silent
from farkel.values.files import ROUNDED, file_name, file_of, read_values, refused


def duel(rules: AnyRules, progress: Progress = silent) -> Duel | None:
    """Return the game of two by its kept values; None if there are none.

    All chances differ by `farkel.values.files.ROUNDED` at most from those of the solution. ``progress`` is only called
    if it takes more than a moment; what it raises stops the work.
    """
    rules = as_rules(rules)
    file = file_of(rules)
    if file is None:
        return None
    compiled = complete(compile_board(rules))
    board, modes = compiled.board, len(compiled.modes)
    shape = len(compiled.stages), modes, modes, 1 if board.relative else board.scores, board.scores
    try:
        header, own = read_values(file_name(rules), file, rules, shape)
    except SolveError as error:
        refused(error.message)
        return None
    read = _take_overs(compiled, own, progress) if board.price else _no_offers
    shelf = Memory(copies=False)
    shelf.finish(header | {"states": own.size, "residual": header["residual"] + ROUNDED})
    solved = Duel(compiled, own, zeros((1, 1, 1, 1, 1)), read, shelf)
    solved.first_player_wins = header["first_player_wins"]
    return solved


def _no_offers(stage: int, mode: int, against: int) -> None:
    """Return no take-overs."""


def _take_overs(compiled: Compiled, own: Values, progress: Progress) -> Read:
    """Return what tells what it is worth to take over.

    It follows from one sweep over all positions, from the highest scores down: where the chances at the start of turns
    are known nothing goes in circles.
    """
    solver, board = Solver(compiled), compiled.board
    solver.values.own[...] = own
    longest = max(len(rank) for group in solver.groups for rank in group.ranks)
    found = solver.space.place(Level(zeros((longest, board.scores)), zeros((1, board.scores))))
    levels = 1 if board.relative else 2 * board.scores - 1
    with ThreadPoolExecutor(solver.threads) as pool:
        each = pool.map if solver.threads > 1 else map
        for number, group in enumerate(solver.groups):
            solver.offers.enter(number, solver.values)
            for level in range(levels - 1, -1, -1):
                progress(number + 1 - (level + 1) / levels, len(solver.groups))
                for rank in group.ranks:
                    list(each(partial(_sweep, solver, rank, level, found), range(solver.threads)))
    places, size = solver.offers.kept(), solver.offers.each
    first = {place: solver.offers.slot[place] for place in places}
    kept = {place: solver.values.take[first[place] : first[place] + size] for place in places}

    def read(stage: int, mode: int, against: int) -> tuple[Values, Array[int], Array[int]] | None:
        values = kept.pop((stage, mode, against), None)  # asked once: its memory is free when it has been copied
        return None if values is None else (values, zeros(0, "uint8"), zeros(0, "int64"))

    return read


def _sweep(solver: Solver, rank: Numbers, level: int, found: Level, number: int) -> None:
    """Write down what taking over is worth at a thread's share of a level."""
    solver.space.run(solve_level, solver.sides[number], rank, level, (number, solver.threads), True, found)
