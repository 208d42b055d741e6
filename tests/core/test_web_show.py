"""Links in which a whole game is, to show it to somebody."""

from __future__ import annotations

import html
import re
import zlib
from base64 import urlsafe_b64decode
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from test_web_watching import opened, plain, recorded

from databases import sqlite_at
from farkel.web.http import addresses
from web_helpers import sited


def link_on(page: str) -> str:
    """The link that a page shows, or ""."""
    found = re.search(r'<input id="show-link" readonly value="([^"]*)"', page)
    return html.unescape(found[1]) if found else ""


@pytest.mark.parametrize("dice", ["committed", "system"])
async def test_the_link_of_a_game_holds_its_whole_record(tmp_path: Path, dice: str) -> None:
    text = recorded(tmp_path, "committed" if dice == "committed" else "system")
    async with sited(sqlite_at(tmp_path / "games.db")) as site:
        game = await opened(site, text)
        link = link_on((await site.client.get(f"/g/{game}/show")).text)
        record = (await site.client.get(f"/api/v1/games/{game}/record")).text
    assert urlsplit(link).path == "/watch"
    assert len(link) <= addresses.MOST_LINK
    packed = parse_qs(urlsplit(link).fragment)["record"][0]
    assert zlib.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS).decode() == record


async def test_a_game_that_is_too_long_for_a_link_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "MOST_LINK", 300)
    text = recorded(tmp_path)
    async with sited(sqlite_at(tmp_path / "games.db")) as site:
        game = await opened(site, text)
        page = (await site.client.get(f"/g/{game}/show")).text
    assert link_on(page) == ""
    assert "This game is too long for a link: download the record and send that." in plain(page)
