"""Many pages of one browser, which has six connections to a server over plain http."""

from __future__ import annotations

import re
from typing import Any

import httpx

from browser_helpers import PHONE
from serving import HANG
from web_helpers import FIRST, bearer

HIDE = """
Object.defineProperty(document, "hidden", { get: () => window.away === true });
window.hide = (away) => { window.away = away; document.dispatchEvent(new Event("visibilitychange")); };
"""
"""A browser without a window takes all its pages for visible: a page is hidden if told so."""
OTHERS = """() => {
  const stream = document.getElementById("stream");
  stream.addEventListener("htmx:sse:close", () => { stream.dataset.closed = ""; });
  for (const page of "123") new BroadcastChannel("farkel-streams").postMessage({ page, takes: true });
}"""
"""Three other pages take a stream."""


def test_nine_pages_of_one_browser_show_the_game_and_take_presses(visit: Any) -> None:
    ann = visit(service_workers="block")  # as over plain http
    ann.context.add_init_script(HIDE)
    ann.start("standard(start=first_seat)", ("Ann",), dice="system")
    ann.ready()
    pages = [ann.page]
    for _ in range(8):
        pages[-1].evaluate("hide(true)")
        pages.append(ann.context.new_page())
        pages[-1].goto(ann.page.url)
        pages[-1].locator("#board.playing").wait_for()
    before = ann.number
    pages[-1].locator("#throw").click()
    latest = pages[-1].locator(f"#board:not([data-number='{before}'])").get_attribute("data-number")
    pages[-2].locator(f"#board[data-number='{latest}']").wait_for()  # hidden, but it was looked at just now
    for first, then in ((8, 0), (0, 4)):
        pages[first].evaluate("hide(true)")
        with pages[then].expect_response(lambda response: "/stream?after=" in response.url):
            pages[then].evaluate("hide(false)")
        pages[then].locator(f"#board[data-number='{latest}']").wait_for()
        assert pages[then].locator("#offline").is_hidden()


def test_a_hidden_page_without_a_stream_is_there_and_still_says_that_it_is_your_turn(visit: Any) -> None:
    from playwright.sync_api import expect

    ann = visit(PHONE)
    page = ann.page
    ann.context.add_init_script(HIDE)
    seats = [{"name": name, "who": "far"} for name in ("Ann", "Ben")]
    given: dict[str, Any] = {"rules": FIRST, "seats": seats, "dice": "manual"}
    opened = httpx.post(f"{ann.address}/api/v1/games", json=given, timeout=HANG).json()
    api = f"{ann.address}/api/v1/games/{opened['game']}"

    def do(**move: Any) -> str:
        answer = httpx.post(f"{api}/moves", json={"move": move}, headers=bearer(opened["host"]), timeout=HANG)
        return str(answer.json()["number"])

    do(do="start")
    turn = {"do": "note", "points": 500, "dice": 2, "farkle": False}
    do(**turn)
    page.clock.install()
    with page.expect_response(lambda response: "/stream" in response.url):
        ann.sit(f"{ann.address}/s/{opened['seats']['0']}")
    page.evaluate("hide(true)")
    page.evaluate(OTHERS)
    page.locator("#stream[data-closed]").wait_for(state="attached")
    number = do(**turn)
    page.clock.fast_forward("00:15")
    page.locator(f"#board[data-number='{number}']").wait_for()
    expect(page).to_have_title(re.compile("^● Your turn"))
    assert page.locator("#offline").is_hidden()
    assert not httpx.get(api, timeout=HANG).json()["seats"][0]["away"]
    with page.expect_response(lambda response: f"/stream?after={int(number) - 1}" in response.url):
        page.evaluate("hide(false)")


def test_a_page_that_is_left_does_not_say_that_there_is_no_connection(visit: Any) -> None:
    """Firefox ends the stream as a link is followed, and shows the page until the other one comes."""
    ann = visit()
    with ann.page.expect_response(lambda response: "/stream" in response.url):
        ann.start("standard", way="one")
    ann.ready()
    says = """(leaving) => {
      if (leaving) dispatchEvent(new Event("beforeunload"));
      document.querySelector("#stream").dispatchEvent(new CustomEvent("htmx:sse:error"));
      return !document.querySelector("#offline").hidden;
    }"""
    assert not ann.page.evaluate(says, True)
