"""To look at an address changes nothing: previews of links, and browsers that fetch ahead, look at all of them."""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa
from starlette.routing import Route
from test_web_in_a_folder import routes

from farkel.errors import SolveError
from farkel.web.http.limits import Full
from web_helpers import Site, engine_of, sited


def contents(site: Site) -> dict[str, Any]:
    """Everything that the database holds."""
    engine, tables = engine_of(site.service), sa.MetaData()
    with engine.connect() as connection:
        tables.reflect(connection)
        return {table.name: sorted(map(repr, connection.execute(sa.select(table)))) for table in tables.tables.values()}


def filled(path: str, known: dict[str, str]) -> str:
    """The address of a route, with these names in it."""
    return re.sub(r"{(\w+)(:\w+)?}", lambda name: known.get(name[1], "standard"), path)


async def _nothing_known(*_: Any, **__: Any) -> None:
    raise SolveError("too_long", "nothing is calculated in this test")


async def _busy(*_: Any, **__: Any) -> None:
    raise Full("too_many_calculations", "your address has several calculations waiting; try again in 5 s", 5)


async def test_a_page_that_has_to_wait_says_for_how_long_and_asks_again(sqlite: str, monkeypatch: Any) -> None:
    async with sited(sqlite) as site:
        monkeypatch.setattr(site.service.calculator, "ask", _busy)
        game = await site.begin("standard", "here", "here")
        path = f"/g/{game.game}/statistics"
        part = (await site.client.get(path, headers={"hx-request": "true"})).text
        assert f'hx-get="{path}"' in part
        assert 'hx-trigger="load delay:5s"' in part
        assert "try again in 5 s. This page asks again by itself." in part
        for address in (path, "/rules/sheet?rules=standard(target=7350)"):
            assert '<meta http-equiv="refresh" content="5">' in (await site.client.get(address)).text


async def test_no_get_of_any_address_changes_what_is_stored(sqlite: str, monkeypatch: Any) -> None:
    async with sited(sqlite) as site:
        monkeypatch.setattr(site.service.calculator, "ask", _nothing_known)
        lobby = await site.open("standard", "here", "far", "far")
        begun = await site.begin("standard(start=first_seat)", "here", "far", "bot:cautious")
        sheet = await site.begin("standard(start=first_seat)", "here", "far", dice="manual")
        assert (await sheet.do("note", points=1_000, dice=0)).status_code == 200
        turn = (await sheet.view())["sheet"][0]["number"]
        made = await site.client.post("/groups", data={"title": "Friends", "members": "Ann", "rules": "standard"})
        group = made.headers["location"].rsplit("/", 1)[-1]
        friend = "; ".join(f"{one.name}={one.value}" for one in site.client.cookies.jar)
        code = (await lobby.get("", lobby.host)).json()["code"]
        gets = [route.path for route in routes(site.app) if isinstance(route, Route) and "GET" in (route.methods or ())]
        assert len(gets) > 40
        asked = 0
        for game in (lobby, begun, sheet):
            names = {"game": game.game, "token": game.seats[1], "code": code, "turn": str(turn), "seat": "1"}
            names["group"] = group
            for cookie in ("", f"seat-host={game.host}; {friend}"):
                before = contents(site)
                for path in gets:
                    if path.endswith("/stream"):
                        continue  # while it is open, its page is there: that is what it is for
                    for token in (game.seats[1], game.host) if "{token}" in path else ("",):
                        known = names | ({"token": token} if token else {})
                        address = filled(path, known)
                        site.client.cookies.clear()
                        answer = await site.client.get(address, headers={"cookie": cookie} if cookie else {})
                        assert answer.status_code < 500, address
                        asked += 1
                        assert contents(site) == before, f"GET {address} has written"
        assert asked > 200
