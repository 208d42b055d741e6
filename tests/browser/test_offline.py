"""The app: installable, and the score sheet for real dice goes on without a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from browser_helpers import CHROMIUM, PHONE, WAIT, findings
from serving import HANG
from written_numbers import UNCLEAR, WHOLE

RULES = "standard(start=first_seat, entry=0, minimum=0)"


class Keeper:
    """The keeper of a real table's score sheet, on a phone."""

    def __init__(self, browser: Any, address: str) -> None:
        self.address = address
        self.context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
        self.context.set_default_timeout(WAIT)
        self.page = self.context.new_page()
        seats = [{"name": name, "who": "here"} for name in ("Ann", "Ben", "Cleo")]
        given = {"rules": RULES, "seats": seats, "dice": "manual"}
        opened: dict[str, str] = httpx.post(f"{address}/api/v1/games", json=given, timeout=HANG).json()
        self.game = opened["game"]
        started = {"move": {"do": "start"}}
        self.bearer = {"authorization": f"Bearer {opened['host']}"}
        httpx.post(f"{self.api}/moves", json=started, headers=self.bearer, timeout=HANG)
        self.page.goto(f"{address}/h/{self.game}/{opened['host']}")
        self.page.locator("#board.playing").wait_for()

    @property
    def api(self) -> str:
        return f"{self.address}/api/v1/games/{self.game}"

    def worker(self) -> None:
        """Wait until the service worker has everything it needs, and this page."""
        self.page.evaluate(
            "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ?? new Promise((done) =>"
            " navigator.serviceWorker.addEventListener('controllerchange', done)))"
        )

    def note(self, points: int | str) -> None:
        """Enter a turn on the sheet without a network."""
        before = self.page.locator("#unconfirmed-turns li").count()
        self.page.locator("#unconfirmed-points").fill(str(points))
        self.page.get_by_role("button", name="Bank these points").last.click()
        self.page.locator("#unconfirmed-turns li").nth(before).wait_for()

    def sheet(self) -> list[tuple[int, int]]:
        """What the server has: seat and points of each turn."""
        view = httpx.get(self.api, timeout=HANG).json()
        return [(turn["seat"], turn["points"]) for turn in view["sheet"]]

    def online(self) -> None:
        self.context.set_offline(False)
        self.page.locator("#unconfirmed").wait_for(state="hidden")
        self.page.locator("#board.playing").wait_for()


@pytest.fixture
def ann(browser: Any, address: str) -> Iterator[Keeper]:
    keeper = Keeper(browser, address)
    yield keeper
    keeper.context.close()


def test_the_sheet_works_half_an_hour_offline_and_each_turn_counts_once(ann: Keeper) -> None:
    page = ann.page
    ann.worker()
    page.clock.install()
    ann.context.set_offline(True)
    page.locator("#unconfirmed").wait_for()
    ann.note(500)
    ann.note(350)
    page.clock.fast_forward("15:00")
    page.reload()  # even then: the service worker has a page for it
    page.locator("#unconfirmed").wait_for()
    assert page.locator("#unconfirmed-turns li").all_text_contents() == [
        "Ann: +500 not yet confirmed",
        "Ben: +350 not yet confirmed",
    ]
    assert findings(page) == []
    ann.note(400)
    page.locator("#unconfirmed-form").get_by_role("button", name="Farkle").click()
    page.locator("#unconfirmed-turns li").nth(3).wait_for()
    page.clock.fast_forward("15:00")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert ann.sheet() == []
    ann.online()
    assert ann.sheet() == [(0, 500), (1, 350), (2, 400), (0, 0)]
    page.reload()
    page.locator("#board.playing").wait_for()
    assert page.locator("#unconfirmed").is_hidden()
    assert len(ann.sheet()) == 4


def test_what_is_typed_stays_through_reloads_and_broken_lines(ann: Keeper) -> None:
    page = ann.page
    pad, offline = page.locator("#do-note [name=points]"), page.locator("#unconfirmed-points")
    ann.worker()
    pad.fill("500")
    page.locator("#bank").click()
    page.locator("#paper td", has_text="+500").wait_for()
    expect(pad).to_have_value("")
    for key in "35":
        page.locator(f".keys [data-digits='{key}']").click()
    page.reload()
    expect(pad).to_have_value("35")
    page.locator(".keys [data-digits='0']").click()
    ann.context.set_offline(True)
    page.locator("#unconfirmed").wait_for()
    expect(offline).to_have_value("350")
    offline.press("End")
    offline.press("0")
    page.reload()
    expect(offline).to_have_value("3500")
    expect(page.locator("#unconfirmed-rounds td")).to_have_text(["+500", "", ""])
    assert findings(page) == []
    ann.note(350)
    expect(offline).to_have_value("")
    offline.press("4")
    ann.online()
    expect(page.locator("#do-note label").first).to_have_text("Cleo’s turn")
    expect(pad).to_have_value("4")
    assert ann.sheet() == [(0, 500), (1, 350)]
    page.locator("[aria-label=Undo]").click()
    expect(page.locator("#do-note label").first).to_have_text("Ben’s turn")
    expect(pad).to_have_value("")


def test_the_page_reads_points_as_the_server_does(ann: Keeper) -> None:
    page, texts = ann.page, [*WHOLE, *UNCLEAR]
    read = page.evaluate("(texts) => texts.map(Typed.number)", texts)
    assert dict(zip(texts, read, strict=True)) == WHOLE | dict.fromkeys(UNCLEAR)
    pad, bank = page.locator("#do-note [name=points]"), page.locator("#bank b")
    pad.fill("1.000")
    expect(bank).to_have_text("Bank 1,000")
    page.locator(".keys [data-digits='0']").click()
    expect(pad).to_have_value("10,000")
    pad.fill("1.000")
    page.locator("#bank").click()
    page.locator("#paper td", has_text="+1,000").wait_for()
    pad.fill("1.5")
    expect(bank).to_have_text("Bank")
    page.locator("#bank").click()
    page.locator("#board", has_text='"1.5" is unclear').wait_for()
    expect(pad).to_have_value("1.5")
    assert ann.sheet() == [(0, 1_000)]
    ann.worker()
    ann.context.set_offline(True)
    page.locator("#unconfirmed").wait_for()
    page.get_by_role("button", name="Bank these points").last.click()
    expect(page.locator("#unconfirmed-said")).to_contain_text("“1.5” is unclear")
    ann.note("2.000")
    ann.online()
    assert ann.sheet() == [(0, 1_000), (1, 2_000)]


def test_what_is_typed_before_the_script_has_come_stays(visit: Any) -> None:
    ann = visit(PHONE, service_workers="block")
    page, held = ann.page, list[Any]()
    ann.start(RULES, way="real")
    ann.ready()
    page.route("**/paper.js", lambda route: held.append(route))
    with page.expect_request("**/paper.js"):
        page.reload(wait_until="commit")
    pad = page.locator("#do-note [name=points]")
    pad.fill("350")
    held[0].continue_()
    expect(page.locator("#bank b")).to_have_text("Bank 350")
    page.unroute("**/paper.js")
    page.reload()
    expect(pad).to_have_value("350")


def test_a_half_typed_roll_stays_through_a_reload_until_it_is_entered(ann: Keeper) -> None:
    page = ann.page
    faces = page.locator("form.throw [name=faces]")
    page.locator("button[data-entry=rolls]").click()
    faces.fill("12")
    page.locator("[data-face='3']").click()
    page.reload()
    expect(faces).to_have_value("123")
    faces.fill("123345")
    page.locator("form.throw button.primary").click()
    page.locator("fieldset.roll input[value='1']").check()
    page.locator("button[name=then][value=roll]").click()
    expect(faces).to_have_value("")


def test_turns_entered_in_two_tabs_are_all_kept(ann: Keeper) -> None:
    page, other = ann.page, ann.context.new_page()
    other.goto(page.url)
    other.locator("#board.playing").wait_for()
    ann.context.set_offline(True)
    for tab, points in ((page, "500"), (other, "350"), (page, "400")):
        tab.locator("#unconfirmed-points").fill(points)
        tab.get_by_role("button", name="Bank these points").last.click()
        tab.get_by_text("Kept on this device.").wait_for()
    kept = "Object.entries(localStorage).filter(([name]) => name.startsWith('farkel-queue-')).map(([, kept]) => kept)"
    assert [[one["points"] for one in json.loads(queue)] for queue in page.evaluate(kept)] == [[500, 350, 400]]


def test_a_turn_whose_answer_was_lost_counts_once(ann: Keeper) -> None:
    page = ann.page
    lost: list[int] = []

    def lose(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)  # the server takes it, but the answer is lost
        route.abort()

    page.route("**/moves", lose)
    ann.context.set_offline(True)
    page.locator("#unconfirmed").wait_for()
    ann.note(500)
    page.clock.install()
    ann.context.set_offline(False)
    page.clock.run_for(20_000)
    page.locator("#unconfirmed").wait_for(state="hidden")
    assert lost == [200]
    assert ann.sheet() == [(0, 500)]


def test_an_entry_that_the_rules_doubt_is_asked_about_before_those_after_it_are_sent(ann: Keeper) -> None:
    page = ann.page
    ann.context.set_offline(True)
    page.locator("#unconfirmed").wait_for()
    ann.note(130)
    ann.note(350)
    ann.context.set_offline(False)
    page.locator("#unconfirmed-trouble").wait_for()
    assert "130" in str(page.locator("#unconfirmed-why").text_content())
    assert ann.sheet() == []
    page.get_by_role("button", name="Change it").click()
    page.locator("#unconfirmed-points").fill("100")
    page.get_by_role("button", name="Bank these points").last.click()
    page.locator("#unconfirmed").wait_for(state="hidden")
    assert ann.sheet() == [(0, 100), (1, 350)]


def test_a_game_that_went_on_elsewhere_meanwhile_is_not_overwritten(ann: Keeper) -> None:
    page = ann.page
    ann.context.set_offline(True)
    page.locator("#unconfirmed").wait_for()
    ann.note(500)
    move = {"do": "note", "points": 350, "dice": 2, "farkle": False}
    httpx.post(f"{ann.api}/moves", json={"move": move}, headers=ann.bearer, timeout=HANG)
    ann.context.set_offline(False)
    page.locator("#unconfirmed-trouble").wait_for()
    assert ann.sheet() == [(0, 350)]
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Discard all").click()
    page.locator("#unconfirmed").wait_for(state="hidden")
    assert ann.sheet() == [(0, 350)]


def test_other_pages_say_that_they_need_the_server(ann: Keeper) -> None:
    page = ann.page
    ann.worker()
    ann.context.set_offline(True)
    for path in ("/", "/rules", "/g/aaaaaaaaaaaa"):
        page.goto(f"{ann.address}{path}")
        page.get_by_role("heading", name="No connection").wait_for()
    assert "needs the server" in str(page.locator("main").text_content())
    assert findings(page) == []
    page.locator("#kept-sheets a").click()
    page.locator("#unconfirmed").wait_for()
    page.goto(f"{ann.address}/rules")
    ann.context.set_offline(False)
    page.get_by_role("heading", name="Rules").first.wait_for()


def test_nothing_that_holds_a_token_is_kept_on_the_device(ann: Keeper) -> None:
    ann.worker()
    paths = ann.page.evaluate(
        "caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((one) => one.keys()))))"
        ".then((all) => all.flat().map((request) => new URL(request.url).pathname))"
    )
    assert "/offline" in paths
    assert all(path == "/offline" or path.startswith("/static/") for path in paths)
    token = ann.bearer["authorization"].split()[1]
    assert token not in ann.page.evaluate("JSON.stringify({...localStorage})")


def test_the_browser_takes_it_for_an_app_that_can_be_installed(browser: Any, address: str, tmp_path: Path) -> None:
    # Only in a profile that is kept can anything be installed.
    context = browser.browser_type.launch_persistent_context(
        str(tmp_path), executable_path=str(CHROMIUM), args=["--no-sandbox"], timeout=WAIT
    )
    context.set_default_timeout(WAIT)
    page = context.pages[0]
    page.goto(address)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session = context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    context.close()
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/manifest.webmanifest")
    assert errors == []
