"""The cookies in which browsers keep seats: sent to one game's pages only, few, and never in the way of each other."""

from __future__ import annotations

from http.cookies import SimpleCookie
from typing import Any

import httpx

from web_helpers import FIRST, Site, sited

FORM = {"rules": FIRST, "name-0": "Ann", "name-1": "Ben", "way": "own", "dice": "system"}


def told(answer: httpx.Response) -> list[Any]:
    """The cookies that an answer sets."""
    found: list[Any] = []
    for line in answer.headers.get_list("set-cookie"):
        found.extend(SimpleCookie(line).values())
    return found


async def opened(site: Site) -> tuple[str, list[Any]]:
    """A game opened with the form: its path, and the cookies of its host."""
    site.client.cookies.clear()
    answer = await site.client.post("/", data=FORM)
    assert answer.status_code == 303
    return answer.headers["location"], told(answer)


async def test_a_cookie_goes_to_the_pages_of_its_game_and_to_no_script(sqlite: str) -> None:
    async with sited(sqlite) as site:
        path, cookies = await opened(site)
        assert len(cookies) == 2  # the host's token, and the links to hand out
        for cookie in cookies:
            assert cookie["path"] == path
            assert cookie["httponly"]
            assert cookie["samesite"] == "lax"
            assert cookie["max-age"] == str(365 * 24 * 60 * 60)
        for address in ("/", "/rules", "/static/style.css", f"/api/v1/games/{path[3:]}", "/g/abcdefghijkm"):
            request = site.client.build_request("GET", address)
            assert "cookie" not in request.headers, address
        assert "For the host" in (await site.client.get(path)).text


async def test_concurrent_seats_keep_their_cookies(sqlite: str) -> None:
    """Links are opened at addresses to which no cookie is sent: their cookies must not depend on stored ones."""
    async with sited(sqlite) as site:
        game = await site.open(FIRST, "far", "far", "far")
        for token in game.seats.values():
            assert (await site.client.post(f"/s/{token}")).status_code == 303
        await site.client.get(f"/h/{game.game}/{game.host}")
        page = (await site.client.get(f"/g/{game.game}")).text
        for token in (game.host, *game.seats.values()):
            assert token in page
        assert len(site.client.cookies.jar) == 4


async def test_obsolete_tokens_are_forgotten(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        for _ in range(3):
            token = (await game.post("/seats/0/link", game.host)).json()["token"]
            await site.client.post(f"/s/{token}")
        assert len(site.client.cookies.jar) == 3
        page = await site.client.get(f"/g/{game.game}")
        assert token in page.text
        assert [cookie.value for cookie in site.client.cookies.jar] == [token]


# What earlier versions kept ------------------------------------------------------------------------------------------


# A real browser ------------------------------------------------------------------------------------------------------
