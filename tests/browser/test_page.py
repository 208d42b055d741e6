"""The page as a folder, below a path of a site that serves files and nothing else, in Chromium."""

from __future__ import annotations

import asyncio
import html
import json
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from browser_helpers import CHROMIUM, DESKTOP, findings, play_out
from farkel.page.host import Host, Request
from farkel.page.opening import opened
from farkel.page.visit import ask
from farkel.web.game.given import Inline
from page_database import PageDatabase
from page_folder import PLACE, Inside, Profile, Site, changed, newer
from seeded import program

SHORT = "standard(target=500)"
AT_ONCE = "standard(start=first_seat)"
"""Ann rolls first, without a throw for it."""
DATABASE = f"farkel /{PLACE}/"
SECURE_ONLY = "Farkel plays only at an address that begins with https:// (or at localhost). Open it there."
DAMAGE = """([name, game]) => new Promise((done) => {
  indexedDB.open(name).onsuccess = ({ target: { result: base } }) => {
    const change = base.transaction("events", "readwrite");
    change.objectStore("events").delete([game, 2]);
    change.oncomplete = () => { base.close(); done(1); };
  };
})"""
"""Lose the second event of a game."""
MARK = "() => getComputedStyle(document.documentElement).getPropertyValue('--newer')"
WAITS = """() => navigator.serviceWorker.getRegistration().then((one) => new Promise((done) => {
  const look = () => {
    if (one.waiting) done(1);
    else if (one.installing) one.installing.addEventListener("statechange", look, { once: true });
    else one.addEventListener("updatefound", look, { once: true });
  };
  look();
}))"""
"""Return when a newer version waits."""
ROLL = """([address, number, name]) => fetch(`${address}/move`, {
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", "hx-request": "true" },
  body: new URLSearchParams({ do: "roll", seen: number, request: name }),
}).then(async (answer) => [answer.status, await answer.text()])"""
"""What a press of *Roll* sends, and the answer."""


FILL = """async ([address, name, changes, cookies]) => {
  const { Database } = await import(address);
  const database = new Database({ name });
  await database.write(changes);
  await database.keep("cookies", new TextEncoder().encode(cookies));
  await database.close();
}"""
"""Let the browser have these games."""
FETCH = """async (targets) => {
  const found = {};
  for (const [target, address] of targets) {
    found[target] = await (await fetch(address, { headers: { accept: "text/html" } })).text();
  }
  return found;
}"""
PAGES = (
    *("/new", "/new?way=real", "/rules", "/rules?search=lives", "/rules/edit?rules=build-on", "/rules/file", "/kept"),
    *("/rules/sheet?rules=original", "/?rules=standard(target=500)", "/nothing"),
)
GAMES = (
    {"dice": "committed", "rules": "original(target=1000)"},
    {"dice": "system", "rules": "standard(target=1000)"},
    {"way": "real", "rules": "standard(start=first_seat,target=2000)"},
)


async def on_a_server(origin: str) -> tuple[str, str, dict[str, str]]:
    """Play whole games.

    Returns what a database has of them after each event, the cookies, and the pages as a server has them.
    """
    played = PageDatabase()
    host = await opened(played, f"/{PLACE}/", Inline())
    for chosen in GAMES:
        form = {"way": "one", "who-0": "here", "who-1": "here", "name-0": "Ann", "name-1": "Ben", **chosen}
        address = dict((await ask(host, "POST", "/", form)).headers)["location"]
        if chosen.get("dice") == "committed":
            for one in ("word", "word", "start"):
                await ask(host, "POST", f"{address}/move", {"do": one, "seat": "0", "word": "hop"}, part=True)
        await play(host, address)
    copies, kept = copied(played, host.cookies.as_kept())
    await host.end()
    there = PageDatabase()
    await there.write(copies)
    there.kept["cookies"] = kept.encode()
    host = await opened(there, f"/{PLACE}/", Inline())
    targets = [*PAGES, *(f"/g/{game}" for game in there.games)]
    shown = {}
    for target in targets:
        answer = await host.answer(Request("GET", origin, target, [("accept", "text/html")]))
        assert answer is not None
        shown[target] = answer.body.decode()
    await host.end()
    return copies, kept, shown


async def play(host: Host, address: str) -> None:
    """Play a game to its end."""
    board = await ask(host, "GET", address)
    for move in range(1_000):
        text = board.body.decode()
        number = re.search(r'data-number="(\d+)"', text)
        assert number is not None
        form: dict[str, Any] = {"do": "fresh" if 'data-key="f"' in text else "roll"}
        if 'id="do-note"' in text:
            form = {"do": "note", "points": "500", "dice": ""}
        elif keeps := re.search(r'data-keeps="([^"]*)"', text):
            one = next(one for one in json.loads(html.unescape(keeps[1])) if not (one["bank"] and one["roll"]))
            form = {"do": "keep", "dice": one["dice"], "then": "roll" if one["bank"] else "bank"}
        sent = {**form, "seen": number[1], "request": f"move-number-{move}"}
        board = await ask(host, "POST", f"{address}/move", sent, part=True)
        if 'id="over-title"' in board.body.decode():
            return
    raise AssertionError("the game has no end")


def copied(played: PageDatabase, cookies: Mapping[str, str]) -> tuple[str, str]:
    """Changes that write each game as it was after each event, as a game of its own; and the cookies for them."""
    heads, events, kept = list[Any](), list[Any](), dict[str, str]()
    for game, head in played.games.items():
        rows = [row for (of, _), row in sorted(played.lines.items()) if of == game]
        for number in range(len(rows) + 1):
            name = f"{len(heads):0>12}"
            heads.append({**head, "game": name, "number": number, "over": False, "due": None})
            events += [[name, *row] for row in rows[:number]]
            own = f"/g/{game} "
            kept |= {
                f"/g/{name} {one.removeprefix(own)}": value for one, value in cookies.items() if one.startswith(own)
            }
    return json.dumps({"drop": [], "add": heads, "put": [], "events": events}), json.dumps(kept)


def once(text: str) -> str:
    """A page without the names that it is given each time."""
    return re.sub(r'(name="request" value=")[^"]*', r"\1", text)


def verified(record: Path) -> str:
    """What ``farkel verify`` says of a record."""
    command = [sys.executable, *program(), "verify", str(record)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def saved(ann: Inside, pressed: Any, into: Path) -> Path:
    """What a link or a button gives as a file."""
    with ann.tab.expect_download() as download:
        pressed.click()
    found = into / str(download.value.suggested_filename)
    download.value.save_as(found)
    return found


def begun(ann: Inside, rules: str = AT_ONCE) -> None:
    """Start a game of Ann's own, in which she chooses from her first roll."""
    ann.arrive()
    ann.start(rules, ("Ann", "Ben"), dice="system")
    ann.ready()
    ann.until_a_choice(random.Random(1))


def against_bots(ann: Inside, generator: random.Random) -> None:
    """Play until the game is over. Bots take their time."""
    while not ann.over:
        number = ann.number
        if not ann.turn(generator):
            ann.past(number)


def test_a_game_for_two_is_played_saved_and_still_there_without_the_server(
    visits: Any, folder_site: Site, tmp_path: Path
) -> None:
    ann = visits()
    ann.arrive()
    ann.start(SHORT)
    ann.ready()
    play_out([ann], random.Random(1))
    assert "Verified in this browser" in ann.page.locator("#verify.verified").text_content()
    record = saved(ann, ann.page.get_by_role("link", name="Download the record"), tmp_path)
    assert record.suffix == ".farkel"
    assert "rolls follow from the secret committed to before the game" in verified(record)
    ann.kept()
    number, ending = ann.number, ann.page.locator(".ending").text_content()
    folder_site.stop()
    ann.reload()
    assert ann.number == number
    assert ann.page.locator(".ending").text_content() == ending
    folder_site.start()


# Playing --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_pressed_before_python_has_come_opens_one_game_against_a_bot(visits: Any) -> None:
    ann = visits(DESKTOP)
    ann.arrive("?rules=standard(target=1000)")
    # As one call: between two of them the page may go, and its button with it.
    ann.page.get_by_role("button", name="Roll the dice").dblclick(no_wait_after=True)
    ann.ready()
    assert findings(ann.page) + findings(ann.tab) == []
    against_bots(ann, random.Random(1))
    assert "Verified in this browser" in ann.page.locator("#verify.verified").text_content()
    ann.arrive()
    ann.page.locator("#my-games li").first.wait_for()
    assert ann.page.locator("#my-games li").count() == 1
    assert "won" in ann.page.locator("#my-games li").text_content()


@pytest.mark.slow
def test_real_dice_are_thrown_noted_corrected_and_refused(visits: Any) -> None:
    ann = visits()
    ann.arrive()
    ann.start("standard(entry=0)", way="real")
    ann.ready()
    for face in "63":
        ann.page.locator("form.throw input[name=faces]").fill(face)
        ann.press("form.throw button.primary")
    points = ann.page.locator("#do-note input[name=points]")
    points.fill("350")
    ann.press("#bank")
    points.fill("35")
    ann.page.locator("#bank").click()
    ann.page.locator("[role=alert] p").first.wait_for()
    assert ann.page.locator(".seat-1 .score").text_content() == "0"
    points.fill("500")
    ann.press("#bank")
    ann.page.locator("#paper a").first.click()
    ann.page.locator("#correcting input[name=points]").fill("400")
    ann.press("#correcting button.good")
    assert ann.page.locator(".seat-0 .score").text_content() == "400"
    ann.page.get_by_role("button", name="Roll by roll").click()
    ann.page.locator("form.throw input[name=faces]").fill("112344")
    ann.press("form.throw button.primary")
    assert ann.page.locator("fieldset.roll .die").count() == 6


@pytest.mark.slow
def test_rules_are_read_changed_and_played(visits: Any) -> None:
    ann = visits()
    ann.arrive()
    ann.controlled()
    ann.arrive("rules")
    assert findings(ann.page) == []
    ann.page.locator("a[href$='/rules/sheet?rules=original']").first.click()
    ann.page.get_by_role("link", name="Play these rules").wait_for()
    ann.arrive("rules/edit?rules=standard")
    ann.page.locator("#editor[data-htmx-powered]").wait_for()
    ann.page.locator("#target").fill("600")
    ann.page.locator("#standing", has_text="1 rule differs from Standard Farkle").wait_for()
    ann.page.get_by_role("link", name="Play them").click()
    ann.page.locator("#rules-title").filter(has_text="to 600").wait_for()
    ann.tab.wait_for_url(ann.page.url)
    ann.page.get_by_role("link", name="Friends here").click()
    ann.page.get_by_role("button", name="Play", exact=True).click()
    ann.ready()
    play_out([ann], random.Random(1))
    ann.page.get_by_role("link", name="Look at the dice").click()
    ann.page.locator("#statistics table").first.wait_for()


@pytest.mark.slow
def test_everything_is_saved_removed_and_taken_back(visits: Any, tmp_path: Path) -> None:
    ann = visits()
    begun(ann)
    number, game = ann.number, ann.page.url
    ann.arrive("kept")
    assert findings(ann.page) == []
    everything = saved(ann, ann.page.get_by_role("button", name="Save all", exact=True), tmp_path)
    ann.page.get_by_role("link", name="Remove all games").click()
    ann.page.get_by_role("button", name="Remove all games").click()
    ann.page.get_by_text("There are no games yet.").wait_for()
    ann.page.locator("#record").set_input_files(everything)
    ann.page.get_by_role("button", name="Open a file").click()
    ann.page.locator("#kept-games a").first.click()
    ann.ready()
    assert (ann.page.url, ann.number) == (game, number)
    ann.turn(random.Random(1))
    assert int(ann.number) > int(number)


@pytest.mark.slow
def test_pages_and_boards_are_those_of_the_server(visits: Any) -> None:
    ann = visits()
    origin = ann.address.rsplit("/", 2)[0]
    with ThreadPoolExecutor() as pool:  # Playwright has an event loop here
        changes, cookies, shown = pool.submit(asyncio.run, on_a_server(origin)).result()
    ann.tab.goto(f"{ann.address}/database.mjs")
    ann.tab.evaluate(FILL, [f"{ann.address}/database.mjs", DATABASE, changes, cookies])
    ann.arrive()
    ann.controlled()
    ann.python()
    found = ann.page.evaluate(FETCH, [[target, ann.address + target] for target in shown])
    for target, text in shown.items():
        assert once(found[target]) == once(text), target
    assert len(shown) > 40


# Without the server, and several tabs ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_browser_that_starts_again_without_the_server_plays_on(
    browser: Any, visits: Any, folder_site: Site, tmp_path: Path
) -> None:
    profile = Profile(browser, tmp_path / "profile")
    ann = visits(of=profile)
    begun(ann)
    ann.kept()
    number, game = ann.number, ann.page.url.removeprefix(folder_site.address)
    ann.close()
    folder_site.stop()
    ann = visits(of=profile)
    ann.arrive(game.removeprefix("/"))
    ann.ready()
    assert ann.number == number
    ann.turn(random.Random(1))
    ann.arrive()
    ann.page.locator("#my-games li").first.wait_for()
    ann.page.get_by_role("button", name="Roll the dice").click()
    ann.ready()
    for path in ("new", "rules", "rules/edit?rules=standard", "rules/sheet?rules=standard", "kept"):
        ann.arrive(path)
        assert ann.page.locator("h1, #editor").count()
    folder_site.start()


@pytest.mark.slow
def test_a_second_tab_follows_and_plays_on_when_the_first_is_closed(visits: Any) -> None:
    ann, generator = visits(), random.Random(1)
    begun(ann)
    first, path = ann.tab, ann.page.url.removeprefix(f"{ann.address}/")
    ann.arrive(path, ann.context.new_page())
    second = ann.tab
    ann.ready()
    ann.tab = first
    ann.turn(generator)
    number = ann.number
    ann.tab = second
    ann.page.locator(f"#board[data-number='{number}']").wait_for()
    first.close()
    ann.python()
    while ann.turn(generator) and int(ann.number) < int(number) + 3:
        pass
    third = ann.context.new_page()
    ann.arrive(path, third)
    ann.ready()
    ann.turn(generator)
    number, ann.tab = ann.number, second
    ann.page.locator(f"#board[data-number='{number}']").wait_for()  # its stream was opened again


@pytest.mark.slow
def test_of_two_tabs_that_press_at_once_one_is_refused(visits: Any) -> None:
    ann = visits()
    ann.arrive()
    ann.start(AT_ONCE, ("Ann",), dice="system")
    ann.ready()
    number, first = int(ann.number), ann.page
    ann.arrive(ann.page.url.removeprefix(f"{ann.address}/"), ann.context.new_page())
    ann.ready()
    begins = f"(given) => {{ globalThis.sent = ({ROLL})(given); }}"
    address = first.url.partition("#")[0]
    for frame, name in ((first, "press-of-one"), (ann.page, "press-of-two"), (ann.page, "press-of-two")):
        frame.evaluate(begins, [address, str(number), name])
    answers = [frame.evaluate("globalThis.sent") for frame in (first, ann.page)]
    assert sorted(status for status, _ in answers) == [200, 409]
    assert any("moved on" in text for _, text in answers)
    ann.page.locator(f"#board[data-number='{number + 1}']").wait_for()


# What may happen meanwhile --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_reload_and_a_stopped_service_worker_in_the_middle_of_a_turn_change_nothing(visits: Any) -> None:
    ann, generator = visits(), random.Random(1)
    begun(ann)
    number = ann.number
    ann.reload()
    assert ann.number == number
    assert ann.page.locator("fieldset.roll").count() == 1
    tools = ann.files()
    tools.send("ServiceWorker.enable")
    for _ in range(2):
        tools.send("ServiceWorker.stopAllWorkers")
        number = ann.number
        assert ann.turn(generator)
        assert int(ann.number) > int(number)


@pytest.mark.slow
def test_a_new_version_waits_for_the_next_start_and_is_never_mixed_with_the_old_one(
    browser: Any, visits: Any, folder_site: Site, folder: Path, tmp_path: Path
) -> None:
    profile = Profile(browser, tmp_path / "profile")
    ann = visits(of=profile)
    begun(ann)
    ann.kept()
    path = ann.page.url.removeprefix(f"{ann.address}/")
    folder_site.serves(newer(folder, tmp_path / "newer"))
    ann.reload()  # asks the site for a newer version
    ann.tab.evaluate(WAITS)
    ann.python()
    assert ann.page.evaluate(MARK) == ""
    assert ann.turn(random.Random(1))
    ann.arrive()
    assert ann.page.evaluate(MARK) == ""
    number = ann.page.evaluate(f"fetch('{ann.address}/{path.partition('#')[0]}/board').then((found) => found.status)")
    assert number == 200
    ann.close()
    ann = visits(of=profile)
    ann.arrive(path)
    ann.ready()
    assert ann.page.evaluate(MARK) == "1"
    assert ann.turn(random.Random(1))
    ann.kept()
    names = ann.tab.evaluate("caches.keys()")
    assert len(names) == 2, names
    files = ann.tab.evaluate(
        f"caches.open('{DATABASE} py').then((one) => one.keys()).then((all) => all.map((a) => a.url))"
    )
    assert all("/py/newer-" in file for file in files)
    assert len(files) == 4


@pytest.mark.slow
def test_full_storage_refuses_a_move_and_the_game_goes_on_when_there_is_room(
    browser: Any, visits: Any, folder_site: Site, tmp_path: Path
) -> None:
    profile = Profile(browser, tmp_path / "profile")
    ann = visits(of=profile)
    begun(ann)
    ann.kept()
    number, path = ann.number, ann.page.url.removeprefix(f"{ann.address}/")
    ann.close()  # a browser that runs remembers for a while that there was room
    ann, origin = visits(of=profile), {"origin": folder_site.address.rsplit("/", 2)[0]}
    tools = ann.files()
    tools.send("Storage.overrideQuotaForOrigin", {**origin, "quotaSize": 1})
    ann.arrive(path)
    ann.ready()
    dice, then = ann.keep()
    ann.choose(dice)
    ann.page.locator(f"button[name=then][value={then}]").click()
    ann.page.get_by_text("this browser has no room left for Farkel").wait_for()
    assert ann.number == number
    tools.send("Storage.overrideQuotaForOrigin", origin)
    ann.press(f"button[name=then][value={then}]")


@pytest.mark.slow
def test_a_game_that_the_browser_deletes_in_play_is_said_to_be_gone(visits: Any, folder_site: Site) -> None:
    ann = visits()
    begun(ann)
    number = ann.number
    types = {"origin": folder_site.address.rsplit("/", 2)[0], "storageTypes": "indexeddb"}
    ann.files().send("Storage.clearDataForOrigin", types)
    dice, then = ann.keep()
    ann.choose(dice)
    ann.page.locator(f"button[name=then][value={then}]").click()
    ann.page.get_by_text("this game has been deleted from this browser").wait_for()
    assert ann.number == number
    ann.start(AT_ONCE)
    ann.ready()


@pytest.mark.slow
def test_a_damaged_game_says_so_and_leaves_the_others_alone(visits: Any, tmp_path: Path) -> None:
    ann = visits()
    begun(ann)
    address = ann.page.url.partition("#")[0]
    game = address[-12:]
    ann.start(AT_ONCE)
    ann.ready()
    ann.page.evaluate(DAMAGE, [DATABASE, game])
    ann.arrive(address.removeprefix(f"{ann.address}/"))
    ann.page.get_by_text("this game is damaged: event 2 is missing").wait_for()
    ann.arrive("kept")
    ann.page.locator(f"[data-game='{game}']").get_by_text("is damaged").wait_for()
    assert ann.page.locator("[data-game]").count() == 2
    left = saved(ann, ann.page.locator(f"[data-game='{game}'] a[href$='/file']"), tmp_path)
    assert left.stat().st_size


# Browsers and folders in which it cannot start ------------------------------------------------------------------------


def said(ann: Inside) -> str:
    """What the shell says."""
    ann.tab.locator("#note[role=alert]").wait_for()
    assert findings(ann.tab) == []
    return str(ann.tab.locator("#said").text_content())


@pytest.mark.slow
def test_an_address_without_https_is_refused_with_a_reason(browser: Any, folder_site: Site) -> None:
    rules = "--host-resolver-rules=MAP farkel.test 127.0.0.1"
    other = browser.browser_type.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", rules])
    ann = Inside(other, folder_site.address.replace("127.0.0.1", "farkel.test"))
    ann.arrive()
    assert said(ann) == SECURE_ONLY
    ann.page.get_by_role("button", name="Roll the dice").click()
    assert said(ann) == SECURE_ONLY
    assert ann.complaints == []
    other.close()


@pytest.mark.slow
def test_a_browser_that_cannot_unpack_is_refused_with_a_reason(visits: Any) -> None:
    ann = visits()
    ann.context.add_init_script("delete globalThis.DecompressionStream")
    ann.arrive()
    assert said(ann) == "This browser is too old for Farkel. Update it, or open this page in another one."


@pytest.mark.slow
def test_a_browser_without_webassembly_is_refused_with_a_reason(
    visits: Any, folder_site: Site, folder: Path, tmp_path: Path
) -> None:
    refuses = "WebAssembly.compile = () => Promise.reject(new Error('refused'));\n"
    folder_site.serves(changed(folder, tmp_path / "refuses", lambda folder, about: None, refuses))
    ann = visits()
    ann.arrive()
    assert "doesn’t let this page run WebAssembly" in said(ann)


@pytest.mark.slow
def test_a_start_that_fails_says_why_and_can_be_tried_again(
    visits: Any, folder_site: Site, folder: Path, tmp_path: Path
) -> None:
    def lose(folder: Path, about: dict[str, Any]) -> None:
        (folder / "py" / about["files"]["pack"][0]).unlink()

    folder_site.serves(changed(folder, tmp_path / "incomplete", lose))
    ann = visits()
    ann.arrive()
    assert "isn’t in its folder (404)" in said(ann)
    ann.page.get_by_role("button", name="Roll the dice").click()
    folder_site.serves(folder)
    ann.tab.get_by_role("button", name="Try again").click()
    ann.python()
    ann.page.get_by_role("button", name="Roll the dice").click()
    ann.ready()
