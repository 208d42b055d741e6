"""The lobby in a browser: the host adds seats and bots, takes them away again, and chooses other rules."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from browser_helpers import PHONE, Visitor, findings
from farkel.web.game.pages.start import OPPONENTS

SHORT = "minimal(target=300,entry=0)"


@pytest.mark.parametrize("scripted", [True, False])
def test_the_host_adds_and_removes_seats_and_changes_the_rules_on_a_phone(visit: Any, scripted: bool) -> None:
    ann, ben = (visit(PHONE, java_script_enabled=scripted) for _ in range(2))
    ann.start(SHORT, ("Ann", "Player 2"), way="own")
    ann.page.locator("#board.lobby").wait_for()

    rows = ann.page.locator("#seats li.row b")
    for button in (OPPONENTS["bot:bold"], OPPONENTS["bot:bold"], "A free seat", "Add"):
        count = rows.count()
        ann.page.locator("#add summary").press("Enter")
        if button == "Add":
            ann.page.locator("#added-name").fill("Opa")
        with ann.page.expect_navigation():  # the stream may show the seat before the answer closes the list again
            ann.page.get_by_role("button", name=button, exact=True).click()
        rows.nth(count).wait_for()
    expect(rows).to_have_text(["Ann", "Free seat", "Rex", "Rex 2", "Free seat", "Opa"])
    assert not scripted or findings(ann.page) == []
    ann.page.get_by_role("button", name="Remove Rex 2").click()
    expect(rows).to_have_text(["Ann", "Free seat", "Rex", "Free seat", "Opa"])
    ben.page.goto(ann.page.locator("#invitation").input_value())
    ben.page.get_by_label("Your name").fill("Ben")
    ben.page.get_by_role("button", name="Take a seat").click()
    ben.page.locator("#board.lobby").wait_for()
    assert ben.page.locator("#add, [aria-label^=Remove]").count() == 0
    ann.page.get_by_role("link", name="change").click()
    ann.page.get_by_label("Or paste house rules").fill("standard(nonsense=1)")
    ann.page.get_by_role("button", name="Play by these rules").click()
    ann.page.locator("[role=alert]", has_text="nonsense").wait_for()
    assert not scripted or findings(ann.page) == []
    ann.page.get_by_label("Or paste house rules").fill("standard(target=1000)")
    ann.page.get_by_role("button", name="Play by these rules").click()
    ann.page.locator("#bar", has_text="to 1,000").wait_for()
    if not scripted:
        ben.page.reload()
    ben.page.locator("#bar", has_text="to 1,000").wait_for()
    assert "1,000" in str(ben.page.locator("#rules").text_content())  # the sheet beside the board is the new one
    ann.page.locator("#begin").click()
    ann.page.locator("#board.playing").wait_for()
    assert re.search("Ben", str(ann.page.locator("#board").text_content()))


def test_a_stranger_cannot_change_the_lobby(browser: Any, address: str) -> None:
    ann, eve = Visitor(browser, address), Visitor(browser, address)
    ann.start(SHORT, ("Ann", "Player 2"), way="own")
    ann.ready("lobby")
    eve.page.goto(f"{ann.page.url}/rules")
    assert eve.page.url == ann.page.url
    for path, form in (("seats", {"who": "far"}), ("seats/drop", {"seat": "1"}), ("rules", {"rules": "extended"})):
        answer = eve.page.request.post(f"{ann.page.url}/{path}", form=form, headers={"origin": address})
        assert answer.status == 403, (path, answer.text())
        assert "only the host" in answer.text().lower()
    for visitor in (ann, eve):
        visitor.close()
