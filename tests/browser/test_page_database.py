"""What the page keeps in the browser: `shell/database.mjs` in Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error as PlaywrightError

import farkel.page
from browser_helpers import WAIT
from serving import patiently

SHELL = Path(farkel.page.__file__).parent / "shell"
ORIGIN = "http://farkel.test"
GAME, OTHER = "a" * 12, "b" * 12
PAGE = """<!doctype html><title>-</title><script type="module">
import * as module from "/database.mjs";
Object.assign(globalThis, module);
globalThis.database = new Database({ replaced: () => { document.title = "replaced"; } });
document.title = "ready";
globalThis.said = async (work) => { try { return (await work()) ?? null; } catch (error) { return error.name; } };
globalThis.head = (number, game = "a".repeat(12)) => ({ game, number });
globalThis.rows = (first, last, game = "a".repeat(12), request = null) => Array.from({ length: last - first + 1 },
  (_, place) => [game, first + place, 5, "move", `text ${first + place}`, place ? null : request]);
globalThis.write = (changes) => said(() => database.write(JSON.stringify(changes)));
</script>"""


class Tab:
    """A page that has the database."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.goto(f"{ORIGIN}/")
        page.wait_for_function("document.title === 'ready'")

    def do(self, script: str) -> Any:
        """Return what a script gives, or the name of the failure."""
        return self.page.evaluate(f"said(async () => {script})")

    def write(self, **changes: str) -> Any:
        """Write what these expressions give."""
        return self.page.evaluate(f"write({{ {', '.join(f'{name}: {text}' for name, text in changes.items())} }})")

    def numbers(self, game: str = GAME) -> list[int]:
        """The numbers of a game's events."""
        return [row[0] for row in json.loads(self.do(f"database.events('{game}', 0)"))["rows"]]


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    """A browser that has kept nothing, and a folder with the module."""
    context = browser.new_context()
    context.set_default_timeout(WAIT)

    def answer(route: Any) -> None:
        if route.request.url.endswith(".mjs"):
            route.fulfill(path=SHELL / "database.mjs", content_type="text/javascript")
        else:
            route.fulfill(body=PAGE, content_type="text/html")

    context.route("**/*", answer)
    yield context
    context.close()


@pytest.fixture
def tab(context: Any) -> Tab:
    tab = Tab(context.new_page())
    assert tab.write(add="[head(0)]") is True
    return tab


def test_events_are_kept_and_read_after_a_number(context: Any, tab: Tab) -> None:
    assert tab.write(put="[head(2)]", events="rows(1, 2, undefined, 'name-of-it')") is True
    assert tab.write(put="[head(3)]", events="rows(3, 3)") is True
    second = Tab(context.new_page())
    assert json.loads(second.do(f"database.events('{GAME}', 1)")) == {
        "there": True,
        "rows": [[2, 5, "move", "text 2", None], [3, 5, "move", "text 3", None]],
    }
    assert json.loads(second.do(f"database.events('{GAME}', 0)"))["rows"][0][4] == "name-of-it"
    assert json.loads(second.do(f"database.events('{OTHER}', 0)")) == {"there": False, "rows": []}
    assert json.loads(second.do("database.heads()")) == [{"game": GAME, "number": 3}]
    assert json.loads(second.do("database.counts()")) == {GAME: 3}


def test_a_write_is_whole_or_has_not_happened(tab: Tab) -> None:
    assert tab.write(put="[head(2)]", events="rows(1, 2, undefined, 'name-of-it')") is True
    assert tab.write(put="[head(2)]", events="rows(2, 2)") is False  # the number is taken
    assert tab.write(put="[head(4)]", events="rows(3, 4, undefined, 'name-of-it')") is False  # it was sent twice
    assert tab.write(put="[head(5)]", events="rows(5, 5)") is False  # two are missing before it
    assert tab.write(add="[head(0)]") is False
    assert tab.write(add=f"[head(1, '{OTHER}')]", events=f"[...rows(1, 1, '{OTHER}'), ...rows(2, 2)]") is False
    assert tab.write(put="[head(3)]", events=f"[['{GAME}', null, 5, 'move', '-', null]]") == "no_database"
    assert json.loads(tab.do("database.heads()")) == [{"game": GAME, "number": 2}]
    assert tab.numbers() == [1, 2]
    assert tab.numbers(OTHER) == []


def test_two_tabs_never_store_the_same_event(context: Any, tab: Tab) -> None:
    other = Tab(context.new_page())
    for page in (tab, other):
        page.page.evaluate(
            """() => { globalThis.racing = (async () => {
              let stored = 0;
              for (let number = 1; number <= 40; number++) {
                stored += await write({ put: [head(number)], events: rows(number, number) });
              }
              return stored;
            })(); }"""
        )
    assert sum(page.page.evaluate("racing") for page in (tab, other)) == len(tab.numbers())
    assert tab.numbers() == [*range(1, len(tab.numbers()) + 1)]


def test_what_was_acknowledged_outlives_a_tab_that_dies_in_the_middle_of_a_write(context: Any, tab: Tab) -> None:
    acknowledged: list[int] = []
    tab.page.expose_function("acknowledged", lambda number: acknowledged.append(number))
    tab.page.evaluate(
        """() => { (async () => {
          for (let number = 3; ; number += 3) {
            await write({ put: [head(number)], events: rows(number - 2, number) });
            acknowledged(number);
          }
        })(); }"""
    )
    while len(acknowledged) < 10:
        tab.page.evaluate("0")
    with tab.page.expect_event("crash"), suppress(PlaywrightError):  # the page never arrives
        tab.page.goto("chrome://crash")
    second = Tab(context.new_page())
    numbers = second.numbers()
    assert numbers == [*range(1, len(numbers) + 1)]
    assert len(numbers) % 3 == 0
    assert len(numbers) >= acknowledged[-1]
    assert json.loads(second.do("database.heads()")) == [{"game": GAME, "number": len(numbers)}]


def test_a_full_browser_refuses_a_write_and_keeps_everything_before_it(context: Any) -> None:
    page = context.new_page()
    inspector = context.new_cdp_session(page)
    inspector.send("Storage.overrideQuotaForOrigin", {"origin": ORIGIN, "quotaSize": 200_000})
    tab = Tab(page)
    assert tab.write(add="[head(1)]", events="rows(1, 1)") is True
    large = f"[['{GAME}', 2, 5, 'move', 'x'.repeat(1000000), null]]"
    assert tab.write(put="[head(2)]", events=large) == "disk_full"
    assert tab.numbers() == [1]
    inspector.send("Storage.overrideQuotaForOrigin", {"origin": ORIGIN})
    assert tab.write(put="[head(2)]", events=large) is True


@pytest.mark.parametrize("how", ["by the browser", "by another tab"])
def test_what_is_deleted_under_its_feet_is_noticed(context: Any, tab: Tab, how: str) -> None:
    assert tab.write(put="[head(1)]", events="rows(1, 1)") is True
    if how == "by the browser":
        types = {"origin": ORIGIN, "storageTypes": "indexeddb"}
        context.new_cdp_session(tab.page).send("Storage.clearDataForOrigin", types)
    else:
        other = Tab(context.new_page())
        other.page.evaluate(
            """() => new Promise((done) => { indexedDB.deleteDatabase("farkel").onsuccess = done; }).then(() => 0)"""
        )
    for _ in patiently():
        said = tab.write(put="[head(2)]", events="rows(2, 2)")
        if said != "no_database":  # as long as the browser is at it
            break
    assert said == "cleared"
    assert json.loads(tab.do("database.heads()")) == []
    assert tab.numbers() == []
    assert tab.write(add="[head(0)]") is True  # and it can be used again


def test_a_newer_version_adds_its_stores_and_the_old_one_lets_go(context: Any, tab: Tab) -> None:
    assert tab.write(put="[head(1)]", events="rows(1, 1)") is True
    newer = Tab(context.new_page())
    newer.page.evaluate(
        "database = new Database({ upgrades: [...UPGRADES, (base, change) => {"
        " base.createObjectStore('more'); change.objectStore('things').put(new Uint8Array([1]), 'upgraded'); }] })"
    )
    assert newer.numbers() == [1]
    assert json.loads(newer.do("database.names()")) == ["upgraded"]
    tab.page.wait_for_function("document.title === 'replaced'")
    assert tab.write(put="[head(2)]", events="rows(2, 2)") == "replaced"
    tab.page.reload()
    tab.page.wait_for_function("document.title === 'ready'")
    assert tab.do("database.heads()") == "newer"
    assert newer.write(put="[head(2)]", events="rows(2, 2)") is True


def test_an_old_tab_that_does_not_let_go_is_named(context: Any, tab: Tab) -> None:
    tab.page.evaluate(
        """() => new Promise((done) => { const asked = indexedDB.open("farkel", 1); asked.onsuccess = () => {
          globalThis.stubborn = asked.result; done(); }; })"""
    )
    newer = Tab(context.new_page())
    newer.page.evaluate("database = new Database({ upgrades: [...UPGRADES, () => {}] })")
    assert newer.do("database.heads()") == "blocked"
    tab.page.evaluate("stubborn.close()")
    assert len(json.loads(newer.do("database.heads()"))) == 1


def test_a_value_that_the_browser_cannot_read_does_not_hide_the_others(tab: Tab) -> None:
    assert tab.write(put="[head(3)]", add=f"[head(0, '{OTHER}')]", events="rows(1, 3)") is True
    tab.page.evaluate(
        """() => {
          const unreadable = () => { throw new DOMException("lost", "NotReadableError"); };
          IDBObjectStore.prototype.getAll = unreadable;
          const real = IDBObjectStore.prototype.get;
          IDBObjectStore.prototype.get = function (key) {
            return key === "b".repeat(12) || key[1] === 2 ? unreadable() : real.call(this, key);
          };
        }"""
    )
    assert [row and row[0] for row in json.loads(tab.do(f"database.events('{GAME}', 0)"))["rows"]] == [1, None, 3]
    assert json.loads(tab.do("database.heads()")) == [
        {"game": GAME, "number": 3},
        {"game": OTHER, "unreadable": True},
    ]


def test_small_things_are_bytes_by_name(context: Any, tab: Tab) -> None:
    assert tab.do("database.keep('cookies', new Uint8Array([0, 255]))") is None
    assert tab.do("database.keep('cookies', { toJs: () => new Uint8Array([7]) })") is None  # Python's bytes
    assert tab.do("database.keep('solved/abc', new Uint8Array(3))") is None
    other = Tab(context.new_page())
    assert json.loads(other.do("database.names()")) == ["cookies", "solved/abc"]
    assert other.do("database.thing('cookies').then((found) => [...found])") == [7]
    other.do("database.forget('cookies')")
    assert tab.do("database.thing('cookies')") is None


def test_games_are_dropped_with_their_events(tab: Tab) -> None:
    assert tab.write(put="[head(2)]", add=f"[head(1, '{OTHER}')]", events=f"[...rows(1, 2), ...rows(1, 1, '{OTHER}')]")
    assert tab.write(drop=f"['{GAME}']") is True
    assert tab.numbers() == []
    assert tab.numbers(OTHER) == [1]
    # In the place of one that is there, in one step.
    instead = f"[...rows(1, 3, '{OTHER}')]"
    assert tab.write(drop=f"['{OTHER}']", add=f"[head(3, '{OTHER}')]", events=instead) is True
    assert tab.numbers(OTHER) == [1, 2, 3]


def test_a_database_that_was_closed_is_opened_again(tab: Tab) -> None:
    tab.do("database.close()")
    assert tab.write(put="[head(1)]", events="rows(1, 1)") is True
    assert tab.numbers() == [1]


def test_a_browser_without_storage_says_so(tab: Tab) -> None:
    tab.do("database.close()")
    tab.page.evaluate("() => { IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); } }")
    assert tab.do("database.heads()") == "no_database"
