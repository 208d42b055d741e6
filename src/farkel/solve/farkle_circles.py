"""Circles: a farkle answered by a farkle comes back to the same two scores.

The value of a position is a falling, piecewise linear function of its partner's, the position after the farkle, and
that one's of the first; through both turns a value is a rising function of itself, with a slope below one. If it is
a straight line near the value, two points of it are enough, and one if the slope is known from the positions next to
it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from farkel.kernels.arrays import Numbers, Values
from farkel.kernels.words import reals, whole_rows
from farkel.solve.turn_ends import Position, Sides, publish, solve_lanes
from farkel.solve.turn_sweep import LANES, compiled, part

TOLERANCE = 1e-10
"""A position is solved when no sweep moves its value by more."""
SWEEPS = 200
STEEPEST = 0.9


class Slopes(NamedTuple):
    """How steep circles are, as far as they are known."""

    slopes: Values
    """[stage, score, other's score]"""


@part
def guess(values: Any, own: int, other: int) -> Any:
    """Return a value from those of higher scores: as if they lay on a plane, bent as it was there."""
    last = values.shape[0] - 1
    if own == last and other == last:
        return 0.6
    if own == last:
        return values[own, other + 1]
    if other == last:
        return values[own + 1, other]
    found = values[own + 1, other] + values[own, other + 1] - values[own + 1, other + 1]
    if max(own, other) + 2 <= last:
        found += values[own + 1, other] - values[own + 2, other] - values[own + 1, other + 1]
        found += values[own, other + 1] - values[own, other + 2] - values[own + 1, other + 1]
        found += 2 * (values[own + 2, other + 1] + values[own + 1, other + 2])
        found -= values[own + 1, other + 1] + values[own + 2, other + 2]
    return min(max(found, 0.0), 1.0)


@compiled
def solve_circles(sides: Sides, level: int, share: tuple[int, int], publishes: bool | None, known: Slopes) -> float:
    """Solve all positions whose score indices add up to ``level``, for seats with one mode and without rounds.

    share: which block of eight circles of how many are this call's. publishes: as for `solve_level`. Returns by how
    much at most a value differs from what its turn makes of the others.
    """
    board, n, slopes = sides.board, sides.board.scores, known.slopes
    low, high = max(0, level - n + 1), min(n - 1, level)
    scores, back = whole_rows(LANES, 2), whole_rows(LANES, 2)
    # Of the partners: the value that a sweep starts from and what both turns make of it, and the same of one before.
    start, found = reals(LANES), reals(LANES)
    start_before, found_before, slope = reals(LANES), reals(LANES), reals(LANES)
    block, residual = 0, 0.0
    for stage in range(board.next_stage.size):
        partner = board.next_stage[stage]
        if partner < stage:
            continue
        end = level // 2 if partner == stage else high
        own, partners = sides.solved.own[stage, 0, 0], sides.solved.own[partner, 0, 0]
        slants = slopes[partner]
        for first in range(low, end + 1, LANES):
            block += 1
            if block % share[1] != share[0]:
                continue
            for lane in range(LANES):
                mine = min(first + lane, end)
                scores[lane, 0] = back[lane, 1] = mine
                scores[lane, 1] = back[lane, 0] = level - mine
                start[lane] = guess(partners, level - mine, mine)
                slope[lane] = min(guess(slants, level - mine, mine), STEEPEST)
            moved = 1.0
            for sweep in range(SWEEPS):
                for lane in range(LANES):
                    partners[back[lane, 0], back[lane, 1]] = start[lane]
                turn(sides, stage, scores, end - first + 1, publishes, own)
                turn(sides, partner, back, end - first + 1, publishes, partners)
                moved = 0.0
                for lane in range(LANES):
                    found[lane] = partners[back[lane, 0], back[lane, 1]]
                    moved = max(moved, abs(found[lane] - start[lane]))
                # The partners' values fit the others', and those the partners' values from before: no turn is steeper
                # than one, so theirs differ by no more than that.
                if moved < TOLERANCE:
                    break
                for lane in range(LANES):
                    change = start[lane] - start_before[lane]
                    if sweep > 0 and abs(change) > 1e-9:
                        slope[lane] = min(max((found[lane] - found_before[lane]) / change, 0.0), STEEPEST)
                    start_before[lane], found_before[lane] = start[lane], found[lane]
                    start[lane] += (found[lane] - start[lane]) / (1.0 - slope[lane])
            residual = max(residual, moved)
            for lane in range(LANES):
                slants[back[lane, 0], back[lane, 1]] = slope[lane]
                slopes[stage, scores[lane, 0], scores[lane, 1]] = slope[lane]
    return residual


@part
def turn(sides: Sides, stage: int, scores: Numbers, lanes: int, publishes: bool | None, values: Values) -> None:
    """Sweep one turn of eight positions and write their values."""
    here = Position(stage, 0, 0, scores[0, 0], scores[0, 1])
    whole = False
    if publishes is not None:
        whole = publishes
    rows = solve_lanes(sides, here, scores, 1, whole)
    for lane in range(min(LANES, lanes)):
        values[scores[lane, 0], scores[lane, 1]] = sides.work.rolling[0, lane]
        if publishes is not None and publishes:
            publish(sides, Position(stage, 0, 0, scores[lane, 0], scores[lane, 1]), rows, lane)
