"""The games that a page keeps in its browser: what goes wrong there, and that nothing is lost by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkel.errors import RecordError
from farkel.page.store import SAID, PageStore
from farkel.web.app import make_app
from farkel.web.game.table import Table
from farkel.web.store.values import Append, NewGame, Row, Seen, StoreError
from page_database import PageDatabase
from seeded import Seeded
from web_helpers import Hands, Sheet, plan_of, settings_of

GAME, OTHER = "a" * 12, "b" * 12


def new(game: str = GAME, *tokens: tuple[int, str], plan: str = "{}") -> NewGame:
    return NewGame(game, 1_000, plan, bytes(range(32)), "host", tokens)


def append(number: int, rows: int = 1, *, game: str = GAME, due: int | None = None) -> Append:
    made = tuple(Row(number + place, 5, "move", f"text {number + place}") for place in range(rows))
    return Append(game, made, due, over=False)


def sheet_of(game: str = GAME) -> Sheet:
    """A game for two that has begun."""
    sheet = Sheet.begun(plan_of("standard(start=first_seat)", "here", "here"))
    sheet.table.game = game
    sheet.store(sheet.table.serve(None))
    return sheet


async def keep(store: PageStore, sheet: Sheet) -> None:
    """Store a game that was played on a sheet."""
    table = sheet.table
    await store.write(new(table.game, plan=table.plan.model_dump_json()))
    await store.write(Append(table.game, tuple(sheet.rows), None, table.over))


@pytest.fixture
def database() -> PageDatabase:
    return PageDatabase()


@pytest.fixture
async def store(database: PageDatabase) -> PageStore:
    """A store with a game of three events."""
    store = await PageStore.opened(database)
    await store.write(new(GAME, (1, "hash a")))
    await store.write(append(1, 3))
    return store


# What is written ------------------------------------------------------------------------------------------------------


async def test_what_was_written_is_there_at_the_next_visit(store: PageStore, database: PageDatabase) -> None:
    await store.write(Seen(GAME, (1,), 77))
    again = await PageStore.opened(database)
    assert await again.load(GAME) == await store.load(GAME)
    assert await again.seen(GAME) == {1: 77}
    assert await again.write(append(4))


async def test_a_full_browser_refuses_an_event_and_everything_before_it_is_safe(
    store: PageStore, database: PageDatabase
) -> None:
    before = await store.load(GAME)
    database.fails_at = {database.writes + 1: "disk_full"}
    with pytest.raises(StoreError) as refused:
        await store.write(append(4, due=7))
    assert refused.value.code == "disk_full"
    assert "no room left" in refused.value.message
    assert await store.load(GAME) == before
    assert await store.claim(10, 20) == ()
    assert await store.write(append(4))


@given(st.lists(st.integers(1, 3), min_size=1, max_size=8), st.sets(st.integers(1, 9)))
async def test_of_writes_that_fail_now_and_then_those_that_did_not_are_kept_and_no_others(
    sizes: list[int], failing: set[int]
) -> None:
    database = PageDatabase()
    store = await PageStore.opened(database)
    await store.write(new())
    database.fails_at = dict.fromkeys((number + 1 for number in failing), "disk_full")
    kept = 0
    for size in sizes:
        with suppress(StoreError):
            kept += size * await store.write(append(kept + 1, size))
    for one in (store, await PageStore.opened(database)):
        assert [row.number for row in await one.rows(GAME, 0)] == [*range(1, kept + 1)]
        assert await one.load(GAME) is not None


@pytest.mark.parametrize("name", ["replaced", "newer", "blocked", "no_database"])
async def test_a_browser_that_does_not_answer_is_named_with_what_to_do(
    store: PageStore, database: PageDatabase, name: str
) -> None:
    database.failing = name
    for asking in (store.write(append(4)), store.rows(GAME, 0), store.thing("cookies"), PageStore.opened(database)):
        with pytest.raises(StoreError) as refused:
            await asking
        assert (refused.value.code, refused.value.message) == SAID[name]
        assert refused.value.code == "no_database"
    database.failing = ""
    assert await store.write(append(4))


async def test_a_fault_of_our_own_is_not_taken_for_one_of_the_browser(
    store: PageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: PageDatabase, text: str) -> bool:
        raise TypeError("an error of the program")

    monkeypatch.setattr(PageDatabase, "write", broken)
    with pytest.raises(TypeError):
        await store.write(append(4))


async def test_games_that_the_browser_has_deleted_are_gone_and_new_ones_can_be_played(
    store: PageStore, database: PageDatabase
) -> None:
    database.clear()
    with pytest.raises(StoreError) as refused:
        await store.write(append(4))
    assert refused.value.code == "cleared"
    assert "Reload" in refused.value.message
    assert await store.load(GAME) is None
    assert await store.games() == []
    assert await store.write(new())
    assert await store.write(append(1))


async def test_a_game_that_is_opened_after_the_browser_deleted_it_is_not_there(
    store: PageStore, database: PageDatabase
) -> None:
    database.clear()
    assert await store.load(GAME) is None
    assert await store.open_games(0) == 0


async def test_a_second_tab_that_was_first_is_noticed_and_nothing_is_overwritten(
    store: PageStore, database: PageDatabase
) -> None:
    other = await PageStore.opened(database)
    assert await other.write(append(4, 2))
    assert not await store.write(append(4))
    assert [row.number for row in await store.rows(GAME, 3)] == [4, 5]
    assert await store.write(append(6))
    assert not await other.write(append(6))


async def test_small_things_are_kept_by_name(store: PageStore, database: PageDatabase) -> None:
    await store.keep("cookies", b"{}")
    await store.keep("solved/abc", bytes(3))
    again = await PageStore.opened(database)
    assert await again.things() == ["cookies", "solved/abc"]
    assert await again.thing("cookies") == b"{}"
    await again.forget("cookies")
    assert await store.thing("cookies") is None


# Damage ---------------------------------------------------------------------------------------------------------------

DAMAGE: dict[str, tuple[Callable[[PageDatabase], object], str, int]] = {
    "an event that cannot be read": (lambda base: base.lines.update({(GAME, 2): None}), "event 2 can't be read", 1),
    "an event that is another thing": (
        lambda base: base.lines.update({(GAME, 2): [2, 5, "move", 17, None]}),
        "event 2 can't be read",
        1,
    ),
    "an event of an unknown kind": (
        lambda base: base.lines.update({(GAME, 3): [3, 5, "mood", "{}", None]}),
        "event 3 can't be read",
        2,
    ),
    "an event around the game that is no JSON": (
        lambda base: base.lines.update({(GAME, 1): [1, 5, "start", "{", None]}),
        "event 1 can't be read",
        0,
    ),
    "a hole": (lambda base: base.lines.pop((GAME, 2)), "event 2 is missing", 1),
    "a lost end": (lambda base: base.lines.pop((GAME, 3)), "event 3 is missing", 2),
    "a head that is another thing": (
        lambda base: base.games.update({GAME: {"game": GAME, "unreadable": True}}),
        "its beginning can't be read",
        3,
    ),
    "a lost head": (lambda base: base.games.pop(GAME), "its beginning is missing", 3),
}


@pytest.mark.parametrize("how", DAMAGE)
async def test_a_damaged_game_is_named_and_all_others_can_be_played(database: PageDatabase, how: str) -> None:
    before = await PageStore.opened(database)
    await before.write(new())
    await before.write(append(1, 3))
    await keep(before, sheet_of(OTHER))
    damage, fault, readable = DAMAGE[how]
    damage(database)

    store = await PageStore.opened(database)
    kept = await store.read(GAME)
    assert kept is not None
    assert kept.fault == fault
    assert [row.number for row in kept.rows] == [*range(1, readable + 1)]
    if how != "a lost head":
        with pytest.raises(RecordError, match="this game is damaged") as refused:
            await store.load(GAME)
        assert refused.value.code == "damaged"
        assert fault in refused.value.message
    found = await store.load(OTHER)
    assert found is not None
    assert Table.of(found).record is not None
    games = {one.game: one.fault for one in await store.games()}
    assert games.keys() == {GAME, OTHER}
    assert not games[OTHER]
    assert await store.claim(10**15, 10**15) == ()

    await store.remove(GAME)
    assert await store.read(GAME) is None
    assert await store.load(GAME) is None
    assert [one.game for one in await store.games()] == [OTHER]
    assert [game for game, _ in database.lines] == [OTHER] * len(found.rows)


@pytest.mark.parametrize(
    ("body", "kind"),
    [('{"seat": 1}', "word"), ('{"seat": [1], "word": "x"}', "word"), ('{"patience": "long"}', "allow"), ("x", "move")],
)
async def test_an_event_that_says_something_else_is_named_when_the_game_is_opened(body: str, kind: str) -> None:
    sheet = Sheet(plan_of("standard", "here", "here"))
    sheet.rows.append(Row(1, 5, kind, body))
    database = PageDatabase()
    store = await PageStore.opened(database)
    await keep(store, sheet)
    found = await store.load(GAME)
    assert found is not None
    with pytest.raises(Exception, match=r"event 1|not started"):
        Table.of(found)


async def test_the_pages_name_a_damaged_game_and_play_another(database: PageDatabase) -> None:
    store = await PageStore.opened(database)
    await keep(store, sheet_of())
    await keep(store, sheet_of(OTHER))
    await store.write(new("c" * 12, plan='{"rules": '))
    database.lines.pop((GAME, 1))
    app = make_app(settings_of(""), Hands(), Seeded(), store=await PageStore.opened(database))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://here") as client,
    ):
        damaged = await client.get(f"/g/{GAME}")
        assert damaged.status_code == 422
        assert "This game is damaged: event 1 is missing" in damaged.text.replace("&#39;", "'")
        unplanned = await client.get(f"/g/{'c' * 12}")
        assert "can&#39;t be read" in unplanned.text
        assert (await client.get(f"/g/{OTHER}")).status_code == 200
        new_game = {"now": "on", "name-0": "Ann", "who-1": "bot:cautious", "rules": "standard"}
        assert (await client.post("/", data=new_game)).status_code == 303
        database.failing = "disk_full"
        full = await client.post("/", data=new_game)
        assert full.status_code == 503
        assert "no room left" in full.text


async def test_heads_are_plain_json(store: PageStore, database: PageDatabase) -> None:
    (head,) = json.loads(await database.heads())
    assert head["number"] == 3
    assert head["size"] == len("text 1") * 3
    assert head["secret"] == bytes(range(32)).hex()
