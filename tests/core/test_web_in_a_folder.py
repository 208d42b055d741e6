"""Pages that stand alone in a folder: what they leave out, what they say instead, what a browser does with them."""

from __future__ import annotations

import html
import inspect
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from jinja2 import ModuleLoader
from starlette.routing import BaseRoute, Mount, Route

from farkel.errors import PlayerError
from farkel.players import knowledge
from farkel.rules import parse
from farkel.support import extras
from farkel.web.app import make_app
from farkel.web.http.security import HEADERS
from farkel.web.pages import rendering
from farkel.web.settings import NEEDS_SERVER, Settings
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
            assert page.replace("<code>", "").replace("</code>", "").count(f"{SAID}.") == 1
            assert "way=own" not in page
            assert 'value="own"' not in page
            assert 'value="far"' not in page
            assert "code-entry" not in page
            assert "Start a group" not in page
            assert "patience" not in page
            assert "rolled by the server" not in page


async def test_games_allow_hints_and_one_tap_shows_winning_chances() -> None:
    async with alone() as site:
        assert '<input type="hidden" name="hints" value="on">' in (await site.client.get("/")).text
        assert 'name="hints" value="on" checked' in (await site.client.get("/new")).text
        game = await opened(site, dice="system", hints="on")
        assert "Show winning chances" in (await site.client.get(game)).text
        allow = {"do": "allow", "hints": "on", "chances": "on"}
        assert (await site.client.post(f"{game}/move", data=allow)).status_code == 303
        page = (await site.client.get(game)).text
        assert 'id="chances"' in page
        assert "<button>Show winning chances</button>" not in page


@pytest.mark.parametrize("dice", ["system", "manual", "committed"])
async def test_a_table_has_no_links_for_others(dice: str) -> None:
    async with alone() as site:
        game = await opened(site, **({"way": "real"} if dice == "manual" else {"dice": dice}))
        for path in (game, f"{game}?host=1", f"{game}/board", f"{game}/screen"):
            page = (await site.client.get(path)).text
            assert 'class="qr"' not in page
            for part in (
                "/hooks",
                "/s/",
                "/h/",
                f"{game}/link",
                "data-copy",
                "Only this computer",
                "elsewhere",
                "_blank",
            ):
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
    assert said.endswith("take too long to solve in a browser; hints and bot:turn go by expected points")
    monkeypatch.setitem(extras.MODULES, "native", ("there_is_no_such_module",))
    with pytest.raises(PlayerError) as refused:
        extras.needs("native", "bot:exact", PlayerError)
    assert "install" not in refused.value.message
    assert "play with farkel serve, on a computer" in refused.value.message


# Without a server ----------------------------------------------------------------------------------------------------


def routes(router: FastAPI | APIRouter) -> Iterator[BaseRoute]:
    """All routes, of the routers that are included as well."""
    for route in router.routes:
        included: APIRouter | None = getattr(route, "original_router", None)
        yield from [route] if included is None else routes(included)


def called(dependant: Dependant) -> Iterator[Any]:
    """What answers a request, and everything that it depends on."""
    yield dependant.call
    for inner in dependant.dependencies:
        yield from called(inner)


@pytest.mark.parametrize("settings", [Settings("", alone=True), Settings("sqlite://")], ids=["alone", "server"])
def test_nothing_that_answers_a_request_runs_in_a_thread(settings: Settings) -> None:
    app = make_app(settings, store=Memory() if settings.alone else None)
    found = [*routes(app)]
    answers = [call for route in found if isinstance(route, APIRoute) for call in called(route.dependant)]
    answers += [route.endpoint for route in found if isinstance(route, Route)]
    answers += app.exception_handlers.values()
    assert len(answers) > 100
    assert [one for one in answers if not inspect.iscoroutinefunction(one)] == []
    if settings.alone:
        assert not any(isinstance(route, Mount) for route in found)


async def test_a_folder_has_no_static_files_from_python_and_nothing_for_times_without_a_network() -> None:
    async with alone() as site:
        for path in ("/static/style.css", "/favicon.ico", "/sw.js", "/offline"):
            assert (await site.client.get(path)).status_code == 404, path
        game = await opened(site, way="real")
        for path in ("/", game):
            answer = await site.client.get(path)
            assert "content-encoding" not in answer.headers
            for part in ("app.js", "offline.js", "unconfirmed", "data-sheet", "manifest"):
                assert part not in answer.text
        assert (await site.client.get("/manifest.webmanifest")).json()["name"] == "Farkel"


async def test_pages_may_stand_in_a_frame_of_their_own_folder_alone() -> None:
    async with alone() as site:
        for path in ("/", "/nothing"):
            headers = (await site.client.get(path)).headers
            assert "frame-ancestors 'self'" in headers["content-security-policy"]
            assert "cross-origin-opener-policy" not in headers
            assert "x-frame-options" not in headers
            assert {name for name, _ in HEADERS} - set(dict(headers.raw)) == {b"cross-origin-opener-policy"}


async def test_what_a_browser_downloads_says_so_itself() -> None:
    async with alone() as site:
        game = await opened(site)
        for path in (f"/api/v1{game.replace('/g/', '/games/')}/record", "/rules/file?rules=minimal"):
            assert (await site.client.get(path)).headers["content-disposition"].startswith("attachment; filename=")
        assert " download" not in (await site.client.get("/rules/sheet")).text


async def test_a_long_upload_is_read_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> None:
        raise AssertionError("a browser has no threads")

    monkeypatch.setattr("starlette.datastructures.run_in_threadpool", refuse)
    async with alone(most_body=1 << 22) as site:
        answer = await site.client.post("/rules/file", files={"file": ("long.toml", b"#" * (1 << 21))})
        assert answer.status_code == 422
        assert "long.toml" in answer.text


async def test_a_link_to_rules_leads_to_the_page_of_the_folder() -> None:
    async with alone(root="/farkel/") as site:
        for path in ("/rules/sheet", "/rules/edit"):
            page = html.unescape((await site.client.get(f"{path}?rules=minimal(target%3D3000)")).text)
            assert 'value="https://games.example/farkel/#rules=minimal%28target%3D3000%29"' in page
            assert 'href="/farkel/?rules=minimal%28target%3D3000%29"' in page
            assert "Only this computer" not in page


async def test_the_start_is_the_same_for_everyone_and_each_time() -> None:
    async with alone() as site:
        first = await site.client.get("/")
        await opened(site)
        again = await site.client.get("/", headers={"cookie": "seat-12345678=abcdefghijklmnopqrstuvwxyz"})
        assert again.text == first.text
        assert "set-cookie" not in again.headers


# What a build makes beforehand ----------------------------------------------------------------------------------------


def test_compiled_templates_make_the_same_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendering.templates.compile_templates(tmp_path, zip=None)
    monkeypatch.setattr(rendering, "COMPILED", tmp_path)
    context: dict[str, Any] = {"families": [], "asked": "", "nothing": "no such rules"}
    usual = rendering.page("rules/catalogue.html", **context).body
    monkeypatch.setattr(rendering, "templates", rendering.templates.overlay(loader=rendering.loader()))
    assert isinstance(rendering.templates.loader, ModuleLoader)
    assert rendering.page("rules/catalogue.html", **context).body == usual


def test_versions_of_static_files_come_from_the_build_if_it_says_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {"style.css", "table/page.js", "table"} <= rendering.versions.__wrapped__().keys()
    monkeypatch.setattr(rendering, "VERSIONS", tmp_path / "versions.json")
    rendering.VERSIONS.write_text('{"style.css": "0123456789ab"}')
    assert rendering.versions.__wrapped__() == {"style.css": "0123456789ab"}
