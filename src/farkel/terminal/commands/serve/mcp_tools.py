"""What ``farkel mcp`` serves: rules, scores, advice and a seat at a table, as tools of the Model Context Protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, ParamSpec

from pydantic import Field

from farkel.client import Client, Followed
from farkel.coach import advise as advice
from farkel.coach import position
from farkel.dice import parse_roll
from farkel.errors import FarkelError
from farkel.game import Phase, legal_actions
from farkel.game import position as in_words
from farkel.game.story import ending
from farkel.players.knowledge import quick_chances, turn
from farkel.players.protocol import as_sent
from farkel.rules import parse, sheet
from farkel.support.bounds import clipped
from farkel.terminal.commands.learn.advise import advice_content, decidable
from farkel.terminal.commands.rules.rules import listed_json
from farkel.terminal.commands.rules.score import roll_text
from farkel.terminal.output import json_line
from farkel.terminal.sentences import told

if TYPE_CHECKING:
    from mcp.server import MCPServer

P = ParamSpec("P")
DEFAULT = "extended"
LOOKS = 0.3
"""Seconds between two looks at a game."""
SHOWN = 12
"""The number of latest moves that are shown."""
INSTRUCTIONS = (
    "Farkel plays the dice game Farkle under any house rules. Read the rules before you answer questions about them. "
    "To play a seat, take its link or open a game, call look, act with the number of an action, and wait while others "
    "play."
)
Rules = Annotated[str, Field(description="A rule set such as kcd, or house rules such as standard(target=5000)")]
Link = Annotated[str, Field(description="The link of your seat: http://HOST:8000/s/TOKEN", max_length=500)]
Roll = Annotated[str, Field(description="The faces of the dice, such as 112355", max_length=100)]


def server() -> MCPServer[Any]:
    """Return the server with its tools."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    class StrictServer(MCPServer[Any]):
        """A server whose tools refuse what they do not know: it might be what the question is about."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            known = next(
                (one.input_schema["properties"] for one in await self.list_tools() if one.name == name), arguments
            )
            for given in arguments.keys() - known.keys():
                raise ToolError(f'{name} has no argument "{clipped(given)}"; its arguments are {", ".join(known)}')
            return await super().call_tool(name, arguments, context)

    found = StrictServer("farkel", title="Farkel", instructions=INSTRUCTIONS, log_level="ERROR")
    for tool in (list_rule_sets, read_rules, score_roll, advise, open_game, look, act, wait):
        found.tool()(_told(tool))
    return found


def _told(tool: Callable[P, str]) -> Callable[P, str]:
    """Turn refusals into errors of the tool, in a sentence."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def told(*given: P.args, **named: P.kwargs) -> str:
        try:
            return tool(*given, **named)
        except FarkelError as error:
            raise ToolError(error.message) from None

    return told


# What can be known ---------------------------------------------------------------------------------------------------


def list_rule_sets(
    search: Annotated[str, Field(description="Words to search for, such as lives; empty for all", max_length=200)] = "",
) -> str:
    """List the rule sets of the catalogue, or those that a search finds, as JSON."""
    return listed_json(search or None)


def read_rules(rules: Rules = DEFAULT) -> str:
    """Return a rule set as a sheet to read aloud."""
    return sheet(parse(rules)).text()


def score_roll(roll: Roll, rules: Rules = DEFAULT) -> str:
    """Return the points of a roll, with every legal keep and the chance of a farkle on the next roll."""
    chosen = parse(rules)
    return roll_text(chosen, parse_roll(roll, chosen.dice))


def advise(
    scores: Annotated[
        list[int], Field(description="Banked scores: yours first, then in the order of play", max_length=20)
    ],
    roll: Annotated[
        str, Field(description="The roll to decide on, such as 112355; empty if none", max_length=100)
    ] = "",
    turn_total: Annotated[int, Field(description="Points kept so far in this turn", ge=0)] = 0,
    dice: Annotated[int | None, Field(description="Without a roll: dice left, to ask whether to roll or bank")] = None,
    last_turn: Annotated[bool, Field(description="Whether this is your last turn")] = False,
    rules: Rules = DEFAULT,
) -> str:
    """Return every legal action with the exact chance to win, the best first, as JSON.

    Rules that take minutes to solve are refused; solve them once with farkel solve.
    """
    chosen = parse(rules)
    faces = parse_roll(roll, chosen.dice) if roll else None
    state = position(chosen, scores=scores, turn=turn_total, roll=faces, dice=dice, last_turn=last_turn)
    decidable(state)
    solved = quick_chances(chosen, state.people)
    return json_line(advice_content(advice(solved, turn(chosen), state)))


# A seat at a table ---------------------------------------------------------------------------------------------------


class Seated(NamedTuple):
    """A game as the holder of a seat sees it."""

    game: str
    seat: int
    followed: Followed


def open_game(
    server: Annotated[str, Field(description="The address of a Farkel server: http://HOST:8000", max_length=300)],
    opponents: Annotated[list[str], Field(description="Bots such as bot:bold, bot:race", min_length=1, max_length=19)],
    name: Annotated[str, Field(description="Your name at the table", max_length=40)] = "Assistant",
    rules: Rules = DEFAULT,
) -> str:
    """Open and start a game against bots on a server, and return the link of your seat with the first look at it."""
    seats = [{"name": name, "who": "far"}]
    seats += [{"name": f"{who.removeprefix('bot:')} {place}", "who": who} for place, who in enumerate(opponents, 1)]
    with Client(server, patience=LOOKS) as client:
        opened = client.open(parse(rules), seats)
    with Client(server, opened["host"], patience=LOOKS) as host:
        host.submit(opened["game"], {"do": "start"})
    link = opened["links"]["0"]
    with Client.of(link, patience=LOOKS) as client:
        return _seen(_seated(client), link)


def look(link: Link) -> str:
    """Return the game of your seat as JSON: scores, the latest moves, and the actions that you may take now."""
    with Client.of(link, patience=LOOKS) as client:
        return _seen(_seated(client))


def act(
    link: Link,
    action: Annotated[int, Field(description="The number of an action, as the last look lists them", ge=0)],
    seen: Annotated[int, Field(description="The number `seen` of that look", ge=0)],
) -> str:
    """Take an action of your seat, and return the game after it. Refused if the game has moved on since that look."""
    with Client.of(link, patience=LOOKS) as client:
        seated = _seated(client)
        moves = _moves(seated)
        if seen != seated.followed.number:
            raise FarkelError("stale", "the game has moved on since that look: look again")
        if action >= len(moves):
            there = f"give a number from 0 to {len(moves) - 1}" if moves else "it is not your turn: wait"
            raise FarkelError("no_such_action", f"there is no action {action}; {there}")
        client.submit(seated.game, moves[action], seen=seen)
        return _seen(_seated(client))


def wait(
    link: Link, seconds: Annotated[float, Field(description="How long to wait at most", gt=0, le=60)] = 20.0
) -> str:
    """Wait until your seat may act or the game is over, and return the game."""
    until = time.monotonic() + seconds
    with Client.of(link, patience=seconds) as client:
        while True:
            seated = _seated(client)
            if _moves(seated) or seated.followed.over or time.monotonic() + LOOKS > until:
                return _seen(seated)
            time.sleep(LOOKS)


def _seated(client: Client) -> Seated:
    game, seat = client.seat()
    followed = Followed.of(client.game(game))
    followed.take(client.events(game))
    return Seated(game, seat, followed)


def _moves(seated: Seated) -> Sequence[dict[str, Any]]:
    """Return the moves that the seat may submit now."""
    state = seated.followed.state
    if state is None or state.over or state.seat != seated.seat:
        return []
    if state.dice_due:
        return [] if seated.followed.dice.kind == "manual" else [{"do": "roll"}]
    return [as_sent(action) for action in legal_actions(state)]


def _seen(seated: Seated, link: str = "") -> str:
    """Return a game as JSON."""
    followed, state = seated.followed, seated.followed.state
    content: dict[str, Any] = {"link": link} if link else {}
    content |= {"rules": str(followed.rules), "you": followed.names[seated.seat], "seen": followed.number}
    if state is None or followed.record is None:
        return json_line(content | {"state": "waiting for the host to start the game"})
    latest = [said for move in followed.record.moves[-SHOWN:] for said in told(move, followed.names)]
    moves = _moves(seated)
    decides = bool(moves) and not state.dice_due
    words = [str(action) for action in legal_actions(state)] if decides else ["roll"] if moves else []
    content |= {
        "state": ending(state, followed.names) if state.over else in_words(state),
        "over": state.over,
        "your_turn": bool(moves),
        "scores": {name: seat.score for name, seat in zip(followed.names, state.seats, strict=True)},
        "turn_total": state.points,
        "roll": list(state.roll) if decides and state.phase is Phase.KEEP else [],
        "latest": latest,
        "actions": [f"{place}: {said}" for place, said in enumerate(words)],
    }
    return json_line(content)
