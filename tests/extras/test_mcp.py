"""An assistant that speaks the Model Context Protocol, through that protocol's own client."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from named_rules import rules_of

pytest.importorskip("mcp", reason="needs farkel[mcp]")

from mcp import Client, StdioServerParameters

from farkel.coach import advise, position
from farkel.players.knowledge import duel, turn
from farkel.records import parse_record
from farkel.rules import sheet
from farkel.terminal.commands.serve.mcp_tools import server
from serving import serving

RULES = "minimal(target=1500)"


async def said(client: Client, tool: str, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result
    return str(result.content[0].text)  # type: ignore[union-attr]


async def refused(client: Client, tool: str, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


async def test_rules_and_rolls_are_those_of_the_program() -> None:
    async with Client(server()) as client:
        assert {"original"} < {one["name"] for one in json.loads(await said(client, "list_rule_sets"))}
        lives = json.loads(await said(client, "list_rule_sets", search="lives"))
        assert lives[0]["name"] == "original"
        assert await said(client, "read_rules", rules="kcd") == sheet(rules_of("kcd")).text()
        assert "Worth 450" in await said(client, "score_roll", roll="123335", rules="standard")


async def test_an_argument_that_a_tool_does_not_know_is_refused() -> None:
    async with Client(server()) as client:
        why = await refused(client, "advise", scores=[0, 0], turn=100, roll="12346", rules=RULES)
        assert why.endswith(
            'advise has no argument "turn"; its arguments are scores, roll, turn_total, dice, last_turn, rules'
        )


async def test_advice_is_exact_and_takes_seconds_or_is_refused() -> None:
    rules = rules_of(RULES)
    known = advise(duel(rules), turn(rules), position(rules, scores=(400, 700), turn=100, roll=(1, 2, 3, 4, 6)))
    async with Client(server()) as client:
        given = {"scores": [400, 700], "turn_total": 100, "roll": "12346"}
        found = json.loads(await said(client, "advise", rules=RULES, **given))
        assert [one["wins"] for one in found["actions"]] == [known.chance(option) for option in known.options]
        why = await refused(client, "advise", rules="original", scores=[0, 0], roll="112345")
        assert "farkel solve --rules original" in why


@pytest.mark.parametrize(
    ("tool", "given", "why"),
    [
        ("read_rules", {"rules": "nosuch"}, "nosuch"),
        ("read_rules", {"rules": "./secret.toml"}, "secret"),
        ("score_roll", {"roll": ""}, "is not a roll"),
        ("score_roll", {"roll": "129"}, "9"),
        ("advise", {"scores": [0, 0], "rules": RULES}, "give a roll"),
        ("look", {"link": "file:///etc/passwd"}, "is not the link of a game"),
        ("wait", {"link": "http://127.0.0.1:9/s/0123456789abcdef", "seconds": 10**9}, "less than or equal to 60"),
    ],
)
async def test_unanswerable_requests_are_refused_in_a_sentence(tool: str, given: dict[str, Any], why: str) -> None:
    async with Client(server()) as client:
        assert why in await refused(client, tool, **given)


async def test_a_file_is_never_read_as_rules(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('name = "ours"\ntarget = 500\n')
    async with Client(server()) as client:
        assert "target" not in await refused(client, "read_rules", rules=str(path))


async def test_an_assistant_plays_a_seat_to_the_end(tmp_path: Path) -> None:
    from farkel.client import Client as Site
    from farkel.client import Link

    with serving(tmp_path) as (url, _):
        async with Client(server()) as client:
            game = json.loads(await said(client, "open_game", server=url, opponents=["bot:bold"], rules=RULES))
            link, first = game["link"], game
            while not game["over"]:
                if not game["your_turn"]:
                    game = json.loads(await said(client, "wait", link=link))
                    continue
                stale, action = game["seen"], len(game["actions"]) - 1
                assert "there is no action" in await refused(client, "act", link=link, action=99, seen=stale)
                game = json.loads(await said(client, "act", link=link, action=action, seen=stale))
                assert "look again" in await refused(client, "act", link=link, action=0, seen=stale)
            assert game["you"] == first["you"] == "Assistant"
            assert game == json.loads(await said(client, "look", link=link))
            assert max(game["scores"].values()) >= 1500
        found = Link.of(link)
        with Site(found.server, found.token) as site:
            assert parse_record(site.record(site.seat()[0]).encode()).state.over


async def test_the_command_serves_standard_input_and_output() -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "farkel", "mcp"])
    async with Client(command) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"read_rules", "score_roll", "advise", "act"} <= names
        assert "Worth 100" in await said(client, "score_roll", roll="1")
