"""A game once more with the same people: one press opens it, and it starts once everyone who is far away is there."""

from __future__ import annotations

import re

import pytest

from web_helpers import Seated, Site, bearer, sited


async def page(site: Site, game: str, token: str) -> str:
    return (await site.client.get(f"/g/{game}", headers=bearer(token))).text


@pytest.mark.parametrize("dice", ["system", "committed"])
async def test_the_next_game_waits_only_for_those_far_away_and_for_their_words(sqlite: str, dice: str) -> None:
    async with sited(sqlite) as site:
        old = await site.begin("standard", "here", "far", "bot:cautious", dice=dice)
        assert 'data-again=""' in await page(site, old.game, old.seats[1])
        for seat, token in ((0, old.host), (1, old.seats[1])):
            assert (await old.do("leave", token, seat=seat)).status_code == 200
        answer = await site.client.post(f"/g/{old.game}/again", headers={"cookie": f"seat-host={old.host}"})
        assert answer.status_code == 303, answer.text[:2000]
        location = answer.headers["location"]
        game = location.removeprefix("/g/").removesuffix("#again")
        assert location == f"/g/{game}#again"
        assert f'data-again="{game}"' in await page(site, old.game, old.seats[1])
        there = [
            (await old.client.post(f"{old.path}/again", headers=bearer(one))).json() for one in (old.host, old.seats[1])
        ]
        new = Seated(site.client, game, there[0]["host"], {1: there[1]["seats"]["1"]})

        async def ready() -> str:
            found = re.search(r'data-alone="0" data-ready="(.)"', await page(site, game, new.host))
            return found[1] if found else ""

        assert await ready() == "0"
        async with site.service.page(game, frozenset({1})):
            assert await ready() == ("1" if dice == "system" else "0")
            await new.do("word", new.seats[1], seat=1, word="hop")
            assert await ready() == "1"
        await site.service.settled()
        assert await ready() == "0"
