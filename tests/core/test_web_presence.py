"""Who is there: pages with and without a stream, watchers, and news that are passed on."""

from __future__ import annotations

import asyncio
from typing import Any

from farkel.web.store.news import Message
from farkel.web.store.values import UNREACHABLE, StoreError
from web_helpers import Hands, begun, service_over


async def test_presence_is_reported(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock, away_after=40.0) as service:
        opened = await begun(service)
        game = opened.game
        assert set((await service.presence(game)).away) == {0, 1}
        with service.news.listen(game) as news:
            async with service.page(game, frozenset({0})) as there:
                assert set((await service.presence(game)).away) == {1}
                clock.move(41)
                assert ((await service.presence(game)).away)[0] == 41
                await there()
                assert set((await service.presence(game)).away) == {1}
                async with service.page(game, frozenset({0})):
                    pass
                await service.settled()
                assert set((await service.presence(game)).away) == {1}  # one of two pages was closed
            await service.settled()
            assert set((await service.presence(game)).away) == {0, 1}
            said = [message for message in _all(news) if message.passing is not None]
            assert said == [Message(None, {"kind": "presence"})] * 3


async def test_a_page_without_a_stream_is_there_as_long_as_it_asks(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock, away_after=40.0) as service:
        game = (await begun(service)).game
        with service.news.listen(game) as news:
            for _ in range(3):
                await service.asked(game, frozenset({0}))
                clock.move(60)  # as browsers slow down hidden pages
                assert set((await service.presence(game)).away) == {1}
            clock.move(11)
            assert set((await service.presence(game)).away) == {0, 1}
            await service.asked(game, frozenset({0}))
            await service.asked(game, frozenset())  # somebody who watches
            assert set((await service.presence(game)).away) == {1}
            said = [message for message in _all(news) if message.passing is not None]
            assert said == [Message(None, {"kind": "presence"})] * 2  # it came, and came back


def _all(news: asyncio.Queue[Message]) -> list[Message]:
    return [news.get_nowait() for _ in range(news.qsize())]


async def test_a_page_that_is_loaded_again_is_there(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service)).game
        for _ in range(10):
            async with service.page(game, frozenset({0})):
                pass
            async with service.page(game, frozenset({0})):
                await service.settled()
                assert set((await service.presence(game)).away) == {1}


async def test_watchers_are_not_counted_as_present(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service)).game
        async with service.page(game, frozenset()) as there:
            await there()
            assert set((await service.presence(game)).away) == {0, 1}


async def test_an_unstored_page_view_is_shown_but_not_counted(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service)).game

        async def fails(what: Any) -> bool:
            raise StoreError(*UNREACHABLE, "no disk")

        write = service.store.write
        service.store.write = fails  # type: ignore[assignment, method-assign]
        async with service.page(game, frozenset({0})) as there:
            await there()
        await service.settled()
        assert 0 in (await service.presence(game)).away
        service.store.write = write  # type: ignore[method-assign]
        async with service.page(game, frozenset({0})):
            pass
        await service.settled()
        assert 0 in (await service.presence(game)).away


async def test_a_slow_reader_loses_nothing_but_old_news(sqlite: str) -> None:
    async with service_over(sqlite) as service:
        game = (await begun(service)).game
        with service.news.listen(game) as news:
            for number in range(1_000):
                service.news.tell(game, Message(number))
            assert news.qsize() == 256
            assert _all(news)[-1] == Message(999)
        assert not service.news.heard(game)
