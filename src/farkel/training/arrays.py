"""The arrays of the vectorised environment's kernel: rules, games and steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from farkel.game import law
from farkel.game.law.terms import Terms
from farkel.kernels.arrays import Array, Indices, Numbers, Truths, Values, array, over, zeros
from farkel.kernels.law import Throws, table
from farkel.training.observations import Choices, Encoder, Scales

Counts = Indices
Seen = Array[float]
Mask = Numbers
Flags = Truths

RESULT, PER_TURN, PER_POINT = range(3)
"""What rewards are for: the result of a game, turns, or points."""

TURNS, TOLD_TURNS, TOLD_SCORE, LEARNER, WAITING, BEFORE, CHOSEN, HELD = range(8)
"""Places of a game's own row: turns finished, and of these and of the score what a step has told. Against an opponent
also the seat that learns, what the game waits for, turns before the step, and decisions drawn. ``HELD`` games are left
as they are."""
OWN = 8


class StepTables(NamedTuple):
    """The kernel's input. Points are in units of the rules."""

    terms: Terms
    throws: Throws
    choices: Choices
    scales: Scales
    people: Any
    """[seat]"""
    reward: int
    most_turns: int
    """Of all seats together, before a game is cut off."""


class GameArrays(NamedTuple):
    """All games: their rows, and their dice."""

    now: Numbers
    """[game, place]: as in the law."""
    seats: Numbers
    """[game, seat, place]: as in the law."""
    own: Numbers
    """[game, place]"""
    keys: Counts
    """[game]: of its dice."""
    thrown: Counts
    """[game]: throws so far."""


class StepResults(NamedTuple):
    """The results of a step, one row per game."""

    seen: Seen
    """[game, field]"""
    masks: Mask
    """[game, action]"""
    rewards: Values
    """[game]: of the seat that decided."""
    shares: Values
    """[game, seat]: of every seat, at the end of a game of several."""
    terminated: Flags
    truncated: Flags
    ended: Flags
    """The turn of the seat that decided is over."""
    replaced: Flags
    """The action was not legal."""
    turns: Numbers
    """Turns finished since the step before, of all seats."""
    seats: Numbers
    """The seat that decides now."""
    final: Seen
    """[game, field]: the last observation of the deciding seat, in a game that is over."""


def games(number: int, seats: int) -> GameArrays:
    """Return room for this many games."""
    return GameArrays(
        now=zeros((number, law.NOW), "int64"),
        seats=zeros((number, seats, law.SEAT_ROW), "int64"),
        own=zeros((number, OWN), "int64"),
        keys=zeros(number, "uint64"),
        thrown=zeros(number, "uint64"),
    )


def arrays(games: int, encoder: Encoder) -> StepResults:
    """Return room for a step of this many games."""
    return StepResults(
        seen=zeros((games, encoder.size), "float32"),
        masks=zeros((games, encoder.actions.size), "int8"),
        rewards=zeros(games),
        shares=zeros((games, encoder.seats)),
        terminated=zeros(games, "bool"),
        truncated=zeros(games, "bool"),
        ended=zeros(games, "bool"),
        replaced=zeros(games, "bool"),
        turns=zeros(games, "int64"),
        seats=zeros(games, "int64"),
        final=zeros((games, encoder.size), "float32"),
    )


def views(placed: Any) -> Any:
    """Return the arrays of a named tuple as NumPy has them, in the same memory."""
    return type(placed)(*map(np.asarray, placed))


def tables(encoder: Encoder, people: Sequence[int], reward: int, turn_limit: int) -> StepTables:
    """Return the tables of a rule set and a table of people."""
    block = table(encoder.rules)
    terms, throws = block.terms, block.throws
    return StepTables(
        terms,
        throws,
        Choices._make(map(over, encoder.choices)),
        encoder.scales(int(terms.unit)),
        array(people, "int64"),
        reward,
        most_turns=turn_limit * len(people),
    )
