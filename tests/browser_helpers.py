"""A server and a browser for tests of the pages, and someone who plays in them."""

from __future__ import annotations

import json
import os
import random
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from databases import sqlite_at
from farkel.web.app import make_app
from farkel.web.game.given import Clock, now
from farkel.web.http.limits import Limits
from farkel.web.settings import Settings
from seeded import Seeded
from serving import HANG, patiently

CHROMIUM = Path("/usr/bin/chromium")
PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
WORDS = "globalThis.newWord = (seat) => `word-${seat}`"
"""What a browser mixes into the dice of a seat."""
WAIT = 1_000 * HANG
"""Milliseconds that anything may take on a busy machine: only what hangs is given up after them."""
LONG = 1_200_000
"""Milliseconds that compiling machine code and then solving a game may take there."""


def left_out(why: str) -> None:
    """Leave a test out, or fail where nothing may be left out."""
    if os.environ.get("FARKEL_ALL_TESTS") == "1":
        pytest.fail(f"FARKEL_ALL_TESTS=1, and {why}")
    pytest.skip(why)


@contextmanager
def serving(folder: Path, clock: Clock = now, **settings: Any) -> Iterator[str]:
    """A server on a free port of this machine, and its address. No time passes for its limits of a rate."""
    chosen: dict[str, Any] = {
        "database": sqlite_at(folder / "games.db"),
        "pace": 0.0,
        "work_a_minute": 10**6,
        "opened_an_hour": 10**6,
        "codes_an_hour": 10**6,
    } | settings
    found = Settings(**chosen)
    with served(make_app(found, clock, Seeded(), Limits(found, clock=lambda: 0.0))) as address:
        yield address


@contextmanager
def served(app: Any) -> Iterator[str]:
    """An application on a free port of this machine, and its address."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # Clients that come before the server is ready wait in the queue of the socket.
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(HANG)
    assert not thread.is_alive(), "the server does not stop"


@contextmanager
def browsing() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        left_out("Playwright is not installed")
    if not CHROMIUM.exists():
        left_out(f"there is no browser at {CHROMIUM}")
    expect.set_options(timeout=WAIT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"], timeout=WAIT)
        try:
            yield browser
        finally:
            browser.close()


def findings(page: Any) -> list[str]:
    """What axe-core finds on a page that is serious or critical."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        left_out("axe-playwright-python is not installed")
    return [
        f"{one['id']}: {one['help']} {[node['html'][:150] for node in one['nodes'][:3]]}"
        for one in Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def so_far(page: Any, script: str) -> None:
    """Wait until this is true on a page.

    Playwright's own ``wait_for_function`` fails on our pages if it has to look twice: their policy forbids ``eval``.
    """
    for _ in patiently():
        if page.evaluate(script):
            return


class Visitor:
    """A visitor with a browser of their own. Complaints in its console are kept."""

    def __init__(
        self, browser: Any, address: str, size: dict[str, int] = DESKTOP, *, moving: bool = False, **options: Any
    ) -> None:
        self.address = address
        motion = "no-preference" if moving else "reduce"
        self.context = browser.new_context(viewport=size, reduced_motion=motion, **options)
        self.context.set_default_timeout(WAIT)
        self.context.add_init_script(WORDS)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._console)

    def _console(self, message: Any) -> None:
        # A network that is cut is complained of too, which is no fault of the page.
        cut = ("Failed to load", "Failed to fetch", "when fetching the script")
        if message.type == "error" and not any(one in message.text for one in cut):
            self.complaints.append(message.text)

    def start(self, rules: str, names: Sequence[str] = ("Ann", "Ben"), way: str = "one", **fields: str) -> None:
        """Open a game from the start page."""
        self.page.goto(f"{self.address}/new?rules={rules}&way={way}")
        for index, name in enumerate(names):
            if index > 1:
                self.page.locator("#add-seat").click()
            self.page.locator(f"#name-{index}").fill(name)
        if fields:
            self.page.locator("details.card > summary").click()
        for name, value in fields.items():
            self.page.locator(f"#{name}").select_option(value)
        self.page.locator(f"label[for=way-{way}]").click()
        self.page.get_by_role("button", name="Play", exact=True).click()

    def sit(self, link: str) -> None:
        """Take the seat of a link."""
        self.page.goto(link)
        self.page.get_by_role("button", name="Take the seat").click()

    @property
    def number(self) -> str:
        """Of the last event that the board shows."""
        return str(self.page.locator("#board").get_attribute("data-number"))

    @property
    def over(self) -> bool:
        return "over" in str(self.page.locator("#board").get_attribute("class")).split()

    def ready(self, state: str = "playing") -> None:
        """Wait until the board is so far, and its scripts listen: they have run when the page is loaded."""
        self.page.locator(f"#board.{state}").wait_for()
        self.page.wait_for_load_state()

    def press(self, selector: str) -> None:
        """Press a button of the board, and wait for the result."""
        self.page.locator("#board:not(:has([data-settling]))").wait_for()
        before = self.number
        self.page.locator(selector).first.click()
        self.past(before)

    def past(self, number: str) -> None:
        """Wait until the board shows something later."""
        self.page.locator(f"#board:not([data-number='{number}'])").wait_for()

    def keep(self) -> tuple[list[int], str]:
        """Return a simple player's keep: the most points, and a bank if allowed."""
        keeps = json.loads(str(self.page.locator("fieldset.roll").get_attribute("data-keeps")))
        for then in ("bank", "roll"):
            for one in keeps:
                if not one[then]:
                    return one["dice"], then
        raise AssertionError(f"nothing may be kept of {keeps}")

    def choose(self, dice: Sequence[int]) -> None:
        """Tap dice of the roll."""
        for face in dice:
            self.page.locator(f"fieldset.roll input[value='{face}']:not(:checked)").first.check()

    def turn(self, generator: random.Random) -> bool:
        """Do the next thing that is to be done here; False where there is nothing."""
        page = self.page
        if page.locator("#pass:not([hidden])").count():
            page.locator("#on").click()
        if page.locator("fieldset.roll").count():
            dice, then = self.keep()
            self.choose(dice)
            self.press(f"button[name=then][value={then}]")
        elif page.locator("form.throw").count():
            if page.locator("button[data-entry=rolls]:visible").count():
                page.wait_for_load_state()  # the script that hears of it is there by then
                page.locator("button[data-entry=rolls]").click()
            due = int(str(page.locator("form.throw input[name=faces]").get_attribute("data-most")))
            page.locator("form.throw input[name=faces]").fill("".join(str(generator.randint(1, 6)) for _ in range(due)))
            self.press("form.throw button.primary")
        elif page.locator("[data-key=f]").count():
            taken = "[data-key=t]:not([aria-disabled=true])"
            take = page.locator(taken).count() and generator.random() < 0.3
            self.press(taken if take else "[data-key=f]")
        elif page.locator("#board :not([hidden]) > button[data-key=r]").count():
            self.press("#board :not([hidden]) > button[data-key=r]")
        else:
            return False
        return True

    def until_a_choice(self, generator: random.Random) -> None:
        """Play until there are dice to choose from."""
        for _ in patiently():
            if self.page.locator("fieldset.roll").count():
                return
            self.turn(generator)

    def open(self, part: str) -> None:
        """Unfold a part of what lies around the play: in the menu, if there is one."""
        if self.page.locator("#menu:not(:popover-open)").count():
            self.page.get_by_role("button", name="Menu").click()
        self.page.locator(f"#{part} > summary").click()

    def close(self) -> None:
        self.context.close()


def together(visitors: Sequence[Visitor]) -> None:
    """Wait until all boards show the latest event that one of them shows."""
    latest = max(visitors, key=lambda visitor: int(visitor.number)).number
    for visitor in visitors:
        visitor.page.locator(f"#board[data-number='{latest}']").wait_for()


def play_out(visitors: Sequence[Visitor], generator: random.Random, most: int = 600) -> None:
    """Play until the game is over, whoever is on turn."""
    for _ in range(most):
        if all(visitor.over for visitor in visitors):
            return
        together(visitors)
        for visitor in visitors:
            if not visitor.over and visitor.turn(generator):
                break
    raise AssertionError(f"the game is not over after {most} turns: {visitors[0].page.locator('#told').text_content()}")
