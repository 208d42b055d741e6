"""The table under the thumb: everything has its place, on every screen, and a press is answered at once."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import seeded
from browser_helpers import DESKTOP, LONG, PHONE, findings, play_out
from farkel.game import new_game
from farkel.game.story import Fact
from farkel.rules import load
from farkel.web.game.dice_tray import in_brief
from serving import patiently

SMALL, SIDE = {"width": 320, "height": 568}, {"width": 740, "height": 360}
SCREENS = {"phone": PHONE, "small": SMALL, "side": SIDE, "desk": DESKTOP}
LEAST = {"phone": 56, "small": 48, "side": 56, "desk": 56}
"""Pixels that the edge of a die has at least."""
WATCHED = """
// Everything that moves although it says the same as before, however fast the answer comes: Chrome's own sum leaves out
// what moves within half a second of a press. Labels of buttons are centred, and so move with their words.
const said = new WeakMap();
const saying = (node) => node.closest?.("svg") ? node.closest("svg").parentElement?.innerHTML : node.textContent;
window.moved = [];
const look = (entries) => {
  for (const { node, previousRect, currentRect } of entries.flatMap((one) => one.sources)) {
    if (!node || said.get(node) !== saying(node) || node.parentElement?.closest(".decide button")) continue;
    const what = (node.outerHTML ?? node.textContent).slice(0, 150);
    window.moved.push([what, JSON.stringify(previousRect), JSON.stringify(currentRect)].join(" "));
  }
};
const watching = new PerformanceObserver((list) => look(list.getEntries()));
watching.observe({ type: "layout-shift", buffered: true });
window.step = () => {
  look(watching.takeRecords());
  const walk = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) said.set(walk.currentNode, saying(walk.currentNode));
  return window.moved;
};
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
STATE = """() => ["fieldset.roll", "#throw", ".offers", ".numbers", "[data-moment]", "#pass:not([hidden])", ".part"]
  .filter((one) => document.querySelector(one)).join()"""
PRESSED = """([key, code]) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))"""
SCHEMES: tuple[Any, ...] = ("light", "dark")
EDGES = "() => [...document.querySelectorAll('.felt .cube')].map((die) => die.offsetWidth)"


NAMES = ("Annabella-Wilhelmina", "Ben", "Cleopatra Philopator")


@pytest.mark.parametrize(
    ("screen", "rules"),
    [("phone", "build-on(target=3000)"), pytest.param("desk", "original(target=20000)", marks=pytest.mark.slow)],
)
def test_nothing_moves_over_a_whole_game(visit: Any, screen: str, rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seeded.begin("game 3", monkeypatch)  # in which columns of the score sheet once grew with their entries
    ann = visit(SCREENS[screen])
    ann.page.add_init_script(WATCHED)
    ann.start(rules, NAMES, dice="system")
    ann.ready()
    ann.page.wait_for_load_state()
    generator, places = random.Random(rules), set()
    for _ in range(600):
        if ann.over:
            break
        places.add(tuple(ann.page.evaluate(PLACES)))
        assert ann.page.evaluate("step()") == []
        assert ann.turn(generator)
    assert ann.over
    assert len(places) == 1, places


@pytest.mark.parametrize("rules", ["build-on(target=3000)", "original(target=20000)"])
def test_every_state_of_a_turn_fits_every_screen(visit: Any, rules: str) -> None:
    ann = visit(DESKTOP)
    ann.start(rules, NAMES, dice="system")
    ann.ready()
    ann.page.wait_for_load_state()
    generator, looked = random.Random(rules), set[str]()
    for _ in range(600):
        if ann.over:
            break
        state = ann.page.evaluate(STATE)
        if state not in looked:
            looked.add(state)
            for screen, size in SCREENS.items():
                ann.page.set_viewport_size(size)
                assert ann.page.evaluate(SEEN), (screen, state, ann.page.locator("#told").text_content())
                assert min([200, *ann.page.evaluate(EDGES)]) >= LEAST[screen], (screen, state)
            ann.page.set_viewport_size(DESKTOP)
        assert ann.turn(generator)
    assert len(looked) >= 4, looked


NEWS = """() => {
  const [news, holds, strip] = ["#news", "#holds", "#strip"].map((one) => document.querySelector(one));
  const words = document.createRange();
  words.selectNodeContents(news);
  const lines = new Set([...words.getClientRects()].map((one) => Math.round(one.top))).size;
  const [said, held, seats] = [words, holds, strip].map((one) => one.getBoundingClientRect());
  const tray = document.querySelector(".tray").getBoundingClientRect();
  const within = (part) => part.left >= 0 && part.right <= innerWidth;
  return {
    lines,
    whole: within(said) && (said.bottom <= tray.top || said.right < tray.right),
    beside: said.bottom <= tray.top,
    shown: getComputedStyle(news).opacity === "1",
    held: holds.scrollWidth <= holds.clientWidth && within(held) && held.top < seats.bottom,
  };
}"""


STILL = """
const play = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  const one = play.apply(this, given);
  one.pause();
  return one;
};
"""
"""What is shown for a while stays."""


def test_last_turns_are_told_whole_and_stay_to_be_read(visit: Any) -> None:
    ann = visit(PHONE)
    page, names = ann.page, (NAMES[0], "Maximiliane-Theodora")
    page.add_init_script(STILL)
    ann.start("standard(target=1500,start=first_seat,entry=0)", names, dice="system")
    ann.ready()
    page.wait_for_load_state()
    generator, before = random.Random(1), page.evaluate(PLACES)
    for _ in patiently():
        if page.locator("#holds").count():
            break
        before = page.evaluate(PLACES)
        ann.turn(generator)
    assert re.fullmatch(r"Last turn: 1,\d\d\d to beat", page.locator("#holds").text_content())
    assert page.locator("#news").text_content().strip().endswith(" Last turn for everyone else.")
    assert page.evaluate(PLACES) == before
    took_over = [Fact("took_over", 0, 10_050, 6), Fact("lives_paid", 0, 11, 6)]
    longest = [
        in_brief([Fact(kind, 0, 10_050, 6)], names, new_game(load("standard"), (1, 1)))
        for kind in ("win_waits", "fined", "score_lost", "standing")
    ]
    for news in (
        page.locator("#news").text_content().strip(),
        in_brief(took_over, names, new_game(load("original"), (1, 1))),
        *longest,
    ):
        page.evaluate("(news) => { document.querySelector('#news').textContent = news; }", news)
        for screen, size in SCREENS.items():
            page.set_viewport_size(size)
            found = page.evaluate(NEWS)
            assert found.pop("lines") <= (1 if screen == "desk" else 2), (screen, news)
            assert found.pop("beside") == (screen != "side"), (screen, news)
            assert found == {"whole": True, "shown": True, "held": True}, (screen, news)
    page.set_viewport_size(SIDE)
    page.evaluate("document.querySelector('#news').getAnimations().forEach((one) => one.finish())")
    assert not page.evaluate(NEWS)["shown"]
    page.locator("#nothing").dispatch_event("click")
    assert page.locator("#news").text_content() == "There is nothing to bank yet. Roll first."
    assert page.evaluate(NEWS)["shown"]
    page.locator(".to-scores").click()
    page.locator("#scores .latest", has_text="Last turn for everyone else.").wait_for()


DICE = """() => {
  const tray = document.querySelector(".tray .roll").getBoundingClientRect();
  const rail = document.querySelector("#rail").getBoundingClientRect().top;
  const dice = [...document.querySelectorAll(".tray .roll :is(.cube, .ghost)")].map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2, half: one.offsetWidth / 2 };
  });
  const seen = ({ x, y, half }) =>
    x - half >= tray.left && x + half <= tray.right && y - half >= tray.top && y + half <= rail;
  const apart = (one, other) =>
    Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y)) >= one.half + other.half;
  const lies = (one, at) => dice.slice(at + 1).every((other) => apart(one, other));
  return [dice.length, dice.every(seen), dice.every(lies)];
}"""


def test_many_dice_lie_apart_and_above_the_rail(visit: Any) -> None:
    ann = visit(PHONE)
    ann.start("standard(dice=10,entry=1500)", tuple(f"Player {seat}" for seat in range(1, 8)), dice="system")
    ann.ready()
    looked = set[int]()
    for _ in range(60):
        for screen, size in SCREENS.items():
            ann.page.set_viewport_size(size)
            dice, seen, apart = ann.page.evaluate(DICE)
            assert (seen, apart) == (True, True), (screen, dice)
            looked.add(dice)
        if {7, 10} <= looked:
            break
        assert ann.turn(random.Random(1))
    assert {7, 10} <= looked


IN_VIEW = """() => {
  const strip = document.querySelector("#strip");
  const { left, right } = strip.getBoundingClientRect();
  return [...strip.querySelectorAll(".on-turn, .own")].map((seat) => {
    const place = seat.getBoundingClientRect();
    const x = place.left + place.width / 2;
    const seen = place.left >= left - 0.5 && place.right <= right + 0.5;
    return seen && seat.contains(document.elementFromPoint(x, place.top + 9));
  });
}"""


def test_a_long_name_begins_beside_its_mark(visit: Any) -> None:
    """Where the mark is a float, Firefox breaks no name beside it: the name goes below the mark, and is cut there."""
    ann = visit(PHONE)
    ann.start("standard", ("Maximilian", "Benedikt", "Annabella", "Theodora"))
    ann.ready()
    for seat in ann.page.locator(".strip .who").all():
        mark, lines, floats = seat.evaluate(
            """(who) => {
              const [mark, name] = who.children;
              return [mark.getBoundingClientRect(), [...name.getClientRects()], getComputedStyle(mark).float];
            }"""
        )
        assert floats == "none"
        assert len(lines) == 2
        assert lines[0]["left"] > mark["right"] > lines[1]["left"]
        assert lines[0]["top"] < mark["bottom"] < lines[1]["bottom"]


def test_the_seat_on_turn_and_ones_own_are_in_view(visit: Any) -> None:
    ann = visit(PHONE)
    page, generator = ann.page, random.Random(2)
    names = ("Ann", "Ben", "Cleopatra Philopator", "Maximiliane-Theodora", "Emil", "Finn")
    ann.start("standard(start=first_seat,entry=0)", names, dice="system")
    ann.ready()
    page.wait_for_load_state()
    turns = set()
    for _ in patiently():
        turn = page.locator("#board").get_attribute("data-turn")
        if turn not in turns:
            turns.add(turn)
            for size in SCREENS.values():
                page.set_viewport_size(size)
                assert page.evaluate(IN_VIEW) == [True], (turn, size)
        if len(turns) == 7:
            break
        ann.turn(generator)
    # As it is where each has a device of their own.
    for own, on_turn in ((1, 6), (6, 1), (1, 2), (5, 6), (2, 4)):
        page.evaluate(
            """([own, on]) => [...document.querySelectorAll("#strip .seat")].forEach((seat, at) => {
              seat.classList.toggle("own", at === own - 1);
              seat.classList.toggle("on-turn", at === on - 1);
            })""",
            [own, on_turn],
        )
        for size in SCREENS.values():
            page.set_viewport_size(size)
            for scrolled in (0, 500):
                page.evaluate("(to) => { document.querySelector('#strip').scrollLeft = to; }", scrolled)
                assert page.evaluate(IN_VIEW) == [True, True], (own, on_turn, size, scrolled)
    page.set_viewport_size(DESKTOP)
    sheet = page.locator("#scores .score-sheet")
    assert sheet.locator(".name").all_text_contents() == list(names)
    assert [one.get_attribute("title") for one in sheet.locator("th.number").all()] == list(names)
    assert sheet.evaluate("(one) => one.offsetWidth <= one.parentElement.clientWidth")
    assert max(sheet.locator(".name").evaluate_all("(all) => all.map((one) => one.offsetHeight)")) <= 2 * 17


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


def test_the_first_roll_is_one_tap_away(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    page.goto(f"{ann.address}/?rules=extended(start=first_seat)")
    page.get_by_role("button", name="Roll the dice").click()
    page.locator(".felt .cube").first.wait_for()
    record = page.request.get(f"{ann.address}/api/v1/games/{page.url.partition('#')[0][-12:]}/record").text()
    assert re.search(r"Player: rolls", record), record


def test_a_press_is_answered_before_the_server_and_counts_once(visit: Any) -> None:
    ann = visit(PHONE)
    ann.start("standard(start=first_seat)", ("Ann",), dice="system")
    ann.ready()
    ann.page.wait_for_load_state()  # until then the form works without a script
    held: list[Any] = []
    ann.page.route("**/move", lambda route: held.append(route))
    answered = ann.page.evaluate(
        """() => {
          const button = document.querySelector("#throw");
          const place = () => JSON.stringify(button.querySelector("b").getBoundingClientRect());
          const before = place();
          button.click();
          button.click();
          return [button.getAttribute("aria-busy"), place() === before];
        }"""
    )
    assert answered == ["true", True]  # at once, and no label moves
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
    for _ in patiently():
        if page.locator("fieldset.roll").count() and len(ann.keep()[0]) < page.locator(".felt label.die").count():
            break  # hot dice would be lined up
        ann.turn(random.Random(1))
    page.wait_for_load_state()  # the dice have their places only when the style sheet has come
    lying = """() => [...document.querySelectorAll('.felt label.die')].map((die) =>
      [die.className, die.firstChild.value, die.getBoundingClientRect().x].join())"""
    was = page.evaluate(lying)
    page.locator("#take-all").click()
    assert page.locator("#roll[aria-disabled=false]").count() == 1
    assert page.evaluate(lying) == was
    page.keyboard.press("a")
    assert page.locator("fieldset.roll :checked").count() == 0
    page.reload()
    ann.ready()
    page.wait_for_load_state()
    assert page.evaluate(lying) == was
    page.evaluate(PRESSED, ["к", "KeyR"])
    page.evaluate(PRESSED, ["Shift", "ShiftLeft"])
    assert page.locator("#roll[aria-disabled=false]").count() == 0
    page.evaluate(PRESSED, ["ش", "KeyA"])  # in the place of A on an Arabic keyboard
    assert page.locator("#roll[aria-disabled=false]").count() == 1


def test_each_tip_of_the_first_game_is_shown_once(visit: Any) -> None:
    ann = visit(PHONE)
    page = ann.page
    tips: list[list[str]] = []
    for _ in range(2):
        seen = set()
        ann.start("standard(start=first_seat,entry=0)", ("Ann",), dice="system")
        ann.ready()
        page.wait_for_load_state()
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
    ann = visit(PHONE)  # who wants less motion may want sound
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
    for _ in patiently():
        if page.evaluate("window.buzzed.length") > before:
            break
        ann.turn(random.Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["build-on", "original"])
def test_axe_finds_nothing_in_any_state_of_a_turn(visit: Any, rules: str) -> None:
    ann = visit(PHONE)
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
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                assert findings(page) == [], (state, scheme)
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
        "/rules/minute?rules=original",
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
        page.goto(table + path, timeout=LONG)  # the first review compiles machine code
        fits()


def test_the_names_of_settings_are_whole_on_a_phone(visit: Any) -> None:
    ann = visit(SMALL)
    ann.page.goto(ann.address)
    ann.page.get_by_role("button", name="Settings").click()
    ann.page.locator("#help").wait_for()
    lines = """([label]) => {
      const name = document.createRange();
      name.selectNode(label.firstChild);
      return name.getClientRects().length;
    }"""
    assert ann.page.locator("#help label:has(select)").evaluate_all(lines) == 1


def test_the_settings_of_the_start_page_are_those_of_the_table(visit: Any) -> None:
    from playwright.sync_api import expect

    ann = visit(PHONE)
    page = ann.page
    page.goto(ann.address)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Left hand").check()
    page.get_by_label("Sound").check()
    page.get_by_label("Colours").select_option("dark")
    assert page.locator("html").get_attribute("data-scheme") == "dark"
    assert findings(page) == []
    page.get_by_role("button", name="Close").click()
    ann.start("minimal")
    ann.ready()
    assert page.locator("html").get_attribute("data-hand") == "left"
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Settings and keys").click()
    expect(page.get_by_label("Left hand")).to_be_checked()
    expect(page.get_by_label("Sound")).to_be_checked()
    expect(page.get_by_label("Dice roll and move")).to_be_checked()
    expect(page.get_by_label("Colours")).to_have_value("dark")


def test_dice_show_to_the_others_as_they_are_chosen(visit: Any) -> None:
    from playwright.sync_api import expect

    ann, ben = visit(PHONE), visit(DESKTOP)
    ann.start("minimal(start=first_seat)", way="own", dice="system")
    ann.ready("lobby")
    ben.sit(ann.page.locator(".each .links input").first.input_value())
    ben.ready("lobby")
    ann.page.locator("#seats .row", has_text="is here").wait_for()
    ann.press("#begin")
    ben.ready()
    for _ in range(30):
        ann.page.locator("#throw").click()
        ann.page.locator("#waits, fieldset.roll").wait_for()
        if ann.page.locator("fieldset.roll").count():
            break
        ben.turn(random.Random(1))
        ann.page.locator("#throw").wait_for()
    number = ann.number
    dice = ann.page.locator("fieldset.roll input")
    picked = ben.page.locator(f"#board[data-number='{number}'] .die.picked")
    dice.first.check()
    expect(picked).to_have_count(1)
    assert picked.get_attribute("data-face") == dice.first.get_attribute("value")
    dice.first.uncheck()
    expect(picked).to_have_count(0)
    ann.page.keyboard.press("a")
    expect(picked).to_have_count(ann.page.locator("fieldset.roll input:checked").count())
    assert ann.number == number  # nothing of it is stored
    ann.press("#roll")
    ben.page.locator(f"#board:not([data-number='{number}'])").wait_for()
    expect(ben.page.locator(".die.picked")).to_have_count(0)
