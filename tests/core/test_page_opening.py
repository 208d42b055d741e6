"""What the page's Python does before there are games, so that a snapshot of its memory can have it."""

from __future__ import annotations

import random

from farkel.page.opening import opened, prepared
from farkel.page.unkept import Unkept
from farkel.page.visit import ask
from farkel.web.game.given import Inline

ROOT = "/games/farkel/"
GAME = {"way": "one", "dice": "system", "rules": "standard", "who-0": "here", "who-1": "here"} | {
    "name-0": "Ann",
    "name-1": "Ben",
}


async def test_a_prepared_application_has_no_games_and_no_cookies_and_draws_numbers_of_its_own() -> None:
    await prepared(ROOT)
    state = random.getstate()
    host = await opened(Unkept(), ROOT, Inline())
    assert random.getstate() != state
    assert host.cookies.as_kept() == {}
    assert await host.app.state.service.store.games() == []
    page = await ask(host, "GET", "/new")
    assert f'href="{ROOT}' in page.body.decode()
    game = dict((await ask(host, "POST", "/", GAME)).headers)["location"]
    assert (await ask(host, "GET", game)).status == 200
    await host.end()
    another = await opened(Unkept(), ROOT, Inline())
    assert another is not host
    await another.end()
