"""Groups and the games of this device, in a browser."""

from __future__ import annotations

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
    assert "Your turn" in str(page.locator("#my-games li").first.text_content())
    page.locator("#my-groups a", has_text="Friday dice").click()
    page.wait_for_url(at)
