"""Several services on one database: each stores, hears of the others, and plays once."""

from __future__ import annotations

import asyncio

import pytest

from farkel.game import Note
from farkel.records import parse_record, verify
from farkel.web.game.table import TableError
from farkel.web.store.news import Message
from farkel.web.store.postgres_news import PostgresNews
from farkel.web.store.values import StoreError
from postgres import Postgres
from serving import HANG
from web_helpers import (
    ANN,
    BOB,
    EVERYTHING,
    FIRST,
    HOST,
    Hands,
    anything,
    begun,
    ended,
    heard,
    roll,
    service_over,
    text_of,
)


@pytest.fixture
def shared(postgres: Postgres) -> str:
    return postgres.database()


async def test_pressing_play_again_at_two_houses_opens_one_game(shared: str) -> None:
    async with service_over(shared) as one, service_over(shared) as other:
        for _ in range(10):
            opened = await ended(one, "far", "far")
            before = await one.store.open_games(0)
            tokens = opened.host, opened.seats[0]
            found = await asyncio.gather(
                *(service.again(opened.game, *shown) for service in (one, other) for shown in (tokens, tokens[:1]))
            )
            (game,) = {again.game for again in found}
            assert await one.store.open_games(0) == before + 1
            assert [row.kind for row in await one.rows(opened.game, 0)].count("again") == 1
            assert await one.key(game, found[0].tokens[opened.host]) == HOST
            sat = await asyncio.gather(*(service.again(opened.game, opened.seats[1]) for service in (one, other)))
            assert sat[0] == sat[1]
            assert await other.key(game, *sat[0].tokens.values()) == BOB
            assert await one.table(game) == await other.table(game)


async def test_a_submission_to_two_houses_counts_once(shared: str) -> None:
    async with service_over(shared) as one, service_over(shared) as other:
        for _ in range(20):
            game = (await begun(one)).game
            done = await asyncio.gather(
                *(service.submit(game, roll, request="my-request") for service in (one, other, one, other))
            )
            assert sorted(outcome.repeated for outcome in done) == [False, True, True, True]
            assert await one.table(game) == await other.table(game)


async def test_of_different_submissions_to_two_houses_one_is_taken(shared: str) -> None:
    async with service_over(shared) as one, service_over(shared) as other:
        for _ in range(20):
            game = (await begun(one)).game
            await other.table(game)
            asked = (
                service.submit(game, roll, request=f"{index:08}", seen=1) for index, service in enumerate([one, other])
            )
            done = await asyncio.gather(*asked, return_exceptions=True)
            assert sorted(type(outcome).__name__ for outcome in done) == ["Stale", "Submitted"]


async def test_news_not_heard_yet_does_not_cause_a_refusal(shared: str) -> None:
    """A move that fits only after what another process has stored: this one looks before it says no."""
    async with service_over(shared) as one, service_over(shared) as other:
        game = (await begun(one, FIRST, "here", "here", dice="manual")).game
        assert (await other.table(game)).state.seat == 0
        await one.submit(game, lambda table: table.play(ANN, Note(300, 2)))
        done = await other.submit(game, lambda table: table.play(BOB, Note(400, 2)))
        assert done.number == 3
        assert [seat.score for seat in (await one.table(game)).state.seats] == [300, 400]


async def test_an_old_link_opens_nothing_at_any_house(shared: str) -> None:
    async with service_over(shared) as one, service_over(shared) as other:
        opened = await begun(one)
        assert await other.key(opened.game, opened.seats[0]) == ANN
        with other.news.listen(opened.game) as news:
            new = await one.renew(opened.game, HOST, 0)
            assert await other.key(opened.game, new) == ANN
            await heard(news, 2)
        assert (await other.key(opened.game, opened.seats[0])).watches


async def test_a_link_that_another_house_replaced_stores_nothing(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even before this service has heard of it."""
    monkeypatch.setattr(PostgresNews, "_take", lambda *_: None)
    async with service_over(shared) as one, service_over(shared) as other:
        opened = await begun(one)
        await other.table(opened.game)
        await one.renew(opened.game, HOST, 0)
        ann = await other.key(opened.game, opened.seats[0])
        assert ann == ANN
        with pytest.raises(TableError) as refused:
            await other.submit(opened.game, lambda table: table.roll(ann))
        assert refused.value.code == "not_yours"
        assert (await other.table(opened.game)).number == 2


async def test_a_house_that_hears_nothing_asks_the_database_whose_a_link_is(
    shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresNews, "_take", lambda *_: None)
    async with service_over(shared) as one, service_over(shared) as other:
        opened = await begun(one)
        await other.table(opened.game)
        await one.renew(opened.game, HOST, 0)
        monkeypatch.setattr(PostgresNews, "hears", False)
        assert (await other.key(opened.game, opened.seats[0])).watches


async def test_pushed_rows_need_not_be_read(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with service_over(shared) as one, service_over(shared) as other:
        game = (await begun(one)).game
        await other.table(game)
        monkeypatch.setattr(other.store, "rows", None)
        with other.news.listen(game) as news:
            done = await one.submit(game, roll)
            await heard(news, done.number)
        assert (await other.table(game, done.number)).record == (await one.table(game)).record
        assert await other.rows(game, 1) == done.rows


async def test_rows_too_long_for_a_push_are_read(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.web.store.games.MOST_SAID", 40)
    async with service_over(shared) as one, service_over(shared) as other:
        game = (await begun(one)).game
        held = await other.table(game)
        with other.news.listen(game) as news:
            done = await one.submit(game, roll)
            await heard(news, done.number)
        assert held.number == 1
        assert (await other.table(game, done.number)).record == (await one.table(game)).record


async def test_news_reach_the_other_service(shared: str) -> None:
    async with service_over(shared) as one, service_over(shared) as other:
        game = (await begun(one)).game
        await other.table(game)
        with other.news.listen(game) as there, one.news.listen(game) as here:
            await one.submit(game, roll)
            await heard(there, 2)
            await one.pass_on(game, {"kind": "reaction", "what": "clap", "seat": 0})
            said = Message(None, {"kind": "reaction", "what": "clap", "seat": 0})
            assert await asyncio.wait_for(there.get(), HANG) == said
            await other.submit(game, anything)
            assert (await heard(here, 3)).count(said) == 1  # what it said itself it does not hear again


async def test_only_one_house_plays_for_the_bots(shared: str) -> None:
    clock = Hands()
    rules = "standard(start=first_seat, target=1000)"
    async with service_over(shared, clock, pace=3_600.0) as service:
        games = [(await begun(service, rules, "bot:bold", "bot:cautious")).game for _ in range(6)]
    clock.move(31)
    async with service_over(shared, clock) as one, service_over(shared, clock) as other:
        await asyncio.gather(one.look(), other.look())
        await asyncio.gather(one.settled(), other.settled())
        for game in games:
            assert (await one.table(game)).over
            assert await one.table(game) == await other.table(game)
            verify(parse_record((await text_of(other, game)).encode()))


async def test_the_database_may_go_away_and_come_back(shared: str, postgres: Postgres) -> None:
    """Stored rows are there; the service reports the outage, then continues, and hears the news again."""
    async with service_over(shared, look=0.05) as service, service_over(shared) as other:
        game = (await begun(service, FIRST, "here", "here", dice="manual")).game
        with other.news.listen(game) as news:
            postgres.stop()
            try:
                with pytest.raises(StoreError):
                    await service.submit(game, lambda table: table.play(EVERYTHING, Note(300, 2)), request="my-request")
            finally:
                postgres.start()
            done = await service.submit(game, lambda table: table.play(EVERYTHING, Note(300, 2)), request="my-request")
            assert done.number == 2
            await heard(news, None)
            await service.submit(game, lambda table: table.play(EVERYTHING, Note(350, 2)))
            await heard(news, 3)
        assert [seat.score for seat in (await other.table(game)).state.seats] == [300, 350]
