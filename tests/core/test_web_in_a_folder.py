"""Pages that stand alone in a folder: what they leave out, what they say instead, what a browser does with them."""

from __future__ import annotations

import html
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from farkel.errors import PlayerError
from farkel.players import knowledge
from farkel.rules import parse
from farkel.support import extras
from farkel.web.app import make_app
from farkel.web.settings import NEEDS_SERVER
from memory_store import Memory
from seeded import Seeded
from web_helpers import Hands, Site, settings_of

SAID = NEEDS_SERVER[0].upper() + NEEDS_SERVER[1:]
FORM = {"rules": "minimal", "name-0": "Ann", "name-1": "Ben", "dice": "system"}


@asynccontextmanager
async def alone(**changed: Any) -> AsyncIterator[Site]:
    """An application whose pages are alone."""
    app = make_app(settings_of("", alone=True, **changed), Hands(), Seeded(), store=Memory())
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="https://games.example") as client:
            yield Site(app, client)


async def opened(site: Site, **form: str) -> str:
    """Open a game with a form; return the path of its page."""
    answer = await site.client.post("/", data=FORM | form)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


async def test_the_start_says_once_what_needs_a_server_and_offers_none_of_it() -> None:
    async with alone() as site:
        for path in ("/", "/new", "/new?way=own"):
            page = html.unescape((await site.client.get(path)).text)
            assert page.count(SAID) == 1
            assert "way=own" not in page
            assert 'value="own"' not in page
            assert 'value="far"' not in page
            assert "code-entry" not in page
            assert "Start a group" not in page
            assert "patience" not in page
            assert "rolled by the server" not in page


@pytest.mark.parametrize("dice", ["system", "manual", "committed"])
async def test_a_table_has_no_links_for_others(dice: str) -> None:
    async with alone() as site:
        game = await opened(site, **({"way": "real"} if dice == "manual" else {"dice": dice}))
        for path in (game, f"{game}?host=1", f"{game}/board", f"{game}/screen"):
            page = (await site.client.get(path)).text
            assert 'class="qr"' not in page
            for part in ("/hooks", "/s/", "/h/", f"{game}/link", "data-copy", "Only this computer", "elsewhere"):
                assert part not in page, part
            assert "A free seat" not in page
        assert f'href="{game}/screen"' in (await site.client.get(game)).text


@pytest.mark.parametrize("form", [{"way": "own"}, {"who-1": "far"}])
async def test_forms_that_ask_for_somebody_far_away_are_refused_in_one_sentence(form: dict[str, str]) -> None:
    async with alone() as site:
        answer = await site.client.post("/", data=FORM | form)
        assert answer.status_code == 422
        assert f"{SAID}." in html.unescape(answer.text)
        seats = [{"name": "Ann"}, {"name": "Ben", "who": "far"}]
        refused = await site.client.post("/api/v1/games", json={"rules": "minimal", "seats": seats})
        assert (refused.status_code, refused.json()) == (422, {"code": "needs_server", "message": NEEDS_SERVER})
        assert not (await site.client.get("/groups")).is_success


async def test_no_seat_of_a_game_that_is_open_can_become_one_far_away() -> None:
    async with alone() as site:
        game = await opened(site, dice="committed")  # which waits for words
        for path, form in ((f"{game}/seats", {"who": "far"}), (f"{game}/link", {"seat": "1"})):
            answer = await site.client.post(path, data=form)
            assert answer.status_code == 422
            assert f"{SAID}." in html.unescape(answer.text)
        assert "Ben" in (await site.client.get(game)).text
        assert (await site.client.post(f"{game}/seats", data={"who": "here", "name": "Cleo"})).status_code == 303


async def test_the_host_changes_what_is_allowed_without_saying_what_happens_to_those_who_are_away() -> None:
    async with alone() as site:
        game = await opened(site)
        form = {"do": "allow", "hints": "on", "request": "a-name-of-its-own"}
        assert (await site.client.post(f"{game}/move", data=form)).status_code == 303
        assert (await site.client.get(f"/api/v1{game.replace('/g/', '/games/')}")).json()["allowed"]["hints"]


def test_refusals_name_commands_only_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    long = parse("standard(target=1000000)")
    assert "do it once with: farkel solve --rules" in knowledge.too_long(long, (1, 1))
    monkeypatch.setattr(sys, "platform", "emscripten")
    said = knowledge.too_long(long, (1, 1))
    assert "; play with farkel serve, on a computer, after: farkel solve --rules" in said
    monkeypatch.setitem(extras.MODULES, "native", ("there_is_no_such_module",))  # type: ignore[index]
    with pytest.raises(PlayerError) as refused:
        extras.needs("native", "bot:exact", PlayerError)
    assert "install" not in refused.value.message
    assert "play with farkel serve, on a computer" in refused.value.message
