"""The table under the thumb: everything has its place, on every screen, and a press is answered at once."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from browser_helpers import DESKTOP, PHONE, Visitor, browsing, findings, play_out, serving

SMALL, SIDE = {"width": 320, "height": 568}, {"width": 740, "height": 360}
SCREENS = {"phone": PHONE, "small": SMALL, "side": SIDE, "desk": DESKTOP}
LEAST = {"phone": 56, "small": 48, "side": 56, "desk": 56}
"""Pixels that the edge of a die has at least."""
WATCHED = """
window.shifted = 0;
window.movers = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries().filter((one) => !one.hadRecentInput)) {
    window.shifted += entry.value;
    for (const { node, previousRect, currentRect } of entry.sources) {
      const what = node?.outerHTML ?? node?.textContent;
      window.movers.push([what, JSON.stringify(previousRect), JSON.stringify(currentRect)]);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""
PLACES = """() => [".decide", ".tray", "#risk", "#strip"].map((one) => {
  const shown = [...document.querySelectorAll(one)].find((each) => each.offsetWidth);
  const { x, y, width, height } = shown.getBoundingClientRect();
  return [one, x, y, width, height].join(" ");
})"""
SEEN = """() => ["#bar", ".tray", "#risk"].every((one) => {
  const { top, bottom, left, right } = document.querySelector(one).getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= innerHeight + 0.5 && right <= innerWidth + 0.5;
}) && document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight"""
EDGES = "() => [...document.querySelectorAll('.felt .cube')].map((die) => die.offsetWidth)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("felt")) as found:
        yield found


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Any]:
    visitors: list[Visitor] = []

    def make(size: dict[str, int], **options: Any) -> Visitor:
        visitors.append(Visitor(browser, address, size, **options))
        return visitors[-1]

    yield make
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    for visitor in visitors:
        visitor.close()
    assert complaints == []


NAMES = ("Annabella-Wilhelmina", "Ben", "Cleopatra Philopator")


@pytest.mark.parametrize(
    ("screen", "rules"),
    [
        pytest.param(screen, rules, marks=() if (screen, rules[0]) == ("phone", "b") else pytest.mark.slow)
        for screen in SCREENS
        for rules in ("build-on(target=3000)", "original(target=20000)")
    ],
)
def test_nothing_moves_over_a_whole_game(visit: Any, screen: str, rules: str) -> None:
    ann = visit(SCREENS[screen])
    ann.page.add_init_script(WATCHED)
    ann.start(rules, NAMES, dice="system")
    ann.ready()
    ann.page.wait_for_load_state()
    generator, places, smallest = random.Random(rules), set(), 200
    for _ in range(600):
        if ann.over:
            break
        places.add(tuple(ann.page.evaluate(PLACES)))
        assert ann.page.evaluate(SEEN), ann.page.locator("#told").text_content()
        smallest = min([smallest, *ann.page.evaluate(EDGES)])
        assert ann.turn(generator)
    assert ann.over
    assert len(places) == 1, places
    assert smallest >= LEAST[screen]
    shifted = ann.page.evaluate("window.shifted")
    print(f"{screen}: layout shift {shifted}, dice of {smallest} px or more")  # noqa: T201
    assert shifted == 0, ann.page.evaluate("window.movers")


@pytest.mark.parametrize(
    ("screen", "rules"),
    [("phone", "standard"), ("phone", "build-on"), ("small", "standard"), ("side", "standard"), ("desk", "build-on")],
)
def test_the_whole_pad_of_the_score_sheet_is_on_the_screen(visit: Any, screen: str, rules: str) -> None:
    ann = visit(SCREENS[screen])
    ann.start(f"{rules}(start=first_seat)", NAMES, way="real")
    ann.ready()
    ann.page.wait_for_load_state()
    seen = """() => ["#paper", "#do-note", ".keys", ".adding", "#bar"].every((one) => {
      const part = document.querySelector(one);
      const { top, bottom, left, right } = part.getBoundingClientRect();
      const lowest = document.elementFromPoint(left + (right - left) / 3, bottom - 8);
      const within = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
      return within && (part.contains(lowest) || lowest.contains(part));
    })"""
    assert ann.page.evaluate(seen)
    assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_first_roll_is_one_tap_away_and_is_seen_soon(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(f"{ann.address}/?rules=extended(start=first_seat)")
    page.evaluate("window.name = String(Date.now())")
    page.get_by_role("button", name="Roll the dice").click()
    page.locator(".felt .cube").first.wait_for()
    print(f"from the tap to the first roll: {page.evaluate('Date.now() - Number(window.name)')} ms, taps: 1")  # noqa: T201
    record = page.request.get(f"{ann.address}/api/v1/games/{page.url[-12:]}/record").text()
    assert re.search(r"Player: rolls", record), record


def test_a_press_is_answered_before_the_server_and_counts_once(visit: Any) -> None:
    ann = visit(PHONE)
    ann.start("standard(start=first_seat)", ("Ann",), dice="system")
    ann.ready()
    ann.page.wait_for_load_state()  # until then the form works without a script
    held: list[Any] = []
    ann.page.route("**/move", lambda route: held.append(route))
    took = ann.page.evaluate(
        """() => {
          const button = document.querySelector("#throw");
          const began = performance.now();
          button.click();
          button.click();
          return button.getAttribute("aria-busy") === "true" ? performance.now() - began : Infinity;
        }"""
    )
    print(f"from the tap to the pressed button: {took:.0f} ms")  # noqa: T201
    assert took < 100
    ann.page.locator("#throw[aria-busy=true]").wait_for()
    before = ann.number
    ann.page.keyboard.press("r")
    assert len(held) == 1
    held[0].continue_()
    ann.past(before)
    assert int(ann.number) == int(before) + 1


def test_dice_keep_their_order_and_places_when_the_page_is_loaded_again(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    ann.start("extended(start=first_seat)", ("Ann",), dice="system")
    ann.ready()
    while not page.locator("fieldset.roll").count():
        ann.turn(random.Random(1))
    page.wait_for_load_state()  # the dice have their places only when the style sheet has come
    lying = """() => [...document.querySelectorAll('.felt label.die')].map((die) =>
      [die.className, die.firstChild.value, die.getBoundingClientRect().x].join())"""
    was = page.evaluate(lying)
    page.locator("#take-all").click()
    assert page.locator("#roll[aria-disabled=false]").count() == 1
    assert page.evaluate(lying) == was
    page.keyboard.press("a")
    page.reload()
    ann.ready()
    page.wait_for_load_state()
    assert page.evaluate(lying) == was


def test_each_tip_of_the_first_game_is_shown_once(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    tips: list[list[str]] = []
    for _ in range(2):
        seen = set()
        ann.start("standard(start=first_seat,entry=0)", ("Ann",), dice="system")
        ann.ready()
        for _ in range(12):
            seen.add(page.locator("#tip").text_content())
            if page.locator("fieldset.roll").count():
                dice, then = ann.keep()
                ann.choose(dice)
                seen.add(page.locator("#tip").text_content())
                ann.press(f"button[name=then][value={then}]")
            else:
                ann.turn(random.Random(1))
        tips.append(sorted(str(one).split()[0] for one in seen if one))
    assert tips == [["Bank", "Tap", "Tap"], []]


def test_sound_and_vibration_are_off_until_they_are_chosen_and_remembered(visit: Any) -> None:
    ann = visit(PHONE, moving=True)
    page = ann.page
    page.add_init_script("window.buzzed = []; navigator.vibrate = (one) => window.buzzed.push(one);")
    ann.start("standard(start=first_seat)", ("Ann",), dice="system")
    ann.ready()
    ann.press("#throw")
    assert page.evaluate("window.buzzed.length") == 0
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Settings and keys").click()
    page.locator("[data-setting=vibration]").check()
    page.locator("[data-setting=sound]").check()
    page.reload()
    ann.ready()
    assert page.locator("[data-setting=sound]").is_checked()
    before = page.evaluate("window.buzzed.length")
    while page.evaluate("window.buzzed.length") == before:
        ann.turn(random.Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("rules", ["build-on", "original"])
def test_axe_finds_nothing_in_any_state_of_a_turn(visit: Any, rules: str, scheme: str) -> None:
    ann = visit(PHONE, color_scheme=scheme)
    page = ann.page
    page.goto(ann.address)
    assert findings(page) == []
    ann.start(f"{rules}(start=first_seat)", dice="system")
    ann.ready()
    looked: set[str] = set()
    for _ in range(60):
        parts = "['fieldset.roll', '#throw', '.offers', '.numbers', '[data-moment]']"
        state = page.evaluate(f"{parts}.filter((one) => document.querySelector(one)).join()")
        if state not in looked:
            looked.add(state)
            assert findings(page) == [], state
        ann.turn(random.Random(len(looked)))
    assert len(looked) >= 3


@pytest.mark.parametrize("width", [320, 360])
def test_no_page_is_wider_than_a_phone(visit: Any, width: int) -> None:
    ann = visit({"width": width, "height": 568})
    page, long = ann.page, ("Bartholomew the Young", "Wilhelmina von Hohen")

    def fits() -> None:
        page.wait_for_load_state()
        wide = page.evaluate("""() =>
          [...document.querySelectorAll('body, .brand, .pill, h1:not(.unseen), h2:not(.unseen)')]
          .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
          .map((one) => one.outerHTML.slice(0, 80))""")
        assert wide == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    for path in (
        "/",
        "/new?way=own",
        "/rules",
        "/rules/sheet?rules=original",
        "/rules/edit",
        "/groups",
        "/offline",
        "/j",
    ):
        page.goto(ann.address + path)
        fits()
    ann.start("original", long, way="own")
    ann.ready("lobby")
    fits()
    ann.start("minimal(target=1000)", long, dice="system")
    ann.ready()
    fits()
    table = page.url
    play_out([ann], random.Random(3))
    fits()
    for path in ("/statistics", "/review", "/hooks"):
        page.goto(table + path)
        fits()
