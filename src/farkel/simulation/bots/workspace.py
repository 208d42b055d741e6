"""The space that a compiled game is played in, and how its machine code is compiled."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple

from farkel.game import law
from farkel.kernels.arrays import Numbers, Values, zeros
from farkel.kernels.blocks import Blocks, Layout
from farkel.kernels.registry import GAMES, parts
from farkel.kernels.spaces import Space
from farkel.kernels.turn_rows import Turns
from farkel.players.decisions import COLUMNS, LARGE, SMALL, Ints, Rows
from farkel.simulation.bots.chances import Told
from farkel.simulation.tally import FIELDS, MOST_THROWS, MOST_TURNS, SEATS

MOST_OPTIONS = 648
"""Actions in one decision: a roll of ten dice has 323 keeps at most."""

THROW_EVENT, FRESH_EVENT, TAKE_EVENT, KEEP_EVENT = range(4)
"""Kinds of event in a trace, `kind + 4 * number`: numbers are a roll, dice, or a choice as `Desk.options` has it."""

# Without Numba's counting of references, which costs as much as the games: nothing here makes an array.
compiled = GAMES
part = parts(error_model="numpy", _nrt=False)
inlined = parts(error_model="numpy", _nrt=False, forceinline=True)
for _each in SMALL:
    inlined(_each)
for _each in LARGE:
    part(_each)

ASKS = -1
"""A decision that must wait for a table: see `Desk.asks`."""


MADE, NOTED, OF_TURN, OF_SCORE = range(4)
"""Places of `Among.made`: how many decisions were made since the game began, and how many are noted; which turn, begun
with which score, is there."""


class Before(NamedTuple):
    """The rows that a decision changes: of the game, and of the seat to move."""

    now: law.Row
    mine: law.Row


class Desk(NamedTuple):
    """Space for one game, one for each thread."""

    seats: int
    """How many there are."""
    game: Rows
    spare: Rows
    """Where the law shows what an action would do."""
    before: Before
    """As it was before the last roll."""
    people: Ints
    """[seat]"""
    thumbs: Sequence[Ints]
    """[seat][column]: as `farkel.simulation.bots.tables.Policies` has it."""
    policy: Ints
    """[seat]"""
    counts: Sequence[Ints]
    """[seat][field]: as `farkel.simulation.tally`, for counts that are not kept turn by turn."""
    turn_seat: Ints
    turn_points: Ints
    """What each turn banked, in units; -1: a farkle."""
    asks: Ints
    """The request of a decision, as `BotTables.learn` takes it; first 0 if there is none."""
    options: Ints
    """Legal decisions: 2 * keep, and one more to bank it; or the dice to take over, 0 to start fresh."""
    wins: MutableSequence[float]
    """[option]: winning chances."""


_ROWS = Layout([("seats", "int64", (SEATS, law.SEAT_ROW)), ("now", "int64", (law.NOW,))])
_DESK = Layout(
    [
        ("seats", "int64"),
        ("game", _ROWS),
        ("spare", _ROWS),
        ("before", Layout([("now", "int64", (law.NOW,)), ("mine", "int64", (law.SEAT_ROW,))])),
        ("people", "int64", (SEATS,)),
        ("thumbs", "int64", (SEATS, COLUMNS)),
        ("policy", "int64", (SEATS,)),
        ("counts", "int64", (SEATS, FIELDS)),
        ("turn_seat", "uint8", (MOST_TURNS,)),
        ("turn_points", "int32", (MOST_TURNS,)),
        ("asks", "int64", (3,)),
        ("options", "int64", (MOST_OPTIONS,)),
        ("wins", "float64", (MOST_OPTIONS,)),
    ]
)


def desks(count: int, seats: int) -> Sequence[Desk]:
    """Return space for this many games. Each is one block of memory: see `farkel.kernels.law.table`."""
    found: Sequence[Any] = Blocks(_DESK, count)
    for desk in found:
        desk.seats = seats
    return found


class Among(NamedTuple):
    """The part of a game for players among many: the turn under way, as in `Turns`, and decisions made.

    A game that asks for a turn is played again from its beginning. It goes by its notes up to there.
    """

    told: Told
    made: Numbers
    """[`MADE` and others]"""
    notes: Numbers
    """Decisions, in their order."""
    seats: Numbers
    now: Numbers
    rows: Numbers
    """[slot, column]: the slots are lives where these are paid."""
    rolling: Values
    bank: Values


def among(count: int, told: Told, turns: Turns, space: Space) -> Among:
    """Return a desk for this many games, with an index for the game, and room for a turn of each."""
    notes = space.zeros((count, MOST_THROWS + MOST_TURNS), "int32")
    made = zeros((count, 4), "int64")
    return Among(told, made, notes, turns.seats, turns.now, turns.rows, turns.rolling, turns.bank)


@inlined
def among_of(field: Among, game: int) -> Among:
    """Return the part of one game, by its number, of an `Among` of many."""
    return Among(
        field.told,
        field.made[game],
        field.notes[game],
        field.seats[game],
        field.now[game],
        field.rows[game],
        field.rolling[game],
        field.bank[game],
    )


@inlined
def traced(trace: Numbers, event: int, value: int) -> None:
    """Write an event down if events are wanted."""
    if event < trace.size:
        trace[event] = value
