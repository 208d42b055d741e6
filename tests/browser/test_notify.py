"""Pages in the background say once that it is their owner's turn."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from browser_helpers import PHONE, Visitor, findings, so_far
from serving import HANG
from web_helpers import FIRST, bearer

SHOWN = """
window.shown = [];
window.Notification = class { constructor(text) { window.shown.push(text); } static permission = "granted"; };
ServiceWorkerRegistration.prototype.showNotification = async (text) => { window.shown.push(text); };
Object.defineProperty(document, "hidden", { get: () => window.away === true });
"""
"""Notifications are kept and not shown, as there is no desktop, and a page is in the background if told so."""


@pytest.fixture
def ann(visit: Any) -> Visitor:
    visitor: Visitor = visit(PHONE)
    visitor.context.add_init_script(SHOWN)
    return visitor


def test_a_page_in_the_background_says_once_that_it_is_your_turn(ann: Visitor) -> None:
    seats = [{"name": name, "who": "far"} for name in ("Ann", "Ben")]
    given: dict[str, Any] = {"rules": FIRST, "seats": seats, "dice": "manual"}
    opened = httpx.post(f"{ann.address}/api/v1/games", json=given, timeout=HANG).json()
    url = f"{ann.address}/api/v1/games/{opened['game']}/moves"

    def do(**move: Any) -> None:
        answer = httpx.post(url, json={"move": move}, headers=bearer(opened["host"]), timeout=HANG)
        assert answer.status_code == 200, answer.text
        ann.page.locator(f"#board[data-number='{answer.json()['number']}']").wait_for()

    page = ann.page
    ann.sit(f"{ann.address}/s/{opened['seats']['0']}")
    do(do="start")
    ann.open("tell-me")
    page.locator("#notify").check()
    page.keyboard.press("Escape")
    turn = {"do": "note", "points": 500, "dice": 2, "farkle": False}
    do(**turn)
    page.evaluate("window.away = true")
    do(**turn)
    so_far(page, "window.shown.length")
    assert page.evaluate("window.shown") == ["Your turn"]
    assert page.title().startswith("● Your turn")
    do(do="undo")
    do(**turn)  # the same turn once more
    assert page.evaluate("window.shown") == ["Your turn"]
    page.reload()
    page.locator("#board").wait_for()
    page.evaluate("window.away = true; document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("window.shown") == []
    page.goto(f"{ann.address}/g/{opened['game']}/hooks")
    assert findings(page) == []
    page.get_by_label("Address").fill("http://127.0.0.1/")
    page.get_by_role("button", name="Add webhook").click()
    assert "not a public address" in str(page.locator(".wrong").text_content())
    page.get_by_label("Address").fill("https://example.invalid/turns")
    page.get_by_role("button", name="Add webhook").click()
    page.get_by_role("heading", name="Webhook added").wait_for()
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("heading", name="Your webhooks").wait_for(state="detached")
