"""The pages about what a browser keeps."""

from __future__ import annotations

import html
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from farkel.page import backup, kept_pages
from farkel.page.store import PageStore
from farkel.web.app import PAGES, make_app
from farkel.web.store.values import Append, NewGame, Row
from page_database import Jar, PageDatabase
from seeded import Seeded
from web_helpers import Hands, plan_of, settings_of

GAME, OTHER, THIRD = "a" * 12, "b" * 12, "c" * 12
SCRIPTS = '{"farkel-settings": "{\\"scheme\\": \\"dark\\"}", "another-site": "x"}'


class Kept:
    """A page of a folder, and what its browser keeps."""

    def __init__(self, client: httpx.AsyncClient, database: PageDatabase, jar: Jar) -> None:
        self.client, self.database, self.jar = client, database, jar

    async def text(self, path: str = "/kept") -> str:
        """What a page says."""
        answer = await self.client.get(path)
        assert answer.status_code == 200
        return html.unescape(answer.text)

    async def saved(self) -> bytes:
        answer = await self.client.post("/kept/save", data={"scripts": SCRIPTS})
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == 'attachment; filename="farkel-2027-01-15.zip"'
        return answer.content

    async def open(self, data: bytes) -> httpx.Response:
        return await self.client.post("/kept/open", files={"record": ("a file", data)})


@asynccontextmanager
async def page(database: PageDatabase) -> AsyncIterator[Kept]:
    store = await PageStore.opened(database)
    settings = settings_of("", alone=True, most_body=backup.MOST_BYTES + 2**20)
    app = make_app(settings, Hands(), Seeded(), store=store, pages=[*PAGES, kept_pages.router])
    app.state.cookies = jar = Jar()
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://here") as client,
    ):
        yield Kept(client, database, jar)


@pytest.fixture
async def kept() -> AsyncIterator[Kept]:
    """Two games, of which one has begun, and one that is damaged."""
    database = PageDatabase()
    store = await PageStore.opened(database)
    plan = plan_of("standard", "here", "bot:cautious").model_dump_json()
    for at, game in enumerate((GAME, OTHER, THIRD)):
        await store.write(NewGame(game, 1_795_000_000_000 + 90_000_000 * at, plan, bytes(32), "5" * 64, ()))
        start = Row(1, 1_795_000_000_000, "start", '{"date":"2026-11-20 12:00","words":[]}')
        away = Row(2, 1_795_000_000_000, "allow", "{}")
        if game != OTHER:
            await store.write(Append(game, (start, away), None, over=False))
    database.lines[THIRD, 2] = None
    async with page(database) as found:
        for game in (GAME, OTHER):
            found.jar.take(f"seat-12345678=token-of-this-game; Path=/g/{game}")
        yield found


async def test_an_empty_browser_says_how_to_begin() -> None:
    async with page(PageDatabase()) as kept:
        text = await kept.text()
        assert "There are no games yet." in text
        assert "Remove all games" not in text


async def test_the_start_page_leads_there_if_the_pages_are_alone() -> None:
    async with page(PageDatabase()) as kept:
        assert 'href="/kept"' in await kept.text("/")


async def test_games_are_listed_with_names_and_day_and_the_damaged_ones_are_named(kept: Kept) -> None:
    text = await kept.text()
    assert text.count("data-game=") == 3
    assert f'<a href="/g/{GAME}">Standard Farkle</a></b>Ann and Bob' in text
    assert "18 November 2026" in text
    await kept.client.get(f"/g/{THIRD}")
    text = await kept.text()
    assert "Standard Farkle is damaged</b>Event 2 can't be read. Ann and Bob" in text
    assert f'href="/g/{THIRD}"' not in text
    kept.database.lines.pop((GAME, 1))
    assert "Standard Farkle is damaged</b>Some of its events are missing." in await kept.text()


async def test_a_damaged_game_is_saved_as_far_as_it_can_be_read(kept: Kept) -> None:
    assert (await kept.client.get(f"/g/{THIRD}")).status_code == 422
    answer = await kept.client.get(f"/kept/{THIRD}/file")
    assert answer.status_code == 200
    assert answer.text.startswith("farkel record ")
    assert answer.headers["content-disposition"].endswith('.farkel"')
    waiting = await kept.client.get(f"/kept/{OTHER}/file")  # it has not begun, so there is no record
    assert json.loads(waiting.text.splitlines()[0])["game"] == OTHER
    async with page(PageDatabase()) as there:
        assert "1 game was added." in (await there.open(waiting.content)).text
        assert [*there.jar.values] == [f"/g/{OTHER} seat-12345678"]
        cut_off = await there.open(waiting.content[:-2])
        assert (cut_off.status_code, "Its last line is cut off" in cut_off.text) == (422, True)
    assert (await kept.client.get(f"/kept/{'d' * 12}/file")).status_code == 404


async def test_a_file_is_saved_and_opened_elsewhere(kept: Kept) -> None:
    data = await kept.saved()
    async with page(PageDatabase()) as there:
        answer = html.unescape((await there.open(data)).text)
        assert "3 games were added." in answer
        assert """data-settings="{"farkel-settings": "{\\"scheme\\": \\"dark\\"}"}\"""" in answer
        assert there.jar.values == kept.jar.values
        assert (await there.client.get(f"/g/{GAME}")).status_code == 200
        assert "3 games were here already." in html.unescape((await there.open(data)).text)


async def test_a_table_that_is_open_shows_what_a_file_added(kept: Kept) -> None:
    data = await kept.saved()
    async with page(PageDatabase()) as there:
        await there.open(data)
        path = f"/api/v1/games/{GAME}"
        assert (await there.client.get(path)).json()["number"] == 2
        store = await PageStore.opened(kept.database)
        longer = Row(3, 1_795_000_000_000, "allow", '{"hints": true}')
        await store.write(Append(GAME, (longer,), None, over=False))
        async with page(kept.database) as later:
            answer = await there.open(await later.saved())
        assert "1 game was brought up to date and 2 were here already." in html.unescape(answer.text)
        assert (await there.client.get(path)).json()["number"] == 3


async def test_a_file_that_is_not_ours_is_refused_in_a_sentence(kept: Kept) -> None:
    answer = await kept.open(b"PK\x03\x04 and so on")
    assert answer.status_code == 422
    assert "This file is damaged, or only a part of it" in answer.text


async def test_a_record_is_sent_on_and_house_rules_go_to_their_editor(kept: Kept) -> None:
    record = (await kept.client.get(f"/kept/{GAME}/file")).content
    answer = await kept.open(record)
    assert (answer.status_code, answer.headers["location"]) == (307, "/watch")
    answer = await kept.open(b'name = "ours"\ntarget = 5000\n')
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/rules/edit?rules=")
    assert (await kept.open(b"Dear aunt")).status_code == 422


async def test_a_game_is_removed_after_asking_with_all_that_opens_it(kept: Kept) -> None:
    assert (await kept.client.get(f"/g/{GAME}")).status_code == 200
    question = await kept.text(f"/kept/remove?game={GAME}")
    assert "This can’t be undone." in question
    assert (await kept.client.get(f"/g/{GAME}")).status_code == 200
    answer = await kept.client.post("/kept/remove", data={"game": GAME})
    assert (answer.status_code, answer.headers["location"]) == (303, "/kept")
    assert (await kept.client.get(f"/g/{GAME}")).status_code == 404
    assert [*kept.jar.values] == [f"/g/{OTHER} seat-12345678"]
    assert (await kept.text()).count("data-game=") == 2
    gone = await kept.client.get(f"/kept/remove?game={GAME}")
    assert (gone.status_code, gone.headers["location"]) == (303, "/kept")


async def test_all_games_are_removed_after_asking(kept: Kept) -> None:
    assert "3 games." in await kept.text("/kept/remove")
    await kept.client.post("/kept/remove")
    assert "There are no games yet." in await kept.text()
    assert kept.database.lines == {}
    assert kept.jar.values == {}


@pytest.mark.parametrize(
    "scripts", ["", "[]", "{", "7", pytest.param("[" * 100_000, id="deep"), '{"farkel-settings": 7}']
)
async def test_what_scripts_keep_is_left_out_if_it_cannot_be_read(kept: Kept, scripts: str) -> None:
    answer = await kept.client.post("/kept/save", data={"scripts": scripts})
    assert answer.status_code == 200


async def test_a_browser_whose_storage_fails_says_so(kept: Kept) -> None:
    kept.database.failing = "no_database"
    answer = await kept.client.get("/kept")
    assert answer.status_code == 503
    assert "open its storage" in answer.text
