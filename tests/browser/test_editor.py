"""The rules in a browser: catalogue, sheets and the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from browser_helpers import DESKTOP, PHONE, WAIT, findings
from farkel.game.scoring import score_table
from farkel.rules import from_toml, names, parse, to_toml


@pytest.fixture(params=[PHONE, pytest.param(DESKTOP, marks=pytest.mark.slow)], ids=["phone", "desk"])
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that must not complain of anything."""
    context = browser.new_context(viewport=request.param, base_url=address)
    context.set_default_timeout(WAIT)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    assert said == []
    context.close()


def standing(page: Page, text: str) -> None:
    """Wait until the editor says this."""
    page.locator("#standing", has_text=text).wait_for()


def edited(page: Page, rules: str) -> None:
    """Open the editor, and wait until it listens to what is typed."""
    page.goto(f"/rules/edit?rules={quote(rules)}")
    page.locator("#editor[data-htmx-powered]").wait_for()
    unfold(page)


def unfold(page: Page) -> None:
    """Open all parts of the rules."""
    page.evaluate("for (const part of document.querySelectorAll('.part')) part.open = true")


def test_editing_at_the_keyboard_with_live_odds(page: Page) -> None:
    edited(page, "standard")
    before = page.locator(".odds").inner_text()
    page.locator("#target").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "rounds"
    page.locator("#scoring-4").fill("aabbcc")
    standing(page, "1 thing to fix")
    page.locator("#scoring-4-worth").focus()
    page.keyboard.press("Control+a")
    page.evaluate("window.same = true")
    page.keyboard.type("750")
    page.keyboard.press("Enter")
    standing(page, "1 rule differs from Standard Farkle")
    assert page.evaluate("window.same"), "Enter has sent the whole page"
    assert page.evaluate("document.activeElement.id") == "scoring-4-worth"
    assert page.locator(".odds").inner_text() != before
    rules = parse("standard(scoring.aabbcc=750)")
    assert str(score_table(rules).farkles(6)) in page.locator(".odds tbody tr").last.inner_text()
    assert "three different pairs" in page.locator(".made").inner_text()
    assert "three pairs, in 1 of 25.9 rolls" in page.locator("#row-scoring-4").inner_text()
    assert "Changed: Standard Farkle has nothing for it." in page.locator("#row-scoring-4").inner_text()
    assert page.locator("#scoring-6").count() == 1, "there is always an empty row"
    page.locator("#row-scoring-4").get_by_role("button").press("Enter")
    standing(page, "They are Standard Farkle as it is.")
    assert page.evaluate("document.activeElement.id") == "scoring-4"
    assert page.locator("#scoring-4").input_value() == ""


def test_a_combination_is_given_conditions_from_lists(page: Page) -> None:
    edited(page, "standard")
    page.locator("#scoring-4").fill("aabbcc")
    page.locator("#scoring-4-worth").fill("1000")
    standing(page, "1 rule differs from Standard Farkle")
    page.locator("#row-scoring-4 summary").press("Enter")
    page.locator("#scoring-4-when").select_option(label="only in the first roll of a turn")
    page.locator("#scoring-4-then").select_option("roll")
    page.get_by_text("Score in another roll before you bank after: three pairs, first roll only.").first.wait_for()
    assert page.locator("#scoring-4-when").is_visible(), "the list stays open"
    assert findings(page) == []
    code = page.locator(".notation code").first.inner_text()
    assert parse(code) == parse('standard(scoring.aabbcc={points=1000, when="first_roll", then="roll"})')
    page.locator("#scoring-4-then").select_option("win")
    page.get_by_text("need no points; write").first.wait_for()


def test_wrong_values_are_said_beside_their_fields(page: Page) -> None:
    edited(page, "extended")
    page.locator("#target").fill("400")
    standing(page, "1 thing to fix")
    beside = page.locator("#wrong-entry")
    assert beside.inner_text().startswith("“Entry” 500 is above “Target” 400")
    assert page.locator("#entry").get_attribute("aria-invalid") == "true"
    assert "wrong-entry" in (page.locator("#entry").get_attribute("aria-describedby") or "")
    assert findings(page) == []
    page.locator("#faults a").first.click()
    assert page.evaluate("location.hash") == "#entry"
    page.locator("#entry").fill("400")
    standing(page, "These rules can be played. 2 rules differ from Extended Farkle.")
    assert page.locator("#entry").get_attribute("aria-invalid") is None
    assert page.locator("a", has_text="Play them").get_attribute("href") == "/?rules=" + quote(
        "extended(target=400, entry=400)"
    ).replace("%20", "+")


def test_choices_and_switches_are_live_too(page: Page) -> None:
    edited(page, "standard")
    page.locator("#take_over-price").select_option("free")
    standing(page, "1 rule differs")
    page.locator("#take_over-after_farkle").check()
    standing(page, "2 rules differ")
    assert "may be taken over too" in page.locator(".made").inner_text()
    page.locator("#take_over-price").select_option("none")
    standing(page, "1 thing to fix")
    page.locator("#row-take_over-after_farkle").get_by_role("button").click()
    standing(page, "They are Standard Farkle as it is.")
    assert not page.locator("#take_over-after_farkle").is_checked()


def test_a_late_answer_keeps_newer_typing(page: Page) -> None:
    edited(page, "standard")
    held: list[Any] = []
    page.route("**/rules/edit", lambda route: held.append(route) if not held else route.continue_())
    with page.expect_request("**/rules/edit"):
        page.locator("#target").fill("5000")
    page.locator("#target").fill("6000")
    page.locator("#rounds").focus()
    held[0].continue_()
    standing(page, "1 rule differs")
    assert page.locator("#target").input_value() == "6000"
    page.locator("code", has_text="standard(target=6000)").wait_for()


def test_what_is_typed_before_the_script_has_come_counts(page: Page) -> None:
    held: list[Any] = []
    page.route("**/htmx.min.js*", lambda route: held.append(route))
    with page.expect_request("**/htmx.min.js*"):
        page.goto("/rules/edit?rules=standard", wait_until="commit")
    page.locator("#part-about-them").wait_for()  # the last one
    unfold(page)
    page.locator("#target").fill("5000")
    page.locator("#take_over-price").select_option("free")
    held[0].continue_()
    standing(page, "2 rules differ from Standard Farkle")
    assert page.locator("#target").input_value() == "5000"


def test_a_file_is_uploaded_and_downloaded(page: Page, tmp_path: Path) -> None:
    rules = parse('kcd(name="ours", title="Ours", target=7000)')
    path = tmp_path / "ours.toml"
    path.write_text(to_toml(rules), "utf-8")
    page.goto("/rules")
    page.locator("#file").set_input_files(path)
    page.get_by_role("button", name="Open it").click()
    page.wait_for_url("**/rules/edit?**")
    page.locator("#editor[data-htmx-powered]").wait_for()
    assert page.locator("#part-about-them").get_attribute("open") is not None, "what differs is open"
    assert page.locator("#title").input_value() == "Ours"
    page.locator("#target").fill("8000")
    page.locator(".made code", has_text="target=8000").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as a file").click()
    assert download.value.suggested_filename == "ours.toml"
    assert from_toml(download.value.path().read_text("utf-8")) == parse('kcd(name="ours", title="Ours", target=8000)')


def test_a_link_is_copied_and_opens_the_same_rules(page: Page) -> None:
    edited(page, "kcd")
    page.locator("#target").fill("7000")
    standing(page, "1 rule differs")
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.locator("#link").input_value()
    page.goto(link)
    assert "7,000 points" in page.locator("article.sheet").inner_text()
    assert "kcd(target=7000)" in page.locator("article.sheet code").inner_text()
    page.locator("summary", has_text="QR code for phones").click()
    assert page.locator("img[alt^='QR code']").evaluate("image => image.naturalWidth") > 20


def test_the_value_is_calculated_on_demand(page: Page) -> None:
    edited(page, "original")
    page.get_by_role("button", name="Calculate the exact value").click()
    page.locator("#value", has_text="take many minutes to calculate").wait_for()
    page.locator("#target").fill("50000")
    standing(page, "1 rule differs")
    assert page.locator("#value").inner_text() == ""


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/rules", "/rules/sheet?rules=original", "/rules/edit?rules=kcd(target=7000)"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, path: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(path)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_faulty_rules(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    edited(page, "standard")
    page.locator("#target").fill("400000000")
    standing(page, "1 thing to fix")
    assert findings(page) == []


def test_on_a_phone_results_do_not_cover_the_typing(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/rules/edit?rules=original")
    unfold(page)
    for field in ("#target", "#entry", "#minimum"):
        page.locator(field).focus()
        typed, below = page.locator(field).bounding_box(), page.locator(".standing").bounding_box()
        assert typed is not None
        assert below is not None
        assert typed["y"] + typed["height"] <= below["y"]


def test_the_editor_works_in_a_browser_without_script(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=address)
    context.set_default_timeout(WAIT)
    page = context.new_page()
    page.goto("/rules/edit?rules=standard")
    page.locator("#target").fill("400000000")
    page.locator("#target").press("Enter")
    standing(page, "1 thing to fix")
    page.locator("#target").fill("4000")
    page.get_by_role("button", name="Check").last.click()
    standing(page, "1 rule differs from Standard Farkle")
    assert not page.get_by_role("button", name="Copy").is_visible()
    page.locator("#row-target").get_by_role("button").click()
    standing(page, "They are Standard Farkle as it is.")
    context.close()


@pytest.mark.slow
def test_a_sheet_prints_on_one_page(browser: Browser, address: str) -> None:
    page = browser.new_page(base_url=address)
    page.set_default_timeout(WAIT)
    for name in names():
        page.goto(f"/rules/sheet?rules={name}")
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1, name
    page.close()
