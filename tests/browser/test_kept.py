"""The pages about what a browser keeps, in Chromium: what their script does, and how they look to axe."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browser_helpers import PHONE, Visitor, findings, served, so_far
from farkel.page import backup, kept_pages
from farkel.page.store import PageStore
from farkel.web.app import PAGES, make_app
from farkel.web.store.values import Append, NewGame, Row
from page_database import Jar, PageDatabase
from seeded import Seeded
from web_helpers import Hands, plan_of, settings_of

GAME, OTHER, GONE = "a" * 12, "b" * 12, "c" * 12


async def _store() -> PageStore:
    """Two games, of which one is damaged."""
    database = PageDatabase()
    store = await PageStore.opened(database)
    plan = plan_of("standard", "here", "bot:cautious").model_dump_json()
    for game in (GAME, OTHER):
        await store.write(NewGame(game, 1_795_000_000_000, plan, bytes(32), "5" * 64, ()))
        start = Row(1, 1_795_000_000_000, "start", '{"date":"2026-11-20 12:00","words":[]}')
        await store.write(Append(game, (start,), None, over=False))
    database.lines.pop((OTHER, 1))
    return store


@pytest.fixture
def address() -> Iterator[str]:
    settings = settings_of("", most_body=backup.MOST_BYTES + 2**20)
    with ThreadPoolExecutor(1) as beside:  # Playwright has a loop of its own here
        store = beside.submit(lambda: asyncio.run(_store())).result()
    app = make_app(settings, Hands(), Seeded(), store=store, pages=[*PAGES, kept_pages.router])
    app.state.cookies = Jar()
    with served(app) as found:
        yield found


def remembered(page: Any) -> dict[str, str]:
    found: dict[str, str] = page.evaluate("({ ...localStorage })")
    return found


def test_what_scripts_keep_goes_into_the_file_and_comes_back(browser: Any, visit: Any, tmp_path: Path) -> None:
    visitor = visit(PHONE)
    page = visitor.page
    page.goto(f"{visitor.address}/kept")
    settings, games = '{"scheme":"dark"}', json.dumps([{"game": GAME}])
    page.evaluate(
        f"Object.assign(localStorage, {json.dumps({'farkel-settings': settings, 'farkel-games': games, 'other': '1'})})"
    )
    with page.expect_download() as loading:
        page.get_by_role("button", name="Save all", exact=True).click()
    file = tmp_path / loading.value.suggested_filename
    loading.value.save_as(file)
    with zipfile.ZipFile(file) as archive:
        lines = [json.loads(line) for line in archive.read("settings.jsonl").splitlines()]
    assert dict(lines) == {"farkel-settings": settings, "farkel-games": games}

    other = Visitor(browser, visitor.address)
    other.page.goto(f"{visitor.address}/kept")
    own = {"farkel-games": json.dumps([{"game": OTHER}]), f"farkel-told-{GAME}": "7", f"farkel-told-{GONE}": "7"}
    other.page.evaluate(f"Object.assign(localStorage, {json.dumps(own)})")
    other.page.get_by_label("A file from").set_input_files(file)
    other.page.get_by_role("button", name="Open a file").click()
    expect(other.page.get_by_role("status")).to_have_text("2 games were here already.")
    so_far(other.page, "'farkel-settings' in localStorage")
    assert remembered(other.page) == {
        "farkel-settings": settings,
        "farkel-games": '[{"game":"bbbbbbbbbbbb"},{"game":"aaaaaaaaaaaa"}]',
        f"farkel-told-{GAME}": "7",  # and nothing of games that are not here
    }
    other.close()
    assert other.complaints == []


def test_the_page_says_how_much_room_is_used_and_asks_for_storage_that_lasts(visit: Any) -> None:
    visitor = visit(PHONE)
    page = visitor.page
    page.goto(f"{visitor.address}/kept")
    expect(page.locator("#room")).to_contain_text("Farkel uses about")
    page.evaluate("navigator.storage.persist = async () => true")
    page.get_by_role("button", name="Keep my games").click()
    expect(page.locator("#lasting")).to_contain_text("has promised to keep")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert findings(page) == []


def test_a_game_is_removed_by_hand(visit: Any) -> None:
    visitor = visit()
    page = visitor.page
    page.goto(f"{visitor.address}/kept")
    expect(page.get_by_text("is damaged")).to_have_count(1)
    page.locator(f"[data-game={OTHER}]").get_by_role("link", name="Remove").click()
    assert findings(page) == []
    page.get_by_role("button", name="Remove the game").click()
    expect(page.locator("[data-game]")).to_have_count(1)
    expect(page.get_by_text("is damaged")).to_have_count(0)
