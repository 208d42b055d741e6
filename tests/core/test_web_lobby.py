"""Before the game: the host adds seats and bots, takes them away again, and chooses other rules."""

from __future__ import annotations

import asyncio
import html
import random
from typing import Any

import pytest

from farkel.records import parse_record, verify
from farkel.support.bounds import MOST_SEATS
from farkel.web.game.setup import GamePlan
from web_helpers import Hands, Seated, Site, bearer, following, plan_of, service_over, sited

SHORT = "minimal(target=300,entry=0)"


async def code_of(game: Seated) -> str:
    return str((await game.view(game.host))["code"])


async def names_at(game: Seated) -> list[str]:
    return [seat["name"] for seat in (await game.view())["seats"]]


async def drop(site: Site, game: Seated, seat: int, token: str | None = None) -> Any:
    return await site.client.delete(f"{game.path}/seats/{seat}", headers=bearer(token or game.host))


async def put_rules(site: Site, game: Seated, rules: str, token: str | None = None) -> Any:
    return await site.client.put(f"{game.path}/rules", json={"rules": rules}, headers=bearer(token or game.host))


async def test_an_added_seat_is_free_for_invited_players(database: str) -> None:
    async with sited(database) as site:
        game = await site.open(SHORT, "here", "far", dice="committed")
        code = await code_of(game)
        taken = await site.client.post("/api/v1/join", json={"code": code, "name": "Eva"})
        assert taken.json()["seat"] == 1
        assert await code_of(game) == ""  # nothing is free, so nothing invites
        added = (await game.post("/seats", game.host, name="", who="far")).json()
        assert added["seat"] == 2
        assert await names_at(game) == ["Ann", "Eva", "Player 3"]
        assert await code_of(game) == code
        finn = (await site.client.post("/api/v1/join", json={"code": code, "name": "Finn"})).json()
        bot = await game.post("/seats", game.host, name="Rex", who="bot:bold")
        assert (bot.status_code, bot.json()) == (201, {"seat": 3, "token": "", "link": ""})
        assert await names_at(game) == ["Ann", "Eva", "Finn", "Rex"]
        assert (await game.do("word", finn["token"], seat=2, word="mine")).status_code == 200
        assert (await game.do("start")).status_code == 200
        record = parse_record((await game.get("/record")).content)
        assert record.header.names == ("Ann", "Eva", "Finn", "Rex")
        assert record.header.dice.words == ("mine",)


async def test_a_seat_can_be_removed_unless_a_remote_player_has_it_or_a_later_one(database: str) -> None:
    async with sited(database) as site:
        game = await site.open(SHORT, "here", "far", "here", "bot:bold", "far")
        assert (await game.do("word", game.host, seat=2, word="Rome")).status_code == 200
        assert (await drop(site, game, 1)).status_code == 204
        assert await names_at(game) == ["Ann", "Cleo", "Dan", "Eve"]
        assert [seat["word"] for seat in (await game.view())["seats"]] == ["", "", "", ""]  # it is to be given again
        assert [seat["who"] for seat in (await game.view())["seats"]] == ["here", "here", "bot:bold", "far"]
        gone = await site.client.get("/api/v1/seat", headers=bearer(game.seats[1]))
        assert (gone.status_code, gone.json()["code"]) == (404, "no_such_link")
        there = await site.client.get("/api/v1/seat", headers=bearer(game.seats[4]))
        assert there.json()["seat"] == 3  # it moved up, and so did its link
        async with following(site, f"{game.path}/stream?after=0", game.seats[4]):
            refused = await drop(site, game, 2)
            assert (refused.status_code, refused.json()["code"]) == (422, "seat_taken")
        assert (await drop(site, game, 0)).json()["code"] == "seat_taken"
        assert (await drop(site, game, 9)).json()["code"] == "no_such_seat"
        assert (await drop(site, game, 2, game.seats[4])).json()["code"] == "not_the_host"


async def test_changes_survive_a_restart(database: str) -> None:
    async with sited(database) as site:
        game = await site.open(SHORT, "here", "far", "far")
        await drop(site, game, 1)
        added = (await game.post("/seats", game.host, name="Nina", who="far")).json()
        assert (await put_rules(site, game, "standard(target=1000)")).status_code == 204
        before = await game.view(game.host)
    async with sited(database) as site:
        game = game._replace(client=site.client)
        assert await game.view(game.host) == before
        assert before["rules"] == "standard(target=1000)"
        assert [seat["name"] for seat in before["seats"]] == ["Ann", "Cleo", "Nina"]
        assert (await game.view(added["token"]))["seats"][2]["yours"]
        assert await site.service.free(game.game) == [1, 2]
        assert (await game.do("start")).status_code == 200
        await game._replace(seats={1: game.seats[2], 2: added["token"]}).play(random.Random(1), 400)
        record = parse_record((await game.get("/record")).content)
        assert record.state.over
        assert "follow from the secret" in verify(record)[1]


async def test_two_processes_see_the_same_seats(database: str) -> None:
    if "postgresql" not in database:
        pytest.skip("one process alone uses an SQLite database")
    async with sited(database) as site, sited(database) as other:
        game = await site.open(SHORT, "here", "far")
        there = game._replace(client=other.client)
        assert await names_at(there) == ["Ann", "Bob"]
        both = (game.post("/seats", game.host, name="", who="far"), there.post("/seats", game.host, name="", who="far"))
        assert sorted(answer.json()["seat"] for answer in await asyncio.gather(*both)) == [2, 3]
        assert await names_at(game) == await names_at(there) == ["Ann", "Bob", "Player 3", "Player 4"]


async def test_a_seat_that_another_process_adds_while_one_is_checked_stays(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "postgresql" not in database:
        pytest.skip("one process alone uses an SQLite database")
    async with sited(database) as site, sited(database) as other:
        game = await site.open(SHORT, "here", "far")
        check, there = site.service._check, game._replace(client=other.client)

        async def slowly(plan: GamePlan) -> None:
            monkeypatch.setattr(site.service, "_check", check)
            assert (await there.post("/seats", game.host, name="", who="far")).json()["seat"] == 2
            site.service.tables.hear(game.game, tuple((await other.service.table(game.game)).recent))
            await check(plan)

        monkeypatch.setattr(site.service, "_check", slowly)
        assert (await game.post("/seats", game.host, name="", who="far")).json()["seat"] == 3
        assert await names_at(game) == await names_at(there) == ["Ann", "Bob", "Player 3", "Player 4"]


async def test_other_rules_are_checked_before_they_are_taken(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open("standard", "here", "far", "bot:turn")
        refused = await put_rules(site, game, "standard(most_seats=2)")
        assert (refused.status_code, refused.json()["code"]) == (422, "bad_seats"), refused.text
        assert (await put_rules(site, game, "no such rules")).status_code == 422
        assert (await put_rules(site, game, "extended", game.seats[1])).json()["code"] == "not_the_host"
        assert (await game.view())["rules"] == "standard"
        assert (await put_rules(site, game, "extended")).status_code == 204
        assert next(event for event in await game.events() if event["kind"] == "plan")["rules"]["name"] == "extended"
        await game.do("start")
        assert (await put_rules(site, game, "standard")).json()["code"] == "started"
        assert (await game.post("/seats", game.host, name="", who="far")).json()["code"] == "started"
        assert (await drop(site, game, 2)).json()["code"] == "started"


async def test_impossible_seats_are_refused(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open(SHORT, "here", "far")
        for name, who, status in (
            ("Ann", "far", 422),
            ("Nobody", "bot:nobody", 422),
            ("x" * 21, "far", 422),
            ("Zoe", "the neighbour", 422),
        ):
            assert (await game.post("/seats", game.host, name=name, who=who)).status_code == status
        assert await names_at(game) == ["Ann", "Bob"]
        for _ in range(MOST_SEATS - 2):
            assert (await game.post("/seats", game.host, name="", who="far")).status_code == 201
        full = await game.post("/seats", game.host, name="", who="far")
        assert (full.status_code, full.json()["code"]) == (422, "too_many_seats")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ann", "look alike"),
        ("Cleo\u2800", "its character 5 (U+2800) shows nothing"),
        ("x" * 21, "it has 21 characters, and at most 20 are allowed"),
    ],
)
async def test_a_refused_name_stays_in_the_form(sqlite: str, name: str, said: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open(SHORT, "here", "far")
        page = f"/g/{game.path.rpartition('/')[2]}/seats"
        added = await site.client.post(page, data={"who": "here", "name": name}, headers=bearer(game.host))
        joined = await site.client.post(f"/j/{await code_of(game)}", data={"name": name})
        for answer in (added, joined):
            text = html.unescape(answer.text)
            assert answer.status_code == 422
            assert said in text
            assert f'value="{name}"' in text
        assert await names_at(game) == ["Ann", "Bob"]


async def test_events_never_contain_tokens(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open(SHORT, "here", "far")
        await game.post("/seats", game.host, name="", who="far")
        assert all("token" not in event and "tokens" not in event for event in await game.events())


async def test_a_guest_of_a_group_counts_under_the_name_they_gave(sqlite: str) -> None:
    async with sited(sqlite) as site:
        made = await site.client.post(
            "/api/v1/groups", json={"title": "Friday", "members": ["Ann", "Eva"], "rules": SHORT}
        )
        token = made.json()["token"]
        seats = [{"name": "Ann", "who": "here"}, {"name": "Player 2", "who": "far"}]
        opened = (
            await site.client.post(
                "/api/v1/groups/games", json={"rules": SHORT, "seats": seats, "dice": "system"}, headers=bearer(token)
            )
        ).json()
        game = Seated(site.client, opened["game"], opened["host"], {})
        eva = await site.client.post("/api/v1/join", json={"code": await code_of(game), "name": "Eva"})
        await game.do("start")
        await game._replace(seats={1: eva.json()["token"]}).play(random.Random(7))
        group = (await site.client.get("/api/v1/groups", headers=bearer(token))).json()
        assert [one["games"] for one in group["members"]] == [1, 1], group


async def test_a_host_can_change_their_mind_a_hundred_times(sqlite: str) -> None:
    async with service_over(sqlite, Hands()) as service:
        opened = await service.open(plan_of(SHORT, "here", "far"))
        key = await service.key(opened.game, opened.host)
        for _ in range(100):
            seat, _ = await service.add_seat(
                opened.game, key, plan_of(SHORT, "bot:bold").seats[0].model_copy(update={"name": "Rex"})
            )
            await service.drop_seat(opened.game, key, seat)
        assert (await service.table(opened.game)).names == ("Ann", "Bob")


async def test_the_bar_of_the_lobby_is_the_last_thing_on_its_page(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open("standard", "here", "far")
        await site.client.get(f"/h/{game.game}/{game.host}")
        board = (await site.client.get(f"/g/{game.game}/board")).text
        assert "For the host" in board
        assert board.index('class="around"') < board.index('id="bar"')
