"""What taking over is worth, as solutions keep it: of all offers, or of those that are taken over."""

from __future__ import annotations

from typing import NamedTuple

from farkel.kernels.arrays import Indices, Numbers, Values
from farkel.solve.turn_ends import Both, Position, Sides, Solved, fined
from farkel.solve.turn_sweep import LANES, NEVER, compiled, inlined, part


class Places(NamedTuple):
    """Where values are, by scores and turn total: as `farkel.solve.turn_ends.Solved` has it."""

    place: Numbers
    length: Numbers


class Take(NamedTuple):
    """What it is worth to a seat to take over, with its mode and the other's at one stage of the game."""

    places: Places
    values: Values
    """[place, own and other's]; other's are missing if they are the rest to 1. If there are bits, of those places."""
    bits: Indices
    """A bit for each place: whether the offer is taken over; empty if all values are kept."""
    before: Numbers
    """How many bits are set before every 32 bytes."""


@inlined
def kept(take: Take, at: int) -> Both:
    """Return what is kept at a place."""
    values = take.values
    if take.bits.size == 0:
        own = values[at, 0]
        return own, values[at, 1] if values.shape[1] > 1 else 1.0 - own
    byte, below = at >> 3, (1 << (at & 7)) - 1
    bits = int(take.bits[byte])
    if not bits >> (at & 7) & 1:
        return NEVER, 0.0
    place = take.before[byte >> 5] + bits_of(bits & below)
    for near in range(byte >> 5 << 5, byte):
        place += bits_of(int(take.bits[near]))
    # Times one, as some values are short numbers.
    return 1.0 * values[place, 0], 1.0 * values[place, 1]


@inlined
def bits_of(byte: int) -> int:
    """Return how many bits are set."""
    byte = (byte & 0x55) + (byte >> 1 & 0x55)
    byte = (byte & 0x33) + (byte >> 2 & 0x33)
    return (byte & 0x0F) + (byte >> 4)


@part
def take_over(take: Take, dice: int, score: int, others: int, points: int, left: int) -> Both:
    """Return the chances of a seat that takes so many points over, with ``left`` of at most ``dice`` dice on offer, and
    of the other one.
    """
    points = min(points, take.places.length[score])
    if points <= 0:
        return NEVER, 0.0
    return kept(take, take.places.place[score + others, points] + score * dice + left - 1)


@compiled
def cut_offers(sides: Sides, at: Position, scores: Numbers, after: int, take: Take) -> None:
    """Write what the other seat makes of offers that turns may leave to it, to where the sides find it.

    scores: as `farkel.solve.turn_ends.solve_lanes`. after: the mode that the seat to move has then.
    """
    board, p, solved = sides.board, sides.program, sides.solved
    most, count = take.places.length[at.others], 0
    first = solved.slot[board.next_stage[at.stage], at.against, after]
    for lane in range(LANES):
        for fines in range(p.fines.size):
            begun = fined(board, scores[lane, 0], p.fines[fines])
            for total in range(board.scores if board.relative else board.scores - begun):
                mine = min(begun + total, board.scores - 1)
                count = cut_offer(solved, take, p.offers - 1, at.others, mine, min(total, most), first, count)
            for kind in range(p.farkles if p.leaves else 0):
                points = board.farkle_fine[kind] + board.penalty[at.mode, board.farkle_hand[kind]]
                mine = fined(board, begun, points)
                for total in range(most + 1):
                    count = cut_offer(solved, take, p.offers - 1, at.others, mine, total, first, count)


@inlined
def cut_offer(
    solved: Solved, take: Take, dice: int, score: int, others: int, points: int, first: int, count: int
) -> int:
    """Write what it is worth to take so many points over, by the dice on offer. Returns how many such there are."""
    solved.place[score + others, points] = (count - score) * dice
    for left in range(dice):
        own, other = take_over(take, dice, score, others, points, left + 1)
        solved.take[first + count * dice + left, 0] = own
        if solved.take.shape[1] > 1:
            solved.take[first + count * dice + left, 1] = other
    return count + 1


def most_cut(sides: Sides, most: int) -> int:
    """Return how many values `cut_offers` writes at most, with turn totals up to ``most`` on offer."""
    board, p = sides.board, sides.program
    offers = LANES * p.fines.size * (board.scores + (p.farkles * (most + 1) if p.leaves else 0))
    return offers * (p.offers - 1)


@compiled
def mark_taken(solved: Solved, dice: int, stage: int, mode: int, against: int, bits: Indices) -> int:
    """Mark which offers of a slot the seat to move takes over rather than to start afresh, a bit for each place.

    Returns how many.
    """
    own, take, place = solved.own[stage, mode, against], solved.take, solved.place
    first, n, count = solved.slot[stage, mode, against], solved.own.shape[3], 0
    for level in range(2 * n - 1):
        for score in range(max(0, level - n + 1), min(n - 1, level) + 1):
            for points in range(1, min(level - score, solved.length[score]) + 1):
                for left in range(dice):
                    at = place[level, points] + score * dice + left
                    if take[first + at, 0] > own[score, level - score]:
                        bits[at >> 3] = bits[at >> 3] | 1 << (at & 7)
                        count += 1
    return count


@compiled
def keep_taken(solved: Solved, first: int, bits: Indices, before: Numbers, found: Values) -> None:
    """Write the values of the offers that are marked, and how many there are before every 32 bytes of marks."""
    count = 0
    for byte in range(bits.size):
        if byte & 31 == 0:
            before[byte >> 5] = count
        for bit in range(8):
            if bits[byte] >> bit & 1:
                place = first + 8 * byte + bit
                found[count, 0], found[count, 1] = solved.take[place, 0], solved.take[place, 1]
                count += 1
