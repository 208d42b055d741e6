"""What the server plays itself: bots, and stand-ins for players who are away."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from farkel.game import Note, Throw
from farkel.records import parse_record, verify
from farkel.web.game import own_moves
from farkel.web.game.service import GameService
from farkel.web.game.submissions import Rolls, drafted
from farkel.web.game.table import Table
from farkel.web.settings import Settings
from games_in_words import dice
from web_helpers import ANN, FIRST, HOST, Hands, begun, engine_of, service_over, text_of

ROLL = Rolls(do="roll")


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
    pause = own_moves.pause

    def paused_for(settings: Settings, table: Table) -> float:
        paused.append(pause(settings, table))
        return 0.0

    monkeypatch.setattr(own_moves, "pause", paused_for)
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
