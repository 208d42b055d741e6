"""What a draft that is stored means to others: the turn that begins, and the result of the game."""

from __future__ import annotations

import json

from farkel.game import State
from farkel.web.game.table import Draft, Table
from farkel.web.store.values import TurnBegun


def begun(table: Table, made: Draft, number: int) -> TurnBegun | None:
    """Return the turn of a person that begins with the draft, whose last event has that number; None if none does."""
    state = made.after or table.state
    if not made.turn or made.turn == table.turn or state.over:
        return None
    if (made.after is not None and state.seat == table.state.seat) or table.plays(state.seat) != "human":
        return None  # the player who has just moved knows
    people = table.plan.seats[state.seat].seating.people
    rules = table.plan.rules
    said = {
        "turn": made.turn,
        "number": number,
        "seat": state.seat,
        "name": table.names[state.seat],
        "person": people[state.mine.person] if rules.teams == "partners" else table.names[state.seat],
        "title": rules.called,
        "scores": {name: seat.score for name, seat in zip(table.names, state.seats, strict=True)},
    }
    return TurnBegun(made.turn, state.seat, json.dumps(said, ensure_ascii=False))


def result_of(table: Table, made: Draft) -> str | None:
    """Return the result of the game after a draft, as JSON; "" if an ended game is open again, else None."""
    state = made.after
    if state is None or not state.over:
        return "" if state is not None and table.over else None
    return json.dumps({"ranks": ranks(state), "scores": [seat.score for seat in state.seats]}, separators=(",", ":"))


def ranks(state: State) -> list[int]:
    """Return the place of each seat in a finished game: 0 for the winners, and the others by their scores."""
    winners = state.result.winners if state.result else ()
    keys = [(index not in winners, 0 if index in winners else -seat.score) for index, seat in enumerate(state.seats)]
    return [sum(other < key for other in keys) for key in keys]
