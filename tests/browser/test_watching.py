"""Watching a record in a browser: from a file, step by step at the keyboard, and by itself; and the card to play by."""

from __future__ import annotations

from typing import Any

import pytest

from browser_helpers import PHONE, findings
from farkel.play.match import Match, Setup
from farkel.records import Seating, parse_record
from farkel.rules import load


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished game of two bots with committed dice."""
    path = tmp_path_factory.mktemp("record") / "game.farkel"
    seats = tuple(Seating(name, (name,), "bot:cautious") for name in ("Ann", "Ben"))
    match = Match.start(Setup(load("minimal", ["target=600"]), seats, "committed", words=("hop",)), path)
    while not match.state.over:
        if match.state.dice_due:
            match.throw()
        else:
            action = match.decide()
            assert action is not None
            match.act(action)
    match.close()
    return path.read_text("utf-8")


def opened(visitor: Any, text: str) -> None:
    """Open a record from a file, from the start page on."""
    page = visitor.page
    page.goto(visitor.address)
    page.get_by_role("link", name="Watch a record").click()
    file = {"name": "game.farkel", "mimeType": "text/plain", "buffer": text.encode()}
    page.get_by_label("A record file (.farkel)").set_input_files(file)
    page.get_by_role("button", name="Watch it").click()
    visitor.ready("watching")


def test_a_record_is_watched_with_keys_and_by_itself(visit: Any, text: str) -> None:
    ann = visit(PHONE)
    page = ann.page
    opened(ann, text)
    moves = parse_record(text.encode()).moves
    page.evaluate("window.same = true")

    def at(number: int) -> None:
        page.locator(f"#board[data-number='{number}']").wait_for()

    at(0)
    assert findings(page) == []
    page.keyboard.press("ArrowRight")
    at(moves[0].number)
    told = " ".join(moves[0].told(("Ann", "Ben")))
    assert told in page.locator("#news").inner_text()
    page.keyboard.press("ArrowRight")
    at(moves[1].number)
    assert findings(page) == []
    page.keyboard.press("ArrowLeft")
    at(moves[0].number)
    page.keyboard.press("End")
    at(moves[-1].number)
    assert "wins" in page.locator(".tray .total").inner_text()
    assert findings(page) == []
    page.keyboard.press("Home")
    at(0)
    page.locator("#back").focus()  # which leads nowhere from here, and still does not lose the focus
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    at(moves[0].number)
    assert page.evaluate("document.activeElement.id") == "back"
    page.locator("#pace").select_option("fast")
    page.locator("#pace").blur()
    page.keyboard.press("Space")
    page.locator("#play", has_text="Pause").wait_for()
    at(moves[3].number)
    page.keyboard.press("Space")
    page.locator("#play", has_text="Play").wait_for()
    page.get_by_role("button", name="Turns").click()
    page.locator("#turns li a").last.click()
    page.locator("#turns").wait_for(state="hidden")
    page.locator("#seek").fill(str(moves[2].number))
    at(moves[2].number)
    assert page.url.endswith(f"?at={moves[2].number}")
    assert page.evaluate("window.same"), "a step has loaded the whole page"
    page.reload()
    at(moves[2].number)


def test_the_end_of_an_opened_record_verifies_its_dice_and_leads_back_to_watching(visit: Any, text: str) -> None:
    ann = visit()
    page = ann.page
    opened(ann, text)
    page.get_by_role("link", name="How it ended").click()
    page.locator("#verify.verified").wait_for()
    page.get_by_role("link", name="Watch it again").click()
    page.locator("#board.watching[data-number='0']").wait_for()
    assert findings(page) == []


def test_a_game_is_watched_without_script(browser: Any, address: str, text: str) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=address)
    page = context.new_page()
    page.goto("/watch")
    page.get_by_label("Or the text of a record").fill(text)
    page.get_by_role("button", name="Watch it").click()
    page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name="Last").click()
    page.get_by_role("link", name="Back").click()
    assert page.locator("#play").is_hidden()
    page.get_by_role("button", name="Go there").click()
    assert page.locator("#board.watching").count() == 1
    page.get_by_role("button", name="Turns").click()
    page.locator("#turns li a").first.click()
    assert page.locator("#board").get_attribute("data-number") == "1"
    context.close()


def test_the_card_fits_the_smallest_phone(visit: Any) -> None:
    ann = visit({"width": 320, "height": 568})
    page = ann.page
    page.goto(f"{ann.address}/rules/sheet?rules=minimal")
    page.get_by_role("link", name="Card to play by").click()
    page.get_by_role("heading", name="What dice are worth").wait_for()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 320
