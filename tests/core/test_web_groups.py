"""Groups without accounts: a link, members, games, results with the luck taken out, a ladder, all records."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from test_web_webhooks import receiving

from farkel.records import parse_record, verify
from farkel.web.groups.results import Finished, results
from web_helpers import Hands, Seated, Site, bearer, plan_of, sited

RULES = "standard(start=first_seat, target=500, entry=0, minimum=0, finish=at_once)"


async def group_of(site: Site, members: str = "Ann, Ben, Cleo", rules: str = RULES) -> str:
    """Make a group: the address of its page."""
    answer = await site.client.post("/groups", data={"title": "Friday  dice", "members": members, "rules": rules})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def token_of(site: Site, at: str) -> str:
    """The token of a group, as the browser has kept it."""
    [token] = [str(cookie.value) for cookie in site.client.cookies.jar if cookie.path == at]
    return token


@asynccontextmanager
async def another(site: Site) -> AsyncIterator[httpx.AsyncClient]:
    """A browser that has been nowhere yet."""
    transport = httpx.ASGITransport(site.app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://farkel.test") as client:
        yield client


async def played(site: Site, at: str, *members: str, way: str = "real") -> str:
    """Open a game of these members with real dice; each turn is 500 points, so the first one wins."""
    answer = await site.client.post(f"{at}/play", data={"member": list(members), "me": members[0], "way": way})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"]).removeprefix("/g/")


async def note(site: Site, game: str, points: int) -> None:
    """Enter a turn, with the cookies that opening the game has left."""
    answer = await site.client.post(
        f"/g/{game}/moves", json={"move": {"do": "note", "points": points, "dice": 2, "sure": True}}
    )
    assert answer.status_code == 200, answer.text


async def finish(site: Site, game: str, *points: int) -> None:
    for one in points:
        await note(site, game, one)
    assert (await site.client.get(f"/api/v1/games/{game}")).json()["over"]


async def page_of(site: Site, at: str) -> str:
    answer = await site.client.get(at)
    assert answer.status_code == 200, answer.text
    return " ".join(re.sub("<[^>]+>", " ", answer.text).split())


async def test_a_group_lists_its_games_and_head_to_heads(database: str) -> None:
    async with sited(database) as site:
        at = await group_of(site)
        assert "Friday dice" in await page_of(site, at)
        game = await played(site, at, "Ann", "Ben", "Cleo")
        assert "Games in progress Ann, Ben, Cleo" in await page_of(site, at)
        await finish(site, game, 300, 500)
        text = await page_of(site, at)
        assert "Ben won, 300 : 500 : 0" in text
        assert re.search(r"Who beat whom .* Ann 0 1 Ben 1 1 Cleo 0 0", text)
        assert re.search(r"Ladder .* Ben [\d.]+ 1 1 – – Ann [\d.−]+ 1 0", text)
        # Undone games no longer count as results.
        undone = await site.client.post(f"/g/{game}/moves", json={"move": {"do": "undo"}})
        assert undone.status_code == 200
        assert "Ben won" not in await page_of(site, at)
        assert await site.groups.store.find("nobody") is None
        missing = await site.client.get("/group/aaaaaaaaaaaa", headers={"accept": "text/html"})
        assert missing.status_code == 404


async def test_the_next_game_of_the_same_seats_belongs_to_the_group_and_its_webhook_hears_of_it(sqlite: str) -> None:
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        at = await group_of(site)
        added = await site.client.post(f"{at}/hooks", data={"url": receiver.url, "form": "json"})
        assert added.status_code == 200
        assert (await receiver.turn())["event"] == "hello"
        game = await played(site, at, "Ann", "Ben")
        assert (await receiver.turn())["name"] == "Ann"
        await finish(site, game, 100, 500)
        assert (await receiver.turn())["name"] == "Ben"
        again = await site.client.post(f"/g/{game}/again")
        there = again.headers["location"].removeprefix("/g/").partition("#")[0]
        assert (await receiver.turn())["game"] == there
        assert "all 2 games" in await page_of(site, at)


async def test_the_luck_of_played_games_is_taken_out(sqlite: str) -> None:
    async with sited(sqlite) as site:
        at = await group_of(site, "Ann, Bob", "minimal(target=300)")
        group = await site.groups.find(token_of(site, at))
        opened = await site.service.open(plan_of("minimal(target=300)", "far", "far", dice="system"), group.name)
        seated = Seated(site.client, opened.game, opened.host, opened.seats)
        assert (await seated.do("start")).status_code == 200
        await seated.play(random.Random(3))
        await page_of(site, at)
        await site.service.settled()
        [game] = await site.groups.store.games(group.name)
        assert game.luck is not None
        text = await page_of(site, at)
        found = re.search(r"Ladder .*? (Ann|Bob) [\d.−]+ 1 1 ([+−][\d.]+) ([\d.−]+)", text)
        assert found is not None, text
        luck, deserved = (float(one.replace("−", "-")) for one in found.groups()[1:])
        assert deserved == pytest.approx(1 - luck, abs=0.011)


async def test_a_link_leaves_no_token_in_addresses_and_a_preview_of_it_changes_nothing(sqlite: str) -> None:
    async with sited(sqlite) as site:
        at = await group_of(site)
        token = token_of(site, at)
        shown = await site.client.get(at)
        link = f"http://farkel.test/group#{token}"
        assert f'value="{link}"' in shown.text
        assert f'data-at="{at}"' in shown.text  # what the browser remembers
        addresses = re.findall(r'(?:href|action|src)="([^"]*)"', shown.text)
        assert addresses
        assert not [one for one in addresses if token in one]
        async with another(site) as friend:
            assert (await friend.get(at)).status_code == 404
            previewed = await friend.get(link)
            assert previewed.status_code == 200
            assert not friend.cookies
            entered = await friend.post("/group", data={"link": link})
            assert (entered.status_code, entered.headers["location"]) == (303, at)
            assert "httponly" in entered.headers["set-cookie"].lower()
            assert "Friday dice" in (await friend.get(at)).text
            other = await friend.post("/groups", data={"title": "Other", "members": "Ann"})
            assert "Other" in (await friend.get(other.headers["location"])).text
            assert "Friday dice" in (await friend.get(at)).text  # each has a cookie of its own


@pytest.mark.parametrize("by", ["its page", "a program"])
async def test_a_new_link_of_a_group_ends_the_old_one_at_once(sqlite: str, by: str) -> None:
    async with sited(sqlite) as site, another(site) as friend:
        at = await group_of(site)
        old = token_of(site, at)
        await friend.post("/group", data={"link": old})
        assert (await friend.get(at)).status_code == 200
        assert (await site.client.get(f"{at}/link")).status_code == 405
        if by == "its page":
            assert (await site.client.post(f"{at}/link")).status_code == 303
            new = token_of(site, at)
            assert f"#{new}" in (await site.client.get(at)).text
        else:
            new = (await site.client.post("/api/v1/groups/link", headers=bearer(old))).json()["token"]
        assert new != old
        assert (await friend.get(at)).status_code == 404
        refused = await friend.post("/group", data={"link": old})
        assert (refused.status_code, "the group has a newer one" in refused.text) == (422, True)
        assert (await site.client.get("/api/v1/groups", headers=bearer(old))).status_code == 404
        await friend.post("/group", data={"link": f"http://farkel.test/group#{new}"})
        assert (await friend.get(at)).status_code == 200


async def test_all_records_come_in_one_file(sqlite: str) -> None:
    async with sited(sqlite) as site:
        at = await group_of(site)
        games = []
        for _ in range(3):
            games.append(await played(site, at, "Ann", "Ben"))
            await finish(site, games[-1], 100, 500)
        waiting = await played(site, at, "Ann", "Ben", way="own")  # not started: no record yet
        answer = await site.client.get(f"{at}/records.zip")
        assert answer.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            names = archive.namelist()
            assert sorted(name[11:-7] for name in names) == sorted(games)
            assert waiting not in str(names)
            for name in names:
                record = parse_record(archive.read(name))
                verify(record)
                assert record.state.over


async def test_programs_see_the_same_group_as_its_page(sqlite: str) -> None:
    async with sited(sqlite) as site:
        given = {"title": "Us", "members": ["Ann", "Bob"], "rules": RULES}
        made = (await site.client.post("/api/v1/groups", json=given)).json()
        mine = bearer(made["token"])
        assert (await site.client.get("/api/v1/groups", headers=bearer("x" * 32))).status_code == 404
        assert (await site.client.get("/api/v1/groups")).status_code == 401
        joined = await site.client.post("/api/v1/groups/members", json={"name": "Cleo"}, headers=mine)
        assert joined.status_code == 204
        seats = [{"name": name} for name in ("Ann", "Bob", "Cleo")]
        game = {"rules": RULES, "seats": seats, "dice": "manual"}
        opened = (await site.client.post("/api/v1/groups/games", json=game, headers=mine)).json()
        seated = Seated(site.client, opened["game"], opened["host"], {})
        await seated.do("start")
        for points in (300, 500):
            assert (await seated.do("note", points=points, dice=2, sure=True)).status_code == 200
        said = (await site.client.get("/api/v1/groups", headers=mine)).json()
        assert [one["name"] for one in said["members"]] == ["Bob", "Ann", "Cleo"]
        assert said["members"][0]["beat"] == {"Ann": 1, "Cleo": 1}
        assert [(one["ranks"], one["scores"]) for one in said["games"]] == [([1, 0, 2], [300, 500, 0])]
        records = await site.client.get("/api/v1/groups/records", headers=mine)
        with zipfile.ZipFile(io.BytesIO(records.content)) as archive:
            assert len(archive.namelist()) == 1
        entered = await site.client.post("/group", data={"link": made["link"]})
        assert "Us" in await page_of(site, entered.headers["location"])


@pytest.mark.parametrize(
    ("path", "form", "said"),
    [
        ("/play", {}, "Choose who plays"),
        ("/play", {"member": "Ann", "way": "by magic"}, "Choose how you play"),
        ("/members", {"name": " "}, "it has no visible character"),
        ("/members", {"name": "a" * 21}, "it has 21 characters, and at most 20 are allowed"),
        ("/members", {"name": "ANN"}, "look alike"),
        ("/change", {"title": "-" * 41, "rules": "standard"}, "1 to 40 characters"),
        ("/change", {"title": "Us", "rules": "no-such-rules"}, "no-such-rules"),
        ("/hooks", {"url": "http://10.0.0.1/", "form": "json"}, "not a public address"),
    ],
)
async def test_a_group_explains_its_refusals(sqlite: str, path: str, form: dict[str, Any], said: str) -> None:
    async with sited(sqlite) as site:
        at = await group_of(site)
        answer = await site.client.post(f"{at}{path}", data={"title": " ", **form})
        assert answer.status_code == 422
        assert said in re.sub("&#34;", '"', answer.text)
        for typed in (value for name, value in form.items() if name in ("name", "title", "rules", "url")):
            assert f'value="{typed}"' in answer.text


async def test_a_group_takes_no_more_than_thirty_members(sqlite: str) -> None:
    async with sited(sqlite) as site:
        at = await group_of(site, ",".join(f"Member {number}" for number in range(30)))
        answer = await site.client.post(f"{at}/members", data={"name": "One more"})
        assert (answer.status_code, "at most 30" in answer.text) == (422, True)
        again = await site.client.post(f"{at}/members", data={"name": "Member 3"})
        assert again.status_code == 422
        await site.client.post(f"{at}/leave", data={"name": "Member 3"})
        assert (await site.client.post(f"{at}/members", data={"name": "One more"})).status_code == 303


def test_the_ladder_rewards_wins_against_strong_players() -> None:
    games = [
        *[Finished(("Ann", "Ben"), (0, 1), (500, 100), ())] * 5,
        *[Finished(("Ben", "Cleo"), (0, 1), (500, 100), ())] * 5,
        Finished(("Cleo", "Robot"), (0, 1), (500, 100), (0.25, -0.25)),
    ]
    found = results(("Cleo", "Ben", "Ann", "Dan"), games)
    assert [row.name for row in found] == ["Ann", "Ben", "Cleo", "Dan"]
    assert found[-1].rating is None
    assert found[0].beat["Ben"] == 5
    assert found[1].beat["Ann"] == 0
    cleo = found[2]
    assert (cleo.games, cleo.wins, cleo.luck_known, cleo.luck, cleo.wins_without_luck) == (6, 1.0, 1, 0.25, 0.75)
