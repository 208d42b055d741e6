"""The cookies in which a browser keeps its seats."""

from __future__ import annotations

from typing import Any

import pytest

from web_helpers import FIRST

FORM = {"rules": FIRST, "name-0": "Ann", "name-1": "Ben", "way": "own", "dice": "system"}
LINKED = """async (many) => {
    for (let number = 0; number < many; number++) {
        const body = JSON.stringify({ rules: "standard", seats: [{ name: "Ann", who: "far" }] });
        const headers = { "content-type": "application/json" };
        const answer = await fetch("/api/v1/games", { method: "POST", body, headers });
        const { game, host, seats } = await answer.json();
        await fetch(`/h/${game}/${host}`, { redirect: "manual" });
        await fetch(`/s/${seats[0]}`, { method: "POST", redirect: "manual" });
    }
}"""
FORMED = """async ([many, fields]) => {
    const found = [];
    for (let number = 0; number < many; number++) {
        found.push(new URL((await fetch("/", { method: "POST", body: new URLSearchParams(fields) })).url).pathname);
    }
    return found;
}"""
GAMES, RECENT = 200, 60


@pytest.mark.slow
def test_a_player_of_hundreds_of_games_opens_every_page_and_holds_the_latest_seats(visit: Any) -> None:
    ann = visit(service_workers="block")  # whose requests hide what the browser sends
    ann.page.goto(ann.address)
    ann.page.evaluate(LINKED, GAMES - RECENT)
    paths = ann.page.evaluate(FORMED, [RECENT, FORM])
    assert len(set(paths)) == RECENT
    for path in ("/", "/rules", "/static/style.css", *reversed(paths)):
        answer = ann.page.goto(ann.address + path, wait_until="commit")
        cookies = answer.request.all_headers().get("cookie", "")
        if path in paths:
            assert 0 < len(cookies) < 200
            ann.page.get_by_role("button", name="Start the game").wait_for()
            assert ann.page.locator("#main .link").count() >= 3  # the seat to hand out, one's own, and to watch
        else:
            assert not cookies
    ann.close()
