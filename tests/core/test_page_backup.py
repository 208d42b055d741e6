"""Everything a page keeps as one file, and such a file taken back."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_web_watching import recorded

from farkel.errors import RecordError
from farkel.page import backup
from farkel.page.backup import BackupError, Outcome, kind_of, opened, record_of, saved, unpacked
from farkel.page.store import Kept, PageStore
from farkel.records import parse_record, verify
from farkel.rules import from_toml
from farkel.web.game.record_files import record_file
from farkel.web.game.table import Table, stored
from farkel.web.store.values import Append, NewGame, Row
from page_database import Jar, PageDatabase
from web_helpers import EVERYTHING, STARTED, Sheet, plan_of, random_step

GAME, OTHER, THIRD = "a" * 12, "b" * 12, "c" * 12
HOST = "5" * 64
TOKEN = "token-of-the-host-of-this-game__"
SETTINGS = {"farkel-settings": '{"scheme":"dark"}', "farkel-games": f'[{{"game":"{GAME}","given":0.05}}]'}


class Page:
    """A page: what its browser keeps."""

    def __init__(self, store: PageStore, database: PageDatabase) -> None:
        self.store, self.database, self.jar = store, database, Jar()

    @classmethod
    async def fresh(cls) -> Page:
        database = PageDatabase()
        return cls(await PageStore.opened(database), database)

    async def keep(self, game: str, sheet: Sheet) -> None:
        table = sheet.table
        new = NewGame(game, 1_000, table.plan.model_dump_json(), table.secret, HOST, ((1, "7" * 64),), code=None)
        await self.store.write(new)
        if sheet.rows:
            await self.store.write(Append(game, tuple(sheet.rows), None, table.over))
        self.jar.take(f"seat-12345678={TOKEN}; Path=/g/{game}; Max-Age=100")

    async def saved(self) -> bytes:
        return await saved(self.store, self.jar, SETTINGS, STARTED)

    async def open(self, data: bytes) -> Outcome:
        return await opened(self.store, self.jar, data)

    async def rows(self, game: str = GAME) -> tuple[Row, ...]:
        return await self.store.rows(game, 0)


def played(rules: str = "minimal(target=2000)", seed: int = 1, most: int = 200, dice: str = "committed") -> Sheet:
    """A game for two, played at random as far as this many moves."""
    chance = random.Random(seed)
    sheet = Sheet(plan_of(rules, "here", "far", dice=dice, hints=True))
    sheet.store(sheet.table.word(EVERYTHING, 0, "“Ännchen”"), "a-request-of-mine")
    sheet.store(sheet.table.start(EVERYTHING, STARTED))
    for _ in range(most):
        if not sheet.table.over:
            random_step(sheet, chance)
    return sheet


@cache
def short() -> Sheet:
    """A game of a few events, to be looked at only."""
    return played(most=6)


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(texts: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return file.getvalue()


def changed(data: bytes, change: Callable[[list[Any]], None], game: str = GAME) -> bytes:
    """The file with other lines for a game."""
    texts = parts(data)
    name = f"games/{game}.jsonl"
    lines = [json.loads(line) for line in texts[name].splitlines()]
    change(lines)
    texts[name] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return packed(texts)


@pytest.fixture
async def page() -> Page:
    """A page with a game that is over, and one that is not."""
    page = await Page.fresh()
    await page.keep(GAME, played(most=6))
    await page.keep(OTHER, played(seed=2))
    return page


# Saved and opened -----------------------------------------------------------------------------------------------------


async def test_what_is_saved_is_the_same_when_it_is_opened_elsewhere(page: Page) -> None:
    there = await Page.fresh()
    outcome = await there.open(await page.saved())
    assert outcome.sentence == "2 games were added"
    assert outcome.settings == SETTINGS
    for game in (GAME, OTHER):
        assert await there.store.load(game) == await page.store.load(game)
    assert there.jar.values == page.jar.values
    assert await there.saved() == await page.saved()
    assert {one.game: one.head.over for one in await there.store.games() if one.head} == {GAME: False, OTHER: True}


async def test_a_game_that_is_not_over_goes_on_after_it(page: Page) -> None:
    there = await Page.fresh()
    await there.open(await page.saved())
    assert await there.store.claim(10**15, 10**16) == (GAME,)  # it is looked at, as it may be a bot's turn
    found = await there.store.load(GAME)
    assert found is not None
    table, rows = Table.of(found), list(found.rows)
    while not table.over:
        sheet = Sheet.__new__(Sheet)
        sheet.table, sheet.rows = table, []
        random_step(sheet, random.Random(3))
        assert await there.store.write(Append(GAME, tuple(sheet.rows), None, table.over))
        rows += sheet.rows
    verify(parse_record(table.text(rows).encode()))


@pytest.mark.parametrize("rules", ["standard(target=2000)", "original", "build-on(target=2000)"])
async def test_the_records_inside_are_verified_as_they_are(rules: str) -> None:
    page = await Page.fresh()
    for seed, game in enumerate((GAME, OTHER, THIRD)):
        dice = "manual" if game == THIRD else "committed"
        await page.keep(game, played(rules, seed, most=400 if game == OTHER else 9, dice=dice))
    texts = parts(await page.saved())
    records = [text for name, text in texts.items() if name.endswith(".farkel")]
    assert len(records) == 3
    with zipfile.ZipFile(io.BytesIO(await page.saved())) as archive:
        assert {info.external_attr >> 16 for info in archive.infolist()} == {0o644}
    for text in records:
        verify(parse_record(text))
    assert json.loads(texts["farkel.json"])["games"] == 3


async def test_house_rules_are_saved_as_files_and_sets_of_the_catalogue_are_not(page: Page) -> None:
    await page.keep(THIRD, Sheet(plan_of("standard", "here", "here")))
    found = {name: text for name, text in parts(await page.saved()).items() if name.startswith("rules/")}
    assert [from_toml(text.decode(), "-") for text in found.values()] == [played(most=0).table.plan.rules]
    assert not [name for name in parts(await page.saved()) if THIRD in name and name.endswith(".farkel")]


async def test_a_file_that_is_opened_twice_adds_nothing(page: Page) -> None:
    data = await page.saved()
    before = await page.saved()
    assert (await page.open(data)).sentence == "2 games were here already"
    assert await page.saved() == before


async def test_the_longer_game_stays(page: Page) -> None:
    old = await page.saved()
    here = await Page.fresh()
    await here.keep(GAME, played(most=9))
    longer = await here.rows()
    assert (await here.open(old)).sentence == "1 game was added and 1 was here already"
    assert await here.rows() == longer
    assert (await page.open(await here.saved())).sentence == "1 game was brought up to date and 1 was here already"
    assert await page.rows() == longer


async def test_a_game_that_went_on_differently_becomes_a_copy_once(page: Page) -> None:
    here = await Page.fresh()
    await here.keep(GAME, played(seed=5, most=9))
    own = await here.rows()
    data = await page.saved()
    outcome = await here.open(data)
    assert outcome.sentence == "1 game was added and 1 differs and became a copy"
    assert await here.rows() == own
    (copy,) = {one.game for one in await here.store.games()} - {GAME, OTHER}
    assert await here.rows(copy) == await page.rows()
    assert here.jar.values[f"/g/{copy} seat-12345678"] == TOKEN
    assert copy in outcome.games
    assert (await here.open(data)).sentence == "2 games were here already"


async def test_a_file_does_not_take_over_a_game_of_the_same_name(page: Page) -> None:
    """Somebody who knows the name of a game, but not its secret, has made the file."""
    theirs = changed(await page.saved(), lambda lines: lines[0].update({"host": "6" * 64}))
    before = await page.store.load(GAME)
    assert "became a copy" in (await page.open(theirs)).sentence
    assert await page.store.load(GAME) == before


async def test_cookies_that_are_here_stay(page: Page) -> None:
    data = await page.saved()
    page.jar.values = {f"/g/{GAME} seat-12345678": "another-token-that-is-newer"}
    await page.open(data)
    assert page.jar.values == {
        f"/g/{GAME} seat-12345678": "another-token-that-is-newer",
        f"/g/{OTHER} seat-12345678": TOKEN,
    }


async def test_a_damaged_game_is_saved_as_far_as_it_can_be_read_and_stays_out_of_the_next_browser(page: Page) -> None:
    page.database.lines.pop((OTHER, 9))
    texts = parts(await page.saved())
    (record,) = [text for name, text in texts.items() if name.endswith(f"{OTHER}.farkel")]
    read = parse_record(record)
    assert read.problem is None
    assert 0 < read.number < 9
    there = await Page.fresh()
    outcome = await there.open(await page.saved())
    assert outcome.sentence.startswith("2 games were added")  # as far as it goes
    assert len(await there.rows(OTHER)) == 8


async def test_a_whole_game_repairs_a_damaged_one(page: Page) -> None:
    data, whole = await page.saved(), await page.store.load(OTHER)
    page.database.lines.pop((OTHER, 9))
    assert (await page.open(data)).continued == 1
    assert await page.store.load(OTHER) == whole


@pytest.mark.parametrize("lost", ["head", "plan"])
async def test_a_game_without_its_beginning_is_saved_too(page: Page, lost: str) -> None:
    if lost == "head":
        page.database.games.pop(OTHER)
    else:
        page.database.games[OTHER]["plan"] = "{"
    store = await PageStore.opened(page.database)
    kept = await store.read(OTHER)
    assert kept is not None
    assert record_of(kept) == ""
    texts = parts(await saved(store, page.jar, {}, STARTED))
    assert len(texts[f"games/{OTHER}.jsonl"].splitlines()) == len(kept.rows) + 1
    outcome = await (await Page.fresh()).open(packed(texts))
    assert outcome.added == 1
    assert len(outcome.faults) == 1
    assert outcome.sentence.startswith("1 game was added and 1 is damaged and stayed out (bbbbbbbbbbbb: ")


async def test_a_browser_that_is_full_half_way_keeps_what_it_has_and_says_so(page: Page) -> None:
    there = await Page.fresh()
    there.database.fails_at = {2: "disk_full"}
    outcome = await there.open(await page.saved())
    assert outcome.sentence.startswith("1 game was added; then it stopped: this browser has no room left")
    assert len(await there.store.games()) == 1
    there.database.fails_at = {}
    assert (await there.open(await page.saved())).sentence == "1 game was added and 1 was here already"


# Strangers' files -----------------------------------------------------------------------------------------------------

LIES: dict[str, Callable[[list[Any]], Any]] = {
    "another roll": lambda lines: lines[4].__setitem__(3, lines[4][3].replace("rolls", "rolls 7")),
    "an event against the rules": lambda lines: lines.append([len(lines), 5, "move", "Hal: leaves the table", None]),
    "a hole": lambda lines: lines.pop(3),
    "an event twice": lambda lines: lines.insert(3, lines[3]),
    "an unknown kind": lambda lines: lines[2].__setitem__(2, "mood"),
    "a request twice": lambda lines: [line.__setitem__(4, "the-same-one") for line in lines[1:3]],
    "a request that is none": lambda lines: lines[1].__setitem__(4, "a b"),
    "a line that is long": lambda lines: lines[1].__setitem__(3, "x" * 100_000),
    "a line that is deep": lambda lines: lines[1].__setitem__(3, '{"seat":' + "[" * 50 + "]" * 50 + "}"),
    "a field that nobody knows": lambda lines: lines[0].update({"admin": True}),
    "an event that says more": lambda lines: lines[1].__setitem__(3, '{"seat":0,"word":"x","token":"y"}'),
    "a seat that is not there": lambda lines: lines[1].__setitem__(3, '{"seat":9,"word":"x"}'),
    "a seat that is text": lambda lines: lines[1].__setitem__(3, '{"seat":"0","word":[1]}'),
    "a word over two lines": lambda lines: lines[2].__setitem__(3, lines[2][3].replace("Ä", "\\nsecret")),
    "a short secret": lambda lines: lines[0].update({"secret": "00"}),
    "tokens for other seats": lambda lines: lines[0].update({"tokens": {"7": "7" * 64}}),
    "a token that is none": lambda lines: lines[0].update({"tokens": {"1": "<script>"}}),
    "another name": lambda lines: lines[0].update({"game": "../../../etc"}),
    "a plan that is none": lambda lines: lines[0].update({"plan": "[]"}),
    "names that are one": lambda lines: lines[0].update({"plan": lines[0]["plan"].replace("Bob", "Ann")}),
    "a time before all": lambda lines: lines[0].update({"touched": -1}),
    "a number without end": lambda lines: lines[1].__setitem__(1, 10**400),
    "nothing": lambda lines: lines.clear(),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_game_that_is_not_one_stays_out_and_the_others_come_in(page: Page, lie: str) -> None:
    data = changed(await page.saved(), LIES[lie])
    there = await Page.fresh()
    outcome = await there.open(data)
    assert outcome.added == 1
    assert len(outcome.faults) == 1
    assert "is damaged and stayed out" in outcome.sentence
    assert len(outcome.sentence) < 700
    assert [one.game for one in await there.store.games()] == [OTHER]


async def test_cookies_and_settings_are_taken_only_if_they_are_what_we_keep(page: Page) -> None:
    cookies = {
        "seat-12345678": "a b; Path=/",
        "seat-1234567 ": "x",
        "session": "x",
        "farkel-links": "0:" + TOKEN,
        "seat-00000000": "x" * 3_000,
    }
    data = changed(await page.saved(), lambda lines: lines[0].update({"cookies": cookies}))
    texts = parts(data)
    wrong = [
        ["farkel-groups", "[]"],
        ["other", "x"],
        ["farkel-start", '{"seats":7}'],
        ["farkel-games", '[{"game":"javascript:"}]'],
        ["farkel-games", f'[{{"game":"{GAME}","given":"all"}}]'],
        ["farkel-notify", "perhaps"],
        ["farkel-tips", "["],
        ["farkel-settings", 7],
        "farkel-settings",
    ]
    right = ["farkel-start", '{"seats":[["Ann","here"]],"rules":"standard"}']
    texts["settings.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in [*wrong, right])
    there = await Page.fresh()
    outcome = await there.open(packed(texts))
    assert outcome.settings == dict([right])
    assert {name: value for name, value in there.jar.values.items() if GAME in name} == {
        f"/g/{GAME} farkel-links": "0:" + TOKEN
    }


def bomb() -> bytes:
    return packed({"farkel.json": b'{"format": "farkel backup 1"}', f"games/{GAME}.jsonl": bytes(backup.MOST_PART + 1)})


def locked(data: bytes) -> bytes:
    """The file, said to have a password."""
    return data.replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00").replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"
    )


async def test_a_part_that_unpacks_to_too_much_is_not_unpacked() -> None:
    there = await Page.fresh()
    assert len(bomb()) < 100_000
    outcome = await there.open(bomb())
    assert outcome.faults == (f"{GAME}: it has more than 16 MB",)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda data: data[:-40], "unreadable"),
        (lambda data: b"PK\x03\x04" + bytes(100), "unreadable"),
        (lambda data: b"", "unreadable"),
        (locked, "unreadable"),
        (lambda data: packed({"letter.txt": b"Dear aunt"}), "not_a_backup"),
        (lambda data: packed({"farkel.json": b"[]"}), "not_a_backup"),
        (lambda data: packed({"farkel.json": b'{"format": "farkel backup 2"}'}), "version"),
        (lambda data: data + b"PK\x01\x02" * 30_000, "too_large"),
        (lambda data: packed({f"{number}": b"" for number in range(20_001)}), "too_large"),
    ],
)
async def test_a_file_that_is_no_backup_is_refused(page: Page, make: Callable[[bytes], bytes], code: str) -> None:
    before = await page.saved()
    with pytest.raises(BackupError) as refused:
        await page.open(make(before))
    assert refused.value.code == code
    assert await page.saved() == before


async def test_a_file_that_unpacks_to_too_much_is_refused(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    data = await page.saved()
    monkeypatch.setattr(backup, "MOST_UNPACKED", 1_000)
    with pytest.raises(BackupError, match="unpacks to more"):
        await page.open(data)
    with pytest.raises(BackupError, match="more here than one file may hold"):
        await page.saved()


@given(st.data())
async def test_whatever_happens_to_a_file_nothing_here_is_lost(data: st.DataObject) -> None:
    page = await Page.fresh()
    await page.keep(GAME, short())
    file = bytearray(await page.saved())
    for _ in range(data.draw(st.integers(1, 4))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    file = file[: data.draw(st.integers(1, len(file)))]
    with suppress(BackupError):
        await page.open(bytes(file))
    found = await page.store.load(GAME)
    assert found is not None
    assert found.rows == tuple(short().rows)


@given(st.data())
def test_whatever_a_line_says_a_game_is_read_or_refused(data: st.DataObject) -> None:
    sheet = short()
    rows = [json.loads(json.dumps(row)) for row in sheet.rows]
    plan = sheet.table.plan.model_dump_json()
    head: dict[str, Any] = {"game": GAME, "opened": 1, "touched": 1, "plan": plan, "secret": "0" * 64, "host": HOST}
    head |= {"tokens": {}, "seen": {}, "code": "", "cookies": {}}
    anything = st.recursive(
        st.none() | st.integers() | st.text(max_size=9) | st.booleans(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )
    if data.draw(st.booleans()):
        head[data.draw(st.sampled_from(sorted(head)))] = data.draw(anything)
    else:
        row = data.draw(st.sampled_from(rows))
        row[data.draw(st.integers(0, 4))] = data.draw(anything | anything.map(json.dumps))
    text = "".join(json.dumps(line) + "\n" for line in [head, *rows])
    try:
        game = unpacked(text.encode())
    except BackupError:
        return
    Table.of(game.head.with_rows(game.rows))


# Kinds of files -------------------------------------------------------------------------------------------------------


async def test_files_are_told_apart_by_what_is_in_them(page: Page) -> None:
    assert kind_of(await page.saved()) == "backup"
    record = short().table.text(short().rows).encode()
    assert kind_of(parts(await page.saved())[f"games/{GAME}.jsonl"]) == "game"
    assert kind_of(record) == kind_of(b"\xef\xbb\xbf" + record) == "record"
    assert kind_of(b'name = "ours"\n') == kind_of(b"{}") == kind_of(b"") == "rules"


async def test_a_record_from_the_file_says_what_was_played() -> None:
    page = await Page.fresh()
    await page.keep(GAME, played())
    kept = await page.store.read(GAME)
    assert kept is not None
    read = parse_record(record_of(kept).encode())
    assert read.header.date == f"{datetime(2026, 11, 21, 14, 3):%Y-%m-%d %H:%M}"
    assert read.state.over
    with pytest.raises(RecordError):
        verify(parse_record(record_of(kept).replace("rolls 1", "rolls 2", 1).encode()))


async def test_a_record_that_was_opened_comes_back_and_no_other_in_its_place(tmp_path: Path) -> None:
    text = recorded(tmp_path)
    made = record_file(text.encode())
    ann, ben = await Page.fresh(), await Page.fresh()
    await ann.store.write(NewGame(made.game, 1_000, made.plan.model_dump_json(), b"", "", ()))
    await ann.store.write(Append(made.game, stored(made.draft, 0, 1_000, None), None, made.over))
    everything = await ann.saved()
    assert (await ben.open(everything)).sentence == "1 game was added"
    assert record_of(await read(ben, made.game)) == text
    assert (await ben.open(everything)).sentence == "1 game was here already"
    game = backup.packed(await read(ben, made.game))
    for before, after in ((made.game, GAME), ('"secret":""', f'"secret":"{HOST}"'), ('"host":""', f'"host":"{HOST}"')):
        with pytest.raises(BackupError):
            unpacked(game.replace(before, after).encode())


async def read(page: Page, game: str) -> Kept:
    """A game as it is kept."""
    found = await page.store.read(game)
    assert found is not None
    return found
