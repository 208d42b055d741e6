"""Observations: a fixed number of float32, the same for every state of a rule set and a number of seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.dice import FACES
from farkel.game import Seat, State
from farkel.game.law import KEEP, OFFER, OVER
from farkel.game.scoring import held_dice, open_sets
from farkel.rules import Rules
from farkel.training.action_numbers import Actions, actions

Observation = NDArray[np.float32]
"""[field], in the order of `Encoder.fields`."""

MOST_SHARES = 10.0
"""Points are shown in shares of the scale and cut off there."""
MOST_HOT = 100.0
MOST_ROLLS = 100.0
MOST_FAILED = 100.0
MOST_STANDING = 1000.0
TURN = Struct("16f")


class Field(NamedTuple):
    """One number of the observation."""

    name: str
    low: float
    high: float
    unit: str
    meaning: str


class Encoder:
    """Turns states into observations of one seat.

    Points are in shares of ``scale``: the target, or 1,000 a round if there is none. Fields that a rule set does
    not use are 0, so that the same field has the same place in all rule sets with the same ways to keep.
    """

    def __init__(self, rules: Rules, people: Sequence[int]) -> None:
        self.rules = rules
        self.seats = len(people)
        self.actions: Actions = actions(rules)
        self.scale = float(rules.target or 1000 * rules.rounds)
        """Points that are shown as 1."""
        self.people = max(people) if rules.entry_each else 1
        """People of a seat whose entry is shown."""
        self.fields = tuple(_fields(self.actions, self.seats, self.people))
        self.size = len(self.fields)
        self.low: Observation = np.array([field.low for field in self.fields], np.float32)
        self.high: Observation = np.array([field.high for field in self.fields], np.float32)
        self.place = {field.name: number for number, field in enumerate(self.fields)}
        """The place of a field, by its name."""
        self._sets = [sets.tobytes() for sets in open_dice(rules)]
        """The observation of open sets, by `State.sets`."""
        self._lives = rules.lives.each or 1
        self._in_row = rules.penalties.farkles_in_row or 1
        self._rolls: dict[tuple[int, int, bool], bytes] = {}
        """By the number of the roll, -1 for none, hot dice, and whether dice of an offer lie idle."""
        self._seen: list[tuple[tuple[Seat, ...], tuple[int, ...], bytes]] = [((), (), b"")] * self.seats
        self._table = Struct(f"{self.seats * (12 + self.people)}f")

    def encode(self, state: State, seat: int) -> Observation:
        """Return the observation of ``seat`` in a state, as a new array."""
        mine = state.mine
        hot, points, offered = state.hot, state.points / self.scale, state.offer_points / self.scale
        key = state.rolled if state.phase is KEEP else -1, hot, state.idle > 0
        roll = self._rolls.get(key)
        if roll is None:
            roll = self._rolls[key] = self._roll(state)
        seen = self._seen[seat]
        about = state.seat, state.first, state.closer, state.owed, state.tied
        if seen[0] is state.seats and seen[1] == about:
            table = seen[2]
        else:
            table = self._others(state, seat)
            self._seen[seat] = state.seats, about, table
        turn = TURN.pack(
            state.dice,
            state.idle,
            min(MOST_SHARES, points),
            min(MOST_HOT, hot),
            state.phase is OFFER,
            min(MOST_SHARES, offered),
            state.offer_dice,
            state.rounds_left / self.rules.rounds if state.rounds_left else 0.0,
            min(MOST_STANDING, state.standing),
            state.phase is OVER,
            min(MOST_ROLLS, state.rolls),
            state.opened,
            min(MOST_SHARES, mine.taken / self.scale),
            min(MOST_SHARES, mine.beat / self.scale),
            min(MOST_SHARES, -(-state.owing // self.rules.unit) * self.rules.unit / self.scale),
            mine.moved,
        )
        return np.frombuffer(bytearray(roll + turn + table + self._sets[state.sets]), np.float32)

    def markdown(self) -> str:
        """Return the fields as a table for people."""
        lines = ["| at | field | range | unit | what it is |", "| ---: | --- | --- | --- | --- |"]
        lines += [
            f"| {number} | `{field.name}` | {field.low:g} to {field.high:g} | {field.unit} | {field.meaning} |"
            for number, field in enumerate(self.fields)
        ]
        return "\n".join(lines)

    def _roll(self, state: State) -> bytes:
        """Return the faces of a roll and what each way to keep adds to the turn total."""
        roll, worth = state.roll, [0.0] * len(self.actions.slots)
        for slot, kept in (self.actions.keeps[state.rolled] if state.phase is KEEP else {}).items():
            worth[slot] = min((state.turn_total(kept.dice) - state.points) / self.scale, MOST_SHARES)
        return np.array([*(roll.count(face) for face in FACES), *worth], np.float32).tobytes()

    def _others(self, state: State, observer: int) -> bytes:
        """Return every seat, the observer first, then in the order of play."""
        values: list[float] = []
        for index in (*range(observer, self.seats), *range(observer)):
            seat = state.seats[index]
            score = seat.score / self.scale
            values += (
                max(-MOST_SHARES, min(MOST_SHARES, score)),
                seat.lives / self._lives,
                seat.farkles / self._in_row,
                seat.status == "in",
                index == state.closer,
                index == state.first,
                index == state.seat,
                max(-MOST_SHARES, min(MOST_SHARES, seat.before / self.scale)),
                state.owed >> index & 1,
                state.tied >> index & 1,
                min(MOST_FAILED, seat.tries),
                min(MOST_FAILED, seat.falls),
            )
            if self.people == 1:
                values.append(seat.entered >> seat.person & 1)
            else:
                values += (self._entered(seat, step) for step in range(self.people))
        return self._table.pack(*values)

    def _entered(self, seat: Seat, step: int) -> float:
        """Return whether the person whose turn comes after ``step`` others of the team is on the board."""
        return float(seat.entered >> (seat.person + step) % seat.people & 1)


def open_dice(rules: Rules) -> NDArray[np.float32]:
    """Return [open, face]: dice of each set that later dice extend, or complete; no faces if none ever do."""
    faces = FACES if rules.opens_sets or rules.completes else ()
    told = [*map(dict, open_sets(rules)), *map(Counter, held_dice(rules))]
    return np.array([[dice.get(face, 0) for face in faces] for dice in told], np.float32)


def _fields(numbers: Actions, seats: int, people: int) -> list[Field]:
    share, flag = "share of the scale", "0 or 1"
    most = max(6, numbers.rules.dice)
    fields = [Field(f"rolled_{face}", 0, most, "dice", f"dice of the roll that show a {face}") for face in FACES]
    fields += [
        Field(f"keep_{dice}_{rank}", 0, MOST_SHARES, share, f"what {_way(dice, rank)} adds to the turn total")
        for dice, rank in numbers.slots
    ]
    fields += [
        Field("dice", 0, most, "dice", "dice in the roll"),
        Field("idle", 0, most, "dice", "dice of an offer that were not taken over"),
        Field("total", 0, MOST_SHARES, share, "turn total before this decision"),
        Field("hot", 0, MOST_HOT, "times", "hot dice in this turn, where they multiply points or make it heavy"),
        Field("offered", 0, 1, flag, "an offer is to be decided on, not a roll"),
        Field("offer_points", 0, MOST_SHARES, share, "points on offer"),
        Field("offer_dice", 0, most, "dice", "dice on offer"),
        Field("rounds_left", 0, 1, "share of the rounds", "rounds still to play, this one too"),
        Field("standing", 0, MOST_STANDING, "rounds", "rounds left to the last seat standing"),
        Field("over", 0, 1, flag, "the game is over"),
        Field("rolls", 0, MOST_ROLLS, "rolls", "rolls in this turn, as far as the rules ask for them"),
        Field("opened", 0, 1, flag, "kept in this turn: what the entry score has to be made with"),
        Field("taken", 0, MOST_SHARES, share, "points taken over that do not count toward the entry score"),
        Field("beat", 0, MOST_SHARES, share, "what the player before banked, where this turn has to bring more"),
        Field("owing", 0, MOST_SHARES, share, "points that must still be set aside before the bank"),
        Field("moved", 0, 1, flag, "the target was missed and has moved on"),
    ]
    for step in range(seats):
        who = "own" if step == 0 else f"next_{step}"
        whose = "own" if step == 0 else f"of the seat {step} after"
        fields += [
            Field(f"{who}_score", -MOST_SHARES, MOST_SHARES, share, f"banked points, {whose}"),
            Field(f"{who}_lives", 0, 1, "share of the lives at first", f"lives, {whose}"),
            Field(f"{who}_farkles", 0, 1, "share of those fined", f"farkles in a row where they are fined, {whose}"),
            Field(f"{who}_in", 0, 1, flag, f"still in the game, {whose}"),
            Field(f"{who}_closer", 0, 1, flag, f"its bank began the last turns, {whose}"),
            Field(f"{who}_first", 0, 1, flag, f"it began the game, {whose}"),
            Field(f"{who}_moves", 0, 1, flag, f"it has the dice or decides, {whose}"),
            Field(
                f"{who}_before",
                -MOST_SHARES,
                MOST_SHARES,
                share,
                f"its score before its last bank, where it may be sent back there, {whose}",
            ),
            Field(f"{who}_owed", 0, 1, flag, f"a last turn or one of a play-off is still to come, {whose}"),
            Field(f"{who}_tied", 0, 1, flag, f"it plays off, {whose}"),
            Field(f"{who}_tries", 0, MOST_FAILED, "turns", f"turns that have failed on a barrel, {whose}"),
            Field(f"{who}_falls", 0, MOST_FAILED, "times", f"thrown off a barrel, where that is counted, {whose}"),
        ]
        fields += [
            Field(
                f"{who}_entered_{person}",
                0,
                1,
                flag,
                f"on the board: the one whose turn comes {_turn(person)}, {whose}",
            )
            for person in range(people)
        ]
    if numbers.rules.opens_sets or numbers.rules.completes:
        fields += [
            Field(f"open_{face}", 0, most, "dice", f"{face}s that later dice may extend, or must complete")
            for face in FACES
        ]
    return fields


def _way(dice: int, rank: int) -> str:
    of = f"of {dice} {'die' if dice == 1 else 'dice'}"
    return f"the keep of rank {rank} {of}" if rank else f"the keep {of} with the most points"


def _turn(person: int) -> str:
    return "now or next" if person == 0 else f"{person} later"
