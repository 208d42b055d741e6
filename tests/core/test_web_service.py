"""The service: events are stored once and sent to all, and seats belong to their links."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from farkel.game import Leave, Note
from farkel.web.game.held_tables import NoGame
from farkel.web.game.service import Stale
from farkel.web.game.submissions import Leaves, drafted
from farkel.web.game.table import Draft, Table, TableError
from farkel.web.http.limits import OPENED, Full
from farkel.web.store.values import UNREACHABLE, StoreError
from farkel.web.tokens import Key, hashed
from web_helpers import (
    ANN,
    BOB,
    EVERYTHING,
    FIRST,
    HOST,
    anything,
    begun,
    ended,
    heard,
    plan_of,
    roll,
    service_over,
)

Drafting = Callable[[Table], Draft]


# Stored once ---------------------------------------------------------------------------------------------------------


async def test_a_game_is_opened_with_tokens_that_open_their_seats(database: str) -> None:
    async with service_over(database) as service:
        opened = await service.open(plan_of(FIRST, "here", "far", "bot:bold", "far"))
        game = opened.game
        assert set(opened.seats) == {1, 3}
        assert await service.key(game, opened.host) == Key(host=True, seats=frozenset({0}))
        assert await service.key(game, opened.seats[1], opened.seats[3]) == Key(seats=frozenset({1, 3}))
        assert await service.seat_of(opened.seats[3]) == (game, 3)
        other = await service.open(plan_of(FIRST, "far"))
        for wrong in ("", "x", opened.host + "x", other.host, other.seats[0], hashed(opened.host)):
            assert (await service.key(game, wrong)).watches
        with pytest.raises(NoGame):
            await service.seat_of(opened.host)
        with pytest.raises(NoGame):
            await service.table("a" * 12)


async def test_the_same_seats_play_again_with_tokens_made_of_their_old_ones(database: str) -> None:
    async with service_over(database) as service:
        opened = await ended(service, "here", "far", "far", "bot:bold", hints=True)
        new = await service.renew(opened.game, HOST, 0)  # a seat that is far away by now
        first = await service.again(opened.game, opened.host, opened.seats[1])
        game = first.game
        table = await service.table(game)
        assert [seat.who for seat in table.plan.seats] == ["far", "far", "far", "bot:bold"]
        assert table.allowed.hints
        assert table.record is None
        assert (await service.table(opened.game)).next == game
        assert await service.key(game, first.tokens[opened.host]) == HOST
        assert await service.key(game, first.tokens[opened.seats[1]]) == BOB
        # Others sit down with what they have, however often they ask; the host does so on another device too.
        for _ in range(2):
            sat = await service.again(opened.game, new, opened.seats[2])
            assert sat.game == game
            assert await service.key(game, sat.tokens[new]) == ANN
            assert await service.key(game, *sat.tokens.values()) == Key(seats=frozenset({0, 2}))
            assert await service.again(opened.game, opened.host, opened.seats[1]) == first
        assert [row.kind for row in await service.rows(game, 0)] == ["link", "link"]
        assert not {*first.tokens.values(), *sat.tokens.values()} & {opened.host, new, *opened.seats.values()}


async def test_seats_of_the_next_game_need_the_old_token(database: str) -> None:
    async with service_over(database) as service:
        opened, other = await ended(service, "far", "far", "here"), await ended(service, "far", "far")
        old = opened.seats[0]
        opened.seats[0] = await service.renew(opened.game, HOST, 0)
        wrong = (old, other.host, other.seats[0], hashed(opened.host), hashed(opened.seats[1]), "", "x")
        for tokens in (wrong, opened.seats.values()):
            with pytest.raises(TableError) as caught:
                await service.again(opened.game, *tokens)
            assert caught.value.code == "no_next"
        game = (await service.again(opened.game, opened.host)).game
        before = (await service.table(game)).number
        assert (await service.again(opened.game, *wrong)).tokens == {}
        assert (await service.table(game)).number == before
        for token in (*wrong, opened.host, *opened.seats.values()):
            assert (await service.key(game, token)).watches
        # A seat that has a newer link belongs to that one.
        newer = await service.renew(game, HOST, 1)
        assert (await service.again(opened.game, opened.seats[1])).tokens == {}
        assert await service.key(game, newer) == BOB


async def test_the_next_game_is_opened_after_the_game_if_there_is_room(database: str) -> None:
    async with service_over(database, most_open=2) as service:
        going_on = await begun(service)
        with pytest.raises(TableError) as early:
            await service.again(going_on.game, going_on.host)
        assert early.value.code == "not_over"
        opened = await ended(service, "far", "far")
        await begun(service)
        OPENED.set(3)  # as many as always have room
        with pytest.raises(Full):
            await service.again(opened.game, opened.host)
        assert (await service.table(opened.game)).next == ""
        await service.submit(going_on.game, partial(Table.play, key=EVERYTHING, event=Leave(0)))
        assert (await service.again(opened.game, opened.host)).game


async def test_an_unannounced_next_game_is_found_again(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server stopped between opening the game and saying so."""
    async with service_over(database) as service:
        opened = await ended(service, "far", "far")
        with monkeypatch.context() as broken:
            broken.setattr(service, "submit", None)
            with pytest.raises(TypeError):
                await service.again(opened.game, opened.host, opened.seats[0])
        assert await service.store.open_games(0) == 1
        found = await service.again(opened.game, opened.host, opened.seats[0])
        assert await service.store.open_games(0) == 1
        assert await service.key(found.game, *found.tokens.values()) == Key(host=True, seats=frozenset({0}))


async def test_a_submission_with_a_name_counts_once(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service)).game
        first = await service.submit(game, roll, request="my-request")
        again = await service.submit(game, roll, request="my-request")
        assert (first.repeated, again.repeated) == (False, True)
        assert again.rows == ()
        assert (await service.table(game)).number == first.number == 2


async def test_concurrent_copies_of_a_submission_count_once(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service)).game
        done = await asyncio.gather(*(service.submit(game, roll, request="my-request", seen=1) for _ in range(20)))
        assert sorted(outcome.repeated for outcome in done) == [False] + [True] * 19


async def test_of_two_simultaneous_moves_only_one_counts(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service)).game
        pressed = (service.submit(game, roll, request=f"request-{index}", seen=1) for index in range(5))
        done = await asyncio.gather(*pressed, return_exceptions=True)
        stale = [one for one in done if isinstance(one, Stale)]
        assert len(stale) == 4
        assert {one.number for one in stale} == {2}
        assert {tuple(row.number for row in one.missed) for one in stale} == {(2,)}


async def test_missed_events_are_reported(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service, "standard(start=first_seat)", "here", "here", dice="manual")).game
        for _ in range(40):
            await service.submit(game, lambda table: table.play(EVERYTHING, Note(50, 2)))
        with pytest.raises(Stale) as caught:
            await service.submit(game, roll, seen=1)
        assert [row.number for row in caught.value.missed] == list(range(2, 42))
        assert caught.value.number == 41


async def test_a_submission_completes_after_its_sender_leaves(database: str) -> None:
    """The sender may be gone before the answer: stored rows are in memory too, and sent to all."""
    async with service_over(database) as service:
        game = (await begun(service)).game
        stored = asyncio.Event()
        write = service.store.write

        async def slowly(what: Any) -> bool:
            stored.set()
            done = await write(what)
            await asyncio.sleep(0)
            return done

        service.store.write = slowly  # type: ignore[assignment, method-assign]
        with service.news.listen(game) as news:
            asking = asyncio.create_task(service.submit(game, roll))
            await stored.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await service.settled()
            await heard(news, 2)
        assert (await service.table(game)).number == 2
        await service.submit(game, anything)


async def test_rows_stored_by_others_are_loaded(database: str) -> None:
    """An acknowledgement that was lost, or another process: the next submission finds the event and goes on."""
    async with service_over(database) as service:
        game = (await begun(service, FIRST, "here", "here", dice="manual")).game
        write = service.store.write

        async def lost(what: Any) -> bool:
            await write(what)
            raise StoreError(*UNREACHABLE, "the connection was lost")

        service.store.write = lost  # type: ignore[assignment, method-assign]
        with pytest.raises(StoreError):
            await service.submit(game, lambda table: table.play(EVERYTHING, Note(300, 2)), request="my-request")
        service.store.write = write  # type: ignore[method-assign]
        again = await service.submit(game, lambda table: table.play(EVERYTHING, Note(300, 2)), request="my-request")
        assert again.repeated
        assert [seat.score for seat in (await service.table(game)).state.seats] == [300, 0]


async def test_a_game_that_is_over_stays_over_whatever_happens_around_it(database: str) -> None:
    async with service_over(database) as service:
        opened = await begun(service)
        game = opened.game
        assert await service.store.open_games(0) == 1
        await service.submit(game, lambda table: drafted(ANN, Leaves(do="leave", seat=0), service.today)(table))
        assert await service.store.open_games(0) == 0
        await service.renew(game, HOST, 1)
        await service.look()
        assert await service.store.open_games(0) == 0


async def test_the_game_is_read_again_when_it_was_let_go(database: str) -> None:
    async with service_over(database, idle=0.0) as service:
        game = (await begun(service)).game
        before = await service.table(game)
        await service.look()
        after = await service.table(game)
        assert after is not before
        assert after == before


# Links ---------------------------------------------------------------------------------------------------------------


async def test_a_new_link_replaces_the_old_one(database: str) -> None:
    async with service_over(database) as service:
        opened = await begun(service)
        old = opened.seats[0]
        new = await service.renew(opened.game, HOST, 0)
        assert (await service.key(opened.game, old)).watches
        assert await service.key(opened.game, new) == ANN
        with pytest.raises(NoGame):
            await service.seat_of(old)
        assert await service.seat_of(new) == (opened.game, 0)
    async with service_over(database) as service:
        assert (await service.key(opened.game, old)).watches
        assert await service.key(opened.game, new) == ANN


async def test_a_seat_belongs_only_to_the_holder_of_its_link(database: str) -> None:
    """A seat on the host's device that gets a link no longer belongs to the host."""
    async with service_over(database) as service:
        opened = await begun(service, FIRST, "here", "here")
        token = await service.renew(opened.game, HOST, 0)
        assert await service.key(opened.game, opened.host) == Key(host=True, seats=frozenset({1}))
        assert await service.key(opened.game, token) == ANN


async def test_a_bot_needs_no_link(database: str) -> None:
    async with service_over(database) as service:
        opened = await begun(service, FIRST, "far", "bot:bold")
        for seat, said in ((1, "a_bot"), (2, "no_such_seat")):
            with pytest.raises(TableError) as caught:
                await service.renew(opened.game, HOST, seat)
            assert caught.value.code == said
