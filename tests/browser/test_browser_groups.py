"""Groups and the games of this device, in a browser."""

from __future__ import annotations

import json
from typing import Any

from browser_helpers import PHONE, findings

RULES = "standard(start=first_seat, target=500, entry=0, minimum=0, finish=at_once)"


def test_the_start_page_lists_the_games_of_this_device_those_on_turn_first(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(f"{ann.address}/groups")
    assert findings(page) == []
    page.get_by_label("Name of the group").fill("Friday dice")
    page.get_by_label("Members, separated by commas").fill("Ann, Ben")
    page.get_by_label("House rules").fill(RULES)
    page.get_by_role("button", name="Start group").click()
    page.get_by_role("heading", name="Friday dice", exact=True).wait_for()
    at = page.url
    page.get_by_label("How?").select_option("own")
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("#board.lobby").wait_for()
    page.wait_for_load_state()  # by then the script has remembered the game
    page.goto(at)
    page.get_by_label("How?").select_option("real")
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("#board.playing").wait_for()
    page.wait_for_load_state()
    page.goto(at)
    assert findings(page) == []
    page.goto(ann.address)
    page.locator("#my-games li").nth(1).wait_for()
    shown = [item.get_attribute("data-state") for item in page.locator("#my-games li").all()]
    assert shown == ["yours", "running"]
    assert page.locator("#my-games li .badge").all_text_contents() == ["Your turn"]
    assert page.locator("#my-games a").first.text_content() == "Ann and Ben"
    assert page.locator("#my-games a").last.text_content() == "Against Ben"
    page.locator("#my-groups a", has_text="Friday dice").click()
    page.wait_for_url(at)


def test_my_statistics_add_up_the_finished_games_with_one_seat_of_mine(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    mine = {"won": 1, "turns": 4, "farkles": 1, "banked": 1_500, "best": 1_000}
    other = {"won": 0.5, "turns": 6, "farkles": 4, "banked": 900, "best": 600}
    played = {"a" * 12: mine, "b" * 12: other, "c" * 12: None}
    said = {
        "title": "Standard",
        "players": "Against Ben",
        "names": ["Ann", "Ben"],
        "scores": [1_500, 900],
        "started": True,
        "over": True,
        "yours": False,
        "turn": "Ann",
        "winners": ["Ann"],
        "moved": 1,
    }
    page.route(
        "**/standing", lambda route: route.fulfill(json=said | {"figures": played[route.request.url.split("/")[-2]]})
    )
    page.goto(ann.address)
    games = json.dumps([{"game": "a" * 12, "given": 0.05}, {"game": "b" * 12, "given": 0.0}, {"game": "c" * 12}])
    page.evaluate("(games) => localStorage.setItem('farkel-games', games)", games)
    page.goto(ann.address)
    page.get_by_text("My statistics").click()
    page.locator("#my-figures tr").last.wait_for()
    rows = page.locator("#my-figures tr").all()
    assert [row.locator("th, td").all_text_contents() for row in rows] == [
        ["Games finished", "2"],
        ["Games won", "1.5"],
        ["Average turn", "240"],
        ["Best turn", "1,000"],
        ["Farkles", "5, in 50% of turns"],
        ["Lost by decisions", "2.5 percentage points per game (2 reviewed)"],
    ]
    assert findings(page) == []


def test_the_link_of_a_group_leaves_nothing_in_the_address_and_its_code_has_a_size_to_scan(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(f"{ann.address}/groups")
    page.get_by_label("Name of the group").fill("Friday dice")
    page.get_by_role("button", name="Start group").click()
    page.get_by_role("heading", name="Friday dice", exact=True).wait_for()
    page.wait_for_load_state()  # with its styles, which give the code its size
    at, link = page.url, page.locator(".link input").input_value()
    assert page.locator(".link .qr svg").bounding_box()["width"] <= 13 * 16
    other = visit(PHONE).page
    other.goto(link)
    other.get_by_role("heading", name="Friday dice", exact=True).wait_for()
    assert other.url == at
    other.wait_for_load_state()
    assert link.rpartition("#")[2] not in other.evaluate("JSON.stringify(localStorage)")
    page.get_by_text("Make a new link").click()
    page.get_by_role("button", name="Replace the link").click()
    page.get_by_text("Make a new link").wait_for()
    assert page.locator(".link input").input_value() != link
    assert findings(page) == []
    other.goto(link)
    other.get_by_role("alert").get_by_text("the group has a newer one").wait_for()
