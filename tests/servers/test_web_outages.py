"""A database that goes away and a disk that is full: one line says so, nothing is lost, and games continue."""

from __future__ import annotations

import html
import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import OperationalError

from browser_helpers import PHONE, Visitor, browsing, serving
from farkel.web.store.database import trouble
from farkel.web.store.values import Write
from postgres import Postgres
from web_helpers import FIRST, Seated, Site, database_of, engine_of, following, full_disk, sited

PAGE = {"accept": "text/html,*/*;q=0.8"}
MANY = 500
"""More submissions than fit into the rest of a page of the database."""


async def until_refused(game: Seated) -> tuple[httpx.Response, int]:
    """Submit until there is no room: the refusal, and how many were stored."""
    for number in range(MANY):
        answer = await game.do("allow", patience=5 + number)
        if answer.status_code != 200:
            return answer, number
    raise AssertionError("there is still room")


async def test_on_a_full_disk_moves_are_refused_and_taken_again_once_there_is_room(
    sqlite: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "far", "far")
        started = len(await game.events())
        with full_disk(engine_of(site.service)):
            refused, stored = await until_refused(game)
            assert refused.status_code == 503
            said = refused.json()
            assert said["code"] == "disk_full"
            assert "disk is full" in said["message"]
            form = {"name-0": "Ann", "name-1": "Ben"}
            while (page := await site.client.post("/", data=form, headers=PAGE)).status_code == 303:
                assert await site.service.store.open_games(0) < MANY, "there is still room"
            assert page.status_code == 503
            assert "disk is full" in html.unescape(page.text)
            # Stored games can be seen, and the outage is reported, also to new visitors.
            assert len(await game.events()) == started + stored
            async with following(site, f"{game.path}/stream?after=0", game.seats[0]) as stream:
                assert len(await stream.until(started + stored)) == started + stored
        assert "disk_full" in caplog.text
        assert "parameters: (" not in caplog.text  # among which are secrets of dice
        again = await game.do("allow", patience=77, request="once-there-is-room")
        assert again.json()["number"] == started + stored + 1
        assert (await game.do("roll", game.seats[0])).status_code == 200
        kept = await game.events()
    async with sited(sqlite) as site:
        assert await game._replace(client=site.client).events() == kept


@contextmanager
def broken(site: Site, *writes: int) -> Iterator[None]:
    """Meanwhile the writes to the database with these numbers fail, counted from 1."""
    writer = database_of(site.service)._writer
    numbers, real = itertools.count(1), writer._write_all

    def write(batch: Sequence[Write]) -> list[bool]:
        if next(numbers) in writes:
            raise OperationalError("INSERT", None, sqlite3.OperationalError("database or disk is full"))
        return real(batch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "_write_all", write)
        yield


async def test_bots_continue_by_themselves_after_failed_writes(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.web.game.service.LONGEST", 0.01)
    async with sited(sqlite) as site:  # which looks for due games only when it starts
        game = await site.open("standard(start=first_seat, target=2000)", "bot:bold", "bot:cautious")
        with broken(site, 2, 3, 5):
            assert (await game.do("start")).status_code == 200
            await site.service.settled()
        assert (await game.view())["over"]


async def test_visitors_during_an_outage_get_an_explanation(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        with broken(site, *range(100)):
            async with following(site, f"{game.path}/stream?after=0", game.seats[0]) as stream:
                assert await stream.status == 200
                assert (await stream.next())["number"] == 1


@pytest.mark.parametrize(
    ("orig", "code"),
    [
        ({"sqlite_errorcode": 13}, "disk_full"),
        ({"sqlite_errorcode": 4_874}, "disk_full"),
        ({"sqlite_errorcode": 10}, "no_database"),
        ({"sqlstate": "53100"}, "disk_full"),
        ({"sqlstate": "57P01"}, "no_database"),
        ({}, "no_database"),
    ],
)
def test_troubles_of_databases_have_codes_and_words(orig: dict[str, Any], code: str) -> None:
    error = type("OfDriver", (Exception,), {})("secret words of the driver")
    error.__dict__.update(orig)
    outer = type("OfSqlalchemy", (Exception,), {"orig": error})()
    found = trouble(outer)
    assert found.code == code
    assert "safe" in found.message
    assert "again" in found.message
    assert "secret" not in found.message


# A real browser, a real database --------------------------------------------------------------------------------------


@pytest.fixture
def stopped_again(postgres: Postgres) -> Iterator[Postgres]:
    """PostgreSQL, which the test may stop."""
    yield postgres
    if not postgres.running:
        postgres.start()


def lines(visitor: Visitor) -> list[str]:
    """What the page says is wrong."""
    return [str(one.text_content()).strip() for one in visitor.page.locator("main .wrong:visible").all()]


@pytest.mark.slow
def test_players_see_one_line_during_an_outage_and_continue(stopped_again: Postgres, tmp_path: Path) -> None:
    server = stopped_again
    with (
        browsing() as browser,
        serving(tmp_path, database=server.database(), heartbeat=0.5) as address,
    ):
        ann, ben = Visitor(browser, address), Visitor(browser, address, PHONE)
        bare = Visitor(browser, address, java_script_enabled=False)
        ann.start("build-on(start=first_seat)", way="own", dice="system")
        ben.sit(ann.page.locator(".each .links input").first.input_value())
        ann.press("#begin")
        ann.ready()
        ben.ready()
        ann.press("#board [data-key=r]")
        number = ann.number
        ben.page.locator(f"#board[data-number='{number}']").wait_for()

        server.stop()
        if ann.page.locator("fieldset.roll").count():
            dice, then = ann.keep()
            ann.choose(dice)
            button = f"button[name=then][value={then}]"
        else:
            button = "#board [data-key=r], [data-key=f]"
        ann.page.locator(button).first.click()
        words = "can't reach its database"
        for visitor in (ann, ben):
            visitor.page.locator("#notice").get_by_text(words).wait_for()
            assert [words in line for line in lines(visitor)] == [True], lines(visitor)
            assert visitor.number == number
        bare.page.goto(ann.page.url)
        assert words in str(bare.page.locator("main [role=alert]").text_content())
        assert bare.page.get_by_role("link", name="Try again").count() == 1

        server.start()
        for visitor in (ann, ben):
            visitor.page.locator("#notice .wrong").wait_for(state="detached")
            visitor.page.locator("#offline").wait_for(state="hidden")
        bare.page.get_by_role("link", name="Try again").click()
        bare.page.locator("#board").wait_for()
        ann.press(button)  # chosen dice stay chosen
        latest = ann.number
        assert int(latest) > int(number)
        for visitor in (ann, ben):
            visitor.page.locator(f"#board[data-number='{latest}']").wait_for()
            assert lines(visitor) == []
            assert all("status 503" in complaint for complaint in visitor.complaints), visitor.complaints
            visitor.close()
        bare.close()
