"""Where links lead, for whom, and how a host is told that they lead nowhere."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from farkel.terminal.cli import main
from farkel.web.http.addresses import is_loopback
from web_helpers import Site, sited

ROOM = "http://192.168.1.5:8000"
FORM = {"rules": "minimal", "name-0": "Ann", "name-1": "Ben", "way": "own", "dice": "system"}
ONLY_HERE = "Only this computer can open links like these"


async def pages(site: Site, base: str) -> dict[str, str]:
    """Every page that shows links, as a browser gets it that reached the server there."""
    site.client.cookies.clear()
    headers = {"host": base.partition("//")[2], "x-forwarded-proto": "http"}
    answer = await site.client.post("/", data=FORM, headers=headers)
    path = answer.headers["location"]
    kept = "; ".join(f"{one.name}={one.value}" for one in site.client.cookies.jar)
    found = {"rules": await site.client.get("/rules/sheet", headers=headers)}
    for part in ("", "/screen"):
        found[part or "lobby"] = await site.client.get(path + part, headers=headers | {"cookie": kept})
    return {name: html.unescape(page.text) for name, page in found.items()}


def links(page: str) -> set[str]:
    """Where the links of a page begin."""
    return set(re.findall(r"(https?://[^/\"<]+)/(?:s|h|g|rules)/", page))


@pytest.mark.parametrize(
    ("settings", "reached", "leads", "only_here"),
    [
        # By a name that leads every phone to itself: the room's address instead.
        ({"room_url": ROOM}, "http://127.0.0.1:8000", ROOM, False),
        ({"room_url": ROOM}, "http://localhost:8000", ROOM, False),
        ({"room_url": ROOM}, "http://[::1]:8000", ROOM, False),
        ({"room_url": ROOM}, "http://0.0.0.0:8000", ROOM, False),
        # By a name that others can use as well: that one.
        ({"room_url": ROOM}, "http://10.0.0.7:8000", "http://10.0.0.7:8000", False),
        ({"room_url": ROOM}, "http://games.local", "http://games.local", False),
        (
            {"room_url": ROOM, "public_url": "https://dice.example.org"},
            "http://127.0.0.1:8000",
            "https://dice.example.org",
            False,
        ),
        ({"public_url": "https://dice.example.org/"}, "http://10.0.0.7", "https://dice.example.org", False),
        # Where there is no address of the room, or only this machine may come.
        ({}, "http://127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ({}, "http://localhost", "http://localhost", True),
        ({"public_url": "http://127.0.0.1:9000"}, "http://10.0.0.7", "http://127.0.0.1:9000", True),
    ],
)
async def test_links_use_the_public_address(
    sqlite: str, settings: dict[str, Any], reached: str, leads: str, only_here: bool
) -> None:
    async with sited(sqlite, **settings) as site:
        found = await pages(site, reached)
        screen = found.pop("/screen")  # read from across the room: a code, and only where it leads
        assert ("on this computer only" in screen) is only_here
        assert (leads.partition("//")[2] in screen) is not only_here
        for name, page in found.items():
            assert links(page) == {leads}, name
            assert (ONLY_HERE in page) is only_here, name
        given = {"rules": "minimal", "seats": [{"name": "Ann", "who": "far"}]}
        host = {"host": reached.partition("//")[2]}
        opened = (await site.client.post("/api/v1/games", json=given, headers=host)).json()
        assert links(f"{opened['watch']} {opened['links']['0']}") == {leads}


@pytest.mark.parametrize(
    ("name", "loops"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("", False),
        ("0.0.0.0", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
        ("2130706433", False),
        ("192.168.1.5", False),
        ("fe80::1", False),
    ],
)
def test_loopback_addresses_are_recognised(name: str, loops: bool) -> None:
    assert is_loopback(name) is loops


@pytest.mark.parametrize(
    ("options", "room", "settings_room", "opens"),
    [
        ((), "192.168.1.5", "http://192.168.1.5:{port}", "http://192.168.1.5:{port}"),
        ((), "", "", "http://127.0.0.1:{port}"),
        (("--host", "127.0.0.1"), "192.168.1.5", "", "http://127.0.0.1:{port}"),
        (
            ("--public-url", "https://dice.example.org"),
            "192.168.1.5",
            "http://192.168.1.5:{port}",
            "https://dice.example.org",
        ),
    ],
)
def test_open_opens_the_address_that_others_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: tuple[str, ...], room: str, settings_room: str, opens: str
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr("farkel.web.serve.address_in_the_room", lambda: room)
    monkeypatch.setattr(
        "farkel.web.serve.serve", lambda settings, sock, _: seen.append((settings, sock.getsockname()[1]))
    )
    monkeypatch.setattr("webbrowser.open", seen.append)
    monkeypatch.setenv("FARKEL_OPERATOR_TOKEN", "sixteen-letters-")
    arguments = ["serve", "--port", "0", "--database", f"sqlite:///{tmp_path / 'games.sqlite'}", "--open", *options]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    opened, (settings, port) = seen
    assert opened == opens.format(port=port)
    assert settings.room_url == settings_room.format(port=port)
    assert settings.operator_token == "sixteen-letters-"
    assert "sixteen" not in repr(settings) + done.output
    nowhere = not room and not options
    assert ("No network found." in done.output) is nowhere


def test_a_short_token_of_the_operator_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FARKEL_OPERATOR_TOKEN", "secret")
    done = CliRunner().invoke(main, ["serve", "--database", f"sqlite:///{tmp_path / 'games.sqlite'}"])
    assert done.exit_code == 2
    assert "give it 16 or more" in done.output
    assert "secret" not in done.output
