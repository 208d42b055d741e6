"""The service: events stored once and sent to all, bots and stand-ins, presence, several services on one database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text

from farkel.errors import FarkelError
from farkel.game import Leave, Note, Throw, legal_actions
from farkel.records import parse_record, verify
from farkel.web.game.service import GameService, NoGame, Opened, Stale
from farkel.web.game.submissions import Leaves, Rolls, drafted
from farkel.web.game.table import Draft, Table, TableError
from farkel.web.http.limits import OPENED, Full
from farkel.web.settings import Settings
from farkel.web.store.news import Message
from farkel.web.store.postgres_news import PostgresNews
from farkel.web.store.values import UNREACHABLE, StoreError
from farkel.web.tokens import Key, hashed
from helpers import dice
from postgres import Postgres
from serving import HANG
from web_helpers import EVERYTHING, FIRST, STARTED, Hands, engine_of, plan_of, service_over

Drafting = Callable[[Table], Draft]
HOST = Key(host=True)
ANN, BOB = (Key(seats=frozenset({seat})) for seat in (0, 1))
ROLL = Rolls(do="roll")


def start(table: Table) -> Draft:
    return table.start(HOST, STARTED)


def roll(table: Table) -> Draft:
    return table.roll(EVERYTHING)


def code(error: BaseException) -> str:
    assert isinstance(error, FarkelError)
    return error.code


async def begun(service: GameService, rules: str = FIRST, *who: str, dice: str = "committed", **allowed: Any) -> Opened:
    """A game of these seats that has started."""
    opened = await service.open(plan_of(rules, *(who or ("far", "far")), dice=dice, **allowed))
    await service.submit(opened.game, start)
    return opened


async def text_of(service: GameService, game: str) -> str:
    return (await service.table(game)).text(await service.rows(game, 0))


async def ended(service: GameService, *who: str, **allowed: Any) -> Opened:
    """A game of these seats that is over, as all have left."""
    opened = await begun(service, FIRST, *who, **allowed)
    for seat in range(len(who)):
        if not (await service.table(opened.game)).over:
            await service.submit(opened.game, partial(Table.play, key=EVERYTHING, event=Leave(seat)))
    return opened


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
            await _heard(news, 2)
        assert (await service.table(game)).number == 2
        await service.submit(game, anything)


def anything(table: Table) -> Draft:
    """The dice that are due, or the first thing that is possible."""
    return table.roll(EVERYTHING) if table.state.dice_due else table.play(EVERYTHING, legal_actions(table.state)[0])


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


# Bots and stand-ins --------------------------------------------------------------------------------------------------


async def test_bots_play_until_it_is_a_persons_turn(database: str) -> None:
    async with service_over(database) as service:
        game = (
            await begun(service, "standard(start=first_seat, target=2000)", "bot:bold", "bot:cautious", "here")
        ).game
        await service.settled()
        table = await service.table(game)
        assert table.state.seat == 2
        assert {move.before.seat for move in table.playing.moves} == {0, 1}


async def test_bots_play_at_the_speed_that_the_host_has_chosen(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[float] = []
    pause = GameService.pause

    def paused_for(service: GameService, table: Table) -> float:
        paused.append(pause(service, table))
        return 0.0

    monkeypatch.setattr(GameService, "pause", paused_for)
    async with service_over(sqlite, pace=0.6) as service:
        for speed, seconds in (("slow", 1.5), ("steady", 0.6), ("fast", 0.2)):
            await begun(service, "standard(target=500)", "bot:bold", "bot:cautious", speed=speed)
            await service.settled()
            assert paused
            assert [one for one in paused if one != pytest.approx(seconds)] == []
            paused.clear()
    assert Settings(sqlite).pace == 0.6


async def test_bots_play_a_whole_game_whose_record_is_true(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service, "standard(target=1500)", "bot:bold", "bot:cautious")).game
        await service.settled()
        assert (await service.table(game)).over
        said = verify(parse_record((await text_of(service, game)).encode()))
        assert "follow from the secret" in said[1]


async def test_a_bot_at_a_real_table_decides_on_dice_that_people_throw(database: str) -> None:
    async with service_over(database) as service:
        game = (await begun(service, FIRST, "bot:cautious", "here", dice="manual")).game
        await service.settled()
        assert (await service.table(game)).playing.moves == []
        await service.submit(game, lambda table: table.play(HOST, Throw(dice("111555"))))
        await service.settled()
        table = await service.table(game)
        assert len(table.playing.moves) == 2
        assert table.playing.moves[1].before.seat == 0


async def test_an_interrupted_bot_finishes_its_turn(database: str) -> None:
    """The service closes while a bot thinks; the next one plays on, at once where it is alone on its database."""
    clock = Hands()
    rules = "standard(start=first_seat, target=1000)"
    async with service_over(database, clock, pace=3_600.0) as service:
        game = (await begun(service, rules, "bot:bold", "bot:cautious")).game
    async with service_over(database, clock, working=30.0) as service:
        if service.store.shared:
            await service.look()
            await service.settled()
            assert (await service.table(game)).number == 1
            clock.move(31)
        await service.look()
        await service.settled()
        assert (await service.table(game)).over


async def test_an_absent_player_is_skipped_after_the_time_limit(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock) as service:
        game = (await begun(service, FIRST, "far", "here", patience=60, absent="pass")).game
        await _looked(service, clock, 59)
        assert (await service.table(game)).away == {}
        await _looked(service, clock, 2)
        table = await service.table(game)
        assert table.away == {0: "pass"}
        assert table.state.seat == 1
        assert [move.event for move in table.playing.moves] == [Note(0, 0)]
        parse_record((await text_of(service, game)).encode())


async def test_a_turn_clock_runs_for_an_absent_player_on_turn(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock) as service:
        game = (await begun(service, FIRST, "far", "here", patience=60, absent="pass")).game
        async with service.page(game, frozenset({0})):
            assert (await service.presence(game)).left is None
        await service.settled()
        assert (await service.presence(game)).left == 60
        clock.move(45)
        assert (await service.presence(game)).left == 15
        assert (await service.presence((await begun(service, FIRST, "far", "here", absent="wait")).game)).left is None


async def _looked(service: GameService, clock: Hands, seconds: float) -> None:
    """The service looks for its work now, and again after this many seconds."""
    clock.move(1.1)
    await service.look()
    await service.settled()
    clock.move(seconds - 1.1)
    await service.look()
    await service.settled()


async def test_a_bot_sits_in_and_the_owner_gets_the_seat_back(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock) as service:
        opened = await begun(service, FIRST, "far", "here", patience=60, absent="bot:cautious")
        await _looked(service, clock, 61)
        table = await service.table(opened.game)
        assert table.away == {0: "bot:cautious"}
        assert table.state.seat == 1
        async with service.page(opened.game, frozenset({0})):
            assert (await service.table(opened.game)).away == {}


async def test_a_moving_owner_gets_the_seat_back_immediately(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock, pace=3_600.0) as service:
        opened = await begun(service, FIRST, "far", "here", patience=60, absent="bot:cautious")
        clock.move(61)
        await service.look()
        assert (await service.table(opened.game)).away == {0: "bot:cautious"}
        done = await service.submit(opened.game, drafted(ANN, ROLL, service.today), seen=2)
        assert [row.kind for row in done.rows] == ["back", "move"]
        assert (await service.table(opened.game)).away == {}


async def test_present_players_have_no_time_limit(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock, away_after=40.0) as service:
        opened = await begun(service, FIRST, "far", "here", patience=5, absent="pass")
        async with service.page(opened.game, frozenset({0})) as there:
            for _ in range(10):
                await _looked(service, clock, 15)
                await there()
                assert (await service.table(opened.game)).away == {}
            # Without a sign of life, as when a phone dies, the seat is away after a while.
            await _looked(service, clock, 41)
            assert (await service.table(opened.game)).away == {0: "pass"}


async def test_patience_counts_from_the_moment_in_which_the_page_was_closed(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock) as service:
        opened = await begun(service, FIRST, "far", "here", patience=60, absent="pass")
        async with service.page(opened.game, frozenset({0})) as there:
            clock.move(500)
            await there()
        await service.settled()
        await _looked(service, clock, 50)
        assert (await service.table(opened.game)).away == {}
        await _looked(service, clock, 30)
        assert (await service.table(opened.game)).away == {0: "pass"}


async def test_a_game_rests_when_all_players_are_away(database: str) -> None:
    """Two who are both gone are not passed over for ever."""
    clock = Hands()
    async with service_over(database, clock) as service:
        game = (await begun(service, FIRST, "far", "far", patience=10, absent="pass")).game
        for _ in range(20):
            await _looked(service, clock, 60)
        table = await service.table(game)
        assert table.away == {0: "pass", 1: "pass"}
        assert table.number <= 6
        assert await service.store.claim(clock() + 10**9, 0) == ()


async def test_the_host_waits_as_long_as_he_wants(database: str) -> None:
    clock = Hands()
    async with service_over(database, clock) as service:
        game = (await begun(service, FIRST, "far", "far", absent="wait")).game
        await _looked(service, clock, 10**6)
        assert (await service.table(game)).number == 1


async def test_an_unreadable_game_does_not_hold_up_others(database: str) -> None:
    clock = Hands()
    rules = "standard(start=first_seat, target=1000)"
    async with service_over(database, clock, pace=3_600.0) as service:
        games = [(await begun(service, rules, "bot:bold", "bot:cautious")).game for _ in range(3)]
        with engine_of(service).begin() as connection:
            connection.execute(text("UPDATE games SET plan = '{}' WHERE game = :game"), {"game": games[0]})
            connection.execute(text("UPDATE games SET due = 1 WHERE game = :game"), {"game": games[0]})
    async with service_over(database, clock) as service:
        clock.move(31)
        await service.look()
        await service.settled()
        assert all([(await service.table(game)).over for game in games[1:]])


# Presence and passing news -------------------------------------------------------------------------------------------


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


# Several services on one database ------------------------------------------------------------------------------------


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
            await _heard(news, 2)
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
            await _heard(news, done.number)
        assert (await other.table(game, done.number)).record == (await one.table(game)).record
        assert await other.rows(game, 1) == done.rows


async def test_rows_too_long_for_a_push_are_read(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.web.store.games.MOST_SAID", 40)
    async with service_over(shared) as one, service_over(shared) as other:
        game = (await begun(one)).game
        held = await other.table(game)
        with other.news.listen(game) as news:
            done = await one.submit(game, roll)
            await _heard(news, done.number)
        assert held.number == 1
        assert (await other.table(game, done.number)).record == (await one.table(game)).record


async def test_news_reach_the_other_service(shared: str) -> None:
    async with service_over(shared) as one, service_over(shared) as other:
        game = (await begun(one)).game
        await other.table(game)
        with other.news.listen(game) as there, one.news.listen(game) as here:
            await one.submit(game, roll)
            await _heard(there, 2)
            await one.pass_on(game, {"kind": "reaction", "what": "clap", "seat": 0})
            said = Message(None, {"kind": "reaction", "what": "clap", "seat": 0})
            assert await asyncio.wait_for(there.get(), HANG) == said
            await other.submit(game, anything)
            assert (await _heard(here, 3)).count(said) == 1  # what it said itself it does not hear again


async def _heard(news: asyncio.Queue[Message], number: int | None) -> list[Message]:
    """The news up to the event of that number, or a later one; None: until all must look."""
    heard: list[Message] = []
    while True:
        heard.append(await asyncio.wait_for(news.get(), HANG))
        reached = heard[-1].number
        if heard[-1].passing is None and (reached is None if number is None else reached and reached >= number):
            return heard


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
            await _heard(news, None)
            await service.submit(game, lambda table: table.play(EVERYTHING, Note(350, 2)))
            await _heard(news, 3)
        assert [seat.score for seat in (await other.table(game)).state.seats] == [300, 350]
