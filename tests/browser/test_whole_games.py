"""The pages in a real browser: whole games in all ways to play, on a phone and at a desk, near and far."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from browser_helpers import DESKTOP, LONG, PHONE, Visitor, findings, play_out, serving, so_far, together
from serving import patiently

RULES = {
    "original": "original(target=2000)",
    "build-on": "build-on(target=1500)",
    "renaissance": "renaissance(target=1500)",
}
FIRST, *OTHERS = RULES.values()
FEW = [FIRST, *(pytest.param(rules, marks=pytest.mark.slow) for rules in OTHERS)]
"""One game of a kind is always played, the others with the slow tests."""


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.slow)], ids=["phone", "desktop"])
@pytest.mark.parametrize("rules", FEW, ids=RULES)
def test_a_whole_game_on_one_device(visit: Any, rules: str, size: dict[str, int]) -> None:
    ann = visit(size)
    ann.start(rules)
    ann.ready()
    play_out([ann], random.Random(rules))
    assert ann.page.locator(".ending").text_content()
    assert "Verified in this browser" in ann.page.locator("#verify.verified").text_content()
    assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("rules", FEW, ids=RULES)
def test_a_whole_game_on_two_devices(visit: Any, rules: str) -> None:
    ann, ben = visit(), visit(PHONE)
    ann.start(rules, way="own", dice="system")
    invited(ann, ben)
    ann.press("#begin")
    ben.ready()
    play_out([ann, ben], random.Random(rules))
    assert ann.page.locator(".ending").text_content() == ben.page.locator(".ending").text_content()


@pytest.mark.parametrize("rules", FEW, ids=RULES)
def test_a_whole_game_with_real_dice(visit: Any, rules: str) -> None:
    ann = visit(PHONE)
    ann.start(rules, way="real")
    ann.ready()
    play_out([ann], random.Random(rules))
    assert ann.page.locator(".ending").text_content()


def test_one_tap_leads_to_the_first_roll_and_the_next_game_remembers(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(f"{ann.address}/?rules=build-on(target=4000)")
    page.locator("#opponent").select_option("bot:bold")
    page.get_by_role("button", name="Roll the dice").click()
    ann.ready()
    page.locator("fieldset.roll, [data-moment]").first.wait_for()
    page.wait_for_load_state()  # the game is remembered by then
    assert page.locator(".strip .name").all_inner_texts()[1] == "Rex"
    page.goto(ann.address)
    assert page.locator("#rules-title").text_content() == "Build-on Farkle to 4,000"
    assert page.locator("#opponent").input_value() == "bot:bold"
    page.get_by_role("link", name="Friends here").click()
    page.locator("#name-1").wait_for()
    page.wait_for_load_state()  # the last choices are filled in by then
    page.locator("#name-1").fill("Ben")
    page.get_by_role("button", name="Play", exact=True).click()
    ann.ready()
    page.goto(f"{ann.address}/new")
    page.locator("#rules-own:checked").wait_for(state="attached")
    assert page.locator("#rules-own").input_value() == "build-on(target=4000)"
    assert page.locator("#name-1").input_value() == "Ben"


def test_far_apart_with_a_reload_and_a_lost_network(visit: Any) -> None:
    ann, ben = visit(), visit(PHONE)
    ann.start("build-on(start=first_seat)", way="own")
    invited(ann, ben)
    ann.press("#begin")
    ben.ready()
    ann.press("#board [data-key=r]")
    ben.page.locator(f"#board[data-number='{ann.number}']").wait_for()
    with ben.page.expect_response(lambda response: "/stream" in response.url):
        ben.page.reload()
    ben.ready()
    assert ben.number == ann.number
    ben.context.set_offline(True)
    ben.page.locator("#offline").wait_for()
    generator = random.Random(1)
    while ann.turn(generator):
        pass
    assert ann.page.locator(".seat-1.on-turn").count() == 1
    ben.context.set_offline(False)
    ben.page.locator(f"#board[data-number='{ann.number}']").wait_for()
    ben.page.locator("#offline").wait_for(state="hidden")
    assert ben.turn(generator)
    ann.page.locator(f"#board[data-number='{ben.number}']").wait_for()


def watching(ann: Visitor, visit: Any) -> Any:
    """A page that has not opened the game of Ann yet, and the address where that is."""
    eve = visit(PHONE, service_workers="block")  # which would fetch for the page, where no test can hold it up
    eve.page.goto(f"{ann.address}/rules")
    return eve


OTHERS_HERE = """() => {
  const others = [...document.querySelectorAll("[rel=modulepreload]:not([href$='/page.js'])")];
  return others.length && others.every((one) => performance.getEntriesByName(one.href).length);
}"""
"""Whether the modules that the script of the page needs are there."""


def test_a_page_that_goes_offline_before_its_script_listens_says_so_and_continues(visit: Any) -> None:
    ann = visit()
    ann.start("build-on(start=first_seat)")
    ann.ready()
    eve = watching(ann, visit)

    def late(route: Any) -> None:
        """The script comes when the network is gone already, and nothing tells it so."""
        script = route.fetch()
        so_far(eve.page, OTHERS_HERE)
        eve.context.set_offline(True)
        route.fulfill(response=script)

    eve.page.route("**/page.js", late)
    eve.page.goto(ann.page.url)
    eve.page.locator("#offline").wait_for()
    before = ann.number
    ann.press("#board [data-key=r]")
    assert eve.number == before
    with eve.page.expect_response(lambda response: "/stream" in response.url):  # which had never been open
        eve.context.set_offline(False)
    eve.page.locator("#offline").wait_for(state="hidden")
    eve.page.locator(f"#board[data-number='{ann.number}']").wait_for()
    ann.turn(random.Random(1))
    eve.page.locator(f"#board[data-number='{ann.number}']").wait_for()


def test_a_page_whose_stream_never_opens_says_so_and_plays_on_without_it(visit: Any) -> None:
    ann = visit()
    ann.start("build-on(start=first_seat)")
    ann.ready()
    eve = watching(ann, visit)
    held: list[Any] = []
    eve.page.route("**/stream*", lambda route: held.append(route))
    eve.page.route("**/g/*/board*", lambda route: held.append(route))
    eve.page.goto(ann.page.url)
    eve.page.locator("#offline").wait_for()
    eve.page.unroute("**/g/*/board*")
    ann.press("#board [data-key=r]")
    for route in held[:]:
        route.abort()
    eve.page.locator(f"#board[data-number='{ann.number}']").wait_for()
    eve.page.locator("#offline").wait_for(state="hidden")
    assert any("/stream" in route.request.url for route in held)


def test_links_are_copied_without_a_clipboard_for_scripts(visit: Any) -> None:
    ann = visit()
    ann.context.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    ann.start("minimal", way="own")
    ann.ready("lobby")
    ann.page.wait_for_load_state()  # a press before the script runs copies nothing
    link = ann.page.locator(".invitation")
    told = "new Promise((tell) => document.addEventListener('copy', () => tell(getSelection().toString())))"
    ann.page.evaluate(f"() => {{ window.copied = {told}; }}")
    link.locator("[data-copy]").click()
    copied = ann.page.evaluate("window.copied")
    assert copied == link.locator("input").input_value()
    assert link.locator("[data-share]").is_hidden()
    ann.context.add_init_script("navigator.share = async (what) => { window.shared = what; };")
    ann.page.reload()
    link.locator("[data-share]").click()
    assert ann.page.evaluate("window.shared.url") == copied


def test_whose_page_is_closed_is_shown_as_away(visit: Any) -> None:
    ann, ben = visit(), visit(PHONE)
    ann.start("build-on(start=first_seat)", way="own")
    invited(ann, ben)
    ann.page.get_by_text("is here").wait_for()
    ben.page.goto("about:blank")
    ann.page.get_by_text("waiting").wait_for()


def test_of_two_simultaneous_moves_one_is_refused_with_a_reason(visit: Any) -> None:
    ann, other = visit(), visit(PHONE)
    ann.start("build-on(start=first_seat)")
    ann.ready()
    ann.open("elsewhere")
    other.page.goto(ann.page.locator("#elsewhere .link input").first.input_value())
    ann.page.keyboard.press("Escape")
    other.ready()
    other.page.route("**/g/*/board*", lambda route: route.abort())
    before = ann.number
    ann.press("#board [data-key=r]")
    assert other.number == before
    other.press("#board [data-key=r]")
    assert "the game has moved on" in other.page.locator("[role=alert] p").first.text_content().lower()
    assert other.number == ann.number


def test_pressing_twice_counts_once(visit: Any) -> None:
    ann = visit()
    ann.start("standard(start=first_seat)", names=("Ann",))
    ann.ready()
    before = int(ann.number)
    ann.page.evaluate("for (const _ of '12') document.querySelector('#board [data-key=r]').click()")
    ann.past(str(before))
    answer = ann.page.request.get(f"{ann.address}/api/v1/games/{game_of(ann)}").json()
    assert answer["number"] == before + 1


def test_a_game_by_keyboard_alone(visit: Any) -> None:
    ann = visit()
    page = ann.page
    page.goto(f"{ann.address}/new?rules=build-on(target=500,entry=0,start=first_seat)")
    focused = "[document.activeElement.tagName, document.activeElement.textContent.trim()]"
    for _ in range(200):
        if page.evaluate(focused) == ["BUTTON", "Play"]:
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    ann.ready()
    page.keyboard.press("?")
    page.locator("dialog#help").wait_for()
    page.keyboard.press("Escape")
    for _ in range(200):
        if ann.over:
            break
        before = ann.number
        if page.locator("#pass:not([hidden])").count():
            page.keyboard.press("r")
            page.locator("#board:not(:has([data-settling]))").wait_for()
        if page.locator("fieldset.roll").count():
            dice, then = ann.keep()
            for face in dice:
                page.keyboard.press(str(face))
            page.locator(f"button[name=then][value={then}][aria-disabled=false]").wait_for()
            page.keyboard.press(then[0])
        else:
            page.keyboard.press("f" if page.locator("[data-key=f]").count() else "r")
        ann.past(before)
    assert ann.page.locator(".ending").text_content()


def test_choosing_shows_points_or_a_reason(visit: Any) -> None:
    ann = visit(PHONE)
    ann.start("standard(start=first_seat,entry=500)", names=("Ann",))
    ann.ready()
    ann.until_a_choice(random.Random(1))
    dice, _ = ann.keep()
    worth = ann.page.locator("#worth")
    for die in ann.page.locator("fieldset.roll input").all():
        if int(die.input_value()) not in dice:
            die.check()
            worth.filter(has_text=re.compile("n[o’']t")).wait_for()
            bank = ann.page.locator("button[name=then][value=bank]")
            assert bank.get_attribute("aria-disabled") == "true"
            number = ann.number
            bank.click(force=True)
            assert ann.number == number
            die.uncheck()
            break
    ann.choose(dice)
    worth.get_by_text("of 100 rolls").wait_for()
    assert "+" in ann.page.locator("#adds").text_content()
    assert "% farkle" in ann.page.locator("#roll small").text_content()


def test_a_game_without_script(visit: Any) -> None:
    ann = visit(PHONE, java_script_enabled=False)
    page = ann.page
    page.goto(f"{ann.address}/new")
    page.locator("label[for=rules-standard]").click()
    page.locator("#name-0").fill("Ann\u2800")
    page.get_by_role("button", name="Play", exact=True).click()
    assert "is not a valid name" in page.locator(".wrong").first.text_content()
    assert page.locator("#name-0").input_value() == "Ann\u2800"
    page.locator("#name-0").fill("Ann")
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("details.fair > summary").click()
    page.locator("#word-0").fill("a word of mine")
    page.get_by_role("button", name="Give it").first.click()
    page.get_by_role("button", name="Start the game").click()
    ann.ready()
    for _ in patiently():
        if page.locator("fieldset.roll").count():
            break
        page.locator("#board [data-key=r]").click()
    page.locator("button[name=then][value=bank]").click()
    assert "choose the dice" in page.locator("[role=alert] p").first.text_content().lower()
    dice, then = ann.keep()
    before = ann.number
    ann.choose(dice)
    page.locator(f"button[name=then][value={then}]").click()
    assert int(ann.number) > int(before)


def test_turns_of_real_dice_are_entered_doubted_and_corrected(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    ann.start("standard(start=first_seat,entry=0)", way="real")
    ann.ready()

    page.wait_for_load_state()  # until then the number is typed by hand

    def note(points: str) -> None:
        before = ann.number
        for digit in points:
            page.locator(f"[data-digits='{digit}']").click()
        page.locator("#bank").click()
        page.locator("[role=alert] button, #board:not([data-number='" + before + "'])").first.wait_for()

    note("350")
    assert page.locator(".seat-0 .score").text_content() == "350"
    note("30")
    assert page.locator(".seat-1 .score").text_content() == "0"
    page.get_by_role("button", name="Enter it all the same").wait_for()
    ann.press("[role=alert] button")
    assert page.locator(".seat-1 .score").text_content() == "30"
    page.locator("#paper a").first.click()
    page.locator("#correcting input[name=points]").fill("400")
    ann.press("#correcting button.good")
    assert page.locator(".seat-0 .score").text_content() == "400"
    page.locator("[data-add='500']").click()
    page.locator("[data-digits='']").click()
    assert page.locator("#do-note input[name=points]").input_value() == "50"
    assert page.locator("#becomes").text_content() == "400 → 450\n9,550 to go"
    page.get_by_role("button", name="Roll by roll").click()
    ann.press("form:has(input[value=fell]) button")
    for face in "156":
        page.locator(f"[data-face='{face}']").click()
    page.locator("[data-face=back]").click()
    assert page.locator("form.throw input[name=faces]").input_value() == "15"
    page.locator("form.throw input[name=faces]").fill("112344")
    ann.press("form.throw button.primary")
    assert page.locator("fieldset.roll .die").count() == 6


def test_a_correction_that_loses_later_turns_asks_first(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    ann.start("standard(start=first_seat,entry=0,target=1000,finish=at_once)", way="real")
    ann.ready()
    for points in ("300", "300"):
        page.locator("#do-note input[name=points]").fill(points)
        ann.press("#bank")
    page.locator("#paper a[data-htmx-powered]").first.click()
    page.locator("#correcting input[name=points]").fill("1000")
    page.locator("#correcting button.good").click()
    page.get_by_text("would be lost", exact=False).wait_for()
    ann.press("[role=alert] button")
    ann.ready("over")


def test_reactions_are_seen_by_all_and_watchers_have_no_controls(visit: Any) -> None:
    ann, ben, eve = visit(), visit(PHONE), visit(PHONE)
    ann.start("build-on", way="own")
    invited(ann, ben)
    ann.press("#begin")
    ann.ready()
    eve.page.goto(ann.page.url)
    eve.ready()
    assert eve.page.locator("#bar button, fieldset.roll, .says").count() == 0
    with eve.page.expect_response(lambda response: "/stream" in response.url):
        eve.page.reload()
    ann.page.get_by_role("button", name="Say something").click()
    ann.page.locator("#says").get_by_role("button", name="Well done!").click()
    eve.page.get_by_text("Well done!").wait_for()


def test_the_host_allows_hints_and_chances_and_hands_out_a_new_link(visit: Any) -> None:
    ann, ben = visit(), visit(PHONE)
    page = ann.page
    ann.start("minimal(target=500)", way="own")
    invited(ann, ben)
    old = ben.page.url
    ann.press("#begin")
    ann.ready()
    ann.open("host")
    page.locator("#host input[name=hints]").check()
    page.locator("#host input[name=chances]").check()
    ann.press("#host form button")
    page.locator("#chances td.number").first.wait_for(timeout=LONG)
    for _ in range(60):
        if page.locator("fieldset.roll").count():
            break
        for visitor in (ann, ben):
            visitor.page.locator(f"#board[data-number='{max(int(ann.number), int(ben.number))}']").wait_for()
            if visitor.turn(random.Random(3)):
                break
        if int(ben.number) > int(ann.number):
            page.locator(f"#board[data-number='{ben.number}']").wait_for()
    page.locator("a[data-key=h][data-htmx-powered]").wait_for()  # until then it is a link to a page of its own
    page.keyboard.press("h")
    page.locator(".hint b").wait_for(timeout=LONG)
    page.get_by_role("button", name="Menu").click()
    page.locator("#relink").select_option("1")
    with page.expect_navigation():
        page.locator("#host form:has(#relink) button").click()
    cleo = visit()
    cleo.sit(page.locator(".link input").first.input_value())
    page.get_by_role("link", name="Back to the game").click()
    cleo.ready()
    assert cleo.page.locator("#says").count() == 1
    ben.page.goto(old)
    ben.page.get_by_text("You are watching").wait_for()


def test_after_the_game_comes_the_review_and_the_next_game(visit: Any) -> None:
    from playwright.sync_api import expect

    ann = visit()
    page = ann.page
    ann.start("minimal(target=2000,entry=0)")
    ann.ready()
    play_out([ann], random.Random(5))
    page.locator("#story svg.curve polyline").first.wait_for(timeout=LONG)
    assert page.locator(".ranking .row").count() == 2
    page.get_by_role("link", name="Review the game").click()
    page.locator("#review svg.curve polyline").first.wait_for(timeout=LONG)
    shown = page.locator(".decisions li:visible")
    expect(shown).to_have_count(1)
    costs = page.locator(".decisions li").count()
    expect(page.get_by_role("button", name="Before")).to_be_disabled()
    page.get_by_role("button", name=f"Next 2 of {costs}").click()
    expect(shown).to_have_attribute("data-worst", "1")
    page.get_by_role("radio", name="As played").check()
    expect(shown).to_have_count(1)
    expect(page.get_by_role("button", name="Before")).to_be_disabled()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Settings and keys").click()
    page.get_by_label("Colours").select_option("dark")
    expect(page.locator("html")).to_have_attribute("data-scheme", "dark")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Look at the dice").click()
    page.get_by_text("dice fell;").wait_for(timeout=LONG)
    expect(page.get_by_text("Verdict: ")).to_be_visible()
    assert findings(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the record").click()
    assert download.value.suggested_filename == f"{game_of(ann)}.farkel"
    page.get_by_role("button", name="Play again").click()
    ann.ready()


def test_one_press_leads_everyone_to_the_next_game_and_starts_it(visit: Any) -> None:
    from playwright.sync_api import expect

    ann, ben, eve, room = visit(), visit(PHONE), visit(PHONE), visit()
    ann.start("minimal(target=500,entry=0)", way="own")
    invited(ann, ben)
    eve.page.goto(ann.page.url)
    room.page.goto(f"{ann.page.url}/screen")
    ann.press("#begin")
    ben.ready()
    play_out([ann, ben], random.Random(5))
    old = game_of(ann)
    ann.page.locator("#story svg.curve polyline").first.wait_for(timeout=LONG)
    expect(ann.page.locator("#slips-said")).not_to_have_text("decision by decision")
    known = json.loads(ann.page.evaluate("localStorage.getItem('farkel-games')"))
    assert [one["game"] for one in known] == [old]
    assert known[0]["given"] >= 0
    ben.page.get_by_text("If the host starts another game").wait_for()
    assert findings(ben.page) == []
    ann.page.get_by_role("button", name="Play again").click()
    for page in (ann.page, ben.page, eve.page):
        page.wait_for_url(re.compile(f"/g/(?!{old})"))
    ann.ready()
    ben.ready()
    eve.page.get_by_text("You are watching").wait_for()
    room.page.wait_for_url(f"**/g/{game_of(ann)}/screen")
    assert game_of(ann) == game_of(ben) == game_of(eve)
    events = ann.page.request.get(f"{ann.address}/api/v1/games/{game_of(ann)}/events").json()
    assert sorted(one["seat"] for one in events if one["kind"] == "word") == [0, 1]
    together([ann, ben])
    assert ben.turn(random.Random(1)) or ann.turn(random.Random(1))


def test_sitting_down_again_without_script(visit: Any) -> None:
    ann, ben = (visit(PHONE, java_script_enabled=False) for _ in range(2))
    ann.page.goto(f"{ann.address}/new?rules=minimal")
    ann.page.locator("label[for=way-own]").click()
    ann.page.get_by_role("button", name="Play", exact=True).click()
    ben.sit(ann.page.locator(".each .links input").first.input_value())
    ann.page.locator("#begin").click()
    ann.open("leave")
    ann.page.get_by_role("button", name="Yes, Player 1 leaves").click()
    ann.page.get_by_role("button", name="Play again").click()
    ben.page.reload()
    ben.page.get_by_role("button", name="Sit down").click()
    ben.page.get_by_text("You have your seat").wait_for()
    assert game_of(ann) == game_of(ben)
    assert ben.page.locator("form.word").count() == 1


def test_a_bot_plays_its_turn(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(f"{ann.address}/new?rules=build-on(start=first_seat,entry=0)")
    page.locator("#who-1").select_option("bot:cautious")
    page.get_by_role("button", name="Play", exact=True).click()
    ann.ready()
    generator = random.Random(7)
    for _ in range(30):
        if page.locator("[data-key=f]").count():
            break
        ann.turn(generator)
        page.locator(".seat-0.on-turn").wait_for()
        page.locator("fieldset.roll, [data-key=f], #board [data-key=r]").first.wait_for()
    assert page.locator(".score-sheet tbody td.number").count() >= 2


def test_undo_removes_the_last_move_before_any_roll(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    ann.start("build-on(start=first_seat,entry=0)")
    ann.ready()
    for _ in patiently():
        if page.locator("[data-key=u]").count():
            break
        ann.turn(random.Random(1))
    assert set(page.locator(".strip .score").all_text_contents()) != {"0"}  # one of them did not farkle
    ann.press("[data-key=u]")
    assert page.locator("fieldset.roll").count() == 1
    assert set(page.locator(".strip .score").all_text_contents()) == {"0"}


def test_dice_keep_still_with_reduced_motion(visit: Any) -> None:
    ann = visit(PHONE, moving=True)
    page = ann.page
    ann.start("standard(start=first_seat)")
    ann.ready()
    ann.until_a_choice(random.Random(1))
    style = "getComputedStyle(document.querySelector('.roll .cube')).animationName"
    assert page.evaluate(style) == "tumble"
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Settings and keys").click()
    page.locator("[data-setting=motion]").uncheck()
    assert page.evaluate(style) == "none"
    page.reload()
    ann.ready()
    assert page.evaluate(style) == "none"


@pytest.mark.slow
def test_axe_finds_nothing_serious(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(ann.address)
    assert findings(page) == []
    page.goto(f"{ann.address}/new")
    assert findings(page) == []
    page.goto(f"{ann.address}/g/abcdefghijkm")
    assert findings(page) == []
    ann.start("original(target=3000)", way="own", names=("Ann", "Ben", "Cleo"))
    ann.ready("lobby")
    assert findings(page) == []
    ann.press("#begin")
    ann.ready()
    ann.open("host")
    ann.open("elsewhere")
    assert findings(page) == []
    page.goto(f"{page.url}/screen")
    assert findings(page) == []
    ann.start("original", way="real")
    ann.ready()
    assert findings(page) == []
    for _ in range(40):
        if page.locator("fieldset.roll").count():
            break
        ann.turn(random.Random(2))
    assert findings(page) == []
    page.locator(".topline .chip").click()
    assert findings(page) == []


@pytest.mark.slow
def test_axe_finds_nothing_serious_on_pages_that_stand_alone(visit: Any) -> None:
    """Without scripts, a part of another page is a page of its own."""
    ann = visit(PHONE, bypass_csp=True)
    page = ann.page
    ann.start("minimal(start=first_seat,entry=0,target=500)", way="real")
    ann.ready()
    for _ in range(2):
        page.locator("#do-note input[name=points]").fill("300")
        ann.press("#bank")
    table = f"{ann.address}/g/{game_of(ann)}"
    page.goto(ann.address + page.locator(".score-sheet a").first.get_attribute("href"))
    page.get_by_role("heading", name="Correct a turn of Ann").wait_for()
    assert findings(page) == []
    page.goto(table)
    page.locator("#do-note input[name=points]").fill("300")
    ann.press("#bank")
    page.goto(table)
    while not ann.over:
        assert ann.turn(random.Random(2))
    ann.open("host")
    assert findings(page) == []
    for part in ("hint", "chances", "review", "statistics"):
        page.set_default_timeout(LONG)
        page.goto(f"{table}/{part}")
        page.get_by_role("heading", name="A closer look").wait_for()
        for details in page.locator("details > summary").all():
            details.click()
        assert findings(page) == []
    page.goto(f"{table}/screen")
    assert findings(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_pages_that_refuse(browser: Any, tmp_path: Path, scheme: str) -> None:
    with serving(tmp_path, work_a_minute=20, opened_an_hour=4) as address:
        ann = Visitor(browser, address, PHONE, color_scheme=scheme)
        page = ann.page
        page.goto(f"{address}/g/abcdefghijkm")
        page.get_by_role("heading", name="There is nothing here").wait_for()
        assert findings(page) == []
        ann.start("minimal")
        ann.ready()
        ann.start("minimal")
        page.get_by_text("send it once more").wait_for()
        assert findings(page) == []
        assert any(page.request.get(f"{address}/rules/edit").status == 429 for _ in range(2_000))
        page.goto(f"{address}/rules")
        page.get_by_role("link", name="Try again").wait_for()
        page.get_by_role("heading", name="One moment, please").wait_for()
        ann.close()


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_the_dark(visit: Any) -> None:
    ann = visit(DESKTOP, color_scheme="dark")
    ann.page.goto(ann.address)
    assert findings(ann.page) == []
    ann.start("build-on")
    ann.ready()
    ann.until_a_choice(random.Random(2))
    assert findings(ann.page) == []


# Away -----------------------------------------------------------------------------------------------------------------


def game_of(visitor: Visitor) -> str:
    return str(visitor.page.url.partition("/g/")[2][:12])


def invited(host: Visitor, guest: Visitor, name: str = "Ben") -> None:
    """The guest opens the link that the host's page shows."""
    host.ready("lobby")
    guest.page.goto(host.page.locator("#invitation").input_value())
    guest.page.get_by_label("Your name").fill(name)
    guest.page.get_by_role("button", name="Take a seat").click()
    guest.ready("lobby")


def test_E12_rules_are_found_and_varied_on_the_start_page(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(f"{ann.address}/new")
    page.locator("#find-rules").fill("piggybacking")
    page.locator("label[for=rules-minimal]").wait_for(state="hidden")
    page.locator("label[for=rules-renaissance]").click()
    page.get_by_label("Five dice, to 5,000").check()
    assert "renaissance%3Afive-dice" in str(page.locator("#edit-rules").get_attribute("href"))
    assert page.get_by_label("Three 1s are 300").first.is_hidden()
    page.locator("#find-rules").fill("")
    page.locator("label[for=rules-build-on]").wait_for()
    page.get_by_role("button", name="Play", exact=True).click()
    ann.ready()
    page.goto(f"{ann.address}/new")
    assert page.get_by_label("Five dice, to 5,000").is_checked()
