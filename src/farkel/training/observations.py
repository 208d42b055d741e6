"""Observations: a fixed number of float32, the same for every state of a rule set and a number of seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableSequence, Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.dice import FACES
from farkel.game import State, law
from farkel.game.law import (
    BEAT,
    BEFORE,
    CLOSER,
    ENTERED,
    FALLS,
    FARKLES,
    FIRST,
    GONE,
    HAND,
    HOT,
    IDLE,
    IN,
    KEEP,
    LIVES,
    MORE,
    MOVED,
    OFFER,
    OFFER_HAND,
    OFFER_POINTS,
    OPENED,
    OVER,
    OWED,
    OWING,
    PEOPLE,
    PERSON,
    PHASE,
    POINTS,
    ROLLED,
    ROLLS,
    ROUNDS,
    SCORE,
    SEAT,
    SETS,
    STANDING,
    TAKEN,
    TIED,
    TRIES,
    Read,
    ReadSeats,
)
from farkel.game.law.terms import Terms
from farkel.game.numbered import numbered
from farkel.game.scoring import every_scored, held_dice, open_sets
from farkel.rules import AnyRules, Rules, as_rules
from farkel.training.action_numbers import Actions, actions

Observation = NDArray[np.float32]
"""[field], in the order of `Encoder.fields`."""
Numbers = NDArray[np.int64]

MOST_SHARES = 10.0
"""Points are shown in shares of the scale and cut off there."""
MOST_HOT = 100.0
MOST_ROLLS = 100.0
MOST_FAILED = 100.0
MOST_STANDING = 1000.0
MOST_IN_ROW = 19.0
TURN, EACH = 17, 12
"""Numbers of the turn, and of each seat besides whether its people are on the board."""


PACKED_TURN = Struct(f"{TURN}f").pack


class Feature(NamedTuple):
    """One number of the observation."""

    name: str
    low: float
    high: float
    unit: str
    meaning: str


class Scales(NamedTuple):
    """What numbers are shown as shares of; none is 0."""

    unit: int
    """Points of a unit of the rows."""
    points: float
    rounds: int
    lives: int
    in_row: int
    people: int
    """People of a seat whose entry is shown."""
    step: int
    """What is owed before a bank is shown in steps of so many units of the rows."""


class Choices(NamedTuple):
    """How rolls and keeps, numbered as in the law, are shown and chosen."""

    faces: Observation
    """[roll, face]: how many dice show it."""
    slot: Numbers
    """[keep]: as in `Actions.slots`."""
    keep: Numbers
    """[roll, slot]: the keep, -1 if the roll has none."""
    open: Observation
    """[open, face]: the dice of each set that may be extended; no faces if none ever is."""


# What a seat sees, written into an observation ------------------------------------------------------------------------
# Plain functions over the rows of a game, as the law: `farkel.training.stepping` runs them in machine code, too.

Seen = MutableSequence[float]


def write_seen(
    terms: Terms, choices: Choices, scales: Scales, now: Read, seats: ReadSeats, observer: int, seen: Seen
) -> None:
    """Write the observation of a seat, in the order of `Encoder.fields`."""
    write_roll(terms, choices, scales, now, seen)
    place = 6 + choices.keep.shape[1]
    write_turn(scales, now, seats[now[SEAT]], seen, place)
    place = write_seats(scales, now, seats, observer, seen, place + TURN)
    for face in range(choices.open.shape[1]):
        seen[place + face] = choices.open[now[SETS], face]


def write_roll(terms: Terms, choices: Choices, scales: Scales, now: Read, seen: Seen) -> None:
    """Write the dice, and what each keep adds to the turn total."""
    for place in range(6 + choices.keep.shape[1]):
        seen[place] = 0.0
    if now[PHASE] == KEEP:
        rolled = now[ROLLED]
        for face in range(6):
            seen[face] = choices.faces[rolled, face]
        for keep in range(terms.first_keep[rolled], terms.first_keep[rolled + 1]):
            seen[6 + choices.slot[keep]] = share(scales, law.total_with(terms, now, keep) - now[POINTS])


def share(scales: Scales, points: int) -> float:
    """Return points as they are shown."""
    # Learners are promised numbers within bounds, and turn totals have none. Most points are 0.
    return max(-MOST_SHARES, min(points * scales.unit / scales.points, MOST_SHARES)) if points else 0.0


def write_turn(scales: Scales, now: Read, mine: Read, seen: Seen, place: int) -> None:
    """Write the turn, what belongs to no seat, and what decides, besides the turn total, whether a bank is allowed."""
    offered = now[PHASE] == OFFER
    seen[place] = now[HAND]
    seen[place + 1] = now[IDLE]
    seen[place + 2] = share(scales, now[POINTS])
    seen[place + 3] = min(now[HOT], MOST_HOT)
    seen[place + 4] = offered
    seen[place + 5] = share(scales, now[OFFER_POINTS]) if offered else 0.0
    seen[place + 6] = now[OFFER_HAND]
    seen[place + 7] = now[ROUNDS] / scales.rounds
    seen[place + 8] = min(now[STANDING], MOST_STANDING)
    seen[place + 9] = now[PHASE] == OVER
    seen[place + 10] = min(now[ROLLS], MOST_ROLLS)
    seen[place + 11] = now[OPENED]
    seen[place + 12] = share(scales, mine[TAKEN])
    seen[place + 13] = share(scales, mine[BEAT])
    seen[place + 14] = share(scales, -(-now[OWING] // scales.step) * scales.step)
    seen[place + 15] = mine[MOVED]
    seen[place + 16] = now[MORE]


def write_seats(scales: Scales, now: Read, seats: ReadSeats, observer: int, seen: Seen, place: int) -> int:
    """Write every seat: the observer first, then in the order of play. Returns the place after them."""
    seat = observer
    for _ in range(len(seats)):
        write_seat(scales, now, seats[seat], seat, seen, place)
        place += EACH + scales.people
        seat = seat + 1 if seat + 1 < len(seats) else 0
    return place


def write_seat(scales: Scales, now: Read, its: Read, seat: int, seen: Seen, place: int) -> None:
    """Write one seat."""
    seen[place] = share(scales, its[SCORE])
    seen[place + 1] = its[LIVES] / scales.lives
    seen[place + 2] = its[FARKLES] / scales.in_row
    seen[place + 3] = its[GONE] == IN
    seen[place + 4] = seat == now[CLOSER]
    seen[place + 5] = seat == now[FIRST]
    seen[place + 6] = seat == now[SEAT]
    seen[place + 7] = share(scales, its[BEFORE])
    seen[place + 8] = now[OWED] >> seat & 1
    seen[place + 9] = now[TIED] >> seat & 1
    seen[place + 10] = min(its[TRIES], MOST_FAILED)
    seen[place + 11] = min(its[FALLS], MOST_FAILED)
    for step in range(scales.people):
        person = (its[PERSON] + step) % its[PEOPLE]
        seen[place + EACH + step] = (its[ENTERED] >> person) & 1


PARTS = write_seen, write_roll, share, write_turn, write_seats, write_seat
"""All of these."""


class Encoder:
    """Turns states into observations of one seat.

    Points are in shares of ``scale``: the target, or 1,000 a round if there is none. Fields that a rule set does
    not use are 0, so that the same field has the same place in all rule sets with the same ways to keep.
    """

    def __init__(self, rules: AnyRules, people: Sequence[int]) -> None:
        self.rules = rules = as_rules(rules)
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
        self.choices = _choices(rules, self.actions)
        self._scales = self.scales(1)
        self._pack = Struct(f"{self.seats * (EACH + self.people)}f").pack
        self._open = [sets.tobytes() for sets in self.choices.open]
        """The observation of open sets, by `State.sets`."""
        self._rolls: dict[tuple[int, int, bool], bytes] = {}
        """That of a roll, by its number, -1 for none, hot dice, and whether dice of an offer lie idle."""
        self._seats: list[tuple[object, tuple[int, ...], bytes]] = [((), (), b"")] * self.seats
        """That of all seats, by observer, with what was seen: they stay the same for most of a turn."""

    def scales(self, unit: int) -> Scales:
        """Return what numbers are shares of, for rows in units of so many points."""
        rounds, lives, in_row = self.rules.rounds, self.rules.lives.each, self.rules.penalties.farkles_in_row
        return Scales(unit, self.scale, rounds or 1, lives or 1, in_row or 1, self.people, self.rules.unit // unit)

    def encode(self, state: State, seat: int) -> Observation:
        """Return the observation of ``seat`` in a state, as a new array."""
        key = state.rolled if state.phase is KEEP else -1, state.hot, state.idle > 0
        roll = self._rolls.get(key)
        if roll is None:
            roll = self._rolls[key] = self._roll(state)
        seats, about, table = self._seats[seat]
        now = state.seat, state.first, state.closer, state.owed, state.tied
        if seats is not state.seats or about != now:
            table = self._table(state, seat)
            self._seats[seat] = state.seats, now, table
        turn = [0.0] * TURN
        write_turn(self._scales, state.row, state.mine, turn, 0)
        return np.frombuffer(bytearray(roll + PACKED_TURN(*turn) + table + self._open[state.sets]), np.float32)

    def _roll(self, state: State) -> bytes:
        seen = [0.0] * (6 + len(self.actions.slots))
        write_roll(numbered(self.rules).terms, self.choices, self._scales, state.row, seen)
        return np.array(seen, np.float32).tobytes()

    def _table(self, state: State, observer: int) -> bytes:
        seen = [0.0] * (self.seats * (EACH + self.people))
        write_seats(self._scales, state.row, state.seats, observer, seen, 0)
        return self._pack(*seen)

    def markdown(self) -> str:
        """Return the fields as a table for people."""
        lines = ["| at | field | range | unit | what it is |", "| ---: | --- | --- | --- | --- |"]
        lines += [
            f"| {number} | `{field.name}` | {field.low:g} to {field.high:g} | {field.unit} | {field.meaning} |"
            for number, field in enumerate(self.fields)
        ]
        return "\n".join(lines)


def _choices(rules: Rules, numbers: Actions) -> Choices:
    scored = tuple(every_scored(rules))
    slot: list[int] = []
    keep = np.full((len(scored), len(numbers.slots)), -1)
    for roll, one in enumerate(scored):
        place = {kept.dice: slot for slot, kept in numbers.keeps[roll].items()}
        for dice in one.keeps:
            keep[roll, place[dice]] = len(slot)
            slot.append(place[dice])
    faces = np.array([[one.roll.count(face) for face in FACES] for one in scored], np.float32)
    return Choices(faces, np.array(slot, np.int64), keep, _open_dice(rules))


def _open_dice(rules: Rules) -> NDArray[np.float32]:
    """Return [open, face]: dice of each set that later dice extend, or complete; no faces if none ever do."""
    faces = FACES if rules.opens_sets or rules.completes else ()
    told = [*map(dict, open_sets(rules)), *map(Counter, held_dice(rules))]
    return np.array([[dice.get(face, 0) for face in faces] for dice in told], np.float32)


def _fields(numbers: Actions, seats: int, people: int) -> list[Feature]:
    share, flag = "share of the scale", "0 or 1"
    most = max(6, numbers.rules.dice)
    fields = [Feature(f"rolled_{face}", 0, most, "dice", f"dice of the roll that show a {face}") for face in FACES]
    fields += [
        Feature(f"keep_{dice}_{rank}", 0, MOST_SHARES, share, f"what {_way(dice, rank)} adds to the turn total")
        for dice, rank in numbers.slots
    ]
    fields += [
        Feature("dice", 0, most, "dice", "dice in the roll"),
        Feature("idle", 0, most, "dice", "dice of an offer that were not taken over"),
        Feature("total", 0, MOST_SHARES, share, "turn total before this decision"),
        Feature("hot", 0, MOST_HOT, "times", "hot dice in this turn, where they multiply points or make it heavy"),
        Feature("offered", 0, 1, flag, "an offer is to be decided on, not a roll"),
        Feature("offer_points", 0, MOST_SHARES, share, "points on offer"),
        Feature("offer_dice", 0, most, "dice", "dice on offer"),
        Feature("rounds_left", 0, 1, "share of the rounds", "rounds still to play, this one too"),
        Feature("standing", 0, MOST_STANDING, "rounds", "rounds left to the last seat standing"),
        Feature("over", 0, 1, flag, "the game is over"),
        Feature("rolls", 0, MOST_ROLLS, "rolls", "rolls in this turn, as far as the rules ask for them"),
        Feature("opened", 0, 1, flag, "kept in this turn: what the entry score has to be made with"),
        Feature("taken", 0, MOST_SHARES, share, "points taken over that do not count toward the entry score"),
        Feature("beat", 0, MOST_SHARES, share, "what the player before banked, where this turn has to bring more"),
        Feature("owing", 0, MOST_SHARES, share, "points that must still be set aside before the bank"),
        Feature("moved", 0, 1, flag, "the target was missed and has moved on"),
        Feature("more", 0, MOST_IN_ROW, "turns", "turns after this one before the dice pass on"),
    ]
    for step in range(seats):
        who = "own" if step == 0 else f"next_{step}"
        whose = "own" if step == 0 else f"of the seat {step} after"
        fields += [
            Feature(f"{who}_score", -MOST_SHARES, MOST_SHARES, share, f"banked points, {whose}"),
            Feature(f"{who}_lives", 0, 1, "share of the lives at first", f"lives, {whose}"),
            Feature(f"{who}_farkles", 0, 1, "share of those fined", f"farkles in a row where they are fined, {whose}"),
            Feature(f"{who}_in", 0, 1, flag, f"still in the game, {whose}"),
            Feature(f"{who}_closer", 0, 1, flag, f"its bank began the last turns, {whose}"),
            Feature(f"{who}_first", 0, 1, flag, f"it began the game, {whose}"),
            Feature(f"{who}_moves", 0, 1, flag, f"it has the dice or decides, {whose}"),
            Feature(
                f"{who}_before",
                -MOST_SHARES,
                MOST_SHARES,
                share,
                f"its score before its last bank, where it may be sent back there, {whose}",
            ),
            Feature(f"{who}_owed", 0, 1, flag, f"a last turn or one of a play-off is still to come, {whose}"),
            Feature(f"{who}_tied", 0, 1, flag, f"it plays off, {whose}"),
            Feature(f"{who}_tries", 0, MOST_FAILED, "turns", f"turns that have failed on a barrel, {whose}"),
            Feature(f"{who}_falls", 0, MOST_FAILED, "times", f"thrown off a barrel, where that is counted, {whose}"),
        ]
        fields += [
            Feature(
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
            Feature(f"open_{face}", 0, most, "dice", f"{face}s that later dice may extend, or must complete")
            for face in FACES
        ]
    return fields


def _way(dice: int, rank: int) -> str:
    of = f"of {dice} {'die' if dice == 1 else 'dice'}"
    return f"the keep of rank {rank} {of}" if rank else f"the keep {of} with the most points"


def _turn(person: int) -> str:
    return "now or next" if person == 0 else f"{person} later"
