"""Games that are watched again: records opened from files, and each step as a page on which nothing can be done."""

from __future__ import annotations

import html
import random
import re
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farkel.errors import RecordError
from farkel.game import apply, new_game
from farkel.play.match import Match, Setup
from farkel.records import DiceKind, DiceSpec, Header, Seating, event_text, parse_record, record_text
from farkel.rules import Rules, load, named
from farkel.terminal.commands.play.replay import game_text
from farkel.web.game.record_files import ANOTHER, record_file
from farkel.web.game.table import Table, stored
from farkel.web.store.values import Game
from random_play import random_game, random_people
from random_rules import examples, rule_sets
from web_helpers import FIRST, NAMES, Hands, Site, sited

SHORT = "standard(target=1000, start=first_seat)"


def recorded(folder: Path, dice: DiceKind = "committed", rules: str = "minimal", moves: int = 1_000) -> str:
    """A game of two bots as the terminal records it, as far as so many moves."""
    seats = (Seating("Ann", ("Ann",), "bot:bold"), Seating("Reds", ("Ben", "Bo"), "bot:cautious"))
    words = ("hop", "über") if dice == "committed" else ()
    setup = Setup(load(rules, ["target=1000"]), seats, dice, "9" if dice == "seeded" else "", words)
    path = folder / "game.farkel"
    match = Match.start(setup, path)
    for _ in range(moves):
        if match.state.over:
            break
        if match.state.dice_due:
            match.throw()
        else:
            action = match.decide()
            assert action is not None
            match.act(action)
    match.close()
    return path.read_text("utf-8")


async def opened(site: Site, text: str) -> str:
    """The name of the game that a record is opened as."""
    answer = await site.client.post("/watch", data={"text": text})
    assert answer.status_code == 303, answer.text
    game: str = answer.headers["location"].split("/")[2]
    return game


def plain(page: str) -> str:
    """The text of a page as people read it."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def as_stored(text: str) -> Table:
    """The table of a record that was opened, read from its rows."""
    made = record_file(text.encode())
    rows = stored(made.draft, 0, 0, None)
    return Table.of(Game(made.game, made.plan.model_dump_json(), b"", "", {}, rows))


# Records --------------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(10))
@given(rule_sets(), st.sampled_from(("system", "manual")), st.integers(0, 2**32))
def test_a_record_that_is_opened_is_the_same_text_when_it_is_downloaded(
    rules: Rules, dice: DiceKind, seed: int
) -> None:
    chance = random.Random(seed)
    people = random_people(rules, chance)
    names = [f"Player {seat}" for seat in range(1, len(people) + 1)]
    seats = tuple(
        Seating(name, tuple(f"{name} {letter}" for letter in "abcdefgh"[:size]) if size > 1 else (name,))
        for name, size in zip(names, people, strict=True)
    )
    header = Header(rules, seats, DiceSpec(dice), "2026-11-21 14:03")
    state, events = new_game(rules, people), []
    for event in random_game(state, chance, 60)[1]:
        before, state = state, apply(state, event)
        events.append(event_text(event, before, state, header.names))
    text = record_text(header, events)
    made, table = record_file(text.encode()), as_stored(text)
    assert table.text(stored(made.draft, 0, 0, None)) == text
    assert table.state == state
    assert made.over == state.over


@pytest.mark.parametrize("dice", ["committed", "seeded", "system"])
async def test_records_of_other_programs_are_opened_with_all_that_they_say(
    sqlite: str, tmp_path: Path, dice: DiceKind
) -> None:
    text = recorded(tmp_path, dice)
    without = "".join(line for line in text.splitlines(keepends=True) if not re.match(r" *\d+  secret ", line))
    async with sited(sqlite) as site:
        for one in dict.fromkeys((text, without)):
            game = await opened(site, one.replace("\n", "\r\n"))
            found = await site.client.get(f"/api/v1/games/{game}/record")
            assert found.text == one
            end = await site.client.get(f"/g/{game}")
            assert ("Were the dice fair?" in end.text) == (dice == "committed" and one == text)
        view = (await site.client.get(f"/api/v1/games/{game}")).json()
        assert [seat["who"] for seat in view["seats"]] == ["bot:bold", "bot:cautious"]
        assert view["seats"][1]["people"] == ["Ben", "Bo"]


async def test_the_same_record_is_the_same_game_and_nobody_plays_it(database: str, tmp_path: Path) -> None:
    clock = Hands()
    text = recorded(tmp_path, "system", moves=9)
    async with sited(database, clock) as site:
        game = await opened(site, text)
        number = (await site.service.table(game)).number
        assert await opened(site, f"\ufeff{text}") == game
        clock.move(1_000_000)
        await site.service.look()
        await site.service.settled()
        assert (await site.service.table(game)).number == number
        assert "set-cookie" not in (await site.client.get(f"/g/{game}/watch")).headers
        for path in ("move", "again", "link"):
            answer = await site.client.post(f"/g/{game}/{path}", data={"do": "roll", "seat": "0"})
            assert answer.status_code in (403, 422), answer.text
        assert await site.service.room.count_open() == 0
        clock.move(-1_000_000)
        assert await site.service.room.count_open() == 1
        there = await site.client.get(f"/g/{game}")
        assert there.headers["location"] == f"/g/{game}/watch"


async def test_opening_records_counts_among_the_games_that_are_opened(sqlite: str, tmp_path: Path) -> None:
    text = recorded(tmp_path, "system", moves=9)
    async with sited(sqlite, most_open=0, always_open=0) as site:
        assert (await site.client.post("/watch", data={"text": text})).status_code == 503
    async with sited(sqlite, opened_an_hour=4) as site:
        await opened(site, text)
        assert (await site.client.post("/watch", data={"text": text})).status_code == 429


async def test_a_damaged_record_is_refused_with_the_fault_and_its_line(sqlite: str, tmp_path: Path) -> None:
    text = recorded(tmp_path)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if ": rolls" in each)
    async with sited(sqlite, most_record=len(text.encode()) + 100) as site:
        for given_text, said in (
            (text.replace(": rolls", ": rolled", 1), f"Line {line}: this line or one above it was changed"),
            (text.replace("target = ", "target = 2", 1), "the header was changed: its checksum does not match"),
            ("Ann rolled a 6", 'Line 1: a record begins with "farkel record 1", this file with "Ann rolled a 6"'),
            (text.replace("record 1", "record 2", 1), "update Farkel"),
            (f"{text}\n{'x' * 200}", "can be opened here"),
            ("  \n", "Choose a record file, or paste the text of one."),
        ):
            answer = await site.client.post("/watch", data={"text": given_text})
            assert answer.status_code == 422, given_text[:200]
            assert said in plain(answer.text)
        for file, said in (
            ("half.farkel", f"at most {len(text.encode()) + 100:,} can be opened"),
            ("cut.farkel", '"cut.farkel": line'),
            ("wide.farkel", '"wide.farkel": it is UTF-16 text'),
        ):
            data = {"half": text.encode() * 2, "cut": text.encode()[:-9], "wide": text[:99].encode("utf-16")}
            files = {"record": (file, data[file.partition(".")[0]])}
            answer = await site.client.post("/watch", files=files)
            assert answer.status_code == 422
            assert said in plain(answer.text)
        much = await site.client.post("/watch", data={"text": "x" * 200_000})
        assert much.status_code == 413
        assert await site.service.room.count_open() == 0


def test_players_that_only_another_program_knows_are_bots_here() -> None:
    seats = (Seating("Ann", ("Ann",)), Seating("Own", ("Own",), "bot:./mine.py:Own"))
    header = Header(named("minimal"), seats, DiceSpec(), "21 November, at tea time")
    text = record_text(header, ())
    table = as_stored(text)
    assert [seat.who for seat in table.plan.seats] == ["here", ANOTHER]
    assert table.playing.header == header
    assert not table.goes_on


# Watching -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["minimal", "build-on", "original"])
async def test_every_step_is_told_as_the_terminal_tells_it(sqlite: str, tmp_path: Path, rules: str) -> None:
    text = recorded(tmp_path, "system", rules)
    record = parse_record(text.encode())
    told = {int(each[:4]): each[6:] for each in game_text(record).splitlines() if re.match(r" *\d+  ", each)}
    async with sited(sqlite) as site:
        game = await opened(site, text)
        for move in (*record.moves[::5], record.moves[-1]):
            page = (await site.client.get(f"/g/{game}/watch", params={"at": move.number})).text
            said = re.search(r'<p id="told"[^>]*>(.*?)</p>', page, re.DOTALL)
            assert said is not None
            assert set(plain(said[1]).split()) >= set(told[move.number].split())
            scores = [int(score) for score in re.findall(r'data-score="(-?\d+)"', page)]
            assert scores == [seat.score for seat in move.after.seats]
            assert f'data-number="{move.number}"' in page
            assert not re.search(r'method="post"|hx-post|/move"|/hint|popovertarget="menu"', page)


async def test_steps_lead_through_the_whole_game_and_back_without_script(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(SHORT, "here", "here", dice="system")
        running = await site.client.get(f"/g/{game.game}/watch")
        assert running.headers["location"] == f"/g/{game.game}"
        await game.play(random.Random(2))
        end = (await site.client.get(f"/g/{game.game}")).text
        assert f'href="/g/{game.game}/watch"' in end
        record = parse_record((await game.get("/record")).text.encode())
        numbers = [0, *(move.number for move in record.moves)]
        met: list[int] = []
        page = ""
        where = f"/g/{game.game}/watch"
        while not met or met[-1] != numbers[-1]:
            page = (await site.client.get(where)).text
            met.append(int(_found(r'id="board"[^>]* data-number="(\d+)"', page)))
            if len(met) > 1:
                assert int(_found(r'id="back" href="[^"]*at=(\d+)"', page)) == met[-2]
            where = html.unescape(_found(r'id="on" href="([^"]*)"', page))
        assert met == numbers
        assert re.search(r'id="on"[^>]*aria-disabled="true"', page)
        assert "wins" in plain(page)
        assert f'href="/g/{game.game}/review"' in page
        beyond = await site.client.get(f"/g/{game.game}/watch", params={"at": 10**9})
        assert f'data-number="{numbers[-1]}"' in beyond.text
        assert (await site.client.get(f"/g/{game.game}/watch", params={"at": -1})).status_code == 422


def _found(pattern: str, page: str) -> str:
    found = re.search(pattern, page)
    assert found is not None, pattern
    return found[1]


async def test_a_turn_that_was_taken_back_is_not_watched(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "here", "here", dice="manual")
        for move in (
            {"do": "note", "points": 500, "dice": 2},
            {"do": "undo"},
            {"do": "note", "points": 600, "dice": 2},
        ):
            assert (await game.do(**move)).status_code == 200
        text = (await game.get("/record")).text
        again = await opened(site, text)
        assert (await site.client.get(f"/api/v1/games/{again}/record")).text == text
        for at, score in ((0, 0), (1, 0), (2, 0), (3, 600)):
            page = (await site.client.get(f"/g/{again}/watch", params={"at": at})).text
            assert NAMES[0] in page
            assert _found(r'class="score">([\d,]+)<', page) == f"{score:,}"
        assert "The record ends here." in plain(page)


async def test_an_unfinished_record_is_reviewed_as_far_as_it_goes(
    sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sited(sqlite) as site:
        game = await opened(site, recorded(tmp_path, "system", moves=9))
        asked: list[str] = []

        async def ask(about: tuple[str, ...], *_: object, **__: object) -> object:
            asked.append(about[0])
            raise RecordError("stub", "no review in this test")

        monkeypatch.setattr(site.service.calculator, "ask", ask)
        page: httpx.Response = await site.client.get(f"/g/{game}/review")
        assert "No review in this test" in page.text
        assert asked == ["review"]
