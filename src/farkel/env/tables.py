"""Rules as the kernel of the vectorised environment reads them: those of the arena, with the numbers of actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.arena.compiled import Numbers, Terms, compile_rules
from farkel.arena.draws import throws
from farkel.dice import FACES
from farkel.env.observation import Encoder
from farkel.game import new_game
from farkel.scoring import score_table

RESULT, PER_TURN, PER_POINT = range(3)
"""What rewards are for: the result of a game, turns, or points."""


class Tables(NamedTuple):
    """What the kernel knows. Points are in units of the rules; rolls and keeps are in the order of the score table."""

    terms: Terms
    seats: int
    people: Numbers
    """[seat]"""
    entered: Numbers
    """[seat]: bits of `farkel.game.Seat.entered` at first."""
    rolls: NDArray[np.int16]
    """The roll of each throw, from its ``first_throw`` on; throws as `farkel.arena.draws.throws`."""
    first_throw: Numbers
    """[dice]"""
    ways: NDArray[np.uint64]
    """[dice]: 6**dice."""
    faces: NDArray[np.float32]
    """[roll, face]: how many dice show it."""
    fine: Numbers
    """[roll]: units that it costs."""
    triple: NDArray[np.bool_]
    """[roll]"""
    first_keep: Numbers
    """[roll]: its first keep; the next roll's ends them."""
    points: Numbers
    """[keep]: units."""
    slot: Numbers
    """[keep]: as in `farkel.env.Actions.slots`."""
    keep: Numbers
    """[roll, slot]: the keep, -1 where the roll has none."""
    slot_dice: Numbers
    """[slot]: how many dice it sets aside."""
    scale: float
    """Points that are shown as 1."""
    shown: int
    """People of a seat whose entry is shown."""
    actions: int
    reward: int
    most_turns: int
    """Of all seats together, before a game is cut off."""


class Arrays(NamedTuple):
    """What a step gives, one row a game."""

    seen: NDArray[np.float32]
    """[game, field]"""
    masks: NDArray[np.int8]
    """[game, action]"""
    rewards: NDArray[np.float64]
    """[game]: of the seat that decided."""
    shares: NDArray[np.float64]
    """[game, seat]: of every seat, at the end of a game of several."""
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    ended: NDArray[np.bool_]
    """The turn of the seat that decided is over."""
    replaced: NDArray[np.bool_]
    """The action was not legal."""
    turns: Numbers
    """Turns finished since the step before, of all seats."""
    seats: Numbers
    """The seat that decides now."""
    final: NDArray[np.float32]
    """[game, field]: what the seat that decided saw last of a game that is over."""


def arrays(games: int, encoder: Encoder) -> Arrays:
    """Room for a step of so many games."""
    return Arrays(
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


def tables(encoder: Encoder, people: Sequence[int], reward: int, turn_limit: int) -> Tables:
    """The tables of a rule set and a table of people."""
    rules, numbers = encoder.rules, encoder.actions
    terms, scored = compile_rules(rules).terms, tuple(score_table(rules))
    number = {one.roll: roll for roll, one in enumerate(scored)}
    slot: list[int] = []
    keep = np.full((len(scored), len(numbers.slots)), -1)
    for roll, one in enumerate(scored):
        place = {kept.dice: slot for slot, kept in numbers.keeps[one.roll].items()}
        for dice in one.keeps:
            keep[roll, place[dice]] = len(slot)
            slot.append(place[dice])
    ways = [0, *(6**dice for dice in range(1, rules.dice + 1))]
    return Tables(
        terms,
        seats=len(people),
        people=np.array(people, np.int64),
        entered=np.array([seat.entered for seat in new_game(rules, people).seats], np.int64),
        rolls=np.array([number[roll] for dice in range(1, rules.dice + 1) for roll in throws(dice)], np.int16),
        first_throw=np.array([0, *accumulate(ways[:-1])], np.int64),
        ways=np.array(ways, np.uint64),
        faces=np.array([[one.roll.count(face) for face in FACES] for one in scored], np.float32),
        fine=np.array([one.fine // rules.unit for one in scored], np.int64),
        triple=np.array([one.triple for one in scored]),
        first_keep=np.array([0, *accumulate(len(one.keeps) for one in scored)], np.int64),
        points=np.array([kept.points // rules.unit for one in scored for kept in one.keeps.values()], np.int64),
        slot=np.array(slot, np.int64),
        keep=keep,
        slot_dice=np.array([slot.dice for slot in numbers.slots], np.int64),
        scale=encoder.scale,
        shown=encoder.people,
        actions=numbers.size,
        reward=reward,
        most_turns=turn_limit * len(people),
    )
