"""The arrays of the vectorised environment's kernel: rules, games and steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.game import law
from farkel.game.law.terms import Terms
from farkel.kernels.law import Numbers, Throws, Values, table
from farkel.training.observations import Choices, Encoder, Scales

Counts = NDArray[np.uint64]
Seen = NDArray[np.float32]
Mask = NDArray[np.int8]
Flags = NDArray[np.bool_]

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
    people: Sequence[int]
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
        now=np.zeros((number, law.NOW), np.int64),
        seats=np.zeros((number, seats, law.SEAT_ROW), np.int64),
        own=np.zeros((number, OWN), np.int64),
        keys=np.zeros(number, np.uint64),
        thrown=np.zeros(number, np.uint64),
    )


def arrays(games: int, encoder: Encoder) -> StepResults:
    """Return room for a step of this many games."""
    return StepResults(
        seen=np.zeros((games, encoder.size), np.float32),
        masks=np.zeros((games, encoder.actions.size), np.int8),
        rewards=np.zeros(games),
        shares=np.zeros((games, encoder.seats)),
        terminated=np.zeros(games, np.bool_),
        truncated=np.zeros(games, np.bool_),
        ended=np.zeros(games, np.bool_),
        replaced=np.zeros(games, np.bool_),
        turns=np.zeros(games, np.int64),
        seats=np.zeros(games, np.int64),
        final=np.zeros((games, encoder.size), np.float32),
    )


def tables(encoder: Encoder, people: Sequence[int], reward: int, turn_limit: int) -> StepTables:
    """Return the tables of a rule set and a table of people."""
    block = table(encoder.rules)
    terms, throws = block.terms, block.throws
    counts: Any = np.array(people, np.int64)
    return StepTables(
        terms,
        throws,
        encoder.choices,
        encoder.scales(int(terms.unit)),
        counts,
        reward,
        most_turns=turn_limit * len(people),
    )
