"""The cookies in which browsers keep seats: sent to one game's pages only, few, and never in the way of each other."""

from __future__ import annotations

import re
from http.cookies import SimpleCookie
from typing import Any

import httpx

from farkel.dice.chance import SYSTEM
from farkel.web.http.cookies import MOST_MOVED
from farkel.web.tokens import new_token
from web_helpers import FIRST, Seated, Site, sited

FORM = {"rules": FIRST, "name-0": "Ann", "name-1": "Ben", "way": "own", "dice": "system"}
NGINX = 4_096
"""Bytes of headers that nginx takes from a server with its default settings; from a browser it takes twice as many."""


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
            assert (await site.client.get(f"/s/{token}")).status_code == 303
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
            await site.client.get(f"/s/{token}")
        assert len(site.client.cookies.jar) == 3
        page = await site.client.get(f"/g/{game.game}")
        assert token in page.text
        assert [cookie.value for cookie in site.client.cookies.jar] == [token]


# What earlier versions kept ------------------------------------------------------------------------------------------


def old_cookies(games: list[Seated]) -> dict[str, str]:
    return {f"farkel-{game.game}": f"{game.host}.{game.seats[0]}" for game in games}


async def test_old_cookies_are_moved_to_their_games_some_at_a_time(sqlite: str) -> None:
    async with sited(sqlite) as site:
        games = [await site.open(FIRST, "far") for _ in range(30)]
        for name, value in old_cookies(games).items():
            site.client.cookies.set(name, value, domain="farkel.test", path="/")
        loads = 0
        while any(cookie.path == "/" for cookie in site.client.cookies.jar):
            answer = await site.client.get("/")
            loads += 1
            head = sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
            assert head < NGINX
            assert len(told(answer)) <= MOST_MOVED + 2
        assert loads < len(games) / 3
        assert len(site.client.cookies.jar) == 2 * len(games)
        for game in games:
            page = (await site.client.get(f"/g/{game.game}")).text
            assert game.host in page
            assert game.seats[0] in page


async def test_an_old_cookie_counts_before_it_is_moved_and_the_latest_are_moved_first(sqlite: str) -> None:
    async with sited(sqlite) as site:
        games = [await site.open(FIRST, "far") for _ in range(20)]
        sent = "; ".join(f"{name}={value}" for name, value in old_cookies(games).items())
        answer = await site.client.get(f"/g/{games[0].game}", headers={"cookie": sent})
        assert games[0].host in answer.text
        moved = {cookie["path"] for cookie in told(answer) if cookie.value}
        assert f"/g/{games[-1].game}" in moved
        assert f"/g/{games[0].game}" not in moved
        for address in ("/static/style.css", "/api/v1/rules"):
            assert not told(await site.client.get(address, headers={"cookie": sent}))


async def test_nothing_odd_in_an_old_cookie_is_passed_on(sqlite: str) -> None:
    odd = {
        "farkel-abcdefghijkm": f"{new_token(SYSTEM)}.<script>.x; Path=/; a=b.{new_token(SYSTEM)[:10]}",
        "farkel-ABCDEFGHIJKM": new_token(SYSTEM),
        "farkel-short": new_token(SYSTEM),
        "other-abcdefghijkm": new_token(SYSTEM),
        "farkel-nothinghere2": '"\\073 Domain=test"',
    }
    async with sited(sqlite) as site:
        sent = "; ".join(f"{name}={value}" for name, value in odd.items())
        cookies = told(await site.client.get("/", headers={"cookie": sent}))
        assert {cookie["path"] for cookie in cookies} <= {"/", "/g/abcdefghijkm"}
        for cookie in cookies:
            assert re.fullmatch("[A-Za-z0-9_-]{32}|", cookie.value)
            assert cookie["domain"] == ""


# A real browser ------------------------------------------------------------------------------------------------------
