"""JSON lines between the benchmark and an agent that is a program of its own: states, actions, and both messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from farkel.errors import FarkelError
from farkel.game import Action, Seat, State
from farkel.game.law import Phase
from farkel.players.protocol import as_sent
from farkel.rules import Rules, load
from farkel.support.bounds import json_excess

VERSION = 1
"""Raised when the messages change."""
MOST_LINE = 65_536
"""Characters of a line."""


class ProtocolError(FarkelError):
    """A line that is not a message of the protocol."""


def game_message(rules: Rules, seat: int, seed: int, limit: float) -> dict[str, Any]:
    """Return the message that begins a game; the agent answers it with ``ready``."""
    return {
        "do": "game",
        "protocol": VERSION,
        "rules": rules.model_dump(mode="json"),
        "notation": str(rules),
        "seat": seat,
        "seed": seed,
        "limit": limit,
    }


def decide_message(state: State, actions: Sequence[Action]) -> dict[str, Any]:
    """Return the message that asks for a decision; the agent answers it with the place of an action."""
    numbers = state._asdict()
    del numbers["rules"]
    numbers["phase"] = state.phase.name.lower()
    numbers["seats"] = [seat._asdict() for seat in state.seats]
    # Both follow from `rolled` and the rules, but every agent wants to read them.
    numbers["roll"] = list(state.roll) if state.phase is Phase.KEEP else []
    return {"do": "decide", "state": numbers, "actions": [as_sent(action) for action in actions]}


def state_of(rules: Rules, numbers: Mapping[str, Any]) -> State:
    """Return the state of a ``decide`` message."""
    given = {name: numbers[name] for name in State._fields if name not in ("rules", "seats", "phase")}
    seats = tuple(Seat(**seat) for seat in numbers["seats"])
    return State(rules, seats, Phase[numbers["phase"].upper()], **given)


def rules_of(message: Mapping[str, Any]) -> Rules:
    """Return the rules of a ``game`` message."""
    return load(message["rules"])


def read_line(line: str) -> dict[str, Any]:
    """Return the message of a line. Raises `ProtocolError` for anything but one JSON object of bounded size."""
    if len(line) > MOST_LINE:
        raise ProtocolError("bad_line", f"a line of more than {MOST_LINE:,} characters; answer with one short object")
    excess = json_excess(line)
    if excess is not None:
        raise ProtocolError("bad_line", f"a line that {excess.clause}")
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ProtocolError(
            "bad_line",
            f'a line that is not a JSON object: "{line.strip():.100}"; answer with one such as {{"choose": 0}}',
        )
    return found


def written(message: Mapping[str, Any]) -> str:
    """Return a message as a line."""
    return json.dumps(message, separators=(",", ":")) + "\n"
