"""What the start page is told of a game of this browser."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest

from farkel.records.figures import summarise
from web_helpers import Seated, Site, bearer, sited


@pytest.fixture
async def site(sqlite: str) -> AsyncIterator[Site]:
    async with sited(sqlite) as found:
        yield found


async def standing(seated: Seated, token: str | None) -> dict[str, object]:
    answer = await seated.client.get(f"/g/{seated.game}/standing", headers=bearer(token))
    assert answer.status_code == 200
    found: dict[str, object] = answer.json()
    return found


async def test_a_game_has_the_name_of_its_other_players(site: Site) -> None:
    two = await site.begin("standard", "far", "far")
    assert (await standing(two, two.seats[1]))["players"] == "Against Ann"
    assert (await standing(two, two.host))["players"] == "Ann and Bob"
    bots = await site.begin("standard", "here", "bot:cautious")
    assert (await standing(bots, bots.host))["players"] == "Against Bob"
    here = await site.begin("standard", "here", "here", "far")
    assert (await standing(here, here.host))["players"] == "Ann, Bob and Cleo"
    many = await site.begin("standard", *["far"] * 6)
    assert (await standing(many, many.seats[0]))["players"] == "Against Bob, Cleo, Dan and 2 others"


async def test_a_finished_game_has_the_figures_of_the_only_seat_of_this_browser(site: Site) -> None:
    seated = await site.begin("standard(target=500,entry=0,minimum=0)", "far", "far", "here", dice="system")
    assert (await standing(seated, seated.seats[0]))["figures"] is None
    await seated.play(random.Random(1))
    record = (await site.service.table(seated.game)).playing
    summaries = summarise(record.moves, 3)
    assert record.state.result is not None
    wins = 0.0
    for seat, token in {**seated.seats, 2: seated.host}.items():
        found = (await standing(seated, token))["figures"]
        assert isinstance(found, dict)
        wins += found.pop("won")
        assert found == {name: getattr(summaries[seat], name) for name in ("turns", "farkles", "banked", "best")}
    assert wins == pytest.approx(1)
    assert (await standing(seated, None))["figures"] is None
