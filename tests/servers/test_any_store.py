"""What every store of games does: the server's, in both databases, and that of a page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from farkel.page.store import PageStore
from farkel.web.store.database import connect
from farkel.web.store.games import GameStore
from farkel.web.store.values import (
    AlreadyStored,
    Append,
    Dropped,
    Game,
    NewGame,
    PutOff,
    Reseated,
    Row,
    Seen,
    StoreError,
    Write,
)
from page_database import PageDatabase

GAME, OTHER = "a" * 12, "b" * 12

AnyStore = GameStore | PageStore


def new(game: str = GAME, *tokens: tuple[int, str], code: str | None = None) -> NewGame:
    return NewGame(game, 1_000, "{}", bytes(range(32)), "host", tokens, code=code)


def append(
    number: int,
    *,
    game: str = GAME,
    rows: int = 1,
    due: int | None = None,
    request: str | None = None,
    over: bool = False,
    renew: tuple[int, str] | None = None,
    plan: str | None = None,
    reseated: Reseated | None = None,
) -> Append:
    made = (
        Row(number + place, 5, "move", f"text {number + place}", None if place else request) for place in range(rows)
    )
    return Append(game, tuple(made), due, over, renew=renew, plan=plan, reseated=reseated)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql), "page"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[AnyStore]:
    """A store with a game of that name."""
    if request.param == "page":
        page = await PageStore.opened(PageDatabase())
        await page.write(new())
        yield page
        return
    address = request.getfixturevalue("sqlite") if request.param == "sqlite" else None
    store = GameStore(connect(address or request.getfixturevalue("postgres").database()))
    store.write_all([new()])
    yield store
    await store.close()
    store.engine.dispose()


async def test_a_game_is_loaded_as_it_was_stored(store: AnyStore) -> None:
    assert await store.load(OTHER) is None
    await store.write(new(OTHER, (0, "hash a"), (2, "hash b"), code="7K2P9Q"))
    await store.write(append(1, game=OTHER, rows=2, request="my-name-1"))
    found = await store.load(OTHER)
    assert found is not None
    assert found == Game(
        OTHER,
        "{}",
        bytes(range(32)),
        "host",
        {0: "hash a", 2: "hash b"},
        (Row(1, 5, "move", "text 1", "my-name-1"), Row(2, 5, "move", "text 2", None)),
        "7K2P9Q",
    )
    assert await store.rows(OTHER, 1) == found.rows[1:]
    assert await store.rows(OTHER, 2) == ()


async def test_a_game_is_opened_once_under_its_name(store: AnyStore) -> None:
    await store.write(append(1))
    with pytest.raises(AlreadyStored):
        await store.write(new())
    assert len(await store.rows(GAME, 0)) == 1


async def test_an_event_is_stored_once_under_its_number(store: AnyStore) -> None:
    assert await store.write(append(1, rows=2))
    assert not await store.write(append(2))
    assert [row.number for row in await store.rows(GAME, 0)] == [1, 2]


async def test_a_submission_is_stored_once_under_its_name(store: AnyStore) -> None:
    assert await store.write(append(1, request="my-name-1"))
    assert not await store.write(append(2, request="my-name-1", rows=2))
    await store.write(new(OTHER))
    assert await store.write(append(1, game=OTHER, request="my-name-1"))
    assert len(await store.rows(GAME, 0)) == 1


async def test_a_game_is_claimed_by_one_process_only(store: AnyStore) -> None:
    await store.write(append(1, due=10))
    assert await store.claim(9, 100) == ()
    assert await store.claim(10, 100) == (GAME,)
    assert await store.claim(10, 100) == ()
    assert await store.claim(100, 200) == (GAME,)


async def test_a_game_that_went_on_is_not_put_off(store: AnyStore) -> None:
    await store.write(append(1, due=10))
    await store.claim(10, 100)
    await store.write(append(2, due=50))  # what happens after the claim says when the game is due
    assert not await store.write(PutOff(GAME, 100, None))
    assert await store.claim(50, 200) == (GAME,)
    assert await store.write(PutOff(GAME, 200, None))
    assert await store.claim(10_000, 20_000) == ()


async def test_everything_that_was_put_off_can_be_woken(store: AnyStore) -> None:
    await store.write(new(OTHER))
    await store.write(append(1, due=1_000))
    await store.write(append(1, game=OTHER))
    await store.wake(7)
    assert await store.claim(7, 100) == (GAME,)


async def test_seats_are_seen(store: AnyStore) -> None:
    await store.write(new(OTHER, (0, "hash a"), (2, "hash b")))
    assert await store.seen(OTHER) == {0: 0, 2: 0}
    await store.write(Seen(OTHER, (2, 5), 77))
    assert await store.seen(OTHER) == {0: 0, 2: 77}
    assert await store.seen("no such game") == {}
    assert await store.find_seat("hash b") == (OTHER, 2)
    assert await store.find_seat("hash c") is None


async def test_a_new_link_takes_the_place_of_the_old_one(store: AnyStore) -> None:
    await store.write(new(OTHER, (2, "hash b")))
    await store.write(Seen(OTHER, (2,), 77))
    assert await store.write(append(1, game=OTHER, renew=(2, "hash c")))
    assert await store.find_seat("hash b") is None
    assert await store.find_seat("hash c") == (OTHER, 2)
    assert await store.seen(OTHER) == {2: 77}
    assert await store.write(append(2, game=OTHER, renew=(0, "hash d")))  # a seat that was not far away
    assert await store.seen(OTHER) == {0: 0, 2: 77}


async def test_seats_move_up_and_their_pages_have_not_been_opened(store: AnyStore) -> None:
    await store.write(new(OTHER, (0, "hash a"), (1, "hash b"), (2, "hash c")))
    await store.write(Seen(OTHER, (0, 1, 2), 77))
    reseated = Reseated(1, ((1, "hash c"),))
    assert await store.write(append(1, game=OTHER, plan='{"seats": 2}', reseated=reseated))
    assert await store.seen(OTHER) == {0: 77, 1: 0}
    assert await store.find_seat("hash b") is None
    assert await store.find_seat("hash c") == (OTHER, 1)
    found = await store.load(OTHER)
    assert found is not None
    assert found.plan == '{"seats": 2}'
    assert found.tokens == {0: "hash a", 1: "hash c"}


async def test_a_refused_submission_changes_nothing_else(store: AnyStore) -> None:
    await store.write(append(1, due=10))
    assert not await store.write(append(1, due=5, plan="other", renew=(0, "hash d"), over=True))
    found = await store.load(GAME)
    assert found is not None
    assert (found.plan, found.tokens) == ("{}", {})
    assert await store.claim(9, 100) == ()


async def test_a_code_invites_to_its_game(store: AnyStore) -> None:
    await store.write(new(OTHER, (0, "hash a"), code="7K2P9Q"))
    assert await store.find_code("7K2P9Q") == OTHER
    assert await store.find_code("222222") is None
    assert await store.find_code("") is None


async def test_open_games_are_not_over_and_were_touched_since(store: AnyStore) -> None:
    await store.write(new(OTHER))
    assert await store.open_games(0) == 2
    await store.write(append(1, game=OTHER, over=True))
    assert await store.open_games(0) == 1
    assert await store.open_games(1_001) == 0
    await store.answers()
    await store.answers(write=True)
    assert await store.open_games(0) == 1


async def test_a_dropped_game_is_gone_with_all_that_belongs_to_it(store: AnyStore) -> None:
    await store.write(new(OTHER, (0, "hash a"), code="7K2P9Q"))
    await store.write(append(1, game=OTHER))
    assert await store.write(Dropped(OTHER))
    assert await store.load(OTHER) is None
    assert await store.find_code("7K2P9Q") is None
    assert await store.find_seat("hash a") is None
    assert await store.load(GAME) is not None
    await store.write(new(OTHER))
    assert await store.rows(OTHER, 0) == ()


async def test_what_waits_is_stored_in_order_of_arrival(store: AnyStore) -> None:
    waiting = [asyncio.create_task(store.write(append(number))) for number in range(1, 600)]
    assert await asyncio.gather(*waiting) == [True] * 599
    assert [row.number for row in await store.rows(GAME, 0)] == list(range(1, 600))


async def test_what_happens_at_once_in_one_game_is_not_lost(store: AnyStore) -> None:
    await store.write(new(OTHER, (0, "hash a"), (1, "hash b")))
    at_once: list[Write] = [Seen(OTHER, (0,), 7), append(1, game=OTHER), Seen(OTHER, (1,), 8)]
    assert await asyncio.gather(*(store.write(one) for one in at_once)) == [True] * 3
    assert await store.seen(OTHER) == {0: 7, 1: 8}
    assert await store.write(append(2, game=OTHER))


async def test_events_without_a_game_are_refused_and_do_not_affect_others(store: AnyStore) -> None:
    orphan = Append("no such game", append(1).rows, None, over=False)
    batch = [append(1), orphan, append(2)]
    done = await asyncio.gather(*(store.write(one) for one in batch), return_exceptions=True)
    assert done[0] is True
    assert isinstance(done[1], StoreError)
    assert done[2] is True
