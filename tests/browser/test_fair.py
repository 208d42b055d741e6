"""What the page of a finished game says of its dice, and the words that it gave for them."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx

from browser_helpers import PHONE, play_out
from farkel.dice import commitment, derive
from serving import HANG
from web_helpers import bearer

SECRET = bytes(range(32))
CHECK = "async (given) => (await import('/static/verify.js')).check(...given)"
LATE = """
// What the page does on purpose is answered only once its board shows it: the other way round than usual.
window.sent = [];
let given = 0;
globalThis.newWord = () => `word-${given++}`; // another one each time
const real = window.fetch;
window.fetch = async (address, options) => {
  const answer = await real(address, options);
  if (!String(address).endsWith("/moves")) return answer;
  const { number = 0 } = await answer.clone().json();
  const { move } = JSON.parse(options.body);
  window.sent.push([move.do, move.seat, move.word].filter((one) => one !== undefined).join(" "));
  const shows = () => Number(document.getElementById("board").dataset.number) >= number;
  await new Promise((done) => {
    const look = () => { if (shows()) done(); };
    document.addEventListener("htmx:after:swap", look);
    look();
  });
  return answer;
};
"""


def game_of(url: str) -> str:
    return url.partition("/g/")[2][:12]


def kept(page: Any, game: str, seat: int) -> dict[str, Any] | None:
    """The word that the browser keeps for the seat."""
    found = page.evaluate("name => localStorage.getItem(name)", f"farkel-word-{game}-{seat}")
    return json.loads(found) if found else None


def played(words: list[str], *, seats: list[int] | None = None, before: list[dict[str, Any]] | None = None) -> Any:
    """The events of a game whose dice follow from the words of these seats."""
    given = [{"kind": "word", "seat": seat} for seat in (range(len(words)) if seats is None else seats)]
    rolls = [derive(SECRET, tuple(words), index, dice) for index, dice in enumerate((1, 1, 6, 4, 2, 6))]
    events = [*(given if before is None else before), {"kind": "start", "words": words}]
    events += [{"kind": "move", "text": f"Ann: rolls {' '.join(map(str, roll))} ; farkle"} for roll in rolls]
    events += [{"kind": "move", "text": f"secret {SECRET.hex()}"}]
    return [{"number": number, **event} for number, event in enumerate(events, 1)]


def test_each_seat_gives_one_word_in_order_however_late_the_answers_are(visit: Any) -> None:
    ann = visit()
    ann.context.add_init_script(LATE)
    ann.start("minimal(target=300,entry=0)", ("Ann", "Ben", "Cleo", "Dora"))
    ann.ready()
    assert ann.page.evaluate("window.sent") == [*(f"word {seat} word-{seat}" for seat in range(4)), "start"]
    assert ann.page.locator("#notice").text_content() == ""
    game = game_of(ann.page.url)
    assert [kept(ann.page, game, seat) for seat in range(4)] == [
        {"word": f"word-{seat}", "number": seat + 1} for seat in range(4)
    ]
    play_out([ann], random.Random(3))
    said = ann.page.locator("#verify.verified").text_content()
    assert "in its place: “word-0” and “word-1” and “word-2” and “word-3”." in said


def test_the_browser_rolls_the_same_dice_and_notices_others(visit: Any) -> None:
    ann = visit()
    page = ann.page
    page.goto(f"{ann.address}/offline")
    words = ["Räuber 🎲", 'a "word"']
    events, fixed = played(words, seats=[0, 2]), commitment(SECRET)
    assert page.evaluate(CHECK, [events, fixed, fixed]) == {"rolls": 6, "mixed": [], "asks": [], "wrong": []}
    assert "not the one" in page.evaluate(CHECK, [events, fixed, "0" * 64])["wrong"][0]
    assert "does not fit" in page.evaluate(CHECK, [events, "0" * 64, None])["wrong"][0]
    assert page.evaluate(CHECK, [events[:-1], fixed, fixed])["wrong"]
    for own in ({"0": words[0]}, {"2": words[1]}, {"0": words[0], "2": words[1]}):
        for number in (0, 1, 2):
            given = {seat: {"word": word, "number": number} for seat, word in own.items()}
            found = page.evaluate(CHECK, [events, fixed, fixed, given])
            assert (found["wrong"], found["asks"], found["mixed"]) == ([], [], [*own.values()])
    for other, said in (
        ({"0": {"word": words[1], "number": 1}}, "for seat 1, and “Räuber 🎲” is mixed"),
        ({"2": {"word": "hop", "number": 2}}, 'for seat 3, and “a "word"” is mixed'),
        ({"1": {"word": "hop", "number": 2}}, "for seat 2, and no word of that seat is mixed"),
    ):
        assert said in page.evaluate(CHECK, [events, fixed, fixed, other])["wrong"][0]
    assert "1 seats gave a word" in page.evaluate(CHECK, [events[1:], fixed, fixed])["wrong"][0]
    events[6]["text"] = "Ann: rolls 1 1 1 1"
    assert "Roll 4" in page.evaluate(CHECK, [events, fixed, fixed])["wrong"][0]


def test_nothing_is_called_wrong_that_others_may_do(visit: Any) -> None:
    ann = visit()
    page = ann.page
    page.goto(f"{ann.address}/offline")
    fixed = commitment(SECRET)

    def found(events: Any, **own: Any) -> Any:
        return page.evaluate(CHECK, [events, fixed, fixed, {seat[1:]: one for seat, one in own.items()}])

    # Twenty seats: the tenth follows the second.
    words = [f"word {seat}" for seat in range(20)]
    own = {f"s{seat}": {"word": word, "number": seat + 1} for seat, word in enumerate(words)}
    assert found(played(words), **own) == {"rolls": 6, "mixed": words, "asks": [], "wrong": []}

    # A bot between two seats goes, and the seat after it moves up and gives its word again; later another seat comes.
    before: list[dict[str, Any]] = [{"kind": "word", "seat": seat} for seat in (0, 2)]
    before += [{"kind": "plan", "seats": [], "first": 1}, {"kind": "word", "seat": 1}]
    moved = found(
        played(["a", "c"], before=before), s0={"word": "a", "number": 1}, s1={"word": "c", "number": 4},
        s2={"word": "b", "number": 2},
    )  # fmt: skip
    assert moved == {"rolls": 6, "mixed": ["a", "c"], "asks": [], "wrong": []}
    before += [{"kind": "plan", "seats": [], "first": 2}, {"kind": "word", "seat": 2}]
    joined = found(played(["a", "c", "of another"], before=before), s2={"word": "b", "number": 2})
    assert (joined["wrong"], joined["asks"]) == ([], [])

    # A word is changed on another device, or its answer never came.
    before = [{"kind": "word", "seat": 0}, {"kind": "word", "seat": 0}]
    changed = found(played(["other"], before=before), s0={"word": "a", "number": 1})
    assert changed["wrong"] == []
    assert "another device changed it to “other”" in changed["asks"][0]
    unsure = found(played(["other"], seats=[0]), s0={"word": "a", "number": 0}, s1={"word": "b", "number": 0})
    assert (unsure["wrong"], unsure["asks"], unsure["mixed"]) == ([], [], [])


def test_the_page_finds_its_own_word_among_those_mixed_in(visit: Any) -> None:
    ann, ben = visit(), visit(PHONE)
    ann.start("minimal(target=500,entry=0)", way="own")
    ann.ready("lobby")
    ben.page.goto(ann.page.locator("#invitation").input_value())
    ben.page.get_by_label("Your name").fill("Ben")
    ben.page.get_by_role("button", name="Take a seat").click()
    ben.ready("lobby")
    ben.page.locator("details.fair > summary").click()
    ben.page.locator("input[data-given='1']").fill("  two   words ")
    ben.press("form.word button")
    ann.page.locator(f"#board[data-number='{ben.number}']").wait_for()
    ann.press("#begin")
    ben.ready()
    play_out([ann, ben], random.Random(5))
    assert (
        "What this browser gave for the dice is among them, in its place: “two words”."
        in ben.page.locator("#verify.verified").text_content()
    )
    assert "in its place: “" in ann.page.locator("#verify.verified").text_content()
    game = game_of(ann.page.url)
    word = kept(ann.page, game, 0)
    assert word
    other = json.dumps(word | {"word": "another"})
    ann.page.evaluate("given => localStorage.setItem(...given)", [f"farkel-word-{game}-0", other])
    ann.page.reload()
    warned = ann.page.locator("#verify.wrong").text_content()
    assert "This browser gave the word “another” for seat 1" in warned
    assert "not to be trusted" in warned


def test_a_word_of_the_start_page_belongs_to_the_game_that_it_opened(visit: Any) -> None:
    ann = visit(PHONE, service_workers="block")  # which hides what the page asks for
    page = ann.page
    page.goto(ann.address)
    page.route(f"{ann.address}/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Roll the dice").click(no_wait_after=True)
    page.unroute(f"{ann.address}/")
    given = {"rules": "standard", "seats": [{"name": name, "who": "far"} for name in ("Ann", "Ben")]}
    opened = httpx.post(f"{ann.address}/api/v1/games", json=given, timeout=HANG).json()
    said = {"move": {"do": "word", "seat": 0, "word": "hers"}}
    moves = f"{ann.address}/api/v1/games/{opened['game']}/moves"
    assert httpx.post(moves, json=said, headers=bearer(opened["seats"]["0"]), timeout=HANG).status_code == 200
    ann.sit(f"{ann.address}/s/{opened['seats']['0']}")
    ann.ready("lobby")
    page.wait_for_load_state()
    assert kept(page, opened["game"], 0) is None  # this browser has given none there
    page.goto(ann.address)
    page.get_by_role("button", name="Roll the dice").click()
    ann.ready()
    page.wait_for_load_state()
    assert kept(page, game_of(page.url), 0) == {"word": "word-0", "number": 1}
    assert "#" not in page.url
