"""The application alone in a browser: requests that come from its service worker."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from farkel.page.host import Answer, Host, Request
from farkel.page.opening import opened
from farkel.web.game.given import Inline
from page_database import PageDatabase

FORM = "application/x-www-form-urlencoded"
HERE = {"way": "one", "dice": "system", "rules": "standard", "who-0": "here", "who-1": "here", "name-0": "Ann"}
NOW = {"now": "on", "who-1": "bot:cautious", "rules": "standard", "word": "hop", "name-0": ""}


async def answered(host: Host, method: str, target: str, form: dict[str, str], name: str = "") -> Answer:
    request = Request(method, "https://farkel.test", target, [("content-type", FORM)], urlencode(form).encode(), name)
    answer = await host.answer(request)
    assert answer is not None
    return answer


@pytest.mark.parametrize("form", [HERE, {**HERE, "dice": "committed", "name-1": "Ben"}, NOW])
@pytest.mark.parametrize("kept", [True, False], ids=["the cookies were kept", "they were not"])
async def test_a_request_to_open_a_game_that_is_asked_again_opens_the_same_one(form: Any, kept: bool) -> None:
    database = PageDatabase()
    first = await opened(database, "/", Inline())
    once = await answered(first, "POST", "/", form, "some-name")
    await first.end()  # its tab is closed before the answer is there
    if not kept:
        database.kept.clear()
    second = await opened(database, "/", Inline())
    again = await answered(second, "POST", "/", form, "some-name")
    assert (once.status, dict(once.headers)["location"]) == (again.status, dict(again.headers)["location"])
    assert len(database.games) == 1
    game = await answered(second, "GET", dict(again.headers)["location"].partition("#")[0], {})
    assert game.status == 200
    assert 'data-mine="1"' in game.body.decode() or "data-whose" in game.body.decode()
    other = await answered(second, "POST", "/", form, "another-name")
    assert dict(other.headers)["location"] != dict(once.headers)["location"]
    assert len(database.games) == 2
    await second.end()
